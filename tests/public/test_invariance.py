"""Property tests: what must not change the answer does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fisherset import FisherScore, GeneralizedFisherScore
from support import reference

problems = st.builds(
    reference.random_problem,
    st.integers(0, 10**6),
    n=st.integers(16, 40),
    d=st.integers(3, 20),
    c=st.integers(2, 4),
)
solvers = st.sampled_from(["joint", "cutting-plane", "exact"])
gammas = st.sampled_from([0.5, 10.0, "scale"])


def fitted(X, y, gamma="scale", solver="joint", **parameters):
    k = max(1, X.shape[1] // 3)
    return GeneralizedFisherScore(k, gamma=gamma, solver=solver, **parameters).fit(X, y)


def assert_same(one, other, order=slice(None)):
    assert_array_equal(one.support_[order], other.support_)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-8)


@given(problems, solvers, gammas, st.randoms(use_true_random=False))
def test_permuted_columns(problem, solver, gamma, random):
    X, y = problem
    order = random.sample(range(X.shape[1]), X.shape[1])
    assert_same(fitted(X, y, gamma, solver), fitted(X[:, order], y, gamma, solver), order)


@given(problems, solvers, gammas, st.integers(0, 1000))
def test_flipped_scaled_and_shifted_columns(problem, solver, gamma, seed):
    X, y = problem
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    changed = X * rng.choice([-1, 1], d) * 10 ** rng.uniform(-6, 6, d)
    changed += changed.std(axis=0) * rng.uniform(-1e3, 1e3, d)
    assert_same(fitted(X, y, gamma, solver), fitted(changed, y, gamma, solver))


@given(problems, solvers, gammas, st.randoms(use_true_random=False))
def test_relabelled_classes(problem, solver, gamma, random):
    X, y = problem
    labels = np.array(random.sample(["red", "green", "blue", "grey"], 4))
    assert_same(fitted(X, y, gamma, solver), fitted(X, labels[y], gamma, solver))


@given(problems, st.randoms(use_true_random=False))
def test_permuted_rows(problem, random):
    X, y = problem
    order = random.sample(range(len(y)), len(y))
    assert_same(fitted(X, y), fitted(X[order], y[order]))


@given(problems, solvers, st.sampled_from([0.5, 10.0]))
def test_every_row_twice_with_gamma_doubled(problem, solver, gamma):
    X, y = problem
    twice = fitted(np.vstack([X, X]), np.concatenate([y, y]), 2 * gamma, solver)
    assert_same(fitted(X, y, gamma, solver), twice)


@given(problems, st.booleans())
def test_the_answer_is_always_well_formed(problem, standardize):
    X, y = problem
    selector = fitted(X, y, standardize=standardize)
    k, d = max(1, X.shape[1] // 3), X.shape[1]
    assert selector.support_.sum() == k
    assert sorted(selector.ranking_) == list(range(1, d + 1))
    assert selector.ranking_[selector.support_].max() == k
    assert selector.scores_.min() >= 0
    assert selector.scores_.max() <= 1
    assert 0 <= selector.objective_ <= selector.upper_bound_
    assert 0 <= selector.gap_ < 1


@given(problems)
def test_large_gamma_is_the_fisher_ranking(problem):
    X, y = problem
    k = max(1, X.shape[1] // 3)
    assert_array_equal(fitted(X, y, 1e9).support_, FisherScore(k).fit(X, y).support_)
