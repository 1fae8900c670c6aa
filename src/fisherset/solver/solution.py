"""What a solver returns: the subset, the relaxed weights, the certificate and the trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation import Relaxation
from fisherset.solver.subset import Subset
from fisherset.solver.trace import Iteration, Status, Trace
from fisherset.solver.units import Units, ranked


@dataclass(frozen=True)
class Solution:
    """A subset with its certificate: objective <= best over all subsets of its size <= upper_bound."""

    units: Indices  # chosen, in column order
    order: Indices  # all units from best to worst, the chosen ones first
    q: Floats  # relaxed weight of every unit
    objective: float
    upper_bound: float
    trace: tuple[Iteration, ...]
    status: Status

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.upper_bound)


def nothing(problem: Problem, trace: Trace) -> Solution:
    """The answer where there is nothing to choose from."""
    size = Units(problem).size
    everything = np.arange(size)
    return Solution(everything[:0], everything, np.zeros(size), 0.0, 0.0, (), trace.status)


def relative_gap(objective: float, upper_bound: float) -> float:
    """(UB - F) / UB, and 0 where no subset separates anything."""
    return (upper_bound - objective) / upper_bound if upper_bound > 0 else 0.0


def conclude(
    problem: Problem, units: Indices, state: Subset, q: Floats, bound: Relaxation, trace: Trace
) -> Solution:
    """Put a found subset and the relaxation that bounds it into one answer.

    The chosen units are ordered by what F loses without each, the others by relaxed
    weight and then by the gradient.
    """
    layout = Units(problem)
    if layout.groups is None:
        loss = np.einsum("ir,ir->i", state.W, state.W) / state.inverse_diagonal
    else:
        loss = q[units]
    others = np.setdiff1d(np.arange(layout.size), units)
    return Solution(
        units=units,
        order=np.concatenate([units[ranked(loss)], others[ranked(q[others], bound.g[others])]]),
        q=q,
        objective=state.value,
        # F(A) <= F* <= UB holds exactly; where both are equal, rounding must not say otherwise
        upper_bound=max(bound.upper_bound, state.value),
        trace=tuple(trace.iterations),
        status=trace.status,
    )
