"""How tight the certificate is: gaps of the joint solver on real tables, and the time that goes into them.

    PYTHONPATH=OTHER/src python benchmarks/certificates.py --keep before.json
    python benchmarks/certificates.py --before before.json --write docs/certificate.md
    python benchmarks/certificates.py [--names digits USPS ...] [--parts default small]

All rows of each table, on one core, in processor time. A fit is measured as it is, and without the diagonal
that follows a loose bound (`solver.closing`). --before adds the gaps of other code,
which has its own default gamma. Needs the data sets (FISHERSET_DATA, or ../shared/data beside the checkout).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from accuracy import REAL, loaded
from fisherset import GeneralizedFisherScore
from marked_page import show, table, write
from speed_tables import made

try:
    from fisherset.solver import closing
except ImportError:  # code before it
    closing = None

KS = 10, 20, 50
SMALL = "digits", "USPS", "madelon", "Isolet", "mnist10k", "orl", "COIL20", "mice", "usps2007", "2000 x 2000"
MULTIPLES = {"n / 4": 0.25, "n / 10": 0.1, "n / 100": 0.01}
FITS = 2  # of which the faster counts


def rows_of(name):
    """X and y, missing values filled in by means."""
    if name == "2000 x 2000":
        return made(2000, 2000, 5)[:2]
    X, y = load_digits(return_X_y=True) if name == "digits" else loaded(name)
    if not sparse.issparse(X) and np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    return X, y


def fit(name, k, multiple, *, closed):
    """The gap, the seconds and gamma / n of a fit, with the means against a loose bound or without."""
    X, y = rows_of(name)
    gamma = "scale" if multiple is None else multiple * len(y)
    without = mock.patch.object(closing, "LOOSE", np.inf) if closing and not closed else nullcontext()
    seconds = []
    with without, warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for _ in range(FITS):
            start = time.process_time()
            found = GeneralizedFisherScore(k, gamma=gamma).fit(X, y)
            seconds.append(time.process_time() - start)
    return {"gap": found.gap_, "seconds": min(seconds), "gamma": found.gamma_ / len(y)}


def measure(names, multiples):
    """Fits of every table, size and gamma: without and with."""
    found = {}
    for name in names:
        X, _ = rows_of(name)
        for k in (k for k in KS if k < X.shape[1]):
            for label, multiple in multiples.items():
                both = (False, True) if closing else (True,)
                pair = [fit(name, k, multiple, closed=closed) for closed in both]
                found[f"{name}/{k}/{label}"] = {"shape": X.shape, "without": pair[0], "with": pair[-1]}
                print(
                    name, k, label, *(f"{one['gap']:.2%} {one['seconds']:.3f}s" for one in pair), flush=True
                )
    return found


def gaps_of(cell, before):
    """The gaps before, without and with, in per cent."""
    known = [before["with"]["gap"]] if before else []
    return " / ".join(f"{100 * gap:.1f}" for gap in (*known, cell["without"]["gap"], cell["with"]["gap"]))


def times_of(cells):
    """The time with the means as a multiple of that without, over all sizes."""
    with_them, without = (sum(cell[kind]["seconds"] for cell in cells) for kind in ("with", "without"))
    return f"{with_them / without:.1f}"


def lines_of(found, before, label):
    """A line for each table: gamma and the gaps at each size."""
    names = list(dict.fromkeys(key.split("/")[0] for key in found if key.endswith(f"/{label}")))
    lines = []
    for name in names:
        cells = {k: found.get(f"{name}/{k}/{label}") for k in KS}
        known = [cell for cell in cells.values() if cell]
        gammas = [cell["with"]["gamma"] for cell in known]
        line = {"table": name, "samples x columns": " x ".join(map(str, known[0]["shape"]))}
        line["gamma / n"] = " ".join(f"{gamma:.2g}" for gamma in dict.fromkeys(gammas))
        for k, cell in cells.items():
            line[f"k = {k}"] = gaps_of(cell, before.get(f"{name}/{k}/{label}")) if cell else ""
        lines.append(
            {**line, "time": times_of(known), "seconds": f"{sum(c['with']['seconds'] for c in known):.2f}"}
        )
    return lines


def summary(found, before, label):
    """Median and worst gap over all tables and sizes."""
    own = {key: cell for key, cell in found.items() if key.endswith(f"/{label}")}
    rows = {"without": [cell["without"]["gap"] for cell in own.values()]}
    rows["with"] = [cell["with"]["gap"] for cell in own.values()]
    if before:
        rows = {"before": [before[key]["with"]["gap"] for key in own if key in before], **rows}
    times = [cell["with"]["seconds"] / cell["without"]["seconds"] for cell in own.values()]
    measures = {"median": np.median, "mean": np.mean, "worst": np.max}
    lines = [
        {"gap": kind, **{name: f"{measure(gaps):.2%}" for name, measure in measures.items()}}
        for kind, gaps in rows.items()
    ]
    longer = f"A fit takes {np.median(times):.2f} times as long as without, {max(times):.1f} at most."
    return f"{table(lines)}\n{longer}\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--names", nargs="+")
    parser.add_argument("--parts", nargs="+", default=["default", "small"])
    parser.add_argument("--keep", type=Path, help="a JSON file for the results")
    parser.add_argument("--before", type=Path, help="results of other code")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    found, texts = {}, {}
    before = json.loads(options.before.read_text()) if options.before else {}
    if "default" in options.parts:
        found |= measure(options.names or ("digits", *REAL), {"scale": None})
        texts["default"] = f"{summary(found, before, 'scale')}\n{table(lines_of(found, before, 'scale'))}"
    if "small" in options.parts:
        small = measure(options.names or SMALL, MULTIPLES)
        found |= small
        parts = [f"gamma = {label}:\n\n{table(lines_of(small, before, label))}" for label in MULTIPLES]
        texts["small"] = "\n".join(parts)
    if options.keep:
        options.keep.write_text(json.dumps(found))
    show(texts)
    if options.write:
        write(options.write, texts)


if __name__ == "__main__":
    main()
