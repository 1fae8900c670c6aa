"""Projected gradient ascent of concave functions on the hulls of domains, one or many at a time.

Serves all faces of the method: the kernel weights lambda of Eq. (22), one cut being chosen; the relaxed
choice q itself, m units being chosen; and the relaxations of many nodes of an exact search, a row each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import Domain, Domains, Flags
from fisherset.solver.trace import Trace

MAX_STEPS = 1000
# Steps may fall below the best of this many last values (non-monotone search): it is
# what lets the Barzilai-Borwein step keep its length.
MEMORY = 8
# Longest way, in units of q, that a step may aim beyond the hull: further, the projection loses digits.
FARTHEST = 1e6
# Share of the slope that a step has to gain, and the shortest one tried: below, F does not tell points apart.
ARMIJO, SHORTEST = 1e-4, 1e-10
TINY = np.finfo(float).tiny

Function = Callable[[Floats], tuple[float, Floats]]


class Points(NamedTuple):
    """Values of concave functions, and tangents offset + g.x that they nowhere exceed, a row each."""

    value: Floats
    offset: Floats
    g: Floats

    def put(self, rows: Indices, part: Points) -> Points:
        """The points with some of the rows replaced."""
        return Points(*(_put(whole, rows, new) for whole, new in zip(self, part, strict=True)))

    def take(self, rows: Indices | Flags) -> Points:
        return Points(*(part[rows] for part in self))


Functions = Callable[[Floats, Indices], Points]  # at points, which are of some rows
Finished = Callable[[Floats, Floats], Flags]  # by the best value and bound of each row


class Ascents(NamedTuple):
    """The best point of each row, the tangent of least bound, that bound, and the length of the last step."""

    x: Floats
    tangents: Points
    bound: Floats
    length: Floats


class Ascent(NamedTuple):
    """The best point found, its value and gradient, the least bound met on the way, and the steps made."""

    x: Floats
    value: float
    gradient: Floats
    bound: float
    steps: int
    length: float = np.inf  # of the next step


def ascend(
    function: Function,
    x: Floats,
    domain: Domain,
    *,
    tol: float,
    trace: Trace,
    length: float = np.inf,
    max_steps: int = MAX_STEPS,
) -> Ascent:
    """Maximise `function` (value and gradient) over the hull of the domain from x.

    Stops when the tangent bound of Eq. (27) is within the share `tol` of the value, when no step improves
    any more (the limit of the arithmetic), or when the time is up. Spectral projected gradients after Birgin,
    Martinez and Raydan (2000): the Barzilai-Borwein length |change|^2 / change.(fall of the gradient) needs
    no Hessian and comes near the speed of Newton's method.
    """
    value, gradient = function(x)
    best = Ascent(x, value, gradient, domain.bound(value, gradient, x), 0)
    recent = [value]
    for steps in range(1, max_steps + 1):
        if best.bound - best.value <= tol * best.bound or trace.out_of_time():
            break
        direction = _direction(x, gradient, domain.threshold(gradient), domain, length)
        slope = float(gradient @ direction)
        if slope <= EPS * abs(value):
            break
        new, value, new_gradient = _search(function, x, direction, min(recent), slope)
        change = new - x
        curvature = float(change @ (gradient - new_gradient))
        length = float(change @ change) / curvature if curvature > 0 else np.inf
        x, gradient = new, new_gradient
        recent = [*recent[1 - MEMORY :], value]
        bound = min(best.bound, domain.bound(value, gradient, x))
        if value > best.value:
            best = Ascent(x, value, gradient, bound, steps)
        else:
            best = best._replace(bound=bound, steps=steps)
    return best._replace(length=length)


def _search(
    function: Function, x: Floats, direction: Floats, floor: float, slope: float
) -> tuple[Floats, float, Floats]:
    """The first of the steps 1, 1/2, 1/4, ... that rises enough above the floor (Armijo)."""
    length = 1.0
    while True:
        new = _clipped(x + length * direction)
        value, gradient = function(new)
        if value >= floor + ARMIJO * length * slope or length < SHORTEST:
            return new, value, gradient
        length /= 2


def _direction(x: Floats, g: Floats, least: Any, domain: Domain | Domains, length: Any) -> Floats:
    """From x to the projection of x + length * g, the length cut to what moves x by `FARTHEST`.

    The projection does not change when all entries move together, so the gradient may be taken from its
    own threshold `least`: the rest is small, and so is its rounding. Without a length, the first step, the
    steepest unit moves by 1. One point, or a row each with a column of `least` and `length`.
    """
    relative = g - least
    largest = np.maximum(np.abs(relative).max(axis=-1, keepdims=True), TINY)
    with np.errstate(over="ignore"):  # a gradient that vanishes limits no step
        step = np.minimum(length, FARTHEST / largest) if np.all(length < np.inf) else 1.0 / largest
    return domain.project(x + step * relative) - x


def ascend_many(
    functions: Functions,
    x: Floats,
    domains: Domains,
    *,
    finished: Finished,
    length: Floats,
    max_steps: int,
    trace: Trace,
) -> Ascents:
    """Maximise a function for each row over its domain as `ascend` does for one, all rows in one step.

    A row ends when it is `finished` or no step improves it; all end with the steps or the time. `length` is
    that of the first step of each row.
    """
    now = functions(x, np.arange(len(x)))
    sums = domains.sums(now.g)
    bound, least = now.offset + sums.most, sums.least
    at_best, best, tangents = x, now.value, now
    recent, stalled = [now.value], np.zeros(len(x), dtype=bool)
    for _ in range(max_steps):
        rows = np.flatnonzero(~(stalled | finished(best, bound)))
        if not rows.size or trace.out_of_time():
            break
        before, there, own = now.take(rows), x[rows], domains.of_rows(rows)
        direction = _direction(there, before.g, least[rows, None], own, length[rows, None])
        slope = np.einsum("bj,bj->b", before.g, direction)
        floor = np.minimum.reduce([past[rows] for past in recent[-MEMORY:]])
        new, after = _search_many(functions, there, direction, rows, floor, slope)
        stalled = _put(stalled, rows, ~(slope > EPS * np.abs(before.value)))  # NaN, too
        change = new - there
        curvature = np.einsum("bj,bj->b", change, before.g - after.g)
        squares = np.einsum("bj,bj->b", change, change)
        curved = curvature > 0  # else the last length stays
        length = _put(length, rows[curved], squares[curved] / curvature[curved])
        x, now = _put(x, rows, new), now.put(rows, after)
        recent.append(now.value)
        sums = own.sums(after.g)
        least, new_bound = _put(least, rows, sums.least), after.offset + sums.most
        better, tighter = after.value > best[rows], new_bound < bound[rows]
        at_best = _put(at_best, rows[better], new[better])
        best = _put(best, rows[better], after.value[better])
        bound = _put(bound, rows[tighter], new_bound[tighter])
        tangents = tangents.put(rows[tighter], after.take(tighter))
    return Ascents(at_best, tangents, bound, length)


def _search_many(
    functions: Functions, x: Floats, direction: Floats, rows: Indices, floor: Floats, slope: Floats
) -> tuple[Floats, Points]:
    """`_search` for each row: only those that fall short are evaluated again."""
    length = np.ones(len(x))
    new = _clipped(x + direction)
    after = functions(new, rows)
    while True:
        low = after.value < floor + ARMIJO * length * slope
        short = np.flatnonzero(low & (length >= SHORTEST))
        if not short.size:
            return new, after
        length[short] /= 2
        new[short] = _clipped(x[short] + length[short, None] * direction[short])
        after = after.put(short, functions(new[short], rows[short]))


def _clipped(x: Floats) -> Floats:
    """Points in [0, 1], from which the rounding of a sum may lead; faster than `np.clip`."""
    return np.minimum(np.maximum(x, 0.0), 1.0)


def _put(whole: Any, rows: Indices, part: Any) -> Any:
    """A copy with some of the rows replaced: points share their arrays."""
    whole = whole.copy()
    whole[rows] = part
    return whole
