"""A fitted selector in place of its options: the same answers as with every option repeated."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import LogisticRegression

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    HSICScore,
    JointRegressionScore,
    JointRegressionScoreCV,
    TraceRatio,
    certify,
    explain,
    fisher_criterion,
    near_best,
    scan,
    selection_path,
    summarize,
)
from support import reference

X, y = reference.random_problem(3, n=90, d=9, c=3)
MISSING = np.where(np.random.default_rng(1).random(X.shape) < 0.05, np.nan, X)
Z = np.random.default_rng(2).normal(size=(90, 2))
WEIGHT = np.random.default_rng(3).uniform(0.5, 2.0, 90)
FRAME = {f"g{j}": X[:, j] for j in range(X.shape[1])}
OPTIONS = {
    "none": {},
    "gamma": {"gamma": 7.0},
    "standardize": {"standardize": False},
    "groups": {"groups": np.array(list("aabbccdde"))},
    "groups by name": {"groups": {"first": [0, 1], "last": [7, 8]}},
    "keep": {"keep": [4]},
    "exclude": {"exclude": [0, 8]},
    "class_weight": {"class_weight": "balanced"},
    "adjust_for": {"adjust_for": [3]},
    "max_memory": {"max_memory": "200MB"},
    "all": {"keep": [4], "exclude": [0], "adjust_for": [3], "class_weight": "sqrt", "standardize": False},
}
FIT = {"nothing": {}, "weights": {"sample_weight": WEIGHT}, "confounders": {"confounders": Z}}


def same(found, expected):
    for one, other in zip(found, expected, strict=True):
        if isinstance(one, np.ndarray | float):
            np.testing.assert_array_equal(one, other)
        else:
            assert str(one) == str(other)


def check_all(selector, table, targets, given, options):
    """Every function with the selector equals the call with everything spelled out."""
    support, full = selector.support_, {**options, "gamma": selector.gamma_, **given}
    same(certify(selector, table, targets, **given), certify(table, targets, support, **full))
    without_keep = {name: value for name, value in full.items() if name != "keep"}
    explained = explain(table, targets, support, **without_keep)
    same(explain(selector, table, targets, **given), explained)
    assert explained.objective == pytest.approx(selector.objective_, rel=1e-12)
    criterion = {name: value for name, value in without_keep.items() if name not in ("groups", "exclude")}
    value = fisher_criterion(selector, table, targets, **given)
    assert value == fisher_criterion(table, targets, support, **criterion)
    assert value == pytest.approx(selector.objective_, rel=1e-12)
    k = int(np.count_nonzero(selector.ranking_ <= 3)) if selector.ranking_.size else 3
    near = near_best(selector, table, targets, within=0.02, **given)
    assert near.sets == near_best(table, targets, k, within=0.02, **full).sets
    path = selection_path(selector, table, targets, [2, 3], **given)
    for step, other in zip(path, selection_path(table, targets, [2, 3], **full), strict=True):
        same(step, other)


@pytest.mark.parametrize("fit", FIT)
@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_that_of_the_selector(name, fit):
    selector = GeneralizedFisherScore(3, **OPTIONS[name]).fit(X, y, **FIT[fit])
    check_all(selector, X, y, FIT[fit], OPTIONS[name])


def test_missing_values_and_sparse_tables():
    selector = GeneralizedFisherScore(3, missing="mean").fit(MISSING, y)
    check_all(selector, MISSING, y, {}, {"missing": "mean"})
    rows = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    check_all(GeneralizedFisherScore(3).fit(rows, y), rows, y, {}, {})


def test_numbers():
    target = X[:, 0] + X[:, 3] + np.random.default_rng(0).normal(size=90)
    check_all(JointRegressionScore(3).fit(X, target), X, target, {}, {"task": "regression"})
    found = JointRegressionScoreCV(3, gammas=[5.0, 50.0], cv=2).fit(X, target)
    check_all(found, X, target, {}, {"task": "regression"})


def test_cross_validated_selectors():
    selector = GeneralizedFisherScoreCV(3, gammas=[5.0, 50.0], cv=2, exclude=[0]).fit(X, y)
    check_all(selector, X, y, {}, {"exclude": [0]})


def test_tables_that_bring_their_targets(tmp_path):
    """Scans and summaries have their own targets, weights and confounders: nothing is to be repeated."""
    selector = GeneralizedFisherScore(3, gamma=20.0).fit(X, y, confounders=Z)
    summary = summarize(X, y, confounders=Z)
    assert explain(selector, summary).drops == pytest.approx(explain(selector, X, y, confounders=Z).drops)
    plain = GeneralizedFisherScore(3).fit(X, y)
    assert certify(plain, summarize(X, y)).objective == pytest.approx(plain.objective_)
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({**FRAME, "y": y}).to_parquet(tmp_path / "t.parquet")
    table = scan(tmp_path / "t.parquet", target="y")
    scanned = GeneralizedFisherScore(3).fit(table)
    assert explain(scanned, table).objective == pytest.approx(plain.objective_)
    assert explain(scanned, table).names == list(scanned.get_feature_names_out())


def test_dask():
    dask_array = pytest.importorskip("dask.array")
    table, targets = dask_array.from_array(X, chunks=(30, -1)), dask_array.from_array(y, chunks=30)
    selector = GeneralizedFisherScore(3).fit(table, targets)
    found = explain(selector, table, targets)
    assert found.objective == pytest.approx(selector.objective_)
    assert certify(selector, table, targets).gap == pytest.approx(selector.gap_, abs=2e-3)


def test_dask_with_fit_arguments():
    dask_array = pytest.importorskip("dask.array")
    table, targets, weight, beside = (dask_array.from_array(part, chunks=30) for part in (X, y, WEIGHT, Z))
    table, beside = table.rechunk({1: -1}), beside.rechunk({1: -1})
    for argument, value, rows in (("sample_weight", weight, WEIGHT), ("confounders", beside, Z)):
        options = {"exclude": [0], "keep": [4], "class_weight": "balanced"}
        selector = GeneralizedFisherScore(3, **options).fit(table, targets, **{argument: value})
        with pytest.raises(ValueError, match=rf"fitted with {argument}, .* {argument}=\.\.\."):
            explain(selector, table, targets)
        found = explain(selector, table, targets, **{argument: value})
        given = {"gamma": selector.gamma_, "exclude": [0], "class_weight": "balanced", argument: rows}
        np.testing.assert_allclose(found.drops, explain(X, y, selector.support_, **given).drops)


def test_sets_of_labels():
    labels = (X[:, :4] + np.random.default_rng(5).normal(size=(90, 4)) > 0).astype(int)
    check_all(
        GeneralizedFisherScore(3, gamma=9.0, exclude=[8]).fit(X, labels), X, labels, {}, {"exclude": [8]}
    )


def test_rows_added_gradually():
    selector = GeneralizedFisherScore(3)
    for rows in (slice(40), slice(40, 90)):
        selector.partial_fit(X[rows], y[rows], sample_weight=WEIGHT[rows])
    with pytest.raises(ValueError, match="fitted with sample_weight"):
        explain(selector, X, y)
    assert explain(selector, X, y, sample_weight=WEIGHT).objective == pytest.approx(selector.objective_)
    assert explain(selector, selector.summary_).objective == pytest.approx(selector.objective_)


@pytest.mark.parametrize(
    "selector",
    [
        FisherScore(3),
        HSICScore(3),
        TraceRatio(3),
        SelectKBest(k=3),
        RFE(LogisticRegression(), n_features_to_select=3),
    ],
)
def test_other_selectors_give_their_features(selector):
    support = selector.fit(X, y).get_support()
    same(certify(selector, X, y), certify(X, y, support))
    same(explain(selector, X, y, gamma=4.0), explain(X, y, support, gamma=4.0))
    assert near_best(selector, X, y).sets == near_best(X, y, 3).sets


def test_another_subset_may_be_given():
    selector = GeneralizedFisherScore(3, class_weight="balanced").fit(X, y)
    wanted = certify(X, y, [1, 2], class_weight="balanced", gamma=selector.gamma_)
    assert certify(selector, X, y, [1, 2]) == wanted
    assert certify(selector, X=X, y=y, features=[1, 2]) == wanted
    assert len(near_best(selector, X, y, k=2).sets[0]) == 2


def test_without_the_selector_gamma_would_be_another():
    """The case of the issue: with weights repeated or not, F is stated at the gamma of the fit."""
    selector = GeneralizedFisherScore(3, gamma=2204.0).fit(X, y)
    assert explain(selector, X, y).gamma == 2204.0 != explain(X, y, selector.support_).gamma


SELECTOR = GeneralizedFisherScore(3, keep=[4]).fit(X, y)
REFUSED = {
    "gamma": (lambda: certify(SELECTOR, X, y, gamma=3.0), ValueError, "gamma must be that of the fitted"),
    "keep": (lambda: certify(SELECTOR, X, y, keep=[1]), ValueError, r"keep must be .* \[4\]; got \[1\]"),
    "task": (lambda: explain(SELECTOR, X, y, task="regression"), ValueError, "task must be that"),
    "width": (lambda: explain(SELECTOR, X[:, :5], y), ValueError, "X has 5 features.*expecting 9"),
    "no table": (lambda: certify(SELECTOR), TypeError, r"certify\(selector, X, y\)"),
    "no sizes": (lambda: selection_path(SELECTOR, X, y), TypeError, r"selector, X, y, \[5, 10, 20\]"),
    "unfitted": (lambda: certify(GeneralizedFisherScore(3), X, y), NotFittedError, "not fitted yet"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_contradictions_are_refused(case):
    call, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        call()


def test_the_same_option_again_is_no_contradiction():
    assert certify(SELECTOR, X, y, keep=[4], standardize=True) == certify(SELECTOR, X, y)


@pytest.mark.parametrize("argument", ["sample_weight", "confounders"])
def test_fit_arguments_must_be_given_again(argument):
    value = {"sample_weight": WEIGHT, "confounders": Z}[argument]
    selector = GeneralizedFisherScore(3).fit(X, y, **{argument: value})
    with pytest.raises(ValueError, match=rf"fitted with {argument}.*selector, X, y, {argument}="):
        explain(selector, X, y)
    explain(selector, X, y, **{argument: value})
    selector.fit(X, y)
    explain(selector, X, y)
    if argument == "sample_weight":
        with pytest.raises(ValueError, match="fitted with sample_weight"):
            certify(FisherScore(3).fit(X, y, WEIGHT), X, y)
    else:
        with pytest.raises(ValueError, match="fitted with confounders"):
            certify(GeneralizedFisherScore(3).fit(summarize(X, y, confounders=Z)), X, y)


def test_columns_must_be_those_of_the_fit():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(FRAME)
    selector = GeneralizedFisherScore(3).fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        certify(selector, frame[frame.columns[::-1]], y)
    same(explain(selector, frame, y), explain(frame, y, selector.support_, gamma=selector.gamma_))
    with pytest.raises(ValueError, match=r"columns of the fit, in that order; 'g1' is missing\."):
        certify(selector, frame.drop(columns="g1"), y)
    with pytest.raises(ValueError, match=r"'new' is new\. Pass X\[selector\.feature_names_in_\]\."):
        explain(selector, frame.assign(new=1.0), y)
    with pytest.raises(ValueError, match="X has 8 features, but GeneralizedFisherScore is expecting 9"):
        explain(selector, frame.to_numpy()[:, :8], y)
    with pytest.raises(TypeError, match=r"must come first: explain\(selector, X, y\)"):
        explain(frame, y, selector)
