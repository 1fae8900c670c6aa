"""What `speed.py` measures and how: contestants, the ratios that are asked for, and the file of results."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from contestant import METHODS, fits_dense
from fisherset import fisher_criterion
from fisherset._files import write_whole
from fisherset.datasets import DatasetNotFoundError
from marked_page import code_version
from speed_tables import CELLS, DOROTHEA, IMAGES, LONG, TABLES, TALL, WIDE, WORDS, save

HERE = Path(__file__).resolve().parent
CAP, GRACE = 120.0, 10.0  # seconds for both calls, and for loading
SLOW, ABSENT = f"> {CAP:.0f} s", "no data at hand"
FITTED = 5000  # most rows the classifiers are fitted on
BASE, OURS = "f_classif", "joint"
SHOWN = BASE, OURS, "joint, no certificate", "cutting-plane"
PEERS = "fastcan", "abess", "adelie", "MultiTaskLasso", "mrmr", "mutual_info"
PACKAGES = "numpy", "scipy", "scikit-learn", "abess", "fastcan", "mrmr-selection"
DENSE_ONLY = "fastcan", "adelie", "MultiTaskLasso", "mrmr"
SEARCH = "10 gammas x 5 folds"
LOUD = 0.2  # cores taken by others from which on the machine is not quiet
BUSIER = 1.5  # times the ratio of quiet cores that is asked at most


def sizes(name):
    return (25, 50, 100) if name == CELLS else (10, 50, 200)


@dataclass(frozen=True)
class Aim:
    """A ratio that is asked for."""

    name: str
    k: int
    asked: float
    method: str = OURS

    @property
    def unit(self):
        """The search is a multiple of a single fit, all else of f_classif."""
        return " single fits" if self.method == SEARCH else ""


def aims(name, *asked):
    return [Aim(name, k, most) for k, most in zip(sizes(name), asked, strict=True)]


AIMS = [
    *aims(TALL, 1, 1, 2),
    *aims(WIDE, 0.6, 0.6, 1.2),
    *aims(LONG, 1.5, 1.5, 2),
    *aims(IMAGES, 2, 2.5, 3),
    *aims(CELLS, 3, 4, 5),
    Aim(WORDS, 50, 2),
    Aim(DOROTHEA, 50, 3),
    Aim(TALL, 50, 10, "gamma = n/10"),
    Aim(TALL, 50, 20, "gamma = n/100"),
    Aim(TALL, 50, 30, "gamma = n/1000"),
    Aim(TALL, 50, 20, "cutting-plane"),
    Aim(LONG, 50, 30, "cutting-plane"),
    Aim(TALL, 50, 8, SEARCH),
]


class Kept(dict):
    """What was measured, by table, k and method; in a file as it comes, but for faults."""

    def __init__(self, path, made_by):
        self.path, self.made_by = path, made_by
        known = json.loads(path.read_text()) if path.exists() else {"made by": made_by, "cells": {}}
        if known.get("made by") == made_by:
            self.update(known["cells"])
        else:
            print(f"{path} is of other code, packages or machines: everything is measured anew.", flush=True)

    def keep(self, key, cell):
        self[key] = cell
        lasting = {key: cell for key, cell in self.items() if cell.get("reason", SLOW) == SLOW}
        write_whole(self.path, json.dumps({"made by": self.made_by, "cells": lasting}, indent=0))

    def is_settled(self, key):
        return key in self and ("columns" not in self[key] or "F" in self[key])

    def forget_loud(self):
        """Whatever was measured while others took much of the cores."""
        loud = [key for key, cell in self.items() if (cell.get("others") or 0.0) > LOUD]
        for key in loud:
            del self[key]

    def cell(self, name, k, method, busy=False):
        return self.get(key_of(name, k, method, busy), {"reason": "not measured"})


def key_of(name, k, method, busy=False):
    return f"{name}/{k}/{method}" + "/busy" * busy


def made_by(adelie):
    """What results must have in common to stand in one table."""
    scripts = b"".join((HERE / name).read_bytes() for name in ("contestant.py", "speed_tables.py"))
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    ask = "from importlib.metadata import version; print('adelie', version('adelie'))"
    packages.append(
        subprocess.run([adelie, "-c", ask], capture_output=True, text=True, check=False).stdout.strip()
    )
    cpu = Path("/proc/cpuinfo")
    models = [line for line in cpu.read_text().splitlines() if "model name" in line] if cpu.exists() else []
    return {
        "code": code_version(),
        "scripts": hashlib.sha256(scripts).hexdigest()[:12],
        "packages": ", ".join(filter(None, packages)),
        "machine": [platform.node(), models[0].split(": ")[1] if models else platform.machine()],
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def cores_spent():
    """Seconds of all cores so far, and of this process and its ended ones; None if unknown."""
    counts = Path("/proc/stat")
    if not counts.exists():
        return None
    user, nice, system, _, _, irq, soft, *_ = map(int, counts.read_text().split("\n")[0].split()[1:])
    own = os.times()
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK"), sum(own[:4])


def run(python, method, folder, k):
    """What the contestant reports, and the cores that others took meanwhile; or why it does not."""
    start, before = time.monotonic(), cores_spent()
    found = report(python, method, folder, k)
    if before and "seconds" in found:
        everything, ours = (now - then for now, then in zip(cores_spent(), before, strict=True))
        found["others"] = max(everything - ours, 0.0) / (time.monotonic() - start)
    return found


def report(python, method, folder, k):
    command = [python, str(HERE / "contestant.py"), method, str(folder), str(k)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CAP + GRACE, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": SLOW}
    if done.returncode:
        return {"reason": (done.stderr.strip().splitlines() or ["stopped"])[-1][:60]}
    found = json.loads(done.stdout.splitlines()[-1])
    return found if found["seconds"] <= CAP else {"reason": SLOW}


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def accuracies(train, test, columns):
    A, B = (dense(X[:, columns]) for X, _ in (train, test))
    scaler = StandardScaler().fit(A[:FITTED])
    A, B = scaler.transform(A[:FITTED]), scaler.transform(B)
    models = KNeighborsClassifier(1), LogisticRegression(max_iter=300)
    return [model.fit(A, train[1][:FITTED]).score(B, test[1]) for model in models]


def judge(columns, table, ours):
    """F at joint's gamma, and the accuracies, of what a contestant found."""
    X, y, X_test, y_test, *fit = table
    train = tuple(fit) if fit else (X, y)
    return {
        "n": len(columns),
        "F": fisher_criterion(X, y, np.array(columns), gamma=ours["gamma"]),
        "accuracy": accuracies(train, (X_test, y_test), columns),
    }


@dataclass
class Arena:
    """A table on disk, and what is measured on it."""

    name: str
    table: tuple
    folder: str
    adelie: str
    kept: Kept

    def measure(self, k, method, busy=False):
        """One contestant, unless it is known already."""
        key = key_of(self.name, k, method, busy)
        if key not in self.kept:
            found = self._contest(k, method, busy)
            self.kept.keep(key, found)
            print(key, found.get("reason") or f"{found['seconds']:.3f} s", flush=True)

    def _contest(self, k, method, busy):
        X, cell = self.table[0], self.kept.cell
        if sparse.issparse(X) and method in DENSE_ONLY and not fits_dense(X):
            return {"reason": f"needs {8 * X.shape[0] * X.shape[1] / 1e9:.1f} GB dense"}
        smaller = [size for size in sizes(self.name) if size < k] if method in PEERS else []
        if any(cell(self.name, size, method).get("reason") == SLOW for size in smaller):
            return {"reason": SLOW}  # more features take no less time
        if busy and cell(self.name, k, method).get("reason") == SLOW:
            return {"reason": SLOW}
        anew = OURS if method == SEARCH else BASE
        base = cell(self.name, k, BASE) if method in PEERS else run(sys.executable, anew, self.folder, k)
        found = base
        if method != BASE:
            found = run(self.adelie if method == "adelie" else sys.executable, method, self.folder, k)
        for outcome in (base, found):
            if "reason" in outcome:
                return outcome
        peak = cell(self.name, k, BASE)["peak"] if method == SEARCH else base["peak"]
        times = {"seconds": found["seconds"] / base["seconds"], "peak": peak and found["peak"] / peak}
        if busy:
            return {"seconds": found["seconds"], "times": times}
        others = [outcome.get("others") or 0.0 for outcome in (base, found)]
        return found | {"times": times, "others": max(others)}

    def judge(self, k, method):
        """Add what a selection is worth, once joint's gamma is known."""
        cell, ours = (self.kept.cell(self.name, k, which) for which in (method, OURS))
        if "columns" in cell and "F" not in cell and "gamma" in ours:
            worth = judge(cell["columns"], self.table, ours)
            self.kept.keep(key_of(self.name, k, method), cell | worth)


@contextmanager
def spinning(n):
    """As many processes as there are cores, which do nothing but keep these busy."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def contest(kept, names, ks, methods, adelie, busy):
    """Measure what is not known yet, table by table."""
    for name in names:
        asked = [aim for aim in AIMS if aim.name == name and aim.k in (ks or sizes(name))]
        quiet = {(k, method) for k in ks or sizes(name) for method in (*SHOWN, *PEERS)}
        quiet = sorted(quiet | {(aim.k, aim.method) for aim in asked}, key=order)
        quiet = [cell for cell in quiet if cell[1] in {BASE, OURS, *methods}]
        crowded = [(aim.k, aim.method) for aim in asked if busy and aim.method in {OURS, *methods}]
        keys = [key_of(name, *cell) for cell in quiet] + [key_of(name, *cell, True) for cell in crowded]
        if all(kept.is_settled(key) for key in keys):
            continue
        try:
            table = TABLES[name]()
        except DatasetNotFoundError as error:
            print(error, flush=True)
            kept.update({key: {"reason": ABSENT} for key in keys})
            continue
        with tempfile.TemporaryDirectory() as folder:
            save(Path(folder), *table[:2])
            arena = Arena(name, table, folder, adelie, kept)
            for cell in quiet:
                arena.measure(*cell)
            for cell in quiet:
                arena.judge(*cell)
            if crowded:
                with spinning(os.cpu_count()):
                    for cell in crowded:
                        arena.measure(*cell, busy=True)


def order(cell):
    """Few features first, and fisherset's methods before the peers', which take long."""
    k, method = cell
    return k, method in PEERS, list(METHODS).index(method)
