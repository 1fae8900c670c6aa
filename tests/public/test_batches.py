"""A batch that explains more than the classes: what is selected beside it, and whether that holds."""

import itertools
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from fisherset import GeneralizedFisherScore, JointRegressionScore, certify, fisher_criterion
from fisherset.solver import closing

K, OF_BATCH = 8, 40
SEEDS = range(5)


def study(seed, batches=2, n=2400, d=300):
    """K features tell the class, OF_BATCH the batch, and more clearly; most of a batch is of one class."""
    rng = np.random.default_rng(seed)
    batch = rng.integers(0, batches, n)
    y = np.where(rng.random(n) < 0.85, batch, rng.integers(0, batches, n))
    X = rng.standard_normal((n, d))
    # all features of a kind tell as much, of directions that differ where there are more than two classes
    X[:, :K] += 0.8 * directions(batches, K)[y]
    X[:, K : K + OF_BATCH] += 2.0 * directions(batches, OF_BATCH)[batch]
    return X, y, batch


def directions(values, count):
    """Nought or one for each value and feature, neither the same for all values."""
    kinds = [kind for kind in itertools.product([0.0, 1.0], repeat=values) if 0 < sum(kind) < values]
    return np.array(list(itertools.islice(itertools.cycle(kinds), count))).T


def residuals(X, y, batch):
    """Residuals of the features by least squares, then scaled, and of H of Eq. (9)."""
    N = np.eye(batch.max() + 1)[batch]
    H = np.eye(y.max() + 1)[y] / np.sqrt(np.bincount(y) / y.size)
    Z, H = (A - N @ np.linalg.lstsq(N, A, rcond=None)[0] for A in (X, H))
    return Z / np.sqrt((Z**2).mean(axis=0)), H


def criterion(G, C, n, members, gamma):
    """Eq. (8) as it stands."""
    A = list(members)
    return np.sum(C[A] * np.linalg.solve(G[np.ix_(A, A)] + gamma * np.eye(len(A)), C[A])) / n


def share_explained(X, by):
    centred = X - X.mean(axis=0)
    between = sum((by == one).sum() * centred[by == one].mean(axis=0) ** 2 for one in np.unique(by))
    return between.sum() / (centred**2).sum()


def to_another_batch(X, y, batch):
    """Balanced accuracy from each batch to the others, on average."""
    model, found = LogisticRegression(class_weight="balanced"), []
    for one in np.unique(batch):
        here, there = batch == one, batch != one
        found.append(balanced_accuracy_score(y[there], model.fit(X[here], y[here]).predict(X[there])))
    return np.mean(found)


@pytest.mark.parametrize("batches", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_features_of_the_classes_are_found_and_hold(seed, batches):
    X, y, batch = study(seed, batches)
    assert share_explained(X, batch) > share_explained(X, y)
    half = np.arange(y.size) % 2 == 0  # chooses, the other half trains and tests
    selector = GeneralizedFisherScore(K, gamma=float(y.size))  # at which the best of the batch are selected
    plain = clone(selector).fit(X[half], y[half])
    found = clone(selector).fit(X[half], y[half], confounders=batch[half].astype(str))
    assert plain.support_[K : K + OF_BATCH].sum() >= K - 2
    assert_array_equal(found.get_support(indices=True), np.arange(K))
    misled, right = (
        to_another_batch(X[~half][:, s.support_], y[~half], batch[~half]) for s in (plain, found)
    )
    assert misled < 1 / batches + 0.15
    assert right > misled + 0.2


@pytest.mark.parametrize("batches", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_f_is_that_of_what_residualising_leaves(seed, batches):
    X, y, batch = study(seed, batches)
    Z, H = residuals(X, y, batch)
    literally = partial(criterion, Z.T @ Z, Z.T @ H, y.size)
    labels = batch.astype(str)
    found = GeneralizedFisherScore(K).fit(X, y, confounders=labels)
    chosen, gamma = found.get_support(indices=True), found.gamma_
    assert_array_equal(chosen, np.arange(K))
    assert_allclose(found.objective_, literally(chosen, gamma), rtol=1e-9)
    for old, new in itertools.product(chosen, range(K, X.shape[1])):  # no exchange would help
        assert literally([*np.setdiff1d(chosen, old), new], gamma) <= found.objective_ * (1 + 1e-9)
    plain = GeneralizedFisherScore(K).fit(X, y).get_support(indices=True)
    value = fisher_criterion(X, y, plain, gamma=gamma, confounders=labels)
    assert_allclose(value, literally(plain, gamma), rtol=1e-9)
    grade = certify(X, y, plain, gamma=gamma, confounders=labels)
    assert_allclose(grade.objective, value, rtol=1e-12)
    assert grade.gap > 0.4


@pytest.mark.parametrize("k", [3, 8, 20])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_are_chosen_of_a_residualised_table(seed, k, monkeypatch):
    """Of two classes H is one column, so that the residuals are a regression's table and target."""
    monkeypatch.setattr(closing, "LOOSE", 1.0)  # a diagonal is improved until it is good enough, not the best
    X, y, batch = study(seed)
    Z, H = residuals(X, y, batch)
    found = GeneralizedFisherScore(k, gamma=500.0).fit(X, y, confounders=batch)
    target = H[:, 1]
    same = JointRegressionScore(k, gamma=500.0).fit(Z, target)
    assert_array_equal(found.support_, same.support_)
    left = (H**2).sum() / y.size  # of H; the regression scales what is left to one
    assert_allclose(found.objective_, left * same.objective_, rtol=1e-8)
    assert_allclose(found.upper_bound_, left * same.upper_bound_, rtol=2e-3)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("batches", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_set_is_better_by_brute_force(seed, batches, store):
    X, y, batch = study(seed, batches)
    X = X[:400, [*range(5), *range(K, K + 5), *range(K + OF_BATCH, K + OF_BATCH + 4)]]
    y, batch = y[:400], batch[:400]
    Z, H = residuals(X, y, batch)
    found = GeneralizedFisherScore(4, gamma=100.0).fit(store(X), y, confounders=batch.astype(str))
    literally = partial(criterion, Z.T @ Z, Z.T @ H, y.size, gamma=100.0)
    best = max(itertools.combinations(range(X.shape[1]), 4), key=literally)
    assert_array_equal(found.get_support(indices=True), best)
    assert_allclose(found.objective_, literally(best), rtol=1e-9)


def test_a_column_of_the_table_is_taken_out_as_one_beside_it():
    X, y, batch = study(0)
    beside = GeneralizedFisherScore(K).fit(X, y, confounders=batch)
    within = GeneralizedFisherScore(K, adjust_for=[0]).fit(np.column_stack([batch, X]), y)
    assert_array_equal(within.support_[1:], beside.support_)
    assert_allclose(within.objective_, beside.objective_, rtol=1e-9)
