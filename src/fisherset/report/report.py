"""What a report says: the question, the certificate, each chosen feature, and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset import Explanation, GeneralizedFisherScore, __version__
from fisherset._format import certificate_sentence
from fisherset.evaluation import (
    TITLES,
    Comparison,
    class_quantiles,
    correlation_matrix,
    looks_like_images,
)
from fisherset.plots import ComparisonDisplay, CorrelationDisplay, DistributionDisplay, PixelDisplay
from fisherset.report.pages import Figure, figure_of, render
from fisherset.report.remarks import Remark, remarks_on

FIRST = 6  # features whose distributions are shown
MOST = 30  # chosen features in the heat map
LONGEST = 200  # signs of a name


class ChosenFeature(NamedTuple):
    """A chosen feature: its place, weight, own Fisher score, drop in F, and strongest stand-in."""

    rank: int
    name: str
    weight: float
    fisher_score: float
    drop: float
    stand_in: str | None
    correlation: float


class Report(NamedTuple):
    """Everything the page shows.

    Attributes
    ----------
    title : str
        The heading.
    asked : list of (str, str)
        What was asked: names and values.
    k : int
        The number of chosen features.
    objective, upper_bound, gap : float
        The certificate.
    rows : list of ChosenFeature
        The features, best first.
    figures : list of Figure
        The pictures.
    comparison : Comparison or None
        With other methods, where there was one.
    remarks : sequence of Remark
        What to say beside the certificate.
    """

    title: str
    asked: list[tuple[str, str]]
    k: int
    objective: float
    upper_bound: float
    gap: float
    rows: list[ChosenFeature]
    figures: list[Figure]
    comparison: Comparison | None = None
    remarks: Sequence[Remark] = ()

    @property
    def sentence(self) -> str:
        """The certificate."""
        return certificate_sentence(self.k, self.gap, self.upper_bound)


def chosen_features(selector: Any, found: Explanation, names: Sequence[str]) -> list[ChosenFeature]:
    """The features a selector chose, best first.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.
    found : Explanation
        Of its features.
    names : sequence of str
        The names of all columns.

    Returns
    -------
    rows : list of ChosenFeature
        One for each feature.
    """
    rows = []
    for at in np.argsort(selector.ranking_[found.features]):
        j, other = int(found.features[at]), int(found.stand_ins[at])
        rows.append(
            ChosenFeature(
                int(selector.ranking_[j]),
                names[j],
                float(selector.scores_[j]),
                float(found.fisher_scores[at]),
                float(found.drops[at]),
                names[other] if other >= 0 else None,
                float(found.correlations[at]),
            )
        )
    return rows


def build_report(
    X: Any,
    y: NDArray[Any],
    names: Sequence[str],
    selector: GeneralizedFisherScore,
    found: Explanation,
    *,
    title: str,
    asked: Sequence[tuple[str, str]] = (),
    comparison: Comparison | None = None,
    remarks: Sequence[Remark] = (),
) -> Report:
    """Put together what there is to say about a fitted selector.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples it was fitted on.
    y : ndarray of shape (n_samples,)
        Their class labels.
    names : sequence of str
        Names of the columns.
    selector : GeneralizedFisherScore
        Fitted on X and y.
    found : Explanation
        What :func:`fisherset.explain` says of its features.
    title : str
        Title of the page.
    asked : sequence of (str, str)
        What was asked: headings and values.
    comparison : Comparison, default=None
        With other methods.
    remarks : sequence of Remark
        What to say beside the certificate, besides what the selector itself says.

    Returns
    -------
    report : Report
        For :func:`report_page`.
    """
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    order = found.features[np.argsort(selector.ranking_[found.features])]
    return Report(
        title,
        list(asked),
        int(order.size),
        selector.objective_,
        selector.upper_bound_,
        selector.gap_,
        chosen_features(selector, found, names),
        _figures(X, y, names, order, found, comparison),
        comparison,
        [*remarks, *remarks_on(selector)],
    )


def report_page(report: Report) -> str:
    """The page as HTML: self-contained, with every name escaped.

    Parameters
    ----------
    report : Report
        What it shows.

    Returns
    -------
    html : str
        The page.
    """
    return render("fisherset.report", "report.html.j2", report=report, version=__version__, titles=TITLES)


def _figures(
    X: Any,
    y: NDArray[Any],
    names: Sequence[str],
    order: NDArray[np.intp],
    found: Explanation,
    comparison: Comparison | None,
) -> list[Figure]:
    figures = []
    if comparison is not None:
        titles = {method: TITLES[method] for method in comparison.accuracy}
        figures.append(
            figure_of(
                "Accuracy against the number of features",
                lambda: ComparisonDisplay(comparison, titles).plot(),
                "Features and classifier from one random half of the rows, accuracy on the other.",
            )
        )
    if looks_like_images(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        figures.append(figure_of("The chosen pixels", lambda: PixelDisplay(mean, order).plot()))
    spread, first = class_quantiles(X, y, order[:FIRST]), [names[j] for j in order[:FIRST]]
    figures.append(
        figure_of(
            "The first features in each class",
            lambda: DistributionDisplay(spread.values, first, spread.classes).plot(),
            "Lines from 5 to 95 % of the rows of a class, bars for the middle half, a mark for the median.",
        )
    )
    chosen = order[:MOST]
    outside = found.stand_ins[np.isin(found.features, chosen) & (found.stand_ins >= 0)]
    shown = np.concatenate([chosen, np.setdiff1d(outside, chosen)])
    matrix = correlation_matrix(X, shown)
    figures.append(
        figure_of(
            "Correlations of the chosen features and their stand-ins",
            lambda: CorrelationDisplay(matrix, [names[j] for j in shown]).plot(),
            f"The first {chosen.size} chosen, best first, then their stand-ins.",
        )
    )
    return figures
