"""What a solver returns: the subset, the relaxed weights, the certificate and the trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fisherset._format import NEGLIGIBLE
from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.exchange.groups import unit_losses
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.subset import Subset
from fisherset.solver.trace import Iteration, Status, Trace
from fisherset.solver.unit_bounds import bound_units
from fisherset.solver.units import TIE, ranked, without

ROUNDED = 1e-6  # the largest gap that counts as none, where rounding may have made it


@dataclass(frozen=True)
class Solution:
    """A subset with its certificate: objective <= best over all subsets of the domain <= upper_bound."""

    units: Indices  # chosen, in column order
    loss: Floats  # what F loses without each of them, or another measure of their worth
    q: Floats  # relaxed weight of every unit
    g: Floats  # gradient of the relaxation
    relaxation: Relaxation
    state: Subset | None  # the system of the chosen
    objective: float
    upper_bound: float
    with_each: Floats  # the most a set of the domain with each unit can reach, -inf where there is none
    without_each: Floats  # and without it
    trace: tuple[Iteration, ...]
    status: Status
    n_nodes: int = 0  # of exact search
    slack: float = 0.0  # share of F that rounding alone may put between F and its bound

    @cached_property
    def order(self) -> Indices:
        """All units, best first: the chosen by loss, the others by relaxed weight, then gradient."""
        others = without(self.q.size, self.units)
        return np.concatenate([self.units[ranked(self.loss)], others[ranked(self.q[others], self.g[others])]])

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.upper_bound)

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no set is better, but for the rounding of F."""
        return is_optimal(self.gap, self.slack, self.status)


def is_optimal(gap: float, slack: float, status: Status) -> bool:
    """Whether a gap is none: no more than a tie between sets, and what rounding alone may make."""
    return bool(gap <= min(2 * TIE + slack, ROUNDED)) and status is not Status.INEXACT


def relative_gap(objective: float, upper_bound: float) -> float:
    """(UB - F) / UB, and 0 where no subset separates anything but for rounding."""
    nothing = objective <= 0 and upper_bound <= NEGLIGIBLE
    return 0.0 if nothing else (upper_bound - objective) / upper_bound  # NaN where either is


def empty_solution(domain: Domain, trace: Trace) -> Solution:
    """The answer where there is nothing to choose from."""
    none = np.zeros(domain.units.size)
    relaxation = Relaxation(none, 0.0, 0.0)
    bounds = bound_units(domain, 0.0)
    return Solution(np.arange(0), none[:0], none, none, relaxation, None, 0.0, 0.0, *bounds, (), trace.status)


def conclude(
    problem: Problem,
    domain: Domain,
    units: Indices,
    state: Subset,
    q: Floats,
    relaxation: Relaxation,
    trace: Trace,
) -> Solution:
    """Put a found subset and the relaxation that bounds it into one answer, as the solver sees it."""
    tangent = relaxation.tangent
    g = np.einsum("jr,jr->j", problem.C, problem.C) if tangent is None else tangent.g
    bounds = bound_units(domain, relaxation.upper_bound, [] if tangent is None else [tangent])
    if relaxation.with_each is not None:
        bounds = bounds._replace(with_each=np.minimum(bounds.with_each, relaxation.with_each))
    return Solution(
        units=units,
        loss=unit_losses(state, domain.units),
        q=q,
        g=domain.units.total(g) if tangent is None else g,
        relaxation=relaxation,
        state=state,
        objective=state.value,
        upper_bound=relaxation.upper_bound,
        with_each=bounds.with_each,
        without_each=bounds.without_each,
        trace=tuple(trace.iterations),
        status=trace.status,
    )
