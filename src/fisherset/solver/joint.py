"""The joint solver: relax at m = k, round, exchange to a local optimum, certify."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fisherset._types import Floats
from fisherset.solver.exchange import improve
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation import relax
from fisherset.solver.solution import Solution, conclude, nothing
from fisherset.solver.trace import Trace
from fisherset.solver.units import largest

# A swap has to be worth this share of what the relaxation is solved to.
FINENESS = 1e-3


def solve_joint(problem: Problem, k: int, gamma: float, *, tol: float, trace: Trace) -> Solution:
    """Choose k units together, with the bound of the relaxation as certificate."""
    return next(joint_path(problem, [k], gamma, tol=tol, trace=trace))


def joint_path(
    problem: Problem,
    ks: Sequence[int],
    gamma: float,
    *,
    tol: float,
    trace: Trace,
    start: Floats | None = None,
) -> Iterator[Solution]:
    """Solve for each k in turn, every relaxation starting from the last one's q, the first from `start`."""
    q = start
    for k in ks:
        if k == 0:
            yield nothing(problem, trace)
            continue
        relaxation = relax(problem, k, gamma, tol=tol, trace=trace, start=q)
        q = relaxation.q
        rounded = largest(q, k, relaxation.g)
        units, state = improve(problem, rounded, relaxation, gamma, tol=tol * FINENESS, trace=trace)
        yield conclude(problem, units, state, q, relaxation, trace)
