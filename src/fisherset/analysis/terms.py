"""C and G of a subset and of the best others: all that F of any set among them depends on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._docs import documented
from fisherset._threads import one_thread
from fisherset._types import Floats, Indices
from fisherset.analysis.fitted import accepts_selector
from fisherset.selection.constraints import SetArguments
from fisherset.selection.request import PosedSubset, check_request, pose_subset
from fisherset.solver import best_swaps, measure_subset, outsider_gains, without
from fisherset.solver.problem import largest_system
from fisherset.solver.proof import tangent_from_weights
from fisherset.solver.ridge import ridge_on
from fisherset.statistics.measured import FitArguments
from fisherset.validation.parameters import check_integer, shown
from fisherset.validation.targets import CLASSIFICATION
from fisherset.validation.weights import check_relaxed_weights

# Share of gamma up to which the bound on the rounding of a product of two columns may come. The rounding
# itself is far smaller: F of a set, solved in plain double precision, is then right to ten digits or more.
CLEAR = 1e-6
FEWEST = 10  # others without which there is little to ask
WEIGHED = 2000  # columns with a relaxed weight up to which one more system for the bounds is cheap


class CriterionTerms(NamedTuple):
    """The terms of F(A) = tr(C_A' (G_AA + gamma I)^-1 C_A) / n for the sets of some features, or groups.

    Attributes
    ----------
    units : ndarray of shape (n_units,)
        Column numbers, or with groups numbers of groups: the subset in column order, then the others, the
        most promising first.
    n_members : int
        Number of those that are the subset.
    sizes : ndarray of shape (n_units,)
        Number of columns of each.
    C : ndarray of shape (n_columns, rank)
        X'H of their columns, one unit after the other; zero for constant columns.
    G : ndarray of shape (n_columns, n_columns)
        X'X of their columns, adjusted for confounders where there are some.
    gamma, n : float
        The regulariser and the total weight of the samples.
    bounds : ndarray of shape (n_units + 1,)
        Upper bounds on F over all sets of 0, 1, ... features of the whole table under the constraints of
        the call; inf where none is known.
    complete : bool
        Whether no feature that may be selected is missing.
    lacking : str
        Why there are no terms, a sentence; empty where there are.
    """

    units: Indices
    n_members: int
    sizes: Indices
    C: Floats
    G: Floats
    gamma: float
    n: float
    bounds: Floats
    complete: bool
    lacking: str = ""

    def __repr__(self) -> str:
        if self.lacking:
            return f"CriterionTerms({self.lacking})"
        others = self.units.size - self.n_members
        return f"CriterionTerms({self.n_members} selected, {others} others, gamma = {self.gamma:.6g})"

    def objective(self, places: Any) -> float:
        """Return F of a set of the units.

        Parameters
        ----------
        places : array-like of int
            Their places in `units`.

        Returns
        -------
        value : float
            F of the set.
        """
        if self.lacking:
            raise ValueError(f"There are no terms: {self.lacking}")
        n_units, found = self.sizes.size, np.asarray(places)
        whole = found.dtype.kind in "iu" or found.size == 0
        if found.ndim != 1 or not whole or not np.isin(found, np.arange(n_units)).all():
            raise ValueError(f"places must be whole numbers from 0 to {n_units - 1}; got {shown(places)}.")
        columns = np.flatnonzero(np.repeat(np.isin(np.arange(n_units), found), self.sizes))
        C, M = self.C[columns], self.G[np.ix_(columns, columns)] + self.gamma * np.eye(columns.size)
        return float(np.vdot(C, np.linalg.solve(M, C)) / self.n)


@accepts_selector
@documented
def criterion_terms(
    X: Any,
    y: Any,
    features: Any,
    *,
    gamma: float | str = "scale",
    standardize: bool = True,
    sample_weight: Any = None,
    class_weight: Any = None,
    groups: Any = None,
    keep: Any = None,
    exclude: Any = None,
    adjust_for: Any = None,
    confounders: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
    weights: Any = None,
    n_others: int = 200,
    max_numbers: int = 48_000,
) -> CriterionTerms:
    """C and G of a subset and of the best features outside, to evaluate changes of it elsewhere.

    Parameters
    ----------
    %(X, y, features, gamma, standardize, sample_weight, class_weight, groups, keep, exclude, adjust_for)
    %(confounders, missing, task, max_memory)
    weights : array-like of shape (n_features,) or (n_groups,), default=None
        Relaxed weights, as `scores_` of a selector: features with large ones are among the others, and the
        bounds are tightest near them.
    n_others : int, default=200
        Largest number of features, or groups, outside the subset.
    max_numbers : int, default=48000
        Largest number of entries of C and of the lower triangle of G together.

    Returns
    -------
    terms : CriterionTerms
        Of the subset and of those outside that are best to swap for a member or to add.

    See Also
    --------
    explain : The best swap of each member.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore, criterion_terms
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = GeneralizedFisherScore(4).fit(X, y)
    >>> terms = criterion_terms(selector, X, y)
    >>> round(selector.objective_, 4), round(terms.objective([0, 1, 2, 3]), 4)
    (1.4913, 1.4913)
    >>> round(terms.objective([0, 1, 2]), 4)  # without the last of them
    1.3627
    """
    n_others = check_integer("n_others", n_others, least=1)
    max_numbers = check_integer("max_numbers", max_numbers, least=1)
    arguments = FitArguments(sample_weight, class_weight, confounders, missing=missing)
    sets = SetArguments(groups, keep, exclude, adjust_for)
    request = check_request(X, sets, arguments, gamma, standardize, task, max_memory)
    if weights is not None:
        weights = check_relaxed_weights(weights, len(request.constraints.labels))
    subset = pose_subset(request, y, features)
    relaxed = _relaxed(subset, weights)
    lacking = _lacking(subset, max_numbers)
    if lacking:
        empty, none, n = np.empty(0, dtype=np.intp), np.empty((0, 0)), subset.posed.problem.n
        return CriterionTerms(empty, 0, empty, none, none, subset.gamma, n, np.empty(0), False, lacking)
    with one_thread():
        others = _others(subset, relaxed, n_others, max_numbers)
        return _terms(subset, others, relaxed)


def _relaxed(subset: PosedSubset, weights: Floats | None) -> Floats:
    """Relaxed weights of the units of the problem: those given, or the subset itself."""
    if weights is None:
        relaxed = np.zeros(subset.posed.units.size)
        relaxed[subset.members] = 1.0
        return relaxed
    relaxed = weights[subset.posed.units]
    relaxed[subset.posed.domain.excluded] = 0.0
    return relaxed


def _numbers(n_columns: int, rank: int) -> int:
    """Entries of C, in a basis of its rows, and of the lower triangle of G."""
    return n_columns * (n_columns + 1) // 2 + n_columns * min(rank, n_columns)


def _lacking(subset: PosedSubset, max_numbers: int) -> str:
    """Why no terms can be given; empty where they can."""
    problem, constraints, columns = subset.posed.problem, subset.posed.constraints, subset.columns
    n_columns = int(constraints.sizes[subset.chosen].sum())
    if _numbers(n_columns + FEWEST, problem.C.shape[1]) > max_numbers or columns.size > largest_system(
        problem
    ):
        return f"The set of {n_columns} columns is too large for it."
    if _rough(subset)[subset.members].any():
        return f"With gamma = {subset.gamma:.3g}, double precision is not enough for it."
    return ""


def _rough(subset: PosedSubset) -> NDArray[np.bool_]:
    """Whether rounding hides a column of each unit of the problem, or may come near gamma."""
    rounding = subset.posed.problem.rounding
    rough = rounding.unknown | (rounding.unit * rounding.lengths**2 > CLEAR * subset.gamma)
    return subset.posed.domain.units.most(rough.astype(np.float64)) > 0


def _others(subset: PosedSubset, relaxed: Floats, n_others: int, max_numbers: int) -> Indices:
    """Units of the problem outside the subset, the most promising first, as many as there is space for."""
    problem, domain, members = subset.posed.problem, subset.posed.domain, subset.members
    if not members.size:  # of constant features nothing can be swapped
        order = without(domain.units.size, domain.excluded)
        order = order[np.argsort(-relaxed[order], kind="stable")]
    else:
        state = measure_subset(problem, subset.columns, subset.gamma)
        swaps, movable = best_swaps(state, domain, members), domain.movable(members)
        # the best substitute of each member, unless these are too many
        best = swaps.units[movable, 0][np.argsort(-swaps.gains[movable, 0], kind="stable")]
        first = np.array(list(dict.fromkeys(best[best >= 0].tolist()))[: n_others // 2], dtype=np.intp)
        # then those that are high in one of three orders, in turns
        found = outsider_gains(state, domain, members)
        places = np.empty((3, found.units.size))
        for row, values in enumerate((found.swapped, found.added, relaxed[found.units])):
            places[row, np.argsort(-values, kind="stable")] = np.arange(found.units.size)
        rest = found.units[np.argsort(places.min(axis=0), kind="stable")]
        order = np.concatenate([first, rest[~np.isin(rest, first)]])
    return _fitting(subset, order[~_rough(subset)[order]], n_others, max_numbers)


def _fitting(subset: PosedSubset, order: Indices, n_others: int, max_numbers: int) -> Indices:
    """The first units of an order whose terms fit into so many numbers; a large group is left out."""
    rank = subset.posed.problem.C.shape[1]
    n_columns = int(subset.posed.constraints.sizes[subset.chosen].sum())
    taken: list[int] = []
    for unit, size in zip(order.tolist(), subset.posed.domain.units.sizes[order].tolist(), strict=True):
        if len(taken) == n_others:
            break
        if _numbers(n_columns + size, rank) <= max_numbers:
            taken.append(unit)
            n_columns += size
    return np.array(taken, dtype=np.intp)


def _terms(subset: PosedSubset, others: Indices, relaxed: Floats) -> CriterionTerms:
    """C and G of the subset, constant units included, and of the others."""
    posed, constraints = subset.posed, subset.posed.constraints
    problem = posed.problem
    units = np.concatenate([subset.chosen, posed.units[others]])
    in_table = [np.flatnonzero(constraints.codes == unit) for unit in units]
    columns = np.concatenate(in_table)
    place = np.full(constraints.codes.size, -1)
    place[problem.columns] = np.arange(problem.columns.size)
    places = place[columns]
    varying = np.flatnonzero(places >= 0)
    C = np.zeros((columns.size, problem.C.shape[1]))
    C[varying] = problem.C[places[varying]]
    if C.shape[1] > C.shape[0]:  # F depends on C C' alone
        C = np.linalg.qr(C.T)[1].T
    G = np.zeros((columns.size, columns.size))
    order = np.sort(places[varying])
    block = problem.gram(order, rows=order)
    at = np.searchsorted(order, places[varying])
    G[np.ix_(varying, varying)] = block[np.ix_(at, at)]
    G = (G + G.T) / 2
    sizes = np.array([some.size for some in in_table], dtype=np.intp)
    bounds = _bounds(subset, relaxed, units.size)
    outside = posed.units.size - posed.domain.excluded.size - subset.members.size
    complete = others.size == outside
    return CriterionTerms(units, subset.chosen.size, sizes, C, G, subset.gamma, problem.n, bounds, complete)


def _bounds(subset: PosedSubset, relaxed: Floats, most: int) -> Floats:
    """Upper bounds over the sets of 0, 1, ... units of the table: from the tangent of F at the weights."""
    posed, gamma = subset.posed, subset.gamma
    problem, domain = posed.problem, posed.domain
    bounds = np.full(most + 1, problem.ceiling)
    q = domain.units.spread(relaxed)
    A = np.flatnonzero(q > 0)
    if 0 < A.size <= WEIGHED:
        tangent = tangent_from_weights(problem, domain, gamma, *ridge_on(problem, A, gamma).weights(q[A]))
        # constant units that are required count, and add nothing: the bounds hold all the more
        bounds = np.minimum(bounds, tangent.bounds(domain, most))
    bounds[0] = 0.0
    return bounds
