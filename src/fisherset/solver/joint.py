"""The joint solver: relax at m = k, round, exchange to a local optimum, certify.

Where the bound leaves room for doubt, forward selection is a second start, and all sets
are tried where they are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.exact.enumeration import tighten
from fisherset.solver.exchange.exchange import improve
from fisherset.solver.exchange.forward import most_columns, select_forward
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation.relaxation import Relaxation, relax
from fisherset.solver.solution import Solution, conclude, empty_solution, relative_gap
from fisherset.solver.trace import Trace
from fisherset.solver.units import TIE

# The share of a time limit the relaxation may take: a set improved by exchange is worth more than its bound.
RELAXING = 0.5
# A swap has to be worth this share of what the relaxation is solved to.
FINENESS = 1e-3
# The gap beyond which rounding the relaxation may have missed something: forward selection is tried too.
DOUBTFUL = 0.1
LARGEST_FACTOR = 30_000_000  # numbers of its factor, k x d, up to which it is


def joint_path(
    problem: Problem,
    domains: Sequence[Domain],
    gamma: float,
    *,
    tol: float,
    certified: bool = True,
    trace: Trace,
    start: Floats | None = None,
) -> Iterator[Solution]:
    """Solve for each domain in turn, every relaxation starting from the last one's q, the first from `start`.

    The bound of the relaxation is the certificate; without one it is solved on a pool of columns only.
    """
    q = start
    for domain in domains:
        if domain.m == 0:
            yield empty_solution(domain, trace)
            continue
        with trace.part(RELAXING):
            relaxation = relax(problem, domain, gamma, tol=tol if certified else None, trace=trace, start=q)
        q, tangent = relaxation.q, relaxation.tangent
        exchange = partial(improve, problem, domain, gamma=gamma, tol=FINENESS * tol, trace=trace)
        found = exchange(domain.best(q, None if tangent is None else tangent.g), relaxation)
        if tangent is not None and relative_gap(found[1].value, relaxation.upper_bound) > DOUBTFUL:
            for other in _others(problem, domain, gamma, relaxation, trace):
                second = exchange(other, relaxation, phase="second exchange")
                found = max(found, second, key=lambda one: one[1].value)
        if not trace.out_of_time():
            relaxation, best = tighten(problem, domain, gamma, relaxation, found[1].value)
            if best is not None and best.value > found[1].value * (1 + TIE):
                found = exchange(best.units, relaxation, phase="enumeration")
        yield conclude(problem, domain, *found, q, relaxation, trace)


def _others(
    problem: Problem, domain: Domain, gamma: float, relaxation: Relaxation, trace: Trace
) -> Iterator[Indices]:
    """Other starts, as far as there is time: forward selection, and the best of a pool without a certificate.

    Where the bound is loose the q that it comes from is spread over most of the units, and says little.
    """
    too_large = most_columns(domain) * problem.C.shape[0] > LARGEST_FACTOR
    if not too_large and not trace.out_of_time():
        greedy = select_forward(problem, domain, gamma, trace=trace)
        if greedy.size == domain.m:  # else the time was up
            yield greedy
    if relaxation.first is not None and not trace.out_of_time():
        yield domain.best(relaxation.first)
