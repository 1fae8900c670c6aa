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
from fisherset.cli import common
from fisherset.cli.outputs import PAGE, SELECTION, TABLE
from fisherset.cli.progress import ProgressBars

if TYPE_CHECKING:
    from fisherset.cli.question import Question
    from fisherset.report import ChosenFeature, Remark
    from fisherset.tables import LabelledTable, Selection

MARK = " *"  # of what is proven to be in every set as good
CHOSEN_UNASKED = 50  # features that are chosen where nobody says how many, of a table that has twice as many


def select(
    file: common.Data,
    target: common.Target = None,
    k: Annotated[
        str | None,
        typer.Option(
            "-k", help='How many columns, or groups; "auto" to choose. Default: 50, at most half of them.'
        ),
    ] = None,
    gamma: common.Gamma = "scale",
    solver: Annotated[
        str,
        typer.Option(help="joint; exact, which proves the best; or cutting-plane, the paper's Algorithm 1."),
    ] = "joint",
    time_limit: common.TimeLimit = None,
    max_nodes: common.MaxNodes = None,
    task: common.Asked = common.Task.classification,
    drop: common.Drop = None,
    impute: common.Imputed = None,
    keep: common.Keep = None,
    exclude: common.Exclude = None,
    adjust_for: common.AdjustFor = None,
    groups: common.Groups = None,
    split_texts: common.SplitTexts = False,
    class_weight: common.Weighed = None,
    max_memory: common.MaxMemory = None,
    out: Annotated[Path | None, typer.Option(help="Keep the selection, selection.json, for `apply`.")] = None,
    report: common.ReportFile = None,
    write: Annotated[
        Path | None, typer.Option(help="Write the chosen columns and the target: .csv, .parquet, ...")
    ] = None,
    force: common.Force = False,
    quiet: common.Quiet = False,
    as_json: common.AsJson = False,
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

      fisherset select trial.csv -t relapse -k 8 --keep age,dose --adjust-for site --class-weight balanced

      fisherset select houses.csv -t price --task regression -k 10 --groups prefix

      fisherset select 'rows/*.parquet' -t label -k 50 --max-memory 2GB
    """
    number, wanted = common.gamma_of(gamma), None if k is None else count_of(k)
    lacking = None if solver == "exact" else "--solver exact"
    limits = common.limits_of(time_limit, max_nodes, lacking=lacking)
    if limits and "auto" in (number, wanted):
        raise ValueError('--time-limit and --max-nodes must go with a -k and a --gamma other than "auto".')
    asked = ((out, SELECTION), (report, PAGE), (write, TABLE))
    outputs = common.Outputs(*asked, inputs=common.files_read(file, groups), force=force)
    from fisherset.cli.answer import described, explained, fitted, page_for, values_of
    from fisherset.cli.question import question_of
    from fisherset.cli.remarks import giveaways_in
    from fisherset.tables.output import table_content

    with outputs:
        silent = quiet or as_json
        table = common.table_in(file, target, drop, impute, silent, task, split_texts, elsewhere=True)
        check_rows(table, report, write)
        question = question_of(
            table,
            keep=keep,
            exclude=exclude,
            adjust_for=adjust_for,
            groups=groups,
            split_texts=split_texts,
            drop=drop,
            class_weight=class_weight,
            task=task,
            max_memory=max_memory,
        )
        wanted = default_count(question) if wanted is None else wanted
        watched = solver == "exact" and "auto" not in (number, wanted) and not silent and sys.stderr.isatty()
        with ProgressBars(silent or watched, "selecting"):
            selector = fitted(question, wanted, number, solver, verbose=watched, **limits)
            if selector.status_.name == "INTERRUPTED" and not quiet:
                typer.echo("fisherset: interrupted; going on with the best set so far.", err=True)
            found = explained(question, selector)
            remarks = giveaways_in(table, task.value)
            selection, rows = described(question, selector, found, solver, remarks)
        outputs.write(out, lambda: selection.as_json() + "\n")
        if report is not None:
            filled = None if impute is None else impute.value
            read = {"drop": drop, "impute": filled, "split": split_texts}
            read |= {} if question.is_labelled else {"task": task.value}
            told: dict[str, Any] = {"read": read, "groups": groups}
            with ProgressBars(silent, "writing the report"):
                outputs.write(report, lambda: page_for(question, selector, found, solver, remarks, **told))
        if write is not None:
            names = [feature.name for feature in selection.features]
            values, y = values_of(table, names)
            about = {"target": table.target, "task": task.value}
            outputs.write(write, lambda: table_content(write, values, names, y=y, **about))
    if as_json:
        typer.echo(selection.as_json())
    else:
        _show(Console(quiet=quiet), question, selector, selection, rows, remarks)
        for path in (out, report, write):
            if path is not None:
                Console(quiet=quiet).print(Text(f"Written: {path}"))


def check_rows(table: LabelledTable, report: Path | None, write: Path | None) -> None:
    """A summary has no rows to draw or to write."""
    from fisherset import Summary

    for option, path in (("--report", report), ("--write", write)):
        if path is not None and isinstance(table.X, Summary):
            raise ValueError(
                f"{option} needs rows, and {table.path.name} is a summary of them. Leave it out."
            )


def count_of(text: str) -> int | str:
    """What -k stands for."""
    return text if text == "auto" else common.count_of(text, ', or "auto"')


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
) -> None:
    from fisherset.cli.answer import size_of, spread_of
    from fisherset.cli.remarks import show
    from fisherset.report import OWN_SCORES, proven_of, remarks_on

    noun, task = question.grouping.noun, question.task
    first = noun.removesuffix("s")
    own = OWN_SCORES[task] + (", summed" if any(row.n_features > 1 for row in rows) else "")
    shown = common.grid(first, "stand-in", "drop in F", "weight", own, "correlation", left=2)
    for row in rows:
        stand_in = "" if row.stand_in is None else common.printable(row.stand_in)
        shown.add_row(
            Text(common.printable(row.shown) + (MARK if row.in_every else "")),
            Text(stand_in),
            f"{row.drop:.4f}",
            f"{row.weight:.3f}",
            f"{row.fisher_score:.3f}",
            f"{row.correlation:.2f}" if row.stand_in is not None else "",
        )
    console.print(Text(f"{selection.file}: {size_of(question)}, {spread_of(question, selector)}"))
    for heading, value in question.told:
        console.print(Text(common.printable(f"{heading}: {value}")))
    show(console, remarks)
    console.print(shown)
    if any(row.in_every for row in rows):
        console.print(Text(f"{MARK.strip()} proven to be in every set as good as this one"))
    graded = len(rows), selection.gap, selection.upper_bound
    console.print(Text(certificate_sentence(*graded, optimal=selection.optimal, **question.words)))
    figures = certificate_figures(selection.objective, selection.upper_bound, selection.gamma)
    searched = f", {counted(selection.n_nodes, 'nodes')} searched" if selection.n_nodes else ""
    console.print(Text(figures + searched))
    if proven := proven_of(selector, noun):
        console.print(Text(proven))
    show(console, remarks_on(selector))
