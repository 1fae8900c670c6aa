"""F and its bound for subsets from anywhere."""

import numpy as np
import pandas as pd
import pytest

from fisherset import Certificate, FisherScore, GeneralizedFisherScore, certify, fisher_criterion
from support import reference


@pytest.fixture
def data():
    return reference.random_problem(8, n=45, d=10, c=3)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("features", [[3], [0, 4, 7], list(range(10))])
def test_criterion_is_eq_2(data, features, standardize):
    X, y = data
    Z = reference.standardize(X) if standardize else X
    value = fisher_criterion(X, y, features, gamma=2.5, standardize=standardize)
    assert value == pytest.approx(reference.criterion(Z, y, features, 2.5), rel=1e-10)


def test_criterion_with_more_features_than_samples():
    X, y = reference.random_problem(9, n=20, d=50, c=3)
    value = fisher_criterion(X, y, np.arange(40), gamma=2.5)
    assert value == pytest.approx(
        reference.criterion(reference.standardize(X), y, np.arange(40), 2.5), rel=1e-10
    )


@pytest.mark.parametrize("standardize", [True, False])
def test_bound_covers_the_best_subset(data, standardize):
    X, y = data
    Z = reference.standardize(X) if standardize else X - X.mean(axis=0)
    best, features = reference.best_subset(Z, y, 4, 3.0)
    grade = certify(X, y, list(features), gamma=3.0, standardize=standardize)
    assert isinstance(grade, Certificate)
    assert grade.objective == pytest.approx(best, rel=1e-10)
    assert grade.objective <= grade.upper_bound
    assert grade.gap == pytest.approx(1 - best / grade.upper_bound)
    poor = certify(X, y, [0, 1, 2, 3], gamma=3.0, standardize=standardize)
    assert poor.upper_bound == pytest.approx(grade.upper_bound, rel=1e-12)
    assert poor.gap > grade.gap


def test_ways_to_name_a_subset(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    mask = np.isin(np.arange(10), [1, 4])
    values = {
        fisher_criterion(X, y, [4, 1]),
        fisher_criterion(X, y, mask),
        fisher_criterion(frame, y, ["e", "b"]),
        fisher_criterion(frame, y, pd.Index(["b", "e"])),
    }
    assert max(values) == pytest.approx(min(values), rel=1e-12)


def test_agrees_with_the_selector(data):
    X, y = data
    selector = GeneralizedFisherScore(4).fit(X, y)
    grade = certify(X, y, selector.support_)
    assert grade.objective == pytest.approx(selector.objective_, rel=1e-12)
    assert grade.upper_bound == pytest.approx(selector.upper_bound_, rel=1e-12)
    assert grade.gamma == selector.gamma_ >= len(y)
    assert certify(X, y, FisherScore(4).fit(X, y).support_).gap >= grade.gap


def test_scale_without_standardizing(data):
    """Gamma follows the scale of the data: the subset does not depend on the unit of the table."""
    X, y = data
    one = GeneralizedFisherScore(4, standardize=False).fit(X, y)
    other = GeneralizedFisherScore(4, standardize=False).fit(1000 * X, y)
    assert other.gamma_ == pytest.approx(1e6 * one.gamma_)
    assert np.array_equal(one.support_, other.support_)


def test_reads_as_a_sentence(data):
    X, y = data
    text = str(certify(X, y, [0, 1]))
    near = "Not proven near the best: at least 25.6 % of what any 2 columns can reach ("
    assert text.startswith(near)
    assert "of what any column can reach (" in str(certify(X, y, [0]))
    assert "No column" in str(certify(np.vstack([X, X]), np.repeat([0, 1], len(X)), [0]))


def test_weighted(data):
    X, y = data
    w = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = certify(np.repeat(X, w, axis=0), np.repeat(y, w), [1, 2], gamma=3.0)
    weighted = certify(X, y, [1, 2], gamma=3.0, sample_weight=w)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-10)
    assert weighted.upper_bound == pytest.approx(repeated.upper_bound, rel=1e-3)


def test_the_sentence_says_what_was_counted_and_what_f_is():
    X, y = reference.random_problem(0, n=50, d=6, c=2)
    groups = certify(X, y, [0, 1, 4, 5], groups=list("aabbcc"))
    assert "of what any 2 groups can reach" in str(groups)
    numbers = certify(X, X[:, 0] + X[:, 1], [2, 3], task="regression")
    assert "of what any 2 columns can reach" in str(numbers)


def test_the_sentence_is_about_what_may_be_chosen():
    X, y = reference.random_problem(0, n=50, d=6, c=2)
    kept = str(certify(X, y, [3, 4], keep=[3]))
    assert " among the allowed sets: at least " in kept
    adjusted = str(certify(X, y, [3, 4], confounders=X[:, 0] + X[:, 1]))
    assert " after adjustment: at least " in adjusted
    with pytest.warns(UserWarning, match="wholly"):
        nothing = str(certify(X, y, [3, 4], adjust_for=[5], confounders=y.astype(str)))
    assert nothing.startswith(
        "No allowed column tells the classes apart after adjustment (F = 0 for every set)."
    )
