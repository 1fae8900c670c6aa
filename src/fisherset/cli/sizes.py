"""Sets of several sizes: the size that held-out rows favour, and those around a given one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
    selection_path,
)
from fisherset._format import counted
from fisherset.cli.request import Request
from fisherset.cli.terminal import status_shown_later
from fisherset.report.comparisons import Size, Sizes

# With the size and gamma given, or cross-validated.
SELECTORS: dict[str, tuple[Any, Any]] = {
    "classification": (GeneralizedFisherScore, GeneralizedFisherScoreCV),
    "regression": (JointRegressionScore, JointRegressionScoreCV),
}
SCORES = {"classification": "accuracy", "regression": "R²"}  # on held-out rows, of a linear model
SCORERS = {"classification": "accuracy", "regression": None}  # their names in Python
# Sizes around a given one, as shares of it, for the curves of a page; where they cost little: values of a
# table whose rows are held out in turns, and candidates times the largest size.
NEARBY = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0)
SCORED_VALUES, PATH_CELLS = 10_000_000, 1_000_000


@status_shown_later()
def fitted(request: Request, k: int | str | list[int], gamma: float | str, solver: str, **limits: Any) -> Any:
    """Return the fitted selector, with gamma and the size cross-validated where that is requested.

    Where both are requested, the size is cross-validated at the gamma that was found first, so that all
    sizes have the score of one linear model. Where no rows can be held out, the largest of several sizes is
    taken. Limits of the search are for a selector that is given both.
    """
    y, (selector, search) = request.table.y, SELECTORS[request.task]
    parameters = {"solver": solver, "keep": request.kept, **request.parameters}
    if isinstance(k, list) and y is None and gamma != "auto":
        k = k[-1]
    if isinstance(k, int) and gamma != "auto":
        return selector(k, gamma=gamma, **parameters, **limits).fit(request.measured)
    if y is None:
        raise ValueError(
            f"auto needs all rows of {request.table.path.name} in memory. Give a number for -k and --gamma."
        )
    del parameters["max_memory"]
    rows = {"X": request.table.X, "y": y, "confounders": request.table.confounders}
    if gamma == "auto":
        found = search(k, **parameters).fit(**rows)
        if isinstance(k, int):
            return found
        gamma = float(found.gamma_)
    return search(k, gammas=[gamma], scoring=SCORERS[request.task], **parameters).fit(**rows)


@status_shown_later()
def nearby_sizes(request: Request, selector: Any, k: int) -> Sizes | None:
    """Return sets of sizes around that of a fitted selector, with scores; None where they would cost much."""
    ks = sorted({min(max(1, len(request.keep), round(k * share)), request.n_candidates) for share in NEARBY})
    ks = sorted({*ks, k})
    if not request.table.in_memory or request.n_candidates * ks[-1] > PATH_CELLS:
        return None
    search = None
    if request.table.n_rows * len(request.table.features) <= SCORED_VALUES:
        with suppress(ValueError):  # too few rows of a class to hold some out
            search = fitted(request, ks, float(selector.gamma_), "joint")
    return compared_sizes(request, selector, ks, "joint", search, chosen=False)


@status_shown_later()
def compared_sizes(
    request: Request, selector: Any, ks: Sequence[int], solver: str, search: Any = None, chosen: bool = True
) -> Sizes:
    """Return the sets of all sizes at the gamma of a fitted selector, which has one of them.

    Scores are those of `search`, or of the selector, where it chose the size itself.
    """
    gamma = float(selector.gamma_)
    parameters = {"task": request.task, "keep": request.kept, **request.parameters}
    path = selection_path(request.measured, None, list(ks), gamma=gamma, solver=solver, **parameters)
    scores, codes, labels = _scores(search or selector), request.grouping.codes, request.grouping.labels
    own = np.flatnonzero(selector.support_)
    k = len(np.unique(codes[own]))
    rows = []
    for step in path:
        features, figures = step.features, (step.objective, step.upper_bound, step.gap)
        if step.k == k:
            features, figures = own, (selector.objective_, selector.upper_bound_, selector.gap_)
        names = [labels[code] for code in dict.fromkeys(codes[features].tolist())]
        rows.append(Size(step.k, names, *map(float, figures), *scores.get(step.k, (None, None))))
    sizes = Sizes(rows, gamma, k, "", SCORES[request.task], _baseline(request), request.grouping.noun)
    return sizes._replace(why=_why(sizes, selector, request.grouping.noun) if chosen else "")


def _scores(selector: Any) -> dict[int, tuple[float, float]]:
    """Return the best mean score over the gammas for each size, and its standard error."""
    results = getattr(selector, "cv_results_", None)
    if results is None:
        return {}
    splits = np.array([values for name, values in results.items() if name.startswith("split")])
    found: dict[int, tuple[float, float]] = {}
    for k in np.unique(results["param_n_features_to_select"]).tolist():
        places = np.flatnonzero(results["param_n_features_to_select"] == k)
        # rounded as the search compares them: equal scores differ in their last digits
        best = places[np.argmax(np.round(results["mean_test_score"][places], 12))]
        error = splits[:, best].std(ddof=1) / np.sqrt(len(splits)) if len(splits) > 1 else 0.0
        found[int(k)] = float(results["mean_test_score"][best]), float(error)
    return found


def _why(sizes: Sizes, selector: Any, noun: str) -> str:
    """Return the reason for the selected size, a sentence."""
    these, measured = counted(sizes.chosen, noun), sizes.measured
    if not sizes.scored:
        return f"{these}: the most that were requested; without rows in memory none can be held out."
    best = max(sizes.rows, key=lambda row: (round(row.score or 0.0, 12), -row.k))
    score, error = (
        f"{100 * value:.1f} %" if measured == "accuracy" else f"{value:.3f}"
        for value in (best.score or 0.0, best.error or 0.0)
    )
    if isinstance(selector.n_features_to_select, str) and best.k != sizes.chosen:
        return (
            f"{these}: the fewest whose {measured} on held-out rows is within one standard error "
            f"({error}) of the best, {score} with {best.k}."
        )
    return f"{these}: the best {measured} on held-out rows of the sizes tried, {score}."


def _baseline(request: Request) -> float | None:
    """Return the score without any feature: of the most frequent class, or of the mean."""
    if request.task == "regression":
        return 0.0
    y = request.table.y
    return None if y is None else float(np.unique(y, return_counts=True)[1].max() / len(y))
