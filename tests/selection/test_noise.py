"""Comparison of a certificate with chance."""

import re

import numpy as np
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import t as student
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import f_classif

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV, JointRegressionScore
from fisherset.selection.noise import Noise


def noise_table(seed, n=60, d=2000):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


def test_pure_noise_is_not_praised():
    found = [GeneralizedFisherScore(10).fit(*noise_table(seed)).noise_ for seed in range(10)]
    assert sum(noise.chance for noise in found) >= 9  # one in twenty looks significant, that is what it means
    for noise in found:
        if noise.chance and not noise.n_above:
            best = f"the best of {noise.n_unrelated} noise columns would be by chance."
            assert str(noise) == f"None of the 10 selected features is better than {best}"
        elif noise.chance:
            assert str(noise).startswith(f"Only {noise.n_above} of 10 selected features beat")
            assert str(noise).endswith("%): chance gives as many.")
    for noise in found:
        assert noise.n_features == 2000
        assert noise.n_unrelated >= 1800
        assert noise.n_chosen == 10
        assert noise.n_above <= 4


def test_one_true_feature_among_noise_is_seen():
    X, y = noise_table(0)
    X[:, 7] += 3 * y
    noise = GeneralizedFisherScore(10).fit(X, y).noise_
    assert not noise.chance
    assert noise.n_above >= 1
    assert re.fullmatch(
        r"(\d+|All) (of )?10 selected features beats? the best noise column \(\d+ %\)\.", str(noise)
    )


def test_the_luckiest_share_is_that_of_the_f_statistic():
    """The share exceeded with probability 1/d_0 is that of the F statistic with that p-value."""
    X, y = noise_table(1)
    noise = GeneralizedFisherScore(10).fit(X, y).noise_
    assert noise.n_unrelated == min(2000, 2 * np.sum(f_classif(X, y)[1] > 0.5))
    quantile = f_distribution.isf(1 / noise.n_unrelated, 1, 58)
    assert noise.luckiest == pytest.approx(quantile / (quantile + 58), rel=1e-9)


def test_a_table_without_noise():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    noise = GeneralizedFisherScoreCV(2).fit(rng.normal(size=(90, 4)) + 3 * np.eye(4)[y], y).noise_
    assert not noise.chance
    assert noise.n_chosen == 2


@pytest.mark.parametrize("scale", [1 / 178, 1e-6, 1e6, np.pi])
def test_the_scale_of_weights_means_nothing(scale):
    from sklearn.datasets import load_wine

    X, y = load_wine(return_X_y=True)
    X = np.hstack([X, np.random.default_rng(0).standard_normal((178, 50))])  # so that n matters
    w = np.random.default_rng(1).uniform(0.5, 1.5, 178)
    plain, scaled = (GeneralizedFisherScore(5).fit(X, y, some) for some in (w, w * scale))
    assert scaled.gamma_ / scale == pytest.approx(plain.gamma_, rel=1e-9)
    np.testing.assert_array_equal(scaled.support_, plain.support_)
    assert scaled.noise_.n_unrelated == plain.noise_.n_unrelated


def test_whole_weights_are_repeats():
    X, y = noise_table(2, n=40, d=100)
    w = np.random.default_rng(0).integers(0, 4, 40)
    weighted = GeneralizedFisherScore(5).fit(X, y, w)
    repeated = GeneralizedFisherScore(5).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-9)
    assert weighted.noise_.luckiest == pytest.approx(repeated.noise_.luckiest, rel=1e-9)


def test_columns_that_are_clearly_related_are_no_noise():
    """Of five columns one explains much: at most four can be noise, whatever their p-values are."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = np.arange(80) % 2
        X = rng.standard_normal((80, 5))
        X[:, 2] += 1.7 * y
        noise = GeneralizedFisherScore(2).fit(X, y).noise_
        assert noise.n_features == 5
        assert noise.n_unrelated <= 4
        assert not noise.chance
        assert noise.n_above >= 1


def test_a_column_of_strings_is_one_column():
    """Its values are features of a group: the sentence counts columns of the table."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    text = np.eye(5)[np.where(y, rng.integers(0, 3, 120), rng.integers(2, 5, 120))]  # related
    X = np.column_stack([rng.standard_normal((120, 4)), text])
    noise = GeneralizedFisherScore(2, groups=[0, 1, 2, 3, 4, 4, 4, 4, 4]).fit(X, y).noise_
    assert (noise.n_features, noise.n_chosen) == (5, 2)
    assert noise.n_unrelated <= 4
    assert not noise.chance
    assert noise.n_above >= 1


def test_a_group_of_noise_is_no_better_than_a_column_of_noise():
    """The best of many features of a group is compared as such: groups are not praised for being large."""
    praised = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((60, 400)), rng.integers(0, 2, 60)
        noise = GeneralizedFisherScore(2, groups=np.arange(400) // 20).fit(X, y).noise_
        assert noise.n_features == 20
        praised += not noise.chance
    assert praised <= 4  # one in twenty on average


@pytest.mark.parametrize("n_true", [0, 5, 50])
def test_about_as_many_are_counted_as_there_are(n_true):
    counted = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = np.arange(100) % 2
        X = rng.standard_normal((100, 100))
        X[:, :n_true] += 2 * y[:, None]
        noise = GeneralizedFisherScore(3).fit(X, y).noise_
        assert noise.n_unrelated <= 100 - n_true  # all of these are found by Holm's test
        assert noise.n_unrelated >= 0
        counted.append(noise.n_unrelated)
    assert abs(np.mean(counted) - (100 - n_true)) < 12


ALL_BY_CHANCE = "All 3 selected features beat the best noise column (12 %): chance gives as many."


@pytest.mark.parametrize(
    ("noise", "sentence"),
    [
        (Noise(0, 0, 0.0, 0, 0, False), "No column varies."),
        (Noise(5, 0, 0.0, 2, 2, False), "No column looks unrelated to the classes."),
        (Noise(5, 0, 0.009, 2, 1, False), "1 of 2 selected features beats the best noise column (0.9 %)."),
        (Noise(9, 9, 0.12, 3, 3, True), ALL_BY_CHANCE),
        (Noise(30, 6, 0.003, 5, 5, False), "All 5 selected features beat the best noise column (0.3 %)."),
        (Noise(30, 6, 0.12, 5, 3, False), "3 of 5 selected features beat the best noise column (12 %)."),
        (Noise(30, 6, 0.12, 5, 1, False), "1 of 5 selected features beats the best noise column (12 %)."),
        (Noise(30, 6, 0.12, 1, 1, False), "The selected feature beats the best noise column (12 %)."),
        (
            Noise(9, 9, 0.12, 4, 0, True),
            "None of the 4 selected features is better than the best of 9 noise columns would be by chance.",
        ),
        (
            Noise(9, 9, 0.12, 1, 0, True),
            "The selected feature is not better than the best of 9 noise columns would be by chance.",
        ),
        (
            Noise(9, 9, 0.12, 4, 2, True),
            "Only 2 of 4 selected features beat the best noise column (12 %): chance gives as many.",
        ),
    ],
)
def test_sentences(noise, sentence):
    assert str(noise) == sentence


def test_weakly_related_columns_are_not_better_than_chance():
    """Of diabetes no column looks unrelated, but the sex explains 0.2 % by itself (p = 0.4)."""
    X, y = load_diabetes(return_X_y=True)
    selector = JointRegressionScore(5).fit(X, y)
    noise, t = selector.noise_, student.isf(0.025, y.size - 2)
    assert 1 in selector.get_support(indices=True)
    assert (noise.n_unrelated, noise.n_above, noise.n_chosen) == (0, 4, 5)
    assert noise.luckiest == pytest.approx(t**2 / (t**2 + y.size - 2))  # of a significant correlation
    assert str(noise) == "4 of 5 selected features beat the best noise column (0.9 %)."


@pytest.mark.parametrize("related", [0, 3, 60, 300])
@pytest.mark.parametrize("most", [1, 4])
def test_counts_are_those_of_p_values(related, most):
    """Without a p-value for each column, which would take longer than a fit."""
    from scipy.stats import beta

    from fisherset.selection.noise import LEVEL, Null, _clearly_related

    rng = np.random.default_rng(related + most)
    null, sizes = Null(1.0, 1.5, 40.0), rng.integers(1, most + 1, 300)
    shares = beta.rvs(1.5, 40.0, size=300, random_state=rng)
    shares[:related] = beta.rvs(8, 20.0, size=related, random_state=rng)
    shares[-1] = 0.0
    p = 1 - (1 - beta.sf(shares, 1.5, 40.0)) ** sizes
    single = null.of_single(shares, sizes)
    np.testing.assert_allclose(beta.sf(single, 1.5, 40.0), p, rtol=1e-9, atol=1e-15)
    assert null.count_unrelated(single) == 2 * np.sum(p > 0.5)
    passed = [*(np.sort(p) * np.arange(300, 0, -1) <= LEVEL), False]
    assert _clearly_related(single, null) == passed.index(False)
