"""Time and peak memory of a joint selection with certificate, as ratios to SelectKBest(f_classif).

And the time of a cross-validated one, 10 gammas and 5 folds, as a ratio to a single one.

    python benchmarks/quick.py

Both are measured in this run, the lower of several calls, on the same data. Machines
differ and are shared: read the ratios, not the seconds.
"""

from __future__ import annotations

import time
import tracemalloc

from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectKBest, f_classif

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV

SHAPES = [(2000, 2000, 5), (200, 10000, 4)]
N_FEATURES = 50
REPEATS = 7


def make_data(n_samples, n_features, n_classes):
    return make_classification(
        n_samples,
        n_features,
        n_informative=30,
        n_redundant=30,
        n_clusters_per_class=1,
        n_classes=n_classes,
        random_state=0,
    )


def seconds(selector, X, y):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        selector.fit(X, y)
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(selector, X, y):
    """Peak of what numpy allocates during a fit, above the loaded data."""
    tracemalloc.start()
    selector.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def main():
    print(f"{N_FEATURES} features; joint = GeneralizedFisherScore with certificate, gamma = 'scale'\n")
    print(f"{'shape':>18}  {'f_classif':>18}  {'joint':>18}  {'time':>6}  {'memory':>6}  {'gap':>6}")
    for shape in SHAPES:
        X, y = make_data(*shape)
        univariate, joint = SelectKBest(f_classif, k=N_FEATURES), GeneralizedFisherScore(N_FEATURES)
        costs = [(seconds(s, X, y), peak_megabytes(s, X, y)) for s in (univariate, joint)]
        shown = [f"{1e3 * t:6.0f} ms {m:5.0f} MB" for t, m in costs]
        print(
            f"{' x '.join(map(str, shape)):>18}  {shown[0]:>18}  {shown[1]:>18}  "
            f"{costs[1][0] / costs[0][0]:>5.1f}x  {costs[1][1] / costs[0][1]:>5.1f}x  {joint.gap_:>6.2%}"
        )
    X, y = make_data(*SHAPES[0])
    single, searched = (
        seconds(s(N_FEATURES), X, y) for s in (GeneralizedFisherScore, GeneralizedFisherScoreCV)
    )
    shape = " x ".join(map(str, SHAPES[0]))
    print(f"\nGeneralizedFisherScoreCV at {shape}: {searched / single:.1f} single selections")


if __name__ == "__main__":
    main()
