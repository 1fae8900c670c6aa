"""Whether a combination is found whose columns are weak alone: a planted pair or triple in made tables.

Each table of `fisherset.datasets.make_combination` has a pair or triple of columns that separates two
classes by three standard deviations together, five columns with an R^2 of 0.1 each, and noise columns
or columns that follow one of the five. Asked for as many columns as are planted, a method finds the
combination or not; the tables show the share of made tables in which it does, in per cent. Results are
kept in a JSON file as they come, so that a stopped run goes on.

    python benchmarks/planted.py --out planted.json [--before FILE] [--short]

Seven minutes on one core, a minute with `--short`. `--before` shows the figures of another run, made
with other code, before an arrow. Needs the extra `bench`.
"""

import argparse
import itertools
import json
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_selection import f_classif
from threadpoolctl import threadpool_limits

from contest import by_score, fastcan
from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV
from fisherset._files import write_whole
from fisherset.datasets import make_combination
from marked_page import table as markdown

MULTIPLES = {"n/100": 0.01, "n/10": 0.1, "n/4": 0.25, "n": 1.0, "4n": 4.0}
OURS = ("default", "CV")  # change with the code
METHODS = ("ranking", "fastcan", *OURS, *MULTIPLES)
LARGEST = 10_000_000  # numbers in a table of which one is made, and not five


class Made(NamedTuple):
    """What a made table is made with."""

    planted: int
    correlation: float
    noise: bool
    rows: int
    columns: int
    seed: int

    @property
    def key(self):
        return "/".join(map(str, self))


def tables(short):
    """All tables, the small ones first."""
    correlations, rows, columns, planted, seeds = (
        ((0.9, 0.97), (200, 2000), (20, 200), (2,), 2)
        if short
        else ((0.5, 0.8, 0.9, 0.97, 0.98), (200, 2000, 20000), (20, 200, 2000), (2, 3), 5)
    )
    axes = planted, correlations, (True, False), rows, columns, range(seeds)
    made = [Made(*values) for values in itertools.product(*axes)]
    made = [one for one in made if one.seed == 0 or one.rows * one.columns <= LARGEST]
    return sorted(made, key=lambda one: one.rows * one.columns)


def select(method, X, y, k):
    """The columns a method selects."""
    if method == "ranking":
        return by_score(f_classif(X, y)[0], [k])[k]
    if method == "fastcan":
        return fastcan(X, y[:, None], [k])[k]
    if method == "CV":
        selector = GeneralizedFisherScoreCV(k)
    else:
        gamma = MULTIPLES[method] * len(y) if method in MULTIPLES else "scale"
        selector = GeneralizedFisherScore(k, gamma=gamma)
    return selector.fit(X, y).get_support(indices=True)


def measure(made, methods):
    """Whether each method finds what was planted."""
    k = made.planted
    X, y, planted = make_combination(
        made.rows,
        made.columns,
        n_combined=k,
        correlation=made.correlation,
        noise=made.noise,
        random_state=made.seed,
    )
    return {method: sorted(map(int, select(method, X, y, k))) == planted.tolist() for method in methods}


def share(results, made, method):
    """Share of the tables in which a method finds what was planted, in per cent."""
    return f"{100 * np.mean([results[one.key][method] for one in made]):.0f}"


def cells(made, results, before):
    """A cell for each method; what the other code had before an arrow."""

    def cell(method):
        now = share(results, made, method)
        return f"{share(before, made, method)} → {now}" if before and method in OURS else now

    return {method: cell(method) for method in METHODS}


def show(made, results, before):
    """The tables, then where a method misses what another finds."""
    known = [one for one in made if all(one.key in run for run in (results, before) if run)]
    kind = {2: "pair", 3: "triple"}
    for planted in sorted({one.planted for one in known}):
        of_kind = [one for one in known if one.planted == planted]
        for names in (("correlation", "rows"), ("noise", "columns", "rows")):
            parts = sorted({tuple(getattr(one, name) for name in names) for one in of_kind})
            lines = []
            for part in parts:
                same = [one for one in of_kind if tuple(getattr(one, name) for name in names) == part]
                head = {kind[planted]: written(names, part), "tables": len(same)}
                lines.append({**head, **cells(same, results, before)})
            print(f"\nA {kind[planted]}, by {', '.join(names)}\n\n{markdown(lines)}")
    for method in OURS:
        missed = [one for one in known if results[one.key]["n/10"] and not results[one.key][method]]
        total = sum(results[one.key]["n/10"] for one in known)
        print(f"{method} misses {len(missed)} of the {total} that gamma = n/10 finds.")
        for names, group in itertools.groupby(sorted(missed, key=lambda one: one[:5]), lambda one: one[:5]):
            print(f"  {written(Made._fields[:5], names)}: {len(list(group))}")


def written(names, values):
    """The values of a part, in words."""

    def word(name, value):
        if name == "noise":
            return "noise" if value else "no noise"
        return f"{value:,} {name}" if name in ("rows", "columns", "planted") else f"{name} {value}"

    return ", ".join(map(word, names, values))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("planted.json"))
    parser.add_argument("--before", type=Path, help="results of other code")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    before = json.loads(given.before.read_text()) if given.before else {}
    made = tables(given.short)
    for one in made:
        known = results.setdefault(one.key, {})
        if lacking := [method for method in METHODS if method not in known]:
            known.update(measure(one, lacking))
            write_whole(given.out, json.dumps(results, indent=0))
    show(made, results, before)


if __name__ == "__main__":
    main()
