"""Exact search and OKRidge, on the made tables of its authors: gap, nodes and seconds of both.

    python benchmarks/okridge.py --okridge ../okridge/bin/python [--seconds 20] [--gap 1e-4]

n = 1000 samples; d columns, each with the correlation rho to the one before; ten equispaced coefficients of
one; noise of a fifth of the signal's variance; centred, not standardised; k = 10. OKRidge needs numpy < 2 and
requests, so an environment of its own:

    python -m venv ../okridge && ../okridge/bin/pip install okridge==0.1.1 'numpy<2' requests

One core. Seconds are of the processor, the limit too: a busy machine changes nothing. Both stop at the
same gap, relative to what the set explains; the ridge of OKRidge is gamma.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

from fisherset import JointRegressionScore
from marked_page import table

SAMPLES, CHOSEN, SIGNAL = 1000, 10, 5.0
TABLES = [(d, rho) for d in (390, 500, 1000) for rho in (0.5, 0.9)]
GAMMAS = 0.1, 1e-4  # times n

OKRIDGE = """
import contextlib, io, json, sys, time
import numpy as np
from okridge.tree import BNBTree
folder, k, gamma, gap, seconds = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:])
X, y = np.load(folder + "/X.npy"), np.load(folder + "/y.npy")
time.time = time.process_time
start = time.time()
with contextlib.redirect_stdout(io.StringIO()):
    tree = BNBTree(X, y, lambda2=gamma)
    loss, _, left, _, _ = tree.solve(k, gap_tol=gap, time_limit=seconds)
nodes, seconds = tree.number_of_nodes, time.time() - start
print(json.dumps({"F": -loss / (y @ y), "gap": left, "nodes": nodes, "seconds": seconds}))
"""


def made_table(d, rho, seed=0):
    """A centred table and its centred target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((SAMPLES, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    signal = X[:, np.linspace(0, d - 1, CHOSEN).round().astype(int)].sum(axis=1)
    y = signal + np.sqrt(signal.var() / SIGNAL) * rng.standard_normal(SAMPLES)
    return X - X.mean(axis=0), y - y.mean()


def fisherset(X, y, gamma, gap, seconds):
    """F, gap, nodes and seconds of our exact search."""
    start = time.process_time()
    with mock.patch("time.monotonic", time.process_time), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = JointRegressionScore(
            CHOSEN, solver="exact", standardize=False, gamma=gamma, tol=gap, time_limit=seconds
        ).fit(X, y)
    seconds = time.process_time() - start
    return {"F": found.objective_, "gap": found.gap_, "nodes": found.n_nodes_, "seconds": seconds}


def okridge(python, X, y, gamma, gap, seconds):
    """The same of OKRidge, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        np.save(Path(folder) / "y.npy", y)
        one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [python, "-c", OKRIDGE, folder, *map(str, (CHOSEN, gamma, gap, seconds))]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=one)
    return json.loads(run.stdout)


def said(found, gap):
    """Cells of a line: the gap or that it is proven, nodes and seconds."""
    closed = "proven" if found["gap"] <= gap else f"{100 * min(found['gap'], 1.0):.2f}%"
    return closed, f"{found['nodes']:,}", f"{found['seconds']:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--okridge", help="Python of an environment that has OKRidge; without it only ours")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a search")
    parser.add_argument("--gap", type=float, default=1e-4, help="gap that counts as proven")
    given = parser.parse_args()
    lines = []
    for d, rho in TABLES:
        X, y = made_table(d, rho)
        for share in GAMMAS:
            asked = X, y, share * SAMPLES, given.gap, given.seconds
            runs = {}
            with threadpool_limits(1):
                runs["fisherset"] = fisherset(*asked)
            if given.okridge:
                runs["OKRidge"] = okridge(given.okridge, *asked)
            line = {"d": d, "rho": rho, "gamma / n": f"{share:g}"}
            for name, found in runs.items():
                cells = said(found, given.gap)
                line |= dict(zip((name, f"{name}: nodes", f"{name}: seconds"), cells, strict=True))
            lines.append(line)
            print(line, flush=True)
    print("\n" + table(lines))


if __name__ == "__main__":
    main()
