"""Groups, features that must stay and features that must not: against brute force over what is allowed."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier

from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    certify,
    explain,
    fisher_criterion,
    selection_path,
)
from support import reference

GAMMA = 5.0


def labelled(seed, d=12):
    X, y = reference.random_problem(seed, n=60, d=d, c=3)
    return X, y


def best_allowed(X, y, codes, k, keep=(), exclude=()):
    """The best F over all sets of k groups that respect the constraints."""
    free = [g for g in np.unique(codes) if g not in (*keep, *exclude)]
    sets = [(*keep, *more) for more in itertools.combinations(free, k - len(keep))]
    Z = reference.standardize(X)
    return max(reference.criterion(Z, y, np.flatnonzero(np.isin(codes, some)), GAMMA) for some in sets)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize(
    ("codes", "keep", "exclude"),
    [
        (np.arange(12), [3], [0, 7]),
        (np.arange(12), [3, 5], []),
        (np.arange(12), [], [1, 2]),
        (np.repeat(np.arange(6), 2), [], []),
        (np.array([0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 6]), [4], [0]),
        (np.array([5, 1, 4, 1, 0, 3, 2, 5, 2, 0, 1, 4]), [], [5]),
    ],
)
def test_the_certificate_is_over_what_is_allowed(seed, store, codes, keep, exclude):
    X, y = labelled(seed)
    k = 3
    best = best_allowed(X, y, codes, k, keep, exclude)
    grouped = {} if np.array_equal(codes, np.arange(12)) else {"groups": codes}
    found = GeneralizedFisherScore(k, gamma=GAMMA, keep=keep, exclude=exclude, **grouped).fit(store(X), y)
    assert found.objective_ == pytest.approx(best, rel=1e-9)
    assert best <= found.upper_bound_ * (1 + 1e-12)
    chosen = np.unique(codes[found.support_])
    assert chosen.size == k
    assert set(keep) <= set(chosen)
    assert not set(exclude) & set(chosen)
    assert_array_equal(found.support_, np.isin(codes, chosen))
    assert found.ranking_.shape == found.scores_.shape == (np.unique(codes).size,)
    grade = certify(store(X), y, found.support_, gamma=GAMMA, keep=keep, exclude=exclude, **grouped)
    assert grade.objective == pytest.approx(best, rel=1e-9)
    assert best <= grade.upper_bound * (1 + 1e-12)
    assert grade.n_features == k
    (step,) = selection_path(store(X), y, [k], gamma=GAMMA, keep=keep, exclude=exclude, **grouped)
    assert_array_equal(step.features, np.flatnonzero(found.support_))


def test_kept_stand_at_one_and_excluded_come_last():
    X, y = labelled(1)
    found = GeneralizedFisherScore(4, keep=[2], exclude=[5, 6]).fit(X, y)
    assert found.scores_[2] == 1.0
    assert_array_equal(found.scores_[[5, 6]], 0.0)
    assert set(found.ranking_[[5, 6]]) == {11, 12}


def test_groups_of_one_are_features():
    X, y = labelled(2)
    plain = GeneralizedFisherScore(4).fit(X, y)
    grouped = GeneralizedFisherScore(4, groups=[f"g{j}" for j in range(12)]).fit(X, y)
    assert_array_equal(plain.ranking_, grouped.ranking_)
    assert plain.objective_ == grouped.objective_
    assert grouped.groups_ == [f"g{j}" for j in range(12)]
    assert not hasattr(grouped.set_params(groups=None).fit(X, y), "groups_")


def test_groups_and_constraints_by_name():
    X, y = labelled(3)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    groups = {"first": ["c0", "c1", "c2"], "second": [5, 7]}
    found = GeneralizedFisherScore(3, groups=groups, keep="second", exclude=["c1"]).fit(table, y)
    assert found.groups_[:2] == ["first", "c3"]
    assert found.support_[[5, 7]].all()
    assert not found.support_[[0, 1, 2]].any()
    by_column = GeneralizedFisherScore(3, groups=groups, keep=["c7"], exclude="first").fit(table, y)
    assert_array_equal(by_column.support_, found.support_)


def test_numbers_are_groups_where_groups_are_numbered():
    X, y = labelled(3)
    groups = np.repeat([4, 2, 0], 4)
    for keep in ([2], np.array([2]), [np.int8(2)], 2, [2.0], np.arange(12) == 5):
        found = GeneralizedFisherScore(1, groups=groups, keep=keep).fit(X, y)
        assert_array_equal(np.flatnonzero(found.support_), range(4, 8))
    adjusted = GeneralizedFisherScore(1, groups=groups, adjust_for=np.arange(12) == 5).fit(X, y)
    assert not adjusted.support_[4:8].any()
    texts = GeneralizedFisherScore(1, groups=[f"g{label}" for label in groups], keep=[5]).fit(X, y)
    assert_array_equal(np.flatnonzero(texts.support_), range(4, 8))
    mapped = GeneralizedFisherScore(1, groups={"g": [4, 5, 6, 7]}, keep=[5]).fit(X, y)
    assert_array_equal(np.flatnonzero(mapped.support_), range(4, 8))


def test_a_mask_with_names_is_read_by_them():
    X, y = labelled(3)
    names = [f"c{j}" for j in range(12)]
    table = pd.DataFrame(X, columns=names)
    mask = pd.Series(np.arange(12) == 2, index=names)[::-1]
    for parameter in ("keep", "exclude", "adjust_for"):
        by_name = GeneralizedFisherScore(3, **{parameter: mask}).fit(table, y)
        plain = GeneralizedFisherScore(3, **{parameter: ["c2"]}).fit(table, y)
        assert_array_equal(by_name.support_, plain.support_)
        assert by_name.objective_ == plain.objective_


def test_constant_columns_in_groups_and_among_the_kept():
    X, y = labelled(4)
    X[:, [0, 1, 4]] = 7.0
    groups = np.repeat(np.arange(6), 2)  # the first group is constant, half of the third is
    found = GeneralizedFisherScore(3, groups=groups, keep=[0], gamma=GAMMA).fit(X, y)
    assert found.support_[:2].all()
    Z = reference.standardize(np.delete(X, [0, 1, 4], axis=1))
    codes = np.delete(groups, [0, 1, 4])
    pairs = itertools.combinations(range(1, 6), 2)
    best = max(reference.criterion(Z, y, np.flatnonzero(np.isin(codes, pair)), GAMMA) for pair in pairs)
    assert found.objective_ == pytest.approx(best, rel=1e-9)
    with pytest.warns(UserWarning, match="number of groups that vary, 5"):
        everything = GeneralizedFisherScore(6, groups=groups).fit(X, y)
    assert everything.support_.all()


@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_cross_validation_respects_them(solver):
    X, y = labelled(5)
    groups = np.repeat(np.arange(6), 2)
    found = GeneralizedFisherScoreCV([2, 3], groups=groups, keep=[1], exclude=[4], cv=3, solver=solver).fit(
        X, y
    )
    assert found.support_[2:4].all()
    assert not found.support_[8:10].any()
    assert found.support_.sum() == 2 * found.n_features_
    auto = GeneralizedFisherScoreCV("auto", keep=[0, 1, 2], exclude=[3], cv=3).fit(X, y)
    assert auto.support_[:3].all()
    assert not auto.support_[3]


@pytest.mark.parametrize("class_weight", ["balanced", "sqrt", {0: 3, 1: 1, 2: 2}])
def test_class_weights_are_sample_weights(class_weight):
    X, y = labelled(6)
    y = np.where(np.arange(60) < 40, 0, y)
    sizes = np.bincount(y)
    if isinstance(class_weight, dict):
        weights = np.array([class_weight[label] for label in y], dtype=float)
        rows = np.repeat(np.arange(60), weights.astype(int))
        repeated = GeneralizedFisherScore(4, gamma=GAMMA).fit(X[rows], y[rows])
    else:
        weights = (sizes ** {"balanced": -1.0, "sqrt": -0.5}[class_weight])[y]
        weights *= 60 / weights.sum()
        repeated = None
    found = GeneralizedFisherScore(4, gamma=GAMMA, class_weight=class_weight).fit(X, y)
    by_rows = GeneralizedFisherScore(4, gamma=GAMMA).fit(X, y, sample_weight=weights)
    assert_array_equal(found.support_, by_rows.support_)
    assert_allclose(found.objective_, by_rows.objective_, rtol=1e-12)
    of_set = {"gamma": GAMMA, "class_weight": class_weight}
    assert_allclose(fisher_criterion(X, y, found.support_, **of_set), found.objective_, rtol=1e-10)
    assert_allclose(certify(X, y, found.support_, **of_set).objective, found.objective_, rtol=1e-10)
    assert_allclose(explain(X, y, found.support_, **of_set).objective, found.objective_, rtol=1e-10)
    if repeated is not None:
        assert_allclose(found.objective_, repeated.objective_, rtol=1e-10)
    doubled = GeneralizedFisherScore(4, gamma=2 * GAMMA, class_weight="balanced").fit(
        np.vstack([X, X]), np.r_[y, y]
    )
    once = GeneralizedFisherScore(4, gamma=GAMMA, class_weight="balanced").fit(
        X, y, sample_weight=np.ones(60)
    )
    assert_allclose(doubled.objective_, once.objective_, rtol=1e-10)


TENS = [0] * 3 + [10] * 3 + [20] * 3 + [30] * 3
BAD = {
    "kept and excluded": ({"keep": [1], "exclude": [1]}, "must not overlap"),
    "more kept than asked": ({"keep": [0, 1, 2, 3, 4]}, "keep must not name more"),
    "unknown to keep": ({"keep": ["c99"]}, "'c99' is none of them"),
    "unknown to exclude": ({"exclude": [99]}, "99 is none of them"),
    "negative": ({"exclude": [-1]}, "-1 is none of them"),
    "a fraction": ({"keep": [0.5]}, "0.5 is none of them"),
    "unhashable": ({"keep": [[0]]}, "is none of them"),
    "all excluded": ({"exclude": list(range(12))}, "must leave something"),
    "too few left": ({"exclude": list(range(10))}, "exclude and adjust_for leave, 2"),
    "short mask": ({"keep": [True, False]}, "one entry for each of the 12"),
    "a mapping": ({"keep": {"a": 1}}, "must be a list"),
    "groups too short": ({"groups": [0, 1]}, "label for each of the 12"),
    "groups as text": ({"groups": "abc"}, "label for each column"),
    "groups as a number": ({"groups": 3}, "label for each column"),
    "missing groups": ({"groups": [None] * 12}, "no missing labels"),
    "unhashable groups": ({"groups": [[0]] * 12}, "hashable"),
    "shared columns": ({"groups": {"a": [0, 1], "b": [1]}}, "must not share columns"),
    "unknown column": ({"groups": {"a": ["c99"]}}, "must name columns of X"),
    "an empty group": ({"groups": {"a": []}}, "at least one column"),
    "called as a column": ({"groups": {"c5": ["c0", "c1"]}}, "called as a column"),
    "more groups than there are": ({"groups": [0] * 6 + [1] * 6}, "must be at most the number of"),
    "a column where groups are numbered": (
        {"groups": TENS, "keep": [3]},
        r"keep must hold labels of groups, which are numbers here; 3 is not among 0, 10, 20, 30\. Pass a",
    ),
    "a column to exclude where groups are numbered": (
        {"groups": np.array(TENS), "exclude": np.array([3])},
        r"exclude must hold labels of groups.* as np\.isin\(np\.arange\(12\), \[3\]\)",
    ),
    "a column where numbers name groups": ({"groups": {7: [0, 1]}, "keep": [5]}, "5 is not among 7, 'c2'"),
    "a column where groups are floats": ({"groups": np.array(TENS, float), "keep": 3}, "3 is not among 0.0"),
    "a truth for a group": (
        {"groups": np.repeat(np.arange(6), 2), "keep": [True, 2]},
        "True is none of them",
    ),
    "a number for a truth": ({"groups": [True] * 6 + [False] * 6, "keep": [1]}, "1 is not among True, False"),
    "a negative number where groups are numbered": ({"groups": TENS, "keep": [-1]}, "-1 is none of them"),
    "a name of a group and of a column": (
        {"groups": ["c11"] * 6 + ["b"] * 6, "keep": ["c11"]},
        "one thing at a time; 'c11' is a group, and a column of another",
    ),
    "a column to adjust for where groups are numbered": (
        {"groups": np.repeat(np.arange(6), 2), "adjust_for": [3]},
        r"adjust_for must say which columns it means; 3 may be a column or a group.* as np\.isin",
    ),
    "weights by an unknown name": ({"class_weight": "fair"}, "class_weight must be"),
    "weights as a number": ({"class_weight": 2}, "class_weight must be"),
    "a class without weight": ({"class_weight": {0: 1, 1: 1}}, "none for 2"),
    "a weight without class": ({"class_weight": {0: 1, 1: 1, 2: 1, 3: 1}}, "3 is not one of them"),
    "a negative weight": ({"class_weight": {0: 1, 1: -1, 2: 1}}, "not negative"),
    "a weight that is none": ({"class_weight": {0: 1, 1: "a", 2: 1}}, "got 'a' for 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_bad_gets_a_sentence(case):
    parameters, message = BAD[case]
    X, y = labelled(7)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    with pytest.raises((ValueError, TypeError), match=message):
        GeneralizedFisherScore(4, **parameters).fit(table, y)
    with pytest.raises((ValueError, TypeError), match=message):
        selection_path(table, y, [4], **parameters)


@pytest.mark.parametrize(
    ("features", "parameters", "message"),
    [
        ([0, 1, 2], {"groups": np.repeat(np.arange(6), 2)}, "hold groups whole; of 1 only"),
        ([0, 1], {"keep": [5]}, "5 is missing"),
        ([0, 1], {"exclude": [1]}, "1 is there"),
    ],
)
def test_a_set_that_is_not_allowed_is_not_graded(features, parameters, message):
    X, y = labelled(7)
    with pytest.raises(ValueError, match=message):
        certify(X, y, features, **parameters)


@pytest.mark.parametrize("estimator", [None, LogisticRegression(max_iter=500)])
def test_weights_in_cross_validation_are_repeats(estimator):
    X, y = labelled(8)
    weights = 1 + np.arange(60) % 3
    folds = np.arange(60) // 2 % 3
    rows = np.repeat(np.arange(60), weights)
    asked = {"gammas": [2.0, 20.0], "estimator": estimator}
    weighted = GeneralizedFisherScoreCV([2, 4], cv=PredefinedSplit(folds), **asked)
    weighted.fit(X, y, sample_weight=weights)
    repeated = GeneralizedFisherScoreCV([2, 4], cv=PredefinedSplit(folds[rows]), **asked)
    repeated.fit(X[rows], y[rows])
    assert_allclose(
        weighted.cv_results_["mean_test_score"], repeated.cv_results_["mean_test_score"], atol=1e-9
    )
    assert_array_equal(weighted.support_, repeated.support_)


def test_groups_of_samples_stay_together():
    X, y = labelled(9)
    patients = np.arange(60) // 4
    seen = []

    class Splitter(GroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(not set(groups[train]) & set(groups[test]))
                yield train, test

    GeneralizedFisherScoreCV(3, cv=Splitter(3)).fit(X, y, groups=patients)
    assert seen == [True] * 3
    with pytest.raises(ValueError, match="cv must be"):
        GeneralizedFisherScoreCV(3, cv=GroupKFold(3)).fit(X, y)


def test_an_estimator_must_be_able_to_weigh():
    X, y = labelled(9)
    with pytest.raises(ValueError, match="KNeighborsClassifier does not"):
        GeneralizedFisherScoreCV(3, estimator=KNeighborsClassifier(), class_weight="balanced").fit(X, y)


def test_a_constant_that_is_kept_is_no_surprise(recwarn):
    X, y = reference.random_problem(2, n=60, d=6, c=3)
    X[:, 4] = 1.0
    selector = GeneralizedFisherScore(2, keep=[4]).fit(X, y)
    assert selector.support_[4]
    assert not recwarn.list
