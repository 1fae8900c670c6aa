"""Samples with sets of labels: H is the standardised indicator, against brute force."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import FisherScore, GeneralizedFisherScore, certify, fisher_criterion, selection_path
from support import reference

GAMMA = 5.0
KINDS = [np.asarray, sparse.csr_array, sparse.csc_matrix, pd.DataFrame, np.ndarray.tolist]


def labelled(seed, p=4):
    X, _ = reference.random_problem(seed, n=60, d=9, c=3)
    rng = np.random.default_rng(seed)
    return X, (X[:, :p] + rng.normal(size=(60, p)) > 0.3).astype(int)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_against_brute_force(seed, store, kind, weighted):
    X, Y = labelled(seed)
    w = np.random.default_rng(seed).uniform(0.2, 2, 60) if weighted else np.ones(60)
    Z, H = (A - w @ A / w.sum() for A in (X, Y))
    Z, H = (A / np.sqrt(w @ A**2 / w.sum()) for A in (Z, H))
    G, C = Z.T @ (Z * w[:, None]), Z.T @ (H * w[:, None])

    def value(A):
        A = list(A)
        return np.sum(C[A] * np.linalg.solve(G[np.ix_(A, A)] + GAMMA * np.eye(3), C[A])) / w.sum()

    best = max(itertools.combinations(range(9), 3), key=value)
    given = {"sample_weight": w} if weighted else {}
    found = GeneralizedFisherScore(3, gamma=GAMMA).fit(store(X), kind(Y), **given)
    assert_allclose(found.objective_, value(best), rtol=1e-9)
    assert_array_equal(found.get_support(indices=True), best)
    assert value(best) <= found.upper_bound_ * (1 + 1e-12)
    assert found.classes_.tolist() == [0, 1, 2, 3]
    assert_allclose(fisher_criterion(store(X), kind(Y), best, gamma=GAMMA, **given), value(best), rtol=1e-9)
    assert certify(store(X), kind(Y), best, gamma=GAMMA, **given).upper_bound >= value(best) * (1 - 1e-12)
    (step,) = selection_path(store(X), kind(Y), [3], gamma=GAMMA, **given)
    assert_array_equal(step.features, best)


def test_two_classes_as_indicators_are_classes():
    X, y = reference.random_problem(1, n=50, d=10, c=2)
    classes = GeneralizedFisherScore(4, gamma=GAMMA).fit(X, y)
    sets = GeneralizedFisherScore(4, gamma=GAMMA).fit(X, np.column_stack([y == 0, y == 1]))
    assert_array_equal(sets.support_, classes.support_)
    assert_allclose(sets.objective_, 2 * classes.objective_, rtol=1e-9)  # each is a target of its own


def test_many_rare_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    Y = sparse.csr_array((rng.random((300, 200)) < 0.02).astype(float))
    Y = Y[:, np.flatnonzero(np.asarray(Y.sum(axis=0)).ravel() > 0)]
    found = GeneralizedFisherScore(5).fit(X, Y)
    dense = GeneralizedFisherScore(5).fit(X, Y.toarray())
    assert_allclose(found.objective_, dense.objective_, rtol=1e-9)
    assert_array_equal(found.support_, dense.support_)


def test_constant_labels_are_refused_by_name():
    X, Y = labelled(0)
    table = pd.DataFrame(Y, columns=["red", "green", "blue", "grey"])
    with pytest.raises(ValueError, match="of 'green' no sample has it"):
        GeneralizedFisherScore(3).fit(X, table.assign(green=0))
    with pytest.raises(ValueError, match="of 'grey' all samples have it"):
        GeneralizedFisherScore(3).fit(X, table.assign(grey=1))


@pytest.mark.parametrize(
    ("Y", "parameters", "message"),
    [
        (lambda Y: Y[:-1], {}, "same number of samples"),
        (lambda Y: Y, {"class_weight": "balanced"}, "class_weight is for one class each"),
        (lambda Y: Y + 0.5, {}, "1d array"),
        (lambda Y: Y.astype(str), {}, "1d array"),
    ],
)
def test_bad_sets_get_a_sentence(Y, parameters, message):
    X, sets = labelled(0)
    with pytest.raises(ValueError, match=message):
        GeneralizedFisherScore(3, **parameters).fit(X, Y(sets))


def test_scores_one_by_one_want_one_class_each():
    X, Y = labelled(0)
    with pytest.raises(ValueError, match="1d array"):
        FisherScore(3).fit(X, Y)
