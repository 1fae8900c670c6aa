"""Bounds of Shah and Samworth (2013) on how many features of low selection probability are selected often.

With B complementary pairs of half-samples, q features selected of d in each on average and theta = q / d, the
features of low selection probability are L = {j: P(j is selected on a half) <= theta}. Bounded is

    E |{j in L: selected in a share tau or more of the 2B halves}|

Theorem 1 assumes nothing, Theorem 2 a unimodal share of pairs in which both halves select j. Equation (8)
assumes more than data need satisfy: where the statistic of a feature is normal, and the feature selected
above a fixed level, the expectation is up to three times as large.

Reference: R. D. Shah and R. J. Samworth, Variable selection with error control: another look at stability
selection, Journal of the Royal Statistical Society B 75 (2013), 55-80.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize_scalar

ASSUMPTIONS = ("unimodal", "none", "r-concave")
# Of the shares of pairs in which both halves select a feature, and of halves: those of the paper's Eq. (8).
R_PAIRS, R_HALVES = -1 / 2, -1 / 4
# The family (a + i)^(1/r) from nearly all of its mass at 0 to nearly uniform; means down to 1e-20.
LEAST_A, MOST_A = 1e-12, 1e5
ROUNDING = 1e-9  # a threshold of 0.6 is 60 halves of 100 whatever the last digit of 0.6 * 100


def count_at(threshold: float, n_halves: int) -> int:
    """The least number of halves that is a share `threshold` of them."""
    return math.ceil(threshold * n_halves - ROUNDING)


def expected_low(count: int, n_pairs: int, q: float, d: int, assume: str) -> float:
    """The bound for features selected in `count` halves or more."""
    theta, tau = q / d, count / (2 * n_pairs)
    bound = q / tau  # Markov's inequality: the frequencies add up to q
    if count > n_pairs:
        bound = min(bound, q * theta / (2 * tau - 1))  # Theorem 1
    if assume != "none":
        bound = min(bound, q * theta * _unimodal_factor(tau, n_pairs, theta))
    if assume == "r-concave":
        both = tail(theta**2, count - n_pairs, n_pairs, R_PAIRS) if count > n_pairs else 1.0
        bound = min(bound, d * min(both, tail(theta, count, 2 * n_pairs, R_HALVES)))
    return bound


def _unimodal_factor(tau: float, n_pairs: int, theta: float) -> float:
    """C(tau, B) of Theorem 2; infinite where it does not apply."""
    half = 1 / (2 * n_pairs)
    least = min(0.5 + theta**2, 0.5 + half + 0.75 * theta**2)
    if theta > 1 / math.sqrt(3) or tau <= least or tau < 0.5 + 2 * half - ROUNDING:
        return math.inf
    if tau <= 0.75:
        return 1 / (2 * (2 * tau - 1 - half))
    return 4 * (1 - tau + half) / (1 + 2 * half)


def tail(eta: float, t: int, n: int, r: float) -> float:
    """D(eta, t/n, n, r): the most P(X >= t/n) is for r-concave X on {0, 1/n, ..., 1} of mean at most eta.

    It is reached by weights (a + i)^(1/r) for i up to some k and any mass below the next one at k + 1, with
    the mean eta (Section 3.3 and the supplement of the paper). For each k, `a` lies between the values at
    which there is no mass at k + 1, and all of it.
    """
    mean = eta * n
    start = math.ceil(2 * mean) + 1  # up to there X can be uniform, and no better bound than Markov's holds
    if t < start or start > n:
        return 1.0
    if mean == 0.0:
        return 0.0
    numbers = np.arange(n + 1)
    limits, last = {}, MOST_A
    for k in range(start, n + 1):
        limits[k] = last = _shift_with_mean(mean, numbers[: k + 1], r, last)
    best = 0.0
    for k in range(max(start, t - 1), n + 1):  # X reaches t
        missed = _negative_tail(mean, t, numbers[: k + 1], r)
        best = max(best, -missed(limits[k]))
        if k < n and limits[k + 1] < limits[k]:
            found = minimize_scalar(missed, bounds=(limits[k + 1], limits[k]), method="bounded")
            best = max(best, -float(found.fun), -missed(limits[k + 1]))
    return min(best, 1.0)


def _shift_with_mean(mean: float, numbers: np.ndarray, r: float, most: float) -> float:
    """The `a` for which weights (a + i)^(1/r) on the numbers have a mean, at most `most`."""

    def excess(a: float) -> float:
        weights = (a + numbers) ** (1 / r) * a ** (-1 / r)
        return float(numbers @ weights / weights.sum()) - mean

    if excess(LEAST_A) >= 0:
        return LEAST_A
    if excess(most) <= 0:
        return most
    # by the logarithm, as `a` spans many decades
    low, high = math.log(LEAST_A), math.log(most)
    return math.exp(brentq(lambda log: excess(math.exp(log)), low, high, xtol=1e-12))


def _negative_tail(mean: float, t: int, numbers: np.ndarray, r: float) -> Callable[[float], float]:
    """-P(X >= t) for such weights with a mass at k + 1 that makes the mean right, as a function of a."""
    following = numbers.size

    def negative(a: float) -> float:
        weights = (a + numbers) ** (1 / r) * a ** (-1 / r)
        added = max(mean * weights.sum() - numbers @ weights, 0.0) / (following - mean)
        return -float((weights[t:].sum() + added) / (weights.sum() + added))

    return negative
