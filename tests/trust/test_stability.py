"""Stability: the index by the paper's formula, halves by subtraction, bounds by simulation."""

import logging

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, sparse, stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold, f_regression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    scan,
    stability,
)
from fisherset.selection.request import pose_problem
from fisherset.statistics.measure import measure
from fisherset.trust import resampling
from fisherset.trust.agreement import cluster_features, index_interval, stability_index
from fisherset.trust.selection_bounds import expected_low, tail


def planted(n=90, d=12, c=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % c
    X = rng.normal(size=(n, d))
    X[:, :3] += 1.5 * (y[:, None] == np.arange(3))
    X[:, [0, 3]] = X[:, [0]] + 0.2 * rng.normal(size=(n, 2))  # interchangeable
    return X, y


def literal_index(Z, level):
    """Definition 4, Theorem 7 and Corollary 8 of Nogueira, Sechidis and Brown, letter by letter."""
    M, d = Z.shape
    p = [sum(Z[i, f] for i in range(M)) / M for f in range(d)]
    k = [sum(Z[i]) for i in range(M)]
    k_bar = sum(k) / M
    scale = (k_bar / d) * (1 - k_bar / d)
    phi = 1 - sum(M / (M - 1) * p[f] * (1 - p[f]) for f in range(d)) / d / scale
    parts = [
        (
            sum(Z[i, f] * p[f] for f in range(d)) / d
            - k[i] * k_bar / d**2
            + phi / 2 * (2 * k_bar * k[i] / d**2 - k[i] / d - k_bar / d + 1)
        )
        / scale
        for i in range(M)
    ]
    variance = 4 / M**2 * sum((part - sum(parts) / M) ** 2 for part in parts)
    width = stats.norm.ppf(1 - (1 - level) / 2) * variance**0.5
    return phi, (phi - width, phi + width)


@pytest.mark.parametrize("seed", range(5))
def test_the_index_is_that_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    Z = rng.random((12, 9)) < rng.random(9)
    phi, interval = literal_index(Z.astype(int), 0.9)
    assert stability_index(Z) == pytest.approx(phi, rel=1e-12)
    assert_allclose(index_interval(Z, 0.9), interval, rtol=1e-12)


def test_the_index_is_one_for_equal_selections_and_nothing_for_all_features():
    assert stability_index(np.tile([True, False, False], (4, 1))) == 1.0
    assert np.isnan(stability_index(np.ones((4, 3), dtype=bool)))


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("n", [90, 95])  # of odd classes a row is in neither half
def test_halves_by_subtraction_are_those_of_the_rows(storage, n):
    X, y = planted(n)
    X = X * np.exp(np.arange(12)) + 50
    resampled = resampling.resample(GeneralizedFisherScore(4), storage(X), y)
    first, second = resampled.halves.pair(np.random.RandomState(3))
    assert_array_equal(np.bincount(y[first]), np.bincount(y) // 2)
    assert_array_equal(np.bincount(y[first]), np.bincount(y[second]))
    assert not np.intersect1d(first, second).size
    fits = resampled.fit.__self__
    every = np.arange(12)
    for problem, rows in zip(fits.folded.halves(first, second), (first, second), strict=True):
        Z = (X[rows] - X[rows].mean(axis=0)) / X[rows].std(axis=0)
        counts = np.bincount(y[rows])
        H = (y[rows, None] == np.arange(3)) * np.sqrt(rows.size / counts)
        H = H - np.sqrt(counts / rows.size)  # Eq. (9)
        G, C = Z.T @ Z, Z.T @ H
        assert_allclose(problem.gram(every), G, atol=1e-8 * rows.size)
        assert_allclose(problem.C @ problem.C.T, C @ C.T, atol=1e-8 * rows.size**2)


WEIGHTS = np.array([0.0, 1.5, 2.0, 0.7, 3.0])


def data_of_fit(names, n):
    """Weights, some of them zero, and two confounders."""
    confounders = np.random.default_rng(4).normal(size=(n, 2))
    data = {"sample_weight": np.resize(WEIGHTS, n), "confounders": confounders}
    return {name: data[name] for name in names}


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize(
    "names", [(), ("sample_weight",), ("confounders",), ("sample_weight", "confounders")]
)
@pytest.mark.parametrize("selector", [GeneralizedFisherScore(4), JointRegressionScore(4)])
def test_halves_and_selections_are_those_of_fits_on_the_rows(selector, names, storage):
    X, y = planted(95)
    y, data = y + 0.1 * X[:, 5] if isinstance(selector, JointRegressionScore) else y, data_of_fit(names, 95)
    found = stability(selector, storage(X), y, n_pairs=3, random_state=1, **data)
    resampled = resampling.resample(selector, storage(X), y, **data)
    halves, fits, every = resampled.halves, resampled.fit.__self__, np.arange(12)
    supports = []
    for seed in resampling.seeds_of(np.random.RandomState(1), 3):
        pair = halves.pair(np.random.RandomState(seed))
        for problem, rows in zip(fits.folded.halves(*pair), pair, strict=True):
            part = {name: values[rows] for name, values in data.items()}
            task = "regression" if isinstance(selector, JointRegressionScore) else "classification"
            refitted = pose_problem(measure(X[rows], y[rows], task=task, **part), True)
            assert_allclose(problem.gram(every), refitted.gram(every), atol=1e-8 * rows.size)
            assert_allclose(problem.C @ problem.C.T, refitted.C @ refitted.C.T, atol=1e-8 * rows.size**2)
            supports.append(selector.set_params(tol=None).fit(X[rows], y[rows], **part).support_)
            assert np.all(part.get("sample_weight", np.ones(1)) > 0)
    assert_array_equal(found.supports, supports)


def test_weights_and_confounders_reach_the_fits_of_others():
    X, y = planted(95)
    data = data_of_fit(("sample_weight", "confounders"), 95)
    selector = GeneralizedFisherScoreCV([2, 3], cv=2)
    found = stability(selector, X, y, n_pairs=2, random_state=1, **data)
    resampled = resampling.resample(selector, X, y, **data)
    rows, _ = resampled.halves.pair(
        np.random.RandomState(resampling.seeds_of(np.random.RandomState(1), 2)[0])
    )
    fitted = selector.fit(X[rows], y[rows], data["sample_weight"][rows], data["confounders"][rows])
    assert_array_equal(found.supports[0], fitted.support_)
    for name, values in data.items():
        with pytest.raises(TypeError, match=f"{name} must be None for VarianceThreshold"):
            stability(VarianceThreshold(), X, y, **{name: values})


def test_frequencies_and_clusters():
    X, y = planted(150)
    found = stability(GeneralizedFisherScore(3), X, y, n_pairs=20, random_state=0)
    assert_allclose(found.frequencies, found.supports.mean(axis=0))
    assert found.n_selected == 3
    assert found.clusters[0] == found.clusters[3]
    assert np.unique(found.clusters).size == 11
    either = found.supports[:, 0] | found.supports[:, 3]
    assert found.cluster_frequencies[found.clusters[0]] == either.mean()
    assert found.index_of_clusters > found.index
    assert_array_equal(found.stable(0.6), found.frequencies >= 0.6)
    low, high = found.index_interval()
    assert low <= found.index <= high
    assert found.table()[0]["frequency"] == found.frequencies.max()
    assert "x3" in str(found)
    assert "20 pairs" in repr(found)
    assert found.to_frame().shape[1] == 4


@pytest.mark.parametrize("solver", ["joint", "exact"])  # by statistics, and by refitting
def test_columns_of_a_group_are_one_cluster(solver):
    X, y = planted(90)
    groups = ["a", "b", "b", "c", *"defghijk"]  # 0 and 3 are interchangeable, 1 and 2 selected together
    found = stability(
        GeneralizedFisherScore(2, groups=groups, solver=solver), X, y, n_pairs=4, random_state=0
    )
    assert_array_equal(found.supports[:, 1], found.supports[:, 2])
    assert found.clusters[1] == found.clusters[2] != found.clusters[0] == found.clusters[3]
    assert np.unique(found.clusters).size == 10


def test_clusters_have_no_pair_of_low_correlation():
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.normal(size=(60, 30)), axis=1)  # neighbours are alike, those far apart are not
    clusters = cluster_features(X, np.ones(30))
    R = np.abs(np.corrcoef(X.T))
    assert 1 < np.unique(clusters).size < 30
    for cluster in np.unique(clusters):
        members = np.flatnonzero(clusters == cluster)
        assert R[np.ix_(members, members)].min() >= 0.9
    first = [int(np.flatnonzero(clusters == cluster)[0]) for cluster in range(clusters.max() + 1)]
    assert first == sorted(first)
    rare = np.where(np.arange(30) < 5, 0.01, 1.0)
    assert np.unique(cluster_features(X, rare)[:5]).size == 5


def r_concave(rng, n, r):
    """A random r-concave distribution on 0..n, mostly falling, as convex functions to the power 1/r."""
    slopes = np.sort(rng.exponential(size=n)) * 10 ** rng.uniform(-2, 2)
    convex = 10 ** rng.uniform(-4, 1) + np.concatenate([[0], np.cumsum(slopes)])
    support = rng.integers(1, n + 1)
    weights = np.where(np.arange(n + 1) <= support, convex ** (1 / r), 0.0)
    return weights / weights.sum()


@pytest.mark.parametrize("r", [-1 / 2, -1 / 4])
def test_no_r_concave_distribution_has_a_larger_tail(r):
    rng, n = np.random.default_rng(0), 6
    numbers, most = np.arange(n + 1), 0.0
    for _ in range(200):
        mass = r_concave(rng, n, r)
        eta = mass @ numbers / n
        for t in range(1, n + 1):
            bound = tail(eta, t, n, r)
            assert mass[t:].sum() <= bound * (1 + 1e-6)
            if 1e-9 < bound < 1:
                most = max(most, mass[t:].sum() / bound)
    assert most > 0.9  # it is nearly reached


def ported_tail(eta, t, n, r):
    """The tail by the algorithm of the code that the authors published, written anew from its formulas."""
    mean, start = eta * n, int(np.ceil(2 * eta * n)) + 1
    if t < start:
        return 1.0
    weight = {k: lambda a, k=k: (a + np.arange(k + 1)) ** (1 / r) for k in range(start, n + 1)}
    shift, last = {}, 1e5
    for k in range(start, n + 1):
        excess = lambda a, k=k: np.arange(k + 1) @ weight[k](a) / weight[k](a).sum() - mean  # noqa: E731
        shift[k] = last = optimize.brentq(excess, 1e-5, last)

    def below(a, k):
        return (
            (k + 1 - mean)
            * np.sum((a + np.arange(t)) ** (1 / r))
            / ((k + 1 - np.arange(k + 1)) @ weight[k](a))
        )

    least = [
        optimize.minimize_scalar(
            below, args=(k,), bounds=(shift[k + 1], shift[k]), method="bounded", options={"xatol": 1e-10}
        ).fun
        for k in range(start, n)
    ]
    return 1 - min(least)


@pytest.mark.parametrize("r", [-1 / 2, -1 / 4])
@pytest.mark.parametrize("eta", [0.02, 0.1, 0.2])
def test_the_tail_is_that_of_the_published_algorithm(eta, r):
    for t in (12, 18, 24, 29, 30):
        assert tail(eta, t, 30, r) == pytest.approx(ported_tail(eta, t, 30, r), rel=1e-4)


def normal_frequencies(theta, n_pairs):
    """Distribution of the halves that select a feature whose statistic is normal, if it exceeds a level.

    The statistics of the halves of a pair are s + w and s - w, s and w being independent and alike. Given s,
    pairs are independent: both halves select, or one, or none.
    """
    level, root = stats.norm.isf(theta), np.sqrt(0.5)
    s = np.linspace(-6, 6, 2001) * root
    both = np.where(s > level, 1 - 2 * stats.norm.sf(np.abs(s - level) / root), 0.0)
    none = np.where(s < level, 1 - 2 * stats.norm.sf(np.abs(s - level) / root), 0.0)
    given = np.zeros((s.size, 2 * n_pairs + 1))
    given[:, 0] = 1.0
    for _ in range(n_pairs):
        more = none[:, None] * given
        more[:, 1:] += (1 - both - none)[:, None] * given[:, :-1]
        more[:, 2:] += both[:, None] * given[:, :-2]
        given = more
    density = stats.norm.pdf(s, scale=root)
    return density / density.sum() @ given


@pytest.mark.parametrize("n_pairs", [10, 50])
@pytest.mark.parametrize("theta", [0.01, 0.05, 0.1, 0.2])
def test_normal_statistics_are_within_the_default_bound(theta, n_pairs):
    """Exactly, for features that are all as probable as one drawn at random; "r-concave" is exceeded."""
    mass = normal_frequencies(theta, n_pairs)
    assert mass @ np.arange(2 * n_pairs + 1) / (2 * n_pairs) == pytest.approx(theta, rel=1e-4)
    ratios = {assume: [] for assume in ("unimodal", "r-concave")}
    for count in range(n_pairs + 1, 2 * n_pairs + 1, n_pairs // 10):
        for assume, ratio in ratios.items():
            ratio.append(mass[count:].sum() / expected_low(count, n_pairs, 1000 * theta, 1000, assume) * 1000)
    assert max(ratios["unimodal"]) < 1
    assert max(ratios["r-concave"]) > 1.4


def test_bounds_get_smaller_with_assumptions_and_thresholds():
    for count in range(51, 101):
        none, unimodal, concave = (
            expected_low(count, 50, 50, 1000, assume) for assume in ("none", "unimodal", "r-concave")
        )
        assert concave <= unimodal <= none
        assert none == pytest.approx(min(50**2 / ((2 * count / 100 - 1) * 1000), 50 / (count / 100)))
    assert unimodal == pytest.approx(2.5 * 4 * 0.01 / 1.02)  # Theorem 2 at tau = 1


def test_the_threshold_is_the_least_for_a_bound():
    X, y = planted()
    found = stability(GeneralizedFisherScore(2), X, y, n_pairs=10, random_state=0)
    threshold = found.threshold_for(0.3)
    assert found.expected_false_selections(threshold) <= 0.3
    assert threshold == 0.55 or found.expected_false_selections(threshold - 0.05) > 0.3
    assert found.threshold_for(0.9, assume="none") >= found.threshold_for(0.9)
    with pytest.raises(ValueError, match=r"bound must be .* or more"):
        found.threshold_for(1e-9)


@pytest.mark.parametrize(
    ("selector", "c", "correlation"),
    [(FisherScore(3), 2, 0.0), (FisherScore(3), 4, 0.7), (GeneralizedFisherScore(3), 3, 0.7)],
)
def test_noise_is_selected_as_often_as_the_bound_allows(selector, c, correlation):
    """A short form of `benchmarks/trust.py bound`: blocks of columns, of which none is related.

    All features have the same selection probability q / d: each that is stable is false.
    """
    false, bounds = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = np.sqrt(1 - correlation) * rng.normal(size=(40, 20))
        X += np.sqrt(correlation) * np.repeat(rng.normal(size=(40, 5)), 4, axis=1)
        found = stability(selector, X, np.arange(40) % c, n_pairs=8, random_state=seed)
        false.append([np.count_nonzero(found.stable(threshold)) for threshold in (0.7, 0.9)])
        bounds.append([found.expected_false_selections(threshold) for threshold in (0.7, 0.9)])
    assert np.all(np.mean(false, axis=0) <= np.mean(bounds, axis=0))


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(k=3),
        SelectFromModel(RandomForestClassifier(5), max_features=3),
        make_pipeline(StandardScaler(), VarianceThreshold(), SelectKBest(k=3)),
        FisherScore(3),
        GeneralizedFisherScoreCV([2, 3], cv=2),
        GeneralizedFisherScore(3, class_weight="balanced"),
        GeneralizedFisherScore(3, solver="exact"),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_any_selector_and_the_same_seed_the_same_answer(selector):
    X, y = planted()
    frame = pd.DataFrame(X).add_prefix("f")
    found = stability(selector, frame, y, n_pairs=2, random_state=5)
    again = stability(selector, frame, pd.Series(y), n_pairs=2, random_state=5, n_jobs=2)
    assert_array_equal(found.supports, again.supports)
    assert found.supports.shape == (4, 12)
    assert found.feature_names[0] == "f0"
    assert not hasattr(selector, "support_")


def test_the_seed_decides_not_the_threads():
    X, y = planted()
    one, same, other = (
        stability(GeneralizedFisherScore(3), X, y, n_pairs=6, random_state=seed, n_jobs=jobs).supports
        for seed, jobs in ((0, None), (0, 2), (1, None))
    )
    assert_array_equal(one, same)
    assert np.any(one != other)


def test_numbers_and_no_targets_are_not_stratified():
    X, _ = planted()
    counts = np.arange(90)  # integers that are no classes
    found = stability(SelectKBest(f_regression, k=2), X, counts, n_pairs=2, random_state=0)
    assert found.n_selected == 2
    assert stability(VarianceThreshold(), X, None, n_pairs=2, random_state=0).n_selected == 12


def test_a_pipeline_that_drops_columns_first_names_those_of_x():
    X, y = planted()
    X[:, 0] = 1.0
    found = stability(make_pipeline(VarianceThreshold(), SelectKBest(k=2)), X, y, n_pairs=2, random_state=0)
    assert found.frequencies[0] == 0
    assert found.n_selected == 2


def test_progress_is_reported_and_an_interrupt_keeps_finished_pairs(caplog, monkeypatch):
    X, y = planted()
    with caplog.at_level(logging.INFO, "fisherset.progress"):
        stability(FisherScore(2), X, y, n_pairs=2, random_state=0)
    assert caplog.messages == ["half-samples: 1 of 2", "half-samples: 2 of 2"]
    for finished in (3, 1):
        left = iter(range(2 * finished))
        support = resampling.Refits.support

        def stop(self, rows, seed, left=left, support=support):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return support(self, rows, seed)

        with monkeypatch.context() as patched:
            patched.setattr(resampling.Refits, "support", stop)
            if finished == 1:
                with pytest.raises(KeyboardInterrupt):
                    stability(FisherScore(2), X, y, n_pairs=9, random_state=0)
                continue
            found = stability(FisherScore(2), X, y, n_pairs=9, random_state=0)
        assert (found.n_pairs, found.complete, len(found.supports)) == (3, False, 6)
        assert "stopped" in str(found)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("selector must be a feature selector", {"selector": StandardScaler()}),
        ("selector must be a feature selector", {"selector": FisherScore}),
        (
            "selector must select among",
            {"selector": make_pipeline(PolynomialFeatures(2, include_bias=False), SelectKBest(k=2))},
        ),
        ("n_pairs must be", {"n_pairs": 1}),
        ("n_jobs must be", {"n_jobs": "all"}),
        ("random_state must be", {"random_state": "seed"}),
        ("y must have two samples or more of each class", {"y": np.array([*["a"] * 89, "b"])}),
    ],
)
def test_bad_input_is_refused_before_work(words, given):
    X, y = planted()
    with pytest.raises((ValueError, TypeError), match=words):
        stability(**{"selector": GeneralizedFisherScore(2), "X": X, "y": y, **given})


def test_bad_thresholds_are_refused(tmp_path):
    X, y = planted()
    found = stability(FisherScore(2), X, y, n_pairs=2, random_state=0)
    for call, words in (
        (lambda: found.stable(0), "threshold must be"),
        (lambda: found.expected_false_selections(0.7, assume="hope"), "assume must be"),
        (lambda: found.threshold_for(0), "bound must be"),
        (lambda: found.index_interval(1.0), "level must be"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    pd.DataFrame(X).add_prefix("f").assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(TypeError, match="X must be rows in memory"):
        stability(GeneralizedFisherScore(2), scan(tmp_path / "rows.csv", target="y"), None)
