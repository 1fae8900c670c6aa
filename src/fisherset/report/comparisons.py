"""A selection next to others: near-best sets, other sizes and other methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fisherset import NearBest, __version__
from fisherset._format import counted, listed, proven_share
from fisherset.evaluation import TITLES, Comparison
from fisherset.plots import AlternativesDisplay, ComparisonDisplay
from fisherset.report.charts import Chart, Curve, build_chart
from fisherset.report.features import Remark
from fisherset.report.overview import Chip, Overview, Tile
from fisherset.report.pages import Figure, figure_of, render, short
from fisherset.report.provenance import Provenance


class AlternativeFeature(NamedTuple):
    """A feature, or group, of some near-best set.

    Attributes
    ----------
    name : str
        Its name.
    share : float
        Share of the sets that have it.
    without : float or None
        Share of the best F that the best of the sets without it reaches; None where all have it.
    kept : bool
        Whether it was required.
    stand_ins : list of str
        Its substitutes in sets that are otherwise equal, best first.
    """

    name: str
    share: float
    without: float | None
    kept: bool
    stand_ins: list[str]


class AlternativeSet(NamedTuple):
    """A near-best set.

    Attributes
    ----------
    rank : int
        1 for the best.
    objective, share : float
        Its F, and that as a share of the best.
    others : list of str
        Its features besides those that all sets have.
    """

    rank: int
    objective: float
    share: float
    others: list[str]


class Alternatives(NamedTuple):
    """Near-best sets, for a page.

    Attributes
    ----------
    found : NearBest
        The sets.
    core : list of str
        Features in all of them.
    features : list of AlternativeFeature
        Features in any of them, the most frequent first.
    sets : list of AlternativeSet
        The first of them.
    figure : Figure
        The picture.
    """

    found: NearBest
    core: list[str]
    features: list[AlternativeFeature]
    sets: list[AlternativeSet]
    figure: Figure


def alternative_features(found: NearBest) -> list[AlternativeFeature]:
    """Return the features, or groups, of near-best sets, the most frequent first.

    Parameters
    ----------
    found : NearBest
        The sets.

    Returns
    -------
    rows : list of AlternativeFeature
        One for each that is in any of them.
    """
    often, best = found.frequencies, found.objective or 1.0
    names = [str(name) for name in found.names]
    sets = [set(one) for one in found.sets]
    rows = []
    for j in sorted(np.flatnonzero(often).tolist(), key=lambda j: (-often[j], j)):
        place = next((at for at, one in enumerate(sets) if j not in one), None)
        without = None if place is None else float(found.objectives[place] / best)
        substitutes = [names[other] for other in found.stand_ins.get(j, [])]
        rows.append(AlternativeFeature(names[j], float(often[j]), without, j in found.kept, substitutes))
    return rows


def alternative_sets(found: NearBest, most: int = 100) -> list[AlternativeSet]:
    """Return the first near-best sets, by the features that are not in all of them.

    Parameters
    ----------
    found : NearBest
        The sets.
    most : int, default=100
        Number of sets at most.

    Returns
    -------
    rows : list of AlternativeSet
        One for each, best first.
    """
    core, best = set(found.core), found.objective or 1.0
    rows = []
    for rank, (members, value) in enumerate(zip(found.sets, found.objectives.tolist(), strict=True), 1):
        others = [str(found.names[j]) for j in members if j not in core]
        rows.append(AlternativeSet(rank, float(value), float(value / best), others))
        if rank >= most:
            break
    return rows


def build_alternatives(found: NearBest) -> Alternatives:
    """Put near-best sets together for a page.

    Parameters
    ----------
    found : NearBest
        From :func:`fisherset.near_best`.

    Returns
    -------
    alternatives : Alternatives
        For :func:`alternatives_page`, or a report.
    """
    found = replace(found, names=[short(str(name)) for name in found.names])
    figure = figure_of(
        f"Which {found.what} are in which set",
        AlternativesDisplay(found),
        "A column for each set. Blue: in all of them. Orange: in some. Right: the share of sets.",
    )
    core = [str(found.names[j]) for j in found.core]
    return Alternatives(found, core, alternative_features(found), alternative_sets(found), figure)


def alternatives_page(
    alternatives: Alternatives,
    *,
    title: str,
    line: str = "",
    asked: Sequence[tuple[str, str]] = (),
    remarks: Sequence[Remark] = (),
    provenance: Provenance | None = None,
) -> str:
    """Return the page as HTML: self-contained, with every name escaped.

    Parameters
    ----------
    alternatives : Alternatives
        The sets.
    title, line : str
        Title of the page, and the table, the target and the size in one line.
    asked : sequence of (str, str)
        Headings and values that describe the request.
    remarks : sequence of Remark
        Warnings and notes.
    provenance : Provenance, default=None
        How it was made.

    Returns
    -------
    html : str
        The page.
    """
    found, core = alternatives.found, set(alternatives.found.core)
    chips = [Chip(str(found.names[j]), *(("★", "in all sets") if j in core else ())) for j in found.sets[0]]
    overview = Overview(
        title=title,
        line=line,
        chips=chips,
        caption="Best set",
        tiles=_near_tiles(found),
        alerts=[remark.text for remark in remarks if remark.warns],
        notes=[remark.text for remark in remarks if not remark.warns],
    )
    content = {"overview": overview, "asked": asked, "made": provenance or Provenance(), "classes": {}}
    content |= {"names": "".join(f"{' '.join(chip.name.splitlines())}\n" for chip in chips)}
    return render(
        "fisherset.report", "alternatives.html.j2", alternatives=alternatives, version=__version__, **content
    )


def _near_tiles(found: NearBest) -> list[Tile]:
    """Return the number of sets, and of features in all of them and in some."""
    n, k, what = len(found.sets), len(found.sets[0]), found.what
    size = f"{counted(n, 'sets')} within {100 * found.within:.6g} % of the best"
    known = "Proven: there are no others." if found.complete else "There may be more."
    core, some = len(found.core), np.count_nonzero(found.frequencies) - len(found.core)
    named = listed([str(found.names[j]) for j in found.core], 8)
    others = f"{counted(int(some), what)} in some sets take turns." if some else "No other set comes near."
    return [
        Tile("Near-best sets", size, [known], "good" if found.complete else "doubt"),
        Tile("In all sets", f"{core} of {k} {what}", [f"{named}." if named else "None."]),
        Tile("Replaceable", f"{k - core} of {k} {what}", [others]),
    ]


class Size(NamedTuple):
    """The set of one size: its features, certificate and, where rows were held out, score."""

    k: int
    names: list[str]
    objective: float
    upper_bound: float
    gap: float
    score: float | None = None  # mean over the folds
    error: float | None = None  # standard error of that

    @property
    def proven(self) -> str:
        """The share of the best F that it reaches at least."""
        return proven_share(self.gap)


class Sizes(NamedTuple):
    """Sets of several sizes, rising; all at one gamma, as F of different gammas cannot be compared."""

    rows: list[Size]
    gamma: float
    chosen: int  # the selected size
    why: str  # a sentence; empty where the size was given
    measured: str  # the name of the scores
    baseline: float | None = None  # the score of the most frequent class, or of the mean
    noun: str = "features"

    @property
    def scored(self) -> bool:
        """Whether rows were held out."""
        return self.rows[0].score is not None

    @property
    def own(self) -> Size:
        """That of the selected size."""
        return next(row for row in self.rows if row.k == self.chosen)

    @property
    def charts(self) -> list[Chart]:
        """F and its upper bound against the size, and the score on held-out rows."""
        if len(self.rows) < 2:
            return []
        ks, objectives = [row.k for row in self.rows], [row.objective for row in self.rows]
        bounds, what = [row.upper_bound for row in self.rows], f"the number of {self.noun}"
        title, note = f"F against {what}", "Line: the selected sets. Band: up to the upper bound."
        curves = [Curve(title, "F", ks, objectives, bounds, objectives, self.chosen, band=True, note=note)]
        if self.scored:
            scores = [(float(row.score or 0.0), float(row.error or 0.0)) for row in self.rows]
            means, percent = [score for score, _ in scores], self.measured == "accuracy"
            tops, bottoms = ([score + sign * error for score, error in scores] for sign in (1, -1))
            title = f"Held-out {self.measured} against {what}"
            level = "most frequent class" if percent else "mean of the target"
            note = "Cross-validated: sets and model from the other folds. Bars: standard errors."
            drawn = title, self.measured, ks, means, tops, bottoms, self.chosen, percent, False
            curves.append(Curve(*drawn, self.baseline, level, note))
        return [build_chart(curve) for curve in curves]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The sizes for JSON."""
        return [{**row._asdict(), "chosen": row.k == self.chosen} for row in self.rows]


class MethodRow(NamedTuple):
    """A method: for each size its accuracy, whether no method is clearly more accurate, and its stability."""

    title: str
    means: list[float]
    errors: list[float]  # standard deviations of the accuracy
    best: list[bool]
    stability: list[float | None]  # share of features that sets of two different halves have in common
    seconds: float | None  # mean time for all sizes


class SelectedBy(NamedTuple):
    """A feature, and the number of repeats in which each method selected it."""

    name: str
    times: list[int]


class SizeSets(NamedTuple):
    """The sets that the methods selected, of one size."""

    k: int
    overlap: list[list[float | None]]  # share of features in common; with itself a method's stability
    chance: float  # share that two random sets have in common
    features: list[SelectedBy]  # those selected most often first
    n_features: int  # that are not listed


class Compared(NamedTuple):
    """A comparison of methods, for a page.

    Attributes
    ----------
    ks : list of int
        The sizes.
    rows : list of MethodRow
        The methods.
    sets : list of SizeSets
        Their sets, for each size; none where these were not kept.
    figure : Figure
        Accuracy against size.
    repeats : int
        Number of random halves.
    k : int
        The size that the rest of the page is about.
    sentence : str
        The winner for each size, where there is one.
    """

    ks: list[int]
    rows: list[MethodRow]
    sets: list[SizeSets]
    figure: Figure
    repeats: int
    k: int
    sentence: str


def build_comparison(comparison: Comparison, names: Sequence[str], k: int) -> Compared:
    """Put a comparison together for a page.

    Parameters
    ----------
    comparison : Comparison
        From :func:`fisherset.evaluation.compare`.
    names : sequence of str
        Names of the columns.
    k : int
        The size that the rest of the page is about.

    Returns
    -------
    compared : Compared
        For a page.
    """
    titles = {method: TITLES.get(method, method) for method in comparison.accuracy}
    leaders = [comparison.leaders(size) for size in comparison.ks]
    rows = [_method(comparison, method, title, leaders) for method, title in titles.items()]
    sets = [_sets(comparison, size, names) for size in comparison.ks] if comparison.chosen else []
    figure = figure_of(
        "Accuracy against the number of features",
        ComparisonDisplay(comparison, titles),
        "Features and classifier from one random half of the rows.",
    )
    repeats = len(next(iter(comparison.accuracy.values())))
    return Compared(comparison.ks, rows, sets, figure, repeats, k, comparison.verdict())


def _method(comparison: Comparison, method: str, title: str, leaders: Sequence[list[str]]) -> MethodRow:
    means, seconds = comparison.mean(method), comparison.seconds.get(method)
    stability = comparison.stability(method) if method in comparison.chosen else np.full(means.shape, np.nan)
    return MethodRow(
        title,
        means.tolist(),
        comparison.error(method).tolist(),
        [method in best for best in leaders],
        [_known(share) for share in stability.tolist()],
        None if seconds is None else float(np.mean(seconds)),
    )


def _sets(comparison: Comparison, k: int, names: Sequence[str], most: int = 100) -> SizeSets:
    columns, times = comparison.times_chosen(k)
    overlap = [[_known(share) for share in row] for row in comparison.overlap(k).tolist()]
    listed = zip(columns[:most], times.T.tolist(), strict=False)
    features = [SelectedBy(names[j], often) for j, often in listed]
    chance = k / max(comparison.n_features, k)
    return SizeSets(k, overlap, chance, features, int(columns.size) - len(features))


def _known(share: float) -> float | None:
    return None if np.isnan(share) else float(share)
