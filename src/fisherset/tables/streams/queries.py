"""Tables that are no files but can be read again: datasets, lazy frames, relations, functions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from fisherset.tables.columns.types import check_names
from fisherset.tables.streams.files import PartitionError, check_partitions
from fisherset.tables.streams.readers import TableFile, stamp_of
from fisherset.tables.text.recognition import Finding

BATCHES_A_SLICE = 8  # of a lazy frame, which is computed anew for each slice where it cannot be streamed


class Query:
    """A stream of a single table, with its name in messages and an unknown number of rows."""

    name = "the table"
    schema: Any
    n_rows: int | None = None

    def agree(self, columns: Sequence[str]) -> None:
        """Types are those of the schema."""

    def untyped(self, name: str) -> bool:
        """Every column has a type."""
        return False

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Yield batches with these columns, of about so many rows, each with the name of its source."""
        with closing(self._read(list(columns), rows)) as found:
            while True:
                with answered(self.name):
                    batch = next(found, None)
                if batch is None:
                    return
                yield batch

    def where(self, name: str, value: str) -> Finding:
        """Return the name of the table: its rows have no places."""
        return Finding(f" of {self.name}")

    def _read(self, columns: list[str], rows: int) -> Generator[tuple[str, Any], None, None]:
        raise NotImplementedError


@contextmanager
def answered(name: str) -> Iterator[None]:
    """Name the table that cannot be read."""
    try:
        yield
    except (MemoryError, PartitionError):
        raise
    except Exception as error:  # of any kind: each library has its own
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{name[0].upper()}{name[1:]} cannot be read ({reason[:160]}).") from error


class DatasetQuery(Query):
    """A dataset of pyarrow's, filtered or not."""

    name = "the dataset"

    def __init__(self, dataset: Any) -> None:
        from pyarrow import fs

        self._dataset, self.schema = dataset, dataset.schema
        local = isinstance(getattr(dataset, "filesystem", None), fs.LocalFileSystem)
        paths = [Path(name) for name in dataset.files] if local else []
        self._files = [TableFile(path, str(path), {}, stamp_of(path)) for path in paths]

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Yield batches of files that must not change."""
        for file in self._files:
            file.check()
        yield from super().batches(columns, rows)
        for file in self._files:
            file.check()

    def _read(self, columns: list[str], rows: int) -> Generator[tuple[str, Any], None, None]:
        from pyarrow.dataset import get_partition_keys

        scanner = self._dataset.scanner(
            columns=columns, batch_size=rows, batch_readahead=1, fragment_readahead=1
        )
        checked: set[str] = set()
        for batch, fragment in ((found.record_batch, found.fragment) for found in scanner.scan_batches()):
            name = str(getattr(fragment, "path", self.name))
            if name not in checked:
                # here, as a dataset with a filter does not list its files
                keys = get_partition_keys(fragment.partition_expression)
                check_partitions(name, keys, fragment.physical_schema.names if keys else ())
                checked.add(name)
            yield name, batch


class LazyFrameQuery(Query):
    """A lazy frame of polars, streamed where the version does it."""

    name = "the LazyFrame"

    def __init__(self, frame: Any) -> None:
        import polars

        self._frame = frame
        with answered(self.name):
            self.schema = polars.DataFrame(schema=frame.collect_schema()).to_arrow().schema

    def _read(self, columns: list[str], rows: int) -> Generator[tuple[str, Any], None, None]:
        query = self._frame.select(columns)
        if hasattr(query, "collect_batches"):
            frames = iter(query.collect_batches(chunk_size=rows, maintain_order=True))
        else:
            frames = _slices(query, BATCHES_A_SLICE * rows)
        for frame in frames:
            for batch in frame.to_arrow().to_batches():
                yield self.name, batch


def _slices(query: Any, rows: int) -> Iterator[Any]:
    start = 0
    while True:
        frame = query.slice(start, rows).collect()
        yield frame
        start += frame.height
        if frame.height < rows:
            return


class RelationQuery(Query):
    """A relation of DuckDB, computed again for every pass."""

    name = "the relation"

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        with answered(self.name), _reader(relation.limit(0), 1) as reader:
            self.schema = reader.schema

    def _read(self, columns: list[str], rows: int) -> Generator[tuple[str, Any], None, None]:
        quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
        with _reader(self._relation.project(", ".join(quoted)), rows) as reader:
            for batch in reader:
                yield self.name, batch


def _reader(relation: Any, rows: int) -> Any:
    # of the type: a relation has its columns for attributes
    openers = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")  # newest first
    return getattr(relation, next(name for name in openers if hasattr(type(relation), name)))(rows)


class OpenedQuery(Query):
    """A function that opens a reader of Arrow, or anything that can be made one."""

    def __init__(self, open_again: Callable[[], Any]) -> None:
        self._open_again = open_again
        with answered(self.name), self._opened() as reader:
            self.schema = reader.schema

    def _opened(self) -> Any:
        import pyarrow as pa

        opened = self._open_again()
        if isinstance(opened, pa.Table):
            return opened.to_reader()
        return (
            opened if isinstance(opened, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(opened)
        )

    def _read(self, columns: list[str], rows: int) -> Generator[tuple[str, Any], None, None]:
        with self._opened() as reader:
            for batch in reader:
                yield self.name, batch.select(columns)


def query_of(table: Any) -> Query | None:
    """Return the stream of a table that is no file; None where its type is not supported."""
    query = _known_query(table)
    if query is not None:
        check_names(Path(query.name), query.schema.names)
    return query


def _known_query(table: Any) -> Query | None:
    library = type(table).__module__.partition(".")[0].lstrip("_")
    if library == "polars" and type(table).__name__ == "LazyFrame":
        return LazyFrameQuery(table)
    if library == "duckdb" and hasattr(type(table), "project"):
        return RelationQuery(table)
    if library == "pyarrow" and hasattr(table, "get_fragments"):
        return DatasetQuery(table)
    if hasattr(table, "__next__") or hasattr(type(table), "read_next_batch"):
        raise TypeError(
            f"A scan must be able to read the table again, once for each pass; got a {type(table).__name__}, "
            f"which can be read only once. Pass the files, the query, or a function that opens it anew."
        )
    if callable(table):
        return OpenedQuery(table)
    return OpenedQuery(lambda: table) if hasattr(table, "__arrow_c_stream__") else None
