"""Curves against the number of features, drawn by the page itself in its own colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fisherset.report.panels import Tick, ticks_between

# Units of a chart: its size, and the margins of the axes.
WIDTH, HEIGHT, LEFT, FOOT, TOP, RIGHT = 420, 230, 48, 42, 12, 14


class Curve(NamedTuple):
    """Numbers against sizes.

    Attributes
    ----------
    title, short : str
        The title, and what the axis shows.
    ks : list of int
        The sizes, rising.
    values : list of float
        The numbers.
    tops, bottoms : list of float
        Ends of a band, or of error bars, of each.
    chosen : int
        The selected size.
    percent : bool
        Whether numbers are written in per cent.
    band : bool
        Whether there is a band; error bars if not.
    level, level_name : float or None, str
        A number to compare with, and its name.
    note : str
        The caption.
    reaching : str
        Words before the upper end of the band at a size.
    """

    title: str
    short: str
    ks: list[int]
    values: list[float]
    tops: list[float]
    bottoms: list[float]
    chosen: int
    percent: bool = False
    band: bool = False
    level: float | None = None
    level_name: str = ""
    note: str = ""
    reaching: str = "at most"


class Mark(NamedTuple):
    """A point of a curve: its place, words, and whether it is of the selected size."""

    x: float
    y: float
    text: str
    chosen: bool


class Chart(NamedTuple):
    """A curve as the paths of an SVG.

    Attributes
    ----------
    curve : Curve
        The numbers.
    line, band, errors : str
        Data of paths.
    marks : list of Mark
        The points.
    across, up : list of Tick
        The axes.
    level : float or None
        Height of the number to compare with.
    text : str
        The picture in words.
    """

    curve: Curve
    line: str
    band: str
    errors: str
    marks: list[Mark]
    across: list[Tick]
    up: list[Tick]
    level: float | None
    text: str

    @property
    def size(self) -> str:
        """The view box."""
        return f"0 0 {WIDTH} {HEIGHT}"

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """The ends of the axes: left, right, top and foot."""
        return LEFT, WIDTH - RIGHT, TOP, HEIGHT - FOOT


def build_chart(curve: Curve) -> Chart:
    """Draw a curve.

    Parameters
    ----------
    curve : Curve
        The numbers.

    Returns
    -------
    chart : Chart
        The picture.
    """
    known = [*curve.values, *curve.tops, *curve.bottoms, *([] if curve.level is None else [curve.level])]
    low, high = (min([0.0, *known]) if curve.band else min(known)), max(known)
    margin = 0.06 * (high - low) or abs(high) or 1.0
    low, high = (low if curve.band else low - margin), high + margin
    first, last = curve.ks[0], curve.ks[-1]

    def x(k: float) -> float:
        share = (k - first) / (last - first) if last > first else 0.5
        return round(LEFT + 8 + share * (WIDTH - RIGHT - LEFT - 16), 1)

    def y(value: float) -> float:
        return round(HEIGHT - FOOT - (value - low) / (high - low) * (HEIGHT - FOOT - TOP), 1)

    def shown(value: float) -> str:
        return f"{100 * value:.1f} %" if curve.percent else f"{value:.4g}"

    def path(values: Sequence[float], ks: Sequence[int]) -> str:
        return "L".join(f"{x(k)} {y(value)}" for k, value in zip(ks, values, strict=True))

    across = [Tick(x(k), str(k)) for k in curve.ks]
    marks, words = [], []
    for k, value, top in zip(curve.ks, curve.values, curve.tops, strict=True):
        more = f", {curve.reaching} {shown(top)}" if curve.band else f" ± {shown(top - value)}"
        marks.append(Mark(x(k), y(value), f"{k}: {shown(value)}{more}", k == curve.chosen))
        words.append(f"{k}: {shown(value)}")
    there_and_back = f"M{path(curve.tops, curve.ks)}L{path(curve.bottoms[::-1], curve.ks[::-1])}Z"
    bars = zip(curve.ks, curve.bottoms, curve.tops, strict=True)
    up = [
        Tick(y(tick.place), f"{100 * tick.place:g} %" if curve.percent else tick.text)
        for tick in ticks_between(low, high)
    ]
    return Chart(
        curve,
        f"M{path(curve.values, curve.ks)}",
        there_and_back if curve.band else "",
        "" if curve.band else "".join(f"M{x(k)} {y(bottom)}V{y(top)}" for k, bottom, top in bars),
        marks,
        _apart(across, x(curve.chosen)),
        up,
        None if curve.level is None else y(curve.level),
        f"{curve.title}: {'; '.join(words)}.",
    )


def _apart(ticks: Sequence[Tick], chosen: float, least: float = 24.0) -> list[Tick]:
    """Return the ticks that do not cover each other; that of the selected size first of all."""
    kept = [tick for tick in ticks if tick.place == chosen]
    for tick in [*reversed(ticks)]:
        if all(abs(tick.place - other.place) >= least for other in kept):
            kept.append(tick)
    return sorted(kept)
