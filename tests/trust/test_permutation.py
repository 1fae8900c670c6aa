"""The permutation test against refits, closed forms and uniform p-values."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    fisher_criterion,
    permutation_test,
)
from fisherset.tables import scan
from fisherset.trust.permutation import PermutationTest
from fisherset.trust.schemes import _orders

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 30))
Y = RNG.integers(0, 3, 60)


@pytest.mark.parametrize("groups", [None, np.arange(60) % 4])
@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, 60)])
def test_shared_products_give_what_refits_give(groups, weight):
    selector = GeneralizedFisherScore(5, tol=None)
    found = permutation_test(
        selector, X, Y, n_permutations=5, groups=groups, random_state=1, sample_weight=weight
    )
    orders = _orders(np.random.RandomState(1), 60, groups, 5)
    refits = [selector.fit(X, Y[order], sample_weight=weight).objective_ for order in orders]
    np.testing.assert_allclose(found.null, refits, rtol=1e-8)
    assert found.statistic == pytest.approx(selector.fit(X, Y, sample_weight=weight).objective_, rel=1e-8)


def test_numbers_and_wide_tables_give_what_refits_give():
    wide = RNG.standard_normal((25, 300))
    y = RNG.standard_normal(25)
    selector = JointRegressionScore(4, tol=None)
    found = permutation_test(selector, wide, y, n_permutations=4, random_state=1)
    orders = _orders(np.random.RandomState(1), 25, None, 4)
    np.testing.assert_allclose(found.null, [selector.fit(wide, y[o]).objective_ for o in orders], rtol=1e-8)


def test_permutations_stay_within_groups():
    groups = RNG.integers(0, 5, 60)
    for order in _orders(np.random.RandomState(0), 60, groups, 10):
        assert np.array_equal(np.sort(order), np.arange(60))
        assert np.array_equal(groups[order], groups)


def test_pvalues_are_counts():
    null = np.array([0.1, 0.2, 0.3, 0.3 * (1 - 1e-12)])
    assert PermutationTest(0.3, null, "").pvalue == 3 / 5  # ties count, rounding or not
    nulls = np.array([[1.0, 2.0], [2.0, 2.5], [0.5, 5.0]])
    found = PermutationTest(3.0, nulls[:, 0], "", (1, 2), np.array([3.0, 4.0]), nulls)
    # ranks: real (1/4, 2/4); null minima 3/4, 2/4, 1/4
    np.testing.assert_allclose(found.pvalues_corrected, [2 / 4, 3 / 4])


def test_signal_is_found_and_the_same_seed_gives_the_same():
    strong = X.copy()
    strong[:, 3] += 3 * Y
    given = {"n_permutations": 39, "random_state": 0}
    found = permutation_test(GeneralizedFisherScore(2), strong, Y, ks=[1, 2, 4], **given)
    again = permutation_test(GeneralizedFisherScore(2), strong, Y, ks=[1, 2, 4], **given)
    assert found.pvalue == 1 / 40
    assert np.array_equal(found.nulls, again.nulls)
    assert found.largest_size_beyond_chance >= 1
    assert np.all(np.diff(found.null_band(), axis=0) > 0)
    assert permutation_test(FisherScore(2), strong, Y, **given).pvalue == 1 / 40


def without_signal(kind, rng):
    """A selector, and a table whose features tell nothing about its targets, as in `benchmarks/trust.py`."""
    noise, z = rng.standard_normal((30, 8)), rng.standard_normal((30, 1))
    if kind == "classes":
        return GeneralizedFisherScore(2), noise + z, (rng.logistic(size=30) < 2.5 * z[:, 0]), z
    if kind == "numbers":
        return JointRegressionScore(2), noise + z, rng.standard_normal(30) + 2 * z[:, 0], z
    return GeneralizedFisherScore(2), noise, np.arange(30) % 3, None


@pytest.mark.parametrize("kind", ["plain", "classes", "numbers"])
def test_pvalues_are_uniform_without_signal(kind):
    pvalues = []
    for seed in range(30):
        *data, z = without_signal(kind, np.random.default_rng(seed))
        pvalues.append(permutation_test(*data, n_permutations=9, random_state=seed, confounders=z).pvalue)
    # p is discrete: spread within its step
    spread = np.array(pvalues) - np.random.default_rng(0).uniform(0, 1 / 10, 30)
    assert kstest(spread, "uniform").pvalue > 0.001


def test_labels_are_permuted_with_their_probabilities():
    """Of two rows there are two orders, with the odds of the logistic model."""
    from fisherset.trust import schemes

    rng = np.random.default_rng(0)
    z = rng.standard_normal((40, 1))
    y = (rng.logistic(size=40) < 2 * z[:, 0]).astype(int)
    rows = schemes.Rows(y, numbers=False, confounders=z, groups=np.arange(40) // 2)
    T, predictors = schemes._logistic(rows)
    drawn = np.array(list(schemes.draw_orders(rows, np.random.RandomState(0), 100)))
    first, second = np.arange(0, 40, 2), np.arange(1, 40, 2)
    gain = ((T[second] - T[first]) * (predictors[first] - predictors[second])).sum(axis=1)
    swapped = (drawn[:, first] == second).mean(axis=0)
    assert np.all(np.abs(swapped - expit(gain)) < 5 * np.sqrt(0.25 / 100))  # standard errors
    assert np.array_equal(np.sort(drawn, axis=1)[0], np.arange(40))


def test_scheme_of_confounders():
    z = RNG.standard_normal((60, 1))
    found = permutation_test(GeneralizedFisherScore(2), X, Y, n_permutations=2, confounders=z)
    assert "given the confounders" in found.scheme
    y = RNG.standard_normal(60)
    found = permutation_test(JointRegressionScore(2), X, y, n_permutations=2, confounders=z)
    assert "Freedman and Lane" in found.scheme
    sets = np.column_stack([Y == 0, Y == 1, RNG.integers(0, 2, 60)]).astype(int)
    found = permutation_test(GeneralizedFisherScore(2, adjust_for=[0]), X, sets, n_permutations=2)
    assert "given the confounders" in found.scheme


@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, 60)])
def test_confounders_lower_the_ceiling_alike_in_both_ways(weight):
    """Refits and shared products permute the same, and scale by what the confounders leave of the classes."""
    z = Y[:, None] + RNG.standard_normal((60, 1))
    given = {"n_permutations": 5, "confounders": z, "sample_weight": weight}
    labels = np.array(["a", "b", "c"])[Y]
    shared = permutation_test(GeneralizedFisherScore(2, tol=None), X, labels, random_state=0, **given)
    refits = permutation_test(
        GeneralizedFisherScore(2, class_weight={"a": 1.0, "b": 1.0, "c": 1.0}, tol=None),
        X,
        labels,
        random_state=0,
        **given,
    )
    assert shared.statistic == pytest.approx(refits.statistic, rel=1e-8)
    np.testing.assert_allclose(shared.null, refits.null, rtol=1e-8)


def test_sets_of_labels_and_sparse_tables_give_what_refits_give():
    sets = np.column_stack([Y == 0, RNG.integers(0, 2, 60), Y == 2]).astype(int)
    noise = np.random.default_rng(1)
    table = sparse.csr_array(noise.random((60, 90)) * (noise.random((60, 90)) < 0.3))
    selector = GeneralizedFisherScore(4, tol=None)
    for y in (Y, sets):
        found = permutation_test(selector, table, y, n_permutations=4, random_state=1)
        orders = _orders(np.random.RandomState(1), 60, None, 4)
        refits = [selector.fit(table, y[order]).objective_ for order in orders]
        np.testing.assert_allclose(found.null, refits, rtol=1e-8)
        assert found.statistic == pytest.approx(selector.fit(table, y).objective_, rel=1e-8)


def test_candidates_are_enough():
    """Of more than 400 columns, the best 200 one by one are searched."""
    wide, y = RNG.standard_normal((50, 900)), np.arange(50) % 4
    wide[:, :3] += (y > 1)[:, None]
    for keep in (None, [700]):
        selector = GeneralizedFisherScore(5, tol=None, keep=keep)
        found = permutation_test(selector, wide, y, n_permutations=6, random_state=0, ks=[2, 5, 9])
        orders = list(_orders(np.random.RandomState(0), 50, None, 6))
        refits = [selector.fit(wide, y[order]).objective_ for order in orders]
        np.testing.assert_allclose(found.null, refits, rtol=1e-8)
        real = clone(selector).fit(wide, y)
        assert found.statistic == pytest.approx(real.objective_, rel=1e-8)
        same = clone(selector).set_params(gamma=real.gamma_)  # sizes are compared at the real gamma
        refits = [same.fit(wide, y[order]).objective_ for order in orders]
        np.testing.assert_allclose(found.nulls[:, 1], refits, rtol=1e-8)


def test_memory_limit_leaves_the_answer():
    plain, limited = (
        permutation_test(GeneralizedFisherScore(3, max_memory=limit), X, Y, n_permutations=3, random_state=0)
        for limit in (None, 1_000_000)
    )
    np.testing.assert_allclose(limited.null, plain.null, rtol=1e-8)


def test_targets_and_groups_of_data_frames_are_taken_by_place():
    order = RNG.permutation(60)
    y = pd.Series(np.array(["u", "v", "w"])[Y], index=order)
    given = {"n_permutations": 5, "random_state": 0}
    batches = np.arange(60) % 3
    for selector in (GeneralizedFisherScore(2), FisherScore(2)):
        plain = permutation_test(selector, X, Y, groups=batches, **given)
        for groups in (pd.Series(batches, index=order), pd.Categorical(list("abc" * 20)), batches.tolist()):
            found = permutation_test(selector, pd.DataFrame(X, index=order), y, groups=groups, **given)
            np.testing.assert_allclose(found.null, plain.null, rtol=1e-8)
        assert found.statistic == pytest.approx(plain.statistic)


@pytest.mark.parametrize(("after", "kept"), [(5, None), (25, 25)])
def test_interruption_keeps_what_is_done(after, kept, monkeypatch):
    def interrupt(what, done, total):
        if done == after:
            raise KeyboardInterrupt

    monkeypatch.setattr("fisherset.trust.permutation.report_progress", interrupt)
    call = partial(permutation_test, GeneralizedFisherScore(2), X, Y, n_permutations=30)
    if kept is None:
        with pytest.raises(KeyboardInterrupt):
            call()
    else:
        with pytest.warns(UserWarning, match="25 of 30 permutations are done"):
            assert call().n_permutations == kept


def test_largest_size_is_that_of_the_signals_and_none_of_noise():
    given = {"n_permutations": 19, "random_state": 0, "ks": [1, 3, 5, 8]}
    y = np.arange(100) % 2
    noise = np.random.default_rng(3).standard_normal((100, 50))
    signals = noise + 1.5 * (np.arange(50) < 5) * y[:, None]
    assert permutation_test(GeneralizedFisherScore(5), noise, y, **given).largest_size_beyond_chance == 0
    assert permutation_test(GeneralizedFisherScore(5), signals, y, **given).largest_size_beyond_chance == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": [1, 2]}, "groups must have a label for each of the 60 samples; got 2"),
        ({"groups": range(60)}, "more than one sample in some group"),
        ({"groups": [*[0] * 50, *[None, float("nan")] * 5]}, "10 of 60 are missing"),
        ({"n_permutations": 0}, "n_permutations must be"),
    ],
)
def test_bad_input_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        permutation_test(GeneralizedFisherScore(2), X, Y, **given)


def test_sparse_rows_have_the_pvalues_of_dense_ones():
    """Columns of sparse rows are extracted as searches need them: each target's search for itself."""
    rng = np.random.default_rng(0)
    table, y = sparse.random(300, 4000, 0.02, random_state=0, format="csr"), rng.integers(0, 3, 300)
    found = [
        permutation_test(GeneralizedFisherScore(20), some, y, n_permutations=3, random_state=0)
        for some in (table, table.toarray())
    ]
    np.testing.assert_allclose(found[0].null, found[1].null, rtol=1e-9)
    assert found[0].statistic == pytest.approx(found[1].statistic)


def test_sizes_are_for_joint_selectors():
    with pytest.raises(ValueError, match="ks must be None"):
        permutation_test(FisherScore(2), X, Y, ks=[1])


@pytest.mark.parametrize(
    ("selector", "given", "message"),
    [
        (GeneralizedFisherScore(2), {"n_permutations": True}, "n_permutations must be an int"),
        (GeneralizedFisherScore(2), {"groups": "batch"}, "groups must hold a label for each sample"),
        (GeneralizedFisherScore(2), {"groups": X}, "groups must hold a label for each sample"),
        ("joint", {}, "selector must be a feature selector"),
    ],
)
def test_wrong_types_are_refused(selector, given, message):
    with pytest.raises(TypeError, match=message):
        permutation_test(selector, X, Y, **given)


def test_rows_must_be_in_memory(tmp_path):
    path = tmp_path / "table.csv"
    pd.DataFrame(X).assign(label=Y).to_csv(path, index=False)
    with pytest.raises(TypeError, match="X must be rows in memory"):
        permutation_test(GeneralizedFisherScore(2), scan(path, target="label"), None)


def test_data_that_a_selector_cannot_be_fitted_with_is_refused():
    with pytest.raises(ValueError, match="confounders must be None for this selector"):
        permutation_test(SelectKBest(k=2), X, Y, confounders=X[:, :1])


def test_selectors_of_other_libraries_are_refitted():
    strong = X.copy()
    strong[:, 3] += 3 * Y
    assert permutation_test(SelectKBest(k=2), strong, Y, n_permutations=19, random_state=0).pvalue == 1 / 20


def test_odd_targets():
    rare = np.where(np.arange(60) == 7, "one", np.array(["a", "b"])[np.arange(60) % 2])
    constant = np.column_stack([X[:, :5], np.ones(60)])
    found = permutation_test(GeneralizedFisherScore(2), constant, rare, n_permutations=4, random_state=0)
    assert np.all(np.isfinite(found.null))


def test_a_choice_of_gamma_keeps_its_power():
    """F at the gamma that permuted targets lead to may be larger: sets are compared at one."""
    rng = np.random.default_rng(4)
    y = np.arange(80) % 2
    table = rng.standard_normal((80, 12))
    table[:, :3] += y[:, None]
    search = GeneralizedFisherScoreCV(2, gammas=[0.8, 800.0], cv=2)
    found = permutation_test(search, table, y, n_permutations=19, random_state=0)
    assert found.pvalue == 1 / 20
    chosen = search.fit(table, y).get_support()
    assert found.statistic == pytest.approx(fisher_criterion(table, y, chosen, gamma=80.0))
    given = {"confounders": rng.standard_normal((80, 1)), "n_permutations": 19, "random_state": 0}
    assert permutation_test(search, table, y, **given).pvalue == 1 / 20


def test_targets_too_large_for_their_coding_give_the_same(monkeypatch):
    given = {"n_permutations": 4, "random_state": 0}
    sets = np.column_stack([Y == 0, RNG.integers(0, 2, 60), Y == 2]).astype(int)
    for k, y, weight in ((3, Y, None), (3, Y, RNG.uniform(0.5, 2, 60)), (25, sets, None)):
        wide = RNG.standard_normal((60, 90))
        plain = permutation_test(GeneralizedFisherScore(k), wide, y, sample_weight=weight, **given)
        with monkeypatch.context() as patched:
            patched.setattr("fisherset.statistics.permuted.AT_ONCE", 10)
            found = permutation_test(GeneralizedFisherScore(k), wide, y, sample_weight=weight, **given)
        np.testing.assert_allclose(found.null, plain.null, rtol=1e-8)
        assert found.statistic == pytest.approx(plain.statistic, rel=1e-8)
