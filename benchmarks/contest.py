"""Selectors beside each other on held-out halves: what accuracy.py and regression.py share.

A contest measures each method on each set and half in a process of its own, keeps the results in a
JSON file as they come, so that a stopped run goes on, and prints the tables of docs/accuracy.md.
"""

import argparse
import itertools
import json
import multiprocessing
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.linear_model import MultiTaskLasso

from fisherset._files import write_whole

CAP = 120.0  # seconds a selection may take
# Loaded once, by the server of the processes.
HEAVY = ["fisherset", "pandas", "scipy.io"] + [
    f"sklearn.{part}"
    for part in ("datasets", "feature_selection", "linear_model", "neighbors", "preprocessing")
]
POINT = 1.0  # losses beyond this are named


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def scaled(X):
    X = dense(X)
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def by_score(scores, ks):
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    return {k: order[:k] for k in ks}


def lasso(X, Y, ks):
    """The features a multi-task lasso takes in first on the way from its largest penalty down."""
    Z, Y = scaled(X), Y - Y.mean(axis=0)
    largest = np.sqrt(np.sum((Z.T @ Y) ** 2, axis=1)).max() / len(Y)
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


def fastcan(X, Y, ks):
    from fastcan import FastCan

    try:
        found = FastCan(max(ks), verbose=0).fit(scaled(X), Y)
    except RuntimeError:  # there are not so many columns that add anything
        return fastcan(X, Y, ks[:-1]) if len(ks) > 1 else {}
    return {k: found.indices_[:k] for k in ks}


def support(make):
    return lambda X, y, ks: {k: make(k).fit(X, y).get_support(indices=True) for k in ks}


@dataclass(frozen=True)
class Contest:
    """Methods, the first of which the others are held against, on sets with numbers of features.

    `measure(name, split, method)` gives the seconds and the scores {k: of each model}, at most 1.
    """

    measure: Callable
    methods: list[str]
    sets: list[str]
    ks: tuple[int, ...]
    splits: int
    score: str  # what the scores are called
    ours: tuple[str, ...] = ("joint", "joint CV")
    slow: tuple[str, ...] = ()  # not done with every set in the time

    def report(self, pipe, name, splits, method):
        for split in splits:
            try:
                pipe.send(self.measure(name, split, method))
            except Exception as error:
                pipe.send({"reason": f"{type(error).__name__}: {error}"})

    def measured(self, name, splits, method):
        """What each half gives, in a process of its own that is stopped when one takes too long."""
        # A server of fresh processes: a fork of this one, which has threads, can stand still.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(HEAVY)
        ours, theirs = context.Pipe()
        process = context.Process(target=self.report, args=(theirs, name, splits, method))
        process.start()
        theirs.close()
        late = {"reason": f"not done in {CAP:.0f} s"}
        try:
            for _ in splits:
                try:
                    found = ours.recv() if ours.poll(CAP + 30) else late
                except EOFError:
                    found = {"reason": "the process died"}
                found = late if found.get("seconds", 0.0) > CAP else found
                yield found
                if "reason" in found:  # what took too long on one half would on the others
                    return
        finally:
            process.terminate()
            process.join()

    def measure_all(self, results, methods, names, path, n_jobs):
        """Measure what is not among the results yet, and keep them in the file as they come."""
        lock = threading.Lock()

        def measure_set(group):
            name, method = group
            splits = [s for s in range(self.splits) if f"{name}/{s}/{method}" not in results]
            for split, found in zip(
                splits, self.measured(name, splits, method) if splits else [], strict=False
            ):
                with lock:
                    results[f"{name}/{split}/{method}"] = found
                    write_whole(path, json.dumps(results, indent=0))
                    print(name, split, method, found.get("seconds", found.get("reason")), flush=True)

        with ThreadPoolExecutor(n_jobs) as pool:
            list(pool.map(measure_set, itertools.product(names, methods)))

    def of_halves(self, results, name, method, k):
        """Per cent on each half, the mean of the models; NaN where one is not done."""
        entries = [results.get(f"{name}/{split}/{method}", {}) for split in range(self.splits)]
        return 100 * np.array([np.mean(entry.get("scores", {}).get(str(k), np.nan)) for entry in entries])

    def mean(self, results, name, method, k):
        return self.of_halves(results, name, method, k).mean()

    def gains(self, results, name, method):
        """Difference to the first method on each half over all k, in points."""
        ours, theirs = (
            [self.of_halves(results, name, m, k) for k in self.ks] for m in (method, self.methods[0])
        )
        return np.nanmean(np.subtract(ours, theirs), axis=0)

    def gain(self, results, name, method):
        return self.gains(results, name, method).mean()

    def table_of_means(self, results, methods):
        """Mean score and mean rank of methods on the sets that all of them did."""
        print(
            f"| {len(methods)} methods | "
            + " | ".join(f"k = {k}: {self.score} | rank" for k in self.ks)
            + " | worst |"
        )
        print("| --- |" + " ---: |" * (2 * len(self.ks) + 1))
        columns, done, notes = [], set(), []
        for k in self.ks:
            M = np.array([[self.mean(results, name, m, k) for m in methods] for name in self.sets])
            kept = ~np.isnan(M).any(axis=1)
            done |= {name for name, keep in zip(self.sets, kept, strict=True) if keep}
            ranks = np.array([rankdata(-np.round(row, 9)) for row in M[kept]])
            columns += [M[kept].mean(axis=0), ranks.mean(axis=0)]
            notes.append(f"<!-- k = {k}: {kept.sum()} sets -->")
        for j, method in enumerate(methods):
            cells = [f"{column[j]:.2f}" for column in columns]
            worst = min(self.gain(results, name, method) for name in done)
            print(f"| {method} | " + " | ".join(cells) + f" | {worst:+.1f} |")
        print("\n".join(notes))

    def tables(self, results):
        """Means and ranks, then each set, then where ours lose."""
        done = [m for m in self.methods if any(f"{name}/0/{m}" in results for name in self.sets)]
        fast = [m for m in done if m not in self.slow]
        for methods in (done, fast) if fast != done else (done,):
            print()
            self.table_of_means(results, methods)
        base = self.methods[0]
        print(f"\nAll k and both models, less {base} (points)\n")
        print(f"| set | {base} | " + " | ".join(done[1:]) + " |")
        print("| --- |" + " ---: |" * len(done))
        for name in self.sets:
            if f"{name}/0/{base}" not in results:
                continue
            mean = np.nanmean([self.mean(results, name, base, k) for k in self.ks])
            gains = [self.gain(results, name, method) for method in done[1:]]
            cells = ["-" if np.isnan(value) else f"{value:+.1f}" for value in gains]
            print(f"| {name} | {mean:.1f} | " + " | ".join(cells) + " |")
        print()
        for method, name in itertools.product(self.ours, self.sets):
            gains = self.gains(results, name, method)
            if gains.mean() < -POINT:
                error = gains.std(ddof=1) / np.sqrt(gains.size)
                print(
                    f"{method} loses {-gains.mean():.1f} points on {name} "
                    f"(standard error {error:.1f}, median {np.median(gains):+.1f})"
                )

    def run(self, description, path):
        """The command: measure what is lacking, print the tables."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--out", type=Path, default=path)
        parser.add_argument("--methods", default=",".join(self.methods))
        parser.add_argument("--sets", default=",".join(self.sets))
        parser.add_argument("--halves", type=int, default=self.splits)
        parser.add_argument("--jobs", type=int, default=2)
        given = parser.parse_args()
        methods, sets = given.methods.split(","), given.sets.split(",")
        contest = replace(self, splits=given.halves, sets=sets)
        results = json.loads(given.out.read_text()) if given.out.exists() else {}
        contest.measure_all(results, methods, sets, given.out, given.jobs)
        warnings.filterwarnings("ignore", message="Mean of empty slice")
        contest.tables(results)
