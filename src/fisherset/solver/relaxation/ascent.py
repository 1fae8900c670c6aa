"""Projected gradient ascent of concave functions on the hulls of domains, one or many at a time.

Serves all faces of the method: the kernel weights lambda of Eq. (22), one cut being chosen; the relaxed
choice q itself, m units being chosen; and the relaxations of many nodes of an exact search, a row each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import Domain, Flags, Hull
from fisherset.solver.trace import Trace

MAX_STEPS = 1000
# Steps may fall below the best of this many last values (non-monotone search): it is
# what lets the Barzilai-Borwein step keep its length.
MEMORY = 8
# Longest way, in units of q, that a step may aim beyond the hull: further, the projection loses digits.
FARTHEST = 1e6

Function = Callable[[Floats], tuple[float, Floats]]


class Points(NamedTuple):
    """Values of concave functions, and tangents offset + g.x that they nowhere exceed, a row each."""

    value: Floats
    offset: Floats
    g: Floats

    def replaced(self, rows: Indices, part: Points) -> Points:
        """The points with some of the rows replaced; in place, the arrays being the caller's own."""
        for whole, new in zip(self, part, strict=True):
            whole[rows] = new
        return self

    def take(self, rows: Indices | Flags) -> Points:
        return Points(*(part[rows] for part in self))


Functions = Callable[[Floats, Indices], Points]  # at points, which are of some rows
Finished = Callable[[Floats, Floats], Flags]  # by the best value and bound of each row


class Ascents(NamedTuple):
    """The best point of each row, the tangent of least bound, that bound, and the length of the last step."""

    x: Floats
    best: Points  # at x
    tangents: Points
    bound: Floats
    length: Floats
    steps: int


class Ascent(NamedTuple):
    """The best point found, its value and gradient, the least bound met on the way, and the steps made."""

    x: Floats
    value: float
    gradient: Floats
    bound: float
    steps: int


def ascend(function: Function, x: Floats, domain: Domain, *, tol: float, trace: Trace) -> Ascent:
    """Maximise `function` (value and gradient) over the hull of the domain from x.

    Stops when the tangent bound of Eq. (27) is within the share `tol` of the value, when no step improves
    any more (the limit of the arithmetic), or when the time is up.
    """

    def functions(x: Floats, _: Indices) -> Points:
        value, gradient = function(x[0])
        return Points(np.array([value]), np.array([value - float(x[0] @ gradient)]), gradient[None])

    def finished(value: Floats, bound: Floats) -> Flags:
        close: Flags = bound - value <= tol * bound
        return close

    found = ascend_many(functions, x[None], domain, finished=finished, trace=trace)
    best = found.best
    return Ascent(found.x[0], float(best.value[0]), best.g[0], float(found.bound[0]), found.steps)


def ascend_many(
    functions: Functions,
    x: Floats,
    hull: Hull,
    *,
    finished: Finished,
    trace: Trace,
    length: Floats | None = None,
    max_steps: int = MAX_STEPS,
) -> Ascents:
    """Maximise a function for each row over its hull, until `finished`, stalled, or out of time or steps.

    Spectral projected gradients after Birgin, Martinez and Raydan (2000): the Barzilai-Borwein length
    |change|^2 / change.(fall of the gradient) needs no Hessian and comes near the speed of Newton's method.
    """
    x, every = x.copy(), np.arange(len(x))
    length = np.full(len(x), np.inf) if length is None else length.copy()
    now = functions(x, every)
    sums = hull.sums(now.g)
    bound, least = now.offset + sums.most, sums.least
    at_best, best, tangents = x.copy(), now.take(every), now.take(every)
    recent, stalled, steps = [now.value.copy()], np.zeros(len(x), dtype=bool), 0
    while steps < max_steps:
        rows = np.flatnonzero(~(stalled | finished(best.value, bound)))
        if not rows.size or trace.out_of_time():
            break
        before, own = now.take(rows), hull.of_rows(rows)
        direction = _directions(x[rows], before.g, least[rows], own, length[rows])
        slope = np.einsum("bj,bj->b", before.g, direction)
        stalled[rows] = slope <= EPS * np.abs(before.value)
        if stalled[rows].any():  # these rows stay; the others move in the next turn
            continue
        floor = np.min([past[rows] for past in recent[-MEMORY:]], axis=0)
        new, after = _search(functions, x[rows], direction, rows, floor, slope)
        steps += 1
        length[rows] = _spectral_length(new - x[rows], before.g - after.g)
        x[rows] = new
        now = now.replaced(rows, after)
        recent.append(now.value.copy())
        sums = own.sums(after.g)
        least[rows], new_bound = sums.least, after.offset + sums.most
        better, tighter = after.value > best.value[rows], new_bound < bound[rows]
        at_best[rows[better]] = new[better]
        best = best.replaced(rows[better], after.take(better))
        bound[rows[tighter]] = new_bound[tighter]
        tangents = tangents.replaced(rows[tighter], after.take(tighter))
    return Ascents(at_best, best, tangents, bound, length, steps)


def _directions(x: Floats, g: Floats, least: Floats, hull: Hull, length: Floats) -> Floats:
    """From x to the projection of x + length * g, the length cut to what moves x by `FARTHEST`.

    The projection does not change when all entries move together, so the gradient may
    be taken from its own threshold: what is left is small, and so is its rounding.
    """
    relative = g - np.where(np.isfinite(least), least, 0.0)[:, None]
    largest = np.maximum(np.abs(relative).max(axis=1), np.finfo(float).tiny)
    step = np.where(np.isfinite(length), np.minimum(length, FARTHEST / largest), 1.0 / largest)
    return hull.project(x + step[:, None] * relative) - x


def _search(
    functions: Functions, x: Floats, direction: Floats, rows: Indices, floor: Floats, slope: Floats
) -> tuple[Floats, Points]:
    """The first of the steps 1, 1/2, 1/4, ... of each row that rises enough above its floor (Armijo)."""
    length = np.ones(len(x))
    new = np.clip(x + direction, 0.0, 1.0)
    after = functions(new, rows)
    while True:
        low = ~(after.value >= floor + 1e-4 * length * slope)  # what is not a number is low, too
        short = np.flatnonzero(low & (length >= 1e-10))
        if not short.size:
            return new, after
        length[short] /= 2
        new[short] = np.clip(x[short] + length[short, None] * direction[short], 0.0, 1.0)
        after = after.replaced(short, functions(new[short], rows[short]))


def _spectral_length(change: Floats, fall: Floats) -> Floats:
    """The step length of Barzilai and Borwein; infinite where the function is not curved."""
    curvature, squares = np.einsum("bj,bj->b", change, fall), np.einsum("bj,bj->b", change, change)
    length: Floats = np.where(curvature > 0, squares / np.where(curvature > 0, curvature, 1.0), np.inf)
    return length


def reweigh(function: Function, x: Floats, domain: Domain, *, tol: float, trace: Trace) -> Floats:
    """A better point of the hull than x, by reweighting: for optima spread over most units.

    For fixed W the best q has the least sum of ||W_j||^2 / q_j, with W_j = q_j (XV)_j / gamma, Eq. (14). The
    fixed point is the optimum; the first rounds gain most: it ends when one leaves over 0.7 of the gap.
    No unit of x may be zero, as it would stay zero.
    """
    last = np.inf
    for _ in range(12):
        value, gradient = function(x)
        bound = domain.bound(value, gradient, x)
        gap = bound - value
        if gap <= tol * bound or gap > 0.7 * last or trace.out_of_time():
            break
        last = gap
        x = domain.reweighted(x * np.sqrt(gradient))
    return x
