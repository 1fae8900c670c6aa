"""Parquet and Arrow files by batches: the columns asked for, and no more of them than a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fisherset.tables.columns.arrow_tables import STREAM
from fisherset.tables.columns.columns import is_text
from fisherset.tables.columns.names import check_names
from fisherset.tables.streams.paths import TableFile

BUFFER = 2**16  # bytes read ahead of each column of a row group, which is never loaded whole
MAPPED = 2**26  # bytes of a batch of an Arrow file above which it is not loaded but looked at


class ParquetReader:
    """A Parquet file.

    Attributes
    ----------
    schema : pyarrow.Schema
        Its columns.
    n_rows : int
        The number of its rows, as its footer says.
    """

    def __init__(self, file: TableFile) -> None:
        import pyarrow as pa

        self._path = str(file.path)
        with pa.OSFile(self._path) as source:
            content = _parquet(source)
            self.schema, self.n_rows = content.schema_arrow, int(content.metadata.num_rows)
        check_schema(file, self.schema)

    def batches(self, columns: Sequence[str], rows: int, types: Any = None) -> Iterator[Any]:
        """Its rows in order, so many at a time at most."""
        import pyarrow as pa

        texts = [name for name in columns if is_text(self.schema.field(name).type)]
        with pa.OSFile(self._path) as source:
            for batch in _parquet(source, texts).iter_batches(rows, columns=list(columns)):
                for name in texts:
                    batch.column(name).validate(full=True)  # are they UTF-8?
                yield batch


def _parquet(source: Any, texts: Sequence[str] = ()) -> Any:
    """A Parquet file of which nothing is read beforehand; texts stay a list of different ones."""
    from pyarrow import parquet

    return parquet.ParquetFile(
        source,
        pre_buffer=False,
        buffer_size=BUFFER,
        read_dictionary=list(texts),
        page_checksum_verification=True,
    )


class ArrowReader:
    """An Arrow or Feather file, or a stream, which does not say how many rows it has.

    Attributes as those of `ParquetReader`.
    """

    def __init__(self, file: TableFile) -> None:
        import pyarrow as pa
        from pyarrow import dataset

        self._path = str(file.path)
        self.n_rows: int | None = None
        with pa.OSFile(self._path) as source:
            start = source.read(6)
            source.seek(0)
            if start.startswith(b"FEA1"):
                raise ValueError(f"{file.name} is of the first version of Feather; write it again.")
            self._stream = start.startswith(STREAM)
            if not (self._stream or start.startswith(b"ARROW1")):
                raise ValueError(
                    f"{file.name} is no Arrow file, or damaged. Write it with pyarrow.ipc.new_file."
                )
            content = pa.ipc.open_stream(source) if self._stream else pa.ipc.open_file(source)
            self.schema = content.schema
            mean = 0.0 if self._stream else file.stamp[0] / max(1, content.num_record_batches)
        check_schema(file, self.schema)
        if not self._stream:  # no column is read for it
            self.n_rows = int(dataset.dataset(self._path, format="ipc").count_rows())
        self._open = pa.memory_map if mean > MAPPED else pa.OSFile

    def batches(self, columns: Sequence[str], rows: int, types: Any = None) -> Iterator[Any]:
        """Its rows in order, as many at a time as were written together."""
        import pyarrow as pa

        # of no fields Arrow reads all, and one will do to count rows
        fields = [self.schema.get_field_index(name) for name in columns] or [0]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with self._open(self._path) as source:
            if self._stream:
                coming = content = pa.ipc.open_stream(source, options=options)
            else:
                content = pa.ipc.open_file(source, options=options)
                coming = map(content.get_batch, range(content.num_record_batches))
            for batch in coming:
                batch.validate(full=True)  # what Arrow would follow out of a damaged file
                yield batch


def check_schema(file: TableFile, schema: Any) -> None:
    """Refuse two columns of one name, and what is said of columns where it cannot be read."""
    check_names(file.path, schema.names)
    try:
        schema.pandas_metadata  # noqa: B018 - parsed when it is asked for
    except ValueError as error:
        raise ValueError(f"{file.name} cannot be read; is it damaged? (Its metadata are no JSON.)") from error
