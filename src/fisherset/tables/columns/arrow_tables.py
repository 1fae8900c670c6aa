"""Parquet, Feather and Arrow files read whole, or the columns of them that are wanted."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from fisherset.tables.columns.columns import is_text
from fisherset.tables.columns.identifiers import index_columns
from fisherset.tables.columns.names import check_names
from fisherset.tables.memory import check_room, check_shape

STREAM = b"\xff\xff\xff\xff"  # how a stream of Arrow's starts


def _places(schema: Any, wanted: Collection[str] | None) -> list[int]:
    """The columns to read: those that are wanted, and what the rows are called; one at the least."""
    if wanted is None:
        return list(range(len(schema.names)))
    kept = {*wanted, *index_columns(schema)}
    return [j for j, name in enumerate(schema.names) if name in kept] or [0]


def parquet_table(path: Path, file: Any, wanted: Collection[str] | None) -> Any:
    """A Parquet file; texts stay a list of different ones and numbers into it, as the file may have them.

    Such a list can stand for any number of long texts: what it stands for is taken apart later, and
    counted before.
    """
    from pyarrow import parquet

    content = parquet.ParquetFile(file)
    check_names(path, content.schema_arrow.names)  # of two of one name Arrow reads neither
    held, schema = content.metadata, content.schema_arrow
    every = schema.names  # a new list each time it is asked for
    names = [every[j] for j in _places(schema, wanted)]
    check_shape(path.name, held.num_rows, len(names))
    size = sum(held.row_group(i).total_byte_size for i in range(held.num_row_groups))
    check_room(path.name, size * len(names) / max(1, len(every)), "its columns")
    texts = [field.name for field in schema if is_text(field.type)]
    # not `parquet.read_table`, which reads the footer anew, and files ahead of what takes them apart
    content = parquet.ParquetFile(file, metadata=held, read_dictionary=texts)
    if wanted is None:
        return content.read()
    return content.read(names).select(names)  # by the name "a" it reads "a.b" as well


def ipc_table(path: Path, file: Any, wanted: Collection[str] | None) -> Any:
    """A Feather or Arrow file or stream, read a batch at a time: what one takes is known when it is there."""
    import pyarrow as pa
    from pyarrow import feather

    start = file.read(4)
    file.seek(0)
    if start == b"FEA1":  # the first version of Feather, which has no batches
        table = feather.read_table(file)
        return table.select(_places(table.schema, wanted))
    opened_as = pa.ipc.open_stream if start == STREAM else pa.ipc.open_file
    content = opened_as(file)
    if wanted is not None:
        options = pa.ipc.IpcReadOptions(included_fields=_places(content.schema, wanted))
        file.seek(0)
        content = opened_as(file, options=options)
    coming = content if start == STREAM else map(content.get_batch, range(content.num_record_batches))
    batches, size, n_rows = [], 0, 0
    for batch in coming:
        batches.append(batch)
        size, n_rows = size + batch.nbytes, n_rows + batch.num_rows
        check_room(path.name, size, "its columns")
        check_shape(path.name, n_rows, len(content.schema))  # a batch may say of a value how often it comes
    return pa.Table.from_batches(batches, content.schema)
