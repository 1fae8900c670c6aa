"""Tables of the paper with our figures next to the printed ones, and findings in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.evaluation import Difference, paired_difference
from fisherset.paper.experiment import Results
from fisherset.paper.protocol import (
    ACCURACY,
    METHOD_TITLES,
    METHODS,
    SHAPES,
    STUDIES,
    TEN_FEATURES,
    Method,
    studies_of,
)

LEVEL = 0.05  # of significance
SIDE = 32  # of the ORL images
GFS = ("gfs", "gfs-joint")


class Cell(NamedTuple):
    """A string, strong where it is the best of its column."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class ResultTable:
    """A titled table; the first cell of a row names it."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in GitHub's Markdown."""
        lines = [
            f"### {self.title}",
            "",
            _line(self.columns),
            _line(["---"] + ["---:"] * (len(self.columns) - 1)),
            *(_line([f"**{cell.text}**" if cell.strong else cell.text for cell in row]) for row in self.rows),
            "",
        ]
        return "\n".join([*lines, self.note, ""] if self.note else lines)


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def tables_for(results: Results, parts: Sequence[str]) -> list[ResultTable]:
    """The tables of some parts, then those that go with them."""
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
            tables += [_differences(results, curves, method, 10) for method in GFS]
        tables.append(_certificates(results, ran))
    return tables


def keys_run(results: Results, parts: Sequence[str]) -> list[str]:
    """The data sets of some parts that were available."""
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


def _sizes(results: Results) -> ResultTable:
    """Sizes of the data sets: those of the paper, since any others are refused."""
    rows = [
        (Cell(STUDIES[key].title), Cell(results.files[key]), *(Cell(str(number)) for number in SHAPES[key]))
        for key in STUDIES
        if key in results.files
    ]
    return ResultTable(
        "table1",
        "Table 1: the data sets",
        ("data set", "file", "samples", "features", "classes"),
        tuple(rows),
        "The sizes are those the paper gives: in its Table 1, and for ORL and USPS in sections 4.2 and 4.3.",
    )


def _by_method(
    key: str,
    title: str,
    columns: Sequence[str],
    cells: Callable[[Method], Sequence[Cell]],
    note: str = "",
    methods: Sequence[Method] = METHODS,
) -> ResultTable:
    """A table with a row for each method."""
    rows = tuple((Cell(method.title), *cells(method)) for method in methods)
    return ResultTable(key, title, tuple(columns), rows, note)


def _accuracies(results: Results, key: str, datasets: Sequence[str], size: str) -> ResultTable:
    best = {name: results.accuracy(name, best_printed(results, name)).mean() for name in datasets}

    def cells(method: Method) -> list[Cell]:
        row = []
        for name in datasets:
            ours, printed = results.accuracy(name, method.key), ACCURACY[name].get(method.key)
            strong = method.printed and np.isclose(ours.mean(), best[name], rtol=1e-12)
            paper = "-" if printed is None else f"{printed[0]:.2f} ± {printed[1]:.2f}"
            row += [Cell(spread(ours), bool(strong)), Cell(paper, method.key == "gfs")]
        return row

    names = STUDIES[datasets[0]].title if len(datasets) == 1 else "the UCI data sets"
    return _by_method(
        key,
        f"Table {key.removeprefix('table')}: accuracy (%) on {names}, {size}",
        ["method", *(head for name in datasets for head in (f"{STUDIES[name].title}, ours", "paper"))],
        cells,
        "Mean and standard deviation over the repeats. Bold: the best of the paper's methods.",
    )


def _curve(results: Results, key: str, dataset: str) -> ResultTable:
    sizes = (5, 10, 20, 50, 100)
    return _by_method(
        key,
        f"Figure {key.removeprefix('figure')} in numbers: mean accuracy (%) on {STUDIES[dataset].title}",
        ["method", *(f"{k} features" for k in sizes)],
        lambda method: [Cell(f"{results.accuracy(dataset, method.key, k).mean():.1f}") for k in sizes],
    )


def _mirrors(results: Results) -> ResultTable:
    def cells(method: Method) -> list[Cell]:
        shares = [100 * mirror_share(run.features) for run in results.of("orl", method.key)]
        return [Cell(spread(np.array(shares)))]

    return _by_method(
        "figure2",
        "Figure 2 in numbers: selected pixels whose mirror image is selected too (%)",
        ["method", "ORL, 100 of 1024 pixels"],
        cells,
        "100 pixels drawn at random would have 9.7 %. The paper gives no number.",
        [method for method in METHODS if method.key in ("fisher", *GFS)],
    )


def _differences(results: Results, datasets: Sequence[str], method: str, k: int | None = None) -> ResultTable:
    where = "" if k is None else f" with {k} features"
    others = [other for other in METHODS if other.key != method]
    found = {
        (other.key, dataset): compared(results, dataset, method, other.key, k)
        for other in others
        for dataset in datasets
    }
    untested = any(np.isnan(difference.p) for difference in found.values())
    return _by_method(
        f"differences-{method}" + ("" if k is None else f"-{k}"),
        f"{METHOD_TITLES[method]} less each other method{where}: accuracy (points)",
        ["less", *(STUDIES[dataset].title for dataset in datasets)],
        lambda other: [_tested(found[other.key, dataset]) for dataset in datasets],
        f"In brackets the p-values of two paired tests over the repeats: the t-test, and the same with the "
        f"variance of Nadeau and Bengio (2003), which allows for the samples the repeats share. Star: "
        f"below {LEVEL} by the t-test. Bold: by both. Not corrected for the number of tests."
        + " Dash: too few repeats, or all with the same difference, for a test."
        * untested,
        others,
    )


def _tested(difference: Difference) -> Cell:
    star = "*" if difference.p < LEVEL else ""
    p_values = f"({_p(difference.p)}, {_p(difference.p_corrected)})"
    return Cell(f"{difference.mean:+.2f}{star} {p_values}", difference.p_corrected < LEVEL)


def _p(value: float) -> str:
    if np.isnan(value):
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _certificates(results: Results, datasets: Sequence[str]) -> ResultTable:
    def cells(method: Method) -> list[Cell]:
        shares = [[100 * run.share for run in results.of(dataset, method.key)] for dataset in datasets]
        return [Cell(f"{np.mean(share):.1f}") for share in shares]

    return _by_method(
        "certificates",
        "The certificate: the Fisher criterion reached, in % of the upper bound over all sets of that size",
        ["method", *(STUDIES[dataset].title for dataset in datasets)],
        cells,
        "At the gamma cross-validation chose for the joint solver, mean over the repeats. What lacks to 100 "
        "is the most that any other set of that size could gain.",
    )


def as_image(values: NDArray[Any]) -> NDArray[Any]:
    """The 32 x 32 image of 1024 values: the files hold it column by column."""
    return values.reshape(SIDE, SIDE).T


def mirror_share(features: Sequence[int]) -> float:
    """Share of the selected pixels whose mirror image, left for right, is selected too."""
    mask = np.zeros(SIDE * SIDE, dtype=bool)
    mask[list(features)] = True
    image = as_image(mask)
    return float(np.sum(image & image[:, ::-1]) / max(1, len(features)))


def findings_for(results: Results, parts: Sequence[str]) -> list[str]:
    """Sentences on each data set behind the parts that were run."""
    ran = keys_run(results, parts)
    sentences = [
        sentence for dataset in ran for sentence in (_best(results, dataset), _closeness(results, dataset))
    ]
    for study in studies_of(parts):
        used = results.files.get(study.key, study.files[0])
        if used != study.files[0]:
            sentences.append(
                f"{study.title}: {study.files[0]} was not available, and {used} was used instead; its "
                f"figures are farther from the paper's."
            )
    for dataset in (key for key in ran if key in TEN_FEATURES):
        printed = TEN_FEATURES[dataset]
        ours = {method: results.accuracy(dataset, method, 10).mean() for method in printed}
        sentences.append(
            f"{STUDIES[dataset].title} with 10 features: GFS (Algorithm 1) {ours['gfs']:.1f} %, Fisher "
            f"score {ours['fisher']:.1f} % (paper: about {printed['gfs']:.0f} % and roughly "
            f"{printed['fisher']:.0f} %)."
        )
    return sentences


def _best(results: Results, dataset: str) -> str:
    """Whether GFS is the best of the paper's methods, and how sure that is."""
    title, best = STUDIES[dataset].title, best_printed(results, dataset)
    means = {method: results.accuracy(dataset, method).mean() for method in ("gfs", "gfs-joint", best)}
    joint = f"the joint solver reaches {means['gfs-joint']:.2f} %"
    if best != "gfs":
        difference = compared(results, dataset, "gfs", best)
        verdict = "significant" if difference.p_corrected < LEVEL else "not significant"
        sure = f"{verdict} (p = {difference.p:.3f}, corrected {difference.p_corrected:.3f})"
        if np.isnan(difference.p):
            sure = "not to be tested with so few repeats"
        return (
            f"{title}: GFS (Algorithm 1) is NOT the best of the paper's methods: {METHOD_TITLES[best]} has "
            f"{means[best]:.2f} % against its {means['gfs']:.2f} %; the difference is {sure}; {joint}."
        )
    others = [method for method in ACCURACY[dataset] if method != "gfs"]
    tested = {method: compared(results, dataset, "gfs", method) for method in others}
    better = [METHOD_TITLES[method] for method, found in tested.items() if found.p_corrected < LEVEL]
    beaten = "without a significant difference to any"
    if better:
        beaten = f"significantly better than {', '.join(better)}"
    elif any(np.isnan(found.p) for found in tested.values()):
        beaten = "too few repeats for a test of all differences"
    return (
        f"{title}: GFS (Algorithm 1) is the best of the paper's methods with {means['gfs']:.2f} %, "
        f"{beaten}; {joint}."
    )


def _closeness(results: Results, dataset: str) -> str:
    """Which means lie within two of the paper's standard deviations of the paper's means."""
    far = []
    for method, (mean, deviation) in ACCURACY[dataset].items():
        ours = results.accuracy(dataset, method).mean()
        if abs(ours - mean) > 2 * deviation:
            far.append(f"{METHOD_TITLES[method]} ({ours:.2f} % against {mean:.2f} ± {deviation:.2f} %)")
    title = STUDIES[dataset].title
    if not far:
        return f"{title}: all six means lie within two of the paper's standard deviations of the paper's."
    return f"{title}: farther than two of the paper's standard deviations from the paper's: {', '.join(far)}."
