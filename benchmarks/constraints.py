"""What groups, kept and excluded features, class weights and confounders cost: times of the plain fit.

    python benchmarks/constraints.py

2000 samples of 2000 features, 5 classes, k = 10 and 50: the ratio of the CPU time to that of
`GeneralizedFisherScore(k)` in the same run, lowest of several. Groups are 400 of 5 features each; k / 5
of them are as many features, k of them five times as many.
"""

import time

import numpy as np
from sklearn.datasets import make_classification

from fisherset import GeneralizedFisherScore

REPEATS = 7
N, D = 2000, 2000


def seconds(fit):
    """The lowest CPU time of a few."""
    spent = []
    for _ in range(REPEATS):
        start = time.process_time()
        fit()
        spent.append(time.process_time() - start)
    return min(spent)


def contestants(k, X, y, rng):
    groups, weights, Z = np.arange(D) // 5, rng.random(N), rng.normal(size=(N, 5))
    best = GeneralizedFisherScore(k).fit(X, y).get_support(indices=True)
    return {
        "keep 3 of the best": lambda: GeneralizedFisherScore(k, keep=best[:3]).fit(X, y),
        "keep 3 of noise": lambda: GeneralizedFisherScore(k, keep=[3, 5, 7]).fit(X, y),
        "exclude 3 of the best": lambda: GeneralizedFisherScore(k, exclude=best[:3]).fit(X, y),
        "exclude 100": lambda: GeneralizedFisherScore(k, exclude=range(100)).fit(X, y),
        'class_weight="balanced"': lambda: GeneralizedFisherScore(k, class_weight="balanced").fit(X, y),
        "sample_weight": lambda: GeneralizedFisherScore(k).fit(X, y, sample_weight=weights),
        "5 confounders": lambda: GeneralizedFisherScore(k).fit(X, y, confounders=Z),
        "adjust_for 5 features": lambda: GeneralizedFisherScore(k, adjust_for=range(5)).fit(X, y),
        'missing="mean"': lambda: GeneralizedFisherScore(k, missing="mean").fit(X, y),
        f"{k // 5} groups of 5": lambda: GeneralizedFisherScore(k // 5, groups=groups).fit(X, y),
        f"{k} groups of 5": lambda: GeneralizedFisherScore(k, groups=groups).fit(X, y),
        "groups of 1": lambda: GeneralizedFisherScore(k, groups=np.arange(D)).fit(X, y),
    }


def main():
    X, y = make_classification(
        N, D, n_informative=30, n_redundant=30, n_classes=5, n_clusters_per_class=1, random_state=0
    )
    for k in (10, 50):
        plain = seconds(lambda k=k: GeneralizedFisherScore(k).fit(X, y))
        print(f"k = {k}: {plain * 1000:.0f} ms")
        for name, fit in contestants(k, X, y, np.random.default_rng(0)).items():
            print(f"  {name:24} {seconds(fit) / plain:5.2f}")


if __name__ == "__main__":
    main()
