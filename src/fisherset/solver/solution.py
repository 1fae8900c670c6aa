"""The answer of a solver: the subset, the relaxed weights, the certificate and the trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fisherset._format import NEGLIGIBLE
from fisherset._types import Floats, Indices
from fisherset.solver.domain import TIE, Domain, ranked, without
from fisherset.solver.exchange.swaps import unit_losses
from fisherset.solver.problem import Problem
from fisherset.solver.proof import bound_units
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.subset import Subset
from fisherset.solver.trace import Iteration, Status, Trace

# The largest gap that rounding may explain and that still counts as none: F is stated to six digits.
LARGEST_ROUNDED_GAP = 1e-6


class Task(NamedTuple):
    """A search for a set in each of several domains, in rising size, each search starting from the last."""

    problem: Problem
    domains: Sequence[Domain]  # the sets to choose from, one Solution each
    gamma: float  # the ridge of Eq. (2)
    tol: float  # gap between F(q) and its bound, or of an exact search, that is small enough
    certified: bool  # without, the ceiling of F may stand for a bound: it costs nothing
    trace: Trace  # the record of the run, with its limits
    start: Floats | None = None  # q of a similar problem, for the first domain


@dataclass(frozen=True)
class Solution:
    """A subset with its certificate: objective <= best over all subsets of the domain <= upper_bound."""

    units: Indices  # chosen, in column order
    loss: Floats  # loss of F without each of them, or another measure of their worth
    q: Floats  # relaxed weight of every unit
    g: Floats  # gradient of the relaxation
    relaxation: Relaxation
    state: Subset | None  # the system of the chosen
    objective: float
    upper_bound: float
    with_each: Floats  # bound on F of the sets of the domain with each unit, -inf if there is none
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
        """Whether it is proven that no set is better, up to the rounding of F."""
        return is_optimal(self.gap, self.slack, self.status)


def is_optimal(gap: float, slack: float, status: Status) -> bool:
    """Whether a gap is no more than a tie between sets and the share that rounding alone may cause."""
    return bool(gap <= min(2 * TIE + slack, LARGEST_ROUNDED_GAP)) and status is not Status.INEXACT


def relative_gap(objective: float, upper_bound: float) -> float:
    """(UB - F) / UB, and 0 if both are zero up to rounding."""
    nothing = objective <= 0 and upper_bound <= NEGLIGIBLE
    return 0.0 if nothing else (upper_bound - objective) / upper_bound  # NaN if either is


def empty_solution(domain: Domain, trace: Trace) -> Solution:
    """The answer for m = 0."""
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
    """Put a subset and the relaxation that bounds it into one answer, before it is proven."""
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
