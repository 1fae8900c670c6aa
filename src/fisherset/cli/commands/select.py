"""`fisherset select`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fisherset._files import rows_as_text, safe_cell
from fisherset._format import printable
from fisherset.cli import options
from fisherset.cli.commands.trust import check_assessable, kept_if_stopped, show_trust
from fisherset.cli.files import PAGE, SELECTION, STANDARD_OUTPUT, TABLE, LabelledFile, Outputs
from fisherset.cli.options import Format, Restrictions, Solver, option
from fisherset.cli.terminal import ProgressBars, Screen

if TYPE_CHECKING:
    from fisherset.cli.answer import Answer
    from fisherset.tables import LabelledTable


@options.command
def select(
    source: LabelledFile,
    restrictions: Restrictions,
    k: str | None = option(
        None,
        "Number of columns or groups to select: 10; 5,10,20 or auto compare sizes on held-out rows. "
        "Default: half of them, at most 50.",
        "-k",
        metavar="NUMBER",
    ),
    gamma: str = options.GAMMA,
    solver: Solver = option(
        "joint",
        "joint; exact (proves the optimum); or cutting-plane (the paper's Algorithm 1).",
        metavar="SOLVER",
    ),
    time_limit: float | None = options.TIME_LIMIT,
    max_nodes: int | None = options.MAX_NODES,
    out: Path | None = option(
        None, "Save the selection for `apply` and `certify`; - prints it.", metavar="FILE"
    ),
    report: Path | None = options.REPORT,
    write: Path | None = option(
        None, "Write the selected columns and the target: .csv, .csv.gz, .parquet, ...", metavar="FILE"
    ),
    spreadsheet_safe: bool = options.SAFE,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    shown: Format = option(
        "table",
        "Output format: table, names (one per line), csv, tsv or json.",
        "--format",
        metavar="FORMAT",
    ),
    as_json: bool = options.AS_JSON,
    trust: bool = option(
        False, "Also tell whether the selection is stable and better than chance, as `trust` does.", "--trust"
    ),
    no_check: bool = option(False, "Skip the score on rows that are left out in turns.", "--no-check"),
    wide: bool = option(False, "Print all columns of the result table.", "--wide"),
) -> None:
    """Select the k best columns of a table jointly, and prove how good they are.

    A text column is one-hot encoded and selected as a whole; -k counts columns, or groups with
    --groups. During --solver exact, Ctrl-C stops the search and returns the best set so far.

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

      fisherset select genes.csv -t tumour -k 20 --trust --report report.html

      cat genes.csv | fisherset select - -t tumour -k 10 --format names
    """
    size, value = None if k is None else parse_k(k), options.parse_gamma(gamma)
    lacking = None if solver == "exact" else "--solver exact"
    limits = options.parse_limits(time_limit, max_nodes, lacking=lacking)
    if limits and (isinstance(size, list) or "auto" in (size, value)):
        raise ValueError("--time-limit and --max-nodes need a single -k, and a --gamma other than auto.")
    printed = parse_format(shown, as_json, out)
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
        if trust:
            check_assessable(request)
        from fisherset.cli.answer import find_answer  # and scikit-learn, which takes a second to load
        from fisherset.cli.commands.check import checked
        from fisherset.cli.printed import show_answer
        from fisherset.cli.remarks import remarks_on, warn_beside

        answer = find_answer(request, size, value, solver, limits, silent=silent, quiet=quiet)
        if trust:
            answer = kept_if_stopped(answer, silent=silent, quiet=quiet)
        elif not no_check:
            answer = checked(answer, silent=silent)
        if printed == "table":
            screen = Screen(quiet)
            show_answer(screen, answer, wide=wide)
            if answer.assessment is not None:
                show_trust(screen, answer)
        else:
            warn_beside(answer.leakage, answer.doubts, remarks_on(answer.selector), quiet=quiet)
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
    return options.parse_size(text, ", a list (5,10,20) or auto")


def parse_format(given: Format, as_json: bool, out: Path | None) -> Format:
    """Return the format that --format, --json and --out - give together."""
    if not as_json and out != STANDARD_OUTPUT:
        return given
    if given not in ("table", "json"):
        flag = "--json" if as_json else "--out -, which prints JSON,"
        raise ValueError(f"{flag} contradicts --format {given}; omit one of them.")
    return "json"


def check_rows(table: LabelledTable, report: Path | None, write: Path | None) -> None:
    """Refuse to draw or to write the rows of a summary."""
    for flag, path in (("--report", report), ("--write", write)):
        if path is not None and table.summarized:
            raise ValueError(f"{flag} needs rows, but {table.path.name} is a summary. Omit {flag}.")


def formatted(answer: Answer, printed: Format, safe: bool = False) -> str:
    """Return the answer for another program; `safe` for one that might run names as formulas."""
    if printed == "json":
        return answer.selection.as_json()
    if printed == "names":
        return "\n".join(printable(row.name) for row in answer.rows)  # for `certify --features -`
    # a program gets the names as they are
    name = safe_cell if safe else printable if sys.stdout.isatty() else str
    rows = [row.cells() for row in answer.rows]
    return rows_as_text(rows, "," if printed == "csv" else "\t", "\n", name).rstrip("\n")
