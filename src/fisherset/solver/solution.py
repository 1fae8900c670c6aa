"""What a solver returns: the subset, the relaxed weights, the certificate and the trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
    loss: Floats  # what F loses without each of them, or another measure of their worth
    q: Floats  # relaxed weight of every unit
    g: Floats  # gradient of the relaxation
    objective: float
    upper_bound: float
    trace: tuple[Iteration, ...]
    status: Status

    @cached_property
    def order(self) -> Indices:
        """All units, best first: the chosen by loss, the others by relaxed weight, then gradient."""
        others = np.setdiff1d(np.arange(self.q.size), self.units)
        return np.concatenate([self.units[ranked(self.loss)], others[ranked(self.q[others], self.g[others])]])

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.upper_bound)


def nothing(problem: Problem, trace: Trace) -> Solution:
    """The answer where there is nothing to choose from."""
    none = np.zeros(Units(problem).size)
    return Solution(np.arange(0), none[:0], none, none, 0.0, 0.0, (), trace.status)


def relative_gap(objective: float, upper_bound: float) -> float:
    """(UB - F) / UB, and 0 where no subset separates anything."""
    return (upper_bound - objective) / upper_bound if upper_bound > 0 else 0.0


def conclude(
    problem: Problem, units: Indices, state: Subset, q: Floats, bound: Relaxation, trace: Trace
) -> Solution:
    """Put a found subset and the relaxation that bounds it into one answer."""
    if problem.groups is None:
        loss = np.einsum("ir,ir->i", state.W, state.W) / state.inverse_diagonal
    else:
        loss = q[units]
    return Solution(
        units=units,
        loss=loss,
        q=q,
        g=bound.g,
        objective=state.value,
        # F(A) <= F* <= UB holds exactly; where both are equal, rounding must not say otherwise
        upper_bound=max(bound.upper_bound, state.value),
        trace=tuple(trace.iterations),
        status=trace.status,
    )
