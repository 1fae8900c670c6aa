"""Cross-validated choice of gamma and size, against searches written out."""

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV
from fisherset.selection.request import pose_problem
from fisherset.selectors.cv import neighbours
from fisherset.selectors.cv.choice import best_neighbourhood
from fisherset.selectors.cv.models import Discriminant
from fisherset.selectors.cv.neighbours import NearestNeighbour
from fisherset.statistics.measure import measure_table


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    y = np.arange(150) % 3
    X = rng.normal(size=(150, 12)) + 5
    X[:, :3] += 0.8 * np.eye(3)[y]
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=150)
    return X, y


@pytest.mark.parametrize("cv", [4, KFold(3), ShuffleSplit(3, test_size=0.3, random_state=0)])
@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_scores_are_those_of_a_search_written_out(table, solver, cv):
    X, y = table
    gammas, ks = (5.0, 100.0, 1000.0), (2, 4)
    neighbour = KNeighborsClassifier(1)
    search = GeneralizedFisherScoreCV(ks, gammas=gammas, cv=cv, estimator=neighbour, solver=solver).fit(X, y)
    for at, (gamma, k) in enumerate((gamma, k) for gamma in gammas for k in ks):
        model = make_pipeline(GeneralizedFisherScore(k, gamma=gamma, solver=solver), neighbour)
        expected = cross_val_score(model, X, y, cv=cv)
        assert search.cv_results_["param_gamma"][at] == gamma
        assert search.cv_results_["param_n_features_to_select"][at] == k
        assert search.cv_results_["mean_test_score"][at] == pytest.approx(expected.mean())
        assert search.cv_results_["split1_test_score"][at] == pytest.approx(expected[1])
        assert search.cv_results_["std_test_score"][at] == pytest.approx(expected.std())
    best = search.cv_results_["mean_test_score"].max()
    assert search.best_score_ == pytest.approx(best)
    assert search.cv_results_["rank_test_score"].min() == 1


def test_final_fit_is_that_of_the_choice(table):
    X, y = table
    search = GeneralizedFisherScoreCV([2, 3, 5], gammas=[10.0, 300.0]).fit(X, y)
    single = GeneralizedFisherScore(search.n_features_, gamma=search.gamma_).fit(X, y)
    np.testing.assert_array_equal(search.support_, single.support_)
    assert search.objective_ == pytest.approx(single.objective_)
    assert search.upper_bound_ == pytest.approx(single.upper_bound_)
    assert search.transform(X).shape == (150, search.n_features_)


def test_discriminant_is_lda_from_statistics_alone(table):
    """Against scikit-learn's, whose shrinkage can be set to the same ridge."""
    X, y = table
    columns = np.array([0, 1, 5])
    problem = pose_problem(measure_table(X, y, None), True)
    model = Discriminant(problem, columns, np.unique(y))
    Z = (X - X.mean(0)) / X.std(0)
    means = np.array([Z[y == c][:, columns].mean(0) for c in range(3)])
    within = sum((Z[y == c][:, columns] - means[c]).T @ (Z[y == c][:, columns] - means[c]) for c in range(3))
    S = within / 150 + 3 / 150 * np.eye(3)  # one sample for each of three features
    A = np.linalg.solve(S, means.T)
    expected = Z[:, columns] @ A - np.sum(A * means.T, axis=0) / 2 + np.log(1 / 3)
    np.testing.assert_allclose(model.decision_function(X[:, columns]), expected, rtol=1e-9, atol=1e-9)
    reference = LinearDiscriminantAnalysis().fit(X[:, columns], y)
    assert np.mean(model.predict(X[:, columns]) == reference.predict(X[:, columns])) > 0.98
    two = y < 2
    problem = pose_problem(measure_table(X[two], y[two], None), True)
    binary = Discriminant(problem, columns, np.array([0, 1]))
    assert binary.decision_function(X[:, columns]).ndim == 1


def test_probabilities_of_the_discriminant_are_those_of_normal_classes(table):
    """Bayes' rule on normal densities of one covariance, by the book."""
    from scipy.stats import multivariate_normal

    X, y = table
    columns = np.array([0, 1, 5])
    for some in (y < 3, y < 2):
        rows, labels = X[some], y[some]
        n, c = len(labels), labels.max() + 1
        model = Discriminant(
            pose_problem(measure_table(rows, labels, None), True), columns, np.unique(labels)
        )
        Z = ((rows - rows.mean(0)) / rows.std(0))[:, columns]
        means = [Z[labels == k].mean(0) for k in range(c)]
        within = sum((Z[labels == k] - means[k]).T @ (Z[labels == k] - means[k]) for k in range(c))
        S = within / n + 3 / n * np.eye(3)  # one sample for each of three features
        joint = np.column_stack(
            [multivariate_normal(means[k], S).pdf(Z) * np.mean(labels == k) for k in range(c)]
        )
        expected = joint / joint.sum(axis=1, keepdims=True)
        found = model.predict_proba(rows[:, columns])
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(rows[:, columns]))


@pytest.mark.parametrize("unit", [1e-310, 1e-160, 1e160, 1e300])
def test_discriminant_knows_no_unit(table, unit):
    """Numbers whose inverse or square overflows are judged like any others."""
    X, y = table
    plain = GeneralizedFisherScoreCV(3, gammas=[20.0], scoring="neg_log_loss").fit(X, y)
    scaled = GeneralizedFisherScoreCV(3, gammas=[20.0], scoring="neg_log_loss").fit(X * unit, y)
    np.testing.assert_array_equal(scaled.support_, plain.support_)
    assert scaled.best_score_ == pytest.approx(plain.best_score_, rel=1e-6)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "neg_brier_score"])
def test_scorers_of_probabilities(table, scoring):
    X, y = table
    y = y % 2 if scoring == "neg_brier_score" else y
    found = GeneralizedFisherScoreCV(3, gammas=[1.0, 50.0], scoring=scoring).fit(X, y)
    assert np.isfinite(found.best_score_)
    assert found.best_score_ < 1


def test_auto_takes_the_smallest_within_one_standard_error(table):
    X, y = table
    search = GeneralizedFisherScoreCV("auto", cv=5).fit(X, y)
    results = search.cv_results_
    ks, mean = results["param_n_features_to_select"], results["mean_test_score"]
    assert sorted(set(ks)) == [1, 2, 3, 5, 8, 12]
    best = int(np.argmax(mean))
    splits = np.array([results[f"split{i}_test_score"][best] for i in range(5)])
    floor = mean[best] - splits.std(ddof=1) / np.sqrt(5)
    assert search.n_features_ == ks[mean >= floor - 1e-12].min()
    assert search.n_features_ < 12


def test_default_gamma_is_the_one_with_the_best_scores_around_it(table):
    X, y = table
    search = GeneralizedFisherScoreCV(4).fit(X, y)
    gammas, mean = (search.cv_results_[name] for name in ("param_gamma", "mean_test_score"))
    np.testing.assert_allclose(gammas / 150, [0.01, 0.1, 0.25, 1, 2, 4, 8, 16, 64])
    around = [
        np.average(mean, weights=[np.exp(-((i - j) ** 2) / 2) for j in range(gammas.size)])
        for i in range(gammas.size)
    ]
    assert search.gamma_ == gammas[np.argmax(around)]
    assert search.best_score_ == mean[np.argmax(around)]


def test_gamma_without_evidence_is_near_scale():
    gammas = np.array([1.0, 10.0, 100.0, 1000.0])
    assert best_neighbourhood(np.full((5, 4), 0.7), gammas, 150.0) == 2
    assert best_neighbourhood(np.full((5, 4), 0.7), gammas, 1e9) == 3
    assert best_neighbourhood(np.array([[0.9, 0.9, 0.5, 0.5]]), gammas, 1e9) == 0


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_default_score_is_the_mean_of_discriminant_and_neighbour(table, storage):
    X, y = table
    splits = list(StratifiedKFold(4).split(X, y))
    search, linear = (
        GeneralizedFisherScoreCV(3, gammas=[20.0], cv=splits, scoring=scoring).fit(storage(X), y)
        for scoring in (None, "accuracy")
    )
    nearest = GeneralizedFisherScoreCV(
        3, gammas=[20.0], cv=splits, estimator=make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    ).fit(X, y)
    assert search.best_score_ == pytest.approx((linear.best_score_ + nearest.best_score_) / 2)


def test_equally_near_rows_share_and_rows_without_weight_are_no_neighbours():
    X = np.array([[0.0], [0.0], [0.0], [5.0], [6.0], [7.0], [0.0], [6.0]])
    y = np.array([0, 1, 1, 1, 0, 0, 0, 1])
    split = np.arange(6), np.arange(6, 8)

    def accuracy(weights=None):
        weights = None if weights is None else np.asarray(weights, dtype=float)
        problem = pose_problem(measure_table(X[:6], y[:6], None), True)
        neighbour = NearestNeighbour(y, weights, weights)
        return neighbour.on(*split, lambda rows: lambda *_: X[rows])(problem, np.array([0]))

    assert accuracy() == pytest.approx((1 / 3 + 0) / 2)
    assert accuracy([1, 1, 1, 1, 0, 1, 1, 1]) == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert accuracy([4, 1, 1, 1, 1, 1, 3, 1]) == pytest.approx((3 * 4 / 6 + 0) / 4)


def test_of_many_rows_neighbours_are_an_even_sample_of_each_class(table, monkeypatch):
    """Whatever the order of the rows: here every second one is of the same class."""
    X, y = table
    X, y = np.repeat(X[y < 2], 8, axis=0), np.repeat(y[y < 2], 8)
    order = np.argsort(np.arange(y.size) % (y.size // 2), kind="stable")
    monkeypatch.setattr(neighbours, "MOST_DISTANCES", 1000)
    found = GeneralizedFisherScoreCV(3, gammas=[20.0]).fit(X[order], y[order]).best_score_
    linear = (
        GeneralizedFisherScoreCV(3, gammas=[20.0], scoring="accuracy").fit(X[order], y[order]).best_score_
    )
    assert 0.5 < 2 * found - linear <= 1


@pytest.mark.parametrize(("n", "d", "size"), [(200, 8, 2), (200, 20, 2), (200, 200, 2), (2000, 20, 3)])
@pytest.mark.parametrize("correlation", [0.9, 0.98])
def test_columns_that_tell_something_only_together_are_found(n, d, size, correlation):
    """Three standard deviations apart along a contrast of the columns, next to five with R^2 of 0.1 each."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[:, :5] += (2 / 3) * y[:, None]
    contrast = np.array([1, -1]) / np.sqrt(2) if size == 2 else np.array([1, 1, -2]) / np.sqrt(6)
    own = rng.normal(size=(n, size)) + 3 * np.outer(y, contrast)
    X[:, -size:] = np.sqrt(correlation) * rng.normal(size=(n, 1)) + np.sqrt(1 - correlation) * own
    search = GeneralizedFisherScoreCV(size).fit(X, y)
    assert np.flatnonzero(search.support_).tolist() == list(range(d - size, d))


def test_storage_threads_and_names_change_nothing(table):
    X, y = table
    X = np.round(X)
    plain = GeneralizedFisherScoreCV([2, 5]).fit(X, y)
    names = [f"n{j}" for j in range(12)]
    others = [
        (X, {"n_jobs": 2}),
        (sparse.csr_matrix(X), {}),
        (sparse.csc_array(X), {}),
        (pd.DataFrame(X, columns=names), {}),
    ]
    for table_, options in others:
        other = GeneralizedFisherScoreCV([2, 5], **options).fit(table_, np.array(["a", "b", "c"])[y])
        np.testing.assert_array_equal(other.support_, plain.support_)
        np.testing.assert_allclose(other.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    assert list(other.get_feature_names_out()) == [names[j] for j in np.flatnonzero(plain.support_)]


def test_scoring_is_scikit_learns(table):
    X, y = table
    y = np.where(y == 2, 0, y)  # unbalanced
    plain = GeneralizedFisherScoreCV(3, scoring="accuracy").fit(X, y)
    balanced = GeneralizedFisherScoreCV(3, scoring="balanced_accuracy").fit(X, y)
    ranked = GeneralizedFisherScoreCV(3, scoring="roc_auc").fit(X, y)
    assert balanced.best_score_ < plain.best_score_
    assert 0.5 < ranked.best_score_ <= 1


def test_more_features_than_samples():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 300))
    X[:, :4] += y[:, None]
    search = GeneralizedFisherScoreCV([3, 30]).fit(X, y)
    assert np.isfinite(search.best_score_)
    assert search.support_.sum() == search.n_features_


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_features_to_select": "all"}, ValueError, '"auto" or a sequence'),
        ({"n_features_to_select": []}, ValueError, "at least one number"),
        ({"n_features_to_select": [2, 99]}, ValueError, "at most the number of features"),
        ({"gammas": []}, ValueError, "gammas must be a sequence"),
        ({"gammas": "scale"}, ValueError, "gammas must be a sequence"),
        ({"gammas": 5.0}, ValueError, "gammas must be a sequence"),
        ({"gammas": [1.0, -1.0]}, ValueError, "gamma must be"),
        ({"solver": "greedy"}, ValueError, "solver must be"),
        ({"scoring": "nonsense"}, ValueError, "nonsense"),
        ({"cv": 1}, ValueError, "n_splits"),
        ({"cv": [(np.arange(50) * 3, np.arange(1, 100))]}, ValueError, "cv must leave two classes"),
    ],
)
def test_bad_parameters(table, options, error, message):
    X, y = table
    with pytest.raises(error, match=message):
        GeneralizedFisherScoreCV(**{"n_features_to_select": 3, **options}).fit(X, y)


def test_splits_may_be_masks(table):
    X, y = table
    splits = list(StratifiedKFold(3).split(X, y))
    masks = [tuple(np.isin(np.arange(150), part) for part in split) for split in splits]
    found = [GeneralizedFisherScoreCV(3, cv=cv).fit(X, y).cv_results_ for cv in (splits, masks)]
    np.testing.assert_array_equal(found[0]["mean_test_score"], found[1]["mean_test_score"])


def test_inputs_are_left_alone(table):
    X, y = table
    before = X.copy(), y.copy()
    GeneralizedFisherScoreCV(3, cv=StratifiedKFold(3)).fit(X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_training_parts_with_repeated_rows(table):
    """Not the complement of the test part, even if the numbers add up."""
    X, y = table
    half = np.arange(50)
    split = [(np.concatenate([half, half]), np.arange(50, 100))]
    found = GeneralizedFisherScoreCV(3, gammas=[20.0], cv=split).fit(X, y)
    again = GeneralizedFisherScoreCV(3, gammas=[20.0], cv=[(np.arange(100), np.arange(100, 150))])
    again.fit(np.vstack([X[half], X[half], X[50:100]]), np.concatenate([y[half], y[half], y[50:100]]))
    assert found.best_score_ == again.best_score_


def test_processes_cannot_take_the_place_of_threads(table):
    X, y = table
    with joblib.parallel_backend("loky"):
        found = GeneralizedFisherScoreCV(3, gammas=[1.0, 20.0], n_jobs=2).fit(X, y)
    assert found.gamma_ == GeneralizedFisherScoreCV(3, gammas=[1.0, 20.0]).fit(X, y).gamma_


def test_table_without_anything_in_it():
    with pytest.warns(UserWarning, match="vary"):
        found = GeneralizedFisherScoreCV(2, gammas=[1.0]).fit(np.ones((20, 3)), np.arange(20) % 2)
    assert found.objective_ == 0.0


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_start_without_any_difference():
    """F of the first set may be nought: no gain is a share of it."""
    X = np.full((9, 2), 0.25)
    X[7, 0] = X[8, 0] = X[8, 1] = 0.375
    GeneralizedFisherScoreCV(gammas=[0.01], cv=2).fit(X, [0, 0, 0, 0, 1, 1, 1, 1, 0])
