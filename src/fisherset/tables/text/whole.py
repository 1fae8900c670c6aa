"""Files of text read whole: in blocks that suit their rows, columns of the kind that all rows are of."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from fisherset._progress import is_enabled, report_progress
from fisherset.tables.memory import check_room, room_now
from fisherset.tables.text.decoding import decoded, not_encoded, ratio_of
from fisherset.tables.text.dialect import Dialect, ragged

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
DECIMAL = {sign: re.compile(rf"-?\d+{re.escape(sign)}\d+(?:[eE][-+]?\d+)?") for sign in (".", ",")}


def read_text(
    path: Path, dialect: Dialect, texts: Collection[str], wanted: Collection[str] | None = None
) -> Any:
    """A file as an Arrow table, the columns in `texts` as they stand, others by what all their rows are.

    Of columns that are not wanted the cells are passed over, unless none is: then the first is read.

    Left to itself pyarrow tries eight kinds for a column with decimals, and keeps the whole text until
    it has seen the last row. So columns with decimals in the first rows are said to be such; where a
    later row does not agree, all is read again without saying so.
    """
    import pyarrow as pa

    with dialect.opened(path) as file:
        start = start_of(file)
    packed = dialect.packing is not None
    size = LARGEST_BLOCK if packed else min(path.stat().st_size + 1, LARGEST_BLOCK)
    block = min(size, max(BLOCK, int(BLOCK_ROWS * bytes_of_row(start))))
    kinds = {name: pa.string() for name in texts}
    known = {name: pa.float64() for name in _decimals(start, dialect)}
    counted = _counted(path.name, _cells_of_byte(start, dialect)) if packed else _watched(path)
    included = [] if wanted is None else _included(start, dialect, wanted)
    while True:
        try:
            table = _read(path, dialect, max(block, 1024), {**known, **kinds}, included, counted)
            break
        except pa.ArrowKeyError:  # the header is not what it looks like
            included = []
        except pa.ArrowInvalid as error:
            if "straddling" in str(error) and block < size:  # a row is longer than a block
                block = min(8 * block, size)
            elif "conversion error" in str(error) and known:
                known = {}
            else:
                raise _explained(path, dialect, error) from error
        except UnicodeError as error:
            raise not_encoded(path, dialect) from error
    if any(pa.types.is_binary(kind) for kind in table.schema.types):
        raise not_encoded(path, dialect)
    kept = named(table.schema)
    return table if len(kept) == table.num_columns else table.select(kept)


def _read(
    path: Path,
    dialect: Dialect,
    block: int,
    kinds: dict[str, Any],
    included: list[str],
    counted: Callable[[int], None] | None,
) -> Any:
    """The table in one go; the file is opened anew, as threads of a failed one may still read on."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    safe = int(pa.__version__.partition(".")[0]) >= THREADS_SAFE
    with dialect.opened(path, counted) as file:
        table = arrow_csv.read_csv(
            file,
            dialect.reading(block_size=block, use_threads=safe and pa.cpu_count() > FEW_CORES),
            dialect.parsing(),
            dialect.converting(column_types=kinds, include_columns=included or None),
        )
    table.column_names  # noqa: B018 - decoded when they are asked for
    return table


def _explained(path: Path, dialect: Dialect, error: Exception) -> Exception:
    """What is wrong with a text, in place of pyarrow's words for it where there is more to say."""
    if "columns, got" in str(error) and (sentence := ragged(path, dialect)) is not None:
        return ValueError(sentence)
    return not_encoded(path, dialect) if "invalid UTF8" in str(error) else error


def named(schema: Any) -> list[int]:
    """The columns of a text but those without a name that hold nothing, as separators leave at its edge."""
    import pyarrow as pa

    return [j for j, field in enumerate(schema) if field.name.strip() or not pa.types.is_null(field.type)]


def start_of(source: Any) -> bytes:
    """The text of the first rows, two at least."""
    start, more = b"", LOOK
    while max(start.count(b"\n"), start.count(b"\r")) < 2 and (read := source.read(more)):
        start, more = start + read, 2 * more
    return start


def bytes_of_row(start: bytes) -> float:
    """How long a row is, on the average of the first ones."""
    return len(start) / max(1, start.count(b"\n"))


def _decimals(start: bytes, dialect: Dialect) -> set[str]:
    """The columns that have a number with decimals in one of the first rows."""
    whole = start[: start.rfind(b"\n") + 1]
    try:
        rows = _rows(decoded(whole, dialect.encoding).lstrip("\ufeff"), dialect.separator)
        names = list(dialect.names or next(rows, []))
        found = [False] * len(names)
        decimal = DECIMAL[dialect.decimal]
        for row in rows:
            if len(row) != len(names):
                return set()
            found = [
                known or decimal.fullmatch(cell) is not None for known, cell in zip(found, row, strict=True)
            ]
    except (UnicodeDecodeError, csv.Error):  # which is pyarrow's to tell
        return set()
    return {name for name, known in zip(names, found, strict=True) if known}


def _included(start: bytes, dialect: Dialect, wanted: Collection[str]) -> list[str]:
    """The columns to read, in their order; none for all, as where two are of one name."""
    try:
        whole = decoded(start[: start.rfind(b"\n") + 1], dialect.encoding).lstrip("\ufeff")
        names = list(dialect.names or next(_rows(whole, dialect.separator), []))
    except (UnicodeDecodeError, csv.Error):  # which is pyarrow's to tell
        return []
    if len(set(names)) < len(names):
        return []
    return [name for name in names if name in wanted] or names[:1]


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The cells of rows, but of those that are empty."""
    return filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def check_cells(path: Path, dialect: Dialect) -> None:
    """Refuse a text whose cells would not find room as numbers; of one that is packed nobody knows yet."""
    if dialect.packing is None:
        cells = cells_in(path, dialect)
        check_room(path.name, path.stat().st_size + 8 * cells, f"about {cells:.0f} cells")


def _watched(path: Path) -> Callable[[int], None] | None:
    """Tells how much of a file has been read, if somebody listens."""
    if not is_enabled():
        return None
    size = path.stat().st_size
    return lambda n_bytes: report_progress(f"reading {path.name}", n_bytes, size)


def _counted(name: str, cells_of_byte: float) -> Callable[[int], None]:
    """Refuses a packed text as soon as its cells would not find the room there was when it was opened."""
    check = room_now(name)

    def count(n_bytes: int) -> None:
        cells = cells_of_byte * n_bytes
        check(n_bytes + 8 * cells, f"more than {cells:.0f} cells")

    return count


def cells_in(path: Path, dialect: Dialect) -> float:
    """How many cells a text has, going by its beginning."""
    return size_of_text(path, dialect)[1]


def size_of_text(path: Path, dialect: Dialect) -> tuple[float, float]:
    """How many bytes a text has, unpacked, and how many cells, going by its beginning."""
    size = float(path.stat().st_size)
    with dialect.opened(path) as file:
        head = file.read(LOOK)
    if dialect.packing is not None:
        size *= ratio_of(path, dialect.packing)
    return size, _cells_of_byte(head, dialect) * size


def _cells_of_byte(head: bytes, dialect: Dialect) -> float:
    """How many cells there are for each byte, about."""
    return (head.count(dialect.separator.encode()) + head.count(b"\n")) / max(1, len(head))


def check_end(path: Path, dialect: Dialect) -> None:
    """Refuse a text that ends in a cell whose quotation does not, which would be taken for whole."""
    if dialect.packing is not None:  # where the end cannot be looked at before the rest
        return
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2**20))
        end = file.read().replace(b"\0", b"")
    last = end[max(end.rfind(b"\n"), end.rfind(b"\r")) + 1 :]
    separator = re.escape(dialect.separator.encode())
    if last.count(b'"') % 2 and re.search(rb'(?:^|%b)"[^"]*(?:""[^"]*)*$' % separator, last):
        raise ValueError(f"{path.name} ends inside a quotation; is it damaged or cut off?")
