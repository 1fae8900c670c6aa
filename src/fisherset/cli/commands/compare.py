"""`fisherset compare` and `fisherset demo`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from fisherset._format import certificate_sentence
from fisherset.cli import options
from fisherset.cli import terminal as common
from fisherset.cli.bundles import bundled
from fisherset.cli.outputs import PAGE
from fisherset.cli.progress import ProgressBars
from fisherset.cli.source import WholeSource

if TYPE_CHECKING:
    from fisherset import SelectionPath
    from fisherset.report import Remark
    from fisherset.tables import LabelledTable

COMPARED_SIZES = (5, 10, 20, 50, 100)
DEMO = (5, 10, 20, 30)


@bundled
def compare(
    source: WholeSource,
    k: Annotated[str | None, typer.Option("-k", help="Numbers of features, with commas: 5,10,20.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Random halves.")] = 5,
    methods: Annotated[
        str | None,
        typer.Option(
            help="With commas: hsic, fisher, laplacian, trace-ratio-fs, trace-ratio-ls, cutting-plane, joint."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds give other halves.")] = 0,
    report: options.ReportFile = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare all methods: accuracy of 1-nearest-neighbour against the number of features.

    Half of the rows choose the features and train, the other half tests; the paper's Algorithm 1
    takes part unasked in tables of up to 300 features. What --impute fills in comes from all rows.
    The target holds classes, and as most methods score features one by one, the values of a column
    of texts are compared as features `column=value`, each by itself. The certificates of all sizes
    are at one gamma, that of the largest, so that F can be compared.

    Examples
    --------
      fisherset compare genes.csv --target tumour --report compare.html

      fisherset compare genes.csv -t tumour -k 10,50 --methods fisher,joint --repeats 20
    """
    outputs = common.Outputs((report, PAGE), inputs=source.inputs, force=force)
    sizes = None if k is None else common.counts_of(k)
    source.check()
    from fisherset.cli.remarks import giveaways_in

    with outputs, source.opened() as file:
        table = source.table(file, quiet or as_json)
        sizes = sizes_for(sizes, len(table.features))
        asked = None if methods is None else [name.strip() for name in methods.split(",")]
        comparison = _compared(table, sizes, repeats, asked, seed, quiet or as_json)
        path, remarks = _certified(table, comparison.ks), giveaways_in(table)
        outputs.write(report, lambda: _page(table, path[-1].k, path.gamma, remarks, comparison))
    _show(comparison, path, remarks, quiet, as_json)
    if report is not None and not as_json:
        common.console_of(quiet).print(Text(f"Written: {report}"))


def demo(
    report: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("fisherset-demo.html"),
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Show why joint selection matters: all methods on handwritten digits, within a minute.

    Examples
    --------
      fisherset demo
    """
    outputs = common.Outputs((report, PAGE), force=force)
    from sklearn.datasets import load_digits

    from fisherset.tables import Feature, LabelledTable

    with outputs:
        X, y = load_digits(return_X_y=True)
        features = [Feature(f"pixel_{j // 8}_{j % 8}", f"pixel_{j // 8}_{j % 8}") for j in range(64)]
        table = LabelledTable(X, y, features, "digit", Path("handwritten digits"))
        console = common.console_of(quiet or as_json)
        console.print(Text(f"Handwritten digits: {len(y)} images of 8 x 8 pixels. Which pixels to look at?"))
        comparison = _compared(table, DEMO, 5, None, 0, quiet or as_json)
        path = _certified(table, DEMO)
        outputs.write(report, lambda: _page(table, DEMO[1], path.gamma, [], comparison))
    _show(comparison, path, [], quiet, as_json)
    if not as_json:
        console.print(Text(f"The page: {report.resolve()}"))


def sizes_for(asked: list[int] | None, n_features: int) -> list[int]:
    """The numbers of features to compare, of a table that has so many."""
    if asked is None:
        return [size for size in COMPARED_SIZES if size <= n_features] or [n_features]
    if asked[-1] > n_features:
        raise ValueError(f"-k must be at most the number of features, {n_features}; got {asked[-1]}.")
    return asked


def _compared(
    table: LabelledTable,
    sizes: Sequence[int],
    repeats: int,
    methods: list[str] | None,
    seed: int,
    quiet: bool,
) -> Any:
    from fisherset.evaluation import compare as run

    with ProgressBars(quiet) as bars:
        told = partial(bars, "comparing")
        return run(table.X, table.y, sizes, methods=methods, repeats=repeats, seed=seed, progress=told)


def _certified(table: LabelledTable, sizes: Sequence[int]) -> SelectionPath:
    """The joint selections of all sizes at one gamma, that of the largest."""
    from fisherset import selection_path
    from fisherset.cli.remarks import status_told_later
    from fisherset.cli.request import plain

    with status_told_later():
        return selection_path(table.X, table.y, sizes, **plain(table).parameters)


def _page(table: LabelledTable, k: int, gamma: float, remarks: Sequence[Remark], comparison: Any) -> str:
    from fisherset.cli.answer import explained, fitted, page_for
    from fisherset.cli.request import plain

    question = plain(table)
    selector = fitted(question, k, gamma, "joint")
    return page_for(question, selector, explained(question, selector), "joint", remarks, comparison)


def _show(
    comparison: Any, path: SelectionPath, remarks: Sequence[Remark], quiet: bool, as_json: bool
) -> None:
    from fisherset.cli.remarks import show
    from fisherset.evaluation import TITLES
    from fisherset.report import noise_remarks, status_remarks

    beside = {step.k: [*status_remarks(step.status), *noise_remarks(step.noise)] for step in path}
    if as_json:
        content = {
            "ks": comparison.ks,
            "accuracy": {method: scores.tolist() for method, scores in comparison.accuracy.items()},
            "gamma": path.gamma,
            "certificates": {
                str(step.k): {
                    "objective": step.objective,
                    "upper_bound": step.upper_bound,
                    "gap": step.gap,
                    "gamma": path.gamma,
                    "remarks": [remark.text for remark in beside[step.k]],
                }
                for step in path
            },
            "remarks": [remark.text for remark in remarks],
        }
        typer.echo(json.dumps(content))
        return
    console = common.console_of(quiet)
    title = "Accuracy of 1-nearest-neighbour on held-out rows, %"
    shown = common.grid("method", *(f"{k} features" for k in comparison.ks), title=title)
    best = {at: max(comparison.mean(m)[at] for m in comparison.accuracy) for at in range(len(comparison.ks))}
    for method in comparison.accuracy:
        mean, error = comparison.mean(method), comparison.error(method)
        cells = [
            Text(
                f"{100 * mean[at]:.1f} ± {100 * error[at]:.1f}", style="bold" if mean[at] == best[at] else ""
            )
            for at in range(len(comparison.ks))
        ]
        shown.add_row(Text(TITLES[method]), *cells)
    show(console, remarks)
    console.print(shown)
    for step in path:
        graded = certificate_sentence(step.k, step.gap, step.upper_bound, whose="Jointly chosen,")
        console.print(Text(graded))
        show(console, [remark for remark in beside[step.k] if remark.warns])
    console.print(Text(_criteria(path)))


def _criteria(path: SelectionPath) -> str:
    """F of all sizes, and the one gamma that makes them comparable."""
    reached = ", ".join(f"{step.objective:.4g}" for step in path)
    if len(path) == 1:
        return f"F = {reached} at gamma = {path.gamma:.6g}."
    return (
        f"F = {reached} with {', '.join(str(step.k) for step in path)} features, all at gamma = "
        f"{path.gamma:.6g}, the scale of {path[-1].k}."
    )
