"""Random halves; paired tests against scipy and the formula of Nadeau and Bengio."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fisherset.evaluation import halves, paired_difference


@given(st.lists(st.integers(0, 5), min_size=2, max_size=60), st.integers(0, 1000))
def test_halves_share_every_class(labels, seed):
    y = np.array(labels)
    first, second = halves(y, seed)
    assert np.array_equal(np.sort(np.concatenate([first, second])), np.arange(y.size))
    assert first.size == y.size // 2
    for label in np.unique(y):
        counts = np.sum(y[first] == label), np.sum(y[second] == label)
        assert abs(counts[0] - counts[1]) <= 1


def test_five_images_a_person():
    y = np.repeat(np.arange(40), 10)
    first, _ = halves(y, 3)
    assert np.bincount(y[first]).tolist() == [5] * 40


def test_the_only_sample_of_a_class_is_in_either_half():
    y = np.array([0] * 10 + [1] * 9 + [2])
    sides = {2 in y[halves(y, seed)[0]] for seed in range(20)}
    assert sides == {True, False}


def test_same_seed_same_halves():
    y = np.arange(30) % 3
    assert np.array_equal(halves(y, 5)[0], halves(y, 5)[0])
    assert not np.array_equal(halves(y, 5)[0], halves(y, 6)[0])


@pytest.mark.parametrize("y", [np.array([0.0, np.nan]), np.eye(2, dtype=int), ["a", "b"], None])
def test_only_class_numbers_are_halved(y):
    with pytest.raises(ValueError, match="class numbers"):
        halves(y, 0)


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
