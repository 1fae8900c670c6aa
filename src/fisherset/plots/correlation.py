"""A heat map of the correlations among some features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.evaluation import correlation_matrix
from fisherset.plots.display import Display, names_of, shortened


class CorrelationDisplay(Display):
    """Plot correlations among features as a heat map.

    Make it with :meth:`from_data`.

    Parameters
    ----------
    matrix : ndarray of shape (n_features, n_features)
        Correlations.
    names : sequence of str
        Names of the features.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.plots import CorrelationDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> CorrelationDisplay.from_data(X, [0, 5, 6]).matrix.shape
    (3, 3)
    """

    def __init__(self, matrix: Floats, names: Sequence[str]) -> None:
        self.matrix, self.names = matrix, list(names)
        side = min(9.0, 3.0 + 0.18 * len(self.names))
        self.size = (side + 1.0, side)

    @classmethod
    def from_data(
        cls, X: Any, features: Sequence[int] | Indices, *, names: Sequence[str] | None = None, ax: Any = None
    ) -> Self:
        """Plot the correlations of some columns of X.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            The samples.
        features : sequence of int
            Column numbers.
        names : sequence of str, default=None
            Names of all columns.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : CorrelationDisplay
            The plot.
        """
        return cls(correlation_matrix(X, features), names_of(features, names)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        image = ax.imshow(self.matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0, interpolation="nearest")
        labels = [shortened(name, 16) for name in self.names]
        places = range(len(labels))
        small = 8 if len(labels) <= 25 else 5
        ax.set_xticks(places, labels, rotation=90, fontsize=small)
        ax.set_yticks(places, labels, fontsize=small)
        ax.grid(visible=False)
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label="correlation")

    @property
    def text_(self) -> str:
        """The picture in words."""
        if len(self.names) < 2:
            return "Correlations: only one feature."
        off = np.abs(self.matrix - np.eye(len(self.names)))
        i, j = np.unravel_index(int(np.argmax(off)), off.shape)
        mean = off.sum() / (off.size - len(self.names))
        return (
            f"Correlations among {len(self.names)} features: {mean:.2f} in absolute value on average; the "
            f"strongest, {self.matrix[i, j]:.2f}, is between {self.names[i]} and {self.names[j]}."
        )
