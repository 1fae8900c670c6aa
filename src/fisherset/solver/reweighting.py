"""Reweighting: Eq. (8) minimised in W and in q by turns, from a q that gives all units something.

    min over W and q of  ||H - X W||^2 + gamma sum of ||w_j||^2 / q_j

has F(q) for its minimum in W, and for its minimum in q, on the hull, min(1, ||w_j|| / tau). Each turn raises
F. Where gamma is small the optimum is spread over most of the units: there a few turns come nearer to it than
many steps along the gradient, which do well where most units are at nought.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats
from fisherset.solver.ascent import Function
from fisherset.solver.domain import Domain
from fisherset.solver.trace import Trace

ROUNDS = 12
SLOW = 0.7  # what a turn has to leave of the gap at most, for another to be worth it


def reweigh(function: Function, x: Floats, domain: Domain, *, tol: float, trace: Trace) -> Floats:
    """A better point of the hull than x, which has no unit at nought."""
    last = np.inf
    for _ in range(ROUNDS):
        value, gradient = function(x)
        bound = domain.bound(value, gradient, x)
        gap = bound - value
        if gap <= tol * bound or gap > SLOW * last or trace.out_of_time():
            break
        last = gap
        x = domain.reweighted(x * np.sqrt(gradient))  # w_j = q_j (XV)_j / gamma
    return x
