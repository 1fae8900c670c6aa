"""Projected gradient ascent of a concave function on the hull of a domain.

Serves both faces of the method: the kernel weights lambda of Eq. (22), one cut being
chosen, and the relaxed choice q itself, m units being chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats
from fisherset.solver.domain import Domain
from fisherset.solver.trace import Trace

MAX_STEPS = 1000
# Steps may fall below the best of this many last values (non-monotone search): it is
# what lets the Barzilai-Borwein step keep its length.
MEMORY = 8
# Longest way, in units of q, that a step may aim beyond the hull.
FARTHEST = 1e6

Function = Callable[[Floats], tuple[float, Floats]]


class Ascent(NamedTuple):
    """The best point found, its value and gradient, the least bound met on the way, and the steps made."""

    x: Floats
    value: float
    gradient: Floats
    bound: float
    steps: int


def ascend(
    function: Function,
    x: Floats,
    domain: Domain,
    *,
    tol: float,
    trace: Trace,
    max_steps: int = MAX_STEPS,
) -> Ascent:
    """Maximise `function` (value and gradient) over the hull of the domain from x.

    Stops when the tangent bound is within the share `tol` of the value, when no step
    improves any more (the limit of the arithmetic), or when the time is up. Spectral steps
    after Birgin, Martinez and Raydan (2000).
    """
    value, gradient = function(x)
    best = Ascent(x, value, gradient, domain.bound(value, gradient, x), 0)
    recent, length = [value], np.inf
    for steps in range(1, max_steps + 1):
        if best.bound - best.value <= tol * best.bound or trace.out_of_time():
            break
        direction = _direction(x, gradient, domain, length)
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
    return best


def _direction(x: Floats, gradient: Floats, domain: Domain, length: float) -> Floats:
    """From x to the projection of x + length * gradient, the length cut to what moves x by `FARTHEST`.

    The projection does not change when all entries move together, so the gradient may
    be taken from its own threshold: what is left is small, and so is its rounding.
    """
    relative = gradient - domain.threshold(gradient)
    largest = max(float(np.abs(relative).max()), np.finfo(float).tiny)
    step = min(length, FARTHEST / largest) if np.isfinite(length) else min(1.0, FARTHEST) / largest
    return domain.project(x + step * relative) - x


def _search(
    function: Function, x: Floats, direction: Floats, floor: float, slope: float
) -> tuple[Floats, float, Floats]:
    """The first of the steps 1, 1/2, 1/4, ... that rises enough above the floor."""
    length = 1.0
    while True:
        candidate = np.clip(x + length * direction, 0.0, 1.0)
        value, gradient = function(candidate)
        if value >= floor + 1e-4 * length * slope or length < 1e-10:
            return candidate, value, gradient
        length /= 2
