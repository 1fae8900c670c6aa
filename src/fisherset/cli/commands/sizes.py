"""The sizes that are compared where -k names several, or none: what each reaches, and why one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fisherset import selection_path
from fisherset._format import counted
from fisherset.cli.remarks import status_told_later
from fisherset.report.sizes import Size, Sizes

if TYPE_CHECKING:
    from fisherset.cli.request import Question

HELD_OUT = {"classification": "accuracy", "regression": "R²"}


@status_told_later()
def sizes_of(question: Question, selector: Any, ks: Sequence[int], solver: str) -> Sizes:
    """The sets of all sizes at the gamma of a fitted selector, which has one of them and says how it did."""
    table, gamma = question.table, float(selector.gamma_)
    more = {"task": question.task, "keep": question.kept, **question.parameters}
    path = selection_path(table.X, table.y, list(ks), gamma=gamma, solver=solver, **more)
    scores = _scores(selector)
    codes, labels = question.grouping.codes, question.grouping.labels
    own = np.flatnonzero(selector.support_)
    k = len({int(code) for code in codes[own]})
    rows = []
    for step in path:
        features = own if step.k == k else step.features
        names = [labels[code] for code in dict.fromkeys(codes[features].tolist())]
        figures = (
            (selector.objective_, selector.upper_bound_, selector.gap_)
            if step.k == k
            else (step.objective, step.upper_bound, step.gap)
        )
        rows.append(Size(step.k, names, *map(float, figures), *scores.get(step.k, (None, None))))
    sizes = Sizes(rows, gamma, k, "", HELD_OUT[question.task])
    return sizes._replace(why=_why(sizes, selector, question.grouping.noun))


def _scores(selector: Any) -> dict[int, tuple[float, float]]:
    """The best mean score over the gammas of each size, by which sizes are compared, and its error."""
    results = getattr(selector, "cv_results_", None)
    if results is None:
        return {}
    splits = np.array([values for name, values in results.items() if name.startswith("split")])
    found: dict[int, tuple[float, float]] = {}
    for k in np.unique(results["param_n_features_to_select"]).tolist():
        places = np.flatnonzero(results["param_n_features_to_select"] == k)
        best = places[np.argmax(np.round(results["mean_test_score"][places], 12))]
        spread = splits[:, best].std(ddof=1) / np.sqrt(len(splits)) if len(splits) > 1 else 0.0
        found[int(k)] = float(results["mean_test_score"][best]), float(spread)
    return found


def _why(sizes: Sizes, selector: Any, noun: str) -> str:
    """Why this size, in a sentence."""
    these = counted(sizes.chosen, noun)
    if not sizes.scored:
        return f"{these}: the most that were asked for; without rows at hand none can be held out."
    best = max(sizes.rows, key=lambda row: (round(row.score or 0.0, 12), -row.k))
    most = f"{_shown(best.score or 0.0, sizes.measured)}"
    if isinstance(selector.n_features_to_select, str) and best.k != sizes.chosen:
        return (
            f"{these}: the fewest whose {sizes.measured} on held-out rows is within one standard error "
            f"({_shown(best.error or 0.0, sizes.measured)}) of the best, {most} with {best.k}."
        )
    return f"{these}: the best {sizes.measured} on held-out rows of the sizes tried, {most}."


def _shown(score: float, measured: str) -> str:
    return f"{100 * score:.1f} %" if measured == "accuracy" else f"{score:.3f}"
