"""Memory grows with the table and with the classes, never with classes squared or classes times rows."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from fisherset import GeneralizedFisherScore, HSICScore, certify, stability
from fisherset.selection.request import pose_problem
from fisherset.selectors.cv.models import Discriminant
from fisherset.statistics.measure import measure_table
from support import reference
from support.public_api import public_calls

N, D, C = 8_000, 10, 4_000  # indicators would take 256 MB, a square of classes 128
MOST = 100e6


def peak(call):
    """Bytes that were held at once, beyond what was held before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(0).standard_normal((N, D)), np.arange(N) % C


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "call",
    # a kernel or a graph of the samples takes long for so many; a half would have one sample of each class
    [
        call
        for call in public_calls(labelled=True)
        if not re.search("rbf|Laplacian|compare|stability", call.name)
    ],
    ids=lambda call: call.name,
)
def test_many_classes(call, kind, table):
    X, y = kind(table[0]), table[1]
    assert peak(lambda: call(X, y)) < MOST


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_many_classes_on_halves(kind, table):
    X, y = kind(table[0]), table[1] % (C // 2)
    assert peak(lambda: stability(GeneralizedFisherScore(2), X, y, n_pairs=2, random_state=0)) < MOST


def test_many_classes_of_a_gaussian_kernel(table):
    """The square of the values is formed in pieces of 32 MB, and takes its time."""
    X, y = table[0][:2000, :1], table[1][:2000] % 1000
    assert peak(lambda: HSICScore(1, data_kernel="rbf").fit(X, y)) < MOST


@pytest.mark.parametrize("weights", [None, np.arange(40) % 3])
@pytest.mark.parametrize("gamma", [1e-6, 1.0, 100.0])
def test_more_classes_than_columns_lose_nothing(gamma, weights):
    """H is rotated to as many columns as the table has: the same F, the same bound."""
    X, y = reference.random_problem(1, n=40, d=5, c=12)
    rows = np.arange(40) if weights is None else np.repeat(np.arange(40), weights)
    Z = reference.standardize(X[rows])
    best, chosen = reference.best_subset(Z, y[rows], 2, gamma)
    selector = GeneralizedFisherScore(2, gamma=gamma).fit(X, y, weights)
    assert selector.objective_ == pytest.approx(best, rel=1e-7)
    assert selector.upper_bound_ >= best * (1 - 1e-9)
    assert certify(X, y, list(chosen), gamma=gamma, sample_weight=weights).objective == pytest.approx(
        best, rel=1e-7
    )


def test_targets_of_the_sample_space_are_those_of_the_problem():
    X, y = reference.random_problem(1, n=40, d=5, c=12)
    problem = pose_problem(measure_table(X, y, None), True)
    assert problem.C.shape == (5, 5)
    assert problem.rank == 11
    Z, H = problem.samples.values(np.arange(5)), problem.samples.H
    np.testing.assert_allclose(Z.T @ H, problem.C, atol=1e-9)
    full = reference.standardize(X).T @ reference.indicator(y)
    np.testing.assert_allclose(problem.C @ problem.C.T, full @ full.T, rtol=1e-9, atol=1e-9)


def test_classes_are_told_some_rows_at_a_time(monkeypatch):
    from fisherset.selectors.cv import models as discriminant

    X, y = reference.random_problem(3, n=60, d=5, c=4)
    model = Discriminant(pose_problem(measure_table(X, y, None), True), np.arange(5), np.unique(y))
    whole = model.predict(X)
    monkeypatch.setattr(discriminant, "SCORES", 7)
    np.testing.assert_array_equal(model.predict(X), whole)
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), whole)


def test_indicators_are_formed_some_at_a_time(monkeypatch):
    from fisherset.selectors.univariate import hsic

    X, y = reference.random_problem(3, n=60, d=5, c=4)
    for kernel in ("linear", "rbf"):
        whole = HSICScore(2, data_kernel=kernel).fit(X, y).scores_
        with monkeypatch.context() as patch:
            patch.setattr(hsic, "CLASSES", 3)
            np.testing.assert_allclose(HSICScore(2, data_kernel=kernel).fit(X, y).scores_, whole, rtol=1e-12)


def test_what_does_not_fit_the_memory_says_what_it_takes():
    """Before the table is read, as far as that can be told."""
    X, y = np.random.default_rng(0).standard_normal((40, 30_000)), np.arange(40) % 2
    words = r"at least 12\.0 MB for this: 50 features of 30000 columns .* got 5\.0 MB\. Raise it"
    with pytest.raises(ValueError, match=words):
        GeneralizedFisherScore(50, max_memory="5MB").fit(X, y)
    plenty = GeneralizedFisherScore(50).fit(X, y)
    for size in ("13MB", "100MB"):
        tight = GeneralizedFisherScore(50, max_memory=size).fit(X, y)
        assert np.array_equal(tight.support_, plenty.support_)
        assert tight.objective_ == pytest.approx(plenty.objective_, rel=1e-9)
