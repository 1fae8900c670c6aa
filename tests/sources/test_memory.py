"""A source hands out every row once, in order, and copies nothing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fisherset.sources import MemorySource


@pytest.fixture
def X():
    return np.random.default_rng(0).poisson(0.4, (50, 6)).astype(float)


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("block_bytes", [1, 300, 10**6])
def test_blocks_put_together_are_the_table(X, kind, block_bytes):
    source = MemorySource(kind(X), block_bytes=block_bytes)

    def kernel(block):
        rows = block.X.toarray() if sparse.issparse(block.X) else block.X
        assert rows.shape[0] == block.rows.stop - block.rows.start
        return [rows]

    assert_array_equal(np.vstack(source.reduce(kernel)), X)
    assert source.n_passes == 1
    assert source.shape == X.shape


def test_empty_rows_are_kept():
    X = sparse.csr_array((5, 3))
    assert MemorySource(X, block_bytes=1).reduce(lambda block: [block.rows])[-1].stop == 5


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_blocks_are_views(X, kind):
    table = kind(X)
    parts = MemorySource(table, block_bytes=300).reduce(lambda block: [block.X])
    assert len(parts) > 1
    owner = table if isinstance(table, np.ndarray) else table.data
    for part in parts:
        assert np.shares_memory(owner, part if isinstance(part, np.ndarray) else part.data)


def test_duplicate_entries_are_added_up_without_touching_the_callers_matrix():
    X = sparse.csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    total = MemorySource(X).reduce(lambda block: block.X.toarray())
    assert_array_equal(total, [[3.0, 0.0], [0.0, 5.0]])
    assert_array_equal(X.data, [1.0, 2.0, 5.0])


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_stored_counts_entries_by_column(X, kind):
    for rows in (np.ones(50, dtype=bool), np.arange(50) % 3 > 0):
        assert_array_equal(MemorySource(kind(X)).stored(rows), np.count_nonzero(X[rows], axis=0))
    assert MemorySource(X).stored(rows) is None
