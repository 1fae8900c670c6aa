"""A heat map of the correlations among some features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.plots.canvas import axes_for, columns_of, shortened


class CorrelationDisplay:
    """Plot correlations among features as a heat map.

    Make it with :meth:`from_data`.

    Parameters
    ----------
    matrix : ndarray of shape (n_features, n_features)
        Correlations.
    names : sequence of str
        Names of the features.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    text_ : str
        What the picture shows, in words.

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

    @classmethod
    def from_data(
        cls, X: Any, features: Sequence[int] | Indices, *, names: Sequence[str] | None = None, ax: Any = None
    ) -> Self:
        """Compute the correlations of some columns of X and plot them.

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
        values, labels = columns_of(X, features, names)
        centred = values - values.mean(axis=0)
        length = np.sqrt(np.sum(centred**2, axis=0))
        scaled = centred / np.where(length > 0, length, 1.0)
        return cls(np.clip(scaled.T @ scaled, -1.0, 1.0), labels).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, on `ax` or a new figure."""
        size = min(9.0, 3.0 + 0.18 * len(self.names))
        ax = axes_for(ax, (size + 1.0, size))
        self.ax_, self.figure_ = ax, ax.figure
        image = ax.imshow(self.matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0, interpolation="nearest")
        labels = [shortened(name, 16) for name in self.names]
        places = range(len(labels))
        small = 8 if len(labels) <= 25 else 5
        ax.set_xticks(places, labels, rotation=90, fontsize=small)
        ax.set_yticks(places, labels, fontsize=small)
        ax.grid(visible=False)
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label="correlation")
        return self

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
