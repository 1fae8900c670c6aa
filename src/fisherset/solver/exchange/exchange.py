"""Best exchange: swap a member of the subset for an outsider until no swap helps.

Removing i and adding j changes n F(A) by

    ||R_j + u_ij w_i||^2 / (base_j + u_ij^2) - ||w_i||^2,

w_i and u_ij being the rows of W and U over the square root of (M^-1)_ii (see
`subset`): all swaps together cost three matrix products. Most need not be looked at: F is
concave, so F(A - i + j) <= L(A) - g_i + g_j with any tangent L, and a pair with
g_i - g_j above L(A) - F(A) cannot help. The tangent at the relaxed q is at hand and
tells much where the relaxation is tight; the one at A itself, where L(A) = F(A),
costs a pass over the data.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fisherset._rounding import Uppers
from fisherset._types import Floats, Indices
from fisherset.solver.domain import NONE, Domain
from fisherset.solver.exchange.groups import WELL_ENOUGH, Offer, cancelled, group_swaps, taken_out
from fisherset.solver.iterative import IterativeSubset
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.relaxation.screening import FEW, Screen, least_length
from fisherset.solver.ridge import measure_subset
from fisherset.solver.subset import Subset
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import TIE, Units, mask_of

SWAPS_AT_A_TIME = 8_000_000  # swaps looked at in one go
SWAPS_KEPT = 1000  # improving swaps kept of them
MANY = 10_000_000  # swaps beyond which the least gains are not worth another look


def improve(
    problem: Problem,
    domain: Domain,
    chosen: Indices,
    relaxation: Relaxation,
    gamma: float,
    *,
    tol: float,
    trace: Trace,
    phase: str = "exchange",
) -> tuple[Indices, Subset]:
    """Exchange from the chosen units until no swap inside the domain helps.

    Swaps that change nothing are made too when they bring in an earlier unit. Where the
    swaps are `MANY`, those that raise F by less than the share `tol` are let be. As long as
    those that were promising bring some, and are few, no others are looked at.
    """
    units = domain.units
    find_swaps = column_swaps if units.groups is None else group_swaps
    current = np.sort(chosen)
    state = measure_subset(problem, units.columns(current), gamma)
    share = tol if current.size * (units.size - current.size) > MANY else TIE
    screen, promising = _screen_of(problem, domain, gamma, relaxation), NONE
    for _ in range(trace.max_iter):
        if isinstance(state, IterativeSubset) or trace.out_of_time():
            return current, state
        swaps, again = Swaps(current, state.value, share), promising.size > 0
        if again:
            places, outsiders = domain.movable(current), promising
        else:
            places, outsiders = _by_relaxation(relaxation, domain, current, state.value, swaps.tie)
            if _dear(problem, units, current[places], outsiders):
                places, outsiders = _by_subset(problem, domain, current, state, swaps.tie, screen)
        if places.size and outsiders.size:
            for offer in find_swaps(problem, domain, state, places, outsiders):
                swaps.add(offer)
                if trace.out_of_time():
                    break
        made = _apply(problem, domain, current, state, swaps.improving())
        promising = NONE
        if made is not None and not _dear(problem, units, current, outsiders):
            left = mask_of(units.size, np.concatenate([outsiders, current]))
            left[made[0]] = False
            promising = np.flatnonzero(left)
        elif made is None and not again:
            made = _apply(problem, domain, current, state, swaps.equivalent())
        if made is None:
            if again:
                continue
            return current, state
        current, state = made
        trace.record(phase, state.value, max(relaxation.upper_bound, state.value), current.size)
    trace.stopped(Status.MAX_ITER)
    return current, state


def _dear(problem: Problem, units: Units, members: Indices, outsiders: Indices) -> bool:
    """Whether to look at all swaps between them costs more than a pass."""
    return bool(units.sizes[members].sum() * units.sizes[outsiders].sum() > problem.C.size)


def _by_relaxation(
    relaxation: Relaxation, domain: Domain, current: Indices, value: float, tie: float
) -> tuple[Indices, Indices]:
    """Screen the swaps by the tangent at the relaxed q; where there is none, not at all."""
    if relaxation.tangent is None:
        return _promising(np.zeros(domain.units.size), domain, current, np.inf)
    offset, g = relaxation.tangent
    return _promising(g, domain, current, max(offset + float(g[current].sum()) - value, 0.0) + tie)


def _screen_of(problem: Problem, domain: Domain, gamma: float, relaxation: Relaxation) -> Screen:
    """What the relaxation has seen of all columns."""
    screen, tangent = Screen(problem), relaxation.tangent
    if tangent is not None and domain.units.groups is None:
        screen.note(relaxation.A, relaxation.W, Uppers(np.sqrt(tangent.g * gamma * problem.n)))
    return screen


def _by_subset(
    problem: Problem, domain: Domain, current: Indices, state: Subset, tie: float, screen: Screen
) -> tuple[Indices, Indices]:
    """Screen the swaps by the tangent at the subset itself, where columns may reach any of its members."""
    A, W, units, scale = state.columns, state.W, domain.units, state.gamma * problem.n
    of_members = np.zeros(len(problem.C))
    of_members[A] = state.gamma**2 * np.einsum("jr,jr->j", W, W)  # R without the cancellation
    free = current[domain.movable(current)]
    floor = units.total(of_members / scale)[free].min(initial=np.inf) - tie
    lengths, rows = screen.lengths(A, W, least_length(units, floor, scale)), None
    if lengths is not None:
        near = np.flatnonzero(units.spread(units.total(lengths**2 / scale)) >= floor)
        rows = near if near.size <= FEW * lengths.size else None
    R = problem.product(A, W, rows)
    np.subtract(problem.C if rows is None else problem.C[rows], R, out=R)
    s = np.full(len(problem.C), -np.inf) if units.groups is None else np.zeros(len(problem.C))
    s[slice(None) if rows is None else rows] = np.einsum("jr,jr->j", R, R)
    s[A] = of_members[A]
    if rows is None:
        screen.note(A, W, problem.rounding.raise_lengths(np.sqrt(s), A, W, slice(None)))
    return _promising(units.total(s / scale), domain, current, tie)


def _promising(g: Floats, domain: Domain, current: Indices, slack: float) -> tuple[Indices, Indices]:
    """Places of the members, and the outsiders, that are part of a swap the gradient does not rule out."""
    outside = np.ones(g.size, dtype=bool)
    outside[current] = False
    outside[domain.fixed] = False
    others, places = np.flatnonzero(outside), domain.movable(current)
    if not others.size or not places.size:
        return places[:0], others[:0]
    ceiling, floor = g[others].max(), g[current[places]].min()
    return places[g[current[places]] <= ceiling + slack], others[g[others] >= floor - slack]


class Swaps:
    """The swaps worth making, and those that change nothing but bring in an earlier unit."""

    def __init__(self, members: Indices, value: float, share: float) -> None:
        self.members, self.tie, self.threshold = members, TIE * value, share * value
        self.equal = members.copy()
        self._found: list[tuple[Floats, Indices, Indices]] = []

    def add(self, offer: Offer) -> None:
        """Note the best of what is offered."""
        places, outsiders, gain, worth = offer
        hits = np.flatnonzero(gain > self.threshold)
        if hits.size > SWAPS_KEPT:
            hits = hits[np.argpartition(gain.flat[hits], -SWAPS_KEPT)[-SWAPS_KEPT:]]
        row, column = np.divmod(hits, outsiders.size)
        self._found.append((gain.flat[hits], self.members[places[row]], outsiders[column]))
        # the first outsider of each row that does as well as the member, if it stands before it
        as_good = np.abs(gain) <= TIE * worth[:, None]
        first = outsiders[np.argmax(as_good, axis=1)]
        earlier = as_good.any(axis=1) & (first < self.equal[places])
        self.equal[places[earlier]] = first[earlier]

    def improving(self) -> tuple[Indices, Indices, float] | None:
        """Members and partners of the improving swaps, best first, no unit twice; and the best gain."""
        if not any(gain.size for gain, _, _ in self._found):
            return None
        gain, out, into = (np.concatenate(parts) for parts in zip(*self._found, strict=True))
        if gain.size > SWAPS_KEPT:  # as many as if all had been looked at in one go
            best = np.argpartition(gain, -SWAPS_KEPT)[-SWAPS_KEPT:]
            gain, out, into = gain[best], out[best], into[best]
        level = np.round(gain / self.tie) if self.tie > 0 else gain  # from F = 0 nothing is a tie
        order = np.lexsort([-out, into, -level])
        chosen: list[int] = []
        used: set[int] = set()
        for swap in order.tolist():
            pair = {int(out[swap]), int(into[swap])}
            if not pair & used:
                chosen.append(swap)
                used |= pair
        return out[chosen], into[chosen], float(gain[chosen[0]])

    def equivalent(self) -> tuple[Indices, Indices, float] | None:
        """Swaps that only bring in an earlier unit, the last members first, no unit twice."""
        places = np.flatnonzero(self.equal < self.members)[::-1]
        if not places.size:
            return None
        _, first = np.unique(self.equal[places], return_index=True)
        places = places[np.sort(first)]
        return self.members[places], self.equal[places], -self.tie


def _swapped(current: Indices, out: Indices, into: Indices) -> Indices:
    return np.sort(np.concatenate([np.delete(current, np.searchsorted(current, out)), into]))


def _apply(
    problem: Problem,
    domain: Domain,
    current: Indices,
    state: Subset,
    chosen: tuple[Indices, Indices, float] | None,
) -> tuple[Indices, Subset] | None:
    """Make several swaps at once if together they beat the first alone, else fewer, at last that one.

    None when F does not rise as foretold, which near-singular systems can do.
    """
    if chosen is None:
        return None
    out, into, best = chosen
    size = out.size
    while size:
        trial = _swapped(current, out[:size], into[:size])
        new = measure_subset(problem, domain.units.columns(trial), state.gamma)
        # a swap alone need not keep its promise to the last digit
        if new.value >= state.value + (best if size > 1 or best < 0 else best / 2):
            return trial, new
        size //= 2
    return None


def column_swaps(
    problem: Problem, domain: Domain, state: Subset, places: Indices, outsiders: Indices
) -> Iterator[Offer]:
    """What all swaps change, some outsiders at a time."""
    at_a_time = min(SWAPS_AT_A_TIME, problem.room)
    step = max(1, at_a_time // max(state.columns.size, problem.C.shape[1]))
    lost = cancelled(state, state.inverse_diagonal[places, None, None], WELL_ENOUGH)
    for start in range(0, outsiders.size, step):
        batch = outsiders[start : start + step]
        if not lost.all():
            yield _updated(state, places[~lost], batch)
    for place in places[lost].tolist():
        rest, own = taken_out(state, np.array([place]))
        for start in range(0, outsiders.size, step):
            batch = outsiders[start : start + step]
            gain = (_added(rest, batch) - own)[None] / problem.n
            yield Offer(np.array([place]), batch, gain, np.array([own]) / problem.n)


def _updated(state: Subset, places: Indices, outsiders: Indices) -> Offer:
    """The swaps of the members at some places by updates of the system of the subset."""
    root, n = np.sqrt(state.inverse_diagonal[places])[:, None], state.problem.n
    w = state.W[places] / root
    own = np.einsum("ir,ir->i", w, w)[:, None]
    R, base, u = state.cross_terms(places, outsiders)
    u /= root
    gain = (2.0 * w) @ R.T
    gain += u * own
    gain *= u
    gain += np.einsum("jr,jr->j", R, R)
    np.square(u, out=u)
    u += base
    gain /= u
    gain -= own
    gain /= n
    return Offer(places, outsiders, gain, own[:, 0] / n)


def _added(state: Subset, outsiders: Indices) -> Floats:
    """Gain of n F by each of some columns outside the subset."""
    R, base, _ = state.cross_terms(NONE, outsiders)
    gains: Floats = np.einsum("jr,jr->j", R, R) / base
    return gains
