"""The one-by-one selectors against skfeature's functions of the same name and scikit-learn's f_classif.

    python benchmarks/baselines.py

Each runs in a fresh process on the same data, twice; the lower time counts. Memory is
the peak above the loaded data. What takes over two minutes is cut off (inf). skfeature
has no HSIC of single features.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification

N_SAMPLES, N_FEATURES, N_CLASSES, K = 5000, 2000, 10, 50
CAP = 120  # seconds for both calls of a method


def fisherset(name, **parameters):
    import fisherset

    return lambda X, y: getattr(fisherset, name)(K, **parameters).fit(X, y)


def skfeature(name, **parameters):
    import importlib

    module = importlib.import_module(f"skfeature.function.similarity_based.{name}")
    return lambda X, y: getattr(module, name)(X, y, **parameters)


def univariate():
    from sklearn.feature_selection import f_classif

    return f_classif


METHODS = {
    "f_classif": univariate,
    "FisherScore": lambda: fisherset("FisherScore"),
    "skfeature fisher_score": lambda: skfeature("fisher_score"),
    "LaplacianScore": lambda: fisherset("LaplacianScore"),
    "skfeature lap_score": lambda: skfeature("lap_score"),
    "TraceRatio fisher": lambda: fisherset("TraceRatio"),
    "skfeature trace_ratio fisher": lambda: skfeature("trace_ratio", n_selected_features=K, style="fisher"),
    "TraceRatio laplacian": lambda: fisherset("TraceRatio", criterion="laplacian"),
    "skfeature trace_ratio laplacian": lambda: skfeature(
        "trace_ratio", n_selected_features=K, style="laplacian"
    ),
    "HSICScore linear": lambda: fisherset("HSICScore"),
}
PAIRS = [
    ("FisherScore", "skfeature fisher_score"),
    ("LaplacianScore", "skfeature lap_score"),
    ("TraceRatio fisher", "skfeature trace_ratio fisher"),
    ("TraceRatio laplacian", "skfeature trace_ratio laplacian"),
]


def peak():
    """Peak resident megabytes of this process alone; getrusage would start from its parent's (Linux only)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def run(folder, name):
    """In the fresh process: seconds and megabytes of one method."""
    method = METHODS[name]()
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    loaded, times = peak(), []
    for _ in range(2):
        start = time.perf_counter()
        method(X, y)
        times.append(time.perf_counter() - start)
    print(min(times), peak() - loaded)


def measure(folder, name):
    command = [sys.executable, __file__, folder, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=CAP)
    except subprocess.TimeoutExpired:
        return float("inf"), float("nan")
    seconds, megabytes = map(float, done.stdout.split()[-2:])
    return seconds, megabytes


def main():
    print(f"{N_SAMPLES} x {N_FEATURES}, {N_CLASSES} classes, {K} selected\n")
    X, y = make_classification(
        N_SAMPLES, N_FEATURES, n_informative=30, n_redundant=30, n_classes=N_CLASSES, random_state=0
    )
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", (X - X.mean(axis=0)) / X.std(axis=0))
        np.save(Path(folder) / "y.npy", y)
        figures = {name: measure(folder, name) for name in METHODS}
    base = figures["f_classif"][0]
    print(f"{'method':<32} {'seconds':>8} {'x f_classif':>12} {'MB above data':>14}")
    for name, (seconds, megabytes) in figures.items():
        print(f"{name:<32} {seconds:>8.3f} {seconds / base:>12.1f} {megabytes:>14.0f}")
    print(f"\n{'ours against skfeature':<32} {'times faster':>12} {'share of memory':>16}")
    for ours, theirs in PAIRS:
        faster = figures[theirs][0] / figures[ours][0]
        share = figures[ours][1] / figures[theirs][1]
        print(f"{ours:<32} {faster:>12.1f} {share:>16.2f}")


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main()
