"""The permutation test against refits, closed forms and uniform p-values."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import kstest

from fisherset import FisherScore, GeneralizedFisherScore, JointRegressionScore, permutation_test
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


@pytest.mark.parametrize("adjusted", [False, True])
def test_pvalues_are_uniform_without_signal(adjusted):
    pvalues = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        z = rng.standard_normal((40, 1))
        noise, y = rng.standard_normal((40, 8)) + z, rng.standard_normal(40) + 2 * z[:, 0]
        data = (
            (JointRegressionScore(2), noise, y) if adjusted else (GeneralizedFisherScore(2), noise - z, y > 0)
        )
        if not adjusted:
            data = (data[0], rng.standard_normal((40, 8)), data[2])
        more = {"confounders": z} if adjusted else {}
        pvalues.append(permutation_test(*data, n_permutations=19, random_state=seed, **more).pvalue)
    # p is discrete: spread within its step
    spread = np.array(pvalues) - np.random.default_rng(0).uniform(0, 1 / 20, 100)
    assert kstest(spread, "uniform").pvalue > 0.001


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": [1, 2]}, "groups must have a label for each of the 60 samples; got 2"),
        ({"groups": range(60)}, "more than one sample in some group"),
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
