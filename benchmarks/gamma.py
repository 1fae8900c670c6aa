"""Accuracy at fixed multiples of n, at gamma="scale" and with cross-validation, on held-out halves.

On the sets and halves of accuracy.py, and with a share of the rows of each half: the mean of
1-nearest-neighbour, logistic regression and a forest, and of k = 10, 20 and 50. Results are kept in a JSON
file as they come, so that a stopped run goes on; then the tables of docs/gamma.md are printed, and its
figure drawn.

    python benchmarks/gamma.py --out gamma.json --figure docs/gamma.svg [--before old.json] [--parts scale,cv]

`--before` is the file of another version of the code: its "scale" and CV are put beside, and its fixed
multiples taken where this file has none. `--accuracy` is a file of accuracy.py, whose "joint" and "joint CV"
are the same measurements as "scale" and CV here on whole halves: they are not made again.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from accuracy import KS, MADE, REAL, SPLITS, accuracies, table
from fisherset import FisherScore, GeneralizedFisherScore, GeneralizedFisherScoreCV, selection_path
from fisherset._files import write_whole
from fisherset.plots.style import COLOURS, as_svg, styled

MULTIPLES = (0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
PARTS = ("fixed", "scale", "cv")
RANKING = "f_classif"
MANY_ROWS = 500  # sets with more rows are listed apart
SHARES = (0.25,)  # of the rows of a half, for these sets
SPLITS_OF_SHARES = 2


def share_of(rows, y, share, split):
    """A share of some rows, of each class alike."""
    generator = np.random.default_rng(split)
    parts = [generator.permutation(rows[y[rows] == label]) for label in np.unique(y[rows])]
    return np.sort(np.concatenate([part[: max(2, round(share * part.size))] for part in parts]))


def measure(name, split, share, part):
    """Scores {k: {label: [1-NN, logistic, forest]}}, gammas {k: multiple of n} and seconds."""
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    X, y, train, test = table(name, split)
    if share < 1:
        train = share_of(train, y, share, split)
    ks = [k for k in KS if k < X.shape[1]]
    A, b = X[train], y[train]
    known, scores, gammas = {}, {str(k): {} for k in ks}, {}

    def note(label, columns):
        key = np.sort(columns).tobytes()
        if key not in known:
            known[key] = accuracies(X, y, train, test, columns)
        scores[str(len(columns))][label] = known[key]

    start = time.process_time()
    if part == "fixed":
        order = np.argsort(FisherScore(1).fit(A, b).ranking_)
        for k in ks:
            note(RANKING, order[:k])
        for multiple in MULTIPLES:
            for step in selection_path(A, b, ks, gamma=multiple * len(b), tol=None):
                note(str(multiple), step.features)
    else:
        make = GeneralizedFisherScore if part == "scale" else GeneralizedFisherScoreCV
        for k in ks:
            found = make(k).fit(A, b)
            note(part, found.get_support(indices=True))
            gammas[str(k)] = found.gamma_ / len(b)
    return {"n": len(b), "scores": scores, "gammas": gammas, "seconds": round(time.process_time() - start, 2)}


class Results:
    """Measured accuracies; those at fixed multiples may be of another version of the code."""

    def __init__(self, results, before):
        self.results, self.before = results, before

    def part(self, key):
        other = self.before.get(key) if key.endswith("/fixed") else None
        return self.results.get(key, other)

    def of(self, name, share, splits, label):
        """Accuracies of each split in points: splits x sizes x classifiers; None where some lack."""
        part = "fixed" if label not in PARTS else label
        found = [self.part(f"{name}/{split}/{share:g}/{part}") for split in range(splits)]
        if any(one is None for one in found):
            return None
        return np.array([[100 * np.array(of_k[label]) for of_k in one["scores"].values()] for one in found])

    def rows(self, name, share):
        return self.part(f"{name}/0/{share:g}/fixed")["n"]


def summary(results, names, share, splits):
    """For each set: rows, accuracy of the ranking, and gains over it by label, of each half."""
    found = {}
    for name in names:
        ranking = results.of(name, share, splits, RANKING)
        if ranking is None:
            continue
        gains = {}
        for label in (*map(str, MULTIPLES), "scale", "cv"):
            scores = results.of(name, share, splits, label)
            if scores is not None:
                gains[label] = (scores - ranking).mean(axis=(1, 2))
        found[name] = results.rows(name, share), float(ranking.mean()), gains
    return found


def table_of(found, before):
    """The table of one share of the rows, with means of all sets and of those with many rows."""
    print("| set | rows | f_classif | before: scale | CV | now: scale | CV | best fixed | at |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    columns = []
    for name, (n, ranking, gains) in found.items():
        old = before[name][2] if name in before else {}
        fixed = {multiple: gains[str(multiple)].mean() for multiple in MULTIPLES}
        best = max(fixed, key=fixed.get)
        ours = [old.get("scale"), old.get("cv"), gains.get("scale"), gains.get("cv")]
        cells = [float("nan") if one is None else float(one.mean()) for one in ours]
        print(
            f"| {name} | {n} | {ranking:.1f} | "
            + " | ".join(f"{cell:+.1f}" for cell in cells)
            + f" | {fixed[best]:+.1f} | {best:g} n |"
        )
        columns.append([n, ranking, *cells, fixed[best]])
    columns = np.array(columns)
    many = columns[:, 0] > MANY_ROWS / 2
    for label, rows in (("mean", slice(None)), (f"mean, more than {MANY_ROWS} rows", many)):
        if len(columns[rows]):
            mean = columns[rows].mean(axis=0)
            cells = " | ".join(f"{cell:+.2f}" for cell in mean[2:])
            print(f"| {label} | | {mean[1]:.1f} | {cells} | |")
    regret = (columns[:, 6:] - columns[:, 2:6]).mean(axis=0)
    worst = columns[:, 2:6].min(axis=0)
    for label, values, style in (
        ("mean loss against the best fixed", regret, ".2f"),
        ("worst against f_classif", worst, "+.1f"),
    ):
        print(f"| {label} | | | " + " | ".join(f"{value:{style}}" for value in values) + " | | |")
    fixed = fixed_gains(found)
    print("\n| | " + " | ".join(f"{multiple:g} n" for multiple in MULTIPLES) + " |")
    print("| --- |" + " ---: |" * len(MULTIPLES))
    for label, values in (("mean", fixed.mean(axis=0)), ("worst", fixed.min(axis=0))):
        print(f"| {label} | " + " | ".join(f"{value:+.1f}" for value in values) + " |")
    worse = []
    for name, (_, _, gains) in found.items():
        for label in ("scale", "cv"):
            if name in before and label in gains and label in before[name][2]:
                change = gains[label] - before[name][2][label]
                error = change.std(ddof=1) / np.sqrt(change.size)
                if change.mean() < -0.5:
                    worse.append(f"{name} with {label} {change.mean():+.1f} (standard error {error:.1f})")
    print("\nMore than 0.5 points worse than before: " + ("; ".join(worse) or "none") + ".\n")


def fixed_gains(found):
    """Mean gains over the ranking: sets x multiples."""
    gains_of_sets = [gains for _, _, gains in found.values()]
    return np.array([[gains[str(multiple)].mean() for multiple in MULTIPLES] for gains in gains_of_sets])


def draw(found):
    fixed = fixed_gains(found)
    scale = np.array([gains["scale"].mean() for _, _, gains in found.values()])
    with styled():
        figure = Figure(figsize=(7.5, 4.4), layout="constrained")
        axes = figure.subplots()
        axes.axhline(0, color="grey", linewidth=1)
        axes.plot(MULTIPLES, fixed.mean(axis=0), color=COLOURS[0], marker="o", label="mean over the sets")
        worst = fixed.min(axis=0)
        axes.plot(MULTIPLES, worst, color=COLOURS[1], marker="s", linestyle="--", label="the worst set")
        for value, colour, text in [
            (scale.mean(), COLOURS[0], 'mean with gamma="scale"'),
            (scale.min(), COLOURS[1], 'worst with gamma="scale"'),
        ]:
            axes.axhline(value, color=colour, linewidth=1, linestyle=":")
            axes.text(MULTIPLES[0], value + 0.15, f"{text}: {value:+.1f}", color=colour, fontsize=9)
        axes.set(
            xscale="log",
            xlabel="gamma / number of samples",
            ylabel="accuracy less that of the Fisher ranking (points)",
            title=f"{len(found)} data sets",
        )
        axes.legend(loc="lower right")
        return as_svg(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("gamma.json"))
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--accuracy", type=Path)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--sets", help="some of the sets, with commas between them")
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    results = json.loads(options.out.read_text()) if options.out.exists() else {}
    before = json.loads(options.before.read_text()) if options.before else {}
    if options.accuracy:
        results = {**from_accuracy(json.loads(options.accuracy.read_text())), **results}
    names = options.sets.split(",") if options.sets else [*REAL, *MADE]
    many = [name for name in names if before_rows(before, results, name) > MANY_ROWS / 2]
    jobs = [(name, split, 1.0) for split in range(SPLITS) for name in names]
    jobs += [(name, split, share) for share in SHARES for split in range(SPLITS_OF_SHARES) for name in many]
    parts = [part for part in options.parts.split(",") if part in PARTS]
    jobs = [(*job, part) for job in jobs for part in parts]
    key = "{}/{}/{:g}/{}".format
    known = results.keys() | {one for one in before if one.endswith("/fixed")}
    jobs = [job for job in jobs if key(*job) not in known]
    work = Parallel(n_jobs=options.jobs, return_as="generator")(delayed(measure)(*job) for job in jobs)
    for job, found in zip(jobs, work, strict=True):
        results[key(*job)] = found
        write_whole(options.out, json.dumps(results))
        print(*job, found["seconds"], flush=True)
    for share, splits in [(1.0, SPLITS), *((share, SPLITS_OF_SHARES) for share in SHARES)]:
        found = summary(Results(results, before), names, share, splits)
        if found:
            print(f"\n{share:g} of the rows of a half, {splits} halves\n")
            table_of(found, summary(Results(before, {}), names, share, splits))
            if share == 1 and options.figure:
                write_whole(options.figure, draw(found))


def from_accuracy(found):
    """Results of accuracy.py, as they are kept here."""
    results = {}
    for key, one in found.items():
        name, split, method = key.rsplit("/", 2)
        part = {"joint": "scale", "joint CV": "cv"}.get(method)
        if part and "scores" in one:
            scores = {k: {part: values} for k, values in one["scores"].items()}
            results[f"{name}/{split}/1/{part}"] = {"scores": scores, "seconds": one["seconds"]}
    return results


def before_rows(before, results, name):
    """Rows of a half of a set, if they are known; the made ones count as few."""
    found = before.get(f"{name}/0/1/fixed") or results.get(f"{name}/0/1/fixed")
    return found["n"] if found and name not in MADE else 0


if __name__ == "__main__":
    main()
