"""A heat map of the correlations among some features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset._types import Floats
from fisherset.evaluation import cluster_order, columns_of, correlation_matrix
from fisherset.plots.display import Display
from fisherset.plots.labels import drawn

READABLE = 50  # names that can be read beside a heat map


class CorrelationDisplay(Display):
    """Plot correlations among features as a heat map.

    Of more than 50 features some are named, evenly spaced. Make it with :meth:`from_data`.

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
        self.matrix, self.names = np.asarray(matrix, dtype=np.float64), list(names)
        if not self.names or self.matrix.shape != (len(self.names),) * 2:
            raise ValueError(
                f"matrix must have a row and a column for each of the names, one or more; got the shape "
                f"{self.matrix.shape} and {len(self.names)} names."
            )
        side = min(7.6, 3.0 + 0.18 * len(self.names))
        self.size = (side + 1.0, side)

    @classmethod
    def from_data(
        cls,
        X: Any,
        features: Any,
        *,
        names: Sequence[str] | None = None,
        cluster: bool = False,
        ax: Any = None,
    ) -> Self:
        """Plot the correlations of some columns of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        features : array-like
            Column numbers, column names, or a boolean mask; the numbers and names in any order.
        names : sequence of str, default=None
            Names of all columns; None for those of X.
        cluster : bool, default=False
            Whether features that go together are put side by side, as :func:`cluster_order` says.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : CorrelationDisplay
            The plot.
        """
        columns = columns_of(X, features, names)
        matrix = correlation_matrix(columns.values)
        order = cluster_order(matrix) if cluster else np.arange(len(matrix))
        return cls(matrix[np.ix_(order, order)], [columns.names[j] for j in order]).plot(ax=ax)

    @property
    def every(self) -> int:
        """How far apart the features are that are named: 1 where all are."""
        return -(-len(self.names) // READABLE)

    def _draw(self, ax: Any) -> None:
        image = ax.imshow(self.matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0, interpolation="nearest")
        places = range(0, len(self.names), self.every)
        labels = drawn(self.names, 16)[:: self.every]
        small = 8 if len(labels) <= 25 else 5.5
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
