"""The best set, proven: nodes and seconds of exact search, and how far from the best other selectors are.

    python benchmarks/exact.py --write docs/exact.md [--parts proofs open peers ...] [--seconds 60]

One core (the threads of BLAS are limited to one), half an hour. Needs the data sets (FISHERSET_DATA,
or ../shared/data beside the checkout), and fastcan and abess for the last part.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from threadpoolctl import threadpool_limits

import contestant
from fisherset import FisherScore, GeneralizedFisherScore, datasets, fisher_criterion
from fisherset.selection.request import pose_problem
from fisherset.solver import Domain, Trace, Units
from fisherset.solver.exchange.exchange import improve, select_forward
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.statistics.measure import measure_table
from marked_page import show, table, write

HERE = Path(__file__).resolve().parent
SHIPPED = {"digits": load_digits, "breast_cancer": load_breast_cancer, "wine": load_wine}
UCI = {"ionosphere": 34, "sonar": 60, "protein": 20, "soybean": 35}
GAMMAS = 50.0, 200.0, 500.0
GENES = "colon", "leukemia", "SRBCT", "nakayama"
WIDE = "orl", "usps2007_smoothed", "nakayama", "pollen", "dorothea"
PIXELS = {5: 2.0, 10: 1.5, 20: 0.4}  # k and the gap in per cent that was asked for after a minute
RESTARTS, EXCHANGING = 200, 8.0  # sets that the exchange starts from, and seconds at most


@cache
def load(name):
    if name in SHIPPED:
        X, y = SHIPPED[name](return_X_y=True)
        return X[:, np.ptp(X, axis=0) > 0], y
    folder = os.environ.get("FISHERSET_DATA", HERE.parents[1] / "shared" / "data")
    found = datasets.load(name, data_dir=folder)
    X = found.X.astype(float)
    if not hasattr(X, "tocsr") and np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)  # as missing="mean" counts them
    varying = slice(None) if hasattr(X, "tocsr") else np.ptp(X, axis=0) > 0  # abess refuses constant columns
    return X[:, varying], found.y


def fit(name, k, gamma="scale", *, solver="exact", seconds=60.0):
    """A fit, its seconds and the gap of its first relaxation."""
    X, y = load(name)
    selector = GeneralizedFisherScore(k, gamma=gamma, solver=solver, time_limit=seconds)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the time was up is in the table
        selector.fit(X, y)
    taken = time.perf_counter() - start
    bounds = [step.upper_bound for step in selector.trace_ if step.phase == "relaxation"]
    root = (bounds[-1] - selector.objective_) / bounds[-1]
    found = f"F = {selector.objective_:.6g}, gap {selector.gap_:.2e}, {selector.n_nodes_} nodes"
    asked = f"{name} k={k} gamma={selector.gamma_:.4g}"
    print(f"{asked}: {found}, {taken:.1f} s, {selector.status_.name}", flush=True)
    return selector, taken, root


def per_cent(gap, optimal=False):
    return "proven" if optimal else f"{gap:.2%}"


def line(name, k, selector, taken, root):
    n = len(load(name)[1])
    return {
        "table": name,
        "k": k,
        "gamma / n": f"{selector.gamma_ / n:.3g}",
        "optimum": f"{selector.objective_:.6f}" if selector.optimal_ else f"≥ {selector.objective_:.6f}",
        "root gap": per_cent(root),
        "gap": per_cent(selector.gap_, selector.optimal_),
        "nodes": f"{selector.n_nodes_:,}",
        "seconds": f"{taken:.1f}",
    }


def uci_part(seconds):
    """The small tables of the paper, at gammas where the relaxation is loose."""
    lines, total = [], 0.0
    for name, d in UCI.items():
        for k in (5, 10, d // 2):
            for gamma in GAMMAS:
                found = fit(name, k, gamma, seconds=seconds)
                lines.append(line(name, k, *found))
                total += found[1]
    proven = sum(entry["gap"] == "proven" for entry in lines)
    return f"{proven} of {len(lines)} proven, {total:.0f} s in all (360 s asked).\n\n{table(lines)}"


def default_part(seconds):
    """The default gamma: images, small tables at every size, genes."""
    lines = [line("digits", k, *fit("digits", k, seconds=seconds)) for k in (5, 10, 20)]
    lines += [line(name, k, *fit(name, k, seconds=seconds)) for name in GENES for k in (10, 20, 50)]
    said = []
    for name in ("breast_cancer", "wine"):
        d = load(name)[0].shape[1]
        runs = [fit(name, k, seconds=seconds) for k in range(1, d + 1)]
        proven, longest = sum(run[0].optimal_ for run in runs), max(run[1] for run in runs)
        said.append(f"{name}: {proven} of {d} sizes proven, {longest:.2f} s the longest.")
    return f"{table(lines)}\n" + "\n".join(f"- {entry}" for entry in said)


def pixels_part(seconds):
    """Pixels of which each has neighbours that do as well: the hard case."""
    gamma, lines = float(len(load("usps2007_smoothed")[1])), []
    for k, asked in PIXELS.items():
        found = fit("usps2007_smoothed", k, gamma, seconds=seconds)
        within = "met" if 100 * found[0].gap_ <= asked else "**not met**"
        lines.append(line("usps2007_smoothed", k, *found) | {"asked": f"{asked} %: {within}"})
    return table(lines)


def open_part(seconds):
    """Gaps after ten seconds and after a minute, against the root, and against random exchange."""
    lines = []
    for name in WIDE:
        for k in (10, 50):
            short, _, root = fit(name, k, seconds=min(10.0, seconds))
            long = short if short.optimal_ else fit(name, k, short.gamma_, seconds=seconds)[0]
            bounds = [step.upper_bound for step in long.trace_ if step.phase == "exact"]
            best = random_exchange(name, k, long.gamma_)
            lines.append({
                "table": name,
                "k": k,
                "root gap": per_cent(root),
                "after 10 s": per_cent(short.gap_, short.optimal_),
                f"after {seconds:g} s": per_cent(long.gap_, long.optimal_),
                "bound falls only": "yes" if bounds == sorted(bounds, reverse=True) else "**no**",
                "random exchange / F": f"{best / long.objective_:.6f}",
                "above the bound": "**yes**" if best > long.upper_bound_ * (1 + 1e-9) else "no",
            })  # fmt: skip
    return table(lines)


def random_exchange(name, k, gamma):
    """The best F of exchange from many random sets."""
    problem = posed(name, k)
    d = problem.C.shape[0]
    domain, rng, best = Domain(Units(None, d), k), np.random.default_rng(0), 0.0
    unknown, until = Relaxation(np.zeros(d), 0.0, problem.ceiling), time.monotonic() + EXCHANGING
    for _ in range(RESTARTS):
        start = np.sort(rng.choice(d, k, replace=False))
        _, state = improve(problem, domain, start, unknown, gamma, tol=1e-6, trace=Trace(max_iter=500))
        best = max(best, state.value)
        if time.monotonic() > until:
            break
    return best


def posed(name, k):
    X, y = load(name)
    return pose_problem(measure_table(X, y, None), True, k)


def forward(X, y, k, gamma):
    problem = pose_problem(measure_table(X, y, None), True, k)
    domain = Domain(Units(None, problem.C.shape[0]), k)
    return problem.columns[select_forward(problem, domain, gamma, trace=Trace(max_iter=100))]


def peers_part(seconds):
    """What others reach of the optimum, in per cent, at the same gamma, where it is proven."""
    methods = {
        "Fisher ranking": lambda X, y, k, gamma: FisherScore(k).fit(X, y).get_support(indices=True),
        "forward selection": forward,
        "fastcan": lambda X, y, k, gamma: contestant.fastcan()(X, y, k),
        "abess": lambda X, y, k, gamma: contestant.abess()(X, y, k),
        "Algorithm 1": lambda X, y, k, gamma: (
            GeneralizedFisherScore(k, gamma=gamma, solver="cutting-plane").fit(X, y).get_support(indices=True)
        ),
        "joint": lambda X, y, k, gamma: (
            GeneralizedFisherScore(k, gamma=gamma).fit(X, y).get_support(indices=True)
        ),
    }
    sizes = {name: sorted({5, 10, d // 2}) for name, d in UCI.items()}
    asked = [(name, k, gamma) for name in UCI for k in sizes[name] for gamma in (50.0, 500.0)]
    asked += [("digits", k, "scale") for k in (5, 10, 20)] + [(name, 10, "scale") for name in GENES]
    lines = []
    for name, k, gamma in asked:
        best, _, _ = fit(name, k, gamma, seconds=seconds)
        if not best.optimal_:
            continue
        X, y = load(name)
        shares = {}
        for title, method in methods.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                chosen = method(np.asarray(X), np.unique(y, return_inverse=True)[1], k, best.gamma_)
                value = fisher_criterion(X, y, chosen, gamma=best.gamma_)
            exact = value >= best.objective_ * (1 - 1e-7)
            shares[title] = "best" if exact else f"{100 * value / best.objective_:.2f}"
        lines.append({"table": name, "k": k, "gamma / n": f"{best.gamma_ / len(y):.3g}", **shares})
    found = {title: sum(entry[title] == "best" for entry in lines) for title in methods}
    said = ", ".join(f"{title} {count}" for title, count in found.items())
    return f"Of {len(lines)} proven optima found: {said}.\n\n{table(lines)}"


PARTS = {
    "uci": uci_part,
    "default": default_part,
    "pixels": pixels_part,
    "open": open_part,
    "peers": peers_part,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of a fit")
    parser.add_argument("--write", type=Path, help="page whose marked parts are replaced")
    given = parser.parse_args()
    if given.write and set(given.parts) != set(PARTS):
        parser.error("--write is for all parts: the figures of a page are of one run.")
    with threadpool_limits(1):
        texts = {name: PARTS[name](given.seconds) for name in given.parts}
    show(texts)
    if given.write:
        write(given.write, texts)


if __name__ == "__main__":
    main()
