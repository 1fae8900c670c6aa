"""Comparison of a certificate with chance."""

import numpy as np
import pytest
from scipy.stats import f as f_distribution
from sklearn.feature_selection import f_classif

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV


def noise_table(seed, n=60, d=2000):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


def test_pure_noise_is_not_praised():
    found = [GeneralizedFisherScore(10).fit(*noise_table(seed)).noise_ for seed in range(10)]
    assert sum(noise.chance for noise in found) >= 9  # one in twenty looks significant, that is what it means
    assert "no more than chance would give" in str(found[0])
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
    assert "exceed that." in str(noise)


def test_the_luckiest_share_is_that_of_the_f_statistic():
    """The share exceeded with probability 1/d_0 is that of the F statistic with that p-value."""
    X, y = noise_table(1)
    noise = GeneralizedFisherScore(10).fit(X, y).noise_
    assert noise.n_unrelated == min(2000, 2 * np.sum(f_classif(X, y)[1] > 0.5))
    quantile = f_distribution.isf(1 / (2 * np.sum(f_classif(X, y)[1] > 0.5)), 1, 58)
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
