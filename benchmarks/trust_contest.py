"""Features that predict a class among 5,000, found by stability selection with fisherset, ipss and hidimstat.

    python benchmarks/trust_contest.py --out contest.json --ipss .venv-ipss/bin/python \
        --hidimstat .venv-hidimstat/bin/python [--methods "ipss l1"] [--seeds 3]

Made tables of 500 rows: blocks of ten columns with a correlation of 0.5 in each, and 20 columns in blocks of
their own from which the class is drawn, by a multinomial logistic model. A false positive is any other
column, those of the same blocks included. Two classes, and five. Each method scores the columns, each run in
a process of its own with caps of processor time and memory; a method that is beyond one on a table is not run
on the next ones. Methods are compared where they are equally wrong: at the score beyond which all tables
together have 1, 2 or 5 false positives for each ("at"), and before the second, third and sixth false one of
each table ("each"). Then what they select by themselves. Results are kept as they come; a stopped run goes
on. The tables are printed, and put into a page with `--write docs/trust.md`.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from fisherset._files import write_whole
from marked_page import show, table, write
from trust_contestant import MEMORY, METHODS

ROWS, COLUMNS, BLOCK, RELATED, CORRELATION = 500, 5000, 10, 20, 0.5
STRENGTH = {2: 1.0, 5: 1.5}  # length of the coefficients of a column over the classes
FALSE = (1, 2, 5)
KEPT = 300  # scores of a run, the largest
NUMBERS = " (class numbers)"  # of methods that take several classes for numbers
AS_NUMBERS = (
    "ipss l1",
    "ipss gb",
    "ipss rf",
    "hidimstat knockoffs",
    "hidimstat dCRT",
    "hidimstat dCRT of 1 %",
)


def draw(seed, n_classes):
    """X, y and the related columns."""
    rng = np.random.default_rng(seed)
    common = np.repeat(rng.normal(size=(ROWS, COLUMNS // BLOCK)), BLOCK, axis=1)
    X = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * rng.normal(size=(ROWS, COLUMNS))
    blocks = rng.choice(COLUMNS // BLOCK, RELATED, replace=False)
    related = np.sort(BLOCK * blocks + rng.integers(0, BLOCK, RELATED))
    weights = rng.normal(size=(RELATED, n_classes))
    weights -= weights.mean(axis=1, keepdims=True)
    weights *= STRENGTH[n_classes] / np.linalg.norm(weights, axis=1, keepdims=True)
    y = (X[:, related] @ weights + rng.gumbel(size=(ROWS, n_classes))).argmax(axis=1)
    return X, y, related


def measure(python, method, seed, n_classes, cap):
    """The largest scores, which of them are of related columns, what the method selects, and seconds."""
    X, y, related = draw(seed, n_classes)
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "table.npz", Path(folder) / "scores.npz"
        np.savez(given, X=X, y=y)
        script = Path(__file__).with_name("trust_contestant.py")
        command = [python, str(script), method, str(given), str(out), str(cap)]
        single = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **single})
        if done.returncode == -signal.SIGPROF:
            return {"reason": f"more than {cap:g} s"}
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
            return {"reason": f"more than {MEMORY / 1e9:g} GB" if "MemoryError" in last else last}
        found = np.load(out)
        scores, chosen, seconds = found["scores"], found["chosen"], float(found["seconds"])
    is_related = np.zeros(COLUMNS, dtype=bool)
    is_related[related] = True
    order = np.argsort(-scores, kind="stable")[:KEPT]
    return {
        "scores": scores[order].tolist(),
        "related": is_related[order].tolist(),
        "selected": [int(np.sum(chosen & is_related)), int(np.sum(chosen & ~is_related))],
        "seconds": seconds,
    }


def at_equal_error(runs, n_false):
    """Mean number of related columns above the score that n_false others per table, on average, are above.

    Ties count as the worst: of columns with one score all are taken or none.
    """
    scores, related = (np.concatenate([run[part] for run in runs]) for part in ("scores", "related"))
    wrong = np.sort(scores[~related])[::-1]
    allowed = n_false * len(runs)
    limit = wrong[allowed] if wrong.size > allowed else -np.inf
    return float(np.sum(related & (scores > limit))) / len(runs)


def lines_of(results, n_classes):
    for method in METHODS:
        runs = [
            found
            for key, found in sorted(results.items())
            if key.startswith(f"{n_classes}/") and key.endswith(f"/{method}")
        ]
        if not runs:
            continue
        numbers = NUMBERS if n_classes > 2 and method in AS_NUMBERS else ""
        line = {"method": method + numbers}
        done = [run for run in runs if "reason" not in run]
        if not done:
            yield line | {"tables": "0", "seconds": runs[0]["reason"]}
            continue
        each = [np.mean([at_equal_error([run], count) for run in done]) for count in FALSE]
        together = [at_equal_error(done, count) for count in FALSE]
        right, wrong = np.mean([run["selected"] for run in done], axis=0)
        yield {
            **line,
            "tables": str(len(done)),
            **{f"at {count}": f"{mean:.1f}" for count, mean in zip(FALSE, together, strict=True)},
            **{f"each {count}": f"{mean:.1f}" for count, mean in zip(FALSE, each, strict=True)},
            "right": f"{right:.1f}",
            "wrong": f"{wrong:.1f}",
            "seconds": f"{np.mean([run['seconds'] for run in done]):.1f}",
        }


def parts(results):
    """The tables of the page."""
    heads = ("method", "tables", *(f"{kind} {count}" for kind in ("at", "each") for count in FALSE))
    heads += ("right", "wrong", "seconds")
    lines = {name: list(lines_of(results, count)) for name, count in (("two", 2), ("five", 5))}
    return {
        name: table([{h: line.get(h, "") for h in heads} for line in some]) for name, some in lines.items()
    }


PARTS = ("two", "five")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ipss", metavar="PYTHON", help="python of an environment with ipss")
    parser.add_argument("--hidimstat", metavar="PYTHON", help="python of an environment with hidimstat")
    parser.add_argument("--methods", help="split by semicolons")
    parser.add_argument("--classes", default="2,5")
    parser.add_argument("--seeds", type=int, default=5, help="number of tables of each number of classes")
    parser.add_argument("--first", type=int, default=0, help="seed of the first table that counts")
    parser.add_argument("--cap", type=float, default=200.0, help="processor seconds of a run")
    parser.add_argument("--write", type=Path, help="a page to put the tables into")
    given = parser.parse_args()
    methods = given.methods.split(";") if given.methods else list(METHODS)
    pythons = {"ipss": given.ipss, "hidimstat": given.hidimstat}
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    for method in methods:
        python = pythons.get(method.split()[0], sys.executable)
        for n_classes in map(int, given.classes.split(",")):
            if n_classes == 2 and "class by class" in method:
                continue  # the same as one run
            for seed in range(given.first, given.seeds):
                key = f"{n_classes}/{seed}/{method}"
                if key not in results and python:
                    results[key] = measure(python, method, seed, n_classes, given.cap)
                    write_whole(given.out, json.dumps(results).encode())
                    print(key, results[key].get("reason", results[key].get("selected")), flush=True)
                if "reason" in results.get(key, {}):
                    break
    texts = parts({key: found for key, found in results.items() if int(key.split("/")[1]) >= given.first})
    show(texts)
    if given.write:
        write(given.write, texts)


if __name__ == "__main__":
    main()
