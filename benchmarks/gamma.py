"""The figure behind the default gamma: accuracy for fixed multiples of n, and for "scale".

On the data sets and splits of accuracy.py: the mean over k = 10, 20, 50 and two classifiers,
less that of the Fisher ranking. Writes a JSON file as it goes, then the figure and a table.

    python benchmarks/gamma.py --out gamma.json --figure docs/gamma.svg
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from accuracy import KS, MADE, REAL, accuracies, table
from fisherset import FisherScore, GeneralizedFisherScore, selection_path
from fisherset._files import write_whole
from fisherset.plots.style import COLOURS, as_svg, styled

MULTIPLES = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 200)
SPLITS = 3


def measure(name, split):
    """Mean accuracy of the Fisher ranking, of each multiple, and of "scale" with its own multiples."""
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    X, y, train, test = table(name, split)
    ks = [k for k in KS if k < X.shape[1]]
    A, b = X[train], y[train]

    def mean(sets):
        return float(100 * np.mean([accuracies(X, y, train, test, columns) for columns in sets]))

    order = np.argsort(FisherScore(1).fit(A, b).ranking_)
    default = [GeneralizedFisherScore(k).fit(A, b) for k in ks]
    fixed = [selection_path(A, b, ks, gamma=multiple * len(b), tol=5e-3) for multiple in MULTIPLES]
    return {
        "fisher": mean([order[:k] for k in ks]),
        "scale": mean([selector.get_support(indices=True) for selector in default]),
        "multiples": [selector.gamma_ / len(b) for selector in default],
        "fixed": [mean([step.features for step in path]) for path in fixed],
    }


def draw(names, fixed, scale):
    with styled():
        figure = Figure(figsize=(7.5, 4.4), layout="constrained")
        axes = figure.subplots()
        axes.axhline(0, color="grey", linewidth=1)
        axes.plot(MULTIPLES, fixed.mean(axis=0), color=COLOURS[0], marker="o", label="mean over the sets")
        axes.plot(
            MULTIPLES, fixed.min(axis=0), color=COLOURS[1], marker="s", linestyle="--", label="the worst set"
        )
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
            title=f"{len(names)} data sets",
        )
        axes.legend(loc="lower right")
        return as_svg(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("gamma.json"))
    parser.add_argument("--figure", type=Path, default=Path("gamma.svg"))
    options = parser.parse_args()
    results = json.loads(options.out.read_text()) if options.out.exists() else {}
    names = [*REAL, *MADE]
    jobs = [(n, s) for s in range(SPLITS) for n in names if f"{n}/{s}" not in results]
    work = Parallel(n_jobs=-1, return_as="generator")(delayed(measure)(*job) for job in jobs)
    for job, found in zip(jobs, work, strict=True):
        results["/".join(map(str, job))] = found
        write_whole(options.out, json.dumps(results))
        print(*job, flush=True)

    def gain(name, key):
        found = [results[f"{name}/{split}"] for split in range(SPLITS)]
        return np.mean([np.array(one[key]) - one["fisher"] for one in found], axis=0)

    fixed = np.array([gain(name, "fixed") for name in names])
    scale = np.array([gain(name, "scale") for name in names])
    write_whole(options.figure, draw(names, fixed, scale))
    print(
        "| set | gamma / n selected, k = 10 to 50 | scale | "
        + " | ".join(f"{m:g} n" for m in MULTIPLES)
        + " |"
    )
    print("| --- | ---: | ---: | " + " | ".join(["---:"] * len(MULTIPLES)) + " |")
    for name, row, own in zip(names, fixed, scale, strict=True):
        chosen = results[f"{name}/0"]["multiples"]
        span = f"{chosen[0]:.3g} to {chosen[-1]:.3g}"
        print(f"| {name} | {span} | {own:+.1f} | " + " | ".join(f"{value:+.1f}" for value in row) + " |")
    for label, of in (("mean", np.mean), ("worst", np.min)):
        cells = " | ".join(f"{value:+.1f}" for value in of(fixed, axis=0))
        print(f"| {label} | | {of(scale):+.1f} | {cells} |")


if __name__ == "__main__":
    main()
