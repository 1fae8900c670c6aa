"""CSV and TSV files by batches: kinds are taken from their first rows; what does not fit later is named."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fisherset._files import TEXT
from fisherset.tables.columns import EXACT_BITS
from fisherset.tables.frames import _check_names
from fisherset.tables.paths import TableFile
from fisherset.tables.text_files import LARGEST_BLOCK, bytes_of_row, check_encoding, start_of

BLOCKS = 2**16, 2**20  # the least and the most bytes of text in a batch, but where that would be
MANY_ROWS = 256  # less than so many
LONG = re.compile(r"\s*[-+]?\d{16,}\s*")  # a whole number that float64 may round
PACKED = (".gz", ".bz2", ".zst", ".lz4")
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

    Attributes
    ----------
    schema : pyarrow.Schema
        Its columns, as they look in the first rows.
    n_rows : None
        Nobody has counted them.
    """

    n_rows = None

    def __init__(self, file: TableFile, texts: Collection[str] = ()) -> None:
        import pyarrow as pa
        from pyarrow import csv

        self._file, suffixes = file, [suffix.lower() for suffix in file.path.suffixes]
        packed = suffixes[-1] in PACKED
        self._delimiter = TEXT[suffixes[-2] if packed else suffixes[-1]]
        if not packed:
            check_encoding(file.path)
        with self._opened() as source:
            start = start_of(source)
        self._row_bytes = bytes_of_row(start)
        options = csv.ConvertOptions(
            strings_can_be_null=True, column_types={name: pa.string() for name in texts}
        )
        with self._opened() as source, self._reader(source, options, len(start) + 1) as reader:
            self.schema = reader.schema
        _check_names(file.path, self.schema.names)
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
                for batch in self._batches(columns, types, block, done):
                    done += batch.num_rows
                    yield batch
                return
            except pa.ArrowInvalid as error:
                if "straddling" in str(error) and block < LARGEST_BLOCK:  # a row is longer than a block
                    block = min(8 * block, LARGEST_BLOCK)
                    continue
                misfit = MISFIT.match(str(error))
                if misfit is None:
                    raise
                column, value = misfit.groups()
                raise ValueError(self._misfit(self.schema.names[int(column)], value)) from error

    def _batches(
        self, columns: Sequence[str], types: Mapping[str, Any], block: int, skip: int = 0
    ) -> Iterator[Any]:
        """Batches from some row on."""
        from pyarrow import csv

        # of no columns none would be counted
        wanted = list(columns) or self.schema.names[:1]
        options = csv.ConvertOptions(
            include_columns=wanted,
            column_types={name: types[name] for name in wanted if name in types},
            strings_can_be_null=True,
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
            for text, row in self._texts(name):
                if LONG.fullmatch(text) and (len(text) > 300 or int(text) != float(text)):
                    raise ValueError(
                        f"Column {name!r} of {self._file.name} holds the whole number {text[:80]} in row "
                        f"{row}, beyond 2^53, which would be rounded. Leave it out with drop, or convert it."
                    )
            self._exact.add(name)

    def _misfit(self, name: str, value: str | None) -> str:
        if value is None:
            return f"{self._file.name} is not UTF-8 text in the column {name!r}; save it as UTF-8."
        row = next((f" in row {row}" for text, row in self._texts(name) if text == value), "")
        return (
            f"Column {name!r} of {self._file.name} holds {value[:80]!r}{row}, unlike its first rows. "
            f"Convert it, or leave it out with drop."
        )

    def _texts(self, name: str) -> Iterator[tuple[str, int]]:
        """What stands in a column, and in which row."""
        import pyarrow as pa

        row = 0
        for batch in self._batches([name], {name: pa.string()}, BLOCKS[1]):
            for text in batch.column(0).to_pylist():
                row += 1
                if text is not None:
                    yield text, row

    def _opened(self) -> Any:
        """The text; pyarrow goes by the name whether it is packed."""
        import pyarrow as pa

        return pa.input_stream(str(self._file.path), compression="detect")

    def _reader(self, source: Any, options: Any, block: int) -> Any:
        from pyarrow import csv

        return csv.open_csv(
            source,
            read_options=csv.ReadOptions(block_size=block),
            parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            convert_options=options,
        )
