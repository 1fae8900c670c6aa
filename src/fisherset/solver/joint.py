"""The joint solver: relax at m = k, round, exchange to a local optimum, certify."""

from __future__ import annotations

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
    if k == 0:
        return nothing(problem, trace)
    relaxation = relax(problem, k, gamma, tol=tol, trace=trace)
    start = largest(relaxation.q, k, relaxation.g)
    units, state = improve(problem, start, relaxation, gamma, tol=tol * FINENESS, trace=trace)
    return conclude(problem, units, state, relaxation.q, relaxation, trace)
