"""The largest ratio of sums over m of d terms, by Dinkelbach's iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices

GIANT = 10.0  # how many times the others a term has to be to be left out before them
SAME_TERM = 1e-12  # share by which two terms may differ and be one and the same


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
    with b = 0 make it infinite, their a and the others' -b stand for a - ratio * b. Of terms
    that only rounding tells apart the first are taken.
    """
    a, b = _as_first_of_alike(a, b)
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
        sets = [_top(values, m), *_without_giants(values, b, m, ratio)]
        ratios = [_ratio(a, b, chosen) for chosen in sets]
        first = int(np.argmax(ratios))
        if not ratios[first] > ratio * (1 + 1e-15):
            as_good = ratios[0] >= ratio * (1 - 1e-12)  # but for rounding it is
            return Ratio(sets[0] if as_good else best, ratio, values, n_iter)
        ratio, best = ratios[first], sets[first]


def _as_first_of_alike(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The terms, those of copies of a column being exactly what they are for the first of them."""
    levels = np.empty(a.size, dtype=np.complex128)
    with np.errstate(divide="ignore"):
        levels.real, levels.imag = np.round(np.log(a) / SAME_TERM), np.round(np.log(b) / SAME_TERM)
    _, first, place = np.unique(levels, return_index=True, return_inverse=True)
    return a[first[place]], b[first[place]]


def _without_giants(values: Floats, b: Floats, m: int, ratio: float) -> Iterator[Indices]:
    """The best sets without the largest terms of this ratio, then without the next largest.

    Of a term whose own ratio it is, a - ratio * b is rounding; in units of 1e9, that drowns the others.
    """
    drowning = np.flatnonzero((np.abs(values) <= 1e-12 * ratio * b) & (b > 0))
    left = np.ones(b.size, dtype=bool)
    while drowning.size:
        large = b[drowning] * GIANT > b[drowning].max()
        left[drowning[large]], drowning = False, drowning[~large]
        if np.count_nonzero(left) < m:
            return
        yield np.flatnonzero(left)[_top(values[left], m)]


def _ratio(a: Floats, b: Floats, chosen: Indices) -> float:
    """The ratio of the sums over a set; 0 where both are."""
    gain, cost = float(a[chosen].sum()), float(b[chosen].sum())
    return gain / cost if cost > 0 else 0.0


def _top(values: Floats, m: int) -> Indices:
    return np.argsort(-values, kind="stable")[:m]
