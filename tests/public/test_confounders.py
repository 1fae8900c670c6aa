"""Confounders and columns that are adjusted for: against residualising the table by least squares."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from fisherset import GeneralizedFisherScore, fisher_criterion
from support import reference

GAMMA = 5.0
STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


def confounded(seed, n=60, d=9):
    X, y = reference.random_problem(seed, n=n, d=d, c=3)
    rng = np.random.default_rng(seed)
    batch, age = rng.integers(0, 4, n), rng.uniform(20, 80, n)
    X = X + rng.normal(size=(4, d))[batch] + np.outer(age / 30, rng.normal(size=d))
    return X, y, batch, age


def residual(A, N, w):
    root = np.sqrt(w)[:, None]
    return A - N @ np.linalg.lstsq(N * root, A * root, rcond=None)[0]


def best_of_residuals(X, y, N, w, k, gamma=GAMMA):
    """The best subset by Eq. (8) on what least squares leave of X and of H."""
    n = w.sum()
    Z = residual(X, N, w)
    spread = np.sqrt(w @ Z**2 / n)
    Z = np.where(spread > 1e-9, Z / np.where(spread > 1e-9, spread, 1.0), 0.0)
    H = residual(np.eye(3)[y] / np.sqrt(np.bincount(y, w) / n), N, w)
    G, C = Z.T @ (Z * w[:, None]), Z.T @ (H * w[:, None])

    def value(A):
        A = list(A)
        return np.sum(C[A] * np.linalg.solve(G[np.ix_(A, A)] + gamma * np.eye(k), C[A])) / n

    allowed = np.flatnonzero(spread > 1e-9)
    best = max(itertools.combinations(allowed, k), key=value)
    return value(best), best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_as_residualising_does(seed, store, weighted):
    X, y, batch, age = confounded(seed)
    w = np.random.default_rng(seed).uniform(0.2, 2, 60) if weighted else np.ones(60)
    N = np.column_stack([np.eye(4)[batch], age])
    value, best = best_of_residuals(X, y, N, w, 3)
    Z = pd.DataFrame({"batch": np.array(list("abcd"))[batch], "age": age})
    selector = GeneralizedFisherScore(3, gamma=GAMMA)
    found = selector.fit(store(X), y, sample_weight=w if weighted else None, confounders=Z)
    assert_allclose(found.objective_, value, rtol=1e-8)
    assert_array_equal(found.get_support(indices=True), best)
    assert value <= found.upper_bound_ * (1 + 1e-10)
    assert found.upper_bound_ < 2.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("store", STORES)
def test_columns_of_the_table_are_adjusted_for(seed, store):
    X, y, _, age = confounded(seed)
    X[:, 4] = age
    N = np.column_stack([np.ones(60), age])
    value, best = best_of_residuals(X, y, N, np.ones(60), 3)
    found = GeneralizedFisherScore(3, gamma=GAMMA, adjust_for=[4]).fit(store(X), y)
    assert_allclose(found.objective_, value, rtol=1e-8)
    assert_array_equal(found.get_support(indices=True), best)
    assert not found.support_[4]
    assert found.ranking_[4] == 9


def test_copies_constants_and_sums_among_them_change_nothing():
    X, y, batch, age = confounded(1)
    plain = np.column_stack([np.eye(4)[batch][:, 1:], age])
    more = np.column_stack([plain, np.ones(60), 3 * age + 7, plain.sum(axis=1), 1e9 * age, np.zeros(60)])
    once = GeneralizedFisherScore(3).fit(X, y, confounders=plain)
    again = GeneralizedFisherScore(3).fit(X, y, confounders=more)
    assert_allclose(again.objective_, once.objective_, rtol=1e-8)
    assert_array_equal(again.support_, once.support_)
    constant = GeneralizedFisherScore(3).fit(X, y, confounders=np.ones((60, 2)))
    assert_allclose(constant.objective_, GeneralizedFisherScore(3).fit(X, y).objective_, rtol=1e-12)


def test_what_is_explained_wholly_is_said():
    X, y, batch, _ = confounded(2)
    X[:, 3] = np.array([3.0, 1.0, 4.0, 1.5])[batch]
    with pytest.warns(UserWarning, match="explain 1 features wholly, such as 3"):
        found = GeneralizedFisherScore(3).fit(X, y, confounders=batch.astype(str))
    assert not found.support_[3]
    with pytest.warns(UserWarning, match="explain 1 of 3 classes wholly, such as 2"):
        GeneralizedFisherScore(3).fit(X, y, confounders=(y == 2).astype(float))


def test_a_batch_that_explains_more_than_the_classes():
    rng = np.random.default_rng(0)
    n, d = 400, 200
    batch, y = rng.integers(0, 2, n), np.zeros(n, dtype=int)
    y[:] = rng.random(n) < np.where(batch, 0.8, 0.2)
    X = rng.standard_normal((n, d))
    X[:, :5] += 0.8 * y[:, None]
    X[:, 5:40] += 3.0 * batch[:, None]
    misled = GeneralizedFisherScore(5).fit(X, y)
    found = GeneralizedFisherScore(5).fit(X, y, confounders=batch)
    assert misled.support_[5:40].any()
    assert_array_equal(found.get_support(indices=True), np.arange(5))


def test_confounders_are_routed():
    X, y, batch, _ = confounded(3)
    with config_context(enable_metadata_routing=True):
        selector = GeneralizedFisherScore(3, gamma=GAMMA).set_fit_request(confounders=True)
        model = make_pipeline(selector, LogisticRegression()).fit(X, y, confounders=batch.astype(str))
    alone = GeneralizedFisherScore(3, gamma=GAMMA).fit(X, y, confounders=batch.astype(str))
    assert_array_equal(model[0].support_, alone.support_)
    assert model[0].objective_ == alone.objective_


BAD = {
    "short": (np.ones(59), "one row for each of the 60"),
    "with NaN": (np.r_[np.nan, np.ones(59)], "NaN or infinity"),
    "with gaps": ([None] + ["a"] * 59, "has 1"),
    "three dimensions": (np.ones((60, 2, 2)), "a table"),
    "no columns": (np.ones((60, 0)), "a table"),
    "lists": (pd.DataFrame({"z": [[1]] * 60}), "numbers or labels"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_confounders_get_a_sentence(case):
    confounders, message = BAD[case]
    X, y, _, _ = confounded(0)
    with pytest.raises((ValueError, TypeError), match=message):
        GeneralizedFisherScore(3).fit(X, y, confounders=confounders)


def test_adjusted_for_and_kept():
    X, y, _, _ = confounded(0)
    with pytest.raises(ValueError, match="keep must not name what is adjusted for; both name 2"):
        GeneralizedFisherScore(3, keep=[2], adjust_for=[2]).fit(X, y)


def test_categories_are_labels_even_where_they_are_numbers():
    rng = np.random.default_rng(0)
    X, y, batch = rng.normal(size=(60, 5)), np.arange(60) % 2, rng.integers(0, 3, 60)
    X += np.array([0.0, 3.0, 1.0])[batch][:, None]

    def F(confounders):
        return fisher_criterion(X, y, [0, 1], gamma=10.0, confounders=confounders)

    as_texts = F(batch.astype(str))
    assert F(pd.Series(batch, dtype="category")) == pytest.approx(as_texts)
    assert F(pd.DataFrame({"batch": pd.Categorical(batch)})) == pytest.approx(as_texts)
    assert F(np.eye(3)[batch]) == pytest.approx(as_texts)
    assert F(batch) != pytest.approx(as_texts)  # numbers are numbers


def test_strings_are_strings_and_numbers_in_a_list_numbers():
    X, y, batch, age = confounded(3)
    spelt, plain = np.array(["1E1", "10", "-0", "0"])[batch], np.array(list("abcd"))[batch]
    expected = GeneralizedFisherScore(3, gamma=GAMMA).fit(X, y, confounders=plain)
    kinds = (spelt, spelt.tolist(), pd.Series(spelt), np.array(["1", 1, "2", 2], dtype=object)[batch])
    for given in (*kinds, [["1", 1, "2", 2][code] for code in batch]):
        found = GeneralizedFisherScore(3, gamma=GAMMA).fit(X, y, confounders=given)
        assert_array_equal(found.support_, expected.support_)
        assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    both = pd.DataFrame({"batch": plain, "age": age})
    by_frame = GeneralizedFisherScore(3, gamma=GAMMA).fit(X, y, confounders=both)
    by_rows = GeneralizedFisherScore(3, gamma=GAMMA).fit(X, y, confounders=both.values.tolist())
    assert by_rows.objective_ == pytest.approx(by_frame.objective_, rel=1e-9)


def test_where_the_classes_are_explained_wholly_nothing_is_left_to_reach():
    X, y = reference.random_problem(2, n=60, d=6, c=3)
    with pytest.warns(UserWarning, match="explain 3 of 3 classes wholly"):
        selector = GeneralizedFisherScore(2).fit(X, y, confounders=y.astype(str))
    assert selector.objective_ == selector.gap_ == 0.0
    assert selector.upper_bound_ <= 1e-20  # the rounding of nothing
