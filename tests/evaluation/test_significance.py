"""Paired tests against scipy and the formula of Nadeau and Bengio."""

import numpy as np
import pytest
from scipy import stats

from fisherset.evaluation import paired_difference


def test_against_scipy_and_the_formula():
    rng = np.random.default_rng(0)
    first, second = rng.normal(80.5, 2, 20), rng.normal(79, 2, 20)
    found = paired_difference(first, second, test_share=0.25)
    assert found.mean == pytest.approx(np.mean(first - second))
    assert found.p == pytest.approx(stats.ttest_rel(first, second).pvalue)
    difference = first - second
    t = difference.mean() / np.sqrt((1 / 20 + 0.25) * difference.var(ddof=1))
    assert found.p_corrected == pytest.approx(2 * stats.t.cdf(-abs(t), 19))


def test_equal_methods():
    values = np.array([80.0, 81.0, 79.5])
    assert paired_difference(values, values) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize("unit", [1.0, 100.0, 1e-3])
@pytest.mark.parametrize("size", [2, 3, 20])
def test_differences_without_spread_cannot_be_tested(size, unit):
    values = unit * np.linspace(0.71, 0.87, size)
    found = paired_difference(values + 0.01 * unit, values)  # equal but for rounding
    assert found.mean == pytest.approx(0.01 * unit)
    assert np.isnan([found.p, found.p_corrected]).all()


@pytest.mark.parametrize(
    ("first", "second", "share", "message"),
    [
        ([], [], 1.0, "one or more"),
        ([1.0, 2.0], [1.0], 1.0, "same splits"),
        (np.ones((2, 2)), np.ones((2, 2)), 1.0, "lists"),
        ([1.0, 2.0], [1.0, 3.0], -1.0, "test_share"),
        ([1.0, 2.0], [1.0, 3.0], np.nan, "test_share"),
    ],
)
def test_what_is_no_pair_is_refused(first, second, share, message):
    with pytest.raises(ValueError, match=message):
        paired_difference(first, second, test_share=share)


def test_single_split_says_nothing():
    found = paired_difference(np.array([80.0]), np.array([79.0]))
    assert found.mean == 1.0
    assert np.isnan(found.p)
    assert np.isnan(found.p_corrected)
