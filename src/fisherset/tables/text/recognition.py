"""Recognition of separator, decimals and header from the first rows, and of numbers among strings."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from fisherset._format import repeated_option, shown
from fisherset.tables.columns.types import DROP, RefusedColumnError, about_columns, is_number
from fisherset.tables.columns.units import of_commonest_unit

SAMPLE_ROWS, SAMPLE_CHARACTERS = 100, 2**17  # of the sample, which ends with a whole line
NUMERIC_SHARE = 0.5  # of the cells, above which a column is numeric
MANY_NUMBERS = 10  # distinct ones: more are no codes of categories
STRINGS_PER_NUMBER = 0.2  # at most, of distinct ones, in a column that is numeric nevertheless
EXCEL = re.compile(r'"?sep=([,;|\t :^~])"?[,;\t]*(?:\r\n|\n|\r)', re.IGNORECASE)  # Excel's first line
COMMENTS = re.compile(r"(?:#[^\r\n]*(?:\r\n|\n|\r)|[ \t]*(?:\r\n|\n|\r))*")
LAST_COMMENT = re.compile(r"#[^\r\n]*(?:\r\n|\n|\r)(?=[\r\n \t]*\Z)")
WHOLE = re.compile(r"[-+]?\d+(?:[eE][-+]?\d+)?")
POINT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?")
COMMA = re.compile(r"[-+]?(?:\d+,\d*|,\d+)(?:[eE][-+]?\d+)?")
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")
GROUPED = re.compile(r"[-+]?\d{1,3}(?:(?:,\d{3})+(?:\.\d*)?|(?:\.\d{3})+,\d*)")  # in threes, decimals or not
NUMBER = re.compile(r"[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?")
POINT_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "n/a", "?", "-", "."}


class Row(NamedTuple):
    """Cells, and the line in which they start."""

    line: int
    cells: list[str]


class Sample(NamedTuple):
    """First rows of a text, split at some separator, the header first."""

    separator: str
    rows: list[Row]

    @property
    def width(self) -> int:
        return len(self.rows[0].cells) if self.rows else 0

    @property
    def fits(self) -> bool:
        """Whether all rows have as many cells as the header, and more than one."""
        return self.width > 1 and all(len(row.cells) == self.width for row in self.rows)

    @property
    def lacks_a_name(self) -> bool:
        """Whether every row has one cell more than the header: a row name, as R writes it, or an empty one.

        A number with a decimal comma that is not quoted is no row name, nor is the one after it.
        """
        rows = [row.cells for row in self.rows[1:]]
        if self.width < 2 or not rows or any(len(cells) != self.width + 1 for cells in rows):
            return False
        first = [cells[0].strip() for cells in rows]
        number = is_plain_number if self.separator == "," else POINT.fullmatch
        named = len(set(first)) == len(first) and not any(map(number, first))
        return named or not any(cells[-1].strip() for cells in rows)

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the columns where the header lacks one: of the row names, or after a last separator."""
        if not self.lacks_a_name:
            return self._completed()
        header = self.rows[0].cells
        trailing = not any(row.cells[-1].strip() for row in self.rows[1:])
        return (*header, "") if trailing else ("", *header)

    def _completed(self) -> tuple[str, ...] | None:
        """Names of the columns with those made up that have none; None where no column needs one.

        A first column that could name the rows needs none, nor does one without cells.
        """
        header = [] if len(self.rows) < 2 else self.rows[0].cells
        names = list(header)
        for j, column in enumerate(self.columns() if any(not name.strip() for name in header) else ()):
            cells = [row.cells[0] for row in column]
            if j < len(names) and not names[j].strip() and cells and not (j == 0 and name_rows(cells)):
                names[j] = free_name(f"column{j + 1}", header)
        return None if names == header else tuple(names)

    def columns(self) -> Iterator[list[Row]]:
        """Cells of each column, each with its line, without the header and missing values."""
        rows = [row for row in self.rows[1:] if len(row.cells) == len(self.rows[-1].cells)]
        for j in range(len(rows[0].cells) if rows else 0):
            cells = [Row(row.line, [row.cells[j].strip()]) for row in rows]
            yield [row for row in cells if row.cells[0] not in MISSING]

    def share_of_numbers(self) -> float:
        """Share of the cells that are numbers."""
        cells = [cell.strip() for row in self.rows[1:] for cell in row.cells]
        numbers = sum(is_plain_number(cell, comma=self.separator != ",") for cell in cells)
        return numbers / max(1, len(cells))


def name_rows(cells: Sequence[str]) -> bool:
    """Whether cells could be row names, or numbers: whole, and hardly one twice unless counted anew."""
    if not all(map(is_plain_number, cells)):
        return True
    numbers = [float(cell.replace(",", ".")) for cell in cells]
    if any(number != int(number) for number in numbers):
        return False
    counted = all(after == before + 1 or after in (0, 1) for before, after in pairwise(numbers))
    return counted or 2 * len(set(cells)) > len(cells)


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that no column has, with underscores at its end if need be."""
    while name in taken:
        name += "_"
    return name


def is_plain_number(cell: str, *, comma: bool = True) -> bool:
    """Whether a cell is a number written in digits, with decimals or not."""
    return (NUMBER if comma else POINT_NUMBER).fullmatch(cell) is not None


def sample_of(text: str, separator: str, whole: bool = True) -> Sample:
    """First rows of a text; unless it is whole the last one may be cut off and is left out."""
    end = SAMPLE_CHARACTERS
    for _ in range(3 if len(text) > SAMPLE_CHARACTERS else 0):  # lines after it, so that there are several
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
    except csv.Error:  # a quotation without end, which pyarrow reports
        return Sample(separator, rows)
    return Sample(separator, rows if whole or len(rows) < 2 else rows[:-1])


def separator_of(name: str, text: str, usual: str, loose: bool, whole: bool) -> Sample:
    """First rows split at the separator that fits them best.

    That is the usual one, unless another splits all rows into equally many cells and the usual does
    not. `loose` texts have no usual one; a single space may be theirs.
    """
    samples = {separator: sample_of(text, separator, whole) for separator in (",", ";", "\t", "|")}
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
    """The usual one of several separators that fit; refused where another yields more numbers."""
    if len(fitting) == 1:
        return fitting[0]
    ranked = sorted(fitting, key=lambda sample: -sample.share_of_numbers())
    best = ranked[0]
    if usual in fitting and usual.share_of_numbers() == best.share_of_numbers():
        return usual
    if usual in fitting or ranked[1].share_of_numbers() == best.share_of_numbers():
        other = usual if usual in fitting else ranked[1]
        raise ValueError(
            f"The column separator of {name} may be {other.separator!r} or {best.separator!r}. Add --sep."
        )
    return best


def _spaced(name: str, text: str, whole: bool) -> Sample:
    """First rows split at single spaces; several spaces cannot be told from those in cells."""
    single = sample_of(text, " ", whole)
    if len(single.rows) > 1 and (single.fits or single.lacks_a_name):
        return single
    if single.rows and max(len(row.cells) for row in single.rows) > 1:
        raise ValueError(
            f"The column separator of {name} is unclear: no ',', ';', '|' or tab, and not always one space. "
            f"Add --sep."
        )
    return sample_of(text, ",", whole)


def decimal_of(name: str, sample: Sample) -> str:
    """The decimal point or comma, as most cells of some columns are numbers with the one or the other."""
    if sample.separator == "," or not any("," in cell for row in sample.rows for cell in row.cells):
        return "."
    first: dict[str, Row] = {}  # number with a point, and with a comma
    sure = False
    for column in sample.columns():
        cells = [row.cells[0] for row in column]
        for point, kind in ((".", POINT), (",", COMMA)):
            found = next((row for row in column if kind.fullmatch(row.cells[0])), None)
            numbers = sum(bool(kind.fullmatch(cell) or WHOLE.fullmatch(cell)) for cell in cells)
            if found is not None and numbers > NUMERIC_SHARE * len(cells):
                first.setdefault(point, found)
                # 1,000 may be a thousand
                sure = sure or any(COMMA.fullmatch(cell) and not THOUSANDS.fullmatch(cell) for cell in cells)
    points, commas = first.get("."), first.get(",")
    if commas is None:
        return "."
    if points is not None or not sure:
        also = "" if points is None else f" and {points.cells[0]!r} in line {points.line}"
        raise ValueError(
            f"{name} holds {commas.cells[0]!r} in line {commas.line}{also}; add --decimal , or --decimal ."
        )
    return ","


def table_start(text: str) -> int:
    """Start of the table of a text: after Excel's line with the separator, and comments."""
    excel = EXCEL.match(text)
    start = excel.end() if excel else 0
    comments = COMMENTS.match(text, start)
    return comments.end() if comments and "#" in comments.group() else start


def header_start(text: str, start: int, sample: Sample) -> int:
    """Start of the header: at the last comment before the table, if that is the header.

    It is if it has as many cells as the rows, and the first row is none: no column has numbers in all
    rows but the first.
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


def numbered_columns(width: int) -> tuple[str, ...]:
    """Names of the columns of a text without a header."""
    return tuple(f"column{j}" for j in range(1, width + 1))


def check_header(name: str, sample: Sample) -> None:
    """Refuse a text whose first row is surely data: numbers may be names, but not the same one twice."""
    line, header = sample.rows[0] if sample.rows else Row(0, [])
    numbers = [cell.strip() for cell in header if is_plain_number(cell.strip())]
    twice = next((number for number, times in Counter(numbers).items() if times > 1), None)
    columns = [[row.cells[0] for row in column] for column in sample.columns()]
    mixed = len(header) == len(columns) and 0 < len(numbers) < len(header)
    if twice is not None:
        held = f"the number {twice} twice"
    elif mixed and all(map(_could_be_in, header, columns)):
        other = next(cell for cell in header if cell.strip() not in numbers)
        held = f"{other!r} and numbers as the lines after it do"
    else:
        return
    raise ValueError(
        f"{name} has no header, it seems: line {line} holds {held}, where the names of columns should be. "
        f"Add --no-header, or write the names into a line before it."
    )


def check_no_header(name: str, sample: Sample) -> None:
    """Refuse a text that is said to have no header, and whose first row is surely one.

    It has distinct names alone, some above columns of numbers.
    """
    line, first = sample.rows[0] if sample.rows else Row(0, [])
    columns = [[row.cells[0] for row in column] for column in sample.columns()]
    names = {
        cell.strip() for cell in first if re.search(r"[^\W\d_]", cell) and not is_plain_number(cell.strip())
    }
    if len(names) == len(first) and any(column and all(map(is_plain_number, column)) for column in columns):
        raise ValueError(f"Line {line} of {name} is a header, it seems: {shown(first)}. Omit --no-header.")


def _could_be_in(cell: str, column: list[str]) -> bool:
    """Whether a cell could be one of a column: a string that is in it, a number between its numbers."""
    if not is_plain_number(cell.strip()):
        return cell.strip() in column
    if not column or not all(map(is_plain_number, column)):
        return False
    number, *others = (float(text.replace(",", ".")) for text in (cell, *column))
    return min(others) <= number <= max(others)


class Finding(NamedTuple):
    """Place of a value as parts of a sentence, " of t.csv" and " in line 17", and whether in a text file."""

    table: str = ""
    place: str = ""
    in_text: bool = False


Where = Callable[[str, str], Finding]  # called with a column and a value in it


def nowhere(column: str, value: str) -> Finding:
    """Place of a value where none is known."""
    return Finding()


def check_mixture(strings: Counter[str]) -> None:
    """Refuse a column of strings most of which are numbers, with a point or, if there are many, a comma."""
    plain = {cell for cell in strings if is_number(cell)}
    commas = {cell for cell in strings if COMMA.fullmatch(cell.strip()) or GROUPED.fullmatch(cell.strip())}
    commas = commas if len(commas) > MANY_NUMBERS else set()
    numbers = plain | commas | of_commonest_unit(strings)
    others = Counter({cell: times for cell, times in strings.items() if cell not in numbers})
    share = sum(strings[cell] for cell in numbers) / strings.total()
    if share == 1.0 and not commas:
        raise RefusedColumnError(f"Columns {{}} hold numbers stored as text. {DROP}")
    if share == 1.0:
        raise RefusedColumnError("commas", min(commas, key=lambda cell: (-strings[cell], cell)))
    if share > NUMERIC_SHARE or len(numbers) > max(MANY_NUMBERS, len(others) / STRINGS_PER_NUMBER):
        value, times = min(others.items(), key=lambda item: (-item[1], item[0]))
        raise RefusedColumnError("odd", value, times if len(others) == 1 else 0)


def sentence_of(errors: Mapping[str, RefusedColumnError], where: Where, flags: bool = True) -> str:
    """Sentence about columns that are refused for the same reason, and the same value."""
    names, refused = list(errors), next(iter(errors.values()))
    if refused.reason == "identifiers":
        return _identifiers({name: error.counts for name, error in errors.items()}, flags)
    if refused.value is None:
        reason = refused.reason if flags else refused.reason.replace("--", "")
        return about_columns(reason, list(names))
    value, several = repr(refused.value[:40]), len(names) > 1
    table, place, in_text = where(names[0], refused.value)
    if place and (several or refused.times != 1):
        place = f", first{place}"
    columns = f"Columns {shown(list(names))}{table} hold" if several else f"Column {names[0]!r}{table} holds"
    drop = "use --drop" if flags else "leave it out with drop"
    if refused.reason == "commas":
        decimal = "--decimal ," if flags else "Layout(decimal=',')"
        said = f", or say {decimal} if decimals come after it" if in_text else ""
        return f"{columns} {value}{place}, a number with a comma in it: convert it{said}, or {drop}."
    others = "" if refused.times else " and other strings"
    missing = f"--na {value}" if flags else f"Layout(missing=({value},))"
    remedy = f"mark it as missing with {missing}" if in_text else "convert it"
    numbers = "numbers" if several else "a number"
    return f"{columns} {value}{others}{place}, {numbers} everywhere else: {remedy}, or {drop}."


def _identifiers(counts: Mapping[str, tuple[int, int]], flags: bool) -> str:
    """Sentence about columns of strings that hardly repeat."""
    names, (first, n_rows) = list(counts), next(iter(counts.values()))
    if len(names) == 1:
        said = f"Column {names[0]!r} looks like an identifier ({first} distinct values in {n_rows} rows)."
        fixes = repeated_option("--id", names), repeated_option("--drop", names)
        own = f"Layout(identifier={names[0]!r})", f"drop={names!r}"
        return f"{said} {'Add' if flags else 'Pass'} {' or '.join(fixes if flags else own)}."
    least = min(distinct for distinct, _ in counts.values())
    said = f"Columns {shown(names)} look like identifiers ({least} or more distinct values in {n_rows} rows)."
    rest = "the one that names the rows may be --id instead" if flags else "or name one in Layout(identifier)"
    fix = f"Add {repeated_option('--drop', names)}" if flags else f"Pass drop={names!r}"
    return f"{said} {fix}; {rest}."
