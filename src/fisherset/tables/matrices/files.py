"""Files of matrices read whole, with the annotations of their rows: .npz, svmlight, .h5ad and GEO series."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fisherset._extras import need
from fisherset._format import meant, shown
from fisherset._kinds import MAGIC_BYTES, SVMLIGHT, compression_of, unsupported
from fisherset._sparse import sparse
from fisherset._types import Floats
from fisherset.data import Coded
from fisherset.tables.columns.encoding import ASK_IMPUTE, NOTHING, check_distinct
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import (
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
    kept_ids,
)
from fisherset.tables.columns.types import about_columns
from fisherset.tables.matrices.npz import arrays_in, read_npz
from fisherset.tables.matrices.storage import (
    StoredTable,
    loaded,
    loaded_columns,
    matrix_of,
    opened,
    size_of,
)
from fisherset.tables.memory import TooLargeError, check_room, check_shape, room_now
from fisherset.tables.text.decoding import decompressed
from fisherset.tables.text.recognition import Finding

CHUNK = 2**20  # bytes read at a time
# Lines of a series matrix of GEO.
SERIES_MARKS = (b"!Series_", b"!Sample_", b"!series_matrix_table_begin")
TABLE_BEGIN, TABLE_END = b"!series_matrix_table_begin", b"!series_matrix_table_end"
SAMPLE_FIELD, ACCESSION, CHARACTERISTICS = "!Sample_", "geo_accession", "characteristics_ch"
NO_VALUE_CELLS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")  # of a missing value


@dataclass(frozen=True)
class AnnotatedMatrix:
    """A file of a matrix with named columns, and annotations of its rows."""

    path: Path
    names: list[str]  # of the columns
    X: Any  # ndarray or sparse matrix
    annotations: dict[str, NDArray[Any]]  # a value for each row, None where it is missing
    ids: Identifiers | None = None  # names of the rows, where they have any
    untyped: bool = False  # whether annotations have no types: only then strings may be numbers
    kind: str = ""  # the suffix that such files usually have
    categories: frozenset[str] = frozenset()  # annotations that are such, whatever their values are
    decimal: ClassVar[str] = "."  # of such strings

    @property
    def label_names(self) -> list[str]:
        """Names of the annotations, which may hold labels."""
        return list(self.annotations)

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def notes(self) -> dict[str, NDArray[Any]]:
        """The annotations, categories as strings even where these are numbers."""
        found = dict(self.annotations)
        for name in self.categories & set(found):
            texts = [None if value is None else str(value) for value in found[name].tolist()]
            found[name] = np.array(texts, dtype=object)
        return found

    def values(self, name: str) -> list[Any] | None:
        """Return the values of an annotation; None where there is no such annotation."""
        return list(self.annotations[name].tolist()) if name in self.annotations else None

    def where(self, name: str, value: str) -> Finding:
        """Return the file, and its row or identifier, that first has a string in an annotation."""
        values, file = self.values(name) or [], f" of {self.path.name}"
        if value not in values:
            return Finding(file, "")
        row = values.index(value)
        return Finding(file, f" in row {row + 1}" if self.ids is None else f" for {self.ids.values[row]!r}")

    def without(self, name: str) -> tuple[AnnotatedMatrix, Identifiers]:
        """Return the matrix without an annotation, and this as identifiers."""
        others = {other: values for other, values in self.annotations.items() if other != name}
        return replace(self, annotations=others), identifiers_of(name, self.values(name) or [])

    def labels_of_rows(self, target: str, rows: list[int | None]) -> AnnotatedMatrix:
        """Return one annotation of some rows, missing where the row is None."""
        values = self.annotations[target].astype(object)
        some = {target: np.array([None if row is None else values[row] for row in rows], dtype=object)}
        return AnnotatedMatrix(self.path, [], np.empty((len(rows), 0)), some, untyped=self.untyped)

    def kept_rows(self, kept: NDArray[np.bool_]) -> AnnotatedMatrix:
        """Return some of the rows."""
        notes = {name: values[kept] for name, values in self.annotations.items()}
        return replace(self, X=self.X[kept], annotations=notes, ids=kept_ids(self.ids, kept))

    def find_target(self, target: str | None) -> str:
        """Return the name of the target: an annotation, the only one where none is given."""
        if not self.annotations and self.kind == ".npz":
            read_npz(self.path)  # refuses a file without labels
        if target is None and len(self.annotations) == 1:
            return next(iter(self.annotations))
        if target is None or target not in self.annotations:
            raise ValueError(
                f"{self.path.name} has no target {target!r}; it has {shown(self.label_names)}."
                f"{meant(target or '', self.annotations)}"
            )
        return target

    def features(self, names: Sequence[str], impute: str | None, split: bool = True) -> list[Feature]:
        """Return the features of some columns; missing values are filled as `impute` says, or refused."""
        features = [Feature(name, name) for name in names]
        X = self.numbers(features)
        stored = X.data if sparse.issparse(X) else X
        if not (stored.dtype.kind == "f" and np.isnan(stored).any()):
            return features
        if sparse.issparse(X):
            raise ValueError(f"{self.path.name} is sparse and has missing values. Fill them first.")
        missing = np.isnan(X)
        filled = np.flatnonzero(missing.any(axis=0)).tolist()
        if impute is None:
            raise ValueError(about_columns(ASK_IMPUTE, [names[j] for j in filled]))
        empty = [names[j] for j in np.flatnonzero(missing.all(axis=0)).tolist()]
        if empty:
            raise ValueError(about_columns(NOTHING, empty))
        for j, fill in zip(filled, np.nanmedian(X[:, filled], axis=0), strict=True):
            features[j] = features[j]._replace(fill=float(fill))
        if impute == "indicator":
            features += [Feature(f"{names[j]}=missing", names[j], "missing") for j in filled]
        check_distinct(features)
        return features

    def numbers(self, features: Sequence[Feature]) -> Any:
        """Return the numbers of features: missing values filled, or marked; the matrix itself for all."""
        odd = [feature.name for feature in features if feature.kind == "value" or feature.unit is not None]
        if odd:
            raise ValueError(f"{self.path.name} holds only numbers; {shown(odd)} need text columns.")
        X, names, known = self.X, list(self.names), set(self.names)
        absent = [feature.column for feature in features if feature.column not in known]
        if absent:  # of svmlight: see `lacking`
            names += dict.fromkeys(absent)
            X = sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(self.n_rows, len(names)))
        columns = [feature.column for feature in features]
        if columns != names:
            places = {name: j for j, name in enumerate(names)}
            X = X[:, [places[name] for name in columns]]
        plain = all(feature.kind == "number" and feature.fill is None for feature in features)
        if sparse.issparse(X) or plain:
            return X
        X = np.array(X, dtype=np.float64)
        for j, feature in enumerate(features):
            missing = np.isnan(X[:, j])
            if feature.kind == "missing":
                X[:, j] = missing
            elif feature.fill is not None:
                X[missing, j] = float(feature.fill)
        return X

    def lacking(self, names: Sequence[str]) -> list[str]:
        """Return the names that are no columns; svmlight does not write columns that are zero throughout."""
        known = set(self.names)
        sparse_columns = self.kind in SVMLIGHT
        return [] if sparse_columns else [name for name in names if name not in known]


def read_matrix(path: Path, kind: str, wanted: Collection[str] | None = None) -> AnnotatedMatrix:
    """Read a matrix; of .h5ad only the wanted columns, None for all."""
    if kind == ".npz":
        found = _npz(path)
    elif kind in SVMLIGHT:
        found = _svmlight(path)
    elif kind == ".h5ad":
        found = _h5ad(path, wanted)
    elif is_series(path):
        found = _series(path)
    else:
        raise unsupported(path.name)
    return replace(found, kind=kind)


def _npz(path: Path) -> AnnotatedMatrix:
    held = arrays_in(path)
    names = _names_of(held.feature_names, held.X)
    labels = {} if held.y is None else {held.target: held.y}
    ids = None if held.sample_names is None else identifiers_of(free_name(names), held.sample_names.tolist())
    return AnnotatedMatrix(path, names, held.X, labels, ids)


def _svmlight(path: Path) -> AnnotatedMatrix:
    from sklearn.datasets import load_svmlight_file

    check = room_now(path.name)
    check(4 * path.stat().st_size, "its numbers")
    try:
        with _opened(path, lambda size: check(4 * size, "its numbers")) as stream:
            # columns are named by their numbers in the file, whichever number is the first
            X, y = load_svmlight_file(io.BufferedReader(stream, CHUNK), zero_based=True)
    except TooLargeError:
        raise
    except (ValueError, OverflowError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:160]
        raise ValueError(f"{path.name} is not a valid svmlight file ({reason}).") from error
    check_shape(path.name, *X.shape, dense=False)  # a single large index makes as many columns
    whole = y.astype(np.int64) if np.all(y == np.round(y)) and np.all(abs(y) < 2**53) else y
    return AnnotatedMatrix(path, _names_of(None, X), sparse.csr_matrix(X), {"label": whole})


def _h5ad(path: Path, wanted: Collection[str] | None) -> AnnotatedMatrix:
    with opened(path) as store:
        matrix = matrix_of(store, "X", path.name)
        # an array that was never written to has its size all the same
        keys = ("X", "obs", "var") if wanted is None else ("obs", "var")
        check_room(path.name, sum(size_of(store[key]) for key in keys if key in store), "its arrays")
        (n_rows, n_columns), file = matrix.shape, path.name
        obs = StoredTable(store, "obs", n_rows, file)
        names = StoredTable(store, "var", n_columns, file).index()
        columns, cells = {name: obs.column(name) for name in obs.names}, obs.index()
        if wanted is None:
            X = loaded(matrix, file)
        else:
            places = [j for j, name in enumerate(names) if name in wanted]
            names, X = [names[j] for j in places], loaded_columns(matrix, places, file)
    labels = {name: column.objects() for name, column in columns.items() if column is not None}
    called = obs.index_name or free_name([*names, *labels])
    ids = None if are_row_numbers(cells) else Identifiers(called, cells)
    held = frozenset(name for name, column in columns.items() if column and isinstance(column.values, Coded))
    return AnnotatedMatrix(path, names, X, labels, ids, categories=held)


def _names_of(names: Any, X: Any) -> list[str]:
    return [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]


def is_series(path: Path) -> bool:
    """Whether a file, which may be compressed, begins as a series matrix does."""
    try:
        with _opened(path) as file:
            start: bytes = file.read(256)
    except (ImportError, OSError):  # raised again on reading
        return False
    return starts_series(start)


def starts_series(start: bytes) -> bool:
    """Whether these are the first bytes of a series matrix."""
    return start[:256].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(SERIES_MARKS)


def _series(path: Path) -> AnnotatedMatrix:
    """A series matrix of GEO, samples as rows; one that is cut off is refused."""
    text = _text(path)
    begin, end = text.find(TABLE_BEGIN), text.rfind(TABLE_END)
    if begin < 0 or end < begin:
        lacking = (TABLE_BEGIN if begin < 0 else TABLE_END).decode()
        raise ValueError(f"{path.name} lacks the line {lacking}; is it damaged or truncated?")
    begin = text.find(b"\n", begin) + 1
    head = _decoded(text[:begin])
    samples, probes, X = _numbers(path, memoryview(text)[begin:end])
    notes = _notes(path, head)
    accessions = notes.pop(ACCESSION, [samples])[0]
    odd = [field for field, lines in notes.items() if any(len(line) != len(accessions) for line in lines)]
    if odd or sorted(accessions) != sorted(samples):
        what = f"the line {SAMPLE_FIELD}{odd[0]} has" if odd else "its table has"
        raise ValueError(f"{path.name} is damaged: {what} other samples than {SAMPLE_FIELD}{ACCESSION}.")
    place_of = {sample: place for place, sample in enumerate(accessions)}
    order = [place_of[sample] for sample in samples]  # of the samples in the table
    columns = _columns(notes, len(accessions)).items()
    labels = {
        name: np.array([values[place] for place in order], dtype=object)
        for name, values in columns
        if any(value is not None for value in values)
    }
    ids = Identifiers(free_name(probes), samples)
    return AnnotatedMatrix(path, probes, X, labels, ids, untyped=True)


def _text(path: Path) -> bytes:
    """The whole file, decompressed, as long as memory holds its numbers."""
    parts, size = [], 0
    try:
        with _opened(path) as file:
            while part := file.read(2**24):
                parts.append(part)
                size += len(part)
                check_room(path.name, 3 * size, "its numbers")
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read; is it damaged or truncated? ({error})") from error
    return b"".join(parts)


def _opened(path: Path, counted: Callable[[int], None] | None = None) -> Any:
    """The file opened for reading its decompressed bytes; `counted` as for `decompressed`."""
    with path.open("rb") as file:
        start = file.read(MAGIC_BYTES)
    return decompressed(path, compression_of(start), counted)


def _decoded(text: bytes) -> str:
    """Annotations in UTF-8, or else in latin-1, in which every byte is a character."""
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _numbers(path: Path, table: memoryview) -> tuple[list[str], list[str], Floats]:
    """The samples, the probes, and a row of numbers for each sample."""
    pa = need("pyarrow", f"Reading {path.name}")
    from pyarrow import csv as arrow_csv

    header = bytes(table[: bytes(table[: 2**24]).find(b"\n") + 1]).decode("utf-8", "replace")
    names = next(csv.reader([header.strip("\r\n")], delimiter="\t"), [])
    if len(names) < 2:
        raise ValueError(f"{path.name} has no samples in its table, whose first line is {header[:80]!r}.")
    kinds = {name: pa.float64() for name in names[1:]} | {names[0]: pa.string()}
    try:
        found = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(table)),
            arrow_csv.ReadOptions(block_size=max(2**20, 64 * len(header)), use_threads=False),
            arrow_csv.ParseOptions(delimiter="\t"),
            arrow_csv.ConvertOptions(
                column_types=kinds, null_values=list(NO_VALUE_CELLS), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0][:160]
        raise ValueError(f"{path.name} holds no table of numbers, or is damaged: {reason}") from error
    X = np.empty((found.num_columns - 1, found.num_rows))
    for row, column in zip(X, found.columns[1:], strict=True):
        row[:] = column.to_numpy(zero_copy_only=False)
    return names[1:], found.column(0).to_pylist(), X


def _notes(path: Path, head: str) -> dict[str, list[list[str]]]:
    """Annotations of the samples: the lines of each field."""
    notes: dict[str, list[list[str]]] = {}
    lines = [line for line in io.StringIO(head) if line.startswith(SAMPLE_FIELD)]
    try:
        for field, *cells in csv.reader(lines, delimiter="\t"):
            notes.setdefault(field.removeprefix(SAMPLE_FIELD), []).append(cells)
    except csv.Error as error:
        raise ValueError(f"{path.name} cannot be read; is it damaged? ({error})") from error
    return notes


def _columns(notes: dict[str, list[list[str]]], n: int) -> dict[str, list[str | None]]:
    """Annotations as columns; of characteristics, "tissue: tumour", each key has its own, in any line."""
    columns: dict[str, list[str | None]] = {}
    for field, lines in notes.items():
        for i in range(n):
            seen: Counter[str] = Counter()
            for cell in (line[i].strip() for line in lines):
                key, colon, value = cell.partition(":")
                apart = field.startswith(CHARACTERISTICS) and colon
                if field.startswith(CHARACTERISTICS) and cell in NO_VALUE_CELLS:
                    continue
                name, value = (key.strip(), value.strip()) if apart else (field, cell)
                seen[name] += 1
                name = name if seen[name] == 1 else f"{name}_{seen[name]}"
                if apart and name in notes:  # "title: x", where there is a title
                    name = f"{name} ({field})"
                columns.setdefault(name, [None] * n)[i] = None if value in NO_VALUE_CELLS else value
    return columns
