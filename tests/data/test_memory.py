"""A source hands out every row once, in order, and copies nothing."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fisherset.data import CountedRows, MemoryRows, memory


@pytest.fixture
def X():
    return np.random.default_rng(0).poisson(0.4, (50, 6)).astype(float)


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("block_bytes", [1, 300, 10**6])
def test_blocks_put_together_are_the_table(X, kind, block_bytes):
    y, w = np.arange(50) % 3, np.linspace(0, 1, 50)
    source = CountedRows(MemoryRows(kind(X), y, w, names=list("abcdef"), block_bytes=block_bytes))

    def kernel(block):
        rows = block.X.toarray() if sparse.issparse(block.X) else block.X
        assert rows.shape[0] == block.y.size == block.weight.size
        return [np.column_stack([rows, block.y, block.weight])]

    assert_array_equal(np.vstack(source.reduce(kernel)), np.column_stack([X, y, w]))
    assert source.n_passes == 1
    assert (source.n_rows, source.n_columns) == X.shape
    assert source.names == list("abcdef")


def test_empty_rows_are_kept():
    X = sparse.csr_array((5, 3))
    assert MemoryRows(X, block_bytes=1).reduce(lambda block: block.X.shape[0]) == 5


def test_no_rows_are_one_empty_block():
    for X in (np.empty((0, 3)), sparse.csr_array((0, 3)), sparse.csc_array((0, 3))):
        assert MemoryRows(X).reduce(lambda block: [block.X.shape]) == [(0, 3)]


def test_sparse_blocks_are_not_smaller_than_what_is_made_of_them(X):
    source = MemoryRows(sparse.csr_array(X), block_bytes=16)

    class Kernel:
        n_numbers = 10**6

        def __call__(self, block):
            return [block]

    assert len(source.reduce(lambda block: [block])) > 10
    assert len(source.reduce(Kernel())) == 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_blocks_are_views(X, kind):
    table = kind(X)
    parts = MemoryRows(table, block_bytes=300).reduce(lambda block: [block.X])
    assert len(parts) > 1
    owner = table if isinstance(table, np.ndarray) else table.data
    for part in parts:
        assert np.shares_memory(owner, part if isinstance(part, np.ndarray) else part.data)


def test_duplicate_entries_are_added_up_without_touching_the_callers_matrix():
    X = sparse.csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    total = MemoryRows(X).reduce(lambda block: block.X.toarray())
    assert_array_equal(total, [[3.0, 0.0], [0.0, 5.0]])
    assert_array_equal(X.data, [1.0, 2.0, 5.0])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_some_rows_bring_their_targets_and_weights(X, kind):
    rows, y, w = np.array([7, 3, 40]), np.arange(50), np.arange(50) / 7
    (block,) = MemoryRows(kind(X), y, w).take(rows).reduce(lambda block: [block])
    assert_array_equal(block.X.toarray() if sparse.issparse(block.X) else block.X, X[rows])
    assert_array_equal(block.y, rows)
    assert_array_equal(block.weight, rows / 7)


def test_rows_are_turned_to_columns_where_there_is_room(X):
    table = sparse.csr_array(X)
    for copied, kind in ((2**20, "csc"), (100, "csr"), (0, "csr")):
        source = MemoryRows(table, copied=copied)
        (found,) = source.reduce(lambda block: [block.X])
        assert found.format == kind
        assert_array_equal(found.toarray(), X)
        assert_array_equal(source.take(np.array([3, 1])).X.toarray(), X[[3, 1]])
    assert np.shares_memory(MemoryRows(table).X.data, table.data)


@pytest.mark.parametrize("copied", [0, 2**20])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_entries_given_twice_or_out_of_order_count_once(kind, copied):
    rows, columns = np.array([0, 0, 1, 1, 2, 2]), np.array([2, 0, 1, 1, 0, 2])
    entries = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    table = kind((entries, (rows, columns)), shape=(3, 3))
    if kind is sparse.csr_array:
        table = sparse.csr_array((entries, columns, np.array([0, 2, 4, 6])), shape=(3, 3))
    before = table.data.copy()
    found = MemoryRows(table, copied=copied).reduce(lambda block: [block.X])
    assert_array_equal(found[0].toarray(), [[2, 0, 1], [0, 7, 0], [5, 0, 6]])
    assert found[0].has_canonical_format
    assert_array_equal(table.data, before)


def test_threads_change_nothing(X, monkeypatch):
    """Blocks are added up in row order, whoever is done first."""
    rng = np.random.default_rng(1)
    table = rng.standard_normal((999, 7)) * 10.0 ** rng.integers(-8, 8, (999, 7))
    plain = MemoryRows(table, block_bytes=500).reduce(lambda block: block.X.T @ block.X)
    monkeypatch.setattr(memory, "LARGE_TABLE", 0)
    monkeypatch.setattr(memory, "allowed_threads", lambda: 4)
    source, threads = MemoryRows(table, block_bytes=500), set()

    def kernel(block):
        threads.add(threading.current_thread().name)
        return block.X.T @ block.X

    assert_array_equal(source.reduce(kernel), plain)
    assert all(name.startswith("fisherset") for name in threads)
