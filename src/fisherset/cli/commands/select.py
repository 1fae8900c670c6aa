"""`fisherset select`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fisherset._files import rows_as_text, safe_cell
from fisherset.cli import options
from fisherset.cli.files import PAGE, SELECTION, STANDARD_OUTPUT, TABLE, LabelledFile, Outputs
from fisherset.cli.options import Format, Restrictions, option
from fisherset.cli.terminal import ProgressBars, Screen, printable

if TYPE_CHECKING:
    from fisherset.cli.answer import Answer
    from fisherset.tables import LabelledTable


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
    out: Path | None = option(None, "Keep the selection, selection.json, for `apply`; - to print it."),
    report: Path | None = options.REPORT,
    write: Path | None = option(
        None, "Write the selected columns and the target: .csv, .csv.gz, .parquet, ..."
    ),
    spreadsheet_safe: bool = options.SAFE,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    shown: Format = option(
        "table",
        "What is printed: a table to read, names a line each, csv, tsv or json (--json).",
        "--format",
    ),
    as_json: bool = options.AS_JSON,
    wide: bool = option(False, "Print all columns of the result table, as wide as they are.", "--wide"),
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
    printed = parse_format(shown, as_json or out == STANDARD_OUTPUT)
    out = None if out == STANDARD_OUTPUT else out
    wanted = (out, SELECTION), (report, PAGE), (write, TABLE)
    outputs = Outputs(*wanted, inputs=[*source.inputs, *restrictions.inputs], force=force)
    source.check()
    from fisherset.cli.request import make_request

    with outputs, source.opened() as path:
        silent = quiet or printed != "table"
        how = restrictions.task, restrictions.split_texts, report is not None, restrictions.named
        table = source.table(path, silent, *how)
        check_rows(table, report, write)
        request = make_request(table, source, restrictions)
        request.check_sizes(size)
        from fisherset.cli.answer import find_answer  # and scikit-learn, which takes a second to load
        from fisherset.cli.printed import show_answer
        from fisherset.cli.remarks import remarks_on, warn_beside

        answer = find_answer(request, size, value, solver, limits, silent=silent, quiet=quiet)
        if printed == "table":
            screen = Screen(quiet)
            show_answer(screen, answer, wide=wide)
        else:
            warn_beside(answer.leakage, remarks_on(answer.selector), quiet=quiet)
            print(formatted(answer, printed, spreadsheet_safe))  # typer would remove characters from names
        # files come after the answer, which is there even if they cannot be written
        outputs.write(out, lambda: answer.selection.as_json() + "\n")
        with ProgressBars(silent or report is None, "writing the report"):
            outputs.write(report, answer.page)
        outputs.write(write, lambda: answer.reduced_table(Path(str(write)), spreadsheet_safe))
        if printed == "table":
            outputs.show(screen)


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
    for flag, path in (("--report", report), ("--write", write)):
        if path is not None and table.summarized:
            raise ValueError(f"{flag} needs rows, and {table.path.name} is a summary of them. Leave it out.")


def formatted(answer: Answer, printed: Format, safe: bool = False) -> str:
    """Return the answer for another program; `safe` for one that might run names as formulas."""
    if printed == "json":
        return answer.selection.as_json()
    if printed == "names":
        return "\n".join(printable(row.name) for row in answer.rows)  # for `certify --features -`
    # a program gets the names as they are
    name = safe_cell if safe else printable if sys.stdout.isatty() else str
    rows = [row._asdict() for row in answer.rows]
    return rows_as_text(rows, "," if printed == "csv" else "\t", "\n", name).rstrip("\n")
