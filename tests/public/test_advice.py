"""Messages name what this package offers: another selector, a parameter, or `scan`."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
    certify,
    explain,
    scan,
    selection_path,
)

RNG = np.random.default_rng(0)
CODES = np.arange(60) % 3
ROWS = RNG.normal(size=(60, 5)) + CODES[:, None] * [1, 0, 2, 0, 1]
NUMBERS = ROWS[:, 0] + 0.5
STRINGS = np.array(["low", "mid", "high"])[CODES]
HOLEY = np.where(np.arange(300).reshape(60, 5) == 7, np.nan, ROWS)
INFINITE = np.where(np.isnan(HOLEY), np.inf, HOLEY)

CLASSIFIERS = (GeneralizedFisherScore(2), GeneralizedFisherScoreCV([2]))
REGRESSORS = (JointRegressionScore(2), JointRegressionScoreCV([2]))


@pytest.mark.parametrize("fit", [*(one.fit for one in CLASSIFIERS), lambda X, y: certify(X, y, [1])])
def test_advice_for_classes(fit):
    with pytest.raises(ValueError, match=r'column 2 holds some\. Pass missing="mean" to fill'):
        fit(HOLEY, CODES)
    with pytest.raises(
        ValueError, match=r"got continuous values\. .* JointRegressionScore or JointRegressionSc"
    ):
        fit(ROWS, NUMBERS)
    with pytest.warns(UserWarning, match=r"y holds 60 distinct .* 300 samples, .* JointRegressionScore"):
        fit(np.vstack([ROWS] * 5), np.tile(3 * np.arange(60), 5))


@pytest.mark.parametrize("fit", [*(one.fit for one in REGRESSORS)])
def test_advice_for_numbers(fit):
    for y in (STRINGS, STRINGS.tolist(), STRINGS.astype(object)):
        with pytest.raises(
            TypeError, match=r"got the string 'low'\. For classes use GeneralizedFisherScore or"
        ):
            fit(ROWS, y)
    with pytest.raises(ValueError, match=r'column 2 holds some\. Pass missing="mean" to fill'):
        fit(HOLEY, NUMBERS)


def test_advice_is_followed():
    fitted = GeneralizedFisherScore(2, missing="mean").fit(HOLEY, CODES)
    assert fitted.n_missing_.tolist() == [0, 0, 1, 0, 0]
    with pytest.raises(
        ValueError, match=r"must not contain infinity; column 2 holds some\. Replace it by NaN"
    ):
        fitted.fit(INFINITE, CODES)
    with pytest.raises(ValueError, match=r"column 2 holds some\. Impute"):  # has no such parameter
        FisherScore(2).fit(HOLEY, CODES)
    JointRegressionScore(2).fit(ROWS, NUMBERS + RNG.normal(size=60))


def test_numbers_that_count_are_classes(recwarn):
    GeneralizedFisherScore(2).fit(np.vstack([ROWS, ROWS]), np.tile(np.arange(60), 2))  # 0, 1, 2, ...
    GeneralizedFisherScore(2).fit(ROWS, 1000 * CODES)
    FisherScore(2).fit(np.vstack([ROWS, ROWS]), [f"id{3 * j}" for j in range(60)] * 2)
    assert not any("read as classes" in str(one.message) for one in recwarn.list)


@pytest.mark.parametrize("k", [6, 31])
def test_more_features_than_there_are(k):
    rule = rf"must be at most the number of features, 5; got {k}\. Ask for fewer"
    for one in (GeneralizedFisherScore, FisherScore, JointRegressionScore):
        with pytest.raises(ValueError, match=f"^n_features_to_select {rule}"):
            one(k).fit(ROWS, CODES)
    with pytest.raises(ValueError, match=f"^Each of ks {rule}"):
        selection_path(ROWS, CODES, [2, k])


def test_the_name_of_a_column_in_place_of_y():
    for one in (GeneralizedFisherScore(1), JointRegressionScore(1), FisherScore(1)):
        with pytest.raises(TypeError, match=r"got 'kind'\. Pass scan\(X, target=y\) to name a column of X\."):
            one.fit(ROWS, "kind")


def test_strings_and_flat_tables():
    with pytest.raises(ValueError, match=r"column 1 holds text\. Encode them, as scan\(table, target="):
        GeneralizedFisherScore(1).fit(np.column_stack([ROWS[:, 0].astype(object), STRINGS]), CODES)
    with pytest.raises(ValueError, match=r"1D array instead\); got ndarray\. .* np\.reshape\(X, \(-1, 1\)\)"):
        GeneralizedFisherScore(1).fit(ROWS[:, 0], CODES)


# An AnnData object has these parts; the library itself need not be installed.


def annotated(X, **more):
    pandas = pytest.importorskip("pandas")
    obs = pandas.DataFrame({"kind": STRINGS, "type": pandas.Categorical(STRINGS), "dose": NUMBERS})
    parts = {"X": X, "obs": obs, "var_names": pandas.Index([f"gene{j}" for j in range(5)]), "layers": {}}
    return type("AnnData", (SimpleNamespace,), {})(**{**parts, **more})


@pytest.mark.parametrize("held", [ROWS, sparse.csr_matrix(ROWS), sparse.csc_array(ROWS)])
@pytest.mark.parametrize("target", ["kind", "type"])
def test_annotated_data(held, target):
    data = annotated(held, layers={"twice": 2 * held})
    for one in (GeneralizedFisherScore(2), FisherScore(2)):
        with pytest.raises(TypeError, match=r"For AnnData pass fisherset\.scan\(X, target=\.\.\.\)"):
            one.fit(data, STRINGS)
    fitted = GeneralizedFisherScore(2).fit(scan(data, target=target))
    expected = GeneralizedFisherScore(2).fit(ROWS, STRINGS)
    assert_array_equal(fitted.support_, expected.support_)
    assert fitted.objective_ == pytest.approx(expected.objective_)
    assert list(fitted.feature_names_in_) == list(data.var_names)
    assert explain(fitted, scan(data, target=target, layer="twice")).names == list(
        fitted.get_feature_names_out()
    )
    numbers = JointRegressionScore(2).fit(scan(data, target="dose"))
    assert numbers.objective_ == pytest.approx(JointRegressionScore(2).fit(ROWS, NUMBERS).objective_)


def test_annotated_data_without_a_matrix():
    with pytest.raises(ValueError, match=r"adata has no X; pass layer=, one of 'counts'"):
        scan(annotated(None, layers={"counts": ROWS}), target="kind")
    assert scan(annotated(None, layers={"counts": ROWS}), target="kind", layer="counts").n_columns == 5


def test_columns_called_as_the_parts_of_annotated_data():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS[:, :3], columns=["X", "obs", "var_names"])
    assert GeneralizedFisherScore(1).fit(frame, CODES).n_features_in_ == 3
