"""Lines of a text: in which of them something stands that is not as it should be."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fisherset.tables.text.dialect import Dialect

LONGEST_CELL = 2**31 - 1


def line_of(path: Path, dialect: Dialect, column: str, value: str) -> int | None:
    """The line of the first row that has this value in this column, the header being one; None where none is.

    Rows are read one by one, for which there is time: it is for a file that is refused.
    """
    with _rows(path, dialect) as rows:
        _, names = next(rows)
        place = names.index(column) if column in names else len(names)
        wanted = value.strip()
        for line, cells in rows:
            if place < len(cells) and cells[place].strip() == wanted:
                return line
    return None


def ragged(path: Path, dialect: Dialect) -> str | None:
    """A sentence about the first row that has not as many cells as the header; None where there is none."""
    with _rows(path, dialect) as rows:
        _, names = next(rows)
        for line, cells in rows:
            if len(cells) != len(names):
                return (
                    f"Line {line} of {path.name} has {_cells(len(cells))}, the header {len(names)}: is the "
                    f"file damaged or cut off, or a cell with {dialect.separator!r} in it not quoted? "
                    f"If something else stands between cells, name it with --sep."
                )
    return None


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


@contextmanager
def _rows(path: Path, dialect: Dialect) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """The rows of a text, the header first, each with the line it starts in; none after what is no row."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        with dialect.opened(path) as stream:
            text = io.TextIOWrapper(stream, dialect.encoding, newline="")
            yield _numbered(text, dialect)
    finally:
        csv.field_size_limit(usual)


def _numbered(text: io.TextIOWrapper, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text, delimiter=dialect.separator)
    if dialect.names is not None:
        yield dialect.n_lines, list(dialect.names)
    last = dialect.n_lines
    try:
        for cells in reader:
            if cells:
                yield last + 1, cells
            last = dialect.n_lines + reader.line_num
    except (csv.Error, UnicodeError):
        return
