"""`fisherset alternatives`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from fisherset._format import counted
from fisherset.cli import options
from fisherset.cli import terminal as common
from fisherset.cli.bundles import Restrictions, bundled
from fisherset.cli.notes import printable
from fisherset.cli.outputs import PAGE
from fisherset.cli.progress import ProgressBars
from fisherset.cli.source import LabelledSource

if TYPE_CHECKING:
    from fisherset import NearBest
    from fisherset.cli.request import Question
    from fisherset.report import Remark

FEATURES_SHOWN, SETS_LISTED, STAND_INS_SHOWN = 40, 5, 5  # in the terminal


@bundled
def alternatives(
    source: LabelledSource,
    restrictions: Restrictions,
    k: Annotated[str, typer.Option("-k", help="How many columns, or groups, the sets have.")],
    within: Annotated[
        float, typer.Option(help="How far below the best F the sets may be, as a share: 0.01 for 1 %.")
    ] = 0.01,
    max_sets: Annotated[int, typer.Option(min=1, help="Most sets that are listed.")] = 1000,
    time_limit: options.TimeLimit = None,
    gamma: options.Gamma = "scale",
    report: options.ReportFile = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """List all sets of k columns nearly as good as the best: what can be replaced, and by what.

    For whoever must do without a column, such as a gene without a good probe: which columns are in
    every good set, which are in some, and what stands in for them. Says whether the list is proven
    to be complete.

    Examples
    --------
      fisherset alternatives genes.csv --target tumour -k 10

      fisherset alternatives genes.csv -t tumour -k 10 --within 0.005 --time-limit 60 --report page.html

      fisherset alternatives sensors.parquet -t fault -k 6 --exclude thermometer --json
    """
    number, size = common.gamma_of(gamma, fixed=True), common.count_of(k)
    check_within(within)
    limits = common.limits_of(time_limit)
    outputs = common.Outputs((report, PAGE), inputs=[*source.inputs, *restrictions.inputs], force=force)
    source.check()
    from fisherset.cli.remarks import giveaways_in, status_told_later
    from fisherset.cli.request import question_of
    from fisherset.report import status_remarks

    with outputs, source.opened() as path:
        silent = quiet or as_json
        table = source.table(path, silent, restrictions.task, restrictions.split_texts, elsewhere=True)
        question = question_of(table, restrictions)
        question.check_count(size)
        with ProgressBars(silent, "looking for other sets"), status_told_later():
            asked = {"gamma": number, "within": within, "max_sets": max_sets, **limits}
            found = found_for(question, size, asked)
            remarks = giveaways_in(table, question.task)
        if report is not None:
            with ProgressBars(silent, "writing the report"):
                outputs.write(report, lambda: _page(question, found, remarks))
    if as_json:
        told = [remark.text for remark in (*remarks, *status_remarks(found.status))]
        typer.echo(json.dumps({**content_of(found), "remarks": told}))
        return
    _show(common.console_of(quiet), question, found, remarks)
    if report is not None:
        common.console_of(quiet).print(Text(f"Written: {report}"))


def check_within(within: float) -> None:
    """Refuse what the library would, by the name of the option."""
    if not 0 <= within < 1:
        raise ValueError(f"--within must be at least 0 and below 1; got {within:g}. 0.01 is one per cent.")


def found_for(question: Question, k: int, asked: dict[str, Any]) -> NearBest:
    """The sets, in the words of the question."""
    from fisherset import near_best

    table, grouping = question.table, question.grouping
    more = {**asked, "task": question.task, "keep": question.kept, **question.parameters}
    found = near_best(table.X, table.y, k, **more)
    return replace(found, names=list(grouping.labels), what=grouping.noun)


def content_of(found: NearBest) -> dict[str, Any]:
    """What was found, for machines: columns by name."""
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
        "objective": found.objective,
        "upper_bound": found.upper_bound,
        "gamma": found.gamma,
        "within": found.within,
        "status": found.status.name,
        "task": found.task,
        "what": found.what,
    }


def _show(console: Console, question: Question, found: NearBest, remarks: Sequence[Remark]) -> None:
    from fisherset.cli.answer import size_of
    from fisherset.cli.remarks import show
    from fisherset.report import alternative_features, alternative_sets

    console.print(Text(f"{question.table.path.name}: {size_of(question)}"))
    for heading, value in question.told:
        console.print(Text(printable(f"{heading}: {value}")))
    show(console, remarks)
    rows, below = alternative_features(found), f"below {100 * (1 - found.within):.6g} %"
    below = below if found.complete else ""
    shown = common.grid(found.what.removesuffix("s"), "stand-ins", "in sets", "without it", left=2)
    for row in rows[:FEATURES_SHOWN]:
        more = len(row.stand_ins) - STAND_INS_SHOWN
        others = ", ".join(row.stand_ins[:STAND_INS_SHOWN]) + (f" and {more} more" if more > 0 else "")
        without = "kept" if row.kept else below if row.without is None else f"{100 * row.without:.2f} %"
        name, others = printable(row.name), printable(others)
        shown.add_row(Text(name), Text(others), f"{100 * row.share:.0f} %", without)
    console.print(shown)
    if len(rows) > FEATURES_SHOWN:
        console.print(Text(f"and {len(rows) - FEATURES_SHOWN} more"))
    for sentence in found.sentences:
        console.print(Text(printable(sentence)))
    if len(found.sets) > 1:
        rest = ", besides what all have" if found.core else ""
        console.print(Text(f"The best {min(len(found.sets), SETS_LISTED)}{rest}:"))
        for one in alternative_sets(found, SETS_LISTED):
            listed = printable(", ".join(one.others))
            console.print(Text(f"{one.rank}. {listed} ({100 * one.share:.2f} %)"))


def _page(question: Question, found: NearBest, remarks: Sequence[Remark]) -> str:
    from fisherset.cli.answer import size_of
    from fisherset.report import alternatives_page, build_alternatives

    table, noun, k = question.table, found.what, len(found.sets[0])
    asked = [
        ("Table", f"{table.path.name}: {size_of(question)}"),
        ("Target", table.target),
        (f"{noun.capitalize()} in a set", str(k)),
        *question.together,
        *question.told,
        ("Within", f"{100 * found.within:g} % of the best"),
        ("Regulariser gamma", f"{found.gamma:.6g}, {found.gamma / table.n_rows:.3g} n"),
    ]
    title = f"Sets of {counted(k, noun)} of {table.path.name}"
    return alternatives_page(build_alternatives(found), title=title, asked=asked, remarks=remarks)
