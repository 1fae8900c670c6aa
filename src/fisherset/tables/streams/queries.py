"""Tables that are no files but can be read again: datasets, lazy frames, relations, functions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fisherset.tables.columns.types import check_names
from fisherset.tables.streams.files import PartitionError, check_partitions
from fisherset.tables.streams.sources import TableFile, stamp_of
from fisherset.tables.text.recognition import Finding

BATCHES_A_SLICE = 8  # of a lazy frame, which is computed anew for each slice where it cannot be streamed
Batches = Generator[Any, None, None]


@dataclass
class Query:
    """A stream of a table that is read by a function of columns and rows, from files that must not change.

    A batch may come with the name of its source in a tuple; that of others is the name of the table.
    """

    name: str
    schema: Any
    read: Callable[[list[str], int], Batches]
    files: Sequence[TableFile] = ()
    n_rows: int | None = None
    decimal: str = "."

    def agree(self, columns: Sequence[str]) -> None:
        """Types are those of the schema."""

    def untyped(self, name: str) -> bool:
        """Every column has a type."""
        return False

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Yield batches with these columns, of about so many rows, each with the name of its source."""
        for file in self.files:
            file.check()
        with closing(self.read(list(columns), rows)) as found:
            while True:
                with _named_errors(self.name):
                    batch = next(found, None)
                if batch is None:
                    break
                yield batch if isinstance(batch, tuple) else (self.name, batch)
        for file in self.files:
            file.check()

    def where(self, name: str, value: str) -> Finding:
        """Return the name of the table: its rows have no places."""
        return Finding(f" of {self.name}")


@contextmanager
def _named_errors(name: str) -> Iterator[None]:
    """Name the table that cannot be read."""
    try:
        yield
    except (MemoryError, PartitionError):
        raise
    except Exception as error:  # of any kind: each library has its own
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{name[0].upper()}{name[1:]} cannot be read ({reason[:160]}).") from error


def _dataset(dataset: Any) -> Query:
    """Return the stream of a dataset of pyarrow, filtered or not."""
    from pyarrow import fs

    local = isinstance(getattr(dataset, "filesystem", None), fs.LocalFileSystem)
    paths = [Path(name) for name in dataset.files] if local else []
    files = [TableFile(path, str(path), {}, stamp_of(path)) for path in paths]
    return Query("the dataset", dataset.schema, partial(_read_dataset, dataset), files)


def _read_dataset(dataset: Any, columns: list[str], rows: int) -> Batches:
    from pyarrow.dataset import get_partition_keys

    scanner = dataset.scanner(columns=columns, batch_size=rows, batch_readahead=1, fragment_readahead=1)
    checked: set[str] = set()
    for found in scanner.scan_batches():
        fragment = found.fragment
        name = str(getattr(fragment, "path", "the dataset"))
        if name not in checked:  # here, as a dataset with a filter does not list its files
            keys = get_partition_keys(fragment.partition_expression)
            check_partitions(name, keys, fragment.physical_schema.names if keys else ())
            checked.add(name)
        yield name, found.record_batch


def _lazy_frame(frame: Any) -> Query:
    """Return the stream of a lazy frame of polars, by slices where the version cannot stream it."""
    import polars

    with _named_errors("the LazyFrame"):
        schema = polars.DataFrame(schema=frame.collect_schema()).to_arrow().schema
    return Query("the LazyFrame", schema, partial(_read_lazy_frame, frame))


def _read_lazy_frame(frame: Any, columns: list[str], rows: int) -> Batches:
    query = frame.select(columns)
    if hasattr(query, "collect_batches"):
        for part in query.collect_batches(chunk_size=rows, maintain_order=True):
            yield from part.to_arrow().to_batches()
        return
    start, height, rows = 0, BATCHES_A_SLICE * rows, BATCHES_A_SLICE * rows
    while height == rows:
        part = query.slice(start, rows).collect()
        yield from part.to_arrow().to_batches()
        start, height = start + part.height, part.height


def _relation(relation: Any) -> Query:
    """Return the stream of a relation of DuckDB, computed again for every pass."""
    with _named_errors("the relation"), _relation_reader(relation.limit(0), 1) as reader:
        return Query("the relation", reader.schema, partial(_read_relation, relation))


def _read_relation(relation: Any, columns: list[str], rows: int) -> Batches:
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    with _relation_reader(relation.project(", ".join(quoted)), rows) as reader:
        yield from reader


def _relation_reader(relation: Any, rows: int) -> Any:
    # of the type: a relation has its columns for attributes
    openers = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")  # newest first
    return getattr(relation, next(name for name in openers if hasattr(type(relation), name)))(rows)


def _dask_frame(frame: Any) -> Query:
    """Return the stream of a data frame of Dask, computed again for every pass, a partition at a time.

    The types of its columns are those of Dask: strings in a column of objects.
    """
    import pyarrow as pa

    with _named_errors("the Dask data frame"):
        schema = pa.Schema.from_pandas(frame._meta_nonempty, preserve_index=False)
        plain = [field.with_type(_without_dictionary(field.type)) for field in schema]
        schema = pa.schema(plain)
    return Query("the Dask data frame", schema, partial(_read_dask_frame, frame, schema))


def _without_dictionary(kind: Any) -> Any:
    """Return the type of the values: categories may differ from partition to partition."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _read_dask_frame(frame: Any, schema: Any, columns: list[str], rows: int) -> Batches:
    import pyarrow as pa

    wanted = pa.schema([schema.field(name) for name in columns])
    part = frame[columns]
    for j in range(frame.npartitions):
        computed = part.partitions[j].compute()
        for batch in pa.Table.from_pandas(computed, wanted, preserve_index=False).to_batches():
            yield f"partition {j} of the Dask data frame", batch


def _opened_again(open_again: Callable[[], Any]) -> Query:
    """Return the stream of a function that opens a reader of Arrow, or anything that can be made one."""
    with _named_errors("the table"), _reader(open_again()) as reader:
        return Query("the table", reader.schema, partial(_read_again, open_again))


def _read_again(open_again: Callable[[], Any], columns: list[str], rows: int) -> Batches:
    with _reader(open_again()) as reader:
        for batch in reader:
            yield batch.select(columns)


def _arrow_table(frame: Any) -> Any:
    """Return a data frame of polars or pandas as a table of Arrow; names of columns become strings."""
    import pyarrow as pa

    if hasattr(type(frame), "to_arrow"):
        return frame.to_arrow()
    names = [str(name) for name in frame.columns]  # numbers, pairs, or the same twice
    table = pa.Table.from_pandas(frame.set_axis([str(j) for j in range(len(names))], axis="columns"))
    renamed = table.rename_columns([*names, *table.column_names[len(names) :]])
    return renamed.replace_schema_metadata(table.schema.metadata)  # which says what the index is


def _reader(table: Any) -> Any:
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table.to_reader()
    return table if isinstance(table, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(table)


def query_of(table: Any) -> Query | None:
    """Return the stream of a table that is no file; None where its type is not supported."""
    query = _known_query(table)
    if query is not None:
        check_names(Path(query.name[0].upper() + query.name[1:]), query.schema.names)
    return query


def _known_query(table: Any) -> Query | None:
    library = type(table).__module__.partition(".")[0].lstrip("_")
    if library == "polars" and type(table).__name__ == "LazyFrame":
        return _lazy_frame(table)
    if library == "duckdb" and hasattr(type(table), "project"):
        return _relation(table)
    if library == "pyarrow" and hasattr(table, "get_fragments"):
        return _dataset(table)
    if hasattr(table, "__next__") or hasattr(type(table), "read_next_batch"):
        raise TypeError(
            f"A scan must be able to read the table again, once for each pass; got a {type(table).__name__}, "
            f"which can be read only once. Pass the files, the query, or a function that opens it anew."
        )
    if library in ("dask", "dask_expr") and type(table).__name__ == "DataFrame":
        return _dask_frame(table)
    if library in ("pandas", "polars") and type(table).__name__ == "DataFrame":
        return _opened_again(partial(_arrow_table, table))
    if callable(table):
        return _opened_again(table)
    is_table = hasattr(table, "__arrow_c_stream__") and type(table).__name__ not in ("Series", "ChunkedArray")
    return _opened_again(lambda: table) if is_table else None
