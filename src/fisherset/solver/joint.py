"""The joint solver: relax at m = k, round, exchange to a local optimum, certify.

If the bound is loose, other starts are tried; all sets are tried if they are few.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fisherset.solver.domain import TIE
from fisherset.solver.exact.enumeration import tighten
from fisherset.solver.exchange.exchange import improve
from fisherset.solver.exchange.starts import try_starts
from fisherset.solver.relaxation.relaxation import relax
from fisherset.solver.solution import Solution, Task, conclude, empty_solution, relative_gap

# Share of a time limit that the relaxation may take: a set improved by exchange is worth more than its bound.
RELAXATION_TIME = 0.5
# Share of tol that a swap has to gain: ten swaps of a tenth of that do not show in the gap.
SWAP_TOL = 1e-3
# The gap beyond which rounding the relaxation may have missed something: other starts are tried too.
LOOSE_GAP = 0.1


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
            second = partial(exchange, relaxation=relaxation, phase="second exchange")
            found = try_starts(problem, domain, gamma, relaxation, found, second, trace)
        if not trace.out_of_time():
            relaxation, best = tighten(problem, domain, gamma, relaxation, found[1].value)
            if best is not None and best.value > found[1].value * (1 + TIE):
                found = exchange(best.units, relaxation, phase="enumeration")
        yield conclude(problem, domain, *found, q, relaxation, trace)
