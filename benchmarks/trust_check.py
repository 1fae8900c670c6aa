"""What the held-out check of `select` costs, in fits of the selector on all rows with its defaults.

    OMP_NUM_THREADS=1 python benchmarks/trust_check.py

Processor time, the least of several runs that take turns. For `check` the table has been measured before, as
in `select`.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial

from sklearn.datasets import make_classification

from fisherset import GeneralizedFisherScore
from fisherset.evaluation import held_out
from fisherset.statistics.measure import measure

SHAPES = {"2000 x 2000": (2000, 2000), "200 x 10,000": (200, 10_000)}
AIM = 3  # fits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    given = parser.parse_args()
    for name, (n, d) in SHAPES.items():
        X, y = make_classification(
            n, d, n_informative=60, n_redundant=60, n_classes=5, n_clusters_per_class=1, random_state=0
        )
        selector, measured = GeneralizedFisherScore(50), measure(X, y)
        calls = {
            "fit": partial(selector.fit, X, y),
            "check": partial(held_out, selector, measured, cv=3, all_columns=False),
            "held_out": partial(held_out, selector, X, y, all_columns=False),
            "held_out, all columns": partial(held_out, selector, X, y),
        }
        least = dict.fromkeys(calls, float("inf"))
        for _ in range(given.repeats):
            for what, call in calls.items():
                start = time.process_time()
                call()
                least[what] = min(least[what], time.process_time() - start)
        fit = least.pop("fit")
        costs = ", ".join(f"{what} {seconds / fit:.1f}" for what, seconds in least.items())
        print(f"{name:13} fit {1000 * fit:.1f} ms; in fits: {costs} (aim of check: {AIM})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
