"""Small pictures of single features, drawn by the page itself: hundreds of them weigh little."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats
from fisherset.evaluation.description import ClassQuantiles
from fisherset.plots.labels import distinct

PANEL_WIDTH, PANEL_EDGE = 300, 8  # units of a panel: its width, the room around
CLASS_ROW, TALL_ROW, FEW_CLASSES = 14, 20, 6  # the height of a class; of one of a few; and how many are few
PANEL_FOOT = 22  # below the classes, for the axis
SIGN_WIDTH = 6.2  # width of a sign of a label
LABEL_SIGNS = 16  # signs of a label


class Tick(NamedTuple):
    """A place on an axis, and what is written there."""

    place: float
    text: str


class Panel(NamedTuple):
    """A feature in each class: the paths of an SVG, and what they say.

    Attributes
    ----------
    name : str
        The feature.
    text : str
        The picture in words.
    spreads, halves, middles : str
        Lines from 5 to 95 %, bars of the middle half, marks of the medians: data of paths.
    ticks : list of Tick
        The axis.
    """

    name: str
    text: str
    spreads: str
    halves: str
    middles: str
    ticks: list[Tick]


class Panels(NamedTuple):
    """Features in each class, or part of a target.

    Attributes
    ----------
    title, note : str
        What is seen, and how.
    first, others : list of Panel
        Those that are shown at once, and those that are shown when asked for.
    labels : list of Tick
        The classes: how far down each is, and what it is called.
    left, height : float
        Where the drawing begins, and how far down it goes, in units of the panel.
    """

    title: str
    note: str
    first: list[Panel]
    others: list[Panel]
    labels: list[Tick]
    left: float
    height: float

    @property
    def size(self) -> str:
        """The box in which a panel is drawn."""
        return f"0 0 {PANEL_WIDTH} {self.height + PANEL_FOOT:g}"

    @property
    def n(self) -> int:
        """How many features there are."""
        return len(self.first) + len(self.others)


def build_panels(
    title: str,
    note: str,
    spread: ClassQuantiles,
    names: Sequence[str],
    *,
    where: str = "in class",
    first: int,
) -> Panels:
    """Draw features in each class.

    Parameters
    ----------
    title, note : str
        What is seen, and how.
    spread : ClassQuantiles
        Of the features.
    names : sequence of str
        What they are called.
    where : str, default="in class"
        What stands before a class in a sentence.
    first : int
        How many are shown at once.

    Returns
    -------
    panels : Panels
        The pictures.
    """
    labels = distinct(spread.classes, LABEL_SIGNS)
    height = TALL_ROW if len(labels) <= FEW_CLASSES else CLASS_ROW
    rows = [height * (place + 0.5) for place in range(len(labels))]
    left = PANEL_EDGE + SIGN_WIDTH * max(map(_signs, labels))
    drawn = [
        _panel(name, cells, share, spread.classes, rows, left, where)
        for name, cells, share in zip(names, spread.values, spread.shares, strict=True)
    ]
    ticks = [Tick(row, label) for row, label in zip(rows, labels, strict=True)]
    return Panels(title, note, drawn[:first], drawn[first:], ticks, left, float(height * len(labels)))


def _signs(label: str) -> int:
    """How wide a label is: signs of the East take twice the room."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in label)


def _panel(
    name: str,
    cells: Floats,
    share: bool,
    classes: Sequence[str],
    rows: Sequence[float],
    left: float,
    where: str,
) -> Panel:
    low, high = (0.0, float(cells.max())) if share else (float(cells.min()), float(cells.max()))
    unit, span = _scale(low, high)
    room = PANEL_WIDTH - left - 2 * PANEL_EDGE

    def at(value: float) -> str:
        share_of_room = (value / unit - low / unit) / span if span > 0 else 0.5
        return f"{left + PANEL_EDGE + room * share_of_room:.1f}".removesuffix(".0")

    spreads, halves, middles = [], [], []
    for row, (least, lower, middle, upper, most) in zip(rows, cells.tolist(), strict=True):
        y = f"{row:g}"
        if not share:
            spreads.append(f"M{at(least)} {y}H{at(most)}")
        halves.append(f"M{at(0.0 if share else lower)} {y}H{at(upper)}")
        middles.append(f"M{at(middle)} {row - 4:g}v8")
    lowest, highest = int(np.argmin(cells[:, 2])), int(np.argmax(cells[:, 2]))
    what = "share" if share else "median"
    text = (
        f"{name}: lowest {what} {cells[lowest, 2]:.3g} {where} {classes[lowest]}, highest "
        f"{cells[highest, 2]:.3g} {where} {classes[highest]}."
    )
    ticks = [Tick(float(at(tick.place)), tick.text) for tick in ticks_between(low, high)]
    return Panel(name, text, "".join(spreads), "".join(halves), "".join(middles), ticks)


def ticks_between(low: float, high: float) -> list[Tick]:
    """Two to five round numbers from low to high, where they are and as they are written.

    Where there is but one number, that.
    """
    unit, span = _scale(low, high)
    if not span > 0:
        return [Tick(low, f"{low:.6g}")]
    step = 10.0 ** math.floor(math.log10(span))
    step *= next(some for some in (2.0, 1.0, 0.5) if span >= 2 * step * some)
    first, last = math.ceil(low / unit / step - 1e-9), math.floor(high / unit / step + 1e-9)
    values = [unit * (step * place) for place in range(first, last + 1)] if last > first else [low, high]
    digits = min(15, max(6, 2 - math.floor(math.log10(step))))
    return [Tick(value, f"{value:.{digits}g}") for value in values]


def _scale(low: float, high: float) -> tuple[float, float]:
    """A power of ten to measure by, and how far it is from low to high: what is large must not overflow."""
    most = max(abs(low), abs(high))
    if not most > 0:
        return 1.0, 0.0
    unit = 10.0 ** math.floor(math.log10(most))
    span = high / unit - low / unit
    return unit, span if span > 1e-12 else 0.0
