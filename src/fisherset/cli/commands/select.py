"""`fisherset select`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from fisherset._format import certificate_figures, certificate_sentence, counted
from fisherset.cli import options
from fisherset.cli import terminal as common
from fisherset.cli.bundles import Restrictions, bundled
from fisherset.cli.notes import printable
from fisherset.cli.options import Format
from fisherset.cli.outputs import PAGE, SELECTION, TABLE, as_cells, as_lines, format_of
from fisherset.cli.progress import ProgressBars
from fisherset.cli.source import LabelledSource

if TYPE_CHECKING:
    from fisherset.cli.request import Question
    from fisherset.report import ChosenFeature, Remark
    from fisherset.report.sizes import Sizes
    from fisherset.tables import LabelledTable, Selection

MARK = " *"  # of what is proven to be in every set as good
CHOSEN_UNASKED = 50  # features that are chosen where nobody says how many, of a table that has twice as many


@bundled
def select(
    source: LabelledSource,
    restrictions: Restrictions,
    k: Annotated[
        str | None,
        typer.Option(
            "-k",
            help='How many columns, or groups: a number; several, 5,10,20, or "auto" to compare on held-out '
            "rows. Default: 50, at most half of them.",
        ),
    ] = None,
    gamma: options.Gamma = "scale",
    solver: Annotated[
        str,
        typer.Option(help="joint; exact, which proves the best; or cutting-plane, the paper's Algorithm 1."),
    ] = "joint",
    time_limit: options.TimeLimit = None,
    max_nodes: options.MaxNodes = None,
    out: Annotated[Path | None, typer.Option(help="Keep the selection, selection.json, for `apply`.")] = None,
    report: options.ReportFile = None,
    write: Annotated[
        Path | None, typer.Option(help="Write the chosen columns and the target: .csv, .parquet, ...")
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    shown: options.Printed = Format.table,
    as_json: options.AsJson = False,
) -> None:
    """Choose the k best columns of a table together, and say how good they provably are.

    A column of texts is chosen with all of its values, each a feature `column=value`, and a number
    with the mark of where it is missing; -k counts columns, or with --groups the groups. Exit code
    2: the table or the request cannot be used, one sentence says why; 130: interrupted. While
    --solver exact searches, Ctrl-C ends the search and not the command: the best set so far is
    shown and written with a remark, the exit code is 0.

    Examples
    --------
      fisherset select genes.csv --target tumour -k 50

      fisherset select survey.parquet -t answer -k 20 --impute median --drop id --report report.html

      fisherset select genes.csv -t tumour -k 10 --solver exact --time-limit 60

      fisherset select cells.h5ad -t cell_type -k auto --out panel.json --write reduced.parquet

      fisherset select genes.csv -t tumour -k 5,10,20,50

      fisherset select expression.tsv.gz --transpose --labels samples.csv --on sample -t tumour -k 20

      fisherset select trial.csv -t relapse -k 8 --keep age,dose --adjust-for site --class-weight balanced

      fisherset select houses.csv -t price --task regression -k 10 --groups prefix

      fisherset select 'rows/*.parquet' -t label -k 50 --max-memory 2GB

      cat genes.csv | fisherset select - -t tumour -k 10 --format names
    """
    number, wanted = common.gamma_of(gamma), None if k is None else wanted_of(k)
    asked, compared = format_of(shown, as_json), isinstance(wanted, list) or wanted == "auto"
    lacking = None if solver == "exact" else "--solver exact"
    limits = common.limits_of(time_limit, max_nodes, lacking=lacking)
    if limits and (compared or number == "auto"):
        raise ValueError('--time-limit and --max-nodes must go with one -k and a --gamma other than "auto".')
    written = ((out, SELECTION), (report, PAGE), (write, TABLE))
    outputs = common.Outputs(*written, inputs=[*source.inputs, *restrictions.inputs], force=force)
    source.check()
    from fisherset.cli.answer import described, explained, fitted, page_for, values_of
    from fisherset.cli.commands.sizes import sizes_of
    from fisherset.cli.remarks import giveaways_in
    from fisherset.cli.request import question_of
    from fisherset.tables.write import table_content

    with outputs, source.opened() as path:
        silent, task = quiet or asked is not Format.table, restrictions.task
        table = source.table(path, silent, task, restrictions.split_texts, elsewhere=True)
        check_rows(table, report, write)
        question = question_of(table, restrictions)
        wanted = default_count(question) if wanted is None else wanted
        single = not compared and number != "auto"
        watched = solver == "exact" and single and not silent and sys.stderr.isatty()
        with ProgressBars(silent or watched, "selecting"):
            selector = fitted(question, wanted, number, solver, verbose=watched, **limits)
            if selector.status_.name == "INTERRUPTED" and not quiet:
                typer.echo("fisherset: interrupted; going on with the best set so far.", err=True)
            sizes = sizes_of(question, selector, tried(wanted, selector), solver) if compared else None
            found = explained(question, selector)
            remarks = giveaways_in(table, task.value)
            selection, rows = described(question, selector, found, solver, remarks, source, sizes)
        outputs.write(out, lambda: selection.as_json() + "\n")
        if report is not None:
            told: dict[str, Any] = {
                "sizes": sizes,
                "read": source.as_read(restrictions),
                "groups": restrictions.groups,
            }
            with ProgressBars(silent, "writing the report"):
                outputs.write(report, lambda: page_for(question, selector, found, solver, remarks, **told))
        if write is not None:
            names = [feature.name for feature in selection.features]
            values, y = values_of(table, names)
            about: dict[str, Any] = {"target": table.target, "task": task.value, "ids": table.identifiers()}
            outputs.write(write, lambda: table_content(write, values, names, y=y, **about))
    if asked is Format.table:
        console = common.console_of(quiet)
        _show(console, question, selector, selection, rows, remarks, sizes)
        for file in outputs.written:
            console.print(Text(f"Written: {file}"))
    else:
        print(answer_in(asked, selection, rows))  # typer would take signs out of names


def answer_in(asked: Format, selection: Selection, rows: Sequence[ChosenFeature]) -> str:
    """The answer for another program."""
    if asked is Format.json:
        return selection.as_json()
    if asked is Format.names:
        return as_lines([row.name for row in rows])
    return as_cells([row._asdict() for row in rows], asked)


def check_rows(table: LabelledTable, report: Path | None, write: Path | None) -> None:
    """A summary has no rows to draw or to write."""
    from fisherset import Summary

    for option, path in (("--report", report), ("--write", write)):
        if path is not None and isinstance(table.X, Summary):
            raise ValueError(
                f"{option} needs rows, and {table.path.name} is a summary of them. Leave it out."
            )


def wanted_of(text: str) -> int | str | list[int]:
    """What -k stands for: a number, several, or "auto"."""
    if text == "auto":
        return text
    return common.counts_of(text) if "," in text else common.count_of(text, ', several of them, or "auto"')


def tried(wanted: int | str | list[int], selector: Any) -> list[int]:
    """The sizes that are compared."""
    if isinstance(wanted, list):
        return wanted
    return [int(k) for k in sorted(set(selector.cv_results_["param_n_features_to_select"].tolist()))]


def default_count(question: Question) -> int:
    """How many features or groups are chosen where nobody says: few enough for there to be a choice."""
    n, what = question.n_allowed, question.grouping.noun
    k = max(1, len(question.keep), min(CHOSEN_UNASKED, n // 2))
    if k < CHOSEN_UNASKED:
        share = "as many as are kept" if k == len(question.keep) > n // 2 else "half"
        warnings.warn(f"-k was not given; {share} of the {n} {what} are chosen: {k}.", stacklevel=2)
    return k


def _show(
    console: Console,
    question: Question,
    selector: Any,
    selection: Selection,
    rows: Sequence[ChosenFeature],
    remarks: Sequence[Remark],
    sizes: Sizes | None,
) -> None:
    from fisherset.cli.answer import size_of, spread_of
    from fisherset.cli.remarks import show
    from fisherset.report import OWN_SCORES, proven_of, remarks_on

    noun, task = question.grouping.noun, question.task
    first = noun.removesuffix("s")
    summed = ",\nsummed" if any(row.n_features > 1 for row in rows) else ""
    own = OWN_SCORES[task].replace(" ", "\n") + summed
    shares = [row.shares(selection.objective) for row in rows]
    bounded = any(one.at_most for one in shares)
    left = ("F with\nit, %", "left\nout, %", *(("at\nmost, %",) if bounded else ()))  # room for names
    shown = common.grid(first, "best exchange", *left, "most correlated", "r", own, left=2)
    shown.columns[2 + len(left)].justify = "left"
    for row, one in zip(rows, shares, strict=True):
        others = ("" if name is None else printable(name) for name in (row.exchange, row.stand_in))
        exchange, nearest = map(Text, others)
        shown.add_row(
            Text(printable(row.shown) + (MARK if row.in_every else "")),
            exchange,
            *(one.exchanged, one.left_out, *((one.at_most,) if bounded else ())),
            nearest,
            f"{row.correlation:.2f}" if row.stand_in is not None else "",
            f"{row.fisher_score:.3f}",
        )
    console.print(Text(f"{selection.file}: {size_of(question)}, {spread_of(question, selector)}"))
    for heading, value in question.told:
        console.print(Text(printable(f"{heading}: {value}")))
    show(console, remarks)
    if sizes is not None:
        _show_sizes(console, sizes, noun)
    console.print(shown)
    for line in _key(bounded, any(row.in_every for row in rows)):
        console.print(Text(line))
    graded = len(rows), selection.gap, selection.upper_bound
    console.print(Text(certificate_sentence(*graded, optimal=selection.optimal, **question.words)))
    figures = certificate_figures(selection.objective, selection.upper_bound, selection.gamma)
    searched = f", {counted(selection.n_nodes, 'nodes')} searched" if selection.n_nodes else ""
    console.print(Text(figures + searched))
    if proven := proven_of(selector, noun):
        console.print(Text(proven))
    show(console, remarks_on(selector))


def _show_sizes(console: Console, sizes: Sizes, noun: str) -> None:
    """The sizes that were compared, and why the one that was chosen."""
    held_out = [f"held-out {sizes.measured}"] if sizes.scored else []
    shown = common.grid(noun, "F", "upper bound", "proven", *held_out, title=f"At gamma = {sizes.gamma:.6g}")
    for row in sizes.rows:
        score = [] if row.score is None else [f"{row.score:.3f} ± {row.error:.3f}"]
        style = "bold" if row.k == sizes.chosen else ""
        figures = f"{row.objective:.4f}", f"{row.upper_bound:.4f}", row.proven
        shown.add_row(*(Text(cell, style=style) for cell in (str(row.k), *figures, *score)))
    console.print(shown)
    console.print(Text(sizes.why))


def _key(bounded: bool, marked: bool) -> list[str]:
    """What the columns of the table hold."""
    key = ["F with it: what is left of F with the best exchange in its place; left out: with nothing there"]
    if marked:
        most = "; at most: what is left of F in any set without it" if bounded else ""
        key.append(f"{MARK.strip()} proven to be in every set as good as this one{most}")
    return key
