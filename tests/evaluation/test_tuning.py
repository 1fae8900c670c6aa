"""The choice of gamma, against a grid search written out."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fisherset import GeneralizedFisherScore
from fisherset.evaluation import tune_gamma

GAMMAS, KS = (1.0, 30.0, 1000.0), (2, 4)


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 8))
    X[:, :3] += 0.8 * np.eye(3)[y]
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=90)
    return X, y


@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_against_a_grid_search_written_out(table, solver):
    X, y = table
    classifier = KNeighborsClassifier(1)
    tuned = tune_gamma(X, y, KS, GAMMAS, classifier=classifier, seed=4, solver=solver, tol=1e-6)
    expected = np.zeros((5, 3, 2))
    for f, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=4).split(X, y)):
        for g, gamma in enumerate(GAMMAS):
            for j, k in enumerate(KS):
                selector = GeneralizedFisherScore(k, gamma=gamma, solver=solver, tol=1e-6)
                Z = selector.fit_transform(X[train], y[train])
                model = KNeighborsClassifier(1).fit(Z, y[train])
                expected[f, g, j] = model.score(selector.transform(X[test]), y[test])
    np.testing.assert_allclose(tuned.accuracy, expected.mean(axis=0))
    np.testing.assert_array_equal(tuned.gamma, np.array(GAMMAS)[expected.mean(axis=0).argmax(axis=0)])


def test_scaling_learns_from_the_training_part_of_each_fold(table):
    X, y = table
    seen = []

    def scaling(Z, rows):
        seen.append(rows)
        return Z

    tune_gamma(X, y, [2], [1.0], classifier=KNeighborsClassifier(1), scaling=scaling)
    assert [rows.size for rows in seen] == [72] * 5
