"""Samples: on the plane that separates their classes best, as fitted values, and as quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset._docs import documented
from fisherset._types import Floats
from fisherset.evaluation import (
    Plane,
    class_quantiles,
    columns_of,
    discriminant_plane,
    evenly,
    fitted_values,
)
from fisherset.plots.style import (
    COLOURS,
    MARKERS,
    PAPER,
    Display,
    colour_of,
    drawn,
    ink,
    repr_of,
    selected_by,
    shown_figure,
)

DRAWN_POINTS = 2000  # of a figure of rows: more would cover each other


class PlaneDisplay(Display):
    """Plot samples on two directions, with a colour and a shape for each class.

    More than ten classes are numbered in the middle of their rows, too. Of 2000 rows at most, and the 30
    largest classes; rows of others are grey. Make it with :meth:`from_estimator` or :meth:`from_data`.

    Parameters
    ----------
    plane : Plane
        From :func:`fisherset.evaluation.discriminant_plane`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.plots import PlaneDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> PlaneDisplay.from_data(X, y, [0, 6, 9, 12], gamma=50.0).ax_.get_xlabel()
    'first direction, 54 % of F'
    """

    size = (7.6, 4.8)

    def __init__(self, plane: Plane) -> None:
        self.plane, self.codes, self.classes = plane, plane.codes, plane.classes

    @classmethod
    @documented
    def from_estimator(cls, selector: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Plot the samples as the columns that a fitted selector selected show them, at its gamma.

        Parameters
        ----------
        selector : GeneralizedFisherScore
            A fitted selector.
        %(X.rows, y.classes, ax)

        Returns
        -------
        display : PlaneDisplay
            The plot.
        """
        return cls.from_data(X, y, selected_by(selector, X), gamma=selector.gamma_, ax=ax)

    @classmethod
    @documented
    def from_data(cls, X: Any, y: Any, features: Any, *, gamma: float, ax: Any = None) -> Self:
        """Plot the samples in the plane of the discriminant of some columns of X.

        Parameters
        ----------
        %(X.rows, y.classes, features.columns, gamma.positive, ax)

        Returns
        -------
        display : PlaneDisplay
            The plot.
        """
        return cls(discriminant_plane(X, y, features, gamma=gamma)).plot(ax=ax)

    @property
    def coloured(self) -> list[int]:
        """The classes that have a colour: the 30 largest."""
        sizes = np.bincount(self.codes, minlength=len(self.classes))
        largest = np.argsort(-sizes, kind="stable")[:30]  # more colours could not be told apart
        return sorted(int(code) for code in largest if sizes[code])

    def _draw(self, ax: Any) -> None:
        rows = evenly(self.codes, DRAWN_POINTS)
        points, codes, shown = self.plane.coordinates[rows], self.codes[rows], self.coloured
        numbered = len(shown) > 10
        style: Any = {"linestyle": "", "markersize": 4.5 if rows.size <= 500 else 3.4, "markeredgewidth": 0}
        style["alpha"] = 0.55 if numbered else 0.75
        ax.plot(*points[~np.isin(codes, shown)].T, marker=".", color="#909090", **style)
        for place, (code, label) in enumerate(zip(shown, self._labels(numbered), strict=True)):
            style |= {"marker": _marker(place), "color": colour_of(place)}
            ax.plot(*points[codes == code].T, label=label, **style)
        if numbered:
            self._number(ax)
        small = 6.5 if numbered else 8
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=small, markerscale=1.4)
        ax.set(xlabel=f"first direction, {self._part(0)} of F", ylabel=self._second)

    def _labels(self, numbered: bool) -> list[str]:
        """Labels in the legend of the classes that have a colour."""
        labels = drawn(self.classes, 20)
        return [
            f"{place + 1}  {labels[code]}" if numbered else labels[code]
            for place, code in enumerate(self.coloured)
        ]

    def _number(self, ax: Any) -> None:
        """Write the number of each class in the middle of its rows."""
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=2.5, foreground=PAPER)]
        look: Any = {"fontsize": 9, "fontweight": "bold", "ha": "center", "va": "center"}
        for place, code in enumerate(self.coloured):
            middle = np.median(self.plane.coordinates[self.codes == code], axis=0)
            ax.annotate(str(place + 1), middle, color=colour_of(place), path_effects=halo, **look)

    def _part(self, direction: int) -> str:
        parts = self.plane.parts
        return f"{100 * parts[direction] / (self.plane.objective or 1.0):.0f} %"

    @property
    def _second(self) -> str:
        if self.plane.discriminates:
            return f"second direction, {self._part(1)} of F"
        return "first principal component of the rest"

    @property
    def text_(self) -> str:
        """The picture in words."""
        n, listed = self.codes.size, f"{len(self.classes)} classes"
        if len(self.coloured) < len(self.classes):
            listed += f", the {len(self.coloured)} largest of them in colour"
        return (
            f"{n} rows of {listed} in the plane of the discriminant of the selected features: the "
            f"first direction holds {self._part(0)} of F, the second {self._part(1)}."
        )


def _marker(place: int) -> str:
    """Shapes in turn, another each time a colour is repeated."""
    return MARKERS[(place + place // len(COLOURS)) % len(MARKERS)]


class FitDisplay(Display):
    """Plot fitted values against a target, a point for each row, of 2000 rows at most.

    Make it with :meth:`from_estimator` or :meth:`from_data`.

    Parameters
    ----------
    target, fitted : ndarray of shape (n_samples,)
        The numbers, and the fitted values.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fisherset.plots import FitDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> FitDisplay.from_data(X, y, [2, 3, 8], gamma=110.0).text_
    'Fitted values of 442 rows against the target: their correlation is 0.69.'
    """

    size = (6.2, 4.6)

    def __init__(self, target: Floats, fitted: Floats) -> None:
        self.target, self.fitted = (np.asarray(part, dtype=np.float64) for part in (target, fitted))
        if self.target.ndim != 1 or self.target.shape != self.fitted.shape or not self.target.size:
            raise ValueError(
                f"target and fitted must be lists of as many numbers, one or more; got the shapes "
                f"{self.target.shape} and {self.fitted.shape}."
            )

    @classmethod
    @documented
    def from_estimator(cls, selector: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Plot the samples as the columns that a fitted selector selected show them, at its gamma.

        Parameters
        ----------
        selector : JointRegressionScore
            A fitted selector.
        %(X.rows, y.numbers, ax)

        Returns
        -------
        display : FitDisplay
            The plot.
        """
        return cls.from_data(X, y, selected_by(selector, X), gamma=selector.gamma_, ax=ax)

    @classmethod
    @documented
    def from_data(cls, X: Any, y: Any, features: Any, *, gamma: float, ax: Any = None) -> Self:
        """Plot the fitted values of a ridge regression on some columns of X.

        Parameters
        ----------
        %(X.rows, y.numbers, features.columns, gamma.positive, ax)

        Returns
        -------
        display : FitDisplay
            The plot.
        """
        fitted = fitted_values(X, y, features, gamma=gamma)
        return cls(np.asarray(y, dtype=np.float64).ravel(), fitted).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        rows = evenly(np.zeros(self.target.size, dtype=np.intp), DRAWN_POINTS)
        ends = [float(self.target.min()), float(self.target.max())]
        ax.plot(ends, ends, color=ink(), linewidth=1.0, linestyle="--", label="fitted as it is")
        ax.plot(self.target[rows], self.fitted[rows], "o", color=COLOURS[0], markersize=3.5, alpha=0.6, mew=0)
        ax.set(xlabel="target", ylabel="fitted")
        ax.legend(loc="upper left", fontsize=8)

    @property
    def text_(self) -> str:
        """The picture in words."""
        said = f"Fitted values of {self.target.size} rows against the target"
        if min(self.target.std(), self.fitted.std()) == 0:
            return f"{said}: one of them is the same for all rows."
        return f"{said}: their correlation is {np.corrcoef(self.target, self.fitted)[0, 1]:.2f}."


class DistributionDisplay:
    """Plot quantiles of features, a row for each class: 5 to 95 %, the middle half, the median.

    Of features of zeros and ones the share of ones is shown.

    Make it with :meth:`from_estimator` or :meth:`from_data`.

    Parameters
    ----------
    quantiles : ndarray of shape (n_features, n_classes, 5)
        5, 25, 50, 75 and 95 % of each feature in each class; of a share this five times.
    names, classes : sequence of str
        Names of the features and the classes.
    shares : sequence of bool, default=None
        Which features are shares; None for none.
    where : str, default="in class"
        Words before a class in a sentence.
    n_classes : int, default=None
        Number of all classes, where these are the largest of them; None for no more.

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
    @documented
    def from_estimator(cls, selector: Any, X: Any, y: Any, *, names: Sequence[str] | None = None) -> Self:
        """Plot the quantiles of the columns that a fitted selector selected, in each class.

        Parameters
        ----------
        selector : selector
            A fitted selector.
        %(X.rows, y.classes, names.columns)

        Returns
        -------
        display : DistributionDisplay
            The plot.
        """
        return cls.from_data(X, y, selected_by(selector, X), names=names)

    @classmethod
    @documented
    def from_data(cls, X: Any, y: Any, features: Any, *, names: Sequence[str] | None = None) -> Self:
        """Plot the quantiles of some columns of X in each class, of the 30 largest classes at most.

        Parameters
        ----------
        %(X.rows, y.classes, features.columns, names.columns)

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
        self.figure_ = shown_figure(3.0 * across, height)
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

    def __repr__(self) -> str:
        return repr_of(self)

    @property
    def _few(self) -> str:
        """Words about the classes that are left out."""
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
