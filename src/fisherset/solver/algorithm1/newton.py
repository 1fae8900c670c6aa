"""Newton's method for the weights lambda of Eq. (22): each step is to the top of a parabola on the simplex.

    dF/dlambda = P g,   d2F/dlambda2 = -2 / (gamma^2 n) P [N o (XV)(XV)'] P'

with a row of P for each cut and N = X'(I + X D X' / gamma)^-1 X. The cuts are few, so that a
step costs little more than F itself, and a new cut takes one or two where projected gradients
take tens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats
from fisherset.solver.linear import solve
from fisherset.solver.relaxation.ascent import Function
from fisherset.solver.trace import Trace

# Steps after which F is too far from a parabola, as with a gamma next to nothing: gradients are cheaper then.
LAMBDA_STEPS = 8
LEAST_STEP = 1 / 64  # part of a step that is tried
# Share of the curvature added for the parabola to have one top where cuts are alike.
DAMPING = 1e-10


class Newton(NamedTuple):
    """Weights no worse than those it started from, and whether they are within `tol` of the best."""

    x: Floats
    settled: bool


def newton(
    function: Function, curvature: Callable[[Floats], Floats], x: Floats, *, tol: float, trace: Trace
) -> Newton:
    """Maximise a concave function on the simplex from x; `curvature` is its Hessian with the sign turned."""
    value, gradient = function(x)
    for step in range(LAMBDA_STEPS + 1):
        gap = float(np.max(gradient) - x @ gradient)
        if gap <= tol * (value + gap):
            return Newton(x, True)
        if step == LAMBDA_STEPS or trace.out_of_time():
            break
        direction = top_on_simplex(gradient, curvature(x), x) - x
        slope, length = float(gradient @ direction), 1.0
        while True:
            new = np.maximum(x + length * direction, 0.0)
            new /= new.sum()
            new_value, new_gradient = function(new)
            if (
                new_value >= value + 1e-4 * length * slope - 4 * EPS * value
            ):  # at the top, as far as F can tell
                break
            length /= 2
            if length < LEAST_STEP:
                return Newton(x, False)
        x, value, gradient = new, new_value, new_gradient
    return Newton(x, False)


def top_on_simplex(gradient: Floats, Q: Floats, x: Floats) -> Floats:
    """The y of the simplex with the largest gradient.(y - x) - (y - x)'Q(y - x) / 2, by active sets from x.

    Weights that reach nought are held there, and let go, the most promising first, once
    the others are at their best. Each y on the way is of the simplex and better than the last.
    """
    y, size = x.copy(), x.size
    Q = Q + DAMPING * max(float(np.max(np.diag(Q))), np.finfo(float).tiny) * np.eye(size)
    rising, free = gradient, (x > 0) | (gradient > x @ gradient)
    for _ in range(3 * size + 10):
        F = np.flatnonzero(free)
        # all weights together do not move: only differences of what is rising matter, and are small
        ones, ahead = np.ones(F.size), rising[F] - rising[F].max()
        own, common = solve(Q[np.ix_(F, F)], np.column_stack([ahead, ones])).T
        level = float(own.sum() / common.sum())
        way = own - level * common
        way -= way.sum() / F.size
        falling = np.flatnonzero(way < 0)
        reach = y[F[falling]] / -way[falling]
        if falling.size and reach.min() < 1:
            held = F[falling[np.argmin(reach)]]
            y[F] += reach.min() * way
            y[held], free[held] = 0.0, False
            rising = gradient - Q @ (y - x)
            continue
        y[F] += way
        rising = gradient - Q @ (y - x)
        best = int(np.argmax(np.where(free, -np.inf, rising)))
        level = float(rising[F].max())
        if free[best] or rising[best] <= level + EPS * size * abs(level):
            break
        free[best] = True
    return np.maximum(y, 0.0)
