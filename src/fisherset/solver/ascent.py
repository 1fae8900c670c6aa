"""Projected gradient ascent of a concave function on a capped simplex.

Serves both faces of the method: the kernel weights lambda of Eq. (22), whose simplex
has sum 1, and the relaxed choice q itself, whose sum is m.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fisherset.solver.problem import Floats
from fisherset.solver.simplex import project, upper_bound
from fisherset.solver.trace import Trace

MAX_STEPS = 1000
# Steps may fall below the best of this many last values (non-monotone search): it is
# what lets the Barzilai-Borwein step keep its length.
MEMORY = 8


class Ascent(NamedTuple):
    """The best point found, its value and gradient, the least bound met on the way, and the steps made."""

    x: Floats
    value: float
    gradient: Floats
    bound: float
    steps: int


def ascend(
    function: Callable[[Floats], tuple[float, Floats]],
    x: Floats,
    total: int,
    *,
    tol: float,
    trace: Trace,
    max_steps: int = MAX_STEPS,
    observe: Callable[[Ascent], None] | None = None,
) -> Ascent:
    """Maximise `function` (value and gradient) over {0 <= x <= 1, sum x = total} from x.

    Stops when the tangent bound is within the share `tol` of the value, when no step
    improves any more (the limit of the arithmetic), or when the time is up; `observe` is
    shown the best point of each step. Spectral steps after Birgin, Martinez and Raydan (2000).
    """
    value, gradient = function(x)
    best = Ascent(x, value, gradient, upper_bound(value, gradient, x, total), 0)
    recent = [value]
    step = 1.0 / max(float(gradient.max(initial=0.0)), np.finfo(float).tiny)
    for step_number in range(1, max_steps + 1):
        if best.bound - best.value <= tol * best.bound or trace.out_of_time():
            break
        direction = project(x + step * gradient, total) - x
        slope = float(gradient @ direction)
        if slope <= np.finfo(float).eps * abs(value):
            break
        floor, length = min(recent), 1.0
        while True:
            candidate = np.clip(x + length * direction, 0.0, 1.0)
            new_value, new_gradient = function(candidate)
            if new_value >= floor + 1e-4 * length * slope or length < 1e-10:
                break
            length /= 2
        change = candidate - x
        curvature = float(change @ (gradient - new_gradient))
        step = float(change @ change) / curvature if curvature > 0 else 10 * step
        x, value, gradient = candidate, new_value, new_gradient
        recent = [*recent[1 - MEMORY :], value]
        bound = min(best.bound, upper_bound(value, gradient, x, total))
        if value > best.value:
            best = Ascent(x, value, gradient, bound, step_number)
        else:
            best = best._replace(bound=bound, steps=step_number)
        if observe is not None:
            observe(best)
    return best
