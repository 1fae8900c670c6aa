"""Stability, p-value and held-out accuracy of five methods on the real sets, for docs/trust.md.

    python benchmarks/trust_real.py --out trust.json [--sets colon,USPS] [--methods joint,lasso]

On the sets of accuracy.py. Five pairs of random halves: each method selects 10, 20 and 50 columns on both
halves of a pair; the stability index of Nogueira, Sechidis and Brown is that of the ten selections, the
accuracy that of a linear discriminant with a ridge on the other half. The p-value counts, of 19 permutations
of the labels of all rows, the sets with an F as large as that of the real labels (F at gamma = n / 10 for
every method), so that it is 0.05 at least. At most 2,000 rows of a set are taken. A method that needs more
than the cap for a set is left out there. Results are kept as they come; a stopped run goes on. fastcan must be
installed for its column.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from accuracy import (
    KS,
    LARGEST,
    METHODS,
    MICE,
    NEEDS_DENSE,
    REAL,
    ROWS_OF_AN_ANIMAL,
    halves_of_animals,
    loaded,
)
from contest import dense
from fisherset import fisher_criterion
from fisherset._files import write_whole
from fisherset.evaluation import halves
from fisherset.trust.agreement import stability_index

NAMES = ("FisherScore", "joint", "joint CV", "fastcan", "lasso")
PAIRS, PERMUTATIONS, ROWS = 5, 19, 2000


def taken(name):
    """X and y, of a large set an even share of the rows of each class, and what is halved."""
    X, y = loaded(name)
    if not sparse.issparse(X) and np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    step = int(np.ceil(len(y) / ROWS))
    if step > 1 and name != MICE:
        rows = np.sort(np.argsort(y, kind="stable")[::step])
        X, y = X[rows], y[rows]
    return X, np.unique(y, return_inverse=True)[1]


def discriminant_accuracy(A, b, B, c):
    """Share of rows of B that linear discriminant analysis with a ridge of d / n gets right."""
    mean, scale = A.mean(axis=0), A.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    Z, T = (A - mean) / scale, (B - mean) / scale
    classes, codes = np.unique(b, return_inverse=True)
    means = np.stack([Z[codes == code].mean(axis=0) for code in range(classes.size)])
    within = ((Z - means[codes]).T @ (Z - means[codes]) + Z.shape[1] * np.eye(Z.shape[1])) / len(b)
    solved = np.linalg.solve(within, means.T)
    scores = T @ solved - np.sum(means.T * solved, axis=0) / 2 + np.log(np.bincount(codes) / len(b))
    return float(np.mean(classes[scores.argmax(axis=1)] == c))


class TooSlow(Exception):
    """A method needs more than the cap."""


def measure(name, method, cap):
    """Figures {k: {index, accuracy, p}}, or the reason why there are none."""
    X, y = taken(name)
    if method in NEEDS_DENSE and sparse.issparse(X):
        if X.shape[0] * X.shape[1] > LARGEST:
            return {"reason": "dense only"}
        X = dense(X)
    ks, start = [k for k in KS if k < X.shape[1]], time.process_time()

    def select(rows, labels):
        if time.process_time() - start > cap:
            raise TooSlow
        return METHODS[method](X[rows], labels, ks)

    try:
        supports, scores = halved(X, y, name, ks, select)
        beaten = permuted(X, y, name, ks, select)
    except TooSlow:
        return {"reason": f"more than {cap:g} s"}
    found = {
        k: {
            "index": float(stability_index(np.array(supports[k]))),
            "accuracy": float(np.mean(scores[k])),
            "p": (1 + beaten[k]) / (1 + PERMUTATIONS),
        }
        for k in ks
    }
    return {"figures": found, "seconds": time.process_time() - start}


def halved(X, y, name, ks, select):
    supports, scores = {k: [] for k in ks}, {k: [] for k in ks}
    for pair in range(PAIRS):
        parts = halves_of_animals(y, pair) if name == MICE else halves(y, pair)
        for train, test in (parts, parts[::-1]):
            for k, columns in select(train, y[train]).items():
                columns = np.sort(columns)
                mask = np.zeros(X.shape[1], dtype=bool)
                mask[columns] = True
                supports[k].append(mask)
                A, B = (dense(X[rows][:, columns]) for rows in (train, test))
                scores[k].append(discriminant_accuracy(A, y[train], B, y[test]))
    return supports, scores


def permuted(X, y, name, ks, select):
    """Number of permutations whose F reaches that of the real labels, for each size."""
    rng, rows = np.random.default_rng(0), np.arange(len(y))

    def objectives(labels):
        found = select(rows, labels)
        return {k: fisher_criterion(X, labels, found[k], gamma=len(y) / 10) for k in ks}

    real, beaten = objectives(y), dict.fromkeys(ks, 0)
    for _ in range(PERMUTATIONS):
        if name == MICE:  # the rows of an animal stay together
            blocks = rng.permutation(len(y) // ROWS_OF_AN_ANIMAL)
            labels = y[::ROWS_OF_AN_ANIMAL][blocks].repeat(ROWS_OF_AN_ANIMAL)
        else:
            labels = rng.permutation(y)
        null = objectives(labels)
        for k in ks:
            beaten[k] += null[k] >= real[k] * (1 - 1e-9)
    return beaten


def printed(results):
    """The tables of the page: the mean over the sets that all methods finished, and every set at k = 20."""
    methods = [name for name in NAMES if any(name in some for some in results.values())]
    for k in map(str, KS):
        whole = [
            some
            for some in results.values()
            if all(k in some.get(name, {}).get("figures", {}) for name in methods)
        ]
        print(f"\nk = {k}, {len(whole)} sets that all finished\n")
        print("| method | stability index | accuracy | p = 0.05 |\n|---|---|---|---|")
        for name in methods:
            figures = [some[name]["figures"][k] for some in whole]
            index, accuracy = (np.mean([one[what] for one in figures]) for what in ("index", "accuracy"))
            least = sum(one["p"] <= 0.05 for one in figures)
            print(f"| {name} | {index:.3f} | {100 * accuracy:.1f} % | {least} of {len(figures)} |")
    print("\nEvery set, k = 20: stability index, accuracy, p\n")
    print("| set | " + " | ".join(methods) + " |\n|---|" + "---|" * len(methods))
    for name, some in results.items():
        cells = []
        for method in methods:
            one = some.get(method, {}).get("figures", {}).get("20")
            text = "" if one is None else f"{one['index']:.2f}, {100 * one['accuracy']:.1f} %, {one['p']:.2f}"
            cells.append(text or some.get(method, {}).get("reason", ""))
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(REAL))
    parser.add_argument("--methods", default=",".join(NAMES))
    parser.add_argument("--cap", type=float, default=120.0, help="processor seconds of a method on a set")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    with threadpool_limits(1):
        for name in given.sets.split(","):
            for method in given.methods.split(","):
                if method not in results.setdefault(name, {}):
                    results[name][method] = json.loads(json.dumps(measure(name, method, given.cap)))
                    write_whole(given.out, json.dumps(results, indent=1).encode())
    printed(results)


if __name__ == "__main__":
    main()
