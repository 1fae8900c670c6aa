"""CSV and TSV files read whole: in blocks that suit their rows, columns of the kind that all rows are of."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from fisherset.tables.memory import check_room

LOOK = 2**20  # bytes of text from which the length of rows, and kinds of columns, are taken
LARGEST_BLOCK = 2**31 - 1  # of text that pyarrow takes at a time
# A block is parsed row by row and then converted column by column: it should stay in the cache, and yet
# have rows enough for a column to be worth calling a function for.
BLOCK, BLOCK_ROWS = 2**23, 256
FEW_CORES = 2  # on which handing blocks from thread to thread takes as long as it saves
# Major version of pyarrow from which a file that is not as expected leaves no thread waiting for itself:
# once all threads do, the next file is never read (apache/arrow, issue 48741).
THREADS_SAFE = 24
# What can be no other number than one with decimals, nor a date, a time, a yes or no, or a gap.
DECIMAL = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")


def read_text(
    path: Path, delimiter: str, texts: Collection[str], wanted: Collection[str] | None = None
) -> Any:
    """A file as an Arrow table, the columns in `texts` as they stand, others by what all their rows are.

    Of columns that are not wanted the cells are passed over, unless none is: then the first is read.

    Left to itself pyarrow tries eight kinds for a column with decimals, and keeps the whole text until
    it has seen the last row. So columns with decimals in the first rows are said to be such; where a
    later row does not agree, all is read again without saying so.
    """
    import pyarrow as pa

    with path.open("rb") as file:
        start = start_of(file)
    size = min(path.stat().st_size + 1, LARGEST_BLOCK)
    block = min(size, max(BLOCK, int(BLOCK_ROWS * bytes_of_row(start))))
    kinds = {name: pa.string() for name in texts}
    known = {name: pa.float64() for name in _decimals(start, delimiter)}
    included = [] if wanted is None else _included(start, delimiter, wanted)
    while True:
        try:
            return _read(path, delimiter, max(block, 1024), {**known, **kinds}, included)
        except pa.ArrowKeyError:  # the header is not what it looks like
            included = []
        except pa.ArrowInvalid as error:
            if "straddling" in str(error) and block < size:  # a row is longer than a block
                block = min(8 * block, size)
            elif "conversion error" in str(error) and known:
                known = {}
            else:
                raise


def _read(path: Path, delimiter: str, block: int, kinds: dict[str, Any], included: list[str]) -> Any:
    """The table in one go; the file is opened anew, as threads of a failed one may still read on."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    safe = int(pa.__version__.partition(".")[0]) >= THREADS_SAFE
    with pa.OSFile(str(path)) as file:  # whatever its name looks like, a file
        return arrow_csv.read_csv(
            file,
            arrow_csv.ReadOptions(block_size=block, use_threads=safe and pa.cpu_count() > FEW_CORES),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                strings_can_be_null=True, column_types=kinds, include_columns=included or None
            ),
        )


def start_of(source: Any) -> bytes:
    """The text of the first rows, two at least."""
    start, more = b"", LOOK
    while start.count(b"\n") < 2 and (read := source.read(more)):
        start, more = start + read, 2 * more
    return start


def bytes_of_row(start: bytes) -> float:
    """How long a row is, on the average of the first ones."""
    return len(start) / max(1, start.count(b"\n"))


def _decimals(start: bytes, delimiter: str) -> set[str]:
    """The columns that have a number with decimals in one of the first rows."""
    whole = start[: start.rfind(b"\n") + 1]
    try:
        rows = _rows(whole.decode("utf-8-sig"), delimiter)
        names = next(rows, [])
        found = [False] * len(names)
        for row in rows:
            if len(row) != len(names):
                return set()
            found = [
                known or DECIMAL.fullmatch(cell) is not None for known, cell in zip(found, row, strict=True)
            ]
    except (UnicodeDecodeError, csv.Error):  # which is pyarrow's to tell
        return set()
    return {name for name, known in zip(names, found, strict=True) if known}


def _included(start: bytes, delimiter: str, wanted: Collection[str]) -> list[str]:
    """The columns to read, in their order; none for all, as where two are of one name."""
    try:
        whole = start[: start.rfind(b"\n") + 1].decode("utf-8-sig")
        names = next(_rows(whole, delimiter), [])
    except (UnicodeDecodeError, csv.Error):  # which is pyarrow's to tell
        return []
    if len(set(names)) < len(names):
        return []
    return [name for name in names if name in wanted] or names[:1]


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The cells of rows, but of those that are empty."""
    return filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def check_cells(path: Path, delimiter: str) -> None:
    """Refuse a text whose cells would not find room as numbers."""
    cells = cells_in(path, delimiter)
    check_room(path.name, path.stat().st_size + 8 * cells, f"about {cells:.0f} cells")


def cells_in(path: Path, delimiter: str) -> float:
    """How many cells a text has, going by its beginning."""
    with path.open("rb") as file:
        head = file.read(LOOK)
    share = (head.count(delimiter.encode()) + head.count(b"\n")) / max(1, len(head))
    return share * path.stat().st_size


def check_encoding(path: Path) -> None:
    """Text has to be UTF-8, with or without a byte-order mark."""
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(max(0, path.stat().st_size - 2**20))
        last = file.read().rpartition(b"\n")[2]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{path.name} is UTF-16 text; save it as UTF-8.")
    if b"\x00" in head or head.startswith((b"PAR1", b"ARROW", b"PK")):
        raise ValueError(f"{path.name} is no text, whatever its suffix says.")
    if re.search(rb'(?:^|[,\t])"[^"]*$', last):
        raise ValueError(f"{path.name} ends inside a quotation; is it damaged or cut off?")
