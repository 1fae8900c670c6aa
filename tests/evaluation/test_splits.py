"""Random halves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fisherset.evaluation import halves


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
