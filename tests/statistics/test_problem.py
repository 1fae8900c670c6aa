"""One contract for the solver's problem, run on every storage: equal to plain dense algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset.data import CountedRows, MemoryRows
from fisherset.statistics import Classes, RowProducts, Scatter, TableProblem, sum_moments
from support import reference


def table(kind, X, y, weights=None, *, standardize=True, block_bytes=700, cache_bytes=10**6, eager=False):
    source = CountedRows(MemoryRows(kind(X), y, weights, block_bytes=block_bytes))
    coding = Classes(y.max() + 1)
    scatter = Scatter(sum_moments(source, coding), coding)
    products = RowProducts(source, scatter.guard)
    problem = TableProblem(products, scatter, coding, standardize=standardize, eager=eager)
    problem._cache = type(problem._cache)(problem._gram_columns, problem.columns.size, cache_bytes)
    return problem


def run_problem(problem, Z, H, columns):
    """The contract: Z and H are the centred, scaled, weighted rows that the problem stands for."""
    G, r = Z.T @ Z, H.shape[1] - 1
    rows = np.array([0, 3, 4])
    some = np.array([4, 1])
    assert_array_equal(problem.columns, columns)
    assert problem.C.shape == (Z.shape[1], r)
    assert_allclose(problem.C @ problem.C.T, Z.T @ H @ H.T @ Z, rtol=1e-9, atol=1e-9)
    assert_allclose(problem.diagonal, np.diag(G), rtol=1e-10)
    for _ in range(2):  # the second time from the cache
        assert_allclose(problem.gram(some), G[:, some], rtol=1e-9, atol=1e-9)
        assert_allclose(problem.gram(some, rows=rows), G[np.ix_(rows, some)], rtol=1e-9, atol=1e-9)
    W = np.arange(6.0).reshape(2, 3)
    assert_allclose(problem.product(some, W), G[:, some] @ W, rtol=1e-9, atol=1e-9)
    samples, q = problem.samples, np.array([0.3, 1.0])
    assert samples.size == len(Z)
    assert_allclose(samples.kernel(some, q), (Z[:, some] * q) @ Z[:, some].T, rtol=1e-9, atol=1e-9)
    assert_allclose(samples.values(some), Z[:, some], rtol=1e-9, atol=1e-9)
    assert_allclose(Z.T @ samples.H, problem.C, rtol=1e-9, atol=1e-9)
    off = np.abs(problem.gram(np.arange(Z.shape[1])) - G)  # no more than the problem says of itself
    lengths = problem.rounding.lengths
    assert np.all(off <= problem.rounding.unit * np.outer(lengths, lengths))
    assert_allclose(samples.H @ samples.H.T, H @ H.T, rtol=1e-9, atol=1e-9)


KINDS = {
    "C-order": np.ascontiguousarray,
    "F-order": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 3
    return rng.poisson(0.8, (40, 8)) * rng.uniform(0.5, 2, (40, 8)) + 0.5 * (y[:, None] == 1), y


@pytest.mark.parametrize("cache_bytes", [0, 10**6])
@pytest.mark.parametrize("standardize", [True, False])
def test_plain(kind, data, standardize, cache_bytes):
    X, y = data
    Z = reference.standardize(X) if standardize else X - X.mean(axis=0)
    problem = table(kind, X, y, standardize=standardize, cache_bytes=cache_bytes)
    run_problem(problem, Z, reference.indicator(y), np.arange(8))


def test_weights(kind, data):
    X, y = data
    w = np.random.default_rng(1).uniform(0.1, 3, 40)
    mean = w @ X / w.sum()
    Z = (X - mean) / np.sqrt(w @ (X - mean) ** 2 / w.sum()) * np.sqrt(w)[:, None]
    share = np.bincount(y, w) / w.sum()
    H = (np.eye(3)[y] / np.sqrt(share) - np.sqrt(share)) * np.sqrt(w)[:, None]
    problem = table(kind, X, y, w)
    # the part of H along the constant direction is left out of sample space; Z'H does not see it
    constant = np.sqrt(w / w.sum())
    assert_allclose(Z.T @ constant, 0, atol=1e-10)
    run_problem(problem, Z, H, np.arange(8))


def test_constant_columns_drop_out(kind, data):
    X, y = data
    X[:, 2], X[:, 6] = 0.0, 3.25
    left = np.array([0, 1, 3, 4, 5, 7])
    run_problem(table(kind, X, y), reference.standardize(X[:, left]), reference.indicator(y), left)


def test_offsets(kind, data):
    X, y = data
    X = np.round(X * 64) / 64  # exact in binary, so that the shift loses nothing
    Z = reference.standardize(X)
    run_problem(table(kind, X + 1e8, y), Z, reference.indicator(y), np.arange(8))


def test_scales(kind, data):
    X, y = data
    run_problem(
        table(kind, X * 10.0 ** np.array([-150, 150, 0, 3, -160, 100, -100, 8]), y),
        reference.standardize(X),
        reference.indicator(y),
        np.arange(8),
    )


def test_integers_do_not_wrap(kind, data):
    X, y = data
    X = np.minimum(X * 60, 255).astype(np.uint8)
    run_problem(table(kind, X, y), reference.standardize(X), reference.indicator(y), np.arange(8))


def test_a_block_met_again_costs_no_pass(data):
    X, y = data
    problem = table(np.asarray, X, y)
    whole = table(np.asarray, X, y).gram(np.arange(8))
    some, others = np.array([0, 4]), np.array([5, 1, 0])
    problem.gram(some, rows=others)
    before = problem.products.source.n_passes
    assert_allclose(problem.gram(others, rows=some), whole[np.ix_(some, others)])
    assert_allclose(problem.gram(others, rows=others), whole[np.ix_(others, others)])
    assert problem.products.source.n_passes == before
    assert_allclose(problem.gram(np.array([2, 1]), rows=some), whole[np.ix_(some, [2, 1])])
    assert problem.products.source.n_passes == before + 1


def test_a_long_thin_block_is_not_filled_in(data):
    X, y = data
    problem = table(np.asarray, X, y)
    problem.gram(np.array([0]), rows=np.arange(8))
    assert problem._cache._kept.size == 0


@pytest.mark.parametrize("eager", [False, True])
def test_cache_keeps_within_its_budget(data, eager):
    X, y = data
    problem = table(np.asarray, X, y, cache_bytes=3 * 8 * 8, eager=eager)
    expected = table(np.asarray, X, y).gram(np.arange(8))
    for columns in ([0, 1], [2, 3], [3, 1], [0, 5, 6, 7], [6, 2]):
        found = problem.gram(np.array(columns), rows=np.array(columns))
        assert_allclose(found, expected[np.ix_(columns, columns)])
        assert problem._cache._values.nbytes <= 3 * 8 * 8


def test_whole_columns_used_last_are_kept(data):
    X, y = data
    problem = table(np.asarray, X, y, cache_bytes=3 * 8 * 8, eager=True)
    problem.gram(np.array([0, 1]))
    problem.gram(np.array([2, 3]))
    assert sorted(problem._cache._kept) == [1, 2, 3]
    before = problem.products.source.n_passes
    problem.gram(np.array([3, 1]), rows=np.array([5]))
    assert problem.products.source.n_passes == before
    problem.gram(np.array([4]))
    assert sorted(problem._cache._kept) == [1, 3, 4]


def test_a_column_that_was_let_go_is_computed_again(data):
    X, y = data
    problem = table(np.asarray, X, y, cache_bytes=2 * 8 * 8, eager=True)
    whole = table(np.asarray, X, y).gram(np.arange(8))
    for columns in ([1], [0], [2], [1, 0], [3, 3], [1, 3], [0, 1]):
        W = np.eye(len(columns))
        assert_allclose(problem.product(np.array(columns), W), whole[:, columns], rtol=1e-9, atol=1e-9)
        assert_allclose(problem.gram(np.array(columns)), whole[:, columns], rtol=1e-9, atol=1e-9)
