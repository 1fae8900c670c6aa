"""Files of text by batches: kinds are taken from their first rows; what does not fit later is named."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from fisherset.tables.columns.columns import EXACT_BITS
from fisherset.tables.columns.names import check_names
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.streams.paths import TableFile
from fisherset.tables.text.decoding import UTF_8, not_encoded
from fisherset.tables.text.dialect import dialect_of, line_of, ragged
from fisherset.tables.text.whole import LARGEST_BLOCK, bytes_of_row, check_end, named, start_of

BLOCKS = 2**16, 2**20  # the least and the most bytes of text in a batch, but where that would be
MANY_ROWS = 256  # less than so many
LONG = re.compile(r"\s*[-+]?\d{16,}\s*")  # a whole number that float64 may round
LONGER = 3  # times a text may become in UTF-8
# how pyarrow says in which column a value is of another kind, or no UTF-8
MISFIT = re.compile(
    r"In CSV column #(\d+): .*CSV conversion error to \w+: (?:invalid value '(.*)')?", re.DOTALL
)


class CsvReader:
    """A file of text, packed or not.

    Parameters
    ----------
    file : TableFile
        The file.
    texts : collection of str
        Columns that are read as they stand, not as the numbers they look like.
    layout : Layout, default=PLAIN
        What is said of how it is written.

    Attributes
    ----------
    dialect : Dialect
        How it is written.
    schema : pyarrow.Schema
        Its columns, as they look in the first rows.
    n_rows : None
        Nobody has counted them.
    """

    n_rows = None

    def __init__(self, file: TableFile, texts: Collection[str] = (), layout: Layout = PLAIN) -> None:
        import pyarrow as pa

        self._file, self.dialect = file, dialect_of(file.path, layout)
        check_end(file.path, self.dialect)
        with self._opened() as source:
            start = start_of(source)
        longer = 1 if self.dialect.encoding == UTF_8 else LONGER
        self._row_bytes = longer * bytes_of_row(start)
        # a column without a name is one if it holds anything
        named_texts = {name: pa.string() for name in texts if name}
        options = self.dialect.converting(column_types=named_texts)
        with self._explained(), self._opened() as source:
            with self._reader(source, options, longer * len(start) + 1) as reader:
                self.schema = reader.schema
            if any(pa.types.is_binary(kind) for kind in self.schema.types):
                raise not_encoded(file.path, self.dialect)
            self._names = self.schema.names
            fields = [self.schema.field(j) for j in named(self.schema)]
            fields = [
                field if field.name or "" not in texts else field.with_type(pa.string()) for field in fields
            ]
            self.schema = pa.schema(fields)
            check_names(file.path, self.schema.names)
        self._exact: set[str] = set()  # columns whose long numbers were looked at

    def batches(self, columns: Sequence[str], rows: int, types: Mapping[str, Any]) -> Iterator[Any]:
        """Its rows in order, about so many at a time, the columns being of these types."""
        import pyarrow as pa

        least, most = BLOCKS
        together = min(rows, max(most / self._row_bytes, MANY_ROWS))
        block = int(max(least, together * self._row_bytes, 4 * self._row_bytes))
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
                block = min(8 * block, LARGEST_BLOCK)  # a row is longer than a block

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Says what is wrong with the text, in place of pyarrow's words for it where there is more to say."""
        import pyarrow as pa

        try:
            yield
        except UnicodeError as error:
            raise not_encoded(self._file.path, self.dialect) from error
        except pa.ArrowInvalid as error:
            if "columns, got" in str(error) and (sentence := ragged(self._file.path, self.dialect)):
                raise ValueError(sentence) from error
            misfit = MISFIT.match(str(error))
            if misfit is None:
                raise
            column, value = misfit.groups()
            if value is None:
                raise not_encoded(self._file.path, self.dialect) from error
            raise ValueError(self._misfit(self._names[int(column)], value)) from error

    def where(self, name: str, value: str) -> str:
        """The line that first has a value in a column, as the end of a sentence."""
        line = line_of(self._file.path, self.dialect, name, value)
        return "" if line is None else f" in line {line}"

    def _batches(
        self, columns: Sequence[str], types: Mapping[str, Any], block: int, skip: int = 0
    ) -> Iterator[Any]:
        """Batches from some row on."""
        # of no columns none would be counted
        wanted = list(columns) or self.schema.names[:1]
        options = self.dialect.converting(
            include_columns=wanted, column_types={name: types[name] for name in wanted if name in types}
        )
        with self._opened() as source, self._reader(source, options, block) as reader:
            for batch in reader:
                passed = min(skip, batch.num_rows)
                skip -= passed
                batch = batch.slice(passed)
                if batch.num_rows:
                    self._check_long(batch)
                    yield batch

    def _check_long(self, batch: Any) -> None:
        """Refuse whole numbers that were rounded on reading: large ones are looked up as they stand."""
        import pyarrow as pa

        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name in self._exact or not pa.types.is_floating(column.type):
                continue
            numbers = np.abs(column.to_numpy(zero_copy_only=False))
            if not np.any(numbers[np.isfinite(numbers)] >= 2.0**EXACT_BITS):
                continue
            for text in self._texts(name):
                if LONG.fullmatch(text) and (len(text) > 300 or int(text) != float(text)):
                    raise ValueError(
                        f"Column {name!r} of {self._file.name} holds the whole number {text[:80]}"
                        f"{self.where(name, text)}, beyond 2^53, which would be rounded. Leave it out with "
                        f"drop, or convert it."
                    )
            self._exact.add(name)

    def _misfit(self, name: str, value: str) -> str:
        return (
            f"Column {name!r} of {self._file.name} holds {value[:80]!r}{self.where(name, value)}, unlike its "
            f"first rows. Name what stands for a missing value (--na, or Layout.missing), convert it, or "
            f"leave it out with drop."
        )

    def _texts(self, name: str) -> Iterator[str]:
        """What stands in a column."""
        import pyarrow as pa

        for batch in self._batches([name], {name: pa.string()}, BLOCKS[1]):
            yield from filter(None, batch.column(0).to_pylist())

    def _opened(self) -> Any:
        return self.dialect.opened(self._file.path)

    def _reader(self, source: Any, options: Any, block: int) -> Any:
        from pyarrow import csv

        return csv.open_csv(
            source,
            read_options=self.dialect.reading(block_size=block),
            parse_options=self.dialect.parsing(),
            convert_options=options,
        )
