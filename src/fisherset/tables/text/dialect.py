"""Dialect of a text file: separator, decimals, encoding, compression and header; lines that break it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from fisherset._files import TEXT
from fisherset._format import counted as count_of
from fisherset._format import shown
from fisherset._kinds import ANY_TEXT, MAGIC_BYTES, compression_of
from fisherset.tables.columns.types import is_number
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.memory import check_room
from fisherset.tables.text.decoding import (
    UTF_8,
    decoded,
    decompressed,
    encoding_of,
    length_of_lines,
    lines_in,
)
from fisherset.tables.text.recognition import (
    EXCEL,
    Row,
    check_header,
    check_no_header,
    decimal_of,
    header_start,
    numbered_columns,
    sample_of,
    separator_of,
    table_start,
)

LOOK = 2**20  # bytes of text by which its dialect is recognised


@dataclass(frozen=True)
class Dialect:
    """Way in which a text file is written."""

    separator: str = ","
    decimal: str = "."
    encoding: str = UTF_8
    missing: tuple[str, ...] = ()  # cells that stand for missing values, besides those that pyarrow knows
    packing: str | None = None  # its compression
    offset: int = 0  # decompressed bytes, and lines, before its header; with names, before the first row
    n_lines: int = 0
    names: tuple[str, ...] | None = None  # of the columns, where the header lacks one
    made_up: tuple[str, ...] = ()  # those of them that are in no header

    def opened(self, path: Path, counted: Callable[[int], None] | None = None) -> Any:
        """A file opened where its table starts; `counted` as for `decompressed`."""
        stream = decompressed(path, self.packing, counted)
        left = self.offset
        if left and self.packing is None:
            stream.seek(left)
        while left and self.packing is not None:
            passed = len(stream.read(min(left, LOOK)))
            left = left - passed if passed else 0
        return stream

    def reading(self, **options: Any) -> Any:
        """Options of pyarrow for reading the file."""
        from pyarrow import csv as arrow_csv

        if self.names is not None:
            options["column_names"] = list(self.names)
        return arrow_csv.ReadOptions(encoding="utf8" if self.encoding == UTF_8 else self.encoding, **options)

    def parsing(self) -> Any:
        """Options of pyarrow for separating cells."""
        from pyarrow import csv as arrow_csv

        return arrow_csv.ParseOptions(delimiter=self.separator, newlines_in_values=True)

    def converting(self, **options: Any) -> Any:
        """Options of pyarrow for converting cells."""
        from pyarrow import csv as arrow_csv

        if self.missing:
            options["null_values"] = [*arrow_csv.ConvertOptions().null_values, *_spellings(self.missing)]
        if self.decimal != ".":
            options["decimal_point"] = self.decimal
        return arrow_csv.ConvertOptions(strings_can_be_null=True, **options)

    def remark(self, name: str, kind: str, layout: Layout = PLAIN) -> str | None:
        """Sentence about what was recognised and is unusual for such a file; None where nothing is."""
        usual = {",", "\t"} if kind == ANY_TEXT else {TEXT[kind]}
        ways = []
        if layout.separator is None and self.separator not in usual:
            between = {"\t": "a tab", " ": "a space"}.get(self.separator, repr(self.separator))
            ways.append(f"with {between} between cells")
        if layout.decimal is None and self.decimal != ".":
            ways.append("with ',' before decimals")
        if layout.encoding is None and not self.encoding.startswith("utf"):
            ways.append(f"as {self.encoding} text, not being UTF-8")
        if self.n_lines and (self.names is None or not layout.header):
            ways.append(f"from line {self.n_lines + 1} on")
        said = " and ".join(ways).replace(" and with ',' before", " and ',' before")
        several = "Columns without a name are" if len(self.made_up) > 1 else "The column without a name is"
        sentences = [f"{name} is read {said}."] if ways else []
        sentences += [f"{several} called {shown(self.made_up)}."] if self.made_up else []
        return " ".join(sentences) or None


def _spellings(missing: tuple[str, ...]) -> list[str]:
    """Strings with up to four spaces on either side, which pyarrow tells apart; of -9 also -9.0."""
    bare = {cell.strip() for cell in missing}
    for cell in [cell for cell in bare if is_number(cell) and "_" not in cell]:
        bare |= {f"{float(cell):g}", f"{float(cell):.1f}"}
    pads = list(product(range(5), repeat=2))
    return [" " * before + cell + " " * after for cell in sorted(bare) for before, after in pads]


class Head(NamedTuple):
    """The beginning of a file: its compression, its first bytes decompressed, and whether they are all."""

    packing: str | None
    start: bytes
    whole: bool


def head_of(path: Path, file: Any) -> Head:
    """Read two rows at least of a file that is open at its start."""
    packing = compression_of(file.read(MAGIC_BYTES))
    if packing is None:
        file.seek(0)
        return Head(None, *_start(path.name, file))
    with decompressed(path, packing) as stream:
        return Head(packing, *_start(path.name, stream))


def dialect_of(path: Path, kind: str, layout: Layout, head: Head) -> Dialect:
    """The dialect of a file, as given or recognised; one that can be read in several ways is refused."""
    check_layout(layout)
    packing, start, whole = head
    if not start:
        raise ValueError(f"{path.name} is empty.")
    encoding, mark = encoding_of(path.name, start, layout.encoding)
    given = Dialect(encoding=encoding, missing=layout.missing, packing=packing, offset=mark)
    try:
        text = decoded(start[mark:], encoding, whole)
    except UnicodeError:  # where is said on reading
        separator = _given_separator(layout) or TEXT[kind]
        return replace(given, separator=separator, decimal=layout.decimal or ".")
    return _recognised(path, kind, given, text, whole, layout)


def _recognised(path: Path, kind: str, given: Dialect, text: str, whole: bool, layout: Layout) -> Dialect:
    """A dialect completed by what the first lines show."""
    start = table_start(text)
    excel = EXCEL.match(text)
    separator = _given_separator(layout) or (excel.group(1) if excel else None)
    if separator is not None:
        sample = sample_of(text[start:], separator, whole)
    else:
        sample = separator_of(path.name, text[start:], TEXT[kind], kind == ANY_TEXT, whole)
    if whole and not sample.rows:
        raise ValueError(f"{path.name} has no rows.")
    header = header_start(text, start, sample) if layout.header else start
    if header != start:
        start, sample = header, sample_of(text[header:], sample.separator, whole)
    n_lines = lines_in(text[:start])
    sample = sample._replace(rows=[row._replace(line=row.line + n_lines) for row in sample.rows])
    made_up: tuple[str, ...] = ()
    if layout.header:
        names = sample.names
        made_up = tuple(name for name in names or () if name and name not in sample.rows[0].cells)
        if names is not None:  # the header is skipped, too
            line = sample.rows[1].line - 1
            start, n_lines = start + length_of_lines(text[start:], line - n_lines), line
        check_header(path.name, sample)
    else:
        check_no_header(path.name, sample)
        names = numbered_columns(sample.width)
        sample = sample._replace(rows=[Row(n_lines, list(names)), *sample.rows])
    before = text[:start].encode(given.encoding)
    return replace(
        given,
        separator=sample.separator,
        decimal=layout.decimal or decimal_of(path.name, sample),
        offset=given.offset + len(before),
        n_lines=n_lines,
        names=names,
        made_up=made_up,
    )


def _start(name: str, stream: Any) -> tuple[bytes, bool]:
    """The first bytes of a text, two rows at least, and whether that is all of it."""
    start, more = b"", LOOK
    while True:
        read = stream.read(more)
        start += read
        check_room(name, 4 * len(start), "its first rows")
        if len(read) < more:
            return start, True
        more *= 2
        if max(start.count(b"\n"), start.count(b"\r")) >= 2:
            return start, False


def check_layout(layout: Layout) -> None:
    """Refuse separators and decimal points that no file can have."""
    separator = _given_separator(layout)
    if separator is not None and (
        len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0' or separator.isalnum()
    ):
        raise ValueError(
            f"The separator must be one character, such as ';' or a tab, no letter, digit or "
            f"quotation mark; got {layout.separator!r}."
        )
    if layout.decimal not in (None, ".", ","):
        raise ValueError(f"The decimal point must be '.' or ','; got {layout.decimal!r}.")


def _given_separator(layout: Layout) -> str | None:
    separator = layout.separator
    by_name = {"\\t": "\t", "tab": "\t", "space": " "}  # as they can be typed in a shell
    return None if separator is None else by_name.get(separator.lower(), separator)


def line_of(path: Path, dialect: Dialect, column: str, value: str) -> int | None:
    """Line of the first row with this value in this column, from 1 for the first line; None without any.

    Rows are read one by one, which is slow, but only happens for a file that is refused.
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
    """Sentence about the first row that has not as many cells as the header; None without any."""
    with _rows(path, dialect) as rows:
        _, names = next(rows)
        for line, cells in rows:
            if len(cells) != len(names):
                found = count_of(len(cells), "cells")
                return (
                    f"Line {line} of {path.name} has {found}, the header {len(names)}. Is the file "
                    f"truncated, a cell with {dialect.separator!r} not quoted, or --sep wrong?"
                )
    return None


@contextmanager
def _rows(path: Path, dialect: Dialect) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Rows of a text, the header first, each with the line it starts in, up to the first that is damaged."""
    usual = csv.field_size_limit(2**31 - 1)
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
