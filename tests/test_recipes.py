"""The recipes of CONTRIBUTING: a source, a coding and a solver of one's own, each a few lines."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import GeneralizedFisherScore, certify
from fisherset.data import Block, MemoryRows
from fisherset.solver import SOLVERS, Solution, conclude, measure_subset, relax
from fisherset.statistics import Classes, RowProducts, Scatter, StoredProducts, TableProblem, sum_moments
from fisherset.statistics.products.products import CombinedKernel, CrossKernel, TakeKernel
from fisherset.statistics.sums.errors import TargetErrors
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import MomentsKernel
from support import reference
from support.solver_calls import solve_one


class ChunkedRows:
    """Rows: a table that comes in chunks, each read when its turn comes."""

    names = targets = None

    def __init__(self, chunks):
        self.chunks = chunks
        self.n_rows, self.n_columns = sum(len(y) for _, y in chunks), chunks[0][0].shape[1]

    def head(self):
        return Block(*self.chunks[0])

    def labels(self, found):
        return found

    def reduce(self, kernel, *, columns=True):
        first, *others = (kernel(Block(X, y)) for X, y in self.chunks)
        for other in others:
            first = first + other
        return first


class Numbers:
    """A coding: numbers to be explained, each in units of its standard deviation."""

    adds_up = False

    def __init__(self, size):
        self.size = size

    def rows(self, y):
        return y

    def rotate(self, A, moments):
        return A / np.sqrt(moments.TT / moments.n - (moments.NT[0] / moments.n) ** 2)

    def ceiling(self, moments):
        return float(self.size)

    def errors(self, moments):
        lengths = np.sqrt(moments.T_added) + moments.N_length * np.sqrt(moments.explained)
        left = moments.TT - moments.explained
        share = float(np.max(moments.unit * lengths**2 / left))
        return TargetErrors(float(np.sqrt(np.sum(lengths**2 / left) * moments.n)), 2 * share)


def ranking_path(task):
    """A solver: the best columns one by one, with the certificate of the relaxation."""
    problem, domains, gamma, tol, certified, trace, _ = task
    for domain in domains:
        units = domain.best(np.sum(problem.C**2, axis=1))
        state = measure_subset(problem, units, gamma)
        relaxation = relax(problem, domain, gamma, tol=tol if certified else None, trace=trace)
        yield conclude(problem, domain, units, state, relaxation.q, relaxation, trace)


def problem_of(source, coding, **kwargs):
    scatter = Scatter(sum_moments(source, coding), coding)
    return TableProblem(RowProducts(source, scatter.guard), scatter, coding, **kwargs)


@pytest.fixture
def data():
    X, y = reference.random_problem(3, n=60, d=9, c=3)
    return X + 1000.0 * (np.arange(9) == 4), y


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_source(data, kind):
    X, y = data
    cuts = [slice(0, 5), slice(5, 41), slice(41, 60)]
    ours = problem_of(ChunkedRows([(kind(X[rows]), y[rows]) for rows in cuts]), Classes(3))
    plain = problem_of(MemoryRows(X, y), Classes(3))
    found, expected = (solve_one("joint", problem, 4, 20.0) for problem in (ours, plain))
    assert_array_equal(found.units, expected.units)
    assert found.objective == pytest.approx(expected.objective, rel=1e-10)
    assert found.upper_bound == pytest.approx(expected.upper_bound, rel=1e-8)
    assert_allclose(ours.samples.values(np.arange(9)), reference.standardize(X), rtol=1e-9, atol=1e-9)


def test_a_coding(data):
    X, _ = data
    rng = np.random.default_rng(0)
    Y = X[:, :2] @ rng.normal(size=(2, 2)) + rng.normal(size=(60, 2))
    problem = problem_of(MemoryRows(X, Y, block_bytes=500), Numbers(2))
    Z, H = reference.standardize(X), reference.standardize(Y)
    assert_allclose(problem.C, Z.T @ H, rtol=1e-9, atol=1e-9)
    assert_allclose(problem.samples.H, H, rtol=1e-9, atol=1e-9)
    found = solve_one("joint", problem, 3, 5.0)
    A = found.units
    F = np.trace(H.T @ Z[:, A] @ np.linalg.solve(Z[:, A].T @ Z[:, A] + 5 * np.eye(3), Z[:, A].T @ H)) / 60
    assert found.objective == pytest.approx(F, rel=1e-9)
    assert F <= found.upper_bound <= 2


def test_a_solver(data, monkeypatch):
    X, y = data
    monkeypatch.setitem(SOLVERS, "ranking", ranking_path)
    ours = GeneralizedFisherScore(4, gamma=20.0, solver="ranking").fit(X, y)
    scores = np.sum(problem_of(MemoryRows(X, y), Classes(3)).C ** 2, axis=1)
    assert_array_equal(ours.get_support(indices=True), np.sort(np.argsort(-scores)[:4]))
    joint = GeneralizedFisherScore(4, gamma=20.0).fit(X, y)
    assert ours.objective_ <= joint.objective_ <= ours.upper_bound_


def test_a_solver_need_not_be_trusted(data, monkeypatch):
    """Claims of a solver are proven on the problem: a wrong objective does not get through."""
    X, y = data

    def liar(task):
        for found in ranking_path(task):
            yield Solution(**{**found.__dict__, "objective": 99.0})

    monkeypatch.setitem(SOLVERS, "liar", liar)
    found = GeneralizedFisherScore(4, gamma=20.0, solver="liar").fit(X, y)
    assert found.objective_ == pytest.approx(certify(X, y, found.support_, gamma=20.0).objective)


def test_stored_products_are_those_of_the_rows(data):
    """A matrix of products and the moments beside it stand for the rows."""
    X, y = data
    plain = problem_of(MemoryRows(X, y), Classes(3))
    scatter = plain.scatter
    stored = StoredProducts(plain.products.cross(np.arange(9), None), scatter.moments)
    ours = TableProblem(stored, scatter, Classes(3))
    some, W = np.array([7, 2, 4]), np.arange(6.0).reshape(3, 2)
    assert_allclose(ours.gram(some), plain.gram(some), rtol=1e-9, atol=1e-8)
    assert_allclose(ours.product(some, W), plain.product(some, W), rtol=1e-9, atol=1e-7)
    assert ours.samples is None
    assert_array_equal(solve_one("joint", ours, 4, 20.0).units, solve_one("joint", plain, 4, 20.0).units)


class Adjusted(MemoryRows):
    """Rows with confounders beside them."""

    def __init__(self, X, y, Z, weight):
        super().__init__(X, y, weight, block_bytes=400)
        self.Z = Z

    def _arguments(self, rows):
        return self.y[rows], self.weight[rows], self.Z[rows]


def test_confounders_are_taken_out_like_the_mean(data):
    """N = [1, Z] is one matrix: what is left of the columns is what least squares on N leaves."""
    X, y = data
    rng = np.random.default_rng(1)
    Z, w = rng.normal(size=(60, 2)), rng.uniform(0.2, 2, 60)
    problem = problem_of(Adjusted(X, y, Z, w), Classes(3), standardize=False)
    root = np.sqrt(w)[:, None]
    N = np.column_stack([np.ones(60), Z]) * root
    left = X * root - N @ np.linalg.lstsq(N, X * root, rcond=None)[0]
    everything, W = np.arange(9), rng.normal(size=(9, 2))
    assert_allclose(problem.gram(everything), left.T @ left, rtol=1e-8, atol=1e-7)
    assert_allclose(problem.product(everything, W), left.T @ left @ W, rtol=1e-8, atol=1e-7)
    assert_allclose(problem.samples.values(everything), left, rtol=1e-8, atol=1e-8)
    K = problem.samples.kernel(everything, np.ones(9))
    assert_allclose(K, left @ left.T, rtol=1e-8, atol=1e-7)
    share = np.bincount(y, w) / w.sum()
    H = np.eye(3)[y] / np.sqrt(share) * root
    H -= N @ np.linalg.lstsq(N, H, rcond=None)[0]
    assert_allclose(problem.C @ problem.C.T, left.T @ H @ H.T @ left, rtol=1e-7, atol=1e-6)


def test_kernels_are_small_and_can_be_sent():
    """Nothing of the table goes with a kernel."""
    X, y = np.random.default_rng(0).normal(size=(20_000, 30)), np.arange(20_000) % 3
    guard, some = Guard(np.full(30, 0.5), np.ones(30)), np.array([3, 1])
    for kernel in (
        MomentsKernel(Classes(3)),
        CrossKernel(guard, some, None),
        CombinedKernel(guard, some, np.ones((2, 2)), np.zeros((1, 2))),
        TakeKernel(guard, some),
    ):
        sent = pickle.dumps(kernel)
        assert len(sent) < 3000
        again, direct = pickle.loads(sent)(Block(X, y)), kernel(Block(X, y))
        if isinstance(kernel, CrossKernel | CombinedKernel):
            assert_array_equal(again, direct)
        elif isinstance(kernel, TakeKernel):
            assert_array_equal(again[0].X, direct[0].X)
        else:
            assert_array_equal(again.TX, direct.TX)
