"""`fisherset compare`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fisherset._format import NEGLIGIBLE, certificate_sentence, counted, enumerated, meant, proven_share
from fisherset.cli import options
from fisherset.cli.files import PAGE, Outputs, WholeFile
from fisherset.cli.options import Task, option
from fisherset.cli.terminal import ProgressBars, Screen, cell, grid, status_shown_later

if TYPE_CHECKING:
    from fisherset import SelectionPath
    from fisherset.cli.request import Request
    from fisherset.report import Remark

    Compared = tuple[Any, SelectionPath]  # the methods, and the joint selections with their certificates

COMPARED_SIZES = (5, 10, 20, 50, 100)  # without -k, as far as the table has so many features
METHODS = ("hsic", "fisher", "laplacian", "trace-ratio-fs", "trace-ratio-ls", "cutting-plane", "joint")


@options.command
def compare(
    source: WholeFile,
    task: Task | None = option(
        None, "classification: treat a target of integers as classes.", "--task", metavar="TASK"
    ),
    k: str | None = option(None, "Numbers of features, comma-separated: 5,10,20.", "-k", metavar="NUMBERS"),
    repeats: int = option(5, "Number of random splits.", least=1),
    methods: str | None = option(None, f"Comma-separated: {', '.join(METHODS)}.", metavar="NAMES"),
    keep: list[str] | None = options.USE_ROW_NUMBERS,
    seed: int = options.SEED,
    report: Path | None = options.REPORT,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    as_json: bool = options.AS_JSON,
) -> None:
    """Compare selection methods: accuracy of 1-nearest-neighbour against the number of features.

    Features are selected on a random half of the rows and tested on the other half, --repeats
    times. Without --methods all are compared; cutting-plane only up to 300 features. --impute uses
    all rows. Values of a text column are separate features `column=value`. F of all sizes is
    computed at the same gamma.

    Examples
    --------
      fisherset compare genes.csv --target tumour --report compare.html

      fisherset compare genes.csv -t tumour -k 10,50 --methods fisher,joint --repeats 20
    """
    outputs = Outputs((report, PAGE), inputs=source.inputs, force=force)
    given, named = None if k is None else options.parse_sizes(k), parse_methods(methods)
    source.check()
    from fisherset.cli.request import check_answerable, check_keep, plain_request

    silent = quiet or as_json
    with outputs, source.opened() as path:
        table = source.table(path, silent, task, named=keep or ())
        if table.task == "regression":
            raise ValueError(
                f"`compare` tells classes apart; the target {table.target!r} holds {table.target_range}. "
                f"Bin them, or use `select`."
            )
        check_answerable(table)
        check_keep(table, keep)
        request = plain_request(table)
        sizes = check_sizes(given, len(request.table.features))

        from fisherset.cli.answer import leakage_warnings  # and scikit-learn, which takes a second to load

        found = compared(request, sizes, silent, methods=named, repeats=repeats, seed=seed)
        leakage = leakage_warnings(request)
        Screen(silent).lines(request.headline)
        show(found, request, leakage, quiet=quiet, as_json=as_json)
        outputs.write(report, lambda: page_of(request, sizes[-1], found, leakage))
    outputs.show(Screen(silent))


def parse_methods(text: str | None) -> list[str] | None:
    """Parse --methods."""
    names = None if text is None else [name.strip() for name in text.split(",")]
    for name in names or ():
        if name not in METHODS:
            raise ValueError(f"--methods takes {', '.join(METHODS)}; got {name!r}.{meant(name, METHODS)}")
    return names


def check_sizes(given: list[int] | None, n_features: int) -> list[int]:
    """Return the sizes to compare of a table of so many features."""
    if given is None:
        return [size for size in COMPARED_SIZES if size <= n_features] or [n_features]
    if given[-1] > n_features:
        raise ValueError(f"-k must be at most {n_features}, the number of features; got {given[-1]}.")
    return given


def compared(request: Request, sizes: Sequence[int], silent: bool, **parameters: Any) -> Compared:
    """Compare the methods, and select jointly for all sizes at one gamma, that of the largest."""
    from fisherset import selection_path
    from fisherset.evaluation import compare as run

    with ProgressBars(silent) as bars, status_shown_later():
        progress = partial(bars, "comparing")
        comparison = run(request.table.X, request.table.y, sizes, progress=progress, **parameters)
        return comparison, selection_path(request.measured, None, comparison.ks, **request.parameters)


def page_of(request: Request, k: int, found: Compared, leakage: Sequence[Remark]) -> str:
    """Return the report of the joint selection of size k, with the comparison of the methods."""
    from fisherset.cli.answer import answered
    from fisherset.cli.sizes import compared_sizes, fitted

    comparison, certificates = found
    selector = fitted(request, k, certificates.gamma, "joint")
    sizes = compared_sizes(request, selector, comparison.ks, "joint", chosen=False)
    return answered(request, selector, "joint", leakage, sizes).page(comparison)


def show(
    found: Compared,
    request: Request,
    leakage: Sequence[Remark],
    *,
    quiet: bool,
    as_json: bool,
    **more: Any,
) -> None:
    """Print the accuracy of the methods, and the certificates of the joint selections; more with JSON."""
    from fisherset.cli.remarks import status_remarks, warn_beside
    from fisherset.report import noise_remarks

    comparison, certificates = found
    remarks = {step.k: [*status_remarks(step.status), *noise_remarks(step.noise)] for step in certificates}
    if as_json:
        warn_beside(leakage, *remarks.values(), quiet=quiet)
        content = _content(comparison, certificates, leakage, remarks)
        typer.echo(json.dumps({**content, **more, "target_range": request.target_range}))
        return
    screen = Screen(quiet)
    screen.warnings(leakage)
    _show_accuracy(screen, comparison)
    screen.lines(_proof(certificates), _criteria(certificates))
    for step in certificates:
        screen.warnings(remark for remark in remarks[step.k] if remark.warns)


def _content(
    comparison: Any,
    certificates: SelectionPath,
    leakage: Sequence[Remark],
    remarks: dict[int, list[Remark]],
) -> dict[str, Any]:
    """Return the comparison for JSON."""
    return {
        "ks": comparison.ks,
        "accuracy": {method: scores.tolist() for method, scores in comparison.accuracy.items()},
        "leaders": {str(k): comparison.leaders(k) for k in comparison.ks},
        "gamma": certificates.gamma,
        "certificates": {
            str(step.k): {
                **{name: getattr(step, name) for name in ("objective", "upper_bound", "gap")},
                "gamma": certificates.gamma,
                "remarks": [remark.text for remark in remarks[step.k]],
            }
            for step in certificates
        },
        "remarks": [remark.text for remark in leakage],
    }


def _show_accuracy(screen: Screen, comparison: Any) -> None:
    from fisherset.evaluation import TITLES

    title = "Accuracy of 1-nearest-neighbour on held-out rows, %"
    shown = grid("method", *(counted(k, "features") for k in comparison.ks), title=title)
    means = {method: comparison.mean(method) for method in comparison.accuracy}
    leaders = [comparison.leaders(k) for k in comparison.ks]
    for method, mean in means.items():
        figures = zip(mean, comparison.error(method), leaders, strict=True)
        cells = [
            cell(f"{100 * at:.1f} ± {100 * error:.1f}", bold=method in best) for at, error, best in figures
        ]
        shown.add_row(TITLES[method], *cells)
    screen.table(shown)
    screen.lines(*filter(None, [comparison.verdict()]))


def _proof(certificates: SelectionPath) -> str:
    """Return how near the best the joint selections are proven to be, all sizes in one sentence."""
    if all(step.upper_bound <= NEGLIGIBLE for step in certificates):
        return certificate_sentence(1, 0.0, 0.0)
    sizes, shares = (
        [str(step.k) for step in certificates],
        [proven_share(step.gap) for step in certificates],
    )
    return f"Joint sets of {enumerated(sizes)} features reach at least {enumerated(shares)} of the best F."


def _criteria(certificates: SelectionPath) -> str:
    """Return F of all sizes, and the one gamma that makes them comparable."""
    reached = ", ".join(f"{step.objective:.4g}" for step in certificates)
    if len(certificates) == 1:
        return f"F = {reached} at gamma = {certificates.gamma:.6g}."
    return (
        f"F = {reached} with {', '.join(str(step.k) for step in certificates)} features, all at gamma = "
        f"{certificates.gamma:.6g}, the default for {certificates[-1].k}."
    )
