"""The comparison against its loops written out."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset.evaluation import TITLES, compare, halves, methods_for


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_fisher_score_without_leaks(kind):
    X, y = load_wine(return_X_y=True)
    found = compare(kind(X), np.array(["a", "b", "c"])[y], [3, 6], methods=["fisher"], repeats=2, seed=4)
    rng = np.random.default_rng(4)
    for repeat in range(2):
        train, test = halves(y, rng)
        for at, k in enumerate((3, 6)):
            model = make_pipeline(SelectKBest(f_classif, k=k), StandardScaler(), KNeighborsClassifier(1))
            expected = model.fit(X[train], y[train]).score(X[test], y[test])
            assert found.accuracy["fisher"][repeat, at] == pytest.approx(expected)


def test_every_method_and_its_progress():
    X, y = load_wine(return_X_y=True)
    told = []
    found = compare(X, y, [2, 5], repeats=1, progress=lambda done, total: told.append((done, total)))
    assert list(found.accuracy) == list(TITLES)
    assert told == [(i, len(TITLES)) for i in range(1, len(TITLES) + 1)]
    assert all(np.all((scores > 0.3) & (scores <= 1)) for scores in found.accuracy.values())
    assert found.error("joint").tolist() == [0.0, 0.0]  # of one repeat


def test_algorithm_1_is_left_out_of_wide_tables():
    assert "cutting-plane" in methods_for(300)
    assert "cutting-plane" not in methods_for(301)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ks": []}, "ks must lie"),
        ({"ks": [14]}, "ks must lie"),
        ({"ks": [0, 2]}, "ks must lie"),
        ({"ks": [2], "methods": ["magic"]}, "magic"),
        ({"ks": [2], "repeats": 0}, "repeats must be"),
    ],
)
def test_bad_requests(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(*load_wine(return_X_y=True), **arguments)


def test_too_few_rows_of_two_classes():
    with pytest.raises(ValueError, match="too few rows"):
        compare(np.random.default_rng(0).normal(size=(6, 3)), ["a", "a", "a", "a", "a", "b"], [1], repeats=20)
