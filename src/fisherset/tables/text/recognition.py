"""What the first lines of a text say of it: where its table starts, and what stands between its cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_ROWS = 100  # rows that are looked at, ...
SIGNS = 2**17  # ... of so many signs together, and some lines after them
SOME_LINES = 3
MOSTLY = 0.5  # share of numbers above which a column is one of numbers
MANY_NUMBERS = 10  # different numbers that are no names of kinds
EXCEL = re.compile(r'"?sep=([,;|\t :^~])"?[,;\t]*(?:\r\n|\n|\r)', re.IGNORECASE)
COMMENTS = re.compile(r"(?:#[^\r\n]*(?:\r\n|\n|\r)|[ \t]*(?:\r\n|\n|\r))*")
LAST_COMMENT = re.compile(r"#[^\r\n]*(?:\r\n|\n|\r)(?=[\r\n \t]*\Z)")
WHOLE = re.compile(r"[-+]?\d+(?:[eE][-+]?\d+)?")
POINT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?")
COMMA = re.compile(r"[-+]?(?:\d+,\d*|,\d+)(?:[eE][-+]?\d+)?")
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")
GROUPED = re.compile(r"[-+]?\d{1,3}(?:(?:,\d{3})+(?:\.\d*)?|(?:\.\d{3})+,\d*)")  # in threes, decimals or not
NUMBER = re.compile(r"[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?")
POINT_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
GAPS = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "n/a", "?", "-", "."}


class Row(NamedTuple):
    """Cells, and the line in which they start."""

    line: int
    cells: list[str]


class Sample(NamedTuple):
    """The first rows of a text as they are with some separator, the header first."""

    separator: str
    rows: list[Row]

    @property
    def width(self) -> int:
        return len(self.rows[0].cells) if self.rows else 0

    @property
    def fits(self) -> bool:
        """Whether there are several cells, in all rows as many as in the header."""
        return self.width > 1 and all(len(row.cells) == self.width for row in self.rows)

    @property
    def lacks_a_name(self) -> bool:
        """Whether every row has one cell more than the header: a name, as R writes them, or nothing at all.

        A number with a decimal comma that is not quoted is no name, nor the one after it.
        """
        rows = [row.cells for row in self.rows[1:]]
        if self.width < 2 or not rows or any(len(cells) != self.width + 1 for cells in rows):
            return False
        first = [cells[0].strip() for cells in rows]
        number = is_plain_number if self.separator == "," else POINT.fullmatch
        called = len(set(first)) == len(first) and not any(map(number, first))
        return called or not any(cells[-1].strip() for cells in rows)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of columns where the header lacks one: for names of rows, or after a last separator."""
        if not self.lacks_a_name:
            return None
        header = self.rows[0].cells
        trailing = not any(row.cells[-1].strip() for row in self.rows[1:])
        return (*header, "") if trailing else ("", *header)

    def columns(self) -> Iterator[list[Row]]:
        """The cells of each column but its name and gaps, each with its line."""
        rows = [row for row in self.rows[1:] if len(row.cells) == len(self.rows[-1].cells)]
        for j in range(len(rows[0].cells) if rows else 0):
            cells = [Row(row.line, [row.cells[j].strip()]) for row in rows]
            yield [row for row in cells if row.cells[0] not in GAPS]

    def share_of_numbers(self) -> float:
        """How many of the cells are numbers."""
        cells = [cell.strip() for row in self.rows[1:] for cell in row.cells]
        numbers = sum(is_plain_number(cell, comma=self.separator != ",") for cell in cells)
        return numbers / max(1, len(cells))


def is_plain_number(cell: str, *, comma: bool = True) -> bool:
    """Whether a cell is digits, with decimals or not."""
    return (NUMBER if comma else POINT_NUMBER).fullmatch(cell) is not None


def sample_of(text: str, separator: str, whole: bool = True) -> Sample:
    """The first rows of a text; unless it is whole the last one may be cut off and is left out."""
    end = SIGNS
    for _ in range(SOME_LINES if len(text) > SIGNS else 0):
        end = text.find("\n", end) + 1 or len(text)
    text, whole = text[:end], whole and end >= len(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows: list[Row] = []
    last = 0
    try:
        for cells in reader:
            if cells:
                rows.append(Row(last + 1, cells))
            last = reader.line_num
            if len(rows) > SAMPLE_ROWS:
                return Sample(separator, rows)
    except csv.Error:  # a cell without end; pyarrow's to tell
        return Sample(separator, rows)
    return Sample(separator, rows if whole or len(rows) < 2 else rows[:-1])


def separator_of(name: str, text: str, usual: str, loose: bool, whole: bool) -> Sample:
    """The first rows with what stands between their cells.

    The usual separator unless the rows say otherwise: they do where another makes as many cells of
    all of them and the usual does not. `loose` texts have no usual one, and a single space may serve.
    """
    samples = {separator: sample_of(text, separator, whole) for separator in SEPARATORS}
    for fitting in (
        [sample for sample in samples.values() if sample.fits],
        [sample for sample in samples.values() if sample.lacks_a_name],
    ):
        if fitting:
            return _best(name, fitting, samples[usual])
    widest = max(samples.values(), key=lambda sample: sample.width)
    if samples[usual].width > 1 or widest.width > 1:
        return samples[usual] if samples[usual].width > 1 else widest
    return _spaced(name, text, whole) if loose else samples[usual]


def _best(name: str, fitting: list[Sample], usual: Sample) -> Sample:
    """Of separators that all would do the usual; where another makes more numbers nobody can tell."""
    if len(fitting) == 1:
        return fitting[0]
    ranked = sorted(fitting, key=lambda sample: -sample.share_of_numbers())
    best = ranked[0]
    if usual in fitting and usual.share_of_numbers() == best.share_of_numbers():
        return usual
    if usual in fitting or ranked[1].share_of_numbers() == best.share_of_numbers():
        other = usual if usual in fitting else ranked[1]
        raise ValueError(
            f"{name} can be read with {other.separator!r} or with {best.separator!r} between its cells; "
            f"say which with --sep."
        )
    return best


def _spaced(name: str, text: str, whole: bool) -> Sample:
    """A text of columns between which there are spaces: a single one can be told from those in cells."""
    single = sample_of(text, " ", whole)
    if len(single.rows) > 1 and (single.fits or single.lacks_a_name):
        return single
    if single.rows and max(len(row.cells) for row in single.rows) > 1:
        raise ValueError(
            f"{name} has no ',', ';', '|' or tab between its cells, and not always one space; name what "
            f"stands there with --sep, or write it with tabs."
        )
    return sample_of(text, ",", whole)


def decimal_of(name: str, sample: Sample) -> str:
    """What stands before decimals, going by columns that are of numbers with the one or the other."""
    if sample.separator == "," or not any("," in cell for row in sample.rows for cell in row.cells):
        return "."
    points, commas = None, None
    sure = False
    for column in sample.columns():
        cells = [row.cells[0] for row in column]
        for sign, kind in ((".", POINT), (",", COMMA)):
            found = next((row for row in column if kind.fullmatch(row.cells[0])), None)
            numbers = sum(bool(kind.fullmatch(cell) or WHOLE.fullmatch(cell)) for cell in cells)
            if found is None or numbers <= MOSTLY * len(cells):
                continue
            if sign == ".":
                points = points or found
            else:
                commas = commas or found
                sure = sure or any(COMMA.fullmatch(cell) and not THOUSANDS.fullmatch(cell) for cell in cells)
    if commas is None:
        return "."
    if points is not None or not sure:
        beside = "" if points is None else f" and {points.cells[0]!r} in line {points.line}"
        raise ValueError(
            f"{name} holds {commas.cells[0]!r} in line {commas.line}{beside}; say what stands before the "
            f"decimals with --decimal , or --decimal ."
        )
    return ","


def table_start(text: str) -> int:
    """Where the table of a text starts: after what Excel writes before it, and comments."""
    excel = EXCEL.match(text)
    start = excel.end() if excel else 0
    comments = COMMENTS.match(text, start)
    return comments.end() if comments and "#" in comments.group() else start


def header_start(text: str, start: int, sample: Sample) -> int:
    """Where the header is, if not where the table starts: the last comment before it may be the header.

    It is one if it has as many cells as the rows, and what comes next is not named like a header: no
    column has numbers in all rows but that.
    """
    last = LAST_COMMENT.search(text, 0, start)
    if last is None or not sample.rows:
        return start
    (comment,) = sample_of(last.group(), sample.separator).rows
    if len(comment.cells) != sample.width or sample.width < 2:
        return start
    named = any(
        column and not is_plain_number(name.strip()) and all(is_plain_number(row.cells[0]) for row in column)
        for name, column in zip(sample.rows[0].cells, sample.columns(), strict=False)
    )
    return start if named else last.start()


def check_header(name: str, sample: Sample) -> None:
    """Refuse a text whose first row is surely data: numbers may be names, but not twice the same."""
    if not sample.rows:
        return
    line, header = sample.rows[0]
    numbers = [cell.strip() for cell in header if is_plain_number(cell.strip())]
    twice, times = Counter(numbers).most_common(1)[0] if numbers else ("", 0)
    if times > 1:
        raise ValueError(
            f"{name} has no header, it seems: line {line} holds the number {twice} twice, where the names of "
            f"columns should be. Write them into a line before it."
        )
    if numbers and len(numbers) < len(header) and _like_rows(header, sample):
        shown = next(cell for cell in header if not is_plain_number(cell.strip()))
        raise ValueError(
            f"{name} has no header, it seems: line {line} holds {shown!r} and numbers as the lines after it "
            f"do, where the names of columns should be. Write them into a line before it."
        )


def _like_rows(header: list[str], sample: Sample) -> bool:
    """Whether every cell of a header is found among the rows: a text again, a number between others."""
    columns = list(sample.columns())
    if len(columns) != len(header):
        return False
    for cell, column in zip(header, columns, strict=True):
        below = [row.cells[0] for row in column]
        if not is_plain_number(cell.strip()):
            if cell.strip() not in below:
                return False
        elif not _between(cell, below):
            return False
    return True


def _between(cell: str, cells: Collection[str]) -> bool:
    numbers = [_number(other) for other in cells if is_plain_number(other)]
    return len(numbers) == len(cells) > 0 and min(numbers) <= _number(cell) <= max(numbers)


def _number(cell: str) -> float:
    return float(cell.replace(",", "."))
