"""The dialect of a text: what is between its cells, how it is encoded and packed, where its table starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from fisherset._files import TEXT, suffix_of
from fisherset.tables.columns.types import is_number
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.memory import check_room
from fisherset.tables.text.characters import UTF_8, decoded, encoding_of, length_of_lines, lines_in
from fisherset.tables.text.compression import MAGIC_BYTES, packing_of, unpacked
from fisherset.tables.text.recognition import (
    EXCEL,
    Sample,
    check_header,
    decimal_of,
    header_start,
    sample_of,
    separator_of,
    table_start,
)

LOOK = 2**20  # bytes of text by which it is recognised
SPACES = 4  # on either side of what stands for a missing value
SAID_SEPARATORS = {"\\t": "\t", "tab": "\t", "space": " "}  # as a shell lets people say it
ANY_TEXT = ".txt"  # a suffix that says nothing of separators


@dataclass(frozen=True)
class Dialect:
    """How a text is written.

    Attributes
    ----------
    separator, decimal : str
        What stands between cells, and before decimals.
    encoding : str
        How its signs are encoded.
    missing : tuple of str
        Cells that stand for missing values, besides those that pyarrow knows.
    packing : str or None
        How it is packed.
    offset, n_lines : int
        Bytes of what it unpacks to, and lines, before its header; or after it, where there are names.
    names : tuple of str or None
        The names of the columns, where the header lacks one.
    """

    separator: str = ","
    decimal: str = "."
    encoding: str = UTF_8
    missing: tuple[str, ...] = ()
    packing: str | None = None
    offset: int = 0
    n_lines: int = 0
    names: tuple[str, ...] | None = None

    def opened(self, path: Path, counted: Callable[[int], None] | None = None) -> Any:
        """A file, open where its table starts; see `unpacked` of what is counted."""
        stream = unpacked(path, self.packing, counted)
        left = self.offset
        if left and self.packing is None:
            stream.seek(left)
        while left and self.packing is not None:
            passed = len(stream.read(min(left, LOOK)))
            left = left - passed if passed else 0
        return stream

    def reading(self, **options: Any) -> Any:
        """How pyarrow is to read it."""
        from pyarrow import csv

        if self.names is not None:
            options["column_names"] = list(self.names)
        return csv.ReadOptions(encoding="utf8" if self.encoding == UTF_8 else self.encoding, **options)

    def parsing(self) -> Any:
        """How pyarrow is to tell its cells apart."""
        from pyarrow import csv

        return csv.ParseOptions(delimiter=self.separator, newlines_in_values=True)

    def converting(self, **options: Any) -> Any:
        """What pyarrow is to make of its cells."""
        from pyarrow import csv

        if self.missing:
            options["null_values"] = [*csv.ConvertOptions().null_values, *_spellings(self.missing)]
        if self.decimal != ".":
            options["decimal_point"] = self.decimal
        return csv.ConvertOptions(strings_can_be_null=True, **options)

    def remark(self, path: Path, layout: Layout = PLAIN) -> str | None:
        """What was taken for granted and is not usual for such a file; None where nothing is."""
        usual = {",", "\t"} if suffix_of(path) == ANY_TEXT else {TEXT.get(suffix_of(path), ",")}
        ways = []
        if layout.separator is None and self.separator not in usual:
            ways.append(f"with {_shown(self.separator)} between cells")
        if layout.decimal is None and self.decimal != ".":
            ways.append("with ',' before decimals")
        if layout.encoding is None and not self.encoding.startswith("utf"):
            ways.append(f"as {self.encoding} text, not being UTF-8")
        if self.n_lines and self.names is None:
            ways.append(f"from line {self.n_lines + 1} on")
        if not ways:
            return None
        said = " and ".join(ways).replace(" and with ',' before", " and ',' before")
        return f"{path.name} is read {said}."


def _shown(separator: str) -> str:
    return {"\t": "a tab", " ": "a space"}.get(separator, repr(separator))


def _spellings(missing: tuple[str, ...]) -> list[str]:
    """Texts with spaces on either side or none, which pyarrow tells apart; numbers with a nought besides."""
    bare = {text.strip() for text in missing}
    for text in [text for text in bare if is_number(text) and "_" not in text]:
        bare |= {f"{float(text):g}", f"{float(text):.1f}"}
    pads = list(product(range(SPACES + 1), repeat=2))
    return [" " * before + text + " " * after for text in sorted(bare) for before, after in pads]


class Head(NamedTuple):
    """The beginning of a file: how it is compressed, its first bytes uncompressed, whether they are all."""

    packing: str | None
    start: bytes
    whole: bool


def head_of(path: Path, file: Any) -> Head:
    """Read two rows at least of a file that is open at its start."""
    packing = packing_of(file.read(MAGIC_BYTES))
    if packing is None:
        file.seek(0)
        return Head(None, *_start(path.name, file))
    with unpacked(path, packing) as stream:
        return Head(packing, *_start(path.name, stream))


def dialect_of(path: Path, layout: Layout, head: Head) -> Dialect:
    """The dialect of a file: as somebody says, and else as it looks.

    Parameters
    ----------
    path : Path
        The file.
    layout : Layout
        What is said of it.
    head : Head
        Its beginning.

    Returns
    -------
    dialect : Dialect
        How it is to be read; a text that can be read in more than one way is refused.
    """
    check_said(layout)
    packing, start, whole = head
    if not start:
        raise ValueError(f"{path.name} is empty.")
    encoding, mark = encoding_of(path.name, start, layout.encoding)
    given = Dialect(encoding=encoding, missing=layout.missing, packing=packing, offset=mark)
    try:
        text = decoded(start[mark:], encoding, whole)
    except UnicodeError:  # whoever reads it says where
        separator = _said_separator(layout) or TEXT.get(suffix_of(path), ",")
        return replace(given, separator=separator, decimal=layout.decimal or ".")
    return _recognised(path, given, text, whole, layout)


def _recognised(path: Path, given: Dialect, text: str, whole: bool, layout: Layout) -> Dialect:
    """A dialect with what the first lines say of it."""
    start = table_start(text)
    excel = EXCEL.match(text)
    said = _said_separator(layout) or (excel.group(1) if excel else None)
    if said is not None:
        sample = sample_of(text[start:], said, whole)
    else:
        usual, loose = TEXT.get(suffix_of(path), ","), suffix_of(path) == ANY_TEXT
        sample = separator_of(path.name, text[start:], usual, loose, whole)
    if whole and not sample.rows:
        raise ValueError(f"{path.name} has no rows.")
    header = header_start(text, start, sample)
    if header != start:
        start, sample = header, sample_of(text[header:], sample.separator, whole)
    n_lines = lines_in(text[:start])
    sample = _moved(sample, n_lines)
    names = sample.names
    if names is not None:  # the header is passed over, too
        line = sample.rows[1].line - 1
        start, n_lines = start + length_of_lines(text[start:], line - n_lines), line
    check_header(path.name, sample)
    before = text[:start].encode(given.encoding)
    return replace(
        given,
        separator=sample.separator,
        decimal=layout.decimal or decimal_of(path.name, sample),
        offset=given.offset + len(before),
        n_lines=n_lines,
        names=names,
    )


def _moved(sample: Sample, n_lines: int) -> Sample:
    """Rows by the lines of the file, not of its table."""
    return sample._replace(rows=[row._replace(line=row.line + n_lines) for row in sample.rows])


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


def check_said(layout: Layout) -> None:
    """Refuse what nothing can be between cells, or before decimals."""
    separator = _said_separator(layout)
    if separator is not None and (
        len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0' or separator.isalnum()
    ):
        raise ValueError(
            f"What stands between cells must be one sign, such as ';' or a tab, no letter, digit or "
            f"quotation mark; got {layout.separator!r}."
        )
    if layout.decimal not in (None, ".", ","):
        raise ValueError(f"What stands before decimals must be '.' or ','; got {layout.decimal!r}.")


def _said_separator(layout: Layout) -> str | None:
    separator = layout.separator
    return None if separator is None else SAID_SEPARATORS.get(separator.lower(), separator)
