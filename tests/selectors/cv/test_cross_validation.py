"""Cross-validation of weights, label sets, numbers and confounders against searches written out."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
)
from fisherset.selection.request import pose_problem
from fisherset.selectors.cv.models import LabelFit, LinearFit
from fisherset.statistics.measure import measure_table
from fisherset.statistics.measured import FitArguments
from fisherset.validation.targets import CLASSIFICATION, REGRESSION

GAMMAS, KS = (20.0, 400.0), (2, 4)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 9)) + 4
    X[:, 8] = X[:, 0] + 0.3 * rng.normal(size=120)
    Y = np.column_stack([X[:, 0] - X[:, 1], X[:, 2] + 0.5 * X[:, 1]]) + rng.normal(size=(120, 2))
    batch = np.repeat(np.arange(4), 30)
    return X, Y, batch


def written_out(make, X, y, splits, score, **beside):
    """Scores of each fold, gamma and size by fits on the training rows."""
    return [
        [
            score(make(k, gamma).fit(X[train], y[train], **_of(beside, train)).support_, train, test)
            for gamma in GAMMAS
            for k in KS
        ]
        for train, test in splits
    ]


def _of(beside, rows):
    return {name: values[rows] for name, values in beside.items()}


def found(search):
    folds = [name for name in search.cv_results_ if name.startswith("split")]
    return [search.cv_results_[name] for name in folds]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("flat", [True, False])
def test_scores_of_numbers_are_those_of_a_search_written_out(table, flat, storage):
    X, Y, _ = table
    y = Y[:, 0] if flat else Y
    neighbours, splits = KNeighborsRegressor(5), list(KFold(3).split(X))

    def score(support, train, test):
        model = neighbours.fit(X[train][:, support], y[train])
        return model.score(X[test][:, support], y[test])

    expected = written_out(lambda k, gamma: JointRegressionScore(k, gamma=gamma), X, y, splits, score)
    search = JointRegressionScoreCV(KS, gammas=GAMMAS, cv=3, estimator=neighbours).fit(storage(X), y)
    np.testing.assert_allclose(found(search), expected, rtol=1e-9)
    assert search.best_score_ == pytest.approx(np.mean(expected, axis=0).max())


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_confounders_are_taken_out_by_what_the_training_rows_say_of_them(table, storage):
    """Also where a whole batch is held out, of which they say nothing."""
    X, Y, batch = table
    age = np.random.default_rng(0).normal(size=120)
    X = X + np.outer(batch == 2, np.ones(9)) + 0.4 * np.outer(age, np.arange(9))
    y = Y[:, 0] + 2 * (batch == 1) + age
    Z = pd.DataFrame({"batch": [f"b{b}" for b in batch], "age": age})
    N = np.column_stack([np.eye(4)[batch], age])
    U, s, _ = np.linalg.svd(N - N.mean(axis=0), full_matrices=False)
    N = U[:, s > 1e-8]  # least in these coordinates are the coefficients of a batch never seen
    splits = list(GroupKFold(4).split(X, y, batch))

    def score(support, train, test):
        values = np.column_stack([X[:, support], y])
        centred = [array[train] - array[train].mean(axis=0) for array in (N, values)]
        left = values - N @ np.linalg.lstsq(*centred, rcond=1e-8)[0]
        model = LinearRegression().fit(left[train, :-1], left[train, -1])
        return model.score(left[test, :-1], left[test, -1])

    expected = written_out(
        lambda k, gamma: JointRegressionScore(k, gamma=gamma), X, y, splits, score, confounders=N
    )
    search = JointRegressionScoreCV(KS, gammas=GAMMAS, cv=GroupKFold(4), estimator=LinearRegression())
    search.fit(storage(X), y, confounders=Z, groups=batch)
    np.testing.assert_allclose(found(search), expected, rtol=1e-7)


def test_classes_are_told_from_what_is_left_of_the_features(table):
    X, Y, batch = table
    y = (Y[:, 0] > np.median(Y[:, 0])).astype(int)
    N = np.column_stack([np.ones(120), np.eye(4)[batch][:, 1:]])
    X = X + 3 * np.outer(batch, np.ones(9))
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))

    def score(support, train, test):
        values = X[:, support]
        left = values - N @ np.linalg.lstsq(N[train], values[train])[0]
        return KNeighborsClassifier(3).fit(left[train], y[train]).score(left[test], y[test])

    expected = written_out(
        lambda k, gamma: GeneralizedFisherScore(k, gamma=gamma), X, y, splits, score, confounders=N[:, 1:]
    )
    search = GeneralizedFisherScoreCV(KS, gammas=GAMMAS, cv=splits, estimator=KNeighborsClassifier(3))
    np.testing.assert_allclose(found(search.fit(X, y, confounders=batch.astype(str))), expected, rtol=1e-9)
    within = GeneralizedFisherScoreCV(KS, gammas=GAMMAS, cv=splits, adjust_for=[9, 10, 11])
    beside = GeneralizedFisherScoreCV(KS, gammas=GAMMAS, cv=splits)
    np.testing.assert_allclose(
        found(within.fit(np.hstack([X, N[:, 1:]]), y)), found(beside.fit(X, y, confounders=N[:, 1:]))
    )


def test_missing_values_count_as_the_mean_over_all_samples(table):
    X, Y, _ = table
    y = Y[:, 0]
    holes = X.copy()
    holes[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    full = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    for estimator in (None, Ridge()):
        search = JointRegressionScoreCV(KS, gammas=GAMMAS, estimator=estimator, missing="mean")
        filled = JointRegressionScoreCV(KS, gammas=GAMMAS, estimator=estimator).fit(full, y)
        np.testing.assert_allclose(found(search.fit(holes, y)), found(filled), rtol=1e-9)
        np.testing.assert_array_equal(search.n_missing_, np.isnan(holes).sum(axis=0))


def ridge_of(Z, targets):
    """The regression as its docstring has it, on centred and scaled columns."""
    return np.linalg.solve(Z.T @ Z + Z.shape[1] * np.eye(Z.shape[1]), Z.T @ (targets - targets.mean(axis=0)))


def test_linear_fit_is_ridge_regression_from_statistics_alone(table):
    X, Y, _ = table
    columns = np.array([0, 2, 5])
    problem = pose_problem(measure_table(X, Y, None, task=REGRESSION), True)
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, columns]
    expected = Y.mean(axis=0) + Z @ ridge_of(Z, Y)
    np.testing.assert_allclose(LinearFit(problem, columns).predict(X[:, columns]), expected, rtol=1e-9)
    flat = pose_problem(measure_table(X, Y[:, 1], None, task=REGRESSION), True)
    np.testing.assert_allclose(LinearFit(flat, columns).predict(X[:, columns]), expected[:, 1], rtol=1e-9)
    twice = np.repeat(np.arange(2), 60) + 1
    weighed = pose_problem(
        measure_table(X, Y, None, FitArguments(sample_weight=twice.astype(float)), task=REGRESSION), True
    )
    again = pose_problem(
        measure_table(np.repeat(X, twice, 0), np.repeat(Y, twice, 0), None, task=REGRESSION), True
    )
    np.testing.assert_allclose(
        LinearFit(weighed, columns).predict(X[:, columns]), LinearFit(again, columns).predict(X[:, columns])
    )


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_sets_of_labels_are_scored_by_their_indicators(table, storage):
    X, Y, _ = table
    labels = np.column_stack([Y.mean(axis=0) < Y, X[:, 3] > 4]).astype(int)
    splits = list(KFold(3).split(X))

    def score(support, train, test):
        Z = (X[:, support] - X[train][:, support].mean(axis=0)) / X[train][:, support].std(axis=0)
        W = ridge_of(Z[train], labels[train])
        return r2_score(labels[test], labels[train].mean(axis=0) + Z[test] @ W)

    expected = written_out(lambda k, gamma: GeneralizedFisherScore(k, gamma=gamma), X, labels, splits, score)
    search = GeneralizedFisherScoreCV(KS, gammas=GAMMAS, cv=3).fit(X, storage(labels))
    np.testing.assert_allclose(found(search), expected, rtol=1e-9)
    problem = pose_problem(measure_table(X, labels, None, task=CLASSIFICATION), True)
    model = LabelFit(problem, np.array([0, 1, 2]))
    np.testing.assert_array_equal(model.predict(X[:, :3]), model.decision_function(X[:, :3]) > 0.5)
    by_f1 = GeneralizedFisherScoreCV(4, gammas=[50.0], scoring="f1_macro").fit(X, labels)
    assert 0.5 < by_f1.best_score_ < 1
    nearest = GeneralizedFisherScoreCV(4, gammas=[50.0], estimator=KNeighborsClassifier(3)).fit(X, labels)
    assert nearest.best_score_ != by_f1.best_score_


def test_default_choice_for_numbers_is_no_worse_than_any_single_gamma(table):
    X, Y, _ = table
    search = JointRegressionScoreCV("auto").fit(X, Y)
    best = search.cv_results_["mean_test_score"].max()
    error = np.std(found(search), axis=0, ddof=1).max() / np.sqrt(5)
    assert best - error <= search.best_score_ <= best
    assert search.support_.sum() == search.n_features_
    single = JointRegressionScore(search.n_features_, gamma=search.gamma_).fit(X, Y)
    np.testing.assert_array_equal(single.support_, search.support_)
