"""Features that say the same are found, and stand side by side."""

import numpy as np
import pytest

from fisherset.evaluation import close_pairs, cluster_order, correlation_matrix


def blocks(n_blocks=5, size=4):
    """Features of several blocks, shuffled: those of one go together, some with the sign turned."""
    rng = np.random.default_rng(0)
    cores = rng.normal(size=(300, n_blocks))
    block = rng.permutation(np.repeat(np.arange(n_blocks), size))
    signs = rng.choice([-1, 1], block.size)
    return cores[:, block] * signs + 0.05 * rng.normal(size=(300, block.size)), block


def test_members_of_a_block_are_neighbours():
    X, block = blocks()
    correlations = correlation_matrix(X)
    order = cluster_order(correlations)
    assert sorted(order) == list(range(20))
    assert np.sum(np.diff(block[order]) != 0) == 4  # each block in one piece
    np.testing.assert_array_equal(order, cluster_order(correlations))


def test_the_order_depends_on_the_correlations_alone():
    X, _ = blocks()
    other = cluster_order(correlation_matrix(-3.0 * X + 7.0))
    np.testing.assert_array_equal(other, cluster_order(correlation_matrix(X)))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_few_features_have_an_order(k):
    assert sorted(cluster_order(np.eye(k))) == list(range(k))


def test_pairs_are_those_above_the_limit():
    X, block = blocks()
    correlations = correlation_matrix(X)
    pairs = close_pairs(correlations)
    expected = {(i, j) for i in range(20) for j in range(i + 1, 20) if block[i] == block[j]}
    assert {(pair.first, pair.second) for pair in pairs} == expected
    sizes = [abs(pair.correlation) for pair in pairs]
    assert sizes == sorted(sizes, reverse=True)
    assert close_pairs(np.eye(3)) == []
    assert close_pairs(np.full((2, 2), 0.95)) == []  # above, not at


def test_what_is_no_matrix_is_refused():
    for function in (cluster_order, close_pairs):
        with pytest.raises(ValueError, match="must be a square matrix"):
            function(np.ones((2, 3)))
