"""Small pictures of single features, drawn by the page itself: hundreds of them take little space."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats
from fisherset.evaluation.description import ClassQuantiles
from fisherset.plots.style import distinct

# Units of a panel: its width, the margin around, the height of the axis below the classes, and the width of
# a character of a label.
PANEL_WIDTH, PANEL_EDGE, PANEL_FOOT, CHARACTER_WIDTH = 300, 8, 22, 6.2


class Tick(NamedTuple):
    """A place on an axis, and its label."""

    place: float
    text: str


class Panel(NamedTuple):
    """A feature in each class: the paths of an SVG.

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
        Title and caption.
    first, others : list of Panel
        Those that are shown at once, and those that are shown on demand.
    labels : list of Tick
        The classes: place from above, and name.
    left, height : float
        Beginning and height of the drawing, in units of the panel.
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
        """The view box of a panel."""
        return f"0 0 {PANEL_WIDTH} {self.height + PANEL_FOOT:g}"

    @property
    def n(self) -> int:
        """The number of features."""
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
        Title and caption.
    spread : ClassQuantiles
        Of the features.
    names : sequence of str
        Names of the features.
    where : str, default="in class"
        The words before a class in a sentence.
    first : int
        Number of pictures that are shown at once.

    Returns
    -------
    panels : Panels
        The pictures.
    """
    labels = distinct(spread.classes, 16)  # characters, for the drawing to keep most of the width
    height = 20 if len(labels) <= 6 else 14
    rows = [height * (place + 0.5) for place in range(len(labels))]
    left = PANEL_EDGE + CHARACTER_WIDTH * max(map(characters, labels))
    drawn = [
        _panel(name, cells, share, spread.classes, rows, left, where)
        for name, cells, share in zip(names, spread.values, spread.shares, strict=True)
    ]
    ticks = [Tick(row, label) for row, label in zip(rows, labels, strict=True)]
    return Panels(title, note, drawn[:first], drawn[first:], ticks, left, float(height * len(labels)))


def characters(label: str) -> int:
    """Return the width of a label in characters; East Asian ones are twice as wide."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in label)


def _panel(
    name: str,
    cells: Floats,
    share: bool,
    classes: Sequence[str],
    rows: Sequence[float],
    left: float,
    where: str,
) -> Panel:
    low, high = (0.0 if share else float(cells.min())), float(cells.max())
    unit, span = _scale(low, high)
    width = PANEL_WIDTH - left - 2 * PANEL_EDGE

    def at(value: float) -> str:
        place = (value / unit - low / unit) / span if span > 0 else 0.5
        return f"{left + PANEL_EDGE + width * place:.1f}".removesuffix(".0")

    spreads, halves, middles = "", "", ""
    for row, (least, lower, middle, upper, most) in zip(rows, cells.tolist(), strict=True):
        spreads += "" if share else f"M{at(least)} {row:g}H{at(most)}"
        halves += f"M{at(0.0 if share else lower)} {row:g}H{at(upper)}"
        middles += f"M{at(middle)} {row - 4:g}v8"
    lowest, highest = int(np.argmin(cells[:, 2])), int(np.argmax(cells[:, 2]))
    text = (
        f"{name}: lowest {'share' if share else 'median'} {cells[lowest, 2]:.3g} {where} {classes[lowest]}, "
        f"highest {cells[highest, 2]:.3g} {where} {classes[highest]}."
    )
    ticks = [Tick(float(at(tick.place)), tick.text) for tick in ticks_between(low, high)]
    return Panel(name, text, spreads, halves, middles, ticks)


def ticks_between(low: float, high: float) -> list[Tick]:
    """Return two to five round numbers from low to high; the number itself where both are the same."""
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
    """Return a power of ten as unit, and the distance in it: that of large numbers must not overflow."""
    most = max(abs(low), abs(high))
    if not most > 0:
        return 1.0, 0.0
    unit = 10.0 ** math.floor(math.log10(most))
    span = high / unit - low / unit
    return unit, span if span > 1e-12 else 0.0
