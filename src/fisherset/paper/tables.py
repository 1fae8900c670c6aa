"""The paper's tables with our figures beside the printed ones; also paired tests and certificates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fisherset._types import Floats
from fisherset.evaluation import Difference, paired_difference
from fisherset.paper.methods import METHODS, TITLES
from fisherset.paper.mirror import mirror_share
from fisherset.paper.printed import ACCURACY, SIZES
from fisherset.paper.protocol import STUDIES, studies_of
from fisherset.paper.results import Results
from fisherset.paper.table import Cell, Table

LEVEL = 0.05  # of significance
FEW = 10  # the size of the paper's remark on USPS
SMALL = (5, 10, 20, 50, 100)  # sizes of the curves also given in numbers
GFS = ("gfs", "gfs-joint")


def tables_for(results: Results, parts: Sequence[str]) -> list[Table]:
    """The tables of the parts asked for, then those that go with them."""
    uci = keys_run(results, ["table2"])
    builders = {
        "table1": lambda: _sizes(results),
        "table2": lambda: _accuracies(results, "table2", uci, "half of the features"),
        "table3": lambda: _accuracies(results, "table3", ("orl",), "100 features"),
        "table4": lambda: _accuracies(results, "table4", ("usps",), "100 features"),
        "figure1": lambda: _curve(results, "figure1", "orl"),
        "figure2": lambda: _mirrors(results),
        "figure3": lambda: _curve(results, "figure3", "usps"),
    }
    tables = [builders[part]() for part in parts]
    ran = keys_run(results, parts)
    if ran:
        tables += [_differences(results, ran, method) for method in GFS]
        curves = [key for key in ran if len(STUDIES[key].ks) > 1]
        if curves:
            tables += [_differences(results, curves, method, FEW) for method in GFS]
        tables.append(_certificates(results, ran))
    return tables


def keys_run(results: Results, parts: Sequence[str]) -> list[str]:
    """The data sets behind some parts that were to be had."""
    return [study.key for study in studies_of(parts) if results.of(study.key, "gfs")]


def spread(values: Floats) -> str:
    """Mean and standard deviation over the repeats, as the paper prints them."""
    if values.size < 2:
        return f"{values.mean():.2f}"
    return f"{values.mean():.2f} ± {values.std(ddof=1):.2f}"


def compared(results: Results, dataset: str, first: str, second: str, k: int | None = None) -> Difference:
    """The paired difference of two methods with k features, or the table's number when None."""
    return paired_difference(results.accuracy(dataset, first, k), results.accuracy(dataset, second, k))


def best_printed(results: Results, dataset: str) -> str:
    """The method of the paper with the best mean in one column; of equals the last, which is GFS."""
    means = {method.key: results.accuracy(dataset, method.key).mean() for method in METHODS if method.printed}
    return max(reversed(list(means)), key=lambda key: round(means[key], 9))


def _sizes(results: Results) -> Table:
    """Data of another size than the paper's is refused, so that there is one number to show."""
    rows = [
        (Cell(STUDIES[key].title), Cell(results.files[key]), *(Cell(str(number)) for number in SIZES[key]))
        for key in STUDIES
        if key in results.files
    ]
    return Table(
        "table1",
        "Table 1: the data sets",
        ("data set", "file", "samples", "features", "classes"),
        tuple(rows),
        "The sizes are those the paper gives: in its Table 1, and for ORL and USPS in sections 4.2 and 4.3.",
    )


def _accuracies(results: Results, key: str, datasets: Sequence[str], size: str) -> Table:
    number = key.removeprefix("table")
    names = ", ".join(STUDIES[name].title for name in datasets) if len(datasets) == 1 else "the UCI data sets"
    columns = ["method"]
    for name in datasets:
        columns += [f"{STUDIES[name].title}, ours", "paper"]
    best = {name: results.accuracy(name, best_printed(results, name)).mean() for name in datasets}
    rows = []
    for method in METHODS:
        row = [Cell(method.title)]
        for name in datasets:
            ours = results.accuracy(name, method.key)
            strong = method.printed and np.isclose(ours.mean(), best[name], rtol=1e-12)
            row.append(Cell(spread(ours), bool(strong)))
            printed = ACCURACY[name].get(method.key)
            row.append(
                Cell("-")
                if printed is None
                else Cell(f"{printed[0]:.2f} ± {printed[1]:.2f}", method.key == "gfs")
            )
        rows.append(tuple(row))
    return Table(
        key,
        f"Table {number}: accuracy (%) on {names}, {size}",
        tuple(columns),
        tuple(rows),
        "Mean and standard deviation over the repeats. Bold: the best of the paper's methods.",
    )


def _curve(results: Results, key: str, dataset: str) -> Table:
    rows = []
    for method in METHODS:
        values = [results.accuracy(dataset, method.key, k) for k in SMALL]
        rows.append((Cell(method.title), *(Cell(f"{value.mean():.1f}") for value in values)))
    return Table(
        key,
        f"Figure {key.removeprefix('figure')} in numbers: mean accuracy (%) on {STUDIES[dataset].title}",
        ("method", *(f"{k} features" for k in SMALL)),
        tuple(rows),
    )


def _mirrors(results: Results) -> Table:
    rows = [
        (
            Cell(TITLES[method]),
            Cell(spread(100 * np.array([mirror_share(run.features) for run in results.of("orl", method)]))),
        )
        for method in ("fisher", *GFS)
    ]
    return Table(
        "figure2",
        "Figure 2 in numbers: chosen pixels whose mirror image is chosen too (%)",
        ("method", "ORL, 100 of 1024 pixels"),
        tuple(rows),
        "100 pixels drawn at random would have 9.7 %. The paper gives no number.",
    )


def _differences(results: Results, datasets: Sequence[str], method: str, k: int | None = None) -> Table:
    rows, where = [], "" if k is None else f" with {k} features"
    for other in METHODS:
        if other.key == method:
            continue
        row = [Cell(other.title)]
        for dataset in datasets:
            difference = compared(results, dataset, method, other.key, k)
            row.append(Cell(_tested(difference), difference.p_corrected < LEVEL))
        rows.append(tuple(row))
    return Table(
        f"differences-{method}" + ("" if k is None else f"-{k}"),
        f"{TITLES[method]} less each other method{where}: accuracy (points)",
        ("less", *(STUDIES[dataset].title for dataset in datasets)),
        tuple(rows),
        f"In brackets the p-values of two paired tests over the repeats: the t-test, and the same with the "
        f"variance of Nadeau and Bengio (2003), which allows for the samples the repeats share. Star: "
        f"below {LEVEL} by the t-test. Bold: by both. Not corrected for the number of tests.",
    )


def _tested(difference: Difference) -> str:
    star = "*" if difference.p < LEVEL else ""
    return f"{difference.mean:+.2f}{star} ({_p(difference.p)}, {_p(difference.p_corrected)})"


def _p(value: float) -> str:
    if np.isnan(value):
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _certificates(results: Results, datasets: Sequence[str]) -> Table:
    rows = []
    for method in METHODS:
        shares = [
            np.array([100 * run.share for run in results.of(dataset, method.key)]) for dataset in datasets
        ]
        rows.append((Cell(method.title), *(Cell(f"{share.mean():.1f}") for share in shares)))
    return Table(
        "certificates",
        "The certificate: the Fisher criterion reached, in % of the upper bound over all sets of that size",
        ("method", *(STUDIES[dataset].title for dataset in datasets)),
        tuple(rows),
        "At the gamma cross-validation chose for the joint solver, mean over the repeats. What lacks to 100 "
        "is the most that any other set of that size could gain.",
    )
