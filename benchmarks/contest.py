"""Selectors beside each other on held-out halves: what accuracy.py and regression.py share.

A contest measures each method on each set and half in a process of its own, keeps the results in a
JSON file as they come, so that a stopped run goes on, and prints the tables of docs/accuracy.md.
"""

import argparse
import itertools
import json
import multiprocessing
import signal
import threading
import time
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
from fisherset._format import enumerated
from marked_page import code_version, show, table, write

# Seconds of processor time in which a method selects features of a half, for every k; of slow methods.
CAP, CAP_OF_SLOW = 180.0, 60.0
STANDS_STILL = 10  # times the cap in which nothing came
# Loaded once, by the server of the processes.
HEAVY = ["fisherset", "pandas", "scipy.io"] + [
    f"sklearn.{part}"
    for part in ("datasets", "ensemble", "feature_selection", "linear_model", "neighbors", "preprocessing")
]
LATE, DENSE_ONLY = "not done in", "dense only"  # reasons that hold in another run too
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


def judged(select, score, known, cap):
    """Seconds, the columns and the scores {k: of each model}, which are looked up for sets that are known.

    A process that selects for longer than the cap is ended by its own alarm.
    """
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, cap)
    found = select()
    signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.process_time() - begin
    columns = {str(k): " ".join(map(str, sorted(map(int, chosen)))) for k, chosen in found.items()}
    scores = {
        k: known[text] if text in known else score(np.array(text.split(), dtype=np.intp))
        for k, text in columns.items()
    }
    return {"seconds": round(seconds, 3), "scores": scores, "columns": columns, "code": code_version()}


@dataclass(frozen=True)
class Contest:
    """Methods, the first of which the others are held against, on sets with numbers of features.

    `measure(name, split, method, known, cap)` gives what `judged` does; scores are at most 1.
    """

    measure: Callable
    methods: list[str]
    sets: list[str]
    ks: tuple[int, ...]
    splits: int
    score: str  # what the scores are called
    ours: tuple[str, ...] = ("joint", "joint CV")
    slow: tuple[str, ...] = ()  # not done with every set in the time, and on fewer halves
    slow_splits: int = 2

    def wanted(self, method):
        """The number of halves that a method is to be measured on."""
        return self.slow_splits if method in self.slow else self.splits

    def measured_halves(self, results, method):
        """The number of halves that a method was measured on, on every set that it can do."""

        def count(name):
            found = [results.get(f"{name}/{split}/{method}") for split in range(self.splits)]
            if any(one is not None and "reason" in one for one in found):
                return self.splits
            return next((split for split, one in enumerate(found) if one is None), self.splits)

        return min(count(name) for name in self.sets)

    def on_halves_of(self, results, *methods):
        """The same contest on the halves that all these methods were measured on."""
        return replace(self, splits=min(self.measured_halves(results, method) for method in methods))

    def report(self, pipe, name, splits, method, known, cap):
        for split in splits:
            try:
                pipe.send(self.measure(name, split, method, known[split], cap))
            except Exception as error:
                pipe.send({"reason": f"{type(error).__name__}: {error}"})

    def measured(self, name, splits, method, known):
        """What each half gives, in a process of its own that is stopped when one takes too long."""
        # A server of fresh processes: a fork of this one, which has threads, can stand still.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(HEAVY)
        ours, theirs = context.Pipe()
        cap = CAP_OF_SLOW if method in self.slow else CAP
        process = context.Process(target=self.report, args=(theirs, name, splits, method, known, cap))
        process.start()
        theirs.close()
        try:
            for _ in splits:
                try:
                    found = ours.recv() if ours.poll(STANDS_STILL * cap) else {"reason": "stands still"}
                except EOFError:
                    process.join()
                    late = process.exitcode == -signal.SIGPROF
                    found = {"reason": f"{LATE} {cap:.0f} s" if late else "the process died"}
                yield found
                if "reason" in found:  # what took too long on one half would on the others
                    return
        finally:
            process.terminate()
            process.join()

    def measure_all(self, results, methods, names, path, n_jobs):
        """Measure what is not among the results yet, and keep them in the file as they come."""
        lock = threading.Lock()

        def known(name, split):
            """The scores of the sets of columns that were selected on a half."""
            entries = [results.get(f"{name}/{split}/{method}", {}) for method in self.methods]
            return {
                columns: entry["scores"][k]
                for entry in entries
                for k, columns in entry.get("columns", {}).items()
            }

        def measure_set(group):
            name, method = group
            wanted = range(self.wanted(method))
            splits = [split for split in wanted if f"{name}/{split}/{method}" not in results]
            if any("reason" in results.get(f"{name}/{split}/{method}", {}) for split in wanted) or not splits:
                return
            seen = {split: known(name, split) for split in splits}
            for split, found in zip(splits, self.measured(name, splits, method, seen), strict=False):
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

    def means(self, results, methods):
        """Mean score and mean rank of methods on the sets that all of them did, and who leads."""
        columns, done, counts = {}, set(), []
        for k in self.ks:
            M = np.array([[self.mean(results, name, m, k) for m in methods] for name in self.sets])
            kept = ~np.isnan(M).any(axis=1)
            done |= {name for name, keep in zip(self.sets, kept, strict=True) if keep}
            ranks = np.array([rankdata(-np.round(row, 9)) for row in M[kept]])
            columns |= {f"k = {k}: {self.score}": M[kept].mean(axis=0), f"rank ({k})": ranks.mean(axis=0)}
            counts.append(str(kept.sum()))
        lines = [
            {
                f"{len(methods)} methods": method,
                **{head: f"{column[j]:.2f}" for head, column in columns.items()},
                "worst": f"{min(self.gain(results, name, method) for name in done):+.1f}",
            }
            for j, method in enumerate(methods)
        ]
        leaders = [
            enumerated([f"{methods[int(best(column))]} ({best_of(column):.2f})" for column in of_kind])
            for of_kind, best, best_of in (
                (list(columns.values())[1::2], np.argmin, np.min),
                (list(columns.values())[::2], np.argmax, np.max),
            )
        ]
        halves, ks = "half" if self.splits == 1 else "halves", enumerated([str(k) for k in self.ks])
        return (
            f"{self.splits} {halves} of the {enumerated(counts)} sets (k = {ks}) that all of them did:\n\n"
            f"{table(lines)}\n"
            f"The best mean rank has {leaders[0]}, the highest mean {self.score} {leaders[1]}.\n"
        )

    def each_set(self, results, methods):
        """Every set, less the first method."""
        base, lines = self.methods[0], []
        for name in self.sets:
            if f"{name}/0/{base}" not in results:
                continue
            mean = np.nanmean([self.mean(results, name, base, k) for k in self.ks])
            gains = {m: self.on_halves_of(results, m).gain(results, name, m) for m in methods if m != base}
            cells = {m: "-" if np.isnan(gain) else f"{gain:+.1f}" for m, gain in gains.items()}
            lines.append({"set": name, base: f"{mean:.1f}", **cells})
        return table(lines)

    def losses(self, results, method):
        """Where a method loses more than a point to the first."""
        found = []
        contest = self.on_halves_of(results, method)
        for name in self.sets:
            gains = contest.gains(results, name, method)
            if gains.mean() < -POINT:
                error = gains.std(ddof=1) / np.sqrt(gains.size) if gains.size > 1 else np.nan
                median = np.median(gains)
                found.append(
                    f"{-gains.mean():.1f} points on {name} (standard error {error:.1f}, median {median:+.1f})"
                )
        return f"{method} loses {enumerated(found) if found else 'no more than a point on any set'}."

    def undone(self, results, method):
        """Sets that a method did not do, by reason."""
        reasons = {}
        for name in self.sets:
            for split in range(self.splits):
                if "reason" in (found := results.get(f"{name}/{split}/{method}", {})):
                    reasons.setdefault(found["reason"], []).append(name)
                    break
        return [f"{method}, {reason}: {', '.join(names)}." for reason, names in reasons.items()]

    def codes(self, results, method):
        """The versions of the code that a method was measured with."""
        entries = [found for key, found in results.items() if key.endswith(f"/{method}")]
        return sorted({found.get("code", "unknown") for found in entries})

    def parts(self, results):
        """The tables of the page: means and ranks, where ours lose, what was not done, every set."""
        done = [m for m in self.methods if self.measured_halves(results, m)]
        most = [m for m in done if self.measured_halves(results, m) == self.splits]
        made = [f"{m} by code {enumerated(self.codes(results, m))}" for m in self.ours if m in done]
        undone = [text for m in done for text in self.undone(results, m)]
        return {
            "made": f"Measured: {enumerated(made)}.",
            "all": f"All methods, on {self.on_halves_of(results, *done).means(results, done)}",
            "most": f"Those that were measured on all halves, on {self.means(results, most)}",
            "losses": "\n\n".join(self.losses(results, m) for m in self.ours if m in done),
            "undone": " ".join(["Left out:", *(undone or ["nothing."])]),
            "sets": self.each_set(results, done),
        }

    def run(self, description, path):
        """The command: measure what is lacking, print the tables."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--out", type=Path, default=path)
        parser.add_argument("--methods", default=",".join(self.methods))
        parser.add_argument("--sets", default=",".join(self.sets))
        parser.add_argument("--halves", type=int, default=self.splits)
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--write", type=Path, help="a page to put the tables into")
        given = parser.parse_args()
        methods, sets = given.methods.split(","), given.sets.split(",")
        fewer = min(given.halves, self.slow_splits)
        contest = replace(self, splits=given.halves, slow_splits=fewer, sets=sets)
        kept = json.loads(given.out.read_text()) if given.out.exists() else {}
        lasting = LATE, DENSE_ONLY
        results = {key: found for key, found in kept.items() if found.get("reason", LATE).startswith(lasting)}
        contest.measure_all(results, methods, sets, given.out, given.jobs)
        warnings.filterwarnings("ignore", message="Mean of empty slice")
        texts = contest.parts(results)
        show(texts)
        if given.write:
            write(given.write, texts, code=self.codes(results, self.ours[0])[-1])
