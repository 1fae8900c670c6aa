"""Answers for other programs: names, a line each, or cells of rows; nothing wrapped, nothing cut."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from fisherset._files import safe_cell
from fisherset.cli.notes import printable
from fisherset.cli.options import Format

BETWEEN_CELLS = {Format.csv: ",", Format.tsv: "\t"}


def format_of(asked: Format, as_json: bool) -> Format:
    """What --format and --json ask for together."""
    if as_json and asked not in (Format.table, Format.json):
        raise ValueError(f"--json must not go with --format {asked.value}; leave one of them out.")
    return Format.json if as_json else asked


def as_lines(names: Sequence[str]) -> str:
    """Names as `certify --features -` reads them; what would break a line is replaced."""
    return "\n".join(printable(name) for name in names)


def as_cells(rows: Sequence[Mapping[str, Any]], asked: Format) -> str:
    """Rows of the same fields as text, below a line of these; no cell that a spreadsheet would run."""
    plain = printable if sys.stdout.isatty() else str  # a program gets the names as they are
    out = io.StringIO()
    writer = csv.writer(out, delimiter=BETWEEN_CELLS[asked], lineterminator="\n")
    writer.writerow(list(rows[0]) if rows else [])
    for row in rows:
        writer.writerow([safe_cell(plain(cell)) if isinstance(cell, str) else cell for cell in row.values()])
    return out.getvalue().rstrip("\n")
