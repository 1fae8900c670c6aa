"""The joint solver: relax at m = k, round, exchange to a local optimum, certify.

If the bound is loose, forward selection is a second start; all sets are tried if they are few.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fisherset._types import Indices
from fisherset.solver.domain import TIE, Domain
from fisherset.solver.exact.enumeration import tighten
from fisherset.solver.exchange.exchange import improve, select_forward
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation.relaxation import Relaxation, relax
from fisherset.solver.solution import Solution, Task, conclude, empty_solution, relative_gap
from fisherset.solver.trace import Trace

# Share of a time limit that the relaxation may take: a set improved by exchange is worth more than its bound.
RELAXATION_TIME = 0.5
# Share of tol that a swap has to gain: ten swaps of a tenth of that do not show in the gap.
SWAP_TOL = 1e-3
# The gap beyond which rounding the relaxation may have missed something: forward selection is tried too.
LOOSE_GAP = 0.1
# Numbers of the factor of forward selection, k x d, up to which it is tried: 240 MB, about a second.
LARGEST_FACTOR = 30_000_000


def joint_path(task: Task) -> Iterator[Solution]:
    """Relax, round, exchange and bound for each domain in turn.

    The bound of the relaxation is the certificate; without one it is solved on a pool of columns only.
    """
    problem, domains, gamma, tol, certified, trace, q = task
    for domain in domains:
        if domain.m == 0:
            yield empty_solution(domain, trace)
            continue
        with trace.part(RELAXATION_TIME):
            relaxation = relax(problem, domain, gamma, tol=tol if certified else None, trace=trace, start=q)
        q, tangent = relaxation.q, relaxation.tangent
        exchange = partial(improve, problem, domain, gamma=gamma, tol=SWAP_TOL * tol, trace=trace)
        found = exchange(domain.best(q, None if tangent is None else tangent.g), relaxation)
        if tangent is not None and relative_gap(found[1].value, relaxation.upper_bound) > LOOSE_GAP:
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

    If the bound is loose, its q is spread over most of the units, and says little.
    """
    too_large = domain.most_columns * problem.C.shape[0] > LARGEST_FACTOR
    if not too_large and not trace.out_of_time():
        greedy = select_forward(problem, domain, gamma, trace=trace)
        if greedy.size == domain.m:  # else time ran out
            yield greedy
    if relaxation.first is not None and not trace.out_of_time():
        yield domain.best(relaxation.first)
