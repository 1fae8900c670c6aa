"""Contribution of each feature of a subset, and the features outside that could replace it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._docs import documented
from fisherset._format import counted, separation
from fisherset._records import Printed, Records, Tabular, name_of
from fisherset._rounding import Value
from fisherset._threads import one_thread
from fisherset._types import Floats, Indices
from fisherset.analysis.class_parts import class_differences, class_parts, main_classes, parted_classes
from fisherset.analysis.fitted import accepts_selector
from fisherset.selection.constraints import SetArguments
from fisherset.selection.outcome import prove_units, table_bounds, warn_status
from fisherset.selection.request import PosedSubset, check_request, check_search, pose_subset
from fisherset.selectors.univariate.fisher import fisher_scores
from fisherset.solver import (
    TIE,
    Status,
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
from fisherset.statistics.measured import FitArguments
from fisherset.validation.parameters import check_flag
from fisherset.validation.targets import CLASSIFICATION

STEP = 64  # members whose correlations with all columns are held at a time
# How far gamma has to exceed the least one for a search for F after a swap to be right to all its digits.
# Below that F is computed anew for the most promising outsiders: so many of each member, and of all.
CLEAR, TRIED, TRIED_IN_ALL = 1e3, 8, 512
DROP_ACCURACY = 1e-9  # share of itself to which the loss of F must be known from one system


class _Figures(NamedTuple):
    """The numbers of an explanation, which is a tuple of them."""

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
    classes: NDArray[Any]
    class_objectives: Floats
    class_drops: Floats
    class_differences: Floats


@documented
class Explanation(Tabular, _Figures):
    """Contribution and substitutes of each feature of a subset, in column order; printed, it is a table.

    With groups there is an entry for each group, in the order of their first columns, and numbers of
    groups in that order replace column numbers.

    Attributes
    ----------
    features : ndarray of shape (k,)
        Column numbers.
    fisher_scores : ndarray of shape (k,)
        Fisher score of each feature alone, Eq. (4); for targets that are numbers or sets of labels
        the sum of its squared correlations with them. Of a group the sum over its columns.
    drops : ndarray of shape (k,)
        Loss of F when the feature is removed and not replaced. An estimate for sets of so many thousand
        features that their system does not fit into memory; NaN, with a warning, where gamma is so small
        that float64 cannot tell.
    stand_ins : ndarray of shape (k,)
        Column number of the feature outside that is most correlated with it; -1 without any. It need
        not be the best substitute.
    correlations : ndarray of shape (k,)
        Its correlation; of groups that of the most correlated pair of columns.
    objective : float
        F of the subset.
    %(gamma.used)
    in_every : ndarray of shape (k,)
        Whether the feature is proven essential: in every set of that size as good as this one. With
        `prove` only, else False.
    exchanges : ndarray of shape (k,)
        Column number of the best substitute: the feature outside with which in its place F is largest.
        -1 where nothing outside varies, for a feature that does not vary itself, for sets so large
        that their system does not fit into memory, and where gamma is so small that float64 cannot tell.
    exchanged : ndarray of shape (k,)
        F after that swap; NaN without any.
    classes : ndarray of shape (n_classes,)
        Classes; the labels of label sets; the numbers of several targets; empty for a single number.
    class_objectives : ndarray of shape (n_classes,)
        Part of F of each class, by its indicator. Their sum is F.
    class_drops : ndarray of shape (k, n_classes)
        Loss of the part of each class when the feature is removed and not replaced. Each row sums to
        its entry of `drops`.
    class_differences : ndarray of shape (k, n_classes)
        Mean of the feature in the class less its mean in the rest, in standard deviations of the
        feature, both adjusted for the confounders; for numbers their correlation. NaN for groups of
        several columns.
    """

    _labels: Sequence[Any] = ()
    _what = "features"
    _score = "Fisher score"
    _two_classes = False
    _class = ""  # before the name of a class
    _signs: NDArray[np.int_] = np.empty((0, 0), dtype=int)

    @property
    def names(self) -> list[str]:
        """Names of the features, or labels of the groups; "x0", "x1", ... where the table has none."""
        return [str(self._name(unit)) for unit in self.features.tolist()]

    @property
    def separated(self) -> list[list[tuple[Any, int]]]:
        """Classes that each feature mainly separates from the rest, the most important first.

        As few as make up two thirds of its entry of `drops`, at most three; each with 1 where the feature
        is higher in the class than in the rest, -1 where it is lower, and 0 where that is not clear by
        itself: the difference is below two standard errors, or that of a group of several columns. Of two
        classes only the one in which it is higher, or both with 0.
        """
        found, classes = [], self.classes.tolist()
        for losses, signs in zip(self.class_drops, self._signs.tolist(), strict=True):
            some = main_classes(losses)
            if self._two_classes and some:
                some = [at for at in (0, 1) if signs[at] > 0] or [0, 1]
            found.append([(classes[at], signs[at]) for at in some])
        return found

    def table(self) -> Records:
        """Rows of the printed table, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each feature: its name, F if removed, the best substitute and F if swapped, the most
            correlated feature outside and its correlation r, its own score, what it separates (see
            `separated`; "jointly" for 0), and whether it is essential where that was proven. None where
            there is no such feature.
        """
        substitutes, nearest = self.exchanges.tolist(), self.stand_ins.tolist()
        rows = [
            {
                self._what.removesuffix("s"): name,
                "F if removed": self.objective - float(self.drops[at]),
                "best substitute": self._name(substitutes[at]),
                "F if swapped": float(self.exchanged[at]),
                "most correlated": self._name(nearest[at]),
                "r": float(self.correlations[at]) if nearest[at] >= 0 else None,
                self._score: float(self.fisher_scores[at]),
                "separates": self._separates(at, some) or None,
            }
            for at, (name, some) in enumerate(zip(self.names, self.separated, strict=True))
        ]
        if not self.in_every.any():
            return rows
        return [{**row, "essential": known} for row, known in zip(rows, self.in_every.tolist(), strict=True)]

    def _separates(self, at: int, some: Sequence[tuple[Any, int]]) -> str:
        words = ("rises", "falls") if self._class else ("higher", "lower")
        named = [(f"{self._class}{label}", sign) for label, sign in some]
        known = not np.isnan(self.class_differences[at]).all()
        return separation(named, two=self._two_classes, words=words if known else None)

    def _name(self, unit: int) -> str | None:
        if unit < 0:
            return None
        return name_of(self._labels[unit] if self._labels else unit, self._what)

    def _figures(self) -> str:
        size = counted(self.features.size, self._what)
        return f"{size}, F = {self.objective:.6g}, gamma = {self.gamma:g}"

    def __repr__(self) -> str:
        return f"Explanation({self._figures()})"

    def _printed(self) -> Printed:
        formats = {"F if removed": "#.6g", "F if swapped": "#.6g", "r": ".2f", self._score: ".3g"}
        rows = [{**row, "essential": "yes" if row.get("essential") else ""} for row in self.table()]
        return Printed([self._figures()], rows, formats)


@accepts_selector
@documented
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
    """Contribution of each feature of a subset, and the features that could replace it.

    Parameters
    ----------
    %(X, y, features, gamma, standardize, sample_weight, class_weight, groups, exclude.explain)
    %(adjust_for, confounders, missing, task, max_memory)
    prove : bool, default=False
        Find out, too, which of the features no set as good can do without; it takes as long as
        `certify`. A fitted :class:`GeneralizedFisherScore` knows it of its own set: `proven_`.

    Returns
    -------
    explanation : Explanation
        Own score, loss, best swap and most correlated feature outside of each.

    See Also
    --------
    certify : How good the subset is as a whole.
    near_best : All sets that are nearly as good.

    Notes
    -----
    All swaps of one feature for another are evaluated by closed formulas. Where gamma is below the
    rounding of the products of features, these choose the few most promising for each feature, and F of
    each of them is computed from the rows. Without rows, as of a :class:`Summary`, values that are not
    known to six digits of F are NaN.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore, explain
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> selector = GeneralizedFisherScore(4).fit(X, y)
    >>> found = explain(selector, X, y)
    >>> found
    Explanation(4 features, F = 1.85647, gamma = 238.054)
    >>> for row in found.table():
    ...     print(row["feature"], f"{row['F if removed']:.3f}", row["best substitute"], row["separates"])
    pixel_2_5 1.411 pixel_4_4 5 lower, 9 higher, 6 lower
    pixel_3_2 1.408 pixel_4_4 2 lower, 3 lower, 5 higher
    pixel_5_2 1.409 pixel_1_2 5 lower, 9 lower, 6 higher
    pixel_7_4 1.429 pixel_4_4 7 lower
    >>> most = found.drops.argmax()
    >>> found.names[most], f"{found.drops[most] / found.objective:.0%} of F lost without it"
    ('pixel_3_2', '24% of F lost without it')
    """
    check_flag("prove", prove)
    arguments = FitArguments(sample_weight, class_weight, confounders, missing=missing)
    sets = SetArguments(groups, None, exclude, adjust_for)
    request = check_request(X, sets, arguments, gamma, standardize, task, max_memory)
    subset = pose_subset(request, y, features)
    k, chosen = subset.posed.k, subset.chosen
    varying = np.isin(chosen, subset.posed.units)  # a constant feature adds nothing
    drops, correlations, swapped = np.zeros(k), np.zeros(k), np.full(k, np.nan)
    nearest, swaps, in_every = np.full(k, -1), np.full(k, -1), np.zeros(k, dtype=bool)
    value = 0.0
    classes = parted_classes(subset.table)
    of_classes, class_drops = np.zeros(classes.size), np.zeros((k, classes.size))
    if varying.any():
        with one_thread():
            # where gamma is below the rounding of G, columns are shrunk so that G + gamma I can be solved
            searched = rescale(subset.posed.problem, subset.gamma, subset.columns.size)
            state = measure_subset(searched, subset.columns, subset.gamma)
            proven = prove_value(subset.posed.problem, subset.columns, subset.gamma, state)
            value = proven.stated
            drops[varying], anew = _drops(subset, state, proven)
            _, of_classes, class_drops[varying] = class_parts(subset, state, drops[varying], anew)
            nearest[varying], correlations[varying] = _most_correlated(subset)
            swaps[varying], swapped[varying] = _best_swaps(subset, state, value)
        warn_status(Status.INEXACT if proven.wrong or np.isnan(drops).any() else Status.CONVERGED)
        if prove:
            in_every = _in_every(subset)[chosen]
    alone = _alone(subset)[chosen]
    figures = chosen, alone, drops, nearest, correlations, value, subset.gamma, in_every
    constraints = subset.posed.constraints
    differences, signs = class_differences(subset)
    found = Explanation(*figures, swaps, swapped, classes, of_classes, class_drops, differences)
    found._signs, found._class = signs, "" if subset.table.classes.size else "target "
    found._two_classes = subset.table.one_class_each and classes.size == 2
    found._labels, found._what = constraints.labels, constraints.what
    found._score = "Fisher score" if subset.table.one_class_each else "sum of r\N{SUPERSCRIPT TWO}"
    return found


def _in_every(subset: PosedSubset) -> NDArray[np.bool_]:
    """Whether each unit of the table is in every set as good as the subset."""
    posed, trace = subset.posed, check_search(grading=True).trace()
    found = grade(posed.problem, posed.domain, subset.members, subset.gamma, tol=DEFAULT_TOL, trace=trace)
    return prove_units(*table_bounds(posed, found), found.objective, found.status).in_every


def _drops(subset: PosedSubset, state: Subset, whole: Value) -> tuple[Floats, NDArray[np.bool_]]:
    """Loss of F without each of the members: from one system, or one by one where that is too rough.

    NaN where float64 cannot tell. And whether each was computed by itself.
    """
    problem, units, members = subset.posed.problem, subset.posed.domain.units, subset.members
    if whole.wrong:
        return np.full(members.size, np.nan), np.ones(members.size, dtype=bool)
    drops, anew = np.full(members.size, whole.value), np.ones(members.size, dtype=bool)
    if state.problem is problem:
        drops, anew = unit_losses(state, units) / problem.n, lost_units(state, units, DROP_ACCURACY)
        if Value(state.value, state.error).rough and anew.size <= TRIED_IN_ALL:
            anew[:] = True
    for place in np.flatnonzero(anew).tolist():
        rest = prove_value(problem, units.columns(np.delete(members, place)), subset.gamma)
        drops[place] = np.nan if rest.wrong else max(whole.value - rest.value, 0.0)
    return drops, anew


def _best_swaps(subset: PosedSubset, state: Subset, value: float) -> tuple[Indices, Floats]:
    """Unit outside with which in each member's place F is largest, and F then.

    From one system; where that is too rough, F of some of them is computed anew, and there is none where
    float64 cannot tell.
    """
    posed, members = subset.posed, subset.members
    anew = rescale(posed.problem, subset.gamma / CLEAR, subset.columns.size) is not posed.problem
    tried = max(1, min(TRIED, TRIED_IN_ALL // members.size)) if anew else 1
    others, gains = best_swaps(state, posed.domain, members, tried)
    best, there = others[:, 0].copy(), others[:, 0] >= 0
    values = np.where(there, np.maximum(state.value + gains[:, 0], 0.0), np.nan)
    for place in np.flatnonzero(there & anew).tolist():
        best[place], values[place] = _best_of(subset, place, others[place], TIE * value)
    return np.where(best >= 0, posed.units[best], -1), values


def _best_of(subset: PosedSubset, place: int, others: Indices, tie: float) -> tuple[int, float]:
    """Best of some units in the place of a member, of equals the first; and F with it.

    -1 and NaN where F is not known with one of them.
    """
    rest, units = np.delete(subset.members, place), subset.posed.domain.units
    best, largest = -1, -np.inf
    for other in np.sort(others[others >= 0]).tolist():
        columns = units.columns(np.sort(np.append(rest, other)))
        found = prove_value(subset.posed.problem, columns, subset.gamma)
        if found.wrong:
            return -1, np.nan
        if found.value > largest + tie:
            best, largest = other, found.value
    return best, largest if best >= 0 else np.nan


def _alone(subset: PosedSubset) -> Floats:
    """Score of each unit of the table by itself."""
    table, problem = subset.table, subset.posed.problem
    shares = np.zeros(table.scatter.constant.size)
    shares[problem.columns] = subset.posed.shares
    if not table.one_class_each:
        scores = shares
    elif not subset.posed.adjusted:
        scores = fisher_scores(table)
    else:  # scatter between the classes over that within them, both adjusted for the confounders
        with np.errstate(divide="ignore"):
            scores = shares / np.maximum(1 - shares, 0.0)
    return np.bincount(subset.posed.constraints.codes, scores).astype(np.float64)


def _most_correlated(subset: PosedSubset) -> tuple[Indices, Floats]:
    """Unit outside with the column most correlated with one of each member's, and their correlation."""
    problem, constraints = subset.posed.problem, subset.posed.constraints
    codes, length, own = constraints.codes[problem.columns], np.sqrt(problem.diagonal), subset.columns
    outside = np.setdiff1d(np.arange(length.size), own)
    outside = outside[~np.isin(codes[outside], constraints.excluded)]
    if not outside.size:
        return np.full(subset.members.size, -1, dtype=np.intp), np.zeros(subset.members.size)
    best, strongest = [], []
    for start in range(0, own.size, STEP):
        some = own[start : start + STEP]
        # the Gram columns of the members, which F was computed from, are cached: no further pass
        correlation = problem.gram(some)[outside] / length[outside, None] / length[some]
        size = np.abs(correlation)
        at = np.argmax(size >= size.max(axis=0) - TIE, axis=0)
        best.append(codes[outside[at]])
        strongest.append(np.clip(correlation[at, np.arange(some.size)], -1.0, 1.0))
    units, correlations = np.concatenate(best), np.concatenate(strongest)
    # of the columns of a member the one with the strongest correlation counts
    first = np.lexsort([np.arange(own.size), -np.abs(correlations), codes[own]])
    _, places = np.unique(codes[own][first], return_index=True)
    return units[first[places]], correlations[first[places]]
