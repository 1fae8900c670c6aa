"""How the time of a joint selection grows with rows, columns, selected features and classes.

    python benchmarks/growth.py [--letters n d k c] [--figure growth.svg]

One of n, d, k and c grows, the others stay. The exponent is the slope of log time against log size
over the larger half of the sizes, where fixed costs no longer count. `speed.py --write` puts table and
figure on its page.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectKBest, f_classif

from fisherset import GeneralizedFisherScore
from marked_page import table

BASE = {"n": 2000, "d": 2000, "k": 50, "c": 5}
SIZES = {
    "n": (500, 1000, 2000, 4000, 8000, 16000, 32000),
    "d": (500, 1000, 2000, 4000, 8000, 16000, 32000),
    "k": (5, 10, 20, 50, 100, 200, 400),
    "c": (2, 3, 5, 10, 20, 40),
}
ASKED = {"n": 1.1, "d": 1.0, "k": 1.2, "c": 0.7}  # exponents of joint's time, at most
NAMES = {"n": "rows n", "d": "columns d", "k": "selected features k", "c": "classes c"}
SELECTORS = {
    "f_classif": lambda k: SelectKBest(f_classif, k=k),
    "joint": GeneralizedFisherScore,
    "joint, no certificate": lambda k: GeneralizedFisherScore(k, tol=None),
}


def seconds(make, X, y, k):
    times = []
    while len(times) < 2 or (len(times) < 7 and sum(times) < 2.0):
        start = time.perf_counter()
        make(k).fit(X, y)
        times.append(time.perf_counter() - start)
    return min(times)


def measure(letter):
    """Seconds of each selector for each size of a letter."""
    times = {name: [] for name in SELECTORS}
    for size in SIZES[letter]:
        shape = {**BASE, letter: size}
        X, y = make_classification(
            shape["n"],
            shape["d"],
            n_informative=30,
            n_redundant=30,
            n_classes=shape["c"],
            n_clusters_per_class=1,
            random_state=0,
        )
        for name, make in SELECTORS.items():
            times[name].append(seconds(make, X, y, shape["k"]))
    return times


def exponent(sizes, times):
    half = len(sizes) // 2
    return float(np.polyfit(np.log(sizes[half:]), np.log(times[half:]), 1)[0])


def draw(measured, path):
    import matplotlib.pyplot as plt

    from fisherset.plots.style import line_style, styled

    with styled():
        figure, axes = plt.subplots(
            1, len(measured), figsize=(3 * len(measured), 3.2), sharey=True, squeeze=False
        )
        axes = axes[0]
        for ax, (letter, times) in zip(axes, measured.items(), strict=True):
            for name, values in times.items():
                ax.loglog(SIZES[letter], values, **line_style(len(ax.lines)), markersize=3, label=name)
            ax.set(xlabel=NAMES[letter])
            shown = SIZES[letter][:: 1 if letter == "c" else 2]
            ax.set_xticks(shown, [f"{size // 1000}k" if size > 999 else str(size) for size in shown])
            ax.minorticks_off()
        axes[0].set(ylabel="seconds")
        axes[0].legend(frameon=False, fontsize=8)
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def as_text(measured):
    """What was measured, with the exponents that are asked for beside those of joint."""
    lines = []
    for letter, times in measured.items():
        sizes, line = SIZES[letter], {}
        for name, values in times.items():
            slope = exponent(sizes, values)
            shown = f"**{slope:.2f}**" if name == "joint" and slope > ASKED[letter] else f"{slope:.2f}"
            line[f"{name}: ms, exponent"] = f"{1e3 * values[0]:.0f} to {1e3 * values[-1]:.0f}, {shown}"
            if name == "joint":
                line["asked"] = f"≤ {ASKED[letter]}"
        lines.append({"grows": letter, "sizes": f"{sizes[0]} to {sizes[-1]}"} | line)
    base = ", ".join(f"{letter} = {size}" for letter, size in BASE.items())
    found = [f"{letter}^{exponent(SIZES[letter], times['joint']):.2f}" for letter, times in measured.items()]
    return f"Where not growing, {base}. Joint's time grows as {', '.join(found)}.\n\n{table(lines)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--letters", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    measured = {letter: measure(letter) for letter in options.letters}
    print(as_text(measured))
    if options.figure:
        draw(measured, options.figure)


if __name__ == "__main__":
    main()
