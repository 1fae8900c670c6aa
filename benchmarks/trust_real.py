"""Stability, p-value and held-out accuracy of five methods on the real sets, for docs/trust.md.

    python benchmarks/trust_real.py --out trust.json [--sets colon,USPS] [--methods joint,lasso]

On the sets of accuracy.py. Five pairs of random halves: each method selects 10, 20 and 50 columns on both
halves of a pair; the stability index of Nogueira, Sechidis and Brown is that of the ten selections, the
accuracy that of a linear discriminant with a ridge on the other half. The p-value counts, of 19 permutations
of the labels of all rows, the sets with an F as large as that of the real labels, so that it is 0.05 at
least: F is the method's own where it has one, and F at gamma = n / 10 for the others. At most 2,000 rows of a
set are taken. The halves and the permutations of a method on a set each have a cap, and are left out where
they would need more. Results are kept as they come; a stopped run goes on. fastcan must be installed for its
column.
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
from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    fisher_criterion,
    permutation_test,
)
from fisherset._files import write_whole
from fisherset._format import enumerated
from fisherset.evaluation import halves
from fisherset.trust.agreement import stability_index
from marked_page import show, table, write

NAMES = ("FisherScore", "joint", "joint n/10", "joint CV", "fastcan", "lasso")
PAIRS, PERMUTATIONS, ROWS = 5, 19, 2000
PARTS = ("all", "most", "sets", "against")  # of the page
LONGEST = "joint CV"
SMALL = 0.1  # gamma of "joint n/10" and of F of methods without one, in samples
# Selectors with an F of their own, at the gamma that they choose; without a certificate.
OURS = {
    "joint": lambda k, n: GeneralizedFisherScore(k, tol=None),
    "joint n/10": lambda k, n: GeneralizedFisherScore(k, gamma=SMALL * n, tol=None),
    "joint CV": lambda k, n: GeneralizedFisherScoreCV(k, tol=None),
}
SHARED = ("joint", "joint n/10")  # their permutations share G


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


class TooSlowError(Exception):
    """A method would need more than the cap."""


class Capped:
    """Selections of a method, as many as are planned within a cap of processor seconds."""

    def __init__(self, method, ks, planned, cap):
        self.method, self.ks, self.planned, self.cap = method, ks, planned, cap
        self.done, self.start = 0, time.process_time()

    @property
    def seconds(self):
        return time.process_time() - self.start

    def __call__(self, X, y):
        """Columns and F of each size; refused where all that are planned would take too long."""
        if self.done and self.seconds / self.done * self.planned > self.cap:
            raise TooSlowError
        self.done += 1
        if self.method in OURS:
            fitted = {k: OURS[self.method](k, len(y)).fit(X, y) for k in self.ks}
            return {k: (one.get_support(indices=True), one.objective_) for k, one in fitted.items()}
        found, gamma = METHODS[self.method](X, y, self.ks), SMALL * len(y)
        return {k: (columns, fisher_criterion(X, y, columns, gamma=gamma)) for k, columns in found.items()}


def measure(name, method, cap):
    """Figures {k: {index, accuracy, p}} and seconds, or why there are none; p is None beyond the cap."""
    X, y = taken(name)
    if method in NEEDS_DENSE and sparse.issparse(X):
        if X.shape[0] * X.shape[1] > LARGEST:
            return {"reason": "dense only"}
        X = dense(X)
    ks = [k for k in KS if k < X.shape[1]]
    select = Capped(method, ks, 2 * PAIRS, cap)
    try:
        supports, scores = halved(X, y, name, ks, select)
    except TooSlowError:
        return {"reason": f"more than {cap:g} s"}
    seconds = {"halves": select.seconds}
    try:
        if method not in SHARED and seconds["halves"] / (2 * PAIRS) * (1 + PERMUTATIONS) > cap:
            raise TooSlowError  # as all rows take longer than half of them
        select = Capped(method, ks, 1 + PERMUTATIONS, cap)
        pvalues = permuted(X, y, name, ks, select)
        seconds["permutations"] = select.seconds
    except TooSlowError:
        pvalues = {}
    found = {
        k: {
            "index": float(stability_index(np.array(supports[k]))),
            "accuracy": float(np.mean(scores[k])),
            "p": pvalues.get(k),
        }
        for k in ks
    }
    return {"figures": found, "seconds": seconds}


def halved(X, y, name, ks, select):
    supports, scores = {k: [] for k in ks}, {k: [] for k in ks}
    for pair in range(PAIRS):
        parts = halves_of_animals(y, pair) if name == MICE else halves(y, pair)
        for train, test in (parts, parts[::-1]):
            for k, (columns, _) in select(X[train], y[train]).items():
                columns = np.sort(columns)
                mask = np.zeros(X.shape[1], dtype=bool)
                mask[columns] = True
                supports[k].append(mask)
                A, B = (dense(X[rows][:, columns]) for rows in (train, test))
                scores[k].append(discriminant_accuracy(A, y[train], B, y[test]))
    return supports, scores


def permuted(X, y, name, ks, select):
    """The p-value of each size."""
    method, n = select.method, len(y)
    if method in SHARED and name != MICE:  # G is shared by all permutations
        return {
            k: permutation_test(OURS[method](k, n), X, y, n_permutations=PERMUTATIONS, random_state=0).pvalue
            for k in ks
        }
    rng, beaten = np.random.default_rng(0), dict.fromkeys(ks, 0)
    real = select(X, y)
    for _ in range(PERMUTATIONS):
        if name == MICE:  # the rows of an animal stay together
            blocks = rng.permutation(n // ROWS_OF_AN_ANIMAL)
            labels = y[::ROWS_OF_AN_ANIMAL][blocks].repeat(ROWS_OF_AN_ANIMAL)
        else:
            labels = rng.permutation(y)
        null = select(X, labels)
        for k in ks:
            beaten[k] += null[k][1] >= real[k][1] * (1 - 1e-9)
    return {k: (1 + beaten[k]) / (1 + PERMUTATIONS) for k in ks}


def means(results, methods):
    """Means over the sets on which all the methods have halves, and on how many sets p is 0.05."""
    lines, counts = [{"method": method} for method in methods], []
    for k in map(str, KS):
        figures = [[found_of(some, method, k) for method in methods] for some in results.values()]
        whole = [some for some in figures if all(some)]
        counts.append(str(len(whole)))
        for i, line in enumerate(lines):
            index, accuracy = (np.mean([some[i][what] for some in whole]) for what in ("index", "accuracy"))
            known = [some[i]["p"] for some in whole if some[i]["p"] is not None]
            least = sum(p <= 1 / (1 + PERMUTATIONS) for p in known)
            line[f"k = {k}: index"] = f"{index:.2f}"
            line[f"accuracy ({k})"] = f"{100 * accuracy:.1f}"
            line[f"p = 0.05 ({k})"] = f"{least} of {len(known)}"
    return f"{enumerated(counts)} sets (k = {enumerated([str(k) for k in KS])}):\n\n{table(lines)}"


def differences(results):
    """What joint has more than each other method, mean and standard error over the sets that both did."""
    lines = []
    for method in (name for name in NAMES if name != "joint"):
        line = {"joint less": method}
        for k in map(str, KS):
            pairs = [(found_of(some, "joint", k), found_of(some, method, k)) for some in results.values()]
            done = [(ours, theirs) for ours, theirs in pairs if ours and theirs]
            for what, places, unit in (("index", 2, 1), ("accuracy", 1, 100)):
                less = unit * np.array([ours[what] - theirs[what] for ours, theirs in done])
                error = less.std(ddof=1) / np.sqrt(less.size) if less.size > 1 else np.nan
                line[f"{what} ({k})"] = f"{less.mean():+.{places}f} ± {error:.{places}f}" if done else "-"
        lines.append(line)
    return table(lines)


def found_of(some, method, k):
    return some.get(method, {}).get("figures", {}).get(k)


def parts(results):
    """The tables of the page: means with and without the method that takes longest, and every set."""
    sets = [
        {"set": name, **{method: cell(some.get(method, {}), "20") for method in NAMES}}
        for name, some in results.items()
    ]
    without = [name for name in NAMES if name != LONGEST]
    return {
        "all": means(results, NAMES),
        "most": means(results, without),
        "sets": table(sets),
        "against": differences(results),
    }


def cell(found, k):
    """Stability index, accuracy and p-value of a method on a set, or why there are none."""
    one = found.get("figures", {}).get(k)
    if one is None:
        return found.get("reason", "-")
    p = "-" if one["p"] is None else f"{one['p']:.2f}"
    return f"{one['index']:.2f}, {100 * one['accuracy']:.1f}, {p}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(REAL))
    parser.add_argument("--methods", default=",".join(NAMES))
    parser.add_argument(
        "--cap",
        type=float,
        default=60.0,
        help="processor seconds for a method on the halves of a set, and on its permutations",
    )
    parser.add_argument("--write", type=Path, help="a page to put the tables into")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    with threadpool_limits(1):
        for name in given.sets.split(","):
            for method in given.methods.split(","):
                if method not in results.setdefault(name, {}):
                    results[name][method] = json.loads(json.dumps(measure(name, method, given.cap)))
                    write_whole(given.out, json.dumps(results, indent=1).encode())
    texts = parts(results)
    show(texts)
    if given.write:
        write(given.write, texts)


if __name__ == "__main__":
    main()
