"""The largest ratio of sums over m of d terms, by Dinkelbach's iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices

GIANT = 10.0  # how many times the others together a term has to be


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
    best, n_iter = _top(a, m), 0
    ratio = _ratio(a, b, best)
    while True:
        # exact, not up to ties: terms of very different size must not be taken for equal
        values = a - ratio * b
        n_iter += 1
        sets = [_top(values, m), *_without_giants(values, b, best, ratio)]
        ratios = [_ratio(a, b, chosen) for chosen in sets]
        first = int(np.argmax(ratios))
        if not ratios[first] > ratio * (1 + 1e-15):
            as_good = ratios[0] >= ratio * (1 - 1e-12)  # but for rounding it is
            return Ratio(sets[0] if as_good else best, ratio, values, n_iter)
        ratio, best = ratios[first], sets[first]


def _without_giants(values: Floats, b: Floats, best: Indices, ratio: float) -> Iterator[Indices]:
    """The best sets without the largest terms of a set, as long as these drown the others.

    The ratio of a set with a term in units of 1e9 is that term's, its a - ratio * b is then
    rounding, and so is what the sums tell of the others.
    """
    order = best[np.argsort(-b[best], kind="stable")]
    others = b[order].sum() - np.cumsum(b[order])
    left = np.ones(b.size, dtype=bool)
    for term, rest in zip(order[:-1], others[:-1], strict=True):
        left[term] = False
        drowning = b[term] > GIANT * rest and abs(values[term]) <= 1e-12 * ratio * b[term]
        if not drowning or np.count_nonzero(left) < best.size:
            return
        yield np.flatnonzero(left)[_top(values[left], best.size)]


def _ratio(a: Floats, b: Floats, chosen: Indices) -> float:
    """The ratio of the sums over a set; 0 where both are."""
    gain, cost = float(a[chosen].sum()), float(b[chosen].sum())
    return gain / cost if cost > 0 else 0.0


def _top(values: Floats, m: int) -> Indices:
    return np.argsort(-values, kind="stable")[:m]
