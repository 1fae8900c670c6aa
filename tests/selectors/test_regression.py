"""Targets that are numbers: against Eq. (8) with standardised targets, by brute force."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_diabetes

from fisherset import GeneralizedFisherScore, JointRegressionScore, certify, fisher_criterion, selection_path
from support import reference

GAMMA = 5.0
STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


def numbers(seed, n=60, d=9, p=2):
    X, _ = reference.random_problem(seed, n=n, d=d, c=3)
    rng = np.random.default_rng(seed)
    return X, X[:, :4] @ rng.normal(size=(4, p)) + rng.normal(size=(n, p))


def value_of(Z, H, w, A, gamma=GAMMA):
    A = list(A)
    G, C = Z[:, A].T @ (Z[:, A] * w[:, None]), Z[:, A].T @ (H * w[:, None])
    return np.sum(C * np.linalg.solve(G + gamma * np.eye(len(A)), C)) / w.sum()


def standardized(A, w):
    A = A - w @ A / w.sum()
    return A / np.sqrt(w @ A**2 / w.sum())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("p", [1, 2, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_brute_force(seed, store, p, weighted):
    X, Y = numbers(seed, p=p)
    w = np.random.default_rng(seed).uniform(0.2, 2, 60) if weighted else np.ones(60)
    Z, H = standardized(X, w), standardized(Y, w)
    best = max(value_of(Z, H, w, A) for A in itertools.combinations(range(9), 3))
    y = Y[:, 0] if p == 1 else Y * 10.0 ** np.arange(-2, p - 2) + 3.0  # whatever their units
    found = JointRegressionScore(3, gamma=GAMMA).fit(store(X), y, sample_weight=w if weighted else None)
    assert_allclose(found.objective_, best, rtol=1e-7)
    assert best <= found.upper_bound_ * (1 + 1e-9)
    assert found.upper_bound_ <= p
    assert not hasattr(found, "classes_")
    options = {"gamma": GAMMA, "task": "regression", "sample_weight": w if weighted else None}
    assert_allclose(fisher_criterion(store(X), y, found.support_, **options), best, rtol=1e-7)
    grade = certify(store(X), y, found.support_, **options)
    assert grade.upper_bound >= best * (1 - 1e-9)
    (step,) = selection_path(store(X), y, [3], **options)
    assert_array_equal(step.features, np.flatnonzero(found.support_))


@pytest.mark.parametrize("seed", range(3))
def test_confounders_are_taken_out_of_the_targets(seed):
    X, Y = numbers(seed)
    rng = np.random.default_rng(seed)
    age = rng.normal(size=60)
    X, Y = X + np.outer(age, rng.normal(size=9)), Y + 5 * age[:, None]
    N = np.column_stack([np.ones(60), age])
    left = [A - N @ np.linalg.lstsq(N, A, rcond=None)[0] for A in (X, Y)]
    Z, H = (A / A.std(axis=0) for A in left)
    w = np.ones(60)
    best = max(value_of(Z, H, w, A) for A in itertools.combinations(range(9), 3))
    found = JointRegressionScore(3, gamma=GAMMA).fit(X, Y, confounders=age)
    assert_allclose(found.objective_, best, rtol=1e-8)


def test_two_classes_as_numbers_are_classes():
    X, y = reference.random_problem(1, n=50, d=10, c=2)
    classes = GeneralizedFisherScore(4).fit(X, y)
    as_numbers = JointRegressionScore(4, gamma=classes.gamma_).fit(X, y)
    assert_array_equal(as_numbers.support_, classes.support_)
    assert_allclose(as_numbers.objective_, classes.objective_, rtol=1e-9)
    assert_allclose(as_numbers.gamma_, classes.gamma_, rtol=1e-9)


def test_chance_is_known():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 1000)), rng.standard_normal(80)
    assert JointRegressionScore(5).fit(X, y).noise_.chance
    y = y + X[:, :3] @ np.full(3, 3.0)
    found = JointRegressionScore(3).fit(X, y)
    assert not found.noise_.chance
    assert_array_equal(found.get_support(indices=True), np.arange(3))
    assert str(found.noise_) == "All 3 selected features beat the best noise column (13 %)."


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_the_luckiest_of_noise_is_foretold_for_several_targets(correlation):
    """The mean of the largest share over many tables of noise is about what is foretold."""
    from fisherset.selection.noise import Null, between_shares
    from fisherset.selection.request import pose_problem
    from fisherset.statistics.measure import measure_table
    from fisherset.validation.targets import REGRESSION

    largest, foretold = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        common = rng.standard_normal((100, 1))
        Y = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.standard_normal((100, 3))
        problem = pose_problem(measure_table(rng.standard_normal((100, 400)), Y, None, task=REGRESSION), True)
        shares = between_shares(problem)
        largest.append(shares.max())
        foretold.append(Null.of(problem).largest_by_chance(shares))
    assert np.mean(foretold) == pytest.approx(np.mean(largest), rel=0.12)


def test_constraints_and_names():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    found = JointRegressionScore(3, keep="age", exclude=["bmi"], groups={"s": ["s1", "s2"]}).fit(X, y)
    assert found.support_[0]
    assert not found.support_[2]
    assert "bmi" not in found.get_feature_names_out()


BAD = {
    "nothing": (None, "requires y"),
    "texts": (["a"] * 60, "numbers"),
    "short": (np.arange(59.0), "same number of samples"),
    "constant": (np.full(60, 0.1), "must vary; it is constant"),
    "one constant": (np.column_stack([np.arange(60.0), np.ones(60)]), "column 1 is constant"),
    "with NaN": (np.r_[np.nan, np.arange(59.0)], "NaN or infinity; 1 of"),
    "infinite": (np.r_[np.inf, np.arange(59.0)], "NaN or infinity"),
    "complex": (np.arange(60) + 1j, "numbers"),
    "three dimensions": (np.ones((60, 2, 2)), "a number, or a row"),
    "masked": (np.ma.masked_less(np.arange(60.0), 3), "masked"),
    "a word": ("y", "array of numbers"),
    "gaps": ([None, *range(59)], "NaN or infinity"),
    "dates": (pd.date_range("2020-01-01", periods=60), "numbers"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_targets_get_a_sentence(case):
    y, message = BAD[case]
    X, _ = numbers(0)
    with pytest.raises((ValueError, TypeError), match=message):
        JointRegressionScore(3).fit(X, y)


def test_weights_must_leave_samples():
    X, Y = numbers(0)
    with pytest.raises(ValueError, match="two samples with weight"):
        JointRegressionScore(3).fit(X, Y, sample_weight=np.arange(60) == 0)
