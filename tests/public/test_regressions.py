"""Errors that were once found, and stay mended."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    explain,
    fisher_criterion,
    near_best,
    summarize,
)
from fisherset.solver import Status


def made(n=60, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    X[:, 0] += y
    return rng, X, y


def test_drops_are_of_the_problem_itself_where_the_search_went_by_another():
    rng = np.random.default_rng(1)
    y, Z = rng.integers(0, 2, 2000), rng.normal(size=2000)
    X = rng.normal(size=(2000, 3))
    X[:, 1] = X[:, 0] + 0.03 * (rng.normal(size=2000) + y)
    X[:, 2] += y
    X += 100 * Z[:, None]
    how = {"gamma": 0.01, "confounders": Z}
    whole = fisher_criterion(X, y, [0, 1, 2], **how)
    drops = [whole - fisher_criterion(X, y, [j for j in range(3) if j != i], **how) for i in range(3)]
    assert_allclose(explain(X, y, [0, 1, 2], **how).drops, drops, rtol=1e-5)
    rng, X, y = made(200, 3, 1)
    X[:, 1] = X[:, 0] + 1e-4 * (rng.normal(size=200) + y)
    one = explain(1e5 * X, y, [0, 1], groups=["a", "a", "b"], gamma=1.0, standardize=False)
    assert_allclose(one.drops, [one.objective], rtol=1e-9)


def test_rows_of_no_fold_do_not_change_the_score_of_label_sets():
    rng, X, _ = made(90, 3)
    Z = rng.normal(size=90)
    X += Z[:, None]
    t = Z + X[:, 0] + rng.normal(size=90)
    labels = np.column_stack([t > 0, t > 0.5]).astype(int)
    elsewhere = Z + 5 * (np.arange(90) >= 60)
    search = GeneralizedFisherScoreCV([2], gammas=[1.0], cv=[(np.arange(40), np.arange(40, 60))])
    scores = [search.fit(X, labels, confounders=one).best_score_ for one in (Z, elsewhere)]
    assert scores[0] == pytest.approx(scores[1])


def test_only_what_is_named_is_adjusted_for_and_its_group_is_not_chosen():
    _, X, y = made()
    X += 3 * np.random.default_rng(1).normal(size=(60, 1))
    selector = GeneralizedFisherScore(1, gamma=60.0, groups=list("aabbcc"), adjust_for=[2]).fit(X, y)
    one = fisher_criterion(X, y, selector.support_, gamma=60.0, adjust_for=[2])
    assert selector.objective_ == pytest.approx(one)
    assert not selector.support_[[2, 3]].any()
    both = GeneralizedFisherScore(1, gamma=60.0, groups=list("aabbcc"), adjust_for="b").fit(X, y)
    two = fisher_criterion(X, y, both.support_, gamma=60.0, adjust_for=[2, 3])
    assert both.objective_ == pytest.approx(two)


def test_rows_without_weight_have_no_say():
    rng, X, y = made()
    Z, w = rng.normal(size=60), np.ones(60)
    X += 3 * Z[:, None]
    w[0] = 0.0
    far = np.where(np.arange(60) == 0, 1e18, Z)
    fits = [GeneralizedFisherScore(2, gamma=60.0).fit(X, y, sample_weight=w, confounders=z) for z in (Z, far)]
    assert fits[0].objective_ == pytest.approx(fits[1].objective_)
    target = X[:, 0] + rng.normal(size=60)
    for value in (1e160, 1e300):
        target[0] = value
        found = JointRegressionScore(2, gamma=60.0).fit(X, target, sample_weight=w)
        assert found.objective_ == pytest.approx(
            JointRegressionScore(2, gamma=60.0).fit(X[1:], target[1:]).objective_
        )


def test_a_series_of_groups_goes_by_its_index():
    _, X, y = made()
    table = pd.DataFrame(X, columns=list("abcdef"))
    groups = pd.Series({"b": "x", "c": "x", "d": "y", "e": "y", "f": "z", "a": "z"})
    selector = GeneralizedFisherScore(1, groups=groups).fit(table, y)
    assert list(selector.get_feature_names_out()) == ["a", "f"]


@pytest.mark.parametrize("selector", [GeneralizedFisherScore, JointRegressionScore])
def test_missing_values_pass_through_transform(selector):
    _, X, y = made()
    X[3, 0] = np.nan
    chosen = selector(2, missing="mean").fit(X, y)
    assert_array_equal(chosen.transform(X), X[:, chosen.support_])
    pipeline = make_pipeline(selector(2, missing="mean"), SimpleImputer())
    assert np.isfinite(pipeline.fit_transform(X, y)).all()
    with pytest.raises(ValueError, match="NaN"):
        selector(2).fit(np.nan_to_num(X), y).transform(X)


def test_half_is_half_of_what_may_be_chosen():
    _, X, y = made()
    assert GeneralizedFisherScore(adjust_for=[0, 1, 2, 3]).fit(X, y).support_.sum() == 1
    assert GeneralizedFisherScore(keep=range(5)).fit(X, y).support_.sum() == 5
    assert GeneralizedFisherScore(0.5, exclude=[0, 1]).fit(X, y).support_.sum() == 2


def test_sparse_sets_of_labels_are_not_changed():
    parts = np.array([0.5, 0.5, 1, 1.0]), np.array([0, 0, 1, 0]), np.array([0, 2, 3, 4, 4, 4, 4])
    labels = sparse.csr_array(parts, shape=(6, 2))
    GeneralizedFisherScore(2).fit(np.random.default_rng(0).normal(size=(6, 3)), labels)
    assert_array_equal(labels.data, [0.5, 0.5, 1, 1])


def test_constant_groups_are_warned_of():
    _, X, y = made()
    X[:, :2] = 0.0
    with pytest.warns(UserWarning, match="number of groups that vary, 2: 1 constant ones"):
        GeneralizedFisherScore(3, groups=list("aabbcc")).fit(X, y)


def outlier(size):
    """Rows of which the first has an outlier, as a summary without it, and the rows that are left."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.standard_normal((100, 3))
    X[:, 0] += 3 * y
    Z = X.copy()
    Z[0, 0] = size
    return summarize(Z, y) - summarize(Z[:1], y[:1]), X[1:], y[1:]


@pytest.mark.parametrize("size", [1e3, 1e5, 1e6, 1e7, 1e8, 1e9, 1e12])
def test_an_outlier_that_is_subtracted_again_proves_nothing(size):
    """A real column was called constant then, and another one optimal."""
    rest, X, y = outlier(size)
    true = GeneralizedFisherScore(1, gamma=100.0, solver="exact").fit(X, y)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = GeneralizedFisherScore(1, gamma=100.0, solver="exact").fit(rest)
        near = near_best(rest, None, 1, gamma=100.0)
    assert found.upper_bound_ >= true.objective_
    assert found.optimal_ == near.complete == (size < 1e5)
    assert bool(said) == (size > 1e3)
    if found.status_ is Status.UNKNOWN:
        assert any("exclude=[0]" in str(one.message) for one in said)
        without = GeneralizedFisherScore(1, gamma=100.0, solver="exact", exclude=[0]).fit(rest)
        assert without.optimal_
        assert without.status_ is Status.CONVERGED
    if found.status_ is Status.INEXACT:
        assert found.objective_ <= true.objective_


def test_whole_numbers_are_known_after_a_subtraction():
    """A count that is constant in the rows that are left is, though others of it were subtracted."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 4)).astype(float), np.arange(60) % 2
    X[:40, 1], X[:, 0] = 2.0, X[:, 0] + y
    rest = summarize(X, y) - summarize(X[40:], y[40:])
    tables = [rest], [X[:40], y[:40]]
    found, expected = (GeneralizedFisherScore(2, solver="exact").fit(*table) for table in tables)
    assert found.optimal_
    np.testing.assert_array_equal(found.support_, expected.support_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)


def test_a_feature_that_is_all_but_a_confounder_is_named():
    """Exact search ended as converged at a gap of 16 %."""
    rng = np.random.default_rng(5)
    n, d = 40, int(rng.integers(5, 11))
    b, y = rng.standard_normal(n), rng.standard_normal(n)
    X = np.column_stack([b, b + 2.2e-7 * rng.standard_normal(n), rng.standard_normal((n, d - 2))])
    with (
        pytest.warns(ConvergenceWarning, match="indistinguishable from constant ones"),
        pytest.warns(UserWarning, match=rf"not tell 1 of {d} features .* Pass exclude=\[1\]"),
    ):
        found = JointRegressionScore(6, adjust_for=[0], solver="exact").fit(X, y)
    assert found.status_ is Status.UNKNOWN
    assert not found.optimal_
    assert JointRegressionScore(3, adjust_for=[0], exclude=[1], solver="exact").fit(X, y).optimal_


def test_a_confounder_of_which_next_to_nothing_is_left_is_named():
    rng = np.random.default_rng(0)
    X, y, z = rng.standard_normal((50, 4)), np.arange(50) % 2, rng.standard_normal(50)
    twice = pd.DataFrame({"start": z, "end": z + 1e-12 * rng.standard_normal(50)})
    with pytest.warns(UserWarning, match=r"'end' was not used: it differs .* Pass the difference"):
        found = GeneralizedFisherScore(2).fit(X, y, confounders=twice)
    once = GeneralizedFisherScore(2).fit(X, y, confounders=z)
    assert found.objective_ == pytest.approx(once.objective_, rel=1e-12)
    with pytest.raises(ValueError, match=r"sums of a summary must tell .* Leave 'end' out"):
        GeneralizedFisherScore(2).fit(summarize(X, y, confounders=twice))


@pytest.mark.parametrize("solver", ["joint", "cutting-plane", "exact"])
def test_a_bound_that_says_nothing_is_not_converged(solver):
    _, X, y = made()
    with pytest.warns(ConvergenceWarning, match="not as tight as tol asks"):
        found = GeneralizedFisherScore(3, gamma=1e-40, solver=solver).fit(X, y)
    assert found.upper_bound_ == 1.0
    assert found.status_ is Status.PRECISION


def test_weights_of_zero_on_missing_values_are_refused_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="sample_weight must leave at least two samples with weight"):
            summarize(np.full((2, 1), np.nan), np.ones(2), task="regression", sample_weight=[0, 0])
