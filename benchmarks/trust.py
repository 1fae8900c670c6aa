"""Whether figures about a selection can be trusted, and what they cost.

    python benchmarks/trust.py bound --settings 200
    python benchmarks/trust.py integrated
    python benchmarks/trust.py speed-stability
    python benchmarks/trust.py pvalues --runs 500
    python benchmarks/trust.py schemes --runs 500
    python benchmarks/trust.py sizes --runs 200
    python benchmarks/trust.py speed-permutation

`bound`: random settings of correlated designs with two to six classes, and independent samples of each. The
selection probability of a feature is estimated by fits on other samples, of half the size; it counts as low
up to two standard errors above q / d, so that no feature at q / d itself is left out. The mean number of
stable features of low probability is compared with `expected_false_selections`; a setting is above the bound
where the mean less two standard errors exceeds it. The exit code is 1 if any is, but for "r-concave".

`integrated`: the bound of integrated path stability selection (Melikechi and Miller 2025) for unrelated
features whose statistics are independent and normal, selected above a level that falls along the path.

`speed-stability`: `stability` with 50 pairs, in fits of the selector on all rows with its defaults.

`pvalues`: p-values of `permutation_test` without signal, on tables of four shapes, against the uniform
distribution by Kolmogorov and Smirnov. They are multiples of 1 / (1 + n_permutations), and spread at random
within these steps. The exit code is 1 if the probability of a cell is below 0.001.

`schemes`: how to permute classes with a confounder that they and the features depend on.

`sizes`: `largest_size_beyond_chance` on noise, and with 5 related features of 50.

`speed-permutation`: `permutation_test` with 200 permutations, in fits of the selector with its defaults.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from scipy.stats import kstest, norm
from sklearn.datasets import make_classification

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    permutation_test,
    stability,
)
from fisherset.trust.schemes import Rows, draw_targets

SHAPES = {"2000 x 2000": (2000, 2000, 25), "200 x 10,000": (200, 10_000, 50)}  # and the fits aimed at
THRESHOLDS = (0.6, 0.75, 0.9)
KINDS = ("scale", "CV", "strata", "confounder", "numbers")
NULL_SHAPES = ((40, 8), (30, 100), (100, 30), (60, 200))
N_PERMUTATIONS = 19  # p-values down to 0.05
ASSUMPTIONS = ("none", "unimodal", "r-concave")


def draw(rng, setting, n):
    """Samples of a setting: a Toeplitz or block design, and classes that shift some features."""
    d, c, rho, shift, kind = (setting[name] for name in ("d", "c", "rho", "shift", "kind"))
    if kind == "blocks":
        common = np.repeat(rng.normal(size=(n, d // 5)), 5, axis=1)
        X = np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.normal(size=(n, d))
    else:
        X = rng.normal(size=(n, d))
        for j in range(1, d):
            X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    y = np.arange(n) % c
    X[:, : len(shift)] += shift[:, y].T
    return X, y


def random_setting(seed):
    rng = np.random.default_rng(seed)
    c, d = int(rng.integers(2, 7)), int(rng.choice([20, 40]))
    n_related = int(rng.integers(0, 5))
    return {
        "d": d,
        "c": c,
        "n": int(rng.choice([48, 60, 96])),
        "k": int(rng.integers(2, 5)),
        "rho": float(rng.choice([0.0, 0.3, 0.6, 0.9])),
        "kind": str(rng.choice(["blocks", "toeplitz"])),
        "shift": rng.normal(size=(n_related, c)) * rng.choice([0.3, 0.6, 1.0]),
        "selector": str(rng.choice(["joint", "fisher"])),
    }


def selector_of(setting):
    kinds = {"joint": GeneralizedFisherScore(setting["k"], tol=None), "fisher": FisherScore(setting["k"])}
    return kinds[setting["selector"]]


def low_probabilities(setting, rng, n_probes):
    """Mask of the features that are selected on half of the rows no more often than a random one."""
    n, c = setting["n"], setting["c"]
    n_half = int(np.sum(np.bincount(np.arange(n) % c) // 2))
    selected = np.zeros(setting["d"])
    for _ in range(n_probes):
        selected += selector_of(setting).fit(*draw(rng, setting, n_half)).get_support()
    share = setting["k"] / setting["d"]
    return selected / n_probes <= share + 2 * np.sqrt(share * (1 - share) / n_probes)


def check_setting(seed, n_samples, n_pairs, n_probes):
    """For each threshold and assumption: the mean of false selections, the bound, and if it is exceeded."""
    setting, rng = random_setting(seed), np.random.default_rng(10_000 + seed)
    low, rows = low_probabilities(setting, rng, n_probes), []
    found = [
        stability(selector_of(setting), *draw(rng, setting, setting["n"]), n_pairs=n_pairs, random_state=i)
        for i in range(n_samples)
    ]
    for threshold in THRESHOLDS:
        counts = [np.count_nonzero(one.stable(threshold) & low) for one in found]
        mean, error = float(np.mean(counts)), float(np.std(counts, ddof=1) / np.sqrt(n_samples))
        for assume in ASSUMPTIONS:
            bound = found[0].expected_false_selections(threshold, assume=assume)
            rows.append((threshold, assume, mean, bound, mean - 2 * error > bound))
    return rows


def check_bounds(given):
    rows = []
    for seed in range(given.seed, given.seed + given.settings):
        rows += check_setting(seed, given.samples, given.pairs, given.probes)
    print(f"{'threshold':>9} {'assume':10}{'false':>8}{'bound':>8}{'largest ratio':>15}{'above':>7}")
    failed = False
    for threshold in THRESHOLDS:
        for assume in ASSUMPTIONS:
            some = [row for row in rows if row[:2] == (threshold, assume)]
            means, bounds = np.array([row[2] for row in some]), np.array([row[3] for row in some])
            above = sum(row[4] for row in some)
            failed |= above > 0 and assume != "r-concave"
            print(
                f"{threshold:>9} {assume:10}{means.mean():>8.3f}{bounds.mean():>8.3f}"
                f"{(means / bounds).max():>15.2f}{above:>7}"
            )
    print(
        f"\n{given.settings} settings, {given.samples} samples each, {given.pairs} pairs, "
        f"probabilities from {given.probes} fits"
    )
    return int(failed)


def check_integrated(given):
    """Expected false selections where the bound, integral / threshold, says 1, 0.1 and 0.01.

    The halves of a pair have the statistics s + w and s - w, s being that of all rows. The cubic score of a
    feature is (2 pi - 1)^3 for its share pi > 1/2 of the halves, averaged over the path, which ends where the
    integral of the bound reaches the authors' cutoff, 0.05.
    """
    rng, d, B, root = np.random.default_rng(given.seed), 1000, 50, np.sqrt(0.5)
    levels = 4.0 * (0.25) ** (np.arange(1, 101) / 100)  # as their 100 steps, equal in the logarithm
    theta = norm.sf(levels)
    terms = theta**2 / B**2 + 3 * (B - 1) / B**2 * theta**4 + (B - 1) * (B - 2) / B**2 * theta**6
    steps = int(np.count_nonzero(np.cumsum(d * terms) / levels.size <= 0.05))
    integral, scores = float(d * terms[:steps].sum() / levels.size), []
    for _ in range(given.features // 10_000):
        s, w = root * rng.normal(size=(10_000, 1)), root * rng.normal(size=(10_000, B))
        score = np.zeros(10_000)
        for level in levels[:steps]:
            share = (np.mean(s + w > level, axis=1) + np.mean(s - w > level, axis=1)) / 2
            score += np.where(share > 0.5, (2 * share - 1) ** 3, 0.0) / levels.size
        scores.append(score)
    scores = np.concatenate(scores)
    for bound in (1.0, 0.1, 0.01):
        false = d * np.mean(scores >= integral / bound)
        print(f"{d} features, at most {bound} expected: {false:.3g}, {false / bound:.1f} times as many")
    print(f"\n{scores.size} features, {steps} of {levels.size} levels, q up to {d * theta[steps - 1]:.3g}")
    return 0


def measure_speed(given):
    for name, (n, d, aim) in SHAPES.items():
        X, y = make_classification(
            n, d, n_informative=60, n_redundant=60, n_classes=5, n_clusters_per_class=1, random_state=0
        )
        selector = GeneralizedFisherScore(50)
        fit = min(timed(selector.fit, X, y) for _ in range(given.repeats + 2))
        halves = min(
            timed(stability, selector, X, y, n_pairs=50, random_state=0) for _ in range(given.repeats)
        )
        print(
            f"{name:13} fit {1000 * fit:.1f} ms, 100 halves {halves:5.2f} s = {halves / fit:.1f} fits, {aim=}"
        )
    return 0


def linear_confounder(rng, n, d):
    """A confounder, classes that depend on it strongly, and features that depend on it alone."""
    z = rng.normal(size=n)
    X = rng.normal(size=(n, d)) + np.outer(z, rng.uniform(0, 2, d))
    return X, (rng.random(n) < 1 / (1 + np.exp(-2.5 * z))).astype(int), z


def without_signal(kind, rng, n, d):
    """A selector, and a table whose features tell nothing about its targets."""
    X, y = rng.normal(size=(n, d)), np.arange(n) % 3
    if kind == "CV":
        search = GeneralizedFisherScoreCV(2, gammas=[1.0, "scale"], cv=2)
        return search, X, y, {}
    if kind == "strata":  # batches shift the features, and have their own shares of the classes
        batch = rng.integers(0, 3, n)
        y = np.where(rng.random(n) < 0.7, batch, rng.integers(0, 3, n))
        return GeneralizedFisherScore(2), X + rng.normal(size=(3, d))[batch], y, {"groups": batch}
    if kind == "confounder":
        X, y, z = linear_confounder(rng, n, d)
        return GeneralizedFisherScore(2), X, y, {"confounders": z[:, None]}
    if kind == "numbers":
        X, _, z = linear_confounder(rng, n, d)
        target = 2 * z + rng.normal(size=n)
        return JointRegressionScore(2), X, target, {"confounders": z[:, None]}
    return GeneralizedFisherScore(2), X, y, {}


def pvalue_without_signal(kind, shape, seed):
    rng = np.random.default_rng([seed, *shape])
    while True:  # a class may be missing, or have one sample in a fold
        selector, X, y, more = without_signal(kind, rng, *shape)
        if kind == "numbers" or np.unique(y, return_counts=True)[1].min() >= 2:
            break
    found = permutation_test(selector, X, y, n_permutations=N_PERMUTATIONS, random_state=seed, **more)
    return found.pvalue


def distance_from_uniform(pvalues):
    """Kolmogorov's and Smirnov's probability, each p-value spread within its step."""
    step = 1 / (1 + N_PERMUTATIONS)
    spread = np.array(pvalues) - np.random.default_rng(0).uniform(0, step, len(pvalues))
    return float(kstest(spread, "uniform").pvalue)


def check_pvalues(given):
    print(f"{'kind':11}{'table':>10}{'p <= .05':>10}{'p <= .2':>9}{'KS':>10}")
    worst = 1.0
    for kind in given.kinds:
        for shape in NULL_SHAPES:
            found = np.array([pvalue_without_signal(kind, shape, seed) for seed in range(given.runs)])
            probability = distance_from_uniform(found)
            worst = min(worst, probability)
            low, fifth = np.mean(found <= 0.05 + 1e-9), np.mean(found <= 0.2 + 1e-9)
            table = "{} x {}".format(*shape)
            print(f"{kind:11}{table:>10}{low:>10.3f}{fifth:>9.3f}{probability:>10.2g}", flush=True)
    print(f"\n{given.runs} runs of each, {N_PERMUTATIONS} permutations")
    return int(worst < 0.001)


def measure_permutations(given):
    for name, (n, d, _) in SHAPES.items():
        X, y = make_classification(
            n, d, n_informative=60, n_redundant=60, n_classes=5, n_clusters_per_class=1, random_state=0
        )
        selector, fits, tests = GeneralizedFisherScore(50), [], []
        for _ in range(given.repeats):  # turn by turn, as other work on the machine slows both
            fits += [timed(selector.fit, X, y) for _ in range(3)]
            tests.append(timed(permutation_test, selector, X, y, n_permutations=200, random_state=0))
        fit, test = min(fits), min(tests)
        print(f"{name:13} fit {1000 * fit:.1f} ms, 200 permutations {test:5.2f} s = {test / fit:.1f} fits")
    return 0


def check_schemes(given):
    """Permuted residuals of classes against labels permuted given the confounder, without signal."""
    print(f"{'spread':10}{'table':>10}{'residuals: p <= .05':>21}{'KS':>9}{'labels: p <= .05':>18}{'KS':>9}")
    for spread, power in (("same", 0.0), ("rising", 1.0), ("inward", -1.0)):
        for n, d in ((40, 8), (60, 100)):
            found = np.array([pvalues_of_schemes(seed, n, d, power) for seed in range(given.runs)]).T
            low = np.mean(found <= 0.05 + 1e-9, axis=1)
            residuals, labels = (distance_from_uniform(some) for some in found)
            print(
                f"{spread:10}{f'{n} x {d}':>10}{low[0]:>21.3f}{residuals:>9.1g}{low[1]:>18.3f}{labels:>9.1g}"
            )
    print(f"\n{given.runs} runs of each, {N_PERMUTATIONS} permutations")
    return 0


def pvalues_of_schemes(seed, n, d, power):
    """P-values by permuted residuals, and by labels permuted given the confounder, of the best 5 features."""
    rng = np.random.default_rng([seed, n, d])
    X, y, z = linear_confounder(rng, n, d)
    while min(np.bincount(y, minlength=2)) < 2:
        X, y, z = linear_confounder(rng, n, d)
    # the noise is wider where z is large (power 1), or near zero (power -1)
    X += rng.normal(size=(n, d)) * (np.exp(z if power > 0 else -np.abs(z)) * 3 * abs(power))[:, None]
    N = np.column_stack([np.ones(n), z])

    def adjusted(A):
        return A - N @ np.linalg.lstsq(N, A, rcond=None)[0]

    def statistic(h):
        shares = (left.T @ h) ** 2 / (left**2).sum(axis=0) / (h @ h)
        return np.sort(shares)[-5:].sum()

    left, h = adjusted(X), adjusted(y.astype(float))
    of_residuals = [statistic(adjusted(h[rng.permutation(n)])) for _ in range(N_PERMUTATIONS)]
    rows = Rows(y, numbers=False, confounders=z[:, None])
    random = np.random.RandomState(seed)
    of_labels = [
        statistic(adjusted(some.astype(float))) for some in draw_targets(rows, random, N_PERMUTATIONS)
    ]
    real = statistic(h) * (1 - 1e-9)
    return [(1 + np.sum(np.array(null) >= real)) / (1 + N_PERMUTATIONS) for null in (of_residuals, of_labels)]


def check_sizes(given):
    """Largest size beyond chance on noise, and where 5 of 50 features are related."""
    ks = [1, 2, 3, 5, 8, 12]
    for name, n_related in (("noise", 0), ("5 related", 5)):
        found = []
        for seed in range(given.runs):
            rng = np.random.default_rng(seed)
            y = np.arange(100) % 2
            X = rng.normal(size=(100, 50))
            X[:, :n_related] += 1.2 * y[:, None]
            selector = GeneralizedFisherScore(5)
            test = permutation_test(selector, X, y, n_permutations=39, random_state=seed, ks=ks)
            found.append(test.largest_size_beyond_chance)
        counts = {size: found.count(size) for size in sorted(set(found))}
        print(f"{name:10} largest size beyond chance: {counts}")
    return 0


def timed(call, *args, **kwargs):
    """Processor seconds of a call: others may use the machine."""
    start = time.process_time()
    call(*args, **kwargs)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    bound = commands.add_parser("bound", help="check the bound on false selections by simulation")
    bound.add_argument("--settings", type=int, default=200)
    bound.add_argument("--samples", type=int, default=80, help="tables drawn of each setting")
    bound.add_argument("--pairs", type=int, default=10, help="pairs of halves of each table")
    bound.add_argument("--probes", type=int, default=500, help="fits that selection probabilities come from")
    bound.add_argument("--seed", type=int, default=0, help="of the first setting")
    bound.set_defaults(run=check_bounds)
    integrated = commands.add_parser("integrated", help="check the bound of integrated path stability")
    integrated.add_argument("--features", type=int, default=200_000, help="features that are drawn")
    integrated.add_argument("--seed", type=int, default=0)
    integrated.set_defaults(run=check_integrated)
    speed = commands.add_parser("speed-stability", help="what stability costs, in fits")
    speed.add_argument("--repeats", type=int, default=2)
    speed.set_defaults(run=measure_speed)
    pvalues = commands.add_parser("pvalues", help="check that p-values are uniform without signal")
    pvalues.add_argument("--runs", type=int, default=500, help="tables of each kind and shape")
    pvalues.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    pvalues.set_defaults(run=check_pvalues)
    schemes = commands.add_parser("schemes", help="compare ways to permute classes with a confounder")
    schemes.add_argument("--runs", type=int, default=500, help="tables of each kind")
    schemes.set_defaults(run=check_schemes)
    sizes = commands.add_parser("sizes", help="check the largest size beyond chance")
    sizes.add_argument("--runs", type=int, default=200, help="tables of each kind")
    sizes.set_defaults(run=check_sizes)
    speed = commands.add_parser("speed-permutation", help="what a permutation test costs, in fits")
    speed.add_argument("--repeats", type=int, default=3)
    speed.set_defaults(run=measure_permutations)
    given = parser.parse_args()
    return given.run(given)


if __name__ == "__main__":
    sys.exit(main())
