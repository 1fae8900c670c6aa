"""The solvers by name, all with one signature, and the proof of their answers, which trusts none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fisherset._rounding import Value
from fisherset._threads import one_thread
from fisherset._types import Floats, Indices
from fisherset.solver.algorithm1.cutting_plane import cutting_plane_path
from fisherset.solver.closing import LOOSE, certified_path, close_gap
from fisherset.solver.domain import Domain
from fisherset.solver.exact.enumeration import enumerate_sets, tighten
from fisherset.solver.exact.exact import exact_path
from fisherset.solver.exchange.exchange import improve
from fisherset.solver.exchange.swaps import unit_losses
from fisherset.solver.joint import SWAP_TOL
from fisherset.solver.problem import Problem, rescale, unscaled
from fisherset.solver.proof import UnitBounds, bound_units, prove_tangents, prove_value
from fisherset.solver.relaxation.relaxation import Relaxation, relax
from fisherset.solver.solution import Solution, Task, conclude
from fisherset.solver.subset import measure_subset
from fisherset.solver.trace import DEFAULT_TOL, Status, Trace

Solver = Callable[[Task], Iterator[Solution]]
SOLVERS: dict[str, Solver] = {
    "joint": certified_path,
    "cutting-plane": cutting_plane_path,
    "exact": exact_path,
}


def solve(
    solver: str,
    problem: Problem,
    domains: Sequence[Domain],
    gamma: float,
    *,
    tol: float | None,
    certified: bool = True,
    trace: Trace,
    start: Floats | None = None,
) -> Iterator[Solution]:
    """Search by a solver on a problem rescaled for float64; prove the answers on the problem itself.

    With `tol=None` the bound is the ceiling of F. Without `certified` nothing is proven: for answers that
    are used inside, not stated.
    """
    accuracy, bounded = DEFAULT_TOL if tol is None else tol, certified and tol is not None
    searched = _searchable(problem, domains, gamma)
    solutions = SOLVERS[solver](Task(searched, domains, gamma, accuracy, bounded, trace, start))
    for domain in domains:
        with one_thread():
            found = next(solutions)
            if certified and domain.m > 0:
                claims = _Claims(problem, domain, gamma, trace)
                found = claims.prove(found, searched, accuracy, exact=solver == "exact")
        yield found


def _searchable(problem: Problem, domains: Sequence[Domain], gamma: float) -> Problem:
    """The problem rescaled so that float64 can search it for sets of these domains."""
    most = max((domain.most_columns for domain in domains), default=0)
    columns = domains[0].columns if domains else slice(None)
    return rescale(problem, gamma, most, columns)


def grade(
    problem: Problem, domain: Domain, units: Indices, gamma: float, *, tol: float, trace: Trace
) -> Solution:
    """A given set of units with its certificate: a bound on F over all sets of the domain."""
    searched = _searchable(problem, [domain], gamma)
    state = measure_subset(searched, domain.units.columns(units), gamma)
    relaxation = relax(searched, domain, gamma, tol=tol, trace=trace)
    relaxation, _ = tighten(searched, domain, gamma, relaxation, state.value)
    found = conclude(searched, domain, units, state, relaxation.q, relaxation, trace)
    if found.gap > LOOSE and relaxation.tangent is not None:
        # a search needs a good set to start from: the one that a fit would find
        rounded = domain.best(relaxation.q, relaxation.tangent.g)
        better = improve(searched, domain, rounded, relaxation, gamma, tol=SWAP_TOL * tol, trace=trace)
        best = conclude(searched, domain, *better, relaxation.q, relaxation, trace)
        best = close_gap(searched, domain, gamma, best, trace)
        found = replace(best, units=units, loss=found.loss, state=state, objective=state.value)
    return _Claims(problem, domain, gamma, trace).prove(found, searched, tol)


def grade_exactly(
    problem: Problem, domain: Domain, units: Indices, gamma: float, *, tol: float, trace: Trace
) -> tuple[Solution, Solution]:
    """A given set of units with the certificate of exact search, and the best set that was found."""
    (best,) = solve("exact", problem, [domain], gamma, tol=tol, trace=trace)
    if domain.m == 0:
        return best, best
    columns = domain.units.columns(units)
    state = measure_subset(rescale(problem, gamma, columns.size, columns), columns, gamma)
    value = prove_value(problem, columns, gamma, state)
    given = replace(best, units=units, loss=unit_losses(state, domain.units), state=state)
    bounds = UnitBounds(best.with_each, best.without_each)
    return _Claims(problem, domain, gamma, trace).state(given, value, best.upper_bound, bounds), best


class _Claims(NamedTuple):
    """Claims about a solution, proven on the problem itself: what the solver says of it is not trusted."""

    problem: Problem
    domain: Domain
    gamma: float
    trace: Trace

    def prove(self, found: Solution, searched: Problem, tol: float, *, exact: bool = False) -> Solution:
        """The solution with an objective and bounds that hold for the problem, not only as `searched`.

        They may be looser than those of the search: above `tol`, or with an open gap after an exact search.
        The status says so then.
        """
        problem, domain, gamma, trace = self
        value = prove_value(problem, domain.units.columns(found.units), gamma, found.state)
        bound, bounds = found.upper_bound, UnitBounds(found.with_each, found.without_each)
        if searched is not problem or value.rough:
            proven, of_units = self._bounds(found.relaxation, searched)
            if searched is problem:  # the bounds of the search hold, too
                proven, of_units = min(proven, bound), bounds.least(of_units)
            bound, bounds = proven, of_units
        stated = self.state(found, value, bound, bounds)
        sharp = stated.upper_bound <= max(found.upper_bound, stated.objective) * (1 + tol)
        closed = stated.gap <= tol or not exact
        if not (stated.optimal or (sharp and closed)):
            trace.stopped(Status.PRECISION)
        # if the best set is proven, the tolerance of the relaxation does not matter
        solved = stated.optimal and trace.status is Status.PRECISION
        return replace(stated, status=Status.CONVERGED if solved else trace.status)

    def state(self, found: Solution, value: Value, bound: float, bounds: UnitBounds) -> Solution:
        """The solution with F of its set and bounds on all sets, none of which contradicts another."""
        problem, domain, gamma, trace = self
        rounding = problem.rounding.of(domain.columns)
        bound = min(rounding.raise_bound(bound), problem.ceiling)
        bounds = bounds.times(1 + rounding.target_scale, problem.ceiling)
        if rounding.unknown.any():
            trace.stopped(Status.UNKNOWN)
        if value.wrong:
            trace.stopped(Status.INEXACT)
        # if F is not known to six digits, a lower bound on it
        objective = float(np.clip(value.stated, 0.0, problem.ceiling))
        # if F(A) = UB in truth, rounding must not put F above it: F is right, or the status says it is not
        objective = min(objective, bound) if value.wrong else objective
        bound = max(bound, objective)
        with_each, without_each = bounds.around(found.units, domain.m, objective, bound)
        margin = rounding.margin_of_sets(domain.most_columns, gamma)
        slack = value.error / objective + margin.share(objective * problem.n) if objective > 0 else 0.0
        stated = replace(found, objective=objective, upper_bound=bound, slack=slack, status=trace.status)
        return replace(stated, with_each=with_each, without_each=without_each)

    def _bounds(self, relaxation: Relaxation, searched: Problem) -> tuple[float, UnitBounds]:
        """The bounds if those of the search are of a rescaled problem or too rough."""
        problem, domain, gamma, _ = self
        A, tangent, bound = relaxation.A, relaxation.tangent, problem.ceiling
        if tangent is None:
            return bound, bound_units(domain, bound)
        W = unscaled(searched, A, relaxation.W)
        tangents = prove_tangents(problem, domain, gamma, relaxation.q, A, W)
        bound = min([bound, *(one.bound(domain) for one in tangents)])
        bounds = bound_units(domain, bound, tangents)
        if domain.m == 1 and (tried := enumerate_sets(problem, domain, gamma, tangent, 0.0)) is not None:
            bound = min(bound, tried.upper_bound)
            bounds = bounds._replace(with_each=np.minimum(bounds.with_each, tried.with_each))
        return bound, bounds
