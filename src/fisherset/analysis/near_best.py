"""All sets nearly as good as the best one: what can be replaced, by what, and what cannot."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fisherset._memory import in_bytes
from fisherset._types import Indices
from fisherset.analysis.certificate import MAX_ITER
from fisherset.analysis.replacements import NearBest
from fisherset.selection.constraints import Choice, Posed
from fisherset.selection.gamma import resolve_gamma
from fisherset.selection.outcome import warn_status
from fisherset.selection.problem import measure_table, memory_for, pose_problem
from fisherset.selection.request import check_asked
from fisherset.solver import Status, Trace, mask_of, near_best_sets, without
from fisherset.statistics.measured import Beside, Measured
from fisherset.validation import features as check
from fisherset.validation import parameters as parameter
from fisherset.validation.targets import CLASSIFICATION


def near_best(
    X: Any,
    y: Any,
    k: int | float | None,
    *,
    gamma: float | str = "scale",
    within: float = 0.01,
    max_sets: int = 1000,
    time_limit: float | None = None,
    standardize: bool = True,
    sample_weight: Any = None,
    groups: Any = None,
    keep: Any = None,
    exclude: Any = None,
    class_weight: Any = None,
    adjust_for: Any = None,
    confounders: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
) -> NearBest:
    """All sets of k features that are nearly as good as the best one.

    For whoever must do without a feature, such as a gene without a good probe or a sensor that is
    too dear: which features are in every good set, and which others can stand in for the rest.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
        The samples, or a table from `scan`, or a :class:`Summary`.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Their class labels, sets of labels, or numbers; None for a table, which brings its own.
    k : int or float
        How many features the sets have; a float in (0, 1) is a share of them, None half.
    gamma : float or "scale", default="scale"
        The regulariser, as in :class:`GeneralizedFisherScore`.
    within : float, default=0.01
        The sets reach at least `1 - within` times the F of the best one; 0 for those as good as it.
    max_sets : int, default=1000
        Most sets that are listed. Where there are more, the best of those found are, and
        `complete` is False.
    time_limit : float, default=None
        Seconds after which the search stops with what it has; None for no limit.
    standardize : bool, default=True
        Scale the features to standard deviation 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    groups, keep, exclude, class_weight, adjust_for, confounders, missing
        As in :class:`GeneralizedFisherScore`: the sets are those they allow. With `groups` the sets
        are of groups, by their numbers in the order of their first columns.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
    max_memory : int or str, default=None
        As in :class:`GeneralizedFisherScore`.

    Returns
    -------
    found : NearBest
        With `sets`, `objectives`, `complete`, `core`, `frequencies` and `stand_ins`; printed, it
        is a few sentences.

    See Also
    --------
    GeneralizedFisherScore : Look for the best set alone.
    explain : What each feature of one set contributes.

    Notes
    -----
    A constant feature is in a set only where `keep` names it or there are too few that vary, as in
    the selectors; which constant ones fill up the sets then makes no difference, and the first are
    listed, with a warning. Values that differ by rounding alone count as equal.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import near_best
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = near_best(X, y, 5, within=0.03)
    >>> len(found.sets), found.complete
    (4, True)
    >>> X.columns[found.core].tolist()
    ['alcohol', 'proline']
    >>> [X.columns[j] for j in found.stand_ins[10]]  # of the hue
    ['flavanoids', 'color_intensity', 'od280/od315_of_diluted_wines']
    """
    within = parameter.check_share("within", within)
    max_sets = parameter.check_integer("max_sets", max_sets, least=1)
    seconds = parameter.check_limit("time_limit", time_limit)
    limit = parameter.check_memory(max_memory)
    sets = {"groups": groups, "keep": keep, "exclude": exclude, "adjust_for": adjust_for}
    X, names, _, choice = check_asked(X, gamma, standardize, missing, task, **sets)
    count = choice.count(k, "k")
    beside = Beside(sample_weight, class_weight, confounders, choice.adjusted, missing, limit)
    table = measure_table(X, y, names, beside, task)
    problem = pose_problem(table, standardize, choice.most_columns(count))
    posed = choice.posed(problem, count)
    number = resolve_gamma(gamma, problem, posed.domain)
    trace = Trace(max_iter=MAX_ITER, time_limit=seconds)
    found = near_best_sets(problem, posed.domain, number, within=within, max_sets=max_sets, trace=trace)
    filled = _filling(choice, posed, count)
    constant = ~mask_of(len(choice.labels), posed.units)
    unasked = mask_of(constant.size, np.setdiff1d(filled, choice.required))
    check.warn_constant(constant, unasked, choice.what, "k")
    if found.status is Status.MEMORY:
        warnings.warn(_out_of_memory(table, found.n_columns), ConvergenceWarning, stacklevel=2)
    else:
        warn_status(found.status)
    return NearBest(
        sets=[np.union1d(posed.units[units], filled).tolist() for units in found.sets],
        objectives=found.values,
        complete=found.complete,
        within=within,
        upper_bound=found.upper_bound,
        gamma=number,
        status=found.status,
        names=list(choice.labels),
        kept=np.union1d(choice.required, filled).tolist(),
        n_constant=int(np.setdiff1d(np.flatnonzero(constant), choice.excluded).size),
        n_filled=int(np.count_nonzero(unasked)),
        task=task,
        what=choice.what,
        limited=bool(choice.required.size + choice.excluded.size),
        adjusted=bool(choice.adjusted.size) or confounders is not None,
    )


def _out_of_memory(table: Measured, n_columns: int) -> str:
    """Memory that a search among so many columns needs, and how to allow it."""
    needed = memory_for(table, n_columns)
    if needed is None:
        return (
            f"near-best sets may hold any of {n_columns} columns, too many to search without rows in memory: "
            "only the best set found is listed. Lower within, raise gamma, or exclude columns."
        )
    return (
        f"near-best sets may hold any of {n_columns} columns, among which exact search needs "
        f"{in_bytes(needed)}: only the best set found is listed. Pass max_memory={needed}, lower within, or "
        "exclude columns."
    )


def _filling(choice: Choice, posed: Posed, k: int) -> Indices:
    """The constant units in every set: what is kept, and the first others where too few vary."""
    constant = np.setdiff1d(without(len(choice.labels), posed.units), choice.excluded)
    kept = np.intersect1d(constant, choice.required)
    others = np.setdiff1d(constant, kept)
    return np.union1d(kept, others[: k - posed.domain.m - kept.size])
