"""A budget of bytes: it is kept, the answer is the same, and where every question is a pass these are few."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset.data import CountedRows, MemoryRows
from fisherset.solver import Domain, Trace, Units, closing, solve
from fisherset.statistics import (
    Classes,
    RowProducts,
    Scatter,
    StoredProducts,
    TableProblem,
    check_least_memory,
    least_memory,
    sum_moments,
)
from fisherset.statistics.kernels.sparse import SparseAccumulator
from fisherset.statistics.products.prefetch import (
    BATCH_FACTOR,
    SMALLEST_BATCH,
    GramBatches,
    GroupBlocks,
    Prefetcher,
)
from support import reference
from support.long_cases import first

BLOCK = 2**16  # bytes


def made(n, d, c, kind=np.asarray):
    """Columns of which a few tell the classes apart, with copies and noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, c, n)
    X = rng.poisson(0.4, (n, d)) * rng.uniform(0.5, 2, (n, d))
    X[:, :30] += 2 * (rng.random((n, 30)) < 0.2 + 0.6 * (y[:, None] == np.arange(30) % c))
    X[:, 30:40] += X[:, :10]
    return kind(X), y


def posed(X, y, *, together, budget=None, block_bytes=2**23):
    copied = 2**29 if budget is None else 0
    source = CountedRows(MemoryRows(X, y, block_bytes=block_bytes, copied=copied))
    coding = Classes(int(y.max()) + 1)
    scatter = Scatter(sum_moments(source, coding), coding)
    products = RowProducts(source, scatter.guard, together=together)
    return TableProblem(products, scatter, coding, budget=budget)


def least_peak(run, enough):
    """The result of a run and its peak of memory, the least of three unless one is low enough.

    Threads that other tests have left in this process allocate memory as well.
    """
    peaks = []
    for _ in range(3):
        tracemalloc.start()
        try:
            found = run()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        if peaks[-1] <= enough:
            break
    return found, min(peaks)


def solved(problem, k, groups=None):
    domain = Domain(Units(groups, problem.columns.size), k)
    (found,) = solve("joint", problem, [domain], problem.n, tol=1e-3, trace=Trace(max_iter=1000))
    return found


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("k", first(1, [5, 20]))
def test_the_answer_is_the_same_and_the_budget_is_kept(kind, together, k, monkeypatch):
    monkeypatch.setattr(closing, "LOOSE", 1.0)  # a diagonal needs all of G, which not every budget holds
    X, y = made(200, 800, 4, kind)
    expected = solved(posed(X, y, together=True), k)
    least = least_memory(800, 4, k, n_rows=200 if together else None, by_passes=not together)
    passes = []
    for budget in (least, 2 * least, 10 * least, 2**30):

        def run(budget=budget):
            problem = posed(X, y, together=together, budget=budget, block_bytes=BLOCK)
            return problem, solved(problem, k)

        (problem, found), peak = least_peak(run, budget + 2 * BLOCK)  # of which one is in memory
        assert peak <= budget + 2 * BLOCK
        assert_array_equal(found.units, expected.units)
        assert found.objective == pytest.approx(expected.objective, rel=1e-8)
        assert found.upper_bound == pytest.approx(expected.upper_bound, rel=2e-3)
        passes.append(problem.products.source.n_passes)
    if not together:
        assert passes[-1] <= 4  # one for the moments
        assert passes == sorted(passes, reverse=True)


def test_every_question_after_the_moments_is_a_batch():
    X, y = made(300, 2000, 4, sparse.csr_array)
    problem = posed(X, y, together=False)
    source = problem.products.source
    before, batches = source.n_passes, []
    cross = problem.products.cross

    def watched(columns, rows):
        batches.append(columns.size)
        return cross(columns, rows)

    problem.products.cross = watched
    solved(problem, 30)
    assert before <= 3
    assert source.n_passes == before + len(batches)  # no products by passes
    assert 1 <= len(batches) <= 3
    again = source.n_passes
    solved(problem, 30)
    solved(problem, 20)
    assert source.n_passes == again


@pytest.mark.parametrize(("name", "most"), first(2, [("pollen", 3), ("bladder16", 3), ("dorothea", 6)]))
def test_few_batches_on_real_data(real_data, name, most):
    X, y = real_data(name)
    X = sparse.csr_array(X, dtype=np.float64) if sparse.issparse(X) else X
    if name == "bladder16":
        X = (sparse.diags_array(1e4 / X.sum(axis=1)) @ X).log1p()
    for k in (10, 50):
        problem, expected = posed(X, y, together=False), posed(X, y, together=True)
        before = problem.products.source.n_passes
        found, plain = solved(problem, k), solved(expected, k)
        assert problem.products.source.n_passes <= before + most
        assert_array_equal(found.units, plain.units)
        assert found.objective == pytest.approx(plain.objective, rel=1e-8)


def test_groups_ask_for_their_blocks_once():
    X, y = made(300, 600, 4)
    groups = np.arange(600) // 2
    problem, plain = posed(X, y, together=False), posed(X, y, together=True)
    found, expected = solved(problem, 8, groups), solved(plain, 8, groups)
    assert_array_equal(found.units, expected.units)
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)
    assert problem.products.source.n_passes <= 6
    asked = []

    def compute(columns):
        asked.append(len(columns))
        return np.ones((len(columns), 2, 2))

    blocks = GroupBlocks(compute, 5 * 8 * 4)
    pairs = np.arange(20).reshape(-1, 2)
    for some in (pairs[:3], pairs[1:3], pairs[1:4], pairs):
        assert blocks.get(some).shape == (len(some), 2, 2)
    assert asked == [3, 1, 10]  # the last were too many to be kept


class Watched:
    """A Gram matrix that counts what is computed of it."""

    def __init__(self, d):
        Z = np.random.default_rng(0).standard_normal((3 * d, d))
        self.G, self.asked = Z.T @ Z, []

    def __call__(self, columns, rows):
        self.asked.append((columns.size, len(self.G) if rows is None else rows.size))
        return self.G[np.ix_(columns, np.arange(len(self.G)) if rows is None else rows)]


@pytest.mark.parametrize("n_whole", [0, 2, 5, 9, 16, 60])
def test_batches_answer_as_the_matrix_does(n_whole):
    d, rng = 30, np.random.default_rng(1)
    compute = Watched(d)
    budget = int(8 * d * n_whole / 0.75) + 1
    cache = GramBatches(compute, d, budget, Prefetcher(rng.standard_normal((d, 2))))
    keep = cache._keep

    def watched(columns, values):  # what is on its way is there twice, besides what is kept
        kept = cache._kept.size
        keep(columns, values)
        assert 8 * d * (kept + 2 * columns.size) <= budget
        assert cache._values.nbytes <= budget

    cache._keep = watched
    for _ in range(60):
        columns = rng.choice(d, rng.integers(1, 12), replace=False)
        rows = None if rng.random() < 0.3 else rng.choice(d, rng.integers(1, 12), replace=False)
        found = cache.get(columns, rows)
        assert_allclose(found, compute.G[columns] if rows is None else compute.G[np.ix_(columns, rows)])
        if found.flags.writeable:  # else it is lent
            found[:] = 0.0
        W = rng.standard_normal((columns.size, 3))
        if cache.holds(columns):
            assert_allclose(cache.product(columns, W), compute.G[:, columns] @ W, atol=1e-9)
        assert 2 * cache._block._values.nbytes <= 0.25 * budget
    if n_whole >= 2 * d:
        assert len(compute.asked) == 1


def test_with_what_is_asked_comes_what_is_expected():
    d = 2 * SMALLEST_BATCH
    compute = Watched(d)
    C = np.zeros((d, 1))
    C[::2, 0] = np.arange(d, 0, -2)
    cache = GramBatches(compute, d, 8 * d * 8 * d, Prefetcher(C))
    cache.get(np.array([1, 3]), None)
    assert compute.asked == [(SMALLEST_BATCH, d)]
    assert cache.holds(np.array([1, 3, *range(0, d - 4, 2)]))
    assert compute.asked == [(SMALLEST_BATCH, d)]
    many = np.setdiff1d(np.arange(d), cache._kept)[: d // 4]
    cache.get(many, many)
    assert compute.asked[1:] == [(min(BATCH_FACTOR * many.size, d - SMALLEST_BATCH), d)]


def test_what_is_left_is_expected():
    C = np.array([[3.0], [2.0], [1.0], [0.5]])
    foresight, none = Prefetcher(C), np.zeros(4, dtype=bool)
    assert foresight(2, none).tolist() == [0, 1]
    assert foresight(2, np.array([True, False, False, False])).tolist() == [1, 2]
    foresight.learn(np.array([[3.0], [2.1], [0.0], [-1.0]]))
    assert foresight(2, none).tolist() == [2, 3]
    assert foresight(0, none).size == 0
    assert foresight(9, none).tolist() == [0, 1, 2, 3]


def test_products_that_are_stored_count():
    X, y = made(200, 100, 3)
    plain = posed(X, y, together=True)
    stored = StoredProducts(plain.products.cross(np.arange(100), None), plain.scatter.moments)
    given = stored, plain.scatter, plain.coding
    budget = 10**6
    assert TableProblem(*given, budget=budget).room == (
        TableProblem(plain.products, *given[1:], budget=budget - stored.XX.nbytes).room
    )


def test_too_little_is_said_with_what_it_takes():
    least = least_memory(1_000_000, 2, 50, by_passes=True)
    message = r"max_memory must be at least 0?\.?\d+\.\d .B for this: 50 features .* got 100\.0 MB\. Raise"
    with pytest.raises(ValueError, match=message):
        check_least_memory(10**8, least, "50 features of 1,000,000 columns")
    check_least_memory(None, least, "")
    check_least_memory(least, least, "")
    assert least_memory(1000, 3, 10) < least_memory(1000, 3, 500) < least_memory(1000, 300, 500)
    assert least_memory(1000, 3, 500, n_rows=20) < least_memory(1000, 3, 500)
    for by_passes in (False, True):
        for k in range(1, 60):
            budget = least_memory(1000, 3, k, by_passes=by_passes)
            X, y = made(20, 50, 3)
            problem = posed(X, y, together=not by_passes, budget=budget)
            assert problem.room >= k**2


@pytest.mark.parametrize("share", [0.001, 0.05, 0.5])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_sparse_products_are_those_of_the_numbers(share, kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 400)) * (rng.random((60, 400)) < share)
    w, some, others = rng.uniform(0.5, 2, 60), np.array([7, 3, 200]), np.array([399, 0, 7, 5])
    source = MemoryRows(kind(X), weight=w, block_bytes=16 * 40)
    guard = Scatter(sum_moments(MemoryRows(X), Classes(1)), Classes(1)).guard
    products = RowProducts(source, guard)
    weighted = X.T @ (w[:, None] * X)
    assert_allclose(products.cross(some, None), weighted[some], atol=1e-12)
    assert_allclose(products.cross(some, others), weighted[np.ix_(some, others)], atol=1e-12)
    W = rng.standard_normal((3, 2))
    combined = products.combined(some, W, np.zeros((1, 2)))
    assert_allclose(combined, np.vstack([weighted[:, some] @ W, w @ X[:, some] @ W]), atol=1e-12)


def test_sparse_parts_add_up_to_an_array():
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((4, 9)) * (rng.random((4, 9)) < 0.4) for _ in range(4)]
    first, second, third = (
        SparseAccumulator(sparse.csr_array(parts[0])),
        SparseAccumulator(sparse.csr_array(parts[1])),
        parts[2],
    )
    for total in (first + second, third + (first + second), pickle.loads(pickle.dumps(first)) + third):
        assert np.asarray(total).flags.writeable
    assert_allclose(np.asarray(first + second), parts[0] + parts[1])
    assert_allclose(np.asarray(third + first), parts[0] + parts[2])
    total = first
    total += second
    total += SparseAccumulator(parts[3])
    assert total is first
    assert_allclose(np.asarray(total), parts[0] + parts[1] + parts[3])
    assert_allclose(np.asarray(second), parts[1])  # those that are added stay as they are


def test_what_is_as_large_as_the_sums_is_made_of_them_in_slices(monkeypatch):
    from fisherset.statistics.sums import scatter as module

    X, y = reference.random_problem(1, n=60, d=12, c=5)
    whole = posed(X, y, together=True)
    monkeypatch.setattr(module, "SLICE", 11)
    sliced = posed(X, y, together=True)
    assert_allclose(sliced.C, whole.C, rtol=1e-13, atol=1e-13)
    assert_allclose(sliced.scatter.between, whole.scatter.between, rtol=1e-13)
    some = np.array([3, 7])
    assert_allclose(sliced.scatter.sums_of(some), whole.scatter.sums_of(slice(None))[:, some])
