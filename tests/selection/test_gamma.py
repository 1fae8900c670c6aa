"""The default gamma: each step of its derivation, and the limits."""

import numpy as np
import pytest
from scipy import stats

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    certify,
    explain,
    fisher_criterion,
    near_best,
    selection_path,
)
from fisherset.selection.gamma import DECADES, LARGEST_T, LEAST_MULTIPLE
from fisherset.selection.noise import Null
from support.precise_oracle import Truth


def default_gamma(X, y, k, **options):
    return GeneralizedFisherScore(k, **options).fit(X, y).gamma_


def noise_table(n=200, d=3000, useful=20, shift=0.8, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d))
    X[:, :useful] += shift * rng.normal(size=(3, useful))[y]
    return X, y


def with_copies():
    """A table whose useful columns share half of what varies within the classes."""
    X, y = noise_table()
    X[:, :20] += np.random.default_rng(1).normal(size=(200, 1))
    return X, y


@pytest.mark.parametrize("table", [noise_table, with_copies])
def test_against_the_formula_written_out(table):
    X, y = table()
    n, k, c = 200, 15, 3
    Z = (X - X.mean(0)) / X.std(0)
    means = np.array([Z[y == label].mean(0) for label in range(c)])
    share = np.sum(np.bincount(y)[:, None] * means**2, axis=0) / n
    p = stats.f.sf(share / (1 - share) * (n - c) / (c - 1), c - 1, n - c)
    d0 = 2 * np.sum(p > 0.5)
    luckiest = stats.beta((c - 1) / 2, (n - c) / 2).isf(1 / d0)
    best = np.argsort(-share)[:k]
    correlation = np.corrcoef((Z - means[y])[:, best].T)  # within the classes
    rho = max(0.0, np.mean(correlation[~np.eye(k, dtype=bool)] ** 2) - 1 / (n - c))
    t, r = np.sqrt(luckiest / share[best[-1]]), 1 + (k - 1) * rho / 2
    assert LEAST_MULTIPLE * n < r * n * t / (1 - t)
    assert default_gamma(X, y, k) == pytest.approx(r * n * t / (1 - t), rel=1e-6)


def test_luckiest_of_pure_noise():
    """The largest share of d null features is about the one predicted, for few samples too."""
    rng = np.random.default_rng(0)
    for n, c, d in [(20, 2, 2000), (300, 6, 2000)]:
        seen, predicted = [], []
        for _ in range(20):
            X, y = rng.normal(size=(n, d)), np.arange(n) % c
            f = FisherScore(1).fit(X, y).scores_
            share = f / (1 + f)  # the score is between over within
            seen.append(share.max())
            predicted.append(Null(1.0, (c - 1) / 2, (n - c) / 2).largest_by_chance(share))
        assert np.median(seen) == pytest.approx(np.median(predicted), rel=0.15)


def test_copies_keep_the_share_the_derivation_says():
    """XV of Eq. (26) for one more copy of r equal columns is gamma / (r n + gamma) of C."""
    n, r, gamma = 50, 4, 30.0
    rng = np.random.default_rng(0)
    x, h = rng.normal(size=n), rng.normal(size=n)
    x *= np.sqrt(n) / np.linalg.norm(x)
    A = np.tile(x[:, None], r)
    w = np.linalg.solve(A.T @ A + gamma * np.eye(r), A.T @ h)
    assert x @ (h - A @ w) == pytest.approx(x @ h * gamma / (r * n + gamma))


def test_columns_that_agree_about_the_classes_alone_are_no_copies():
    """Equal class means, independent within: a correlation of about 1/2, and no copies."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 500))
    X[:, :20] += y[:, None] * 2.0
    agreeing = default_gamma(X, y, 20)
    X[:, :20] = y[:, None] * 2.0 + rng.normal(size=(400, 1)) + 0.3 * rng.normal(size=(400, 20))
    assert agreeing < 0.3 * default_gamma(X, y, 20)


def test_no_noise_gives_the_least():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    X = rng.normal(size=(120, 40)) + 3 * rng.normal(size=(4, 40))[y]
    assert default_gamma(X, y, 10) == pytest.approx(LEAST_MULTIPLE * 120)


def test_hopeless_data_gives_nearly_the_fisher_ranking():
    X, y = noise_table(useful=0)
    selector = GeneralizedFisherScore(20).fit(X, y)
    assert selector.gamma_ >= 200 * LARGEST_T / (1 - LARGEST_T) * (1 - 1e-9)
    fisher = FisherScore(20).fit(X, y)
    assert np.sum(selector.support_ & fisher.support_) >= 19


def test_more_noise_more_gamma():
    few, many = noise_table(d=60), noise_table(d=3000)
    assert default_gamma(*few, 10) < default_gamma(*many, 10)


def test_scale_and_unit_of_the_data():
    X, y = noise_table(d=300)
    plain = default_gamma(X, y, 10)
    units = np.exp(np.random.default_rng(1).normal(size=300))
    assert default_gamma(X * units, y, 10) == pytest.approx(plain, rel=1e-6)
    one = default_gamma(X, y, 10, standardize=False)
    assert default_gamma(1000 * X, y, 10, standardize=False) == pytest.approx(1e6 * one, rel=1e-6)


def test_many_features_are_sampled():
    """With k in the thousands only a sample of correlations is looked at; the value hardly changes."""
    X, y = noise_table(n=100, d=1200, useful=600, shift=2.0)
    from fisherset.selection import gamma as module

    sampled = default_gamma(X, y, 500)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SAMPLED", 500)
        assert sampled == pytest.approx(default_gamma(X, y, 500), rel=0.05)


@pytest.mark.parametrize("n", [3, 4])
def test_as_few_samples_as_classes(n):
    X, y = np.random.default_rng(0).normal(size=(n, 30)), np.arange(n) % 2
    y[-1] = 1
    assert np.isfinite(default_gamma(X, y, 5))


def figures(X, y, gamma, standardize):
    """F of whatever takes a gamma."""
    given = {"gamma": gamma, "standardize": standardize}
    for solver in ("joint", "exact", "cutting-plane"):
        found = GeneralizedFisherScore(2, solver=solver, **given).fit(X, y)
        yield np.flatnonzero(found.support_), found.objective_, found.upper_bound_
    found = GeneralizedFisherScoreCV(2, gammas=[gamma], standardize=standardize, cv=2).fit(X, y)
    yield np.flatnonzero(found.support_), found.objective_, found.upper_bound_
    yield [0, 1], fisher_criterion(X, y, [0, 1], **given), np.inf
    certificate = certify(X, y, [0, 1], **given)
    yield [0, 1], certificate.objective, certificate.upper_bound
    near = near_best(X, y, 2, **given)
    yield near.sets[0], near.objectives[0], near.upper_bound
    explained = explain(X, y, [0, 1], **given)
    yield [1], explained.objective - explained.drops[0], np.inf
    yield [0], explained.objective - explained.drops[1], np.inf
    for step in selection_path(X, y, [1, 2], **given):
        yield step.features, step.objective, step.upper_bound


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("size", [1e-70, 1.0, 1e70])
@pytest.mark.parametrize("ratio", [2 / DECADES, 1e-60, 1e-30, 1e30, 1e60, 0.3 * DECADES])
def test_every_gamma_that_is_taken_is_computed_with(size, ratio):
    """Against F in 32 digits, from one end of what is admissible to the other; the rest is refused."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    X[:, 0] += y
    gamma, standardize = 40 * ratio * size**2, size == 1.0
    if not 1e-150 <= gamma <= 1e150:
        with pytest.raises(ValueError, match=r"gamma must lie between .* Pass gamma=\"scale\""):
            next(figures(X * size, y, gamma, standardize))
        return
    truth = Truth(X, y, standardize=standardize)
    best = truth.best(2, gamma / size**2)
    for columns, objective, bound in figures(X * size, y, gamma, standardize):
        true = float(truth.criterion([columns], gamma / size**2)[0])
        assert objective == pytest.approx(true, rel=1e-6)
        assert bound >= (best if len(columns) == 2 else true) * (1 - 1e-9)


def test_a_gamma_that_is_refused_names_one_that_is_not():
    rng = np.random.default_rng(5)
    Z, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    for gamma, X in ((1e-90, 1e30 * Z), (1e145, 1e-20 * Z)):
        with pytest.raises(ValueError, match=r"gamma must lie between .* or gamma=") as refused:
            GeneralizedFisherScore(2, gamma=gamma, standardize=False).fit(X, y)
        named = float(str(refused.value).split("gamma=")[-1].split()[0])
        assert GeneralizedFisherScore(2, gamma=named, standardize=False).fit(X, y).objective_ > 0
    with pytest.raises(ValueError, match="gamma must lie between"):
        JointRegressionScore(2, gamma=1e-149).fit(Z, Z[:, 0])
