"""Files of columns as one stream of Arrow batches that can be opened again: what they hold has to agree."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Protocol

from fisherset._files import ARROW, TEXT, suffix_of
from fisherset.tables.columns.arrow_batches import ArrowReader, ParquetReader
from fisherset.tables.columns.columns import RefusedColumnError, kind_of
from fisherset.tables.columns.identifiers import AS_WRITTEN
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.matrices.geo import is_series
from fisherset.tables.memory import TooLargeError
from fisherset.tables.streams.paths import TableFile, check_partitions
from fisherset.tables.text.batches import CsvReader
from fisherset.tables.text.recognition import Finding

SCANNED = (
    "text (.csv, .tsv, .txt, also packed as .csv.gz), Parquet (.parquet), Feather or Arrow (.feather, "
    ".arrow, .arrows), .h5ad or .zarr"
)
ROWS_SEARCHED = 2**16  # rows at a time, when a value is looked for


class Stream(Protocol):
    """A table that comes as Arrow batches, again whenever it is asked for."""

    name: str
    schema: Any  # pyarrow.Schema: every column, of the type in which it comes
    n_rows: int | None

    def agree(self, columns: Sequence[str]) -> None:
        """Settle the types of these columns, which will be asked for; those that differ are refused."""

    def untyped(self, name: str) -> bool:
        """Whether a column comes as text without a type, as from CSV."""

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Batches with these columns, of about so many rows, each with where it comes from."""

    def where(self, name: str, value: str) -> Finding:
        """Where a text in a column comes from, and its first line or row."""


class Files:
    """Files, one after the other.

    Parameters
    ----------
    files : list of TableFile
        The files.
    texts : collection of str
        Columns of files of text that are read as they stand.
    layout : Layout, default=PLAIN
        What is said of how texts are written.

    Attributes
    ----------
    name : str
        What the table is called in messages.
    schema : pyarrow.Schema
        The columns of all files, and the partitions they are in.
    n_rows : int or None
        The number of rows, where all files say it.
    """

    def __init__(self, files: list[TableFile], texts: Collection[str] = (), layout: Layout = PLAIN) -> None:
        import pyarrow as pa

        self._files = files
        self._readers = []
        for file in files:
            with readable(file):
                self._readers.append(_reader(file, texts, layout))
        self._remark(layout)
        counts = [reader.n_rows for reader in self._readers]
        self.n_rows = None if None in counts else sum(count or 0 for count in counts)
        if self.n_rows == 0:
            raise ValueError(f"{files[0].name} has no rows.")
        self.name = files[0].name
        self._partitions = {
            key: _partition([file.partitions[key] for file in files]) for key in files[0].partitions
        }
        for file, reader in zip(files, self._readers, strict=True):
            check_partitions(file.name, file.partitions, reader.schema.names)
        fields = {field.name: field for reader in reversed(self._readers) for field in reader.schema}
        first = self._readers[0].schema
        names = list(dict.fromkeys([*first.names, *fields]))
        partitions = [pa.field(key, values.type) for key, values in self._partitions.items()]
        self.schema = pa.schema([*map(fields.__getitem__, names), *partitions], metadata=first.metadata)

    def _remark(self, layout: Layout) -> None:
        """Say what was guessed of texts, of files that are written alike once."""
        said: set[tuple[Any, ...]] = set()
        for file, reader in zip(self._files, self._readers, strict=True):
            if not isinstance(reader, CsvReader):
                continue
            dialect = reader.dialect
            kind = dialect.separator, dialect.decimal, dialect.encoding, dialect.n_lines
            remark = dialect.remark(file.path, layout)
            if remark is not None and kind not in said:
                warnings.warn(remark, stacklevel=2)
            said.add(kind)

    def agree(self, columns: Sequence[str]) -> None:
        """Settle the types of these columns; those that differ, or that some files lack, are refused."""
        import pyarrow as pa

        fields = {field.name: field for field in self.schema}
        for file, reader in zip(self._files, self._readers, strict=True):
            for name in columns:
                if name in self._partitions:
                    continue
                place = reader.schema.get_field_index(name)
                if place < 0:
                    raise ValueError(
                        f"All files must have the same columns; {file.name} lacks {name!r}. Name those to "
                        f"use with columns, or leave it out with drop."
                    )
                fields[name] = self._agreed(fields[name], reader.schema.field(place), file)
        for name in columns:  # what is not in the first rows of a text is taken for numbers that come later
            if pa.types.is_null(fields[name].type) and any(isinstance(r, CsvReader) for r in self._readers):
                fields[name] = fields[name].with_type(pa.float64())
        self.schema = pa.schema(list(fields.values()), metadata=self.schema.metadata)

    def _agreed(self, field: Any, other: Any, file: TableFile) -> Any:
        """A column that holds what both say; numbers are numbers, whole or not."""
        one, two = _kind(field.type), _kind(other.type)
        if "nothing" in (one, two) or one == two == "number":
            import pyarrow as pa

            if one == "nothing" or field.type.equals(other.type):
                return other
            return field if two == "nothing" else field.with_type(pa.float64())
        if one != two:
            raise ValueError(
                f"All files must have the same columns; {field.name!r} holds {field.type} in {self.name} and "
                f"{other.type} in {file.name}. Convert one of them, or leave it out with drop."
            )
        return field

    def untyped(self, name: str) -> bool:
        """Whether a column comes from files of text only: a string that has a type is a string."""
        return name not in self._partitions and all(isinstance(r, CsvReader) for r in self._readers)

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Batches with these columns, of about so many rows, each with its file."""
        own = [name for name in columns if name not in self._partitions]
        types = {name: _csv_type(self.schema.field(name).type) for name in own}
        for i, (file, reader) in enumerate(zip(self._files, self._readers, strict=True)):
            file.check()
            with closing(reader.batches(own, rows, types)) as batches:
                while True:
                    with readable(file):
                        batch = next(batches, None)
                    if batch is None:
                        break
                    yield file.name, self._with_partitions(batch, i) if self._partitions else batch
            file.check()

    def where(self, name: str, value: str) -> Finding:
        """The file, and the line or row, that first has a text in a column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        inside = [] if name in self._partitions else zip(self._files, self._readers, strict=True)
        for file, reader in inside:
            if isinstance(reader, CsvReader):
                if place := reader.where(name, value):
                    return Finding(f" of {file.name}", place, True)
                continue
            row = 1
            for batch in reader.batches([name], ROWS_SEARCHED, {}):
                found = pc.index(batch.column(name).cast(pa.string()), value).as_py()
                if found >= 0:
                    return Finding(f" of {file.name}", f" in row {row + found}")
                row += batch.num_rows
        return Finding(f" of {self.name}")

    def _with_partitions(self, batch: Any, i: int) -> Any:
        """Rows of a file with what its folders say of them."""
        import pyarrow as pa

        names = [name for name in batch.schema.names if name not in self._partitions]
        arrays = [batch.column(name) for name in names]
        arrays += [pa.repeat(values[i], batch.num_rows) for values in self._partitions.values()]
        return pa.RecordBatch.from_arrays(arrays, names=[*names, *self._partitions])


def _reader(file: TableFile, texts: Collection[str], layout: Layout) -> Any:
    suffix = suffix_of(file.path)
    if file.stamp[0] == 0:
        raise ValueError(f"{file.name} is empty.")
    if suffix == ".parquet":
        return ParquetReader(file)
    if suffix in ARROW:
        return ArrowReader(file)
    if is_series(file.path):
        raise ValueError(
            f"{file.name} is a series matrix of GEO, whose rows are features: it has to be read whole, by "
            f"itself, and not by batches."
        )
    if suffix in TEXT:
        return CsvReader(file, texts, layout)
    raise ValueError(f"{file.name} is of no known kind; what can be scanned is {SCANNED}.")


@contextmanager
def readable(file: TableFile) -> Iterator[None]:
    """Says of a file that cannot be read which one it is, and whether it is still the same."""
    import pyarrow as pa

    try:
        yield
    except TooLargeError:
        raise
    except MemoryError as error:
        raise TooLargeError(
            f"{file.name} cannot be read: there is no memory for a part of it that has to be read at once. "
            f"It is damaged, or was written in too large parts. ({error})"
        ) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        file.check()
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{file.name} cannot be read; is it damaged or cut off? ({reason[:160]})") from error


def _partition(values: list[str | None]) -> Any:
    """Values of the partitions of all files: whole numbers where they all are written as such.

    01 and 1 are two folders, and stay two values.
    """
    import pyarrow as pa

    if all(value is None or AS_WRITTEN.fullmatch(value) for value in values):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    return pa.array(values, pa.string())


def _kind(kind: Any) -> str:
    """What a column holds; as labels decimals are as they are written, in ways that their type says."""
    import pyarrow as pa

    try:
        return str(kind) if pa.types.is_decimal(kind) else kind_of(kind)
    except RefusedColumnError:
        return str(kind)


def _csv_type(kind: Any) -> Any:
    """As what a column of text is read: numbers with a fraction, which may come after many without."""
    import pyarrow as pa

    held = _kind(kind)
    if held == "text":
        return pa.string()
    return kind if pa.types.is_boolean(kind) or held not in ("number", "nothing") else pa.float64()
