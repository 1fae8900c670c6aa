"""Row number columns and target leakage in Python: a warning of `fit`, and fitted attributes."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    HSICScore,
    JointRegressionScore,
    JointRegressionScoreCV,
    LeakageWarning,
    scan,
    summarize,
)
from fisherset.evaluation import compare, giveaways

SELECTORS = {
    "joint": GeneralizedFisherScore,
    "cv": GeneralizedFisherScoreCV,
    "fisher": FisherScore,
    "hsic": HSICScore,
}
NUMBERED = "Column 'Id' only numbers the rows. Leave it out: exclude=['Id']."
COPIED = (
    "Column 'copy' determines the target (leakage). If it is not known before the target, leave it out: "
    "exclude=['copy']."
)


def kaggle():
    """Iris with its row number, as Kaggle has it."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.insert(0, "Id", np.arange(1, 151))
    return X, y


def said(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if issubclass(one.category, LeakageWarning)]


@pytest.mark.parametrize("name", SELECTORS)
def test_row_numbers_and_copies_of_the_target_are_warned_of_once(name):
    X, y = kaggle()
    X["copy"] = 2 - y
    selector = SELECTORS[name](2)
    joint = "exclude" in selector.get_params()
    fixes = (
        [NUMBERED, COPIED]
        if joint
        else [text.partition("exclude")[0] + "drop it from X." for text in (NUMBERED, COPIED)]
    )
    with pytest.warns(LeakageWarning) as caught:
        selector.fit(X, y)
    assert [str(one.message) for one in caught] == fixes
    assert {one.filename for one in caught} == {__file__}
    assert (selector.row_numbers_.tolist(), selector.leaking_.tolist()) == ([0], [5])
    assert selector.support_.sum() == 2  # nothing is left out


@pytest.mark.parametrize("selector", [JointRegressionScore, JointRegressionScoreCV])
def test_numbers(selector):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.normal(size=60)
    X[:, 1], X[:, 3] = np.arange(60), 3 - y / 7
    with pytest.warns(LeakageWarning) as caught:
        fitted = selector(2).fit(X, y)
    assert [str(one.message).split(" (")[0] for one in caught] == [
        "Column 1 only numbers the rows. Leave it out: exclude=[1].",
        "Column 3 determines the target",
    ]
    assert (fitted.row_numbers_.tolist(), fitted.leaking_.tolist()) == ([1], [3])


def test_two_correlated_targets_determine_nothing():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(200, 1)) + 0.1 * rng.normal(size=(200, 2))
    X = np.column_stack([rng.normal(size=(200, 3)), y.sum(axis=1) + 0.1 * rng.normal(size=200), 2 * y[:, 1]])
    with pytest.warns(LeakageWarning):
        assert JointRegressionScore(2).fit(X, y).leaking_.tolist() == [4]


@pytest.mark.parametrize(
    "given", [{"exclude": ["Id", "copy"]}, {"keep": ["Id", "copy"]}, {"adjust_for": ["Id"], "keep": ["copy"]}]
)
def test_columns_that_were_decided_about_are_not_warned_of(given):
    X, y = kaggle()
    X["copy"] = 2 - y
    selector = GeneralizedFisherScore(3, **given)
    assert said(lambda: selector.fit(X, y)) == []
    assert (selector.row_numbers_.tolist(), selector.leaking_.tolist()) == ([0], [5])


def test_honest_tables_are_not_warned_of():
    X, y = load_breast_cancer(return_X_y=True)
    for table in (X, sparse.csr_array(X), pd.DataFrame(X).rank()):
        selector = GeneralizedFisherScore(3)
        assert said(lambda table=table: selector.fit(table, y)) == []  # noqa: B023
        assert selector.row_numbers_.size == selector.leaking_.size == 0


def test_classes_of_one_row_each_are_no_function_of_columns():
    X = np.random.default_rng(0).normal(size=(30, 4))
    assert said(lambda: FisherScore(1).fit(X, np.minimum(np.arange(30), 28))) == []


def test_confounders_do_not_hide_a_copy():
    X, y = kaggle()
    Z = X.pop("Id").to_numpy()[:, None]
    X["copy"] = y == 1
    assert said(lambda: GeneralizedFisherScore(2).fit(X, y, confounders=Z)) == [COPIED]


def test_own_folds_are_silent_and_those_of_scikit_learn_can_be_silenced():
    X, y = kaggle()
    X["copy"] = 2 - y
    assert said(lambda: GeneralizedFisherScoreCV(2, cv=3).fit(X, y)) == [NUMBERED, COPIED]
    assert said(lambda: compare(X, y, [2], methods=["joint", "fisher", "hsic"], repeats=2)) == []
    pipeline = make_pipeline(GeneralizedFisherScore(), LogisticRegression(max_iter=1000))
    search = GridSearchCV(pipeline, {"generalizedfisherscore__n_features_to_select": [1, 2]}, cv=3)
    assert set(said(lambda: search.fit(X, y))) == {NUMBERED, COPIED}  # of each fold, as other warnings
    pipeline.set_params(generalizedfisherscore__exclude=["Id", "copy"])
    assert said(lambda: search.fit(X, y)) == []
    assert said(lambda: cross_val_score(pipeline, X, y, cv=3)) == []


def test_tables_out_of_core(tmp_path):
    X, y = kaggle()
    table = X.assign(kind=y.astype(str), copy=2 - y)
    table.to_csv(tmp_path / "whole.csv", index=False)
    for number, part in enumerate(np.array_split(np.arange(150), 3)):
        table.iloc[part].to_parquet(tmp_path / f"{number}.parquet", index=False)
    for rows in (scan(tmp_path / "whole.csv", "kind", batch_rows=11), scan(f"{tmp_path}/*.parquet", "kind")):
        selector = GeneralizedFisherScore(2)
        assert said(lambda rows=rows: selector.fit(rows)) == [NUMBERED, COPIED]  # noqa: B023
        assert (selector.row_numbers_.tolist(), selector.leaking_.tolist()) == ([0], [5])
    summary = summarize(table.drop(columns="kind"), y)  # has no rows, but means of classes
    assert said(lambda: selector.fit(summary)) == [COPIED]
    assert selector.row_numbers_.size == 0


def test_dask_frames():
    dask = pytest.importorskip("dask.dataframe")
    X, y = kaggle()
    frame = dask.from_pandas(X, npartitions=4)
    selector = GeneralizedFisherScore(2)
    assert said(lambda: selector.fit(frame, dask.from_pandas(y, npartitions=4))) == [NUMBERED]


def test_rows_given_little_by_little():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["copy"] = y
    selector = GeneralizedFisherScore(2)
    for part in np.array_split(np.random.default_rng(0).permutation(150), 3):
        assert said(lambda part=part: selector.partial_fit(X.iloc[part], y.iloc[part])) == [COPIED]
    assert selector.leaking_.tolist() == [4]


def test_giveaways_takes_a_table_with_its_own_targets():
    X, y = kaggle()
    X["copy"] = y
    assert giveaways(summarize(X, y), None).tolist() == giveaways(X, y).tolist() == [5]
