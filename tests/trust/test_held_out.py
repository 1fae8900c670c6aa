"""The whole selection repeated in folds, against the same loop written with scikit-learn and numpy."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import (
    load_diabetes,
    load_wine,
    make_classification,
    make_multilabel_classification,
    make_regression,
)
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
)
from fisherset.data import MemoryRows
from fisherset.evaluation import held_out
from fisherset.statistics import PartitionedTable, problem_of_rows
from fisherset.statistics.measure import measure


def discriminant(X, y, X_new):
    """Linear discriminant analysis with a ridge of one for each standardised column, by its definition."""
    mean, scale = X.mean(axis=0), X.std(axis=0)
    Z, T = (X - mean) / scale, (X_new - mean) / scale
    classes, codes = np.unique(y, return_inverse=True)
    means = np.array([Z[codes == code].mean(axis=0) for code in range(len(classes))])
    within = ((Z - means[codes]).T @ (Z - means[codes]) + Z.shape[1] * np.eye(Z.shape[1])) / len(y)
    solved = np.linalg.solve(within, means.T)
    scores = T @ solved - np.sum(means.T * solved, axis=0) / 2 + np.log(np.bincount(codes) / len(y))
    return classes[scores.argmax(axis=1)]


def ridge(X, y, X_new):
    mean, scale = X.mean(axis=0), X.std(axis=0)
    return Ridge(X.shape[1]).fit((X - mean) / scale, y).predict((X_new - mean) / scale)


def loop(selector, X, y, folds, *, regression=False):
    """Selected columns, all columns, the ranking and the majority class on held-out rows, fold by fold."""
    model, ranking = (ridge, f_regression) if regression else (discriminant, f_classif)
    score = r2_score if regression else lambda y, found: np.mean(y == found)
    rows = []
    for train, test in folds.split(X, y):
        support = clone(selector).fit(X[train], y[train]).get_support()
        best = SelectKBest(ranking, k=int(support.sum())).fit(X[train], y[train]).get_support()
        sets = support, np.ones(X.shape[1], dtype=bool), best
        found = [score(y[test], model(X[train][:, s], y[train], X[test][:, s])) for s in sets]
        dummy = 0.0 if regression else DummyClassifier().fit(X[train], y[train]).score(X[test], y[test])
        rows.append([*found, dummy])
    return np.array(rows).T


def figures(found):
    return np.array([found.scores, found.all_columns_scores, found.ranking_scores, found.majority_scores])


WIDE = make_classification(60, 90, n_informative=8, n_classes=3, random_state=0)


@pytest.mark.parametrize(
    "selector",
    [GeneralizedFisherScore(4), GeneralizedFisherScoreCV([2, 4], gammas=[5.0, 50.0]), FisherScore(4)],
)
@pytest.mark.parametrize("data", [load_wine(return_X_y=True), WIDE], ids=["tall", "wide"])
def test_classes_are_those_of_the_loop(selector, data):
    X, y = data
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    expected = loop(selector, X, y, folds)
    found = held_out(selector, X, y, cv=4)
    np.testing.assert_allclose(figures(found), expected)
    np.testing.assert_allclose(figures(held_out(selector, X, y, cv=folds)), expected)
    np.testing.assert_allclose(
        [found.score, found.all_columns, found.ranking, found.majority], expected.mean(axis=1)
    )
    assert found.metric == "accuracy"


@pytest.mark.parametrize(
    "selector", [JointRegressionScore(4), JointRegressionScoreCV([2, 4], gammas=[5.0, 50.0])]
)
@pytest.mark.parametrize(
    "data",
    [load_diabetes(return_X_y=True), make_regression(60, 90, n_informative=5, random_state=0)],
    ids=["tall", "wide"],
)
def test_numbers_are_those_of_the_loop(selector, data):
    X, y = data
    expected = loop(selector, X, y, KFold(4, shuffle=True, random_state=0), regression=True)
    found = held_out(selector, X, y, cv=4)
    np.testing.assert_allclose(figures(found), expected, rtol=1e-7, atol=1e-9)
    assert found.metric == "R²"
    assert found.majority == 0.0


@pytest.mark.parametrize("shape", [(120, 20), (50, 80)])
def test_sparse_gives_the_same(shape):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, shape).astype(float)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    dense, stored = (
        held_out(GeneralizedFisherScore(3), table, y, cv=3) for table in (X, sparse.csc_array(X))
    )
    np.testing.assert_allclose(figures(dense), figures(stored))


def test_names_and_labels_are_kept():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = GeneralizedFisherScore(3, keep=["alcohol"], exclude=["proline"])
    found = held_out(selector, X, y.map({0: "a", 1: "b", 2: "c"}), cv=3)
    np.testing.assert_array_equal(found.scores, held_out(selector, X, y, cv=3).scores)
    without = held_out(GeneralizedFisherScore(3), X.drop(columns="proline"), y, cv=3)
    np.testing.assert_allclose(found.all_columns_scores, without.all_columns_scores)
    assert found.n_features.tolist() == [3, 3, 3]


def refitted(selector, X, y, folds, **more):
    """Scores where each fold is measured from its rows, as the fallback does."""
    twice = [*folds, folds[0]]  # not every row is left out once any more
    return figures(held_out(selector, X, y, cv=twice, **more))[:, :-1]


STORAGES = {
    "rows": np.asarray,
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "frame": lambda X: pd.DataFrame(X).add_prefix("c"),
    "measured": None,
}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("shape", [(120, 20), (50, 80)])
def test_sums_of_the_other_folds_give_what_refits_give(shape, storage):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.7, shape) * rng.choice([1.0, 1000.0], shape[1]) + 0.0
    y = (X[:, 0] + X[:, 1] > np.median(X[:, 0] + X[:, 1])).astype(int)
    selector, folds = GeneralizedFisherScore(3), list(StratifiedKFold(3).split(X, y))
    expected = refitted(selector, X, y, folds)
    given = (measure(X, y), None) if storage == "measured" else (STORAGES[storage](X), y)
    np.testing.assert_allclose(figures(held_out(selector, *given, cv=folds)), expected, atol=1e-8)


def test_problems_of_the_other_folds_are_those_of_their_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)) + 1000 * rng.normal(size=30), rng.integers(0, 3, 60)
    X[:40, 4] = 0.0  # hardly anything but in the last fold
    table = measure(X, y)
    source = MemoryRows(X, y)
    folds = np.split(np.arange(60), 3)
    given = source, table.coding, table.scatter.guard, folds
    whole = PartitionedTable(*given, standardize=True)
    for place, fold in enumerate(folds):
        rest = np.setdiff1d(np.arange(60), fold)
        found, expected = whole.without(place), problem_of_rows(source.take(rest), table.coding)
        np.testing.assert_array_equal(found.columns, expected.columns)
        np.testing.assert_allclose(found.C, expected.C, rtol=1e-8, atol=1e-8 * np.abs(expected.C).max())
        every = np.arange(found.columns.size)
        np.testing.assert_allclose(found.gram(every), expected.gram(every), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("shape", [(90, 12), (40, 70)])
@pytest.mark.parametrize("how", ["confounders", "adjust_for"])
def test_adjusted_by_the_training_rows(shape, how):
    """Against columns and target that are adjusted by hand, in each fold by its own regression."""
    rng = np.random.default_rng(0)
    beside = rng.normal(size=(shape[0], 2))
    X = rng.normal(size=shape) + beside @ rng.normal(size=(2, shape[1]))
    y = X[:, 0] - X[:, 1] + 3 * beside[:, 0] + 0.3 * rng.normal(size=shape[0])
    folds = list(KFold(4).split(X))
    expected = []
    for train, test in folds:
        design = np.column_stack([np.ones(len(y)), beside])
        both = np.column_stack([X, y])
        left = both - design @ np.linalg.lstsq(design[train], both[train], rcond=None)[0]
        A, b = left[:, :-1], left[:, -1]
        support = JointRegressionScore(3).fit(X[train], y[train], confounders=beside[train]).get_support()
        best = SelectKBest(f_regression, k=3).fit(A[train], b[train]).get_support()
        sets = support, np.ones(shape[1], dtype=bool), best
        expected.append([r2_score(b[test], ridge(A[train][:, s], b[train], A[test][:, s])) for s in sets])
    if how == "confounders":
        found = held_out(JointRegressionScore(3), X, y, cv=folds, confounders=beside)
    else:
        both, last = np.hstack([X, beside]), [shape[1], shape[1] + 1]
        found = held_out(JointRegressionScore(3, adjust_for=last), both, y, cv=folds)
    np.testing.assert_allclose(figures(found)[:3].T, expected, rtol=1e-7)
    again = refitted(JointRegressionScoreCV([3], gammas=["scale"]), X, y, folds, confounders=beside)
    np.testing.assert_allclose(again[:3].T, expected, rtol=1e-7)


def test_missing_values_are_filled_by_the_means_of_the_training_rows():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.1] = np.nan
    folds = list(StratifiedKFold(3).split(X, y))
    selector = GeneralizedFisherScore(4, missing="mean")
    found, expected = held_out(selector, X, y, cv=folds), []
    for train, test in folds:
        means = np.nanmean(X[train], axis=0)
        A, T = (np.where(np.isnan(X[rows]), means, X[rows]) for rows in (train, test))
        support = GeneralizedFisherScore(4).fit(A, y[train]).get_support()
        expected.append(np.mean(discriminant(A[:, support], y[train], T[:, support]) == y[test]))
    np.testing.assert_allclose(found.scores, expected)


def test_sets_of_labels():
    """A ridge regression of the indicators, and its mean R^2."""
    X, y = make_multilabel_classification(120, 12, n_classes=3, random_state=0)
    folds = list(KFold(3).split(X))
    found, expected = held_out(GeneralizedFisherScore(4), X, y, cv=folds), []
    for train, test in folds:
        support = GeneralizedFisherScore(4).fit(X[train], y[train]).get_support()
        fitted = ridge(X[train][:, support], y[train], X[test][:, support])
        expected.append(r2_score(y[test], fitted))
    np.testing.assert_allclose(found.scores, expected)
    assert found.metric == "R²"


@pytest.mark.parametrize(
    "options", [{"class_weight": "balanced"}, {"solver": "exact"}, {"groups": [0, 1] * 6 + [2]}]
)
def test_options_count_in_every_fold(options):
    X, y = load_wine(return_X_y=True)
    selector = GeneralizedFisherScore(2, **options)
    expected = loop(selector, X, y, StratifiedKFold(3, shuffle=True, random_state=0))
    np.testing.assert_allclose(figures(held_out(selector, X, y, cv=3)), expected)


def test_groups_of_samples_stay_together():
    X, y = load_wine(return_X_y=True)
    folds = list(GroupKFold(3).split(X, y, np.arange(178) % 30))
    expected = held_out(GeneralizedFisherScore(3), X, y, cv=iter(folds))
    assert expected.scores.size == 3
    np.testing.assert_allclose(figures(expected), refitted(GeneralizedFisherScore(3), X, y, folds))


def test_a_score_no_better_than_the_majority_class_is_said_to_be():
    rng = np.random.default_rng(0)
    noise = held_out(GeneralizedFisherScore(5), rng.normal(size=(80, 300)), np.arange(80) % 2)
    assert not noise.useful
    assert "no better than the majority class: accuracy " in noise.warning
    wine = held_out(GeneralizedFisherScore(5), *load_wine(return_X_y=True), all_columns=False)
    assert (wine.useful, wine.warning, wine.all_columns) == (True, "", None)
    assert "(all columns left out, one-by-one ranking " in wine.sentence


def test_noise_gives_chance():
    """The selection sees no row that is scored: chosen on all rows, 20 of 5000 columns would seem to tell."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5000)), np.repeat([0, 1], 30)
    found = held_out(GeneralizedFisherScore(20), X, y)
    assert abs(found.score - 0.5) < 0.2
    outside = GeneralizedFisherScore(20, tol=None).fit(X, y).transform(X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    leaked = [np.mean(discriminant(outside[a], y[a], outside[b]) == y[b]) for a, b in folds]
    assert np.mean(leaked) > 0.9


def test_rare_classes_take_fewer_folds_or_are_refused():
    X, y = load_wine(return_X_y=True)
    few = np.flatnonzero(y == 0)[3:]
    assert held_out(FisherScore(2), np.delete(X, few, axis=0), np.delete(y, few)).scores.size == 3
    one = np.flatnonzero(y == 0)[1:]
    with pytest.raises(ValueError, match="two samples or more of every class; there is 1 of class 0"):
        held_out(FisherScore(2), np.delete(X, one, axis=0), np.delete(y, one))


def test_all_columns_are_left_out_where_too_many(monkeypatch):
    monkeypatch.setattr(sys.modules["fisherset.trust.held_out"], "LARGEST_ORDER", 5)
    found = held_out(FisherScore(2), *load_wine(return_X_y=True), cv=2)
    assert found.all_columns is None
    assert "all 13 columns was left out" in found.reason
    assert found.table()[0]["all_columns"] is None
    assert "all columns" not in str(found)


def test_printed():
    found = held_out(FisherScore(2), *load_wine(return_X_y=True), cv=2)
    assert repr(found) == f"HeldOut(accuracy {found.score:.3f}, 2 folds)"
    assert str(found).startswith(f"accuracy on held-out rows {found.score:.3f} (all columns ")
    assert [row["score"] for row in found.table()] == found.scores.tolist()


@pytest.mark.parametrize(
    ("selector", "options", "error", "message"),
    [
        (GeneralizedFisherScore, {}, TypeError, "selector must be a selector"),
        ("fisher", {}, TypeError, "selector must be a selector"),
        (FisherScore(2), {"confounders": np.ones((178, 1))}, ValueError, "confounders must be None for"),
        (FisherScore(2), {"all_columns": 1}, TypeError, "all_columns must be"),
        (FisherScore(2), {"cv": 1}, ValueError, "cv must be a number of folds, 2 or more; got 1"),
        (FisherScore(2), {"cv": "five"}, ValueError, "cv must be a number of folds, a splitter"),
        (FisherScore(2), {"cv": []}, ValueError, "cv must give a split"),
        (FisherScore(2), {"task": "ranking"}, ValueError, "task must be"),
        (FisherScore(2), {"cv": [([0, 1], [100])]}, ValueError, "cv must leave two classes or more"),
    ],
)
def test_bad_input(selector, options, error, message):
    with pytest.raises(error, match=message):
        held_out(selector, *load_wine(return_X_y=True), **options)
