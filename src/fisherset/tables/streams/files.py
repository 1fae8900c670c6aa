"""The files of a table - one, a list, a pattern or a folder with partitions - as one stream of batches."""

from __future__ import annotations

import glob
import os
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

from fisherset._files import TEXT
from fisherset._format import shown
from fisherset._kinds import address_of, tables_among
from fisherset.data import Place
from fisherset.tables.columns.identifiers import AS_WRITTEN
from fisherset.tables.columns.types import broad_kind
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.streams.readers import ArrowReader, Reader, readable, reader_of
from fisherset.tables.streams.sources import TableFile, table_file
from fisherset.tables.text.reader import TextReader
from fisherset.tables.text.recognition import Finding

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # the folder of rows without a value, as Hive names it
MAGIC = "*?["  # characters that make a path a pattern


class PartitionError(ValueError):
    """A `key=value` folder that contradicts another, or a column of its files."""


class Stream(Protocol):
    """A table that can be read by Arrow batches, again for every pass."""

    name: str
    schema: Any  # pyarrow.Schema: every column, of the type in which it comes
    n_rows: int | None

    def agree(self, columns: Sequence[str]) -> None:
        """Settle the types of columns that will be read; those that differ between files are refused."""

    decimal: str  # the decimal point of text without a type

    def untyped(self, name: str) -> bool:
        """Whether a column is text without a type, as in CSV."""

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Yield batches with these columns, of about so many rows, each with the name of its source."""

    def where(self, name: str, value: str) -> Finding:
        """Return the source of a string in a column, and its first line or row."""


class Files:
    """A stream of files, one after the other, whose columns have to agree.

    Columns in `strings` are strings in files of text; `readers` are those of the files, where they are open.
    """

    def __init__(
        self,
        files: list[TableFile],
        strings: Collection[str] = (),
        layout: Layout = PLAIN,
        readers: Sequence[Reader] | None = None,
    ) -> None:
        import pyarrow as pa

        self._files, self.name = files, files[0].name
        self._readers = readers or [_scannable(file, layout) for file in files]
        for file, reader in zip(files, self._readers, strict=True):
            if isinstance(reader, TextReader):
                reader.strings = frozenset(strings)
            with readable(file):
                check_partitions(file.name, file.partitions, reader.schema.names)
        self._remark()
        points = {reader.dialect.decimal for reader in self._readers if isinstance(reader, TextReader)}
        self.decimal = points.pop() if len(points) == 1 else "."
        counts = [reader.n_rows for reader in self._readers]
        self.n_rows = None if None in counts else sum(count or 0 for count in counts)
        if self.n_rows == 0:
            raise ValueError(f"{self.name} has no rows.")
        self._partitions = {
            key: _partition([file.partitions[key] for file in files]) for key in files[0].partitions
        }
        fields = {field.name: field for reader in reversed(self._readers) for field in reader.schema}
        first = self._readers[0].schema
        names = list(dict.fromkeys([*first.names, *fields]))
        partitions = [pa.field(key, values.type) for key, values in self._partitions.items()]
        self.schema = pa.schema([*map(fields.__getitem__, names), *partitions], metadata=first.metadata)

    def _remark(self) -> None:
        """Warn of what was guessed of texts, once for files written alike."""
        said: set[tuple[Any, ...]] = set()
        for reader in self._readers:
            if isinstance(reader, TextReader):
                dialect = reader.dialect
                kind = dialect.separator, dialect.decimal, dialect.encoding, dialect.n_lines
                if (remark := reader.remark()) is not None and kind not in said:
                    warnings.warn(remark, stacklevel=2)
                said.add(kind)

    def agree(self, columns: Sequence[str]) -> None:
        """Settle the types of these columns; those that differ, or that some files lack, are refused."""
        import pyarrow as pa

        fields = {field.name: field for field in self.schema}
        own = [name for name in columns if name not in self._partitions]
        for file, reader in zip(self._files, self._readers, strict=True):
            for name in own:
                place = reader.schema.get_field_index(name)
                if place < 0:
                    raise ValueError(
                        f"All files must have the same columns; {file.name} lacks {name!r}. Name those to "
                        f"use with columns, or leave it out with drop."
                    )
                fields[name] = self._agreed(fields[name], reader.schema.field(place), file)
        for name in columns:  # a column without a value in the first rows of a text may have numbers later
            if pa.types.is_null(fields[name].type) and any(isinstance(r, TextReader) for r in self._readers):
                fields[name] = fields[name].with_type(pa.float64())
        self.schema = pa.schema(list(fields.values()), metadata=self.schema.metadata)

    def _agreed(self, field: Any, other: Any, file: TableFile) -> Any:
        """Return a field that holds what both say; numbers are numbers, whole or not."""
        import pyarrow as pa

        one, two = _kind(field.type), _kind(other.type)
        if "nothing" in (one, two) or one == two == "number":
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
        return name not in self._partitions and all(isinstance(r, TextReader) for r in self._readers)

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Yield batches with these columns, of about so many rows, each with its file."""
        own = [name for name in columns if name not in self._partitions]
        types: Mapping[str, Any] = {name: _text_type(self.schema.field(name).type) for name in own}
        for i, (file, reader) in enumerate(zip(self._files, self._readers, strict=True)):
            file.check()
            with closing(reader.batches(own, rows, types)) as batches:  # type: ignore[type-var]
                while True:
                    with readable(file):
                        batch = next(batches, None)
                    if batch is None:
                        break
                    yield file.name, self._with_partitions(batch, i) if self._partitions else batch
            file.check()

    def where(self, name: str, value: str) -> Finding:
        """Return the file, and the line or row, that first has a string in a column."""
        readers = [] if name in self._partitions else self._readers
        found = (reader.find(name, value) for reader in readers)
        return next((finding for finding in found if finding is not None), Finding(f" of {self.name}"))

    def _with_partitions(self, batch: Any, i: int) -> Any:
        """Return rows of a file with the columns that its folders are."""
        import pyarrow as pa

        names = [name for name in batch.schema.names if name not in self._partitions]
        arrays = [batch.column(name) for name in names]
        arrays += [pa.repeat(values[i], batch.num_rows) for values in self._partitions.values()]
        return pa.RecordBatch.from_arrays(arrays, names=[*names, *self._partitions])


def _scannable(file: TableFile, layout: Layout) -> Reader:
    reader = reader_of(file, layout)
    if reader is None and file.kind in TEXT:
        raise ValueError(
            f"{file.name} is a GEO series matrix, whose rows are features; it cannot be read in batches. "
            f"Name it by itself."
        )
    if reader is None:
        raise ValueError(f"{file.name} holds a matrix, which cannot be read in batches. Name it by itself.")
    if isinstance(reader, ArrowReader):
        reader.check_batches()
    return reader


def _partition(values: list[str | None]) -> Any:
    """Return the values of a partition of all files: integers where all are written as such.

    01 and 1 are two folders, and stay two values, which hive partitioning of `pyarrow.dataset` would merge.
    """
    import pyarrow as pa

    if all(value is None or AS_WRITTEN.fullmatch(value) for value in values):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    return pa.array(values, pa.string())


def _kind(kind: Any) -> str:
    """Return the kind of a column; labels that are decimals are as they are written, by their type."""
    import pyarrow as pa

    return str(kind) if pa.types.is_decimal(kind) else broad_kind(kind)


def _text_type(kind: Any) -> Any:
    """Return the type in which a column of text is read: floats, which may follow many integers."""
    import pyarrow as pa

    held = _kind(kind)
    if held == "text":
        return pa.string()
    return kind if pa.types.is_boolean(kind) or held not in ("number", "nothing") else pa.float64()


def table_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[TableFile]:
    """Return the files of a table; those of a folder or a pattern in the order of their names."""
    if not isinstance(paths, str | os.PathLike):
        return _listed([Path(path) for path in paths])
    text = os.fspath(paths)
    if (address := address_of(text)) is not None:
        raise FileNotFoundError(
            f"File not found: {address!r}. Pass remote tables as pyarrow.dataset.dataset({address!r})."
        )
    path = Path(text)
    if path.is_dir():
        # without those that tools leave next to a table, such as _SUCCESS and .crc files
        hidden = re.compile(r"(?:^|/)[._]").search
        return _below(path, [p for p in path.rglob("*") if not hidden(p.relative_to(path).as_posix())])
    if path.exists() or not any(mark in text for mark in MAGIC):
        return _listed([path])
    found = [Path(name) for name in glob.glob(text, recursive=True)]
    if not found:
        raise FileNotFoundError(f"No file matches {text!r}.")
    return _below(Path(*takewhile(lambda part: not set(part) & set(MAGIC), path.parts[:-1])), found)


def _listed(paths: list[Path]) -> list[TableFile]:
    """Return files as they are listed; named by their whole paths where some have the same name."""
    if not paths:
        raise ValueError("paths must name a file at least; got none.")
    lost = [str(path) for path in paths if not path.exists()]
    if lost:
        raise FileNotFoundError(f"File not found: {shown(lost)}.")
    folders = [str(path) for path in paths if path.is_dir()]
    if folders:
        raise IsADirectoryError(f"{folders[0]!r} is a folder; a list takes files only.")
    resolved: set[Path] = set()
    for path in paths:
        if path.resolve() in resolved:
            raise ValueError(f"Every file must be named once; {path} is named twice.")
        resolved.add(path.resolve())
    own = len({path.name for path in paths}) == len(paths)
    return [table_file(path, path.name if own else str(path)) for path in paths]


def _below(root: Path, found: list[Path]) -> list[TableFile]:
    """Return the files below a folder in the order of their names; `key=value` folders are partitions."""
    inside = sorted(path.relative_to(root).parts for path in found if path.is_file())
    if not inside:
        raise FileNotFoundError(f"Folder {str(root)!r} is empty.")
    tables, others = tables_among("/".join(parts) for parts in inside)
    if not tables:
        raise ValueError(f"Folder {str(root)!r} contains no table, only {shown(others)}.")
    if others:
        warnings.warn(f"Ignored in {root.name or root}, not tables: {shown(others)}.", stacklevel=4)
    files = [table_file(root / name, name, _partitions(tuple(name.split("/")[:-1]))) for name in tables]
    keys = list(files[0].partitions)
    for file in files:
        if list(file.partitions) != keys:
            raise ValueError(
                f"All files must be in the same partitions; {files[0].name} is in {shown(keys) or 'none'}, "
                f"{file.name} in {shown(list(file.partitions)) or 'none'}."
            )
    return files


def _partitions(folders: tuple[str, ...]) -> dict[str, str | None]:
    """Return the values that `key=value` folders, one in the other, give the rows below them."""
    found: dict[str, str | None] = {}
    inside: dict[str, str] = {}
    for folder in folders:
        if "=" not in folder.strip("="):
            continue
        key, value = folder.split("=", 1)
        key = unquote(key)
        if key in found:
            raise PartitionError(
                f"A partition must say one thing of a row; {folder!r} is inside {inside[key]!r}. Rename one "
                f"of the folders, or pass the files in a list, which leaves folders out."
            )
        found[key], inside[key] = (None if value == NO_VALUE else unquote(value)), folder
    return found


def check_partitions(file: str, partitions: Mapping[str, Any], columns: Collection[str]) -> None:
    """Refuse a folder with the name of a column of its files: one would replace the other."""
    both = [key for key in partitions if key in columns]
    if both:
        raise PartitionError(
            f"A partition folder must not have the name of a column of its files; the folder "
            f"'{both[0]}={partitions[both[0]]}' and the column {both[0]!r} of {file} share one. Rename one "
            f"of them, or pass the files in a list, which leaves folders out."
        )


def rebatched(batches: Iterator[tuple[str, Any]], rows: int) -> Iterator[tuple[Place, list[Any]]]:
    """Yield so many rows of one source at a time, in pieces, and the place of the first of them."""
    name, row, held = "", 1, 0
    pieces: list[Any] = []
    for source, batch in batches:
        if source != name:
            if held:
                yield Place(name, row), pieces
            name, row, pieces, held = source, 1, [], 0
        start = 0
        while held + batch.num_rows - start >= rows:
            stop = start + rows - held
            yield Place(name, row), [*pieces, batch.slice(start, stop - start)]
            row, pieces, held, start = row + rows, [], 0, stop
        if start < batch.num_rows:
            pieces.append(batch.slice(start))
            held += batch.num_rows - start
    if held:
        yield Place(name, row), pieces
