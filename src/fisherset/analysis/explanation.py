"""What each feature of a subset contributes, and which features outside could take its place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._rounding import Value
from fisherset._threads import one_thread
from fisherset._types import Floats, Indices
from fisherset.analysis.certificate import MAX_ITER
from fisherset.selection.noise import between_shares
from fisherset.selection.outcome import warn_status
from fisherset.selection.proven import prove_units, table_bounds
from fisherset.selection.request import AskedSubset, pose_subset
from fisherset.selectors.univariate.fisher import fisher_scores
from fisherset.solver import (
    TIE,
    Status,
    Trace,
    best_swaps,
    grade,
    lost_units,
    measure_subset,
    prove_value,
    rescale,
    unit_losses,
)
from fisherset.solver.subset import Subset
from fisherset.solver.trace import DEFAULT_TOL
from fisherset.statistics.measured import Beside
from fisherset.validation import parameters as parameter
from fisherset.validation.targets import CLASSIFICATION

STEP = 64  # members whose correlations with everything are taken at a time
# How far gamma has to stand out, more than for a search, for F after a swap to be right to all its digits;
# and where it does not: of how many outsiders F is computed anew for a member, and for all.
CLEAR, TRIED, TRIED_IN_ALL = 1e3, 8, 512
TO_NINE_DIGITS = 1e-9  # share of itself to which what F loses has to be known from one system


class Explanation(NamedTuple):
    """What `explain` found, an entry for each feature of the subset, in column order.

    With groups an entry for each group, in the order of their first columns, and numbers of groups
    in that order in place of column numbers.

    Attributes
    ----------
    features : ndarray of shape (k,)
        Column numbers.
    fisher_scores : ndarray of shape (k,)
        Fisher score of each feature alone, Eq. (4); for targets that are numbers or sets of labels
        the sum of its squared correlations with them. Of a group the sum over its columns.
    drops : ndarray of shape (k,)
        What F loses when the feature is left out and nothing takes its place. An estimate for sets
        of so many thousand features that their system cannot be held; NaN, with a warning, where gamma
        is so small that float64 cannot tell.
    stand_ins : ndarray of shape (k,)
        Column number of the feature outside that is most correlated with it; -1 without any. It need
        not be the one that serves F best in its place.
    correlations : ndarray of shape (k,)
        Its correlation; of groups that of the most correlated pair of columns.
    objective : float
        F of the subset.
    gamma : float
        The regulariser used.
    in_every : ndarray of shape (k,)
        Whether the feature is proven to be in every set of that size as good as this one; with
        `prove` only, else False.
    exchanges : ndarray of shape (k,)
        Column number of the best exchange: the feature outside with which in its place F is largest.
        -1 where nothing outside varies, for a feature that does not vary itself, for sets so large
        that their system cannot be held, and where gamma is so small that float64 cannot tell.
    exchanged : ndarray of shape (k,)
        F with that one in its place; NaN without any.
    """

    features: Indices
    fisher_scores: Floats
    drops: Floats
    stand_ins: Indices
    correlations: Floats
    objective: float
    gamma: float
    in_every: NDArray[np.bool_]
    exchanges: Indices
    exchanged: Floats


def explain(
    X: Any,
    y: Any,
    features: Any,
    *,
    gamma: float | str = "scale",
    standardize: bool = True,
    sample_weight: Any = None,
    class_weight: Any = None,
    groups: Any = None,
    exclude: Any = None,
    adjust_for: Any = None,
    confounders: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
    prove: bool = False,
) -> Explanation:
    """What each feature of a subset contributes, and what could take its place.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
        The samples, or a table from `scan`, or a :class:`Summary`.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Their class labels, sets of labels, or numbers; None for a table, which brings its own.
    features : array-like
        The subset: a mask, column numbers or column names.
    gamma : float or "scale", default="scale"
        The regulariser.
    standardize : bool, default=True
        Scale the features to standard deviation 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    class_weight, groups, exclude, adjust_for, confounders, missing
        As in :class:`GeneralizedFisherScore`; with `groups` the subset is one of whole groups, and
        what is excluded takes the place of nothing.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
    max_memory : int or str, default=None
        As in :class:`GeneralizedFisherScore`.
    prove : bool, default=False
        Find out, too, which of the features no set as good can do without; it takes as long as
        `certify`. A fitted :class:`GeneralizedFisherScore` knows it of its own set: `proven_`.

    Returns
    -------
    explanation : Explanation
        Own score, loss, best exchange and most correlated feature outside of each.

    See Also
    --------
    certify : How good the subset is as a whole.
    near_best : All sets that are nearly as good.

    Notes
    -----
    All exchanges of one feature for another are looked at, by closed formulas. Where gamma is below
    the rounding of the products of features, these choose the few most promising for each feature,
    and F of each of them is computed from the rows. Without rows, as of a :class:`Summary`, what is not
    known to six digits of F is NaN.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore, explain
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> selector = GeneralizedFisherScore(10).fit(X, y)
    >>> found = explain(X, y, selector.support_)
    >>> most = found.drops.argmax()
    >>> X.columns[found.features[most]], f"{found.drops[most] / found.objective:.1%} of F lost without it"
    ('pixel_5_2', '9.9% of F lost without it')
    >>> X.columns[found.exchanges[most]], f"{found.exchanged[most] / found.objective:.1%} kept with it there"
    ('pixel_5_3', '97.5% kept with it there')
    >>> X.columns[found.stand_ins[most]], f"the most correlated: {found.correlations[most]:.2f}"
    ('pixel_4_2', 'the most correlated: 0.63')
    """
    parameter.check_flag("prove", prove)
    limit = parameter.check_memory(max_memory)
    beside = Beside(sample_weight, class_weight, confounders, missing=missing, max_memory=limit)
    sets = {"groups": groups, "exclude": exclude, "adjust_for": adjust_for}
    asked = pose_subset(X, y, features, gamma, standardize, beside, task, **sets)
    problem, chosen, members = asked.problem, asked.chosen, asked.members
    varying = np.isin(chosen, asked.posed.units)
    drops, correlations = np.zeros(chosen.size), np.zeros(chosen.size)
    stand_ins, in_every = np.full(chosen.size, -1, dtype=np.intp), np.zeros(chosen.size, dtype=bool)
    exchanges, exchanged = stand_ins.copy(), np.full(chosen.size, np.nan)
    value = 0.0
    if varying.any():
        with one_thread():
            searched = rescale(problem, asked.gamma, asked.columns.size)
            state = measure_subset(searched, asked.columns, asked.gamma)
            proven = prove_value(problem, asked.columns, asked.gamma, state)
            value = proven.stated
            drops[varying] = _drops(asked, state, proven)
            stand_ins[varying], correlations[varying] = _stand_ins(asked, members)
            exchanges[varying], exchanged[varying] = _exchanges(asked, state, value)
        warn_status(Status.INEXACT if proven.wrong or np.isnan(drops).any() else Status.CONVERGED)
        if prove:
            in_every = _in_every(asked)[chosen]
    alone = _alone(asked)[chosen]
    found = chosen, alone, drops, stand_ins, correlations, value, asked.gamma, in_every
    return Explanation(*found, exchanges, exchanged)


def _in_every(asked: AskedSubset) -> NDArray[np.bool_]:
    """Which units of the table are in every set as good."""
    trace, domain = Trace(max_iter=MAX_ITER), asked.posed.domain
    found = grade(asked.problem, domain, asked.members, asked.gamma, tol=DEFAULT_TOL, trace=trace)
    bounds = table_bounds(asked.choice, asked.posed, found, asked.chosen.size)
    return prove_units(*bounds, found.objective, found.status).in_every


def _drops(asked: AskedSubset, state: Subset, whole: Value) -> Floats:
    """Loss of F without each of the members: from one system, or one by one where that is too rough.

    NaN where float64 cannot tell.
    """
    problem, units, gamma = asked.problem, asked.posed.domain.units, asked.gamma
    if whole.wrong:
        return np.full(asked.members.size, np.nan)
    drops, anew = np.full(asked.members.size, whole.value), np.ones(asked.members.size, dtype=bool)
    if state.problem is problem:
        drops, anew = unit_losses(state, units) / problem.n, lost_units(state, units, TO_NINE_DIGITS)
        if Value(state.value, state.error).rough and anew.size <= TRIED_IN_ALL:
            anew[:] = True
    for place in np.flatnonzero(anew).tolist():
        rest = prove_value(problem, units.columns(np.delete(asked.members, place)), gamma)
        drops[place] = np.nan if rest.wrong else max(whole.value - rest.value, 0.0)
    return drops


def _exchanges(asked: AskedSubset, state: Subset, value: float) -> tuple[Indices, Floats]:
    """Unit outside with which in each member's place F is largest, and F then.

    From one system; where that is too rough, F of some of them is computed anew, and there is none where
    float64 cannot tell.
    """
    problem, posed, members = asked.problem, asked.posed, asked.members
    anew = rescale(problem, asked.gamma / CLEAR, asked.columns.size) is not problem
    tried = max(1, min(TRIED, TRIED_IN_ALL // members.size)) if anew else 1
    others, gains = best_swaps(state, posed.domain, members, tried)
    best, there = others[:, 0].copy(), others[:, 0] >= 0
    values = np.where(there, np.maximum(state.value + gains[:, 0], 0.0), np.nan)
    for place in np.flatnonzero(there & anew).tolist():
        best[place], values[place] = _best_of(asked, place, others[place], TIE * value)
    return np.where(best >= 0, posed.units[best], -1), values


def _best_of(asked: AskedSubset, place: int, others: Indices, tie: float) -> tuple[int, float]:
    """Of some units that could take the place of a member the best, of equals the first; and F with it.

    -1 and NaN where F is not known with one of them.
    """
    rest, units = np.delete(asked.members, place), asked.posed.domain.units
    best, largest = -1, -np.inf
    for other in np.sort(others[others >= 0]).tolist():
        columns = units.columns(np.sort(np.append(rest, other)))
        found = prove_value(asked.problem, columns, asked.gamma)
        if found.wrong:
            return -1, np.nan
        if found.value > largest + tie:
            best, largest = other, found.value
    return best, largest if best >= 0 else np.nan


def _alone(asked: AskedSubset) -> Floats:
    """What each unit of the table is worth by itself."""
    table, problem = asked.table, asked.problem
    shares = np.zeros(table.scatter.constant.size)
    shares[problem.columns] = between_shares(problem)
    if not table.one_class_each:
        scores = shares
    elif len(problem.beta) == 1:
        scores = fisher_scores(table)
    else:  # what is left between the classes, over what is left inside them
        with np.errstate(divide="ignore"):
            scores = shares / np.maximum(1 - shares, 0.0)
    totals: Floats = np.bincount(asked.choice.codes, scores).astype(np.float64)
    return totals


def _stand_ins(asked: AskedSubset, members: Indices) -> tuple[Indices, Floats]:
    """Unit outside with the column most correlated with one of each member's, and their correlation."""
    problem, units = asked.problem, asked.posed.domain.units
    length = np.sqrt(problem.diagonal)
    own = units.columns(members)
    outside = np.setdiff1d(np.arange(length.size), own)
    outside = outside[~np.isin(asked.choice.codes[problem.columns[outside]], asked.choice.excluded)]
    if not outside.size:
        return np.full(members.size, -1, dtype=np.intp), np.zeros(members.size)
    best, strongest = [], []
    for start in range(0, own.size, STEP):
        some = own[start : start + STEP]
        correlation = problem.gram(some)[outside] / length[outside, None] / length[some]
        size = np.abs(correlation)
        at = np.argmax(size >= size.max(axis=0) - TIE, axis=0)
        best.append(asked.choice.codes[problem.columns[outside[at]]])
        strongest.append(np.clip(correlation[at, np.arange(some.size)], -1.0, 1.0))
    stand_ins, correlations = np.concatenate(best), np.concatenate(strongest)
    of_column = np.arange(own.size) if units.groups is None else units.groups[own]
    first = np.lexsort([np.arange(own.size), -np.abs(correlations), of_column])
    _, places = np.unique(of_column[first], return_index=True)
    return stand_ins[first[places]], correlations[first[places]]
