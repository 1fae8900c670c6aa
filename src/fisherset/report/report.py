"""The report: a selection with its certificate, features, pictures and provenance on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset import Explanation, NearBest, __version__
from fisherset._format import certificate_sentence, counted
from fisherset.evaluation import TITLES, Comparison
from fisherset.evaluation import HeldOut as Checked
from fisherset.report.classes import LossTable, class_labels, loss_table
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
from fisherset.report.figures import Pictures, Sample, panels_of, pictures_of
from fisherset.report.overview import (
    HeldOut,
    Overview,
    feature_chips,
    proof_tile,
    signal_tile,
    tiny_classes,
    winner_tile,
)
from fisherset.report.pages import Downloads, build_downloads, render, short
from fisherset.report.panels import Panels
from fisherset.report.provenance import Provenance
from fisherset.report.trust import TrustSection
from fisherset.report.what_if import WhatIf

NUMBERS = ("objective", "upper_bound", "gap", "gamma")  # of a fitted selector, for files


class Report(NamedTuple):
    """The content of the page.

    Attributes
    ----------
    overview : Overview
        The first screen.
    asked : list of (str, str)
        The request: headings and values.
    k : int
        The number of selected features, or groups.
    objective, upper_bound : float
        The certificate.
    noun, task : str
        What is selected: features, columns or groups; and for classification or regression.
    rows : list of ChosenFeature
        The features, best first.
    losses : LossTable or None
        What each class loses without each feature.
    class_labels : mapping of str to str
        Short labels of the classes.
    pictures, panels, downloads : Pictures, Panels, Downloads
        The pictures, those of each selected feature, and the features as files.
    comparison, alternatives, sizes : Compared, Alternatives, Sizes or None
        Other methods, near-best sets, and sets of other sizes.
    provenance : Provenance
        How the page was made.
    classes : mapping of str to int
        The number of rows of each class.
    what_if : WhatIf or None
        The panel to change the set with.
    trust : TrustSection or None
        Stability, permutation test and advice.
    """

    overview: Overview
    asked: list[tuple[str, str]]
    k: int
    objective: float
    upper_bound: float
    noun: str
    task: str
    rows: list[ChosenFeature]
    losses: LossTable | None
    class_labels: Mapping[str, str]
    pictures: Pictures
    panels: Panels
    downloads: Downloads
    comparison: Compared | None
    alternatives: Alternatives | None
    sizes: Sizes | None
    provenance: Provenance
    classes: Mapping[str, int]
    what_if: WhatIf | None
    trust: TrustSection | None

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
    line: str = "",
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
    ended: Sequence[Remark] | None = None,
    trust: TrustSection | None = None,
    checked: Checked | str | None = None,
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
    title, line : str
        Title of the page, and the table, the target and the size in one line.
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
        Sets of other sizes.
    rows : sequence of ChosenFeature, default=None
        From :func:`chosen_features`, if that has been called before.
    what_if : WhatIf, default=None
        The panel to change the set with, from :func:`build_what_if`.
    ended : sequence of Remark, default=None
        How the search ended and compares with chance; None for the words of :func:`remarks_on`.
    trust : TrustSection, default=None
        From :func:`build_trust`.
    checked : HeldOut or str, default=None
        From :func:`fisherset.evaluation.held_out`, or why there is none.

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
    numbers_in_files = {name: getattr(selector, f"{name}_") for name in NUMBERS}
    counts = class_sizes(y) if task == "classification" and not made.n_rows else {}
    classes = made.classes or counts
    words = {"noun": noun, "task": task, "limited": limited, "adjusted": adjusted or sample.adjusted}
    warned = [*remarks, *(remarks_on(selector) if ended is None else ended), *tiny_classes(classes)]
    held_out = _held_out(compared_sizes, comparison, int(order.size), classes, task)
    if isinstance(checked, str):
        warned.append(Remark(f"Not checked on held-out rows. {checked}", warns=False))
    elif checked is not None and comparison is None:
        held_out = HeldOut.of(checked)
    overview = _overview(selector, rows, warned, words, held_out, title, line)
    if comparison is not None:
        overview = _compared(overview, comparison, int(order.size))
    return Report(
        overview=overview,
        asked=list(asked),
        k=int(order.size),
        objective=selector.objective_,
        upper_bound=selector.upper_bound_,
        noun=noun,
        task=task,
        rows=[shortened(row) for row in rows],
        losses=loss_table(found, rows),
        class_labels=class_labels(found),
        pictures=pictures_of(sample),
        panels=panels_of(sample),
        downloads=build_downloads([row.record() for row in rows], members, numbers_in_files),
        comparison=None if comparison is None else build_comparison(comparison, shown_names, order.size),
        alternatives=None if alternatives is None else build_alternatives(alternatives),
        sizes=compared_sizes,
        provenance=made,
        classes=classes,
        what_if=what_if,
        trust=trust,
    )


def _overview(
    selector: Any,
    rows: Sequence[ChosenFeature],
    remarks: Sequence[Remark],
    words: dict[str, Any],
    held_out: HeldOut | None,
    title: str,
    line: str,
) -> Overview:
    """Put the first screen together; a set that is no better than chance is not praised."""
    noise, noun = getattr(selector, "noise_", None), words["noun"]
    chance = noise is not None and noise.chance
    optimal, gap = bool(selector.optimal_), float(selector.gap_)
    sentence = certificate_sentence(len(rows), gap, selector.upper_bound_, optimal=optimal, **words)
    proof = proof_tile(sentence, proven_of(selector, noun), optimal, gap, not chance)
    tiles = [proof, signal_tile(noise), None if held_out is None else held_out.tile]
    told = {str(noise)} - ({str(noise)} if chance else set())  # by its tile, unless it is a warning
    return Overview(
        title=f"{title}: no better than chance" if chance else title,
        line=line,
        chips=feature_chips(rows),
        caption=f"Selected {noun}{', no better than chance' if chance else ', best first'}",
        tiles=[tile for tile in tiles if tile is not None],
        alerts=[remark.text for remark in remarks if remark.warns],
        notes=[remark.text for remark in remarks if not remark.warns and remark.text not in told],
    )


def _compared(overview: Overview, comparison: Comparison, k: int) -> Overview:
    """Return the first screen of a comparison of methods, with the winner before all else."""
    caption = f"{counted(k, 'features')} selected jointly, best first"
    if k not in comparison.ks:
        return overview._replace(caption=caption)
    leaders = [TITLES.get(method, method) for method in comparison.leaders(k)]
    winner = winner_tile(comparison.verdict(), leaders, k)
    return overview._replace(caption=caption, tiles=[winner, *overview.tiles])


def _held_out(
    sizes: Sizes | None, comparison: Comparison | None, k: int, classes: Mapping[str, int], task: str
) -> HeldOut | None:
    """Return the score of the set on held-out rows, where it is known."""
    most = max(classes.values()) / sum(classes.values()) if classes else None
    baseline = 0.0 if task == "regression" else most
    if comparison is not None and "joint" in comparison.accuracy and k in comparison.ks:
        at, rival = comparison.ks.index(k), "fisher"
        others = {TITLES[rival]: float(comparison.mean(rival)[at])} if rival in comparison.accuracy else {}
        figures = float(comparison.mean("joint")[at]), float(comparison.error("joint")[at])
        return HeldOut("accuracy", *figures, baseline, others, "1-nearest-neighbour, random halves.")
    if sizes is None or sizes.own.score is None:
        return None
    how = "Linear model, cross-validated with the selection."
    return HeldOut(sizes.measured, sizes.own.score, sizes.own.error or 0.0, baseline, {}, how)


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
    about = {"overview": report.overview, "made": report.provenance, "classes": report.classes}
    return render("fisherset.report", "report.html.j2", report=report, version=__version__, **about)
