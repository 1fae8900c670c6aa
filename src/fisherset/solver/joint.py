"""The joint solver: relax at m = k, round, exchange to a local optimum, certify.

Where the bound leaves room for doubt, forward selection is a second start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fisherset._types import Floats
from fisherset.solver.exchange import improve
from fisherset.solver.forward import select_forward
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation import relax
from fisherset.solver.solution import Solution, conclude, nothing, relative_gap
from fisherset.solver.trace import USUAL, Trace
from fisherset.solver.units import largest

# The share of a time limit the relaxation may take: a set improved by exchange is worth more than its bound.
RELAXING = 0.5
# A swap has to be worth this share of what the relaxation is solved to.
FINENESS = 1e-3
# The gap beyond which rounding the relaxation may have missed something: forward selection is tried too.
DOUBTFUL = 0.1
LARGEST = 30_000_000  # numbers of its factor, k x d, up to which it is


def solve_joint(problem: Problem, k: int, gamma: float, *, tol: float | None, trace: Trace) -> Solution:
    """Choose k units together, with the bound of the relaxation as certificate unless `tol` is None."""
    return next(joint_path(problem, [k], gamma, tol=tol, trace=trace))


def joint_path(
    problem: Problem,
    ks: Sequence[int],
    gamma: float,
    *,
    tol: float | None,
    trace: Trace,
    start: Floats | None = None,
) -> Iterator[Solution]:
    """Solve for each k in turn, every relaxation starting from the last one's q, the first from `start`."""
    q, fineness = start, FINENESS * (USUAL if tol is None else tol)
    for k in ks:
        if k == 0:
            yield nothing(problem, trace)
            continue
        with trace.part(RELAXING):
            relaxation = relax(problem, k, gamma, tol=tol, trace=trace, start=q)
        q = relaxation.q
        rounded = largest(q, k, relaxation.g)
        units, state = improve(problem, rounded, relaxation, gamma, tol=fineness, trace=trace)
        doubt = relaxation.everywhere and relative_gap(state.value, relaxation.upper_bound) > DOUBTFUL
        small = problem.groups is None and k * problem.C.shape[0] <= LARGEST
        if doubt and small and not trace.out_of_time():
            greedy = select_forward(problem, k, gamma, trace=trace)
            if greedy.size == k:  # else the time was up
                second = improve(
                    problem, greedy, relaxation, gamma, tol=fineness, trace=trace, phase="second exchange"
                )
                units, state = max((units, state), second, key=lambda found: found[1].value)
        yield conclude(problem, units, state, q, relaxation, trace)
