"""The comparison against its loops written out."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset.evaluation import (
    TITLES,
    Comparison,
    class_quantiles,
    compare,
    halves,
    holdout_accuracy,
    methods_for,
    path_accuracy,
)


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


def test_overlap_and_stability_by_sets():
    X, y = load_wine(return_X_y=True)
    methods = ["fisher", "laplacian", "joint"]
    found = compare(X, y, [3, 5], methods=methods, repeats=4, seed=1)
    assert found.n_features == 13
    for at, k in enumerate((3, 5)):
        sets = {method: [set(sizes[at].tolist()) for sizes in found.chosen[method]] for method in methods}
        assert all(len(one) == k for own in sets.values() for one in own)
        shared = [
            [[len(a & b) for a, b in zip(sets[one], sets[other], strict=True)] for other in methods]
            for one in methods
        ]
        expected = np.mean(shared, axis=2) / k
        stable = [np.mean([len(a & b) / k for a, b in combinations(sets[one], 2)]) for one in methods]
        np.fill_diagonal(expected, stable)
        np.testing.assert_allclose(found.overlap(k), expected)
        np.testing.assert_allclose([found.stability(method)[at] for method in methods], stable)
        columns, times = found.times_chosen(k)
        for place, method in enumerate(methods):
            often = [sum(j in one for one in sets[method]) for j in columns]
            assert often == times[place].tolist()
        assert (np.diff(times.sum(axis=0)) <= 0).all()
    assert all(seconds.shape == (4,) and (seconds > 0).all() for seconds in found.seconds.values())


def test_a_single_half_tells_nothing_of_stability():
    X, y = load_wine(return_X_y=True)
    found = compare(X, y, [3], methods=["fisher", "joint"], repeats=1)
    assert np.isnan(np.diagonal(found.overlap(3))).all()
    assert np.isnan(found.stability("joint")).all()
    assert 0 <= found.overlap(3)[0, 1] <= 1


def test_algorithm_1_is_left_out_of_wide_tables():
    assert "cutting-plane" in methods_for(300)
    assert "cutting-plane" not in methods_for(301)


WINE = load_wine(as_frame=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": ["magic"]}, "magic"),
        ({"methods": "fisher"}, "must be a list of names"),
        ({"methods": []}, "got none"),
        ({"repeats": 0}, "repeats must be"),
        ({"repeats": 2.5}, "repeats must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": None}, "seed must be"),
        ({"classifier": "knn"}, "classifier must have fit and predict"),
    ],
)
def test_bad_requests(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        compare(WINE.data, WINE.target, **{"ks": [2], "repeats": 1, **arguments})


BAD_LABELS = {
    "none": (None, "y to be passed|None"),
    "short": (WINE.target[:100], "178 rows in X and 100 labels"),
    "long": (np.append(WINE.target, 0), "178 rows in X and 179 labels"),
    "missing": (WINE.target.where(WINE.target > 0), "NaN"),
    "missing texts": (WINE.target.map({1: "a", 2: "b"}), "missing labels"),
    "continuous": (WINE.data["ash"] + 0.001, "continuous"),
    "one hot": (np.eye(3)[WINE.target], "1d array"),
    "one class": (np.zeros(178, int), "two classes"),
    "all different": (np.arange(178), "identifier"),
    "lists": ([[0]] * 177 + [[0, 1]], "."),
    "a name": ("target", "."),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_labels_are_refused_as_in_fit(case):
    y, message = BAD_LABELS[case]
    for function in (
        lambda: compare(WINE.data, y, [2], methods=["fisher"], repeats=1),
        lambda: path_accuracy(WINE.data, y, [2], estimator=KNeighborsClassifier(1)),
        lambda: class_quantiles(WINE.data, y, [0]),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            function()


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize(
    "form",
    [
        list,
        np.asarray,
        pd.DataFrame,
        lambda y: y.astype(str),
        lambda y: y.astype(float),
        lambda y: y.to_list(),
    ],
)
def test_labels_in_every_form_fit_takes(form):
    expected = compare(WINE.data.to_numpy(), WINE.target.to_numpy(), [3], methods=["joint"], repeats=2)
    for X in (WINE.data, WINE.data.to_numpy().tolist()):
        found = compare(X, form(WINE.target), [3], methods=["joint"], repeats=2)
        np.testing.assert_array_equal(found.accuracy["joint"], expected.accuracy["joint"])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (WINE.data.assign(ash=np.nan), "'ash' holds some"),
        (WINE.data.assign(ash="x"), "'ash' holds text"),
        (sparse.csr_array(WINE.data.assign(ash=np.inf)), "column 2 holds some"),
        (WINE.data["ash"], "2-dimensional|2D"),
    ],
)
def test_tables_are_refused_as_in_fit(X, message):
    with pytest.raises(ValueError, match=message):
        compare(X, WINE.target, [1], repeats=1)


def test_too_few_rows_of_two_classes():
    with pytest.raises(ValueError, match="too few rows"):
        compare(np.random.default_rng(0).normal(size=(6, 3)), ["a", "a", "a", "a", "a", "b"], [1], repeats=20)
    with pytest.raises(ValueError, match="two rows of one; there are too few rows"):
        compare(np.random.default_rng(0).normal(size=(7, 3)), list("aaabbbc"), [1], repeats=20)


def test_a_column_of_labels_is_not_held_against_a_row():
    X, y = WINE.data.to_numpy(), WINE.target.to_numpy()
    rows = np.arange(100), np.arange(100, 178)
    for wrong in (y[:, None], y[:100]):
        with pytest.raises(ValueError, match="y must be an array of 178 labels"):
            holdout_accuracy(KNeighborsClassifier(1), X, wrong, np.arange(2), *rows)


def scores_of(*rows):
    return np.array(rows, dtype=np.float64).T


def test_a_winner_is_named_only_beyond_the_error():
    """The same halves for all: what counts is the spread of the differences, not of the accuracies."""
    hard = np.array([0.1, -0.1, 0.05, -0.05, 0.0])  # halves that are hard for all
    joint, fisher = scores_of(0.9 + hard, 0.9 + hard), scores_of(0.8 + hard, 0.89 - hard)
    found = Comparison([5, 10], {"fisher": fisher, "joint": joint})
    assert found.leaders(5) == ["joint"]
    assert found.leaders(10) == ["joint", "fisher"]
    assert found.verdict() == (
        "GFS (joint) is the most accurate with 5 features. "
        "No clear winner with 10 features; best on average: GFS (joint) with 10."
    )
    # two classifiers that differ by an eighth of the corrected standard error
    assert Comparison([3], {"a": scores_of(0.8 + hard), "b": scores_of(0.81 - hard)}).leaders(3) == ["b", "a"]


def test_a_single_half_has_no_winner():
    found = Comparison([5], {"fisher": np.array([[0.2]]), "joint": np.array([[0.9]])})
    assert found.leaders(5) == ["joint", "fisher"]
    assert found.verdict() == "No clear winner with 5 features; best on average: GFS (joint) with 5."
    assert found._replace(accuracy={"joint": np.array([[0.9]])}).verdict() == ""


def test_equal_means_have_no_best():
    level = np.array([0.01, -0.01, 0.02, -0.02])
    three = {
        "hsic": scores_of(0.2 + level),
        "fisher": scores_of(0.9 + level),
        "joint": scores_of(0.9 - level),
    }
    assert Comparison([5], three).verdict() == "No clear winner with 5 features."
