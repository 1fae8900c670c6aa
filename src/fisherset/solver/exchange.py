"""Best exchange: swap a member of the subset for an outsider until no swap helps.

Removing i and adding j changes n F(A) by

    ||R_j + u_ji w_i||^2 / (base_j + u_ji^2) - ||w_i||^2,

w_i and u_ji being the rows of W and the columns of U over the square root of
(M^-1)_ii (see `subset`). All k x d swaps together cost three matrix products.
"""

from __future__ import annotations

import numpy as np

from fisherset.solver.problem import Floats, Indices, Problem
from fisherset.solver.subset import Subset, measure_subset
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import TIE, Units


def improve(
    problem: Problem, units: Indices, gamma: float, *, upper_bound: float, trace: Trace
) -> tuple[Indices, Subset]:
    """Exchange from the given units to a local optimum; equal swaps go to the earlier unit."""
    layout = Units(problem)
    find_swaps = _column_swaps if layout.groups is None else _group_swaps
    current = np.sort(units)
    state = measure_subset(problem, layout.columns(current), gamma)
    for _ in range(trace.max_iter):
        if current.size == layout.size or trace.out_of_time():
            return current, state
        swaps = find_swaps(problem, current, state)
        better, tie = swaps.improving(), swaps.earlier()
        if better is not None:
            current, state = _apply(problem, current, state, better)
        elif tie is not None:
            current = _swapped(current, *tie)
            state = measure_subset(problem, layout.columns(current), gamma)
        else:
            return current, state
        trace.record("exchange", state.value, max(upper_bound, state.value), current.size)
    trace.stopped(Status.MAX_ITER)
    return current, state


class Swaps:
    """For every member the best outsider to take its place, and what that changes in F."""

    def __init__(self, members: Indices, tie: float) -> None:
        self.members, self.tie = members, tie
        self.gain = np.empty(members.size)
        self.partner = np.empty(members.size, dtype=np.intp)
        self.equal = np.empty(members.size, dtype=np.intp)

    def offer(self, part: slice, gain: Floats) -> None:
        """Note the gains of some members, one a row; -inf in the place of units that are members."""
        self.gain[part] = top = gain.max(axis=1)
        self.partner[part] = np.argmax(gain >= (top - self.tie)[:, None], axis=1)
        equal = np.argmax(gain >= -self.tie, axis=1)
        self.equal[part] = np.where(top >= -self.tie, equal, gain.shape[1])

    def improving(self) -> tuple[Indices, Indices, float] | None:
        """Members and partners of the improving swaps, best first, no unit twice; and the best gain."""
        order = np.lexsort([self.members, -self.gain])
        order = order[self.gain[order] > self.tie]
        if not order.size:
            return None
        _, first = np.unique(self.partner[order], return_index=True)
        order = order[np.sort(first)]
        return self.members[order], self.partner[order], float(self.gain[order[0]])

    def earlier(self) -> tuple[Indices, Indices] | None:
        """A swap that changes nothing but brings in an earlier unit, for the last such member."""
        places = np.flatnonzero(self.equal < self.members)[-1:]
        return (self.members[places], self.equal[places]) if places.size else None


def _swapped(current: Indices, out: Indices, into: Indices) -> Indices:
    return np.sort(np.concatenate([np.setdiff1d(current, out), into]))


def _apply(
    problem: Problem, current: Indices, state: Subset, better: tuple[Indices, Indices, float]
) -> tuple[Indices, Subset]:
    """Make several swaps at once if together they beat the best alone, else fewer, at last that one."""
    out, into, best = better
    size = out.size
    while True:
        trial = _swapped(current, out[:size], into[:size])
        new = measure_subset(problem, Units(problem).columns(trial), state.gamma)
        if size == 1 or new.value >= state.value + best:
            return trial, new
        size //= 2


def _column_swaps(problem: Problem, current: Indices, state: Subset) -> Swaps:
    R, base, couplings = state.neighbourhood()
    squared = np.einsum("jr,jr->j", R, R)
    w = state.W / np.sqrt(state.inverse_diagonal)[:, None]
    own = np.einsum("ir,ir->i", w, w)[:, None]
    swaps = Swaps(current, TIE * state.value)
    for part, u in couplings:
        u /= np.sqrt(state.inverse_diagonal[part])[:, None]
        gain = w[part] @ (2.0 * R.T)
        gain += u * own[part]
        gain *= u
        gain += squared
        np.square(u, out=u)
        u += base
        gain /= u
        gain -= own[part]
        gain /= problem.n
        gain[:, current] = -np.inf
        swaps.offer(part, gain)
    return swaps


def _group_swaps(problem: Problem, current: Indices, state: Subset) -> Swaps:
    """The same for groups, swap by swap: their block updates differ in size."""
    layout = Units(problem)
    swaps = Swaps(current, TIE * state.value)
    others = np.setdiff1d(np.arange(layout.size), current)
    for place in range(current.size):
        gain = np.full((1, layout.size), -np.inf)
        for other in others:
            trial = layout.columns(_swapped(current, current[[place]], np.array([other])))
            gain[0, other] = measure_subset(problem, trial, state.gamma).value - state.value
        swaps.offer(slice(place, place + 1), gain)
    return swaps
