"""Order with ties, and the translation between units and columns."""

import numpy as np
from numpy.testing import assert_array_equal

from fisherset.solver.domain import Units, largest, ranked


def test_ties_go_to_the_second_key_then_to_column_order():
    values = np.array([1.0, 3.0, 1.0 + 1e-13, 3.0 - 1e-12, 2.0, 1.0])
    assert_array_equal(ranked(values), [1, 3, 4, 0, 2, 5])
    second = np.array([0.0, 1.0, 5.0, 2.0, 0.0, 5.0])
    assert_array_equal(ranked(values, second), [3, 1, 4, 2, 5, 0])
    assert_array_equal(largest(values, 2, second), [1, 3])
    assert_array_equal(largest(values, 4), [0, 1, 3, 4])


def test_all_equal_is_column_order():
    assert_array_equal(ranked(np.zeros(4)), [0, 1, 2, 3])


def test_groups():
    groups = np.array([2, 0, 1, 0, 2, 1])
    units = Units(groups, 6)
    assert units.size == 3
    assert_array_equal(units.columns(np.array([0, 2])), [0, 1, 3, 4])
    s = np.arange(6.0)
    assert_array_equal(units.total(s), [4.0, 7.0, 4.0])
    assert_array_equal(units.spread(np.array([0.1, 0.2, 0.3])), [0.3, 0.1, 0.2, 0.1, 0.3, 0.2])
    chosen, columns = np.array([2, 0]), np.array([0, 1, 3, 4])
    assert_array_equal(units.total(s[columns], chosen, columns), [4.0, 4.0])
    assert_array_equal(units.spread(np.array([0.3, 0.1]), chosen, columns), [0.3, 0.1, 0.1, 0.3])


def test_order_is_that_of_a_stable_sort_whatever_is_tied():
    rng = np.random.default_rng(0)
    for _ in range(300):
        size = int(rng.integers(0, 40))
        values, second = (rng.integers(0, rng.integers(1, 6), size).astype(float) for _ in range(2))
        if size and rng.random() < 0.3:
            second[rng.integers(size, size=2)] = rng.choice([np.inf, -np.inf, np.nan])
        assert_array_equal(ranked(values), np.lexsort([-values]))
        assert_array_equal(ranked(values, second), np.lexsort([-second, -values]))
