"""The report: a selection with its certificate, features, pictures and provenance on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset import Explanation, NearBest, __version__
from fisherset._format import certificate_sentence
from fisherset.evaluation import Comparison
from fisherset.report.comparisons import Alternatives, Compared, Sizes, build_alternatives, build_comparison
from fisherset.report.features import (
    OWN_SCORES,
    ChosenFeature,
    Remark,
    chosen_features,
    proven_of,
    remarks_on,
    shortened,
)
from fisherset.report.figures import Sample, figures_of, panels_of
from fisherset.report.pages import Downloads, Figure, build_downloads, render, short
from fisherset.report.panels import Panels
from fisherset.report.provenance import Provenance
from fisherset.report.what_if import WhatIf


class Report(NamedTuple):
    """The content of the page.

    Attributes
    ----------
    title : str
        The heading.
    asked : list of (str, str)
        The request: headings and values.
    k : int
        The number of selected features, or groups.
    objective, upper_bound, gap, optimal : float, bool
        The certificate, and whether the set is proven optimal.
    proven : str
        The sentence on single features.
    noun, task : str
        What is selected: features, columns or groups; and for classification or regression.
    limited, adjusted : bool
        Whether features were required or excluded, and whether all were adjusted for some.
    rows : list of ChosenFeature
        The features, best first.
    remarks : list of Remark
        Warnings and notes.
    figures, panels, downloads : list of Figure, Panels, Downloads
        The pictures, those of each selected feature, and the features as files.
    comparison, alternatives, sizes : Compared, Alternatives, Sizes or None
        Other methods, near-best sets, and the sizes it was compared with.
    provenance : Provenance
        How the page was made.
    classes : mapping of str to int
        The number of rows of each class.
    what_if : WhatIf or None
        The panel to change the set with.
    """

    title: str
    asked: list[tuple[str, str]]
    k: int
    objective: float
    upper_bound: float
    gap: float
    optimal: bool
    proven: str
    noun: str
    task: str
    limited: bool
    adjusted: bool
    rows: list[ChosenFeature]
    remarks: list[Remark]
    figures: list[Figure]
    panels: Panels
    downloads: Downloads
    comparison: Compared | None
    alternatives: Alternatives | None
    sizes: Sizes | None
    provenance: Provenance
    classes: Mapping[str, int]
    what_if: WhatIf | None

    @property
    def sentence(self) -> str:
        """The certificate."""
        words = {name: getattr(self, name) for name in ("noun", "task", "limited", "adjusted", "optimal")}
        return certificate_sentence(self.k, self.gap, self.upper_bound, **words)

    @property
    def alone(self) -> str:
        """The score of a feature by itself."""
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
    what_if: WhatIf | None = None,
) -> Report:
    """Put the content of a page about a fitted selector together.

    Parameters
    ----------
    X, y : {ndarray, CSR matrix} of shape (n_samples, n_features), ndarray of shape (n_samples,)
        The samples it was fitted on, or some of them, and their class labels, or numbers.
    names : sequence of str
        Names of the columns.
    selector : GeneralizedFisherScore or JointRegressionScore
        Fitted on X and y.
    found : Explanation
        Of its features, from :func:`fisherset.explain`.
    title : str
        Title of the page.
    asked : sequence of (str, str)
        The request: headings and values.
    comparison : Comparison, default=None
        With other methods.
    remarks : sequence of Remark
        Warnings and notes besides those on the selector itself.
    groups : sequence of str, default=None
        The group of each column, where the selector selected groups.
    noun, task : str, default="features", "classification"
        What was selected: features, columns or groups; and for classification or regression.
    limited, adjusted : bool, default=False
        Whether features were required or excluded, and whether all were adjusted for some.
    alternatives : NearBest, default=None
        Near-best sets, from :func:`fisherset.near_best`.
    provenance : Provenance, default=None
        How it was made; the number of all rows, where X has only some.
    compared_sizes : Sizes, default=None
        The sizes it was compared with.
    rows : sequence of ChosenFeature, default=None
        From :func:`chosen_features`, if that has been called before.
    what_if : WhatIf, default=None
        The panel to change the set with, from :func:`build_what_if`.

    Returns
    -------
    report : Report
        For :func:`report_page`.
    """
    labels = list(names) if groups is None else list(dict.fromkeys(groups))
    numbers = {label: code for code, label in enumerate(labels)}
    codes = np.arange(len(names)) if groups is None else np.array([numbers[label] for label in groups])
    order = found.features[np.argsort(selector.ranking_[found.features])]
    made, shown_names = provenance or Provenance(), [short(name) for name in names]
    gamma = selector.gamma_ * len(y) / (made.n_rows or len(y))  # of these rows, as gamma grows with n
    sample = Sample(X, y, shown_names, codes, order, task, gamma, selector)
    if rows is None:
        rows = chosen_features(selector, found, labels, np.bincount(codes).tolist())
    members = {
        labels[group]: [names[j] for j in columns]
        for group, columns in zip(order.tolist(), sample.members, strict=True)
        if columns.size > 1
    }
    certificate = {name: getattr(selector, f"{name}_") for name in ("objective", "upper_bound", "gap")}
    numbers_in_files = {**certificate, "gamma": selector.gamma_}
    classes = class_sizes(y) if task == "classification" and not made.n_rows else {}
    return Report(
        title=title,
        asked=list(asked),
        k=int(order.size),
        **certificate,
        rows=[shortened(row) for row in rows],
        figures=figures_of(sample),
        panels=panels_of(sample),
        downloads=build_downloads([row._asdict() for row in rows], members, numbers_in_files),
        comparison=None if comparison is None else build_comparison(comparison, shown_names, order.size),
        remarks=[*remarks, *remarks_on(selector)],
        noun=noun,
        task=task,
        limited=limited,
        adjusted=sample.adjusted,
        proven=proven_of(selector, noun),
        alternatives=None if alternatives is None else build_alternatives(alternatives),
        optimal=selector.optimal_,
        provenance=made,
        classes=made.classes or classes,
        sizes=compared_sizes,
        what_if=what_if,
    )


def class_sizes(y: NDArray[Any]) -> dict[str, int]:
    """Return the number of rows of each class, in sorted order.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        The class labels.

    Returns
    -------
    sizes : dict of str to int
        The number of rows.
    """
    counts = Counter(np.asarray(y).tolist())
    try:
        labels = sorted(counts)
    except TypeError:  # of several kinds
        labels = sorted(counts, key=str)
    return {str(label): counts[label] for label in labels}


def report_page(report: Report) -> str:
    """Return the page as HTML: self-contained, with every name escaped.

    Parameters
    ----------
    report : Report
        Its content.

    Returns
    -------
    html : str
        The page.
    """
    return render("fisherset.report", "report.html.j2", report=report, version=__version__)
