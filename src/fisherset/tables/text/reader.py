"""Files of text: recognised once, then read whole or by batches."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fisherset._memory import format_bytes
from fisherset._progress import is_enabled, report_progress
from fisherset.tables.columns.types import EXACT_BITS, check_names
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.memory import check_room, room_now
from fisherset.tables.text.decoding import UTF_8, CountedStream, decoded, not_encoded, ratio_of
from fisherset.tables.text.dialect import dialect_of, head_of, line_of, ragged
from fisherset.tables.text.recognition import Finding

if TYPE_CHECKING:
    from fisherset.tables.streams.sources import TableFile

LOOK = 2**20  # bytes of text from which the length of rows, and types of columns, are taken
LARGEST_BLOCK = 2**31 - 1  # bytes of text that pyarrow parses at a time
BLOCK_COPIES = 4  # that pyarrow has of a block while it parses it
# A block is parsed row by row and then converted column by column: it should fit into the cache, and yet
# have enough rows for a column to be worth a call.
BLOCK, BLOCK_ROWS = 2**23, 256
BATCH_BYTES, BATCH_ROWS = (2**16, 2**20), 256  # least and most bytes of a batch, unless of fewer rows
FEW_CORES = 2  # on which handing blocks from thread to thread takes as long as it saves
# Major version of pyarrow from which a file that is not as expected leaves no thread waiting for itself:
# once all threads do, the next file is never read (apache/arrow, issue 48741).
THREADS_SAFE = 24
# Strings that pyarrow takes for floats and for nothing else.
FLOAT = {point: re.compile(rf"-?\d+{re.escape(point)}\d+(?:[eE][-+]?\d+)?") for point in (".", ",")}
LONG_INTEGER = re.compile(r"\s*[-+]?\d{16,}\s*")  # that float64 may round
UTF_8_GROWTH = 3  # a character takes at most so many times the bytes in UTF-8
# pyarrow's message on a value that does not fit its column, or is no UTF-8
MISFIT = re.compile(
    r"In CSV column #(\d+): .*CSV conversion error to \w+: (?:invalid value '(.*)')?", re.DOTALL
)


class TextReader:
    """A file of text, compressed or not, with its `dialect` and its first rows, two at least (`start`).

    Columns in `strings` are strings in batches, even if these look like numbers.
    """

    n_rows = None  # not known before all are read

    def __init__(self, file: TableFile, layout: Layout = PLAIN) -> None:
        import pyarrow as pa

        self.file, self.strings, self._layout = file, frozenset[str](), layout
        self._handle = pa.OSFile(str(file.path))
        self._head = head_of(file.path, self._handle)
        self.start = self._head.start
        self._exact: set[str] = set()  # columns whose long integers were checked

    def recognise(self) -> None:
        """Find out how it is written; one that is cut off inside a quotation is refused."""
        self.dialect = dialect_of(self.file.path, self.file.kind, self._layout, self._head)
        rows = self._head.start[self.dialect.offset :]
        end = LOOK
        while max(rows.count(b"\n", 0, end), rows.count(b"\r", 0, end)) < 2 and end < len(rows):
            end *= 2
        self.start = rows[:end]
        self._row_bytes = len(self.start) / max(1, self.start.count(b"\n"))
        del self._head
        self._check_end()

    def _check_end(self) -> None:
        """Refuse a text that ends inside a quoted cell: pyarrow would take it for complete."""
        if self.dialect.packing is not None:  # whose end is known after the rest
            return
        self._handle.seek(max(0, self.file.stamp[0] - 2**20))
        end = self._handle.read().replace(b"\0", b"")
        last = end[max(end.rfind(b"\n"), end.rfind(b"\r")) + 1 :]
        separator = re.escape(self.dialect.separator.encode())
        if last.count(b'"') % 2 and re.search(rb'(?:^|%b)"[^"]*(?:""[^"]*)*$' % separator, last):
            raise ValueError(f"{self.file.name} ends inside a quoted cell; is it truncated?")

    def digest(self) -> str:
        """Return the SHA-256 of the file that is open, before its rows are read."""
        self._handle.seek(0)
        return hashlib.file_digest(self._handle, "sha256").hexdigest()

    def remark(self) -> str | None:
        """Return a sentence on what was guessed of the dialect, if it is unusual."""
        return self.dialect.remark(self.file.name, self.file.kind, self._layout)

    @property
    def _cells_per_byte(self) -> float:
        separator = self.dialect.separator.encode()
        return (self.start.count(separator) + self.start.count(b"\n")) / max(1, len(self.start))

    def size_in_memory(self) -> float:
        """Return about how many bytes the table takes in memory, going by its first rows."""
        packing = self.dialect.packing
        size = self.file.stamp[0] * (1.0 if packing is None else ratio_of(self.file.path, packing))
        return size + 8 * self._cells_per_byte * size

    def where(self, name: str, value: str) -> str:
        """Return the line that first has a value in a column, as the end of a sentence."""
        line = line_of(self.file.path, self.dialect, name, value)
        return "" if line is None else f" in line {line}"

    def find(self, name: str, value: str) -> Finding | None:
        """Return where a value in a column is; None where it is not there."""
        place = self.where(name, value)
        return Finding(f" of {self.file.name}", place, True) if place else None

    def _open(self, counted: Callable[[int], None] | None = None) -> Any:
        """Open the file where its table starts; the first time it is still open."""
        handle, self._handle = self._handle, None
        if handle is None or self.dialect.packing is not None:
            return self.dialect.opened(self.file.path, counted)
        handle.seek(self.dialect.offset)
        return handle if counted is None else CountedStream(handle, counted)

    def table(self, strings: Collection[str], wanted: Collection[str] | None = None) -> Any:
        """Return the whole table, some columns as strings, each other of the type that all its rows have.

        Cells of columns that are not wanted are skipped, unless none is wanted: then the first is read.

        Left to itself pyarrow tries eight types for a column of floats, and keeps all its text until it has
        seen the last row. So columns with decimals in the first rows are declared as floats; where a later
        row is none, all is read again without this.
        """
        import pyarrow as pa

        packed = self.dialect.packing is not None
        if not packed:
            check_room(self.file.name, self.size_in_memory(), f"about {self._n_cells():.0f} cells")
        size = LARGEST_BLOCK if packed else min(self.file.stamp[0] + 1, LARGEST_BLOCK)
        block = min(size, max(BLOCK, int(BLOCK_ROWS * self._row_bytes)))
        types = {name: pa.string() for name in strings}
        floats = {name: pa.float64() for name in self._float_columns()}
        included = [] if wanted is None else self._included(wanted)
        while True:
            try:
                table = self._parsed(max(block, 1024), {**floats, **types}, included)
                break
            except pa.ArrowKeyError:  # the header is not what it looks like
                included = []
            except (pa.ArrowInvalid, UnicodeError) as error:
                if "straddling" in str(error) and block < size:  # a row is longer than a block
                    block = self._longer(block, size)
                elif "conversion error" in str(error) and floats:
                    floats = {}
                else:
                    raise self._explanation(error) from error
        if any(pa.types.is_binary(kind) for kind in table.schema.types):
            raise not_encoded(self.file.path, self.dialect)
        named = zip(table.column_names, table.columns, strict=True)
        kept = [name.strip() != "" or column.null_count < len(column) for name, column in named]
        return table if all(kept) else table.select(np.flatnonzero(kept).tolist())

    def _longer(self, block: int, most: int) -> int:
        """Return the next length of blocks, as far as memory holds them: pyarrow would end the process."""
        longer = min(8 * block, most)
        check_room(self.file.name, BLOCK_COPIES * longer, f"a row of more than {format_bytes(block)}")
        return longer

    def _n_cells(self) -> float:
        return self._cells_per_byte * self.file.stamp[0]

    def _parsed(self, block: int, types: dict[str, Any], included: list[str]) -> Any:
        """Parse the file; it is opened anew, as threads of a failed attempt may still be reading."""
        import pyarrow as pa

        safe = int(pa.__version__.partition(".")[0]) >= THREADS_SAFE
        with self._open(self._counted()) as source:
            table = self._parse(
                "read_csv",
                source,
                self.dialect.converting(column_types=types, include_columns=included or None),
                block_size=block,
                use_threads=safe and pa.cpu_count() > FEW_CORES,
            )
        table.column_names  # noqa: B018 - decoded here, which may fail
        return table

    def _parse(self, function: str, source: Any, converting: Any, **reading: Any) -> Any:
        from pyarrow import csv

        parsing = self.dialect.parsing()
        return getattr(csv, function)(source, self.dialect.reading(**reading), parsing, converting)

    def _counted(self) -> Callable[[int], None] | None:
        """Return a function that is told how many bytes were read: for progress, or the memory limit.

        A compressed text is refused as soon as its cells exceed the memory there was when it was opened.
        """
        name, size, density = self.file.name, self.file.stamp[0], self._cells_per_byte
        if self.dialect.packing is None:
            return (lambda n: report_progress(f"reading {name}", n, size)) if is_enabled() else None
        check = room_now(name)
        return lambda n: check(n + 8 * density * n, f"more than {density * n:.0f} cells")

    def _explanation(self, error: Exception) -> Exception:
        """Return the error with the line and value that pyarrow's words lack, where they are known."""
        said, path = str(error), self.file.path
        misfit = MISFIT.match(said)
        if isinstance(error, UnicodeError) or "invalid UTF8" in said or (misfit and misfit[2] is None):
            return not_encoded(path, self.dialect)
        if "Empty CSV" in said:  # a header without an end of line
            return ValueError(f"{self.file.name} has no rows.")
        if "columns, got" in said and (sentence := ragged(path, self.dialect)) is not None:
            return ValueError(sentence)
        if misfit is None:
            return error
        name, value = self._names[int(misfit[1])], misfit[2]
        return ValueError(
            f"Column {name!r} of {self.file.name} holds {value[:80]!r}{self.where(name, value)}, unlike its "
            f"first rows. Name the marker of missing values (--na, or Layout.missing), convert it, or "
            f"leave it out with drop."
        )

    def _first_rows(self) -> Iterator[list[str]]:
        """Yield the cells of the first rows, the header first, but of empty rows."""
        whole = self.start[: self.start.rfind(b"\n") + 1]
        text = decoded(whole, self.dialect.encoding).lstrip("\ufeff")
        if self.dialect.names is not None:
            yield list(self.dialect.names)
        yield from filter(
            None,
            csv.reader(io.StringIO(text, newline=""), delimiter=self.dialect.separator, strict=True),
        )

    def header(self) -> list[str]:
        """Return the names of the columns; none where the first row has another number of cells."""
        try:
            rows = self._first_rows()
            names = next(rows, [])
            return names if len(next(rows, names)) == len(names) else []
        except (UnicodeDecodeError, csv.Error):  # which pyarrow will report
            return []

    def _float_columns(self) -> set[str]:
        """Return the columns that have a number with decimals in one of the first rows."""
        try:
            names, *rows = self._first_rows()
        except (UnicodeDecodeError, csv.Error, ValueError):  # which pyarrow will report
            return set()
        if any(len(row) != len(names) for row in rows):
            return set()
        is_float = FLOAT[self.dialect.decimal].fullmatch
        return {name for j, name in enumerate(names) if any(is_float(row[j]) for row in rows)}

    def _included(self, wanted: Collection[str]) -> list[str]:
        """Return the columns to read, in their order; none for all, as where two have one name."""
        try:
            names = next(self._first_rows(), [])
        except (UnicodeDecodeError, csv.Error):  # which pyarrow will report
            return []
        if len(set(names)) < len(names):
            return []
        return [name for name in names if name in wanted or not name] or names[:1]

    @cached_property
    def schema(self) -> Any:
        """Its columns, of the types that the first rows have."""
        import pyarrow as pa

        # a column without a name is one only if it holds anything
        types = {name: pa.string() for name in self.strings if name}
        options = self.dialect.converting(column_types=types)
        with self._explained(), self._open() as source:
            block = int(self._growth * len(self.start)) + 1
            with self._parse("open_csv", source, options, block_size=block) as reader:
                schema = reader.schema
            if any(pa.types.is_binary(kind) for kind in schema.types):
                raise not_encoded(self.file.path, self.dialect)
            self._names = schema.names
        fields = [field for field in schema if field.name.strip() or not pa.types.is_null(field.type)]
        unnamed = "" in self.strings
        fields = [field.with_type(pa.string()) if unnamed and not field.name else field for field in fields]
        check_names(self.file.path, [field.name for field in fields])
        return pa.schema(fields)

    @property
    def _growth(self) -> int:
        return 1 if self.dialect.encoding == UTF_8 else UTF_8_GROWTH

    @contextmanager
    def _explained(self) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowInvalid, UnicodeError) as error:
            explanation = self._explanation(error)
            if explanation is error:
                raise
            raise explanation from error

    def batches(self, columns: Sequence[str], rows: int, types: Mapping[str, Any]) -> Iterator[Any]:
        """Yield its rows in order, about so many at a time, the columns being of these types."""
        import pyarrow as pa

        row_bytes = self._growth * self._row_bytes
        least, most = BATCH_BYTES
        together = min(rows, max(most / row_bytes, BATCH_ROWS))
        block = int(max(least, together * row_bytes, 4 * row_bytes))
        done = 0
        while True:
            try:
                with self._explained():
                    for batch in self._batches(columns, types, block, done):
                        done += batch.num_rows
                        yield batch
                return
            except pa.ArrowInvalid as error:
                if "straddling" not in str(error) or block == LARGEST_BLOCK:
                    raise
                block = self._longer(block, LARGEST_BLOCK)  # a row is longer than a block

    def _batches(
        self, columns: Sequence[str], types: Mapping[str, Any], block: int, skip: int = 0
    ) -> Iterator[Any]:
        """Yield batches from some row on."""
        wanted = list(columns) or self.schema.names[:1]  # without columns pyarrow counts no rows
        options = self.dialect.converting(
            include_columns=wanted, column_types={name: types[name] for name in wanted if name in types}
        )
        with self._open() as source, self._parse("open_csv", source, options, block_size=block) as reader:
            for batch in reader:
                passed = min(skip, batch.num_rows)
                skip -= passed
                batch = batch.slice(passed)
                if batch.num_rows:
                    self._check_long(batch)
                    yield batch

    def _check_long(self, batch: Any) -> None:
        """Refuse integers that float64 rounded: where a number is large, its column is read as strings."""
        import pyarrow as pa

        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name in self._exact or not pa.types.is_floating(column.type):
                continue
            numbers = np.abs(column.to_numpy(zero_copy_only=False))
            if not np.any(numbers[np.isfinite(numbers)] >= 2.0**EXACT_BITS):
                continue
            pieces = self._batches([name], {name: pa.string()}, BATCH_BYTES[1])
            for text in filter(None, (text for piece in pieces for text in piece.column(0).to_pylist())):
                if LONG_INTEGER.fullmatch(text) and (len(text) > 300 or int(text) != float(text)):
                    raise ValueError(
                        f"Column {name!r} of {self.file.name} holds the integer {text[:80]}"
                        f"{self.where(name, text)}, beyond 2^53, which float64 would round. Convert it, "
                        f"or use drop."
                    )
            self._exact.add(name)
