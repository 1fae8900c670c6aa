"""Samples in the plane in which chosen features tell the classes apart best."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset.evaluation import Plane, discriminant_plane, evenly
from fisherset.plots.display import Display
from fisherset.plots.fit import DRAWN_POINTS
from fisherset.plots.labels import drawn
from fisherset.plots.style import COLOURS, MARKERS, PAPER, ink

UNNUMBERED = 10  # classes that are told apart without numbers
COLOURED = 30  # classes that have colours; more would not be told apart


class PlaneDisplay(Display):
    """Plot samples on two directions, with a colour and a shape for each class.

    More than ten classes are numbered in the middle of their rows, too. Of 2000 rows at most, and the 30
    largest classes; rows of others are grey. Make it with :meth:`from_data`.

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
        return cls(discriminant_plane(X, y, features, gamma=gamma)).plot(ax=ax)

    @property
    def coloured(self) -> list[int]:
        """The classes that have a colour: the largest."""
        sizes = np.bincount(self.codes, minlength=len(self.classes))
        largest = np.argsort(-sizes, kind="stable")[:COLOURED]
        return sorted(int(code) for code in largest if sizes[code])

    def _draw(self, ax: Any) -> None:
        rows = evenly(self.codes, DRAWN_POINTS)
        points, codes, shown = self.plane.coordinates[rows], self.codes[rows], self.coloured
        numbered = len(shown) > UNNUMBERED
        style: Any = {"linestyle": "", "markersize": 4.5 if rows.size <= 500 else 3.4, "markeredgewidth": 0}
        style["alpha"] = 0.55 if numbered else 0.75
        ax.plot(*points[~np.isin(codes, shown)].T, marker=".", color="#909090", **style)
        for place, (code, label) in enumerate(zip(shown, self._labels(numbered), strict=True)):
            style |= {"marker": _marker(place), "color": _colour(place)}
            ax.plot(*points[codes == code].T, label=label, **style)
        if numbered:
            self._number(ax)
        small = 6.5 if numbered else 8
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=small, markerscale=1.4)
        ax.set(xlabel=f"first direction, {self._part(0)} of F", ylabel=self._second)

    def _labels(self, numbered: bool) -> list[str]:
        """What the legend says of the classes that have a colour."""
        labels = drawn(self.classes, 20)
        return [
            f"{place + 1}  {labels[code]}" if numbered else labels[code]
            for place, code in enumerate(self.coloured)
        ]

    def _number(self, ax: Any) -> None:
        """The numbers of classes in the middle of their rows."""
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=2.5, foreground=PAPER)]
        look: Any = {"fontsize": 9, "fontweight": "bold", "ha": "center", "va": "center"}
        for place, code in enumerate(self.coloured):
            middle = np.median(self.plane.coordinates[self.codes == code], axis=0)
            ax.annotate(str(place + 1), middle, color=_colour(place), path_effects=halo, **look)

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
