"""Samples in the plane in which chosen features tell the classes apart best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset._types import Indices
from fisherset.evaluation import Plane, discriminant_plane, evenly
from fisherset.plots.display import Display
from fisherset.plots.fit import DRAWN_POINTS
from fisherset.plots.labels import drawn
from fisherset.plots.style import COLOURS, MARKERS, PAPER, ink
from fisherset.selectors.checks import check_labels

LISTED = 10  # classes that have a place in a legend; of more each is named where its rows are
COLOURED = 30  # classes that have colours; more would not be told apart


class PlaneDisplay(Display):
    """Plot samples on two directions, with a colour and a shape for each class.

    Up to ten classes are listed beside the plot; of more, each is named at the middle of its rows. Of 2000
    rows at most, and the 30 largest classes; rows of others are grey. Make it with :meth:`from_data`.

    Parameters
    ----------
    plane : Plane
        From :func:`fisherset.evaluation.discriminant_plane`.
    codes : ndarray of int of shape (n_samples,)
        The class of each sample, by its number.
    classes : sequence of str
        What the classes are called.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.plots import PlaneDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> PlaneDisplay.from_data(X, y, [0, 6, 9, 12], gamma=50.0).ax_.get_xlabel()
    'first direction, 54 % of F'
    """

    size = (7.0, 4.8)

    def __init__(self, plane: Plane, codes: Indices, classes: Sequence[str]) -> None:
        self.plane, self.codes, self.classes = plane, np.asarray(codes), [str(label) for label in classes]
        if plane.coordinates.shape != (self.codes.size, 2) or not self.codes.size:
            raise ValueError(
                f"plane must have two coordinates for each of the {self.codes.size} codes; got the shape "
                f"{plane.coordinates.shape}."
            )
        if not 0 <= self.codes.min() <= self.codes.max() < len(self.classes):
            raise ValueError(
                f"codes must be the numbers of the {len(self.classes)} classes; got some from "
                f"{self.codes.min()} to {self.codes.max()}."
            )

    @classmethod
    def from_data(cls, X: Any, y: Any, features: Any, *, gamma: float, ax: Any = None) -> Self:
        """Plot the samples in the plane of the discriminant of some columns of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their class labels.
        features : array-like
            Column numbers, column names, or a boolean mask.
        gamma : float
            The regulariser, positive.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : PlaneDisplay
            The plot.
        """
        plane = discriminant_plane(X, y, features, gamma=gamma)
        classes, codes = check_labels(y, len(plane.coordinates))
        return cls(plane, codes, classes.tolist()).plot(ax=ax)

    @property
    def coloured(self) -> list[int]:
        """The classes that have a colour: the largest."""
        sizes = np.bincount(self.codes, minlength=len(self.classes))
        largest = np.argsort(-sizes, kind="stable")[:COLOURED]
        return sorted(int(code) for code in largest if sizes[code])

    def _draw(self, ax: Any) -> None:
        rows = evenly(self.codes, DRAWN_POINTS)
        points, codes, shown = self.plane.coordinates[rows], self.codes[rows], self.coloured
        others = ~np.isin(codes, shown)
        size = 4.5 if rows.size <= 500 else 3.2
        style: Any = {"linestyle": "", "markersize": size, "alpha": 0.75, "markeredgewidth": 0}
        ax.plot(*points[others].T, marker=".", color="#909090", **style)
        labels = drawn(self.classes, 16)
        for place, code in enumerate(shown):
            style |= {"marker": _marker(place), "color": _colour(place)}
            ax.plot(*points[codes == code].T, label=labels[code], **style)
        if len(shown) <= LISTED:
            ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, markerscale=1.4)
        else:
            self._name(ax, [(labels[code], _colour(place), code) for place, code in enumerate(shown)])
        ax.set(xlabel=f"first direction, {self._part(0)} of F", ylabel=self._second)

    def _name(self, ax: Any, named: Sequence[tuple[str, str, int]]) -> None:
        """The names of classes at the middle of their rows."""
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=2.5, foreground=PAPER)]
        for label, colour, code in named:
            middle = np.median(self.plane.coordinates[self.codes == code], axis=0)
            look = {"fontsize": 8, "fontweight": "bold", "ha": "center", "va": "center"}
            ax.annotate(label, middle, color=colour, path_effects=halo, **look)

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
            f"{n} rows of {listed} in the plane of the discriminant of the chosen features: the "
            f"first direction holds {self._part(0)} of F, the second {self._part(1)}."
        )


def _colour(place: int) -> str:
    """Colours in turn, the last, black, as the ink of the page is."""
    colour = COLOURS[place % len(COLOURS)]
    return ink() if colour == COLOURS[-1] else colour


def _marker(place: int) -> str:
    """Shapes in turn, another for each time a colour comes again."""
    return MARKERS[(place + place // len(COLOURS)) % len(MARKERS)]
