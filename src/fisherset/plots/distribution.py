"""How some features are distributed in each class, or part of a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset._types import Floats
from fisherset.evaluation import class_quantiles, columns_of
from fisherset.plots.labels import drawn
from fisherset.plots.style import COLOURS, ink, new_figure


class DistributionDisplay:
    """Plot quantiles of features, a row for each class: 5 to 95 %, the middle half, the median.

    Of features of noughts and ones the share of ones is shown.

    Make it with :meth:`from_data`.

    Parameters
    ----------
    quantiles : ndarray of shape (n_features, n_classes, 5)
        5, 25, 50, 75 and 95 % of each feature in each class; of a share this five times.
    names, classes : sequence of str
        Names of the features and the classes.
    shares : sequence of bool, default=None
        Which features are shares; None for none.
    where : str, default="in class"
        What stands before a class in a sentence.
    n_classes : int, default=None
        How many classes there are, where these are the largest of them; None for no more.

    Attributes
    ----------
    axes_, figure_ : array of matplotlib Axes, and Figure
        Where it is drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.plots import DistributionDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> DistributionDisplay.from_data(X, y, [6, 12]).quantiles.shape
    (2, 3, 5)
    """

    def __init__(
        self,
        quantiles: Floats,
        names: Sequence[str],
        classes: Sequence[str],
        shares: Sequence[bool] | None = None,
        where: str = "in class",
        n_classes: int | None = None,
    ) -> None:
        self.quantiles, self.names = np.asarray(quantiles, dtype=np.float64), list(names)
        self.classes, self.where = [str(label) for label in classes], where
        self.shares = [False] * len(self.names) if shares is None else [bool(share) for share in shares]
        self.n_classes = len(self.classes) if n_classes is None else n_classes
        wanted = (len(self.names), len(self.classes), 5)
        if self.quantiles.shape != wanted or not self.quantiles.size:
            raise ValueError(
                f"quantiles must have the shape (names, classes, 5), here {wanted}, and not be empty; got "
                f"{self.quantiles.shape}."
            )

    @classmethod
    def from_data(cls, X: Any, y: Any, features: Any, *, names: Sequence[str] | None = None) -> Self:
        """Plot the quantiles of some columns of X in each class, of the 30 largest classes at most.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their class labels.
        features : array-like
            Column numbers, column names, or a boolean mask; the numbers and names in any order.
        names : sequence of str, default=None
            Names of all columns; None for those of X.

        Returns
        -------
        display : DistributionDisplay
            The plot.
        """
        columns = columns_of(X, features, names)
        found = class_quantiles(columns.values, y)
        return cls(found.values, columns.names, found.classes, found.shares, n_classes=found.n_classes).plot()

    def plot(self) -> Self:
        """Draw on a new figure.

        Returns
        -------
        display : DistributionDisplay
            The plot.
        """
        across = min(3, len(self.names))
        down = -(-len(self.names) // across)
        height = down * (0.9 + 0.22 * len(self.classes))
        self.figure_ = new_figure(3.0 * across, height)
        self.axes_ = self.figure_.subplots(down, across, sharey=True, squeeze=False)
        rows = np.arange(len(self.classes))[::-1]
        titles, classes = drawn(self.names), drawn(self.classes, 16)
        for ax, title, share, cells in zip(
            self.axes_.flat, titles, self.shares, self.quantiles, strict=False
        ):
            ax.hlines(rows, cells[:, 0], cells[:, 4], color=COLOURS[0], linewidth=1.2)
            start = np.zeros(len(rows)) if share else cells[:, 1]
            ax.hlines(rows, start, cells[:, 3], color=COLOURS[0], linewidth=6, alpha=0.55)
            ax.plot(cells[:, 2], rows, "|", color=ink(), markersize=9, markeredgewidth=1.6)
            ax.set_title(title, fontsize=9)
            ax.set_yticks(rows, classes, fontsize=8)
            ax.tick_params(axis="x", labelsize=8)
            ax.set_ylim(-0.7, len(self.classes) - 0.3)
        for ax in self.axes_.flat[len(self.names) :]:
            ax.set_visible(False)
        if self._few:
            self.figure_.supxlabel(self._few, fontsize=8)
        return self

    @property
    def _few(self) -> str:
        """What is said where some classes are left out."""
        shown = len(self.classes)
        return f"the {shown} largest of {self.n_classes} classes" if shown < self.n_classes else ""

    @property
    def text_(self) -> str:
        """The picture in words."""
        parts = []
        for name, share, cells in zip(self.names, self.shares, self.quantiles, strict=True):
            low, high = int(np.argmin(cells[:, 2])), int(np.argmax(cells[:, 2]))
            what = "share" if share else "median"
            parts.append(
                f"{name} has its lowest {what}, {cells[low, 2]:.3g}, {self.where} {self.classes[low]} "
                f"and its highest, {cells[high, 2]:.3g}, {self.where} {self.classes[high]}"
            )
        among = f" in {self._few}" if self._few else ""
        return f"Quantiles of features{among}: {'; '.join(parts)}."
