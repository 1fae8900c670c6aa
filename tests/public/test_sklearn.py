"""scikit-learn's own checks, and life inside its tools."""

import inspect
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
)
from support.all_selectors import SELECTORS

HERE = str(Path(__file__).parent)


ESTIMATORS = [
    *SELECTORS,
    GeneralizedFisherScoreCV(cv=2),
    JointRegressionScore(),
    JointRegressionScoreCV(cv=2),
]
CHECKS = [pair for estimator in ESTIMATORS for pair in estimator_checks_generator(estimator)]


def named(value):
    """A check by its name, an estimator by its parameters."""
    return value.func.__name__ if isinstance(value, partial) else repr(value)


def with_dispatch(check):
    return "array_api" in named(check)


@pytest.mark.parametrize(
    ("estimator", "check"), [(own, check) for own, check in CHECKS if not with_dispatch(check)], ids=named
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.once  # the lowest scikit-learn has no such check
def test_scikit_learn_checks_with_array_dispatch():
    """In a process of their own: scipy must have been told when it was imported."""
    code = """
from test_sklearn import CHECKS, with_dispatch
for estimator, check in CHECKS:
    if with_dispatch(check):
        check(estimator)
        print(type(estimator).__name__)
"""
    told = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join([*sys.path, HERE])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=told)
    assert done.stdout.split() == [type(estimator).__name__ for estimator in ESTIMATORS], done.stderr


@pytest.fixture
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("estimator", SELECTORS, ids=repr)
def test_in_a_grid_search_over_a_pipeline(estimator, iris):
    pipeline = make_pipeline(clone(estimator), KNeighborsClassifier(1))
    name = pipeline.steps[0][0]
    search = GridSearchCV(pipeline, {f"{name}__n_features_to_select": [1, 2, 0.9]}, cv=3).fit(*iris)
    assert search.best_score_ > 0.85


@pytest.mark.parametrize("estimator", SELECTORS, ids=repr)
def test_clone_pickle_and_names(estimator, iris):
    X, y = iris
    selector = clone(estimator).set_params(n_features_to_select=2).set_output(transform="pandas").fit(X, y)
    chosen = X.columns[selector.get_support()]
    assert_array_equal(selector.get_feature_names_out(), chosen)
    reduced = selector.transform(X)
    pd.testing.assert_frame_equal(reduced, X[chosen])
    again = pickle.loads(pickle.dumps(selector))
    assert_array_equal(again.ranking_, selector.ranking_)
    back = selector.inverse_transform(reduced.to_numpy())
    assert_array_equal(back[:, selector.get_support()], X[chosen])
    assert not back[:, ~selector.get_support()].any()


@pytest.mark.parametrize("estimator", SELECTORS, ids=repr)
def test_nothing_large_is_kept(estimator):
    """Nothing beyond O(n_features) stays on the fitted estimator."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((500, 40)), np.arange(500) % 3
    selector = clone(estimator).fit(X, y)
    arrays = [value for value in vars(selector).values() if isinstance(value, np.ndarray)]
    assert arrays
    assert all(array.size <= 40 for array in arrays)
    assert len(pickle.dumps(selector)) < 20_000


@pytest.mark.filterwarnings("ignore:(invalid value|Features .* are constant)")  # of f_classif
def test_replaces_select_k_best():
    """The promise of the README: swap it in, keep the rest, get a better model."""
    from sklearn.datasets import load_digits
    from sklearn.feature_selection import SelectKBest, f_classif
    from sklearn.model_selection import cross_val_score

    X, y = load_digits(return_X_y=True)
    score = {
        type(selector).__name__: cross_val_score(
            make_pipeline(selector, KNeighborsClassifier(1)), X, y
        ).mean()
        for selector in (SelectKBest(f_classif, k=10), GeneralizedFisherScore(10))
    }
    assert score["GeneralizedFisherScore"] > score["SelectKBest"]


def routed(selector):
    """Asked for what belongs to the rows."""
    names = {"sample_weight", "confounders"} & set(inspect.signature(selector.fit).parameters)
    return clone(selector).set_fit_request(**dict.fromkeys(names, True))


BESIDE = [
    GeneralizedFisherScore(2),
    GeneralizedFisherScoreCV([1, 2], gammas=[5.0], cv=GroupKFold(3)),
    JointRegressionScore(2),
    JointRegressionScoreCV([1, 2], gammas=[5.0], cv=GroupKFold(3)),
]


@pytest.mark.parametrize("selector", BESIDE, ids=lambda one: type(one).__name__)
def test_metadata_is_routed_through_pipelines_and_searches(selector, iris):
    """Weights, confounders and groups of rows reach the selector, and in a search those of the part."""
    X, y = iris
    rng = np.random.default_rng(0)
    beside = {"sample_weight": rng.random(150), "confounders": rng.normal(size=(150, 2))}
    cross_validated = hasattr(selector, "cv")
    groups = {"groups": rng.integers(0, 9, 150)} if cross_validated else {}
    alone = clone(selector).fit(X, y, **beside, **groups)
    model = KNeighborsRegressor(3) if "Regression" in type(selector).__name__ else KNeighborsClassifier(3)
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(routed(selector), model).fit(X, y, **beside, **groups)
        assert_allclose(pipeline[0].scores_, alone.scores_)
        assert pipeline[0].objective_ == alone.objective_
        if cross_validated:
            return
        halves, gammas = [(np.arange(100), np.arange(50))], [5.0, 500.0]
        grid = {f"{pipeline.steps[0][0]}__gamma": gammas}
        search = GridSearchCV(make_pipeline(routed(selector), model), grid, cv=halves)
        search.fit(X, y, confounders=beside["confounders"])  # the scorers would ask for weights too
    scores = []
    for gamma in gammas:
        part = clone(selector).set_params(gamma=gamma)
        mask = part.fit(X[:100], y[:100], confounders=beside["confounders"][:100]).support_
        scores.append(model.fit(X.loc[:99, mask], y[:100]).score(X.loc[:49, mask], y[:50]))
    assert_allclose(search.cv_results_["mean_test_score"], scores)


@pytest.mark.parametrize("selector", BESIDE, ids=lambda one: type(one).__name__)
def test_new_estimators_live_in_scikit_learn(selector, iris):
    X, y = iris
    if hasattr(selector, "cv"):
        selector = clone(selector).set_params(cv=3)
    fitted = clone(selector).set_output(transform="pandas").fit(X, y)
    pd.testing.assert_frame_equal(fitted.transform(X), X.loc[:, fitted.get_support()])
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.ranking_, fitted.ranking_)
    with pytest.raises(TypeError):  # as anything that nobody asked for
        clone(selector).fit(X, y, nonsense=1)
