"""Bad input gets one sentence with the rule, the value and the fix, before any heavy work."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

from fisherset import FisherScore, GeneralizedFisherScore, certify, fisher_criterion
from selection import selecting

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 6))
Y = np.arange(20) % 2


def changed(row, column, value):
    table = X.copy()
    table[row, column] = value
    return table


def named(table, module):
    return module.DataFrame({name: table[:, j] for j, name in enumerate("abcdef")})


many_nan = X.copy()
many_nan[3] = np.nan
with_text = pd.DataFrame(X, columns=list("abcdef")).assign(b="high", e=["x", "y"] * 10)

TABLES = {
    "nan": (changed(4, 2, np.nan), r"NaN or infinity; column 2 holds some\. Impute"),
    "infinity": (changed(4, 2, -np.inf), r"NaN or infinity; column 2 holds"),
    "nan in csr": (sparse.csr_array(changed(4, 2, np.nan)), r"NaN or infinity; column 2 holds"),
    "nan in pandas": (named(changed(4, 2, np.nan), pd), r"column 'c' holds"),
    "nan in polars": (named(changed(4, 2, np.nan), pl), r"column 'c' holds"),
    "many nan": (many_nan, r"columns 0, 1, 2, 3, 4 and 1 more hold some"),
    "text in pandas": (with_text, r"numbers only; columns 'b', 'e' hold text\. Encode"),
    "text in polars": (pl.DataFrame({"a": ["u", "v"] * 10, "b": X[:, 0]}), r"column 'a' holds text"),
    "text array": (np.array([["1", "a"]] * 20), r"columns 0, 1 hold text"),
    "text in objects": (np.array([[1.0, "a"]] * 20, dtype=object), r"column 1 holds text"),
    "dates in pandas": (named(X, pd).assign(b=pd.Timestamp("2020-01-01")), r"'b' holds dates or times"),
    "dates in polars": (
        named(X, pl).with_columns(pl.lit(pd.Timestamp("2020-01-01")).alias("b")),
        r"'b' holds dates",
    ),
    "dates": (X.astype("datetime64[D]"), r"columns 0, 1, 2, 3, 4 and 1 more hold dates or times"),
    "enum": (named(X, pl).with_columns(pl.Series("a", ["u"] * 20, dtype=pl.Enum(["u"]))), r"'a' holds text"),
    "complex": (X.astype(complex), r"real numbers; got complex128 \(Complex data not supported\)"),
    "1-d": (X[:, 0], r"Expected 2D array, got 1D array"),
    "3-d": (X[:, :, None], r"dim 3"),
    "no rows": (np.empty((0, 6)), r"0 sample\(s\)"),
    "no columns": (np.empty((20, 0)), r"0 feature\(s\)"),
    "one row": (X[:1], r"1 sample"),
}
LABELS = {
    "length": (Y[:-1], r"same number of samples; got 20 rows in X and 19 labels in y"),
    "missing y": (None, r"requires y"),
    "one class": (np.zeros(20, dtype=int), r"at least two classes; got one class, 0, only"),
    "a class each": (np.arange(20), r"class with two or more samples; got 20 samples in as many classes"),
    "continuous": (X[:, 0], r"class labels; got continuous values\. Bin"),
    "nan label": (np.where(Y == 0, np.nan, 1.0), r"NaN or infinity; 10 of its labels do"),
    "none label": (np.array(["a", None] * 10, dtype=object), r"missing labels \(None or NaN\); 10 of them"),
    "no time": (np.array(["2020-01-01", "NaT"] * 10, dtype="datetime64[D]"), r"missing labels"),
    "objects": (pd.Series(list(X[:, 0]), dtype=object), r"got continuous values"),
    "two columns": (np.column_stack([Y, Y]), r"1d array"),
}
WEIGHTS = {
    "negative": (np.where(Y == 0, 1.0, -1.0), r"not negative; got -1"),
    "nan": (np.full(20, np.nan), r"finite and not negative; got nan"),
    "length": (np.ones(19), r"one weight for each of the 20 samples"),
    "huge": (np.full(20, 1e160), r"between 1e-100 and 1e100; got 2e\+161"),
    "all zero": (np.zeros(20), r"at least two classes with weight; got 0: all samples .* zero"),
    "one class left": ((Y == 0).astype(float), r"at least two classes with weight; got 1"),
}
COUNTS = {
    "zero": (0, ValueError, r"n_features_to_select must be at least 1; got 0"),
    "negative": (-3, ValueError, r"at least 1; got -3"),
    "too many": (7, ValueError, r"at most the number of features, 6; got 7\. Ask for fewer"),
    "share of one": (1.0, ValueError, r"strictly between 0 and 1; got 1\.0"),
    "share above one": (2.5, ValueError, r"strictly between 0 and 1; got 2\.5"),
    "nan": (float("nan"), ValueError, r"strictly between 0 and 1; got nan"),
    "text": ("all", TypeError, r"must be an int .* got 'all'"),
    "bool": (True, TypeError, r"must be an int .* got True"),
}
PARAMETERS = [
    ({"gamma": 0.0}, ValueError, r"gamma must be a finite number greater than 0; got 0\.0"),
    ({"gamma": -1}, ValueError, r"gamma must be .* got -1"),
    ({"gamma": float("inf")}, ValueError, r"gamma must be a finite number"),
    ({"gamma": "auto"}, ValueError, r'gamma must be a positive number or "scale"; got \'auto\''),
    ({"gamma": None}, TypeError, r"gamma must be a number"),
    ({"gamma": 10**400}, ValueError, r"gamma must be a finite number"),
    ({"standardize": "no"}, TypeError, r"standardize must be True or False; got 'no'"),
    ({"verbose": -1}, ValueError, r"verbose must be at least 0"),
    ({"solver": "exact"}, ValueError, r"solver must be 'joint' or 'cutting-plane'; got 'exact'"),
    ({"solver": ["joint"]}, ValueError, r"solver must be"),
    ({"tol": 0}, ValueError, r"tol must be"),
    ({"tol": "small"}, TypeError, r"tol must be a number"),
    ({"max_iter": 0}, ValueError, r"max_iter must be at least 1; got 0"),
    ({"max_iter": 2.5}, TypeError, r"max_iter must be an int"),
    ({"time_limit": -1.0}, ValueError, r"time_limit must be"),
    ({"time_limit": "1 h"}, TypeError, r"time_limit must be a number greater than 0 or None"),
]
FEATURES = [
    ([], ValueError, r"non-empty list"),
    ([[0, 1]], ValueError, r"non-empty list"),
    ([0, 6], ValueError, r"column numbers from 0 to 5; got 6"),
    ([-1], ValueError, r"column numbers from 0 to 5; got -1"),
    ([2, 2], ValueError, r"not name a column twice"),
    ([True, False], ValueError, r"boolean mask must have one entry for each of the 6 features; got 2"),
    (np.zeros(6, dtype=bool), ValueError, r"at least one column; got an empty mask"),
    ([0.5], TypeError, r"all column numbers, all names, or a boolean mask; got \[0\.5\]"),
    ([0, "a"], TypeError, r"all column numbers, all names"),
    (None, TypeError, r"all column numbers, all names, or a boolean mask; got None"),
    (["a"], ValueError, r"X has no column names"),
    ([f"{'x' * 200}"], ValueError, r"X has no column names"),
]


@pytest.fixture(params=selecting(2))
def selector(request):
    return clone(request.param)


labelled = pytest.mark.parametrize("selector", selecting(2, labelled=True))
weighted = pytest.mark.parametrize("selector", selecting(2, weighted=True))


@pytest.mark.parametrize("case", TABLES)
def test_tables(selector, case):
    table, message = TABLES[case]
    y = Y[: table.shape[0]]
    with pytest.raises(ValueError, match=message) as error:
        selector.fit(table, y)
    assert not hasattr(selector, "support_")
    assert "\n" not in str(error.value).strip() or case == "1-d"  # scikit-learn's own has two lines


@labelled
@pytest.mark.parametrize("case", LABELS)
def test_labels(selector, case):
    y, message = LABELS[case]
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)


@weighted
@pytest.mark.parametrize("case", WEIGHTS)
def test_weights(selector, case):
    weights, message = WEIGHTS[case]
    with pytest.raises(ValueError, match=message):
        selector.fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("case", COUNTS)
def test_counts(selector, case):
    count, kind, message = COUNTS[case]
    with pytest.raises(kind, match=message):
        selector.set_params(n_features_to_select=count).fit(X, Y)


@pytest.mark.parametrize(("parameters", "kind", "message"), PARAMETERS)
def test_parameters(parameters, kind, message):
    with pytest.raises(kind, match=message):
        GeneralizedFisherScore(2, **parameters).fit(X, Y)


@pytest.mark.parametrize(("features", "kind", "message"), FEATURES)
@pytest.mark.parametrize("function", [fisher_criterion, certify])
def test_features(function, features, kind, message):
    with pytest.raises(kind, match=message):
        function(X, Y, features)


def test_unknown_names():
    with pytest.raises(ValueError, match=r"features must be columns of X; 'z' is not one of them"):
        certify(named(X, pd), Y, ["a", "z"])


@pytest.mark.parametrize("weights", ["balanced", {0: 1.0}, ["a"] * 20, np.full(20, 1j)])
def test_weights_that_are_no_numbers(weights):
    with pytest.raises(TypeError, match=r"sample_weight must be an array of numbers or None"):
        FisherScore().fit(X, Y, sample_weight=weights)


def test_lazy_frames():
    with pytest.raises(TypeError, match=r"table in memory; got LazyFrame\. Call its collect\(\) first"):
        FisherScore().fit(named(X, pl).lazy(), Y)


@pytest.mark.parametrize("factor", [1e-300, 1e160])
def test_magnitudes_without_standardizing(factor):
    with pytest.raises(ValueError, match=r"sum of squares of a column .* use standardize=True"):
        GeneralizedFisherScore(2, standardize=False).fit(X * factor, Y)


def test_nothing_is_read_before_parameters_are_checked(monkeypatch):
    """A wrong parameter costs no pass over the data."""
    import fisherset.selectors.base as base

    def fail(*args):
        raise AssertionError("the data was read")

    monkeypatch.setattr(base, "measure", fail)
    for parameters in ({"n_features_to_select": 7}, {"gamma": 0.0}, {"solver": "exact"}):
        with pytest.raises(ValueError, match="must be"):
            GeneralizedFisherScore(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["yes", "no"])[Y],
        Y.astype(bool),
        Y - 7,
        Y.astype(float),
        np.array([b"u", b"v"])[Y],
        pd.Series(Y).astype("category"),
        pl.Series(np.array(["u", "v"])[Y]),
        pd.Series([("a", 1), ("b", 2)] * 10),
        pd.Series([1, "one"] * 10, dtype=object),
        [frozenset({1}), frozenset({2})] * 10,
        list(Y),
    ],
    ids=lambda labels: type(labels[0]).__name__,
)
def test_labels_of_any_hashable_kind(labels):
    plain = GeneralizedFisherScore(2).fit(X, Y)
    fitted = GeneralizedFisherScore(2).fit(X, labels)
    assert_array_equal(fitted.support_, plain.support_)
    assert len(fitted.classes_) == 2
