"""Methods side by side on a page: how accurate, how alike, how stable and how fast they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fisherset.evaluation import TITLES, Comparison
from fisherset.plots import ComparisonDisplay
from fisherset.report.pages import Figure, figure_of

MOST_NAMED = 100  # features of the methods' sets that are listed, for each size


class MethodRow(NamedTuple):
    """A method: its accuracy for each size, how stable its sets are, how long it takes.

    Attributes
    ----------
    title : str
        What it is called.
    means, errors : list of float
        Its accuracy, and the standard deviation of that, for each size.
    best : list of bool
        Whether no method is more accurate, for each size.
    stability : list of float or None
        Share of its features that its sets of two different halves have in common, for each size.
    seconds : float or None
        Mean time for all sizes.
    """

    title: str
    means: list[float]
    errors: list[float]
    best: list[bool]
    stability: list[float | None]
    seconds: float | None


class Chosen(NamedTuple):
    """A feature that some method chose: in how many repeats each of them did.

    Attributes
    ----------
    name : str
        The feature.
    times : list of int
        For each method.
    """

    name: str
    times: list[int]


class SizeSets(NamedTuple):
    """The sets of one size.

    Attributes
    ----------
    k : int
        The size.
    overlap : list of list of float or None
        Share of the features that two methods have in common; of a method with itself its stability.
    chance : float
        The share that two sets drawn by lot would have in common.
    features : list of Chosen
        The features, those chosen most often first.
    n_features : int
        How many there are, besides those listed.
    """

    k: int
    overlap: list[list[float | None]]
    chance: float
    features: list[Chosen]
    n_features: int


class Compared(NamedTuple):
    """What a page says of a comparison.

    Attributes
    ----------
    ks : list of int
        The sizes.
    rows : list of MethodRow
        The methods.
    sets : list of SizeSets
        What they chose, for each size; none where nobody kept it.
    figure : Figure
        Accuracy against size.
    repeats : int
        Random halves.
    k : int
        The size that the rest of the page is about.
    """

    ks: list[int]
    rows: list[MethodRow]
    sets: list[SizeSets]
    figure: Figure
    repeats: int
    k: int

    @property
    def sentence(self) -> str:
        """Which method is the most accurate, for each size."""
        said = []
        for at, k in enumerate(self.ks):
            best = [row for row in self.rows if row.best[at]]
            names = " and ".join(row.title for row in best[:2]) + (" and others" if len(best) > 2 else "")
            said.append(f"with {k} features {names} ({100 * best[0].means[at]:.1f} %)")
        return f"Most accurate on rows held out: {'; '.join(said)}."


def build_comparison(comparison: Comparison, names: Sequence[str], k: int) -> Compared:
    """Put together what there is to say about a comparison.

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
    means = {method: comparison.mean(method) for method in titles}
    most = np.max(list(means.values()), axis=0)
    rows = []
    for method, title in titles.items():
        known = method in comparison.chosen
        stability = comparison.stability(method).tolist() if known else [np.nan] * len(comparison.ks)
        seconds = comparison.seconds.get(method)
        rows.append(
            MethodRow(
                title,
                means[method].tolist(),
                comparison.error(method).tolist(),
                (means[method] == most).tolist(),
                [_known(share) for share in stability],
                None if seconds is None else float(np.mean(seconds)),
            )
        )
    sets = [_sets(comparison, size, names) for size in comparison.ks] if comparison.chosen else []
    figure = figure_of(
        "Accuracy against the number of features",
        lambda: ComparisonDisplay(comparison, titles).plot(),
        "Features and classifier from one random half of the rows, accuracy on the other.",
    )
    repeats = len(next(iter(comparison.accuracy.values())))
    return Compared(comparison.ks, rows, sets, figure, repeats, k)


def _sets(comparison: Comparison, k: int, names: Sequence[str]) -> SizeSets:
    columns, times = comparison.times_chosen(k)
    overlap = [[_known(share) for share in row] for row in comparison.overlap(k).tolist()]
    features = [
        Chosen(names[j], often) for j, often in zip(columns[:MOST_NAMED], times.T.tolist(), strict=False)
    ]
    chance = k / max(comparison.n_features, k)
    return SizeSets(k, overlap, chance, features, int(columns.size) - len(features))


def _known(share: float) -> float | None:
    return None if np.isnan(share) else float(share)
