"""The largest ratio of sums over m of d terms, by Dinkelbach's iteration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices


class Ratio(NamedTuple):
    """The best set and its ratio, the value a - ratio * b of every term, and the iterations."""

    chosen: Indices
    ratio: float
    scores: Floats
    n_iter: int


def best_ratio(a: Floats, b: Floats, m: int) -> Ratio:
    """Maximise sum a / sum b over the m-subsets, for a and b not negative.

    The best set for a given ratio has the m largest a - ratio * b; its own ratio is the
    next one. It rises until it stays, and is then the largest of all sets. Where m terms
    with b = 0 make it infinite, their a and the others' -b stand for a - ratio * b.
    """
    free = b == 0
    if m and np.count_nonzero(free) >= m and np.any(a[free] > 0):
        scores = np.where(free, a, -b)
        return Ratio(_top(scores, m), np.inf, scores, 1)
    ratio, n_iter = 0.0, 0
    while True:
        # exact, not up to ties: terms of very different size must not be taken for equal
        chosen = _top(a - ratio * b, m)
        n_iter += 1
        gain, cost = float(a[chosen].sum()), float(b[chosen].sum())
        if not gain > ratio * cost * (1 + 1e-15) or cost == 0:
            return Ratio(chosen, ratio, a - ratio * b, n_iter)
        ratio = gain / cost


def _top(values: Floats, m: int) -> Indices:
    return np.argsort(-values, kind="stable")[:m]
