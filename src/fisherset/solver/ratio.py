"""The largest ratio of sums over m of d terms, by Dinkelbach's iteration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats
from fisherset.solver.units import largest


class Ratio(NamedTuple):
    """The ratio of the best set, the value a - ratio * b of every term, and the iterations."""

    ratio: float
    scores: Floats
    n_iter: int


def best_ratio(a: Floats, b: Floats, m: int) -> Ratio:
    """Maximise sum a / sum b over the m-subsets, for a and b not negative.

    The best set for a given lambda has the m largest a - lambda b; its own ratio is the
    next lambda. It rises until it stays, and is then the largest of all sets.
    """
    if m == 0:
        return Ratio(0.0, np.zeros(a.size), 0)
    if np.count_nonzero(b == 0) >= m and np.any(a[b == 0] > 0):
        return Ratio(np.inf, np.where(b == 0, a, -b), 0)
    ratio, n_iter = 0.0, 0
    while True:
        chosen = largest(a - ratio * b, m)
        n_iter += 1
        total = float(b[chosen].sum())
        new = float(a[chosen].sum()) / total if total > 0 else np.inf
        if not new > ratio * (1 + 1e-15):
            return Ratio(ratio, a - ratio * b, n_iter)
        ratio = new
