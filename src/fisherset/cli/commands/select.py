"""`fisherset select`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fisherset._files import rows_as_text
from fisherset._format import certificate_figures, certificate_sentence, counted
from fisherset.cli import options
from fisherset.cli.files import PAGE, SELECTION, TABLE, LabelledFile, Outputs
from fisherset.cli.options import Format, Restrictions, option
from fisherset.cli.terminal import ProgressBars, Screen, cell, grid, printable

if TYPE_CHECKING:
    from fisherset.cli.answer import Answer
    from fisherset.report.comparisons import Sizes
    from fisherset.tables import LabelledTable

MARK = " *"  # of features that are proven to be essential


@options.command
def select(
    source: LabelledFile,
    restrictions: Restrictions,
    k: str | None = option(
        None,
        'How many columns, or groups: a number; several, 5,10,20, or "auto" to compare on held-out rows. '
        "Default: 50, at most half of them.",
        "-k",
    ),
    gamma: str = options.GAMMA,
    solver: str = option(
        "joint", "joint; exact, which proves the best; or cutting-plane, the paper's Algorithm 1."
    ),
    time_limit: float | None = options.TIME_LIMIT,
    max_nodes: int | None = options.MAX_NODES,
    out: Path | None = option(None, "Keep the selection, selection.json, for `apply`."),
    report: Path | None = options.REPORT,
    write: Path | None = option(None, "Write the chosen columns and the target: .csv, .parquet, ..."),
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    shown: Format = option(
        "table",
        "What is printed: a table to read, names a line each, csv, tsv or json (--json).",
        "--format",
    ),
    as_json: bool = options.AS_JSON,
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
    size, value = None if k is None else parse_k(k), options.parse_gamma(gamma)
    lacking = None if solver == "exact" else "--solver exact"
    limits = options.parse_limits(time_limit, max_nodes, lacking=lacking)
    if limits and (isinstance(size, list) or "auto" in (size, value)):
        raise ValueError('--time-limit and --max-nodes must go with one -k and a --gamma other than "auto".')
    printed = parse_format(shown, as_json)
    wanted = (out, SELECTION), (report, PAGE), (write, TABLE)
    outputs = Outputs(*wanted, inputs=[*source.inputs, *restrictions.inputs], force=force)
    source.check()
    from fisherset.cli.answer import find_answer
    from fisherset.cli.request import make_request

    with outputs, source.opened() as path:
        silent = quiet or printed != "table"
        table = source.table(path, silent, restrictions.task, restrictions.split_texts, report is not None)
        check_rows(table, report, write)
        request = make_request(table, source, restrictions)
        answer = find_answer(request, size, value, solver, limits, silent=silent, quiet=quiet)
        outputs.write(out, lambda: answer.selection.as_json() + "\n")
        with ProgressBars(silent or report is None, "writing the report"):
            outputs.write(report, answer.page)
        outputs.write(write, lambda: answer.reduced_table(Path(str(write))))
    if printed == "table":
        screen = Screen(quiet)
        show_answer(screen, answer)
        outputs.show(screen)
    else:
        print(formatted(answer, printed))  # typer would remove characters from names


def parse_k(text: str) -> int | str | list[int]:
    """Parse -k: a size, several, or "auto"."""
    if text == "auto":
        return text
    if "," in text:
        return options.parse_sizes(text)
    return options.parse_size(text, ', several of them, or "auto"')


def parse_format(given: Format, as_json: bool) -> Format:
    """Return the format that --format and --json give together."""
    if as_json and given not in ("table", "json"):
        raise ValueError(f"--json must not go with --format {given}; leave one of them out.")
    return "json" if as_json else given


def check_rows(table: LabelledTable, report: Path | None, write: Path | None) -> None:
    """Refuse to draw or to write the rows of a summary."""
    from fisherset import Summary

    for flag, path in (("--report", report), ("--write", write)):
        if path is not None and isinstance(table.X, Summary):
            raise ValueError(f"{flag} needs rows, and {table.path.name} is a summary of them. Leave it out.")


def formatted(answer: Answer, printed: Format) -> str:
    """Return the answer for another program."""
    if printed == "json":
        return answer.selection.as_json()
    if printed == "names":
        return "\n".join(printable(row.name) for row in answer.rows)  # for `certify --features -`
    name = printable if sys.stdout.isatty() else str  # a program gets the names as they are
    rows = [row._asdict() for row in answer.rows]
    return rows_as_text(rows, "," if printed == "csv" else "\t", "\n", name).rstrip("\n")


def show_answer(screen: Screen, answer: Answer) -> None:
    """Print the answer: the request, the features and the certificate."""
    from fisherset.report import proven_of, remarks_on

    request, selection, noun = answer.request, answer.selection, answer.request.grouping.noun
    screen.lines(f"{selection.file}: {request.size}, {answer.target_range}")
    screen.values(request.limits)
    screen.warnings(answer.leakage)
    if answer.sizes is not None:
        _show_sizes(screen, answer.sizes, noun)
    _show_features(screen, answer)
    graded = len(answer.rows), selection.gap, selection.upper_bound
    screen.lines(certificate_sentence(*graded, optimal=selection.optimal, **request.words))
    searched = f", {counted(selection.n_nodes, 'nodes')} searched" if selection.n_nodes else ""
    figures = certificate_figures(selection.objective, selection.upper_bound, selection.gamma)
    screen.lines(figures + searched, *filter(None, [proven_of(answer.selector, noun)]))
    screen.warnings(remarks_on(answer.selector))


def _show_sizes(screen: Screen, sizes: Sizes, noun: str) -> None:
    """Print the sizes that were compared, and the reason for the selected one."""
    held_out = [f"held-out {sizes.measured}"] if sizes.scored else []
    shown = grid(noun, "F", "upper bound", "proven", *held_out, title=f"At gamma = {sizes.gamma:.6g}")
    for row in sizes.rows:
        score = [] if row.score is None else [f"{row.score:.3f} ± {row.error:.3f}"]
        figures = f"{row.objective:.4f}", f"{row.upper_bound:.4f}", row.proven
        shown.add_row(*(cell(text, bold=row.k == sizes.chosen) for text in (str(row.k), *figures, *score)))
    screen.table(shown)
    screen.lines(sizes.why)


def _show_features(screen: Screen, answer: Answer) -> None:
    """Print the selected features in a table, and its key."""
    from fisherset.report import OWN_SCORES

    rows, request = answer.rows, answer.request
    shares = [row.shares(answer.selection.objective) for row in rows]
    bounded = any(one.at_most for one in shares)
    left = ("F with\nit, %", "left\nout, %", *(("at\nmost, %",) if bounded else ()))  # narrow, for long names
    summed = ",\nsummed" if any(row.n_features > 1 for row in rows) else ""
    own = OWN_SCORES[request.task].replace(" ", "\n") + summed
    first = request.grouping.noun.removesuffix("s")
    shown = grid(first, "best exchange", *left, "most correlated", "r", own, left=2)
    shown.columns[2 + len(left)].justify = "left"
    for row, one in zip(rows, shares, strict=True):
        shown.add_row(
            cell(row.shown + (MARK if row.in_every else "")),
            cell(row.exchange or ""),
            *(one.exchanged, one.left_out, *((one.at_most,) if bounded else ())),
            cell(row.stand_in or ""),
            f"{row.correlation:.2f}" if row.stand_in is not None else "",
            f"{row.fisher_score:.3f}",
        )
    screen.table(shown)
    key = "F with it: what is left of F with the best exchange in its place; left out: with nothing there"
    screen.lines(key)
    if any(row.in_every for row in rows):
        most = "; at most: what is left of F in any set without it" if bounded else ""
        screen.lines(f"{MARK.strip()} proven to be in every set as good as this one{most}")
