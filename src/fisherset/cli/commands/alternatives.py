"""`fisherset alternatives`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fisherset._format import counted, listed
from fisherset.cli import options
from fisherset.cli.files import PAGE, LabelledFile, Outputs
from fisherset.cli.grid import Column, fitted_grid
from fisherset.cli.options import REQUIRED, Restrictions, option
from fisherset.cli.terminal import ProgressBars, Screen, status_shown_later

if TYPE_CHECKING:
    from fisherset import NearBest
    from fisherset.cli.request import Request
    from fisherset.report import AlternativeFeature, Remark

LISTED_FEATURES, LISTED_SETS, LISTED_SUBSTITUTES = 40, 5, 5  # in the terminal


@options.command
def alternatives(
    source: LabelledFile,
    restrictions: Restrictions,
    k: str = option(REQUIRED, "Number of columns or groups in a set.", "-k", metavar="NUMBER"),
    within: float = option(0.01, "Largest relative distance from the best F: 0.01 for 1 %."),
    max_sets: int = option(1000, "Stop after this many sets.", least=1),
    time_limit: float | None = options.TIME_LIMIT,
    gamma: str = options.GAMMA,
    report: Path | None = options.REPORT,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    as_json: bool = options.AS_JSON,
) -> None:
    """List all sets of k columns that are nearly as good as the best, and which columns are interchangeable.

    Shows which columns are in every near-best set, which are in some, and their substitutes, for
    example when a gene has no good probe. Says whether the list is proven complete.

    Examples
    --------
      fisherset alternatives genes.csv --target tumour -k 10

      fisherset alternatives genes.csv -t tumour -k 10 --within 0.005 --time-limit 60 --report page.html

      fisherset alternatives sensors.parquet -t fault -k 6 --exclude thermometer --json
    """
    value, size = options.parse_gamma(gamma, fixed=True), options.parse_size(k)
    if not 0 <= within < 1:
        raise ValueError(f"--within must be at least 0 and below 1 (0.01 is 1 %); got {within:g}.")
    limits = options.parse_limits(time_limit)
    outputs = Outputs((report, PAGE), inputs=[*source.inputs, *restrictions.inputs], force=force)
    source.check()
    from fisherset.cli.request import make_request

    with outputs, source.opened() as path:
        silent = quiet or as_json
        how = restrictions.task, restrictions.split_texts, report is not None
        table = source.table(path, silent, *how, named=restrictions.named)
        request = make_request(table, source, restrictions)
        request.check_size(size)
        from fisherset.cli.answer import leakage_warnings  # and scikit-learn, which takes a second to load
        from fisherset.cli.remarks import remark_texts, status_remarks, warn_beside

        with ProgressBars(silent, "searching near-best sets"), status_shown_later():
            search = {"gamma": value, "within": within, "max_sets": max_sets, **limits}
            found = near_best_sets(request, size, search)
            leakage = leakage_warnings(request)
        ended = status_remarks(found.status)
        told = replace(found, status=type(found.status)["CONVERGED"])  # as the remark says how it ended
        if as_json:
            warn_beside(leakage, ended, quiet=quiet)
            typer.echo(
                json.dumps(
                    {**as_content(found, request.target_range), "remarks": remark_texts(leakage, ended)}
                )
            )
        else:
            screen = Screen(quiet)
            screen.lines(request.headline)
            screen.values(request.limits)
            screen.warnings(leakage)
            _show(screen, told)
            screen.warnings(ended)
        with ProgressBars(silent or report is None, "writing the report"):
            outputs.write(report, lambda: _page(request, told, [*leakage, *ended], max_sets))
        outputs.show(Screen(silent))


def near_best_sets(request: Request, k: int, search: dict[str, Any]) -> NearBest:
    """Search the near-best sets of a request."""
    from fisherset import near_best

    grouping = request.grouping
    parameters = {**search, "task": request.task, "keep": request.kept, **request.parameters}
    found = near_best(request.measured, None, k, **parameters)
    return replace(found, names=list(grouping.labels), what=grouping.noun)


def as_content(found: NearBest, target_range: str = "") -> dict[str, Any]:
    """Return the near-best sets for JSON: columns by name."""
    names = found.names
    often = {names[j]: float(share) for j, share in enumerate(found.frequencies) if share > 0}
    return {
        "sets": [[names[j] for j in one] for one in found.sets],
        "objectives": found.objectives.tolist(),
        "complete": found.complete,
        "core": [names[j] for j in found.core],
        "frequencies": often,
        "stand_ins": {names[j]: [names[i] for i in others] for j, others in found.stand_ins.items()},
        "exchangeable": [[names[j] for j in group] for group in found.exchangeable],
        **{name: getattr(found, name) for name in ("objective", "upper_bound", "gamma", "within")},
        "status": found.status.name,
        "task": found.task,
        "target_range": target_range,
        "what": found.what,
    }


def _show(screen: Screen, found: NearBest) -> None:
    """Print the features of the sets with their substitutes, and the first sets."""
    from fisherset.report import alternative_features, alternative_sets

    rows = alternative_features(found)
    below = f"below {100 * (1 - found.within):.6g} %" if found.complete else ""
    some = rows[:LISTED_FEATURES]
    columns = [
        Column(found.what.removesuffix("s"), [row.name for row in some], names=True),
        Column(
            "substitutes", [listed(row.stand_ins, LISTED_SUBSTITUTES) for row in some], names=True, rank=2
        ),
        Column("in sets", [f"{100 * row.share:.0f} %" for row in some]),
        Column("F without it", [_without(row, below) for row in some], rank=1),
    ]
    screen.table(fitted_grid(columns, screen.width))
    if len(rows) > LISTED_FEATURES:
        screen.lines(f"and {len(rows) - LISTED_FEATURES} more")
    screen.lines(*found.sentences)
    if len(found.sets) > 1:
        rest = " (without the columns in all of them)" if found.core else ""
        screen.lines(f"The best {min(len(found.sets), LISTED_SETS)}{rest}:")
        for one in alternative_sets(found, LISTED_SETS):
            screen.lines(f"{one.rank}. {', '.join(one.others)} ({100 * one.share:.2f} %)")


def _without(row: AlternativeFeature, below: str) -> str:
    """Return what is left of the best F in a set without a feature."""
    if row.kept:
        return "required"
    return below if row.without is None else f"{100 * row.without:.2f} %"


def _page(request: Request, found: NearBest, remarks: Sequence[Remark], max_sets: int) -> str:
    from fisherset.cli.provenance import provenance, python_lines
    from fisherset.report import alternatives_page, build_alternatives

    table, noun, k = request.table, found.what, len(found.sets[0])
    size, share = (f"{noun.capitalize()} in a set", str(k)), f"{100 * found.within:g} % of the best"
    asked = request.described(table.target, size, found.gamma, ("Within", share))
    task = None if request.task == "classification" else request.task
    search = {"within": found.within, "gamma": float(found.gamma), "max_sets": max_sets, "task": task}
    return alternatives_page(
        build_alternatives(found),
        title=f"Sets of {counted(k, noun)} of {table.path.name}",
        line=request.line(k, "in a set"),
        asked=asked,
        remarks=remarks,
        provenance=provenance(request, python_lines(request, "near_best", k, search)),
    )
