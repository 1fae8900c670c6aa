"""Columns that hardly vary inside the classes: the same answer in every layout, and the right one."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fisherset import FisherScore, TraceRatio
from support import reference

LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "pandas": pd.DataFrame,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}


def exact_scores(X, y):
    """Eq. (4) in fractions: infinite where a column is constant in every class."""
    scores = []
    for x in X.T:
        x = [Fraction(float(v)) for v in x]
        mean = sum(x) / len(x)
        groups = [[v for v, k in zip(x, y, strict=True) if k == label] for label in np.unique(y)]
        between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in groups)
        within = sum(sum((v - sum(g) / len(g)) ** 2 for v in g) for g in groups)
        scores.append(float(between / within) if within else np.inf)
    return np.array(scores)


def table(seed):
    """Columns constant in the classes at odd levels, nearly constant ones, copies, and ordinary ones."""
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(6, 60)), int(rng.integers(2, 5))
    y = np.arange(n) % c
    levels = rng.normal(size=(c, 4)) * 10.0 ** rng.integers(-3, 4, 4) + rng.choice([0, 1, 95, 5e3], 4)
    X = levels[y]
    X[:, 1] += 1e-9 * rng.normal(size=n) * np.abs(X[:, 1]).max()
    ordinary = rng.normal(size=(n, 2)) + y[:, None]
    return np.column_stack([X, ordinary, X[:, 0]]), y


@pytest.mark.parametrize("seed", range(25))
def test_the_score_is_exact_and_the_same_in_every_layout(seed):
    X, y = table(seed)
    expected = exact_scores(X, y)
    for layout in LAYOUTS.values():
        found = FisherScore(2).fit(layout(X), y)
        np.testing.assert_allclose(found.scores_, expected, rtol=1e-7)
        order = np.lexsort([np.arange(7), -expected])
        assert_array_equal(np.flatnonzero(found.support_), np.sort(order[:2]))
        ratio = TraceRatio(2).fit(layout(X), y)
        assert_array_equal(ratio.support_, TraceRatio(2).fit(X, y).support_)


def test_what_was_seen():
    y = np.arange(40) % 2
    X = np.column_stack([1 + 0.2 * y, 5.1 + 0.3 * y])
    for layout in LAYOUTS.values():
        found = FisherScore(1).fit(layout(X), y)
        assert_array_equal(found.scores_, [np.inf, np.inf])
        assert_array_equal(found.get_support(indices=True), [0])


def test_weights_of_nought_leave_a_row_out():
    y = np.arange(41) % 2
    X = np.column_stack([1 + 0.2 * y, np.random.default_rng(0).normal(size=41)])
    X[40, 0] = 7.0
    w = np.r_[np.ones(40), 0.0]
    assert np.isinf(FisherScore(1).fit(X, y, w).scores_[0])


@pytest.mark.parametrize("seed", range(60))
def test_the_trace_ratio_is_the_optimum_at_any_scale(seed):
    """Columns in units up to 1e9 apart, against all subsets in fractions."""
    rng = np.random.default_rng(seed)
    d, n = 6, 30
    y = np.arange(n) % 3
    X = (rng.normal(size=(n, d)) + rng.normal(size=(3, d))[y]) * 10.0 ** rng.integers(-9, 10, d)
    between, within = reference.scatters(X, y)
    for k in (1, 2, 4):
        best, _ = reference.best_ratio(between, within, k)
        assert TraceRatio(k).fit(X, y).trace_ratio_ == pytest.approx(best, rel=1e-9)
