"""Readers of single files of columns: Parquet, Arrow or Feather, and text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fisherset._extras import need
from fisherset._files import ARROW, JSON, TEXT, suffix_of
from fisherset._kinds import SHEETS, check_installed
from fisherset.tables.columns.identifiers import index_columns
from fisherset.tables.columns.types import check_names, is_string
from fisherset.tables.layout import Layout
from fisherset.tables.matrices.files import starts_series
from fisherset.tables.memory import TooLargeError, check_room, check_shape, room_now
from fisherset.tables.streams.sheets import as_text
from fisherset.tables.streams.sources import TableFile
from fisherset.tables.text.reader import TextReader
from fisherset.tables.text.recognition import Finding

IPC_STREAM = b"\xff\xff\xff\xff"  # first bytes of an Arrow stream
BUFFER = 2**16  # bytes read ahead of each column of a row group, which is never loaded whole
MAPPED = 2**26  # mean bytes of the batches of an Arrow file above which it is mapped instead of loaded
SEARCHED_ROWS = 2**17  # rows of a batch when a value is searched


class TypedReader:
    """A file whose columns have types: `schema`, and `n_rows` where the file says it.

    Batches come from the readers of the formats and not from `pyarrow.dataset`, whose scanner decodes a whole
    row group of Parquet at a time, however few rows a batch has.
    """

    schema: Any
    n_rows: int | None = None

    def __init__(self, file: TableFile) -> None:
        self.file = file

    def _check_schema(self) -> None:
        """Refuse two columns of one name, and metadata of pandas that cannot be parsed."""
        check_names(self.file.path, self.schema.names)
        try:
            self.schema.pandas_metadata  # noqa: B018 - parsed here
        except ValueError as error:
            raise ValueError(
                f"{self.file.name} cannot be read; is it damaged? (Its metadata are no JSON.)"
            ) from error

    def batches(self, columns: Sequence[str], rows: int, types: Any = None) -> Iterator[Any]:
        """Yield its rows in order, so many at a time at most where the format allows it."""
        raise NotImplementedError

    def header(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.schema.names)

    def size_in_memory(self) -> float:
        """Return about how many bytes the table takes in memory."""
        return 2.0 * self.file.stamp[0] if self.n_rows is None else 8.0 * self.n_rows * len(self.schema)

    def table(self, strings: Collection[str] = (), wanted: Collection[str] | None = None) -> Any:
        """Return all rows, of the wanted columns and those that name the rows, one column at least."""
        names = self.schema.names
        if wanted is not None:
            kept = {*wanted, *index_columns(self.schema)}
            names = [name for name in names if name in kept] or names[:1]
        check_shape(self.file.name, self.n_rows or 0, len(names))
        return self._collected(names).select(names).replace_schema_metadata(self.schema.metadata)

    def _collected(self, names: list[str]) -> Any:
        """Return all batches as one table, as long as there is memory for them."""
        import pyarrow as pa

        check = room_now(self.file.name)
        batches, size, n_rows = [], 0, 0
        for batch in self.batches(names, SEARCHED_ROWS):
            batches.append(batch)
            size, n_rows = size + batch.nbytes, n_rows + batch.num_rows
            check(size, "its columns")
            check_shape(self.file.name, n_rows, len(names))
        return pa.Table.from_batches(batches) if batches else self.schema.empty_table()

    def find(self, name: str, value: str) -> Finding | None:
        """Return where a string in a column is; None where it is not there."""
        import pyarrow as pa
        import pyarrow.compute as pc

        row = 1
        for batch in self.batches([name], SEARCHED_ROWS):
            found = pc.index(batch.column(name).cast(pa.string()), value).as_py()
            if found >= 0:
                return Finding(f" of {self.file.name}", f" in row {row + found}")
            row += batch.num_rows
        return None


class ParquetReader(TypedReader):
    """A Parquet file."""

    def __init__(self, file: TableFile) -> None:
        super().__init__(file)
        self._footer: Any = None  # parsed once, as that takes long where there are many columns
        with self._opened() as content:
            self.schema, self._footer = content.schema_arrow, content.metadata
        self.n_rows = int(self._footer.num_rows)
        self._string_columns = {field.name for field in self.schema if is_string(field.type)}
        self._check_schema()

    def batches(self, columns: Sequence[str], rows: int, types: Any = None) -> Iterator[Any]:
        strings = [name for name in columns if name in self._string_columns]
        with self._opened(strings) as content:
            for batch in content.iter_batches(rows, columns=list(columns)):
                for name in strings:
                    batch.column(name).validate(full=True)  # are they UTF-8?
                yield batch

    def _collected(self, names: list[str]) -> Any:
        # at once, as batches that are kept take twice the memory
        groups = map(self._footer.row_group, range(self._footer.num_row_groups))
        size = sum(group.total_byte_size for group in groups) * len(names) / max(1, len(self.schema))
        check_room(self.file.name, size, "its columns")
        strings = [name for name in names if name in self._string_columns]
        with self._opened(strings) as content:
            table = content.read(names)
        for name in strings:
            table.column(name).validate(full=True)
        return table

    @contextmanager
    def _opened(self, strings: Sequence[str] = ()) -> Iterator[Any]:
        """Open the file; columns of strings come dictionary-encoded, as the file may have them."""
        import pyarrow as pa
        from pyarrow import parquet

        with pa.OSFile(str(self.file.path)) as source:  # a file, even if its name looks like an address
            yield parquet.ParquetFile(
                source,
                metadata=self._footer,
                pre_buffer=False,
                buffer_size=BUFFER,
                read_dictionary=list(strings),
                page_checksum_verification=True,
            )


class ArrowReader(TypedReader):
    """An Arrow or Feather file, or a stream, which does not say how many rows it has."""

    def __init__(self, file: TableFile) -> None:
        import pyarrow as pa
        from pyarrow import dataset

        super().__init__(file)
        self._path, self._first_feather = str(file.path), False
        with pa.OSFile(self._path) as source:
            start = source.read(6)
            source.seek(0)
            self._stream = start.startswith(IPC_STREAM)
            if start.startswith(b"FEA1"):
                self._first_feather = True  # has no batches, and can only be read whole
                self.schema = self._feather().schema
                return
            if not (self._stream or start.startswith(b"ARROW1")):
                raise ValueError(
                    f"{file.name} cannot be read; is it damaged or truncated? It is no Arrow file, as "
                    f"pyarrow.ipc.new_file writes it."
                )
            content = pa.ipc.open_stream(source) if self._stream else pa.ipc.open_file(source)
            self.schema = content.schema
            mean = 0.0 if self._stream else file.stamp[0] / max(1, content.num_record_batches)
        self._check_schema()
        if not self._stream:  # no column is read for it
            self.n_rows = int(dataset.dataset(self._path, format="ipc").count_rows())
        self._open = pa.memory_map if mean > MAPPED else pa.OSFile

    def size_in_memory(self) -> float:
        return 2.0 * self.file.stamp[0]

    def _feather(self) -> Any:
        from pyarrow import feather

        check_room(self.file.name, self.file.stamp[0], "its columns")
        return feather.read_table(self._path)

    def check_batches(self) -> None:
        """Refuse to scan a file that can only be read whole."""
        if self._first_feather:
            raise ValueError(f"{self.file.name} is of the first version of Feather; write it again.")

    def batches(self, columns: Sequence[str], rows: int, types: Any = None) -> Iterator[Any]:
        import pyarrow as pa

        if self._first_feather:
            yield from self._feather().select(list(columns)).to_batches()
            return
        # without fields Arrow reads all; one is enough to count rows
        fields = [self.schema.get_field_index(name) for name in columns] or [0]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with self._open(self._path) as source:
            if self._stream:
                coming = content = pa.ipc.open_stream(source, options=options)
            else:
                content = pa.ipc.open_file(source, options=options)
                coming = map(content.get_batch, range(content.num_record_batches))
            for batch in coming:
                batch.validate(full=True)  # offsets of a damaged file would point outside of it
                yield batch


Reader = TypedReader | TextReader


def reader_of(file: TableFile, layout: Layout) -> Reader | None:
    """Return the reader of a file of columns; None for any other file."""
    need("pyarrow", f"Reading {file.name}")
    check_layout(file, layout)
    with readable(file):
        if file.kind == ".parquet":
            return ParquetReader(file)
        if file.kind in ARROW:
            return ArrowReader(file)
        if file.kind in (*SHEETS, *JSON):
            file, layout = as_text(file, layout)
        if file.kind not in TEXT:
            return None
        text = TextReader(file, layout)
        if starts_series(text.start):
            return None
        text.recognise()
        return text


def check_layout(file: TableFile, layout: Layout) -> None:
    """Refuse a layout that files of this kind cannot have."""
    check_installed(file.kind)
    elsewhere = layout.labels is not None and suffix_of(layout.labels) in SHEETS
    if layout.sheet is not None and file.kind not in SHEETS and not elsewhere:
        raise ValueError(f"--sheet needs an Excel or OpenDocument file; {file.name} has no sheets.")
    if not layout.header and file.kind not in (*TEXT, *JSON, *SHEETS):
        raise ValueError(f"--no-header needs text or a sheet; the columns of {file.name} have names.")


@contextmanager
def readable(file: TableFile) -> Iterator[None]:
    """Name the file that cannot be read, and say whether it changed."""
    import pyarrow as pa

    try:
        yield
    except TooLargeError:
        raise
    except MemoryError as error:
        raise TooLargeError(
            f"{file.name} cannot be read: out of memory for one of its parts. It is damaged, or the parts "
            f"are too large ({error})."
        ) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        file.check()
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(
            f"{file.name} cannot be read; is it damaged or truncated? ({reason[:160]})"
        ) from error
