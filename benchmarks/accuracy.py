"""How well selected features serve classifiers: fisherset's defaults against other selectors.

For every data set, 5 random halves and k = 10, 20, 50: the accuracy of 1-nearest-neighbour and
logistic regression on the other half, from k features selected on the first. Results are kept
in a JSON file as they come, so that a stopped run goes on; the tables are printed from it.

    python benchmarks/accuracy.py --out accuracy.json [--methods f_classif,joint] [--sets sonar]

Data sets are looked for in FISHERSET_DATA. Needs the extra `bench`.
"""

import argparse
import itertools
import json
import multiprocessing
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression, MultiTaskLasso
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from fisherset import FisherScore, GeneralizedFisherScore, GeneralizedFisherScoreCV
from fisherset._files import write_whole
from fisherset.datasets import load
from fisherset.evaluation import halves

KS = (10, 20, 50)
SPLITS = 5
CAP = 120.0  # seconds a selection may take
REAL = (
    "BASEHOCK", "Brain_Tumor1", "Prostate_GE", "RELATHE", "SRBCT", "USPS", "Yale", "colon", "colon_raw",
    "dorothea", "ionosphere", "leukemia", "lymphoma", "madelon", "nakayama", "nci9", "orl", "orlraws10P",
    "pbmc68k_reduced", "pollen", "protein", "sonar", "soybean", "usps2007", "usps2007_smoothed", "warpAR10P",
)  # fmt: skip
# n_samples, n_features, n_informative, n_redundant, n_classes, samples to select on
MADE = {"noise": (2200, 10000, 30, 30, 4, 200), "large": (4000, 2000, 30, 30, 5, 2000)}


def table(name, split):
    """X, y, the rows to select on and the rows to test on."""
    if name in MADE:
        n, d, informative, redundant, classes, train = MADE[name]
        X, y = make_classification(
            n,
            d,
            n_informative=informative,
            n_redundant=redundant,
            n_classes=classes,
            n_clusters_per_class=1,
            random_state=split,
        )
        return X, y, np.arange(train), np.arange(train, n)
    X, y, *_ = load(name)
    X = X.astype(np.float64)
    train, test = halves(y, split)
    if not sparse.issparse(X) and np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X[train], axis=0), X)
    return X, y, train, test


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def scaled(X):
    X = dense(X)
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def one_hot(y):
    return np.eye(int(y.max()) + 1)[y]


def by_score(scores, ks):
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    return {k: order[:k] for k in ks}


def lasso(X, y, ks):
    """The features a multi-task lasso takes in first on the way from its largest penalty down."""
    Z, Y = scaled(X), one_hot(y)
    Y = Y - Y.mean(axis=0)
    largest = np.sqrt(np.sum((Z.T @ Y) ** 2, axis=1)).max() / len(y)
    model = MultiTaskLasso(warm_start=True, fit_intercept=False, max_iter=300)
    taken = []
    for alpha in largest * np.geomspace(0.95, 0.01, 40):
        model.set_params(alpha=alpha).fit(Z, Y)
        weight = np.sum(model.coef_**2, axis=0)
        new = [j for j in np.argsort(-weight) if weight[j] > 0 and j not in taken]
        taken += new
        if len(taken) >= max(ks):
            break
    rest = [j for j in np.argsort(-np.sum((Z.T @ Y) ** 2, axis=1)) if j not in set(taken)]
    return {k: np.array([*taken, *rest])[:k] for k in ks}


def fastcan(X, y, ks):
    from fastcan import FastCan

    found = FastCan(max(ks), verbose=0).fit(scaled(X), one_hot(y)[:, 1:])
    return {k: found.indices_[:k] for k in ks}


def mrmr(X, y, ks):
    import pandas as pd
    from mrmr import mrmr_classif

    frame = pd.DataFrame(scaled(X))
    order = mrmr_classif(frame, pd.Series(y), K=max(ks), show_progress=False, n_jobs=1)
    return {k: np.array(order[:k]) for k in ks}


def support(make):
    return lambda X, y, ks: {k: make(k).fit(X, y).get_support(indices=True) for k in ks}


METHODS = {
    "f_classif": lambda X, y, ks: by_score(f_classif(X, y)[0], ks),
    "FisherScore": support(FisherScore),
    "joint": support(GeneralizedFisherScore),
    "joint CV": support(GeneralizedFisherScoreCV),
    "fastcan": fastcan,
    "lasso": lasso,
    "mutual_info": lambda X, y, ks: by_score(mutual_info_classif(X, y, random_state=0), ks),
    "mrmr": mrmr,
}
SLOW = ("mutual_info", "mrmr")  # not done with every set in the time
DENSE_ONLY = ("fastcan", "lasso", "mrmr")  # given a dense copy, where it is not too large
LARGEST = 60_000_000  # numbers in that copy


def accuracies(X, y, train, test, columns):
    A, B = (dense(X[rows][:, np.sort(columns)]) for rows in (train, test))
    scaler = StandardScaler().fit(A)
    A, B = scaler.transform(A), scaler.transform(B)
    models = KNeighborsClassifier(1), LogisticRegression(max_iter=300)
    return [round(float(model.fit(A, y[train]).score(B, y[test])), 5) for model in models]


def measure(name, split, method):
    """Accuracies {k: [1-NN, logistic]} and seconds, or the reason why there are none."""
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    X, y, train, test = table(name, split)
    if method in DENSE_ONLY and sparse.issparse(X) and X.shape[0] * X.shape[1] > LARGEST:
        return {"reason": "dense only"}
    ks = [k for k in KS if k < X.shape[1]]
    begin = time.perf_counter()
    found = METHODS[method](X[train], y[train], ks)
    seconds = time.perf_counter() - begin
    scores = {str(k): accuracies(X, y, train, test, found[k]) for k in ks}
    return {"seconds": round(seconds, 3), "accuracy": scores}


def report(pipe, *job):
    try:
        pipe.send(measure(*job))
    except Exception as error:
        pipe.send({"reason": f"{type(error).__name__}: {error}"})


def capped(*job):
    """`measure` in a process of its own that is stopped after the cap."""
    # A server of fresh processes: a fork of this one, which has threads, can stand still.
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe()
    process = context.Process(target=report, args=(theirs, *job))
    process.start()
    found = ours.recv() if ours.poll(CAP + 30) else {"reason": f"not done in {CAP:.0f} s"}
    process.terminate()
    process.join()
    return found


def measure_all(results, methods, names, path, n_jobs):
    """Measure what is not among the results yet, and keep them in the file as they come."""
    lock = threading.Lock()

    def measure_set(group):
        method, name = group
        reason = None
        for split in range(SPLITS):
            key = f"{name}/{split}/{method}"
            if key not in results:
                # What took too long on one half would on the others.
                found = {"reason": reason} if reason else capped(name, split, method)
                if found.get("seconds", 0.0) > CAP:
                    found = {"reason": f"not done in {CAP:.0f} s"}
                with lock:
                    results[key] = found
                    write_whole(path, json.dumps(results, indent=0))
                    print(key, found.get("seconds", found.get("reason")), flush=True)
            reason = results[key].get("reason")

    with ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(measure_set, itertools.product(methods, names)))


def mean_accuracy(results, name, method, k):
    """Per cent, over the halves and both classifiers; NaN where a half is not done."""
    entries = [results.get(f"{name}/{split}/{method}", {}) for split in range(SPLITS)]
    if not all(str(k) in entry.get("accuracy", {}) for entry in entries):
        return np.nan
    return 100 * np.mean([entry["accuracy"][str(k)] for entry in entries])


def table_of_means(results, methods):
    """Mean accuracy and mean rank of methods on the sets that all of them did."""
    print(f"| {len(methods)} methods | " + " | ".join(f"k = {k}: accuracy | rank" for k in KS) + " | worst |")
    print("| --- |" + " ---: |" * (2 * len(KS) + 1))
    columns, done = [], set()
    for k in KS:
        M = np.array([[mean_accuracy(results, name, m, k) for m in methods] for name in [*REAL, *MADE]])
        kept = ~np.isnan(M).any(axis=1)
        done |= {name for name, keep in zip([*REAL, *MADE], kept, strict=True) if keep}
        ranks = np.array([rankdata(-np.round(row, 9)) for row in M[kept]])
        columns += [M[kept].mean(axis=0), ranks.mean(axis=0)]
        print(f"<!-- k = {k}: {kept.sum()} sets -->")
    for j, method in enumerate(methods):
        cells = [f"{column[j]:.2f}" for column in columns]
        worst = min(loss(results, name, method) for name in done)
        print(f"| {method} | " + " | ".join(cells) + f" | {worst:+.1f} |")


def loss(results, name, method):
    """Difference to f_classif over all k, in points."""
    return np.nanmean([mean_accuracy(results, name, method, k) for k in KS]) - np.nanmean(
        [mean_accuracy(results, name, "f_classif", k) for k in KS]
    )


def tables(results):
    """What docs/accuracy.md has: means and ranks, then each set."""
    done = [m for m in METHODS if any(f"{name}/0/{m}" in results for name in [*REAL, *MADE])]
    for methods in (done, [m for m in done if m not in SLOW]):
        print()
        table_of_means(results, methods)
    print("\nAll k and both classifiers, less f_classif (points)\n")
    print("| set | f_classif | " + " | ".join(done[1:]) + " |")
    print("| --- |" + " ---: |" * len(done))
    for name in [*REAL, *MADE]:
        base = np.nanmean([mean_accuracy(results, name, "f_classif", k) for k in KS])
        losses = [loss(results, name, method) for method in done[1:]]
        cells = ["-" if np.isnan(value) else f"{value:+.1f}" for value in losses]
        print(f"| {name} | {base:.1f} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("accuracy.json"))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--sets", default=",".join([*REAL, *MADE]))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    results = json.loads(options.out.read_text()) if options.out.exists() else {}
    measure_all(results, options.methods.split(","), options.sets.split(","), options.out, options.jobs)
    warnings.filterwarnings("ignore", message="Mean of empty slice")
    tables(results)


if __name__ == "__main__":
    main()
