"""Cells of AnnData as rows: the matrix stays in its file or folder, labels and names are kept in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._format import near, shown
from fisherset._sparse import sparse
from fisherset._types import Floats, Indices
from fisherset.data import BatchedRows, Block, Coded, Matrix, Place, fit_arguments
from fisherset.tables.columns.confounders import check_confounders, indicators
from fisherset.tables.columns.identifiers import (
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
    no_such_column,
)
from fisherset.tables.columns.labels import DROP_UNLABELLED, warn_unlabelled
from fisherset.tables.matrices.storage import (
    CSC_KIND,
    CSR_KIND,
    DENSE_KIND,
    Column,
    StoredMatrix,
    StoredTable,
    UnreadableError,
    blocks_of,
    coded,
    column,
    matrix_of,
    opened,
    pointers_of,
    row_slices,
    stamp_of,
)


class StoredCells:
    """Cells in an .h5ad file or a .zarr folder; `annotations` are the names of the columns of obs."""

    def __init__(self, path: Path, layer: str | None = None) -> None:
        if not path.exists():
            raise FileNotFoundError(f"File not found: {str(path)!r}.")
        self.name, self._path = path.name, path
        self._key = "X" if layer is None else f"layers/{layer}"
        self._written = path / self._key if path.is_dir() else path
        self._stamp = stamp_of(self._written)
        with opened(path) as store:
            if layer is not None and self._key not in store:
                known = list(store["layers"]) if "layers" in store else []
                raise UnreadableError(f"{self.name} has no layer {layer!r}.{near(layer, known)}")
            self.shape = matrix_of(store, self._key, self.name).shape
            self.annotations = StoredTable(store, "obs", self.shape[0], self.name).names
            self.variables = StoredTable(store, "var", self.shape[1], self.name).index()

    def column(self, name: str) -> Column | None:
        """One column of `obs`; None where it holds neither labels nor numbers."""
        with opened(self._path) as store:
            return StoredTable(store, "obs", self.shape[0], self.name).column(name)

    def row_names(self) -> tuple[str | None, list[str]]:
        """Name of the index of `obs`, where it has one, and its values."""
        with opened(self._path) as store:
            obs = StoredTable(store, "obs", self.shape[0], self.name)
            return obs.index_name, obs.index()

    @contextmanager
    def opened(self) -> Iterator[StoredMatrix]:
        """The matrix, as long as its file is open; the file must not change meanwhile."""
        self._check_unchanged()
        with opened(self._path) as store:
            yield matrix_of(store, self._key, self.name)
        self._check_unchanged()

    def _check_unchanged(self) -> None:
        stamp = stamp_of(self._written)
        if stamp != self._stamp:
            what = "changed" if stamp else "was removed"
            raise ValueError(f"{self.name} {what} while it was read. Run again when nothing writes to it.")


class CellsInMemory:
    """Cells of an AnnData object; the matrix of a backed one is read from its file."""

    def __init__(self, data: Any, layer: str | None = None) -> None:
        self._obs, self.variables = data.obs, [str(name) for name in data.var_names]
        self.annotations = [str(name) for name in data.obs.columns]
        self.opened: Callable[[], AbstractContextManager[StoredMatrix]]
        if getattr(data, "isbacked", False) and layer is None:
            stored = _backing_file(data)
            self.name, self.opened = stored.name, stored.opened
            return
        self.name = "adata"
        if layer is not None and layer not in data.layers:
            raise ValueError(f"{self.name} has no layer {layer!r}.{near(layer, list(data.layers))}")
        if layer is None and data.X is None:
            raise ValueError(f"{self.name} has no X; pass layer=, one of {shown(list(data.layers))}.")
        matrix = _matrix_in_memory(data.X if layer is None else data.layers[layer])
        self.opened = lambda: nullcontext(matrix)

    def column(self, name: str) -> Column:
        """One column of `obs`."""
        series = self._obs[name]
        if hasattr(series.dtype, "categories"):
            return coded(series.cat.categories.tolist(), series.cat.codes.to_numpy())
        missing = series.isna().to_numpy(dtype=bool)
        if missing.any() or series.dtype.kind not in "biuf":
            return column(series.to_numpy(dtype=object), missing)
        return column(series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", None)))

    def row_names(self) -> tuple[str | None, list[str]]:
        """Name of the index of `obs`, where it has one, and its values."""
        index = self._obs.index
        return (None if index.name is None else str(index.name)), [str(name) for name in index]


def _backing_file(data: Any) -> StoredCells:
    """The file of a backed AnnData object, which must hold the rows of the object."""
    if data.is_view:
        raise ValueError(
            "A backed AnnData object must not be a view: its rows are not those of its file. Write it "
            "to a file of its own, as by adata.copy('part.h5ad')."
        )
    stored = StoredCells(Path(data.filename))
    if stored.shape != tuple(data.shape):
        raise ValueError(
            f"{stored.name} must hold the rows of the AnnData object; it has the shape {stored.shape}, the "
            f"object {tuple(data.shape)}. Open it again."
        )
    return stored


def _matrix_in_memory(X: Any) -> StoredMatrix:
    if sparse.issparse(X):
        X = X.tocsr()  # blocks are rows
        n_entries = int(X.indptr[-1])  # the arrays may be longer
        return StoredMatrix(CSR_KIND, X.shape, X.data[:n_entries], X.indices[:n_entries], X.indptr)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return StoredMatrix(DENSE_KIND, X.shape, np.asarray(X))
    raise TypeError(
        f"The matrix of an AnnData object must be a numpy array, a CSR matrix or in its file; got "
        f"{type(X).__name__}. Load it with adata.to_memory(), or pass the path of the file."
    )


def scan_cells(
    data: Any,
    target: str | Sequence[str] | None,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sample_weight: str | None = None,
    confounders: Sequence[str] = (),
    batch_rows: int | None = None,
    layer: str | None = None,
    identifier: str | None = None,
    drop_unlabelled: bool = False,
) -> CellRows:
    """Cells of AnnData as rows out of core; parameters as for `scan`.

    `data` is an .h5ad file, a .zarr folder or an AnnData object; `target`, `sample_weight`,
    `confounders` and `identifier` (in place of `obs_names`) are columns of `obs`, `columns` and
    `drop` names of variables. Labels and names are read now, the matrix in every pass.
    """
    if batch_rows is not None and (not isinstance(batch_rows, int | np.integer) or batch_rows < 1):
        raise ValueError(f"batch_rows must be a whole number of 1 or more; got {batch_rows!r}.")
    cells: StoredCells | CellsInMemory
    if isinstance(data, str | os.PathLike):
        cells = StoredCells(Path(data), layer)
    elif all(hasattr(data, part) for part in ("X", "obs", "var_names")):
        cells = CellsInMemory(data, layer)
    else:
        raise TypeError(f"data must be a path or an AnnData object; got {type(data).__name__}.")
    if identifier is not None and identifier not in cells.annotations:
        raise no_such_column(cells.name, identifier, cells.annotations)
    variables = _selected_variables(cells, columns, drop)
    weight = None if sample_weight is None else _numbers(cells, sample_weight, "sample_weight")
    kept = _labelled(cells, target) if drop_unlabelled else None
    rows = CellRows(cells, variables, _target(cells, target, kept), weight, batch_rows, kept)
    taken = [*([target] if isinstance(target, str) else target or ()), *filter(None, [sample_weight])]
    adjusted = check_confounders(confounders, taken)
    rows.fit_arguments = fit_arguments(weight, None)
    if adjusted:
        rows.adjust(adjusted)
    rows.identifier = identifier
    listed = list(target) if isinstance(target, list | tuple) else []
    rows.targets = listed if len(listed) > 1 else None
    rows.target = target if isinstance(target, str) else listed[0] if len(listed) == 1 else None
    return rows


class CellRows(BatchedRows):
    """Rows of a CSR or dense matrix, read again in every pass; labels and weights are in memory."""

    identifier: str | None = None  # the column of `obs` that names the rows
    Z: Floats | None = None  # confounders

    def __init__(
        self,
        cells: StoredCells | CellsInMemory,
        variables: Indices | None,
        y: NDArray[Any] | Coded | None,
        weight: Floats | None,
        batch_rows: int | None,
        kept: NDArray[np.bool_] | None = None,
    ) -> None:
        with cells.opened() as matrix:
            if matrix.kind == CSC_KIND:
                raise ValueError(
                    f"{cells.name} must hold its matrix by rows; it holds it by columns (CSC), of which "
                    f"one row takes reading all. Convert it by adata.X = adata.X.tocsr(), and write it again."
                )
            self._indptr = pointers_of(matrix, cells.name) if matrix.kind == CSR_KIND else None
            self._shape = matrix.shape
        self.n_rows = self._shape[0] if kept is None else int(kept.sum())
        self._kept = kept
        if not self.n_rows:
            raise ValueError(f"{cells.name} has no rows.")
        self.names = cells.variables if variables is None else [cells.variables[j] for j in variables]
        self.n_columns = len(self.names)
        self.source = cells.name
        self._cells, self._variables, self._batch_rows = cells, variables, batch_rows
        self._y, self._weight = y, weight

    @property
    def annotations(self) -> list[str]:
        """Names of the columns of `obs`."""
        return list(self._cells.annotations)

    def adjust(self, columns: list[str]) -> None:
        """Adjust the variables and the target for columns of `obs`."""
        self.confounder_names, self.Z = _confounders(self._cells, columns, self._kept)
        self.fit_arguments = fit_arguments(self._weight, self.Z)
        self._begun = None  # a first block that was read lacks them

    def identifiers(self) -> Identifiers | None:
        """Names of the rows."""
        if self.identifier is not None:
            found = self._cells.column(self.identifier)
            values = [] if found is None else found.objects().tolist()
            return None if found is None else identifiers_of(self.identifier, self._of_kept(values))
        called, values = self._cells.row_names()
        values = self._of_kept(values)
        return None if are_row_numbers(values) else Identifiers(called or free_name(self.names or ()), values)

    def blocks(self, columns: bool = True) -> Iterator[Block]:
        """Blocks of rows in order; without `columns` nothing of the matrix is read."""
        layout = self._shape, self._indptr, self._batch_rows
        with self._cells.opened() as matrix:
            blocks: Iterator[Matrix] = map(self._empty, row_slices(*layout))
            if columns:
                slices = row_slices(*layout)
                blocks = blocks_of(matrix, slices, self._indptr, self._variables, self._cells.name)
            for rows, X in zip(row_slices(*layout), blocks, strict=True):
                weight = None if self._weight is None else self._weight[rows]
                y = Coded(self._y.labels, self._y.codes[rows]) if isinstance(self._y, Coded) else self._y
                y = y[rows] if isinstance(y, np.ndarray) else y
                beside = None if self.Z is None else self.Z[rows]
                block = Block(X, y, weight, beside, Place(self._cells.name, rows.start + 1))
                if self._kept is None or self._kept[rows].all():
                    yield block
                elif self._kept[rows].any():
                    yield block.kept(self._kept[rows])

    def _of_kept(self, values: list[Any]) -> list[Any]:
        """Return the values of the rows that are not left out."""
        return values if self._kept is None else list(compress(values, self._kept))

    def _empty(self, rows: slice) -> Matrix:
        shape = (rows.stop - rows.start, 0)
        return np.empty(shape) if self._indptr is None else sparse.csr_array(shape)


def _selected_variables(
    cells: StoredCells | CellsInMemory, columns: Sequence[str] | None, drop: Sequence[str]
) -> Indices | None:
    """Indices of the variables to read, None for all in their order."""
    places = {name: j for j, name in enumerate(cells.variables)}
    if len(places) < len(cells.variables):
        twice = [name for name, count in Counter(cells.variables).items() if count > 1]
        raise ValueError(
            f"{cells.name} has variables of the same name: {shown(twice)}. Call "
            f"adata.var_names_make_unique(), and write it again."
        )
    for what, names in (("columns", columns), ("drop", drop)):
        if isinstance(names, str):
            raise TypeError(f"{what} must be a list of names; got {names!r}. Put it in brackets.")
        unknown = [name for name in names or () if name not in places]
        if unknown:
            raise ValueError(f"{cells.name} has no variable {unknown[0]!r}.{near(str(unknown[0]), places)}")
    if columns is not None and len(set(columns)) < len(columns):
        raise ValueError("columns must name each variable once; it names some twice.")
    dropped = set(drop)
    kept = [name for name in (places if columns is None else columns) if name not in dropped]
    if not kept:
        raise ValueError(
            f"{cells.name} must have a variable that is left; all are dropped, or there is none."
        )
    return None if kept == cells.variables else np.array([places[name] for name in kept], dtype=np.intp)


def _labelled(
    cells: StoredCells | CellsInMemory, target: str | Sequence[str] | None
) -> NDArray[np.bool_] | None:
    """Whether the target of each row is there; None where all are."""
    names = [target] if isinstance(target, str) else list(target or ())
    found = [cells.column(name) for name in names if name in cells.annotations]
    missing = [column.missing for column in found if column is not None]
    if not missing or not np.any(missing):
        return None
    kept = ~np.any(missing, axis=0)
    if not kept.any():
        raise ValueError(f"The target {names[0]!r} of {cells.name} is missing in all rows.")
    warn_unlabelled(int(np.count_nonzero(~kept)))
    return np.asarray(kept)


def _target(
    cells: StoredCells | CellsInMemory,
    target: str | Sequence[str] | None,
    kept: NDArray[np.bool_] | None = None,
) -> NDArray[Any] | Coded | None:
    if target is None:
        return None
    names: list[Any] = list(target) if isinstance(target, list | tuple) else [target]
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"target must be the name of a column of obs, or a list of names; got {target!r}.")
    if len(names) == 1:
        return _complete(cells, names[0], "target", kept)
    return np.column_stack([_numbers(cells, name, "target", kept) for name in names])


def _numbers(
    cells: StoredCells | CellsInMemory, name: str, what: str, kept: NDArray[np.bool_] | None = None
) -> Floats:
    values = _complete(cells, name, what, kept)
    if isinstance(values, Coded) or values.dtype.kind not in "biuf":
        raise ValueError(f"{what} must name columns of numbers; {name!r} of {cells.name} holds none.")
    numbers = values.astype(np.float64)
    if values.dtype.kind in "iu" and (numbers.astype(values.dtype) != values).any():
        raise ValueError(
            f"{what} must name columns of numbers that float64 can tell apart; {name!r} of {cells.name} "
            f"holds integers beyond 2**53. Subtract an offset."
        )
    return numbers


def _confounders(
    cells: StoredCells | CellsInMemory, columns: list[str], kept: NDArray[np.bool_] | None = None
) -> tuple[list[str], Floats]:
    """Names and numbers of columns of obs; of labels an indicator for each."""
    names, parts = [], []
    for name in columns:
        values = _complete(cells, name, "confounders", kept)
        if not isinstance(values, Coded) and values.dtype.kind in "biuf":
            names.append(name)
            parts.append(_numbers(cells, name, "confounders", kept)[:, None])
            continue
        labels = values if isinstance(values, Coded) else Coded(*np.unique(values, return_inverse=True))
        names += [f"{name}={label}" for label in labels.labels]
        parts.append(indicators(labels))
    return names, np.hstack(parts)


def _complete(
    cells: StoredCells | CellsInMemory, name: str, what: str, kept: NDArray[np.bool_] | None = None
) -> NDArray[Any] | Coded:
    """The values of a column of obs without missing ones, except in rows that are not kept."""
    if name not in cells.annotations:
        raise ValueError(f"{cells.name} has no column {name!r} in obs.{near(str(name), cells.annotations)}")
    found = cells.column(name)
    if found is None:
        raise ValueError(
            f"{what} must name a column of labels or numbers; {name!r} of {cells.name} is neither."
        )
    missing = np.flatnonzero(found.missing if kept is None else found.missing & kept)
    if missing.size:
        fix = DROP_UNLABELLED if what == "target" else "Fill it in."
        raise ValueError(
            f"The {what} {name!r} of {cells.name} is missing in {missing.size} rows, the first of them row "
            f"{missing[0] + 1}. {fix}"
        )
    return found.values
