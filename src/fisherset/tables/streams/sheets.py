"""Sheets of workbooks as the text that a spreadsheet program would save them as."""

from __future__ import annotations

import csv
import datetime
import math
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fisherset._files import JSON
from fisherset._format import near, shown
from fisherset.tables.layout import Layout
from fisherset.tables.memory import check_room
from fisherset.tables.streams.records import json_rows
from fisherset.tables.streams.sources import TableFile, TemporaryFolder, full_disk, stamp_of

CELL_BYTES = 40  # that a cell of the grid takes which calamine fills, empty or not
GROWTH = 3  # times the bytes of a workbook, unpacked, that it takes in memory
REFERENCE = re.compile(rb'<(?:\w+:)?c [^>]*?\br="([A-Z]{1,3})(\d{1,7})"')  # a cell of a sheet in XML
CHUNK = 2**22  # bytes of XML searched at a time
EXACT = 2**53  # integers below it are exact as floats

Row = Sequence[Any]


def as_text(file: TableFile, layout: Layout) -> tuple[TableFile, Layout]:
    """Write a sheet or JSON as a text, a line for each row, and return it with its layout."""
    folder = TemporaryFolder()
    path = folder.path / Path(file.name).name
    decimal = layout.decimal or "."
    rows = json_rows(file, layout.header) if file.kind in JSON else _sheet_rows(file, layout.sheet)
    cell = _cell_writer("true" if file.kind in JSON else "TRUE", decimal)
    try:
        with path.open("w", encoding="utf-8", newline="") as text:
            writer = csv.writer(text, lineterminator="\n")
            for row in rows:
                writer.writerow([cell(value) for value in row])
    except UnicodeEncodeError as error:  # lone surrogates, which JSON can hold
        raise ValueError(f"{file.name} holds what is no character: {error.object[error.start]!r}.") from None
    except OSError as error:
        raise full_disk(folder.path, file.name) from error
    text_file = TableFile(path, file.name, {}, stamp_of(path), ".csv", folder)
    if text_file.stamp[0] == 0:
        raise ValueError(f"{file.name} has no rows.")
    return text_file, replace(layout, separator=",", decimal=decimal, encoding="utf-8", sheet=None)


def _cell_writer(true: str, decimal: str) -> Callable[[Any], str]:
    """Return a function that writes a cell."""
    false = {"true": "false", "TRUE": "FALSE"}[true]

    def written(value: Any) -> str:
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, bool):
            return true if value else false
        if isinstance(value, float):
            if math.isnan(value):
                return ""
            whole = value.is_integer() and abs(value) < EXACT
            return str(int(value)) if whole else repr(value).replace(".", decimal)
        if isinstance(value, datetime.datetime) and value.time() == datetime.time():
            return value.date().isoformat()
        return str(value)  # dates and times as ISO 8601 writes them

    return written


def _sheet_rows(file: TableFile, sheet: str | None) -> Iterator[Row]:
    """Yield the rows of a sheet, without empty cells after the last column and rows after the last row.

    Empty rows are empty lines, which readers skip, so that a line has the number of its row.
    """
    import python_calamine

    _check_memory(file)
    try:
        with file.path.open("rb") as content:
            book = python_calamine.CalamineWorkbook.from_filelike(content)
        name = _chosen_sheet(file.name, book, sheet)
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except python_calamine.PasswordError:
        raise ValueError(f"{file.name} is protected by a password; save it without, or as CSV.") from None
    except (python_calamine.CalamineError, OSError) as error:
        raise ValueError(f"{file.name} cannot be read; is it damaged or truncated? ({error})") from error
    used = [_length(row) for row in rows]
    if not any(used):
        raise ValueError(f"Sheet {name!r} of {file.name} is empty; it has {_named(book.sheet_names)}.")
    left = min(next(j for j, cell in enumerate(row) if cell != "") for row in rows if _length(row))
    return _trimmed(rows, left, max(used))


def _trimmed(rows: Iterable[Row], left: int, width: int) -> Iterator[Row]:
    for row in rows:
        yield row[left:width] if _length(row) else []


def _length(row: Row) -> int:
    """Return the number of cells up to the last that is not empty."""
    return next((j + 1 for j in reversed(range(len(row))) if row[j] != ""), 0)


def _chosen_sheet(file: str, book: Any, sheet: str | None) -> str:
    """Return the sheet of this name; without a name the first visible one, noted where there are several."""
    names = list(book.sheet_names)
    if sheet is not None:
        if sheet not in names:
            raise ValueError(f"{file} has no sheet {sheet!r}; it has {_named(names)}.{near(sheet, names)}")
        return sheet
    visible = [one.name for one in book.sheets_metadata if str(one.visible).endswith("Visible")] or names
    if not visible:
        raise ValueError(f"{file} has no sheets.")
    if len(names) > 1:
        warnings.warn(
            f"{file} has the sheets {shown(names)}; read {visible[0]!r}. Name another with --sheet.",
            stacklevel=2,
        )
    return str(visible[0])


def _named(names: Sequence[str]) -> str:
    return f"the sheets {shown(list(names))}" if len(names) > 1 else f"the sheet {shown(list(names))}"


def _check_memory(file: TableFile) -> None:
    """Refuse a workbook that would not fit: calamine has no memory limit, and ends the process.

    A cell far from the others makes a grid of all cells between them.
    """
    size = float(file.stamp[0])
    if not zipfile.is_zipfile(file.path):
        check_room(file.name, GROWTH * size, "its sheets")
        return
    with zipfile.ZipFile(file.path) as archive:
        members = archive.infolist()
        size += sum(member.file_size for member in members)
        check_room(file.name, GROWTH * size, "its sheets")
        for member in members:
            if re.fullmatch(r"xl/worksheets/[^/]+\.xml", member.filename):
                n_rows, n_columns = _extent(archive, member)
                check_room(
                    file.name,
                    GROWTH * member.file_size + CELL_BYTES * n_rows * n_columns,
                    f"a sheet of {n_rows} rows of {n_columns} columns",
                )


def _extent(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[int, int]:
    """Return the last row and column of a sheet that have a cell."""
    n_rows = n_columns = 0
    rest = b""
    try:
        with archive.open(member) as xml:
            while part := xml.read(CHUNK):
                rest += part
                for found in REFERENCE.finditer(rest):
                    n_rows, n_columns = max(n_rows, int(found[2])), max(n_columns, _number(found[1]))
                rest = rest[-200:]  # a cell may be cut in two
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError):
        pass  # which reading will say
    return n_rows, n_columns


def _number(letters: bytes) -> int:
    """Return the number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
