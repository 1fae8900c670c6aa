"""A selection next to others: near-best sets, other sizes and other methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fisherset import NearBest, __version__
from fisherset._format import proven_share
from fisherset.evaluation import TITLES, Comparison
from fisherset.plots import AlternativesDisplay, ComparisonDisplay
from fisherset.report.features import Remark
from fisherset.report.pages import Figure, figure_of, render, short


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
        lambda: AlternativesDisplay(found).plot(),
        f"A column for each set. In blue {found.what} in all of them; below, what takes turns. To the right "
        f"the share of the sets.",
    )
    core = [str(found.names[j]) for j in found.core]
    return Alternatives(found, core, alternative_features(found), alternative_sets(found), figure)


def alternatives_page(
    alternatives: Alternatives,
    *,
    title: str,
    asked: Sequence[tuple[str, str]] = (),
    remarks: Sequence[Remark] = (),
) -> str:
    """Return the page as HTML: self-contained, with every name escaped.

    Parameters
    ----------
    alternatives : Alternatives
        The sets.
    title : str
        Title of the page.
    asked : sequence of (str, str)
        Headings and values that describe the request.
    remarks : sequence of Remark
        Warnings and notes.

    Returns
    -------
    html : str
        The page.
    """
    content = {"title": title, "asked": asked, "remarks": remarks, "version": __version__}
    return render("fisherset.report", "alternatives.html.j2", alternatives=alternatives, **content)


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
    why: str  # a sentence
    measured: str  # the name of the scores

    @property
    def scored(self) -> bool:
        """Whether rows were held out."""
        return self.rows[0].score is not None

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
        lambda: ComparisonDisplay(comparison, titles).plot(),
        "Features and classifier from one random half of the rows, accuracy on the other.",
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
