"""What a report says: the question, the certificate, each chosen feature, and pictures."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset import Explanation, FisherScore, JointRegressionScore, NearBest, __version__
from fisherset._format import certificate_sentence, counted
from fisherset._types import Indices
from fisherset.evaluation import (
    TITLES,
    Comparison,
    class_quantiles,
    correlation_matrix,
    looks_like_images,
    target_quantiles,
)
from fisherset.plots import ComparisonDisplay, CorrelationDisplay, DistributionDisplay, PixelDisplay
from fisherset.report.alternatives import Alternatives, build_alternatives
from fisherset.report.chosen import OWN_SCORES, ChosenFeature, chosen_features
from fisherset.report.pages import Figure, figure_of, render, short
from fisherset.report.remarks import Remark, proven_of, remarks_on

FIRST = 6  # features whose distributions are shown
MOST = 30  # chosen features in the heat map


class Report(NamedTuple):
    """Everything the page shows.

    Attributes
    ----------
    title : str
        The heading.
    asked : list of (str, str)
        What was asked: names and values.
    k : int
        The number of chosen features, or groups.
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
    noun : {"features", "columns", "groups"}
        What is chosen.
    task : {"classification", "regression"}
        What the target holds.
    limited, adjusted : bool
        Whether some had to be chosen or must not be, and whether something was taken out of all.
    proven : str
        What is proven of single features, in a sentence.
    alternatives : Alternatives or None
        Other sets nearly as good, where they were asked for.
    optimal : bool
        Whether the set is proven to be the best.
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
    noun: str = "features"
    task: str = "classification"
    limited: bool = False
    adjusted: bool = False
    proven: str = ""
    alternatives: Alternatives | None = None
    optimal: bool = False

    @property
    def sentence(self) -> str:
        """The certificate."""
        words: dict[str, Any] = {"limited": self.limited, "adjusted": self.adjusted, "optimal": self.optimal}
        return certificate_sentence(
            self.k, self.gap, self.upper_bound, noun=self.noun, task=self.task, **words
        )

    @property
    def alone(self) -> str:
        """What a feature by itself is measured by."""
        return OWN_SCORES[self.task]


def build_report(
    X: Any,
    y: NDArray[Any],
    names: Sequence[str],
    selector: Any,
    found: Explanation,
    *,
    title: str,
    asked: Sequence[tuple[str, str]] = (),
    comparison: Comparison | None = None,
    remarks: Sequence[Remark] = (),
    groups: Sequence[str] | None = None,
    noun: str = "features",
    task: str = "classification",
    limited: bool = False,
    adjusted: bool = False,
    alternatives: NearBest | None = None,
) -> Report:
    """Put together what there is to say about a fitted selector.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples it was fitted on.
    y : ndarray of shape (n_samples,)
        Their class labels, or numbers.
    names : sequence of str
        Names of the columns.
    selector : GeneralizedFisherScore or JointRegressionScore
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
    groups : sequence of str, default=None
        The group of each column, where the selector chose groups.
    noun : {"features", "columns", "groups"}, default="features"
        What was chosen.
    task : {"classification", "regression"}, default="classification"
        What the target holds.
    limited, adjusted : bool, default=False
        Whether some had to be chosen or must not be, and whether something was taken out of all.
    alternatives : NearBest, default=None
        Other sets nearly as good, from :func:`fisherset.near_best`.

    Returns
    -------
    report : Report
        For :func:`report_page`.
    """
    names = [short(name) for name in names]
    labels = names if groups is None else [short(label) for label in dict.fromkeys(groups)]
    number = {label: code for code, label in enumerate(dict.fromkeys(groups or ()))}
    codes = np.arange(len(names)) if groups is None else np.array([number[label] for label in groups])
    order = found.features[np.argsort(selector.ranking_[found.features])]
    adjusted = getattr(selector, "adjust_for", None) is not None
    shown = _Shown(X, y, names, codes, order, found, task, adjusted)
    return Report(
        title,
        list(asked),
        int(order.size),
        selector.objective_,
        selector.upper_bound_,
        selector.gap_,
        chosen_features(selector, found, labels, np.bincount(codes).tolist()),
        _figures(shown, comparison),
        comparison,
        [*remarks, *remarks_on(selector)],
        noun,
        task,
        limited,
        adjusted,
        proven_of(selector, noun),
        None if alternatives is None else build_alternatives(alternatives),
        selector.optimal_,
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


class _Shown(NamedTuple):
    """What the pictures are of."""

    X: Any
    y: NDArray[Any]
    names: Sequence[str]
    codes: Indices  # the group of each column
    order: Indices
    found: Explanation
    task: str
    adjusted: bool  # whether confounders were taken out, which the pictures do not do

    @property
    def caveat(self) -> str:
        """What to say of a picture of the table where the selector saw something else."""
        return " All as they stand in the table, not adjusted." if self.adjusted else ""

    def columns(self, groups: Any) -> Indices:
        """All columns of some groups, in their order."""
        return np.concatenate([np.flatnonzero(self.codes == group) for group in groups])


def _figures(shown: _Shown, comparison: Comparison | None) -> list[Figure]:
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
    if looks_like_images(shown.X):
        mean, chosen = np.asarray(shown.X.mean(axis=0)).ravel(), shown.columns(shown.order)
        figures.append(figure_of("The chosen pixels", lambda: PixelDisplay(mean, chosen).plot()))
    return [*figures, _distributions(shown), _correlations(shown)]


def _distributions(shown: _Shown) -> Figure:
    """The first features in each class, or from low to high target; of a group the one that tells most."""
    groups = [shown.columns([group]) for group in shown.order[:FIRST]]
    columns = [_foremost(shown, some) for some in groups]
    names = [shown.names[j] for j in columns]
    note = "Lines from 5 to 95 % of the rows{}, bars for the middle half, a mark for the median."
    if any(some.size > 1 for some in groups):
        note += " Of features that are chosen together, the one that by itself tells most is shown."
    if shown.task == "regression":
        spread = target_quantiles(shown.X, shown.y, columns)
        title, where = "The first features from low to high target", "with a target of"
        note = "A row for each fifth of the rows by their target. " + note.format(" of a fifth")
    else:
        spread = class_quantiles(shown.X, shown.y, columns)
        title, where, note = "The first features in each class", "in class", note.format(" of a class")
    if any(spread.shares):
        note += " Of noughts and ones, a bar for the share of ones."
    parts = spread.values, names, spread.classes, spread.shares, where
    return figure_of(title, lambda: DistributionDisplay(*parts).plot(), note + shown.caveat)


def _foremost(shown: _Shown, columns: Indices) -> int:
    """The column of a group that is best alone."""
    if columns.size == 1:
        return int(columns[0])
    one: Any = FisherScore(1) if shown.task == "classification" else JointRegressionScore(1, tol=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some are constant is no concern here
        return int(columns[one.fit(shown.X[:, columns], shown.y).ranking_.argmin()])


def _correlations(shown: _Shown) -> Figure:
    found = shown.found
    chosen = shown.columns(shown.order)[:MOST]
    first = np.unique(shown.codes[chosen])
    outside = found.stand_ins[np.isin(found.features, first) & (found.stand_ins >= 0)]
    others = np.setdiff1d(outside, first)
    beside = shown.columns(others)[:MOST] if others.size else others
    columns = np.concatenate([chosen, beside])
    matrix = correlation_matrix(shown.X, columns)
    note = f"The first {counted(chosen.size, 'features')} chosen, best first, then their stand-ins."
    return figure_of(
        "Correlations of the chosen features and their stand-ins",
        lambda: CorrelationDisplay(matrix, [shown.names[j] for j in columns]).plot(),
        note + shown.caveat,
    )
