"""The data sets of LassoNet's table 2: 50 features, extremely randomised trees of 50, 20 hold-out splits.

    python benchmarks/deep.py --out deep.json [--lassonet PYTHON] [--hsic PYTHON] [--sets mice] [--cap 600]

Lemhadri, Ruan, Abraham and Tibshirani, LassoNet: a neural network with feature sparsity, Journal of Machine
Learning Research 22 (2021). LassoNet and pyHSICLasso come from the registry, each in an environment of its
own, whose interpreter the options name:

    python -m venv .venv-lassonet && .venv-lassonet/bin/pip install lassonet torch
    python -m venv .venv-hsic && .venv-hsic/bin/pip install pyHSICLasso

Every method selects on the same 80 % of the rows, and the same trees are tested on the other 20 %. Seconds
are those of the processor, of the selection alone. A method goes on to the next split of a set while it has
used less than the cap there: the number of splits that it finished is printed. Results are kept as they come,
so that a stopped run goes on. Data sets are looked for in FISHERSET_DATA.
"""

import argparse
import contextlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

K, TREES, SPLITS = 50, 50, 20
SETS = ("mnist10k", "Isolet", "COIL20", "mice", "mice (by animal)")
ROWS_OF_AN_ANIMAL = 15  # of mice, one after the other
# Table 2 of the paper: LassoNet, HSIC-Lasso, Fisher score.
PRINTED = {
    "mnist10k": (0.892, 0.869, 0.818),
    "Isolet": (0.891, 0.888, 0.818),
    "COIL20": (0.993, 0.993, 0.996),
    "mice": (0.997, 0.996, 0.996),
}
TITLES = {
    "FisherScore": "Fisher score",
    "joint": "joint",
    "joint CV": "joint CV",
    "lassonet": "LassoNet",
    "hsic": "HSIC-Lasso",
}


class Sparse(Exception):  # noqa: N818 - not an error
    """The path has fewer than K features left."""


def lassonet(X, y):
    """Take the K features that LassoNet keeps longest on its path, at its defaults."""
    import torch
    from lassonet import LassoNetClassifier

    torch.set_num_threads(1)
    torch.manual_seed(0)
    last = np.zeros(X.shape[1])

    def follow(model, path):
        kept = path[-1].selected.numpy()
        last[kept] = len(path)
        if kept.sum() < K:
            raise Sparse

    with contextlib.suppress(Sparse):
        model = LassoNetClassifier(random_state=0)
        model.path(X.astype(np.float32), y, callback=follow, disable_lambda_warning=True)
    return np.argsort(-last, kind="stable")[:K]


def hsic(X, y):
    from pyHSICLasso import HSICLasso

    model = HSICLasso()
    model.input(X, y)
    model.classification(K, B=20, M=1, n_jobs=1)
    return np.asarray(model.get_index())


def ours(name):
    import fisherset

    kinds = {
        "FisherScore": fisherset.FisherScore,
        "joint": fisherset.GeneralizedFisherScore,
        "joint CV": fisherset.GeneralizedFisherScoreCV,
    }
    return lambda X, y: np.flatnonzero(kinds[name](K).fit(X, y).support_)


OTHERS = {"lassonet": lassonet, "hsic": hsic}  # which run in environments of their own
MODULES = dict.fromkeys(TITLES, "fisherset.selectors") | {"lassonet": "lassonet", "hsic": "pyHSICLasso"}


def contestant(method, given, written):
    """Select on the rows of a file: run in the environment of the method."""
    warnings.filterwarnings("ignore")
    with np.load(given) as rows:
        X, y = rows["X"], rows["y"]
    select = OTHERS.get(method) or ours(method)
    importlib.import_module(MODULES[method])  # not counted
    start = time.process_time()
    columns = select(X, y)
    seconds = time.process_time() - start
    written.write_text(json.dumps({"columns": np.asarray(columns).tolist(), "seconds": seconds}))


def selected(python, method, X, y):
    with tempfile.TemporaryDirectory() as folder:
        given, written = Path(folder) / "rows.npz", Path(folder) / "columns.json"
        np.savez(given, X=X, y=y)
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [python, __file__, "--contestant", method, str(given), str(written)]
        subprocess.run(command, check=True, env=os.environ | one, stdout=subprocess.DEVNULL, cwd=folder)
        found = json.loads(written.read_text())
    return np.array(found["columns"], dtype=int), found["seconds"]


def loaded(name):
    from fisherset.datasets import load

    X, y, *_ = load(name.split()[0])
    X = np.asarray(X, dtype=np.float64)
    missing = np.isnan(X)
    return np.where(missing, np.nanmean(X, axis=0), X), np.unique(y, return_inverse=True)[1]


def split(name, y, seed):
    """Return the rows to train on, 80 % of each class or of its animals, and the rest."""
    from sklearn.model_selection import train_test_split

    if name != "mice (by animal)":
        return train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=seed)
    animals = np.arange(len(y) // ROWS_OF_AN_ANIMAL)
    labels = y[::ROWS_OF_AN_ANIMAL]
    parts = train_test_split(animals, test_size=0.2, stratify=labels, random_state=seed)
    return [(ROWS_OF_AN_ANIMAL * np.sort(p)[:, None] + np.arange(ROWS_OF_AN_ANIMAL)).ravel() for p in parts]


def measure(python, method, name, seed):
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.preprocessing import StandardScaler

    X, y = loaded(name)
    train, test = split(name, y, seed)
    scaler = StandardScaler().fit(X[train])
    X = scaler.transform(X)
    columns, seconds = selected(python, method, X[train], y[train])
    trees = ExtraTreesClassifier(TREES, random_state=seed).fit(X[train][:, columns], y[train])
    score = float(trees.score(X[test][:, columns], y[test]))
    return {"accuracy": score, "seconds": seconds, "k": len(columns)}


def printed(results):
    print(
        "| data set | method | splits | accuracy | standard error | seconds a split | printed in the paper |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    of_paper = {"lassonet": 0, "hsic": 1, "FisherScore": 2}
    for name, methods in results.items():
        for method, runs in methods.items():
            scores = np.array([run["accuracy"] for run in runs])
            error = scores.std(ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.nan
            seconds = np.mean([run["seconds"] for run in runs])
            known = method in of_paper and name in PRINTED
            paper = f"{PRINTED[name][of_paper[method]]:.3f}" if known else ""
            print(
                f"| {name} | {TITLES[method]} | {len(runs)} | {scores.mean():.3f} | {error:.3f} "
                f"| {seconds:.2f} | {paper} |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contestant", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--lassonet", help="interpreter of an environment with lassonet")
    parser.add_argument("--hsic", help="interpreter of an environment with pyHSICLasso")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--cap", type=float, default=600.0, help="processor seconds of a method on a set")
    given = parser.parse_args()
    if given.contestant:
        method, rows, written = given.contestant
        return contestant(method, Path(rows), Path(written))
    methods = dict.fromkeys(("FisherScore", "joint", "joint CV"), sys.executable)
    methods |= {name: path for name in OTHERS if (path := getattr(given, name))}
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    for name in given.sets.split(","):
        for method, python in methods.items():
            runs = results.setdefault(name, {}).setdefault(method, [])
            while len(runs) < SPLITS and sum(run["seconds"] for run in runs) < given.cap:
                runs.append(measure(python, method, name, len(runs)))
                given.out.write_text(json.dumps(results, indent=1))
    return printed(results)


if __name__ == "__main__":
    main()
