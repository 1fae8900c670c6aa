"""What a report says: the question, the certificate, each chosen feature, and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset import Explanation, NearBest, __version__
from fisherset._format import certificate_sentence
from fisherset.evaluation import Comparison
from fisherset.report.alternatives import Alternatives, build_alternatives
from fisherset.report.compared import Compared, build_comparison
from fisherset.report.downloads import Downloads, build_downloads
from fisherset.report.figures import Shown, figures_of, panels_of
from fisherset.report.pages import Figure, render, short
from fisherset.report.panels import Panels
from fisherset.report.provenance import Provenance
from fisherset.report.remarks import Remark, proven_of, remarks_on
from fisherset.report.selected import OWN_SCORES, ChosenFeature, chosen_features
from fisherset.report.sizes import Sizes

CERTIFICATE = ("objective", "upper_bound", "gap", "gamma")  # of a fitted selector


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
    panels : Panels
        A picture of each chosen feature.
    downloads : Downloads
        The features as files.
    comparison : Compared or None
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
    provenance : Provenance
        How the page was made.
    classes : mapping of str to int
        How many rows each class has.
    sizes : Sizes or None
        The sizes it was compared with, where it was.
    """

    title: str
    asked: list[tuple[str, str]]
    k: int
    objective: float
    upper_bound: float
    gap: float
    rows: list[ChosenFeature]
    figures: list[Figure]
    panels: Panels
    downloads: Downloads
    comparison: Compared | None = None
    remarks: Sequence[Remark] = ()
    noun: str = "features"
    task: str = "classification"
    limited: bool = False
    adjusted: bool = False
    proven: str = ""
    alternatives: Alternatives | None = None
    optimal: bool = False
    provenance: Provenance = Provenance()
    classes: Mapping[str, int] = MappingProxyType({})
    sizes: Sizes | None = None

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
    provenance: Provenance | None = None,
    compared_sizes: Sizes | None = None,
    rows: Sequence[ChosenFeature] | None = None,
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
    provenance : Provenance, default=None
        How it all was made; where X has only some of the rows it says how many there were.
    compared_sizes : Sizes, default=None
        The sizes it was compared with.
    rows : sequence of ChosenFeature, default=None
        From :func:`chosen_features`, if that has been called before.

    Returns
    -------
    report : Report
        For :func:`report_page`.
    """
    given, names = list(names), [short(name) for name in names]
    kinds = given if groups is None else list(dict.fromkeys(groups))
    number = {label: code for code, label in enumerate(kinds)} if groups is not None else {}
    codes = np.arange(len(names)) if groups is None else np.array([number[label] for label in groups])
    order = found.features[np.argsort(selector.ranking_[found.features])]
    sizes, made = np.bincount(codes).tolist(), provenance or Provenance()
    of_these_rows = selector.gamma_ * len(y) / (made.n_rows or len(y))
    shown = Shown(X, y, names, codes, order, task, of_these_rows, selector)
    whole = chosen_features(selector, found, kinds, sizes) if rows is None else rows
    together = {kinds[group]: some for group, some in zip(order.tolist(), shown.members, strict=True)}
    members = {label: [given[j] for j in some] for label, some in together.items() if some.size > 1}
    figures = {name: getattr(selector, f"{name}_") for name in CERTIFICATE}
    return Report(
        title,
        list(asked),
        int(order.size),
        selector.objective_,
        selector.upper_bound_,
        selector.gap_,
        [row.shortened() for row in whole],
        figures_of(shown),
        panels_of(shown),
        build_downloads([row._asdict() for row in whole], members, figures),
        None if comparison is None else build_comparison(comparison, names, int(order.size)),
        [*remarks, *remarks_on(selector)],
        noun,
        task,
        limited,
        shown.adjusted,
        proven_of(selector, noun),
        None if alternatives is None else build_alternatives(alternatives),
        selector.optimal_,
        made,
        made.classes or (class_sizes(y) if task == "classification" and not made.n_rows else {}),
        compared_sizes,
    )


def class_sizes(y: NDArray[Any]) -> dict[str, int]:
    """How many rows each class has, in the order in which the classes are sorted.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        The class labels.

    Returns
    -------
    sizes : dict of str to int
        For each class.
    """
    counts = Counter(np.asarray(y).tolist())
    try:
        labels = sorted(counts)
    except TypeError:  # of several kinds
        labels = sorted(counts, key=str)
    return {str(label): counts[label] for label in labels}


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
    return render("fisherset.report", "report.html.j2", report=report, version=__version__)
