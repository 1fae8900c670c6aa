"""Cells of AnnData by rows: the matrix stays in its file or folder, labels and names are kept."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._format import near, shown
from fisherset._types import Floats, Indices
from fisherset.data import BatchedRows, Block, Coded, Matrix, Place
from fisherset.tables.columns.identifiers import (
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
    no_such_column,
)
from fisherset.tables.matrices.annotated import Annotated, Backed, InFile, InMemory
from fisherset.tables.matrices.stored import (
    CSC_KIND,
    CSR_KIND,
    ForwardReader,
    StoredMatrix,
    csr_of,
    pointers_of,
)

CELL_ENTRIES = 2**20  # of a block where nobody says how many rows it has: 16 MB with their columns


def scan_cells(
    data: Any,
    target: str | Sequence[str] | None,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sample_weight: str | None = None,
    batch_rows: int | None = None,
    layer: str | None = None,
    identifier: str | None = None,
) -> CellRows:
    """The cells of AnnData as rows that stay where they are.

    Parameters
    ----------
    data : path or AnnData
        An .h5ad file or a .zarr folder; or an AnnData object, whose matrix is read from its file
        where it is backed by one.
    target : str, sequence of str or None
        The column of `obs` that holds the labels, or numbers; several columns of numbers.
    columns : sequence of str, optional
        Names of the variables to read, in this order; all by default.
    drop : sequence of str, default=()
        Names of variables to leave out.
    sample_weight : str, optional
        The column of `obs` that holds the weights.
    batch_rows : int, optional
        Rows of a block; by default as many as have about a million entries.
    layer : str, optional
        The layer to read in place of X.
    identifier : str, optional
        The column of `obs` that names the rows, in place of `obs_names`.

    Returns
    -------
    rows : CellRows
        The table. Labels and names have been read, the matrix has not.
    """
    if batch_rows is not None and (not isinstance(batch_rows, int | np.integer) or batch_rows < 1):
        raise ValueError(f"batch_rows must be a whole number of 1 or more; got {batch_rows!r}.")
    cells: Annotated
    if isinstance(data, str | os.PathLike):
        cells = InFile(Path(data), layer)
    elif not all(hasattr(data, part) for part in ("X", "obs", "var_names")):
        raise TypeError(f"data must be a path or an AnnData object; got {type(data).__name__}.")
    elif data.isbacked and layer is None:
        cells = Backed(data)
    else:
        cells = InMemory(data, layer)
    if identifier is not None and identifier not in cells.beside:
        raise no_such_column(cells.name, identifier, cells.beside)
    chosen = _chosen(cells, columns, drop)
    rows = CellRows(cells, chosen, _target(cells, target), _weight(cells, sample_weight), batch_rows)
    rows.identifier = identifier
    rows.targets = list(target) if isinstance(target, list | tuple) and len(target) > 1 else None
    return rows


class CellRows(BatchedRows):
    """Rows of a CSR or dense matrix, read again for every pass; their labels and weights are kept."""

    identifier: str | None = None  # a column of `obs` that names them

    def __init__(
        self,
        cells: Annotated,
        chosen: Indices | None,
        y: NDArray[Any] | Coded | None,
        weight: Floats | None,
        batch_rows: int | None,
    ) -> None:
        with cells.opened() as matrix:
            if matrix.kind == CSC_KIND:
                raise ValueError(
                    f"{cells.name} must hold its matrix by rows; it holds it by columns (CSC), of which "
                    f"one row takes reading all. Convert it by adata.X = adata.X.tocsr(), and write it again."
                )
            self._indptr = pointers_of(matrix, cells.name) if matrix.kind == CSR_KIND else None
            self.n_rows, self._n_variables = matrix.shape
        if not self.n_rows:
            raise ValueError(f"{cells.name} has no rows.")
        self.names = cells.variables if chosen is None else [cells.variables[j] for j in chosen]
        self.n_columns = len(self.names)
        self._cells, self._chosen, self._batch_rows = cells, chosen, batch_rows
        self._y, self._weight = y, weight

    def identifiers(self) -> Identifiers | None:
        """What the rows are called."""
        if self.identifier is not None:
            found = self._cells.column(self.identifier)
            return None if found is None else identifiers_of(self.identifier, found.objects().tolist())
        called, values = self._cells.row_names()
        return None if are_row_numbers(values) else Identifiers(called or free_name(self.names or ()), values)

    def blocks(self, columns: bool = True) -> Iterator[Block]:
        """Open the matrix and hand out its rows in order, without `columns` their targets alone."""
        with self._cells.opened() as matrix:
            read = self._reader(matrix) if columns else self._nothing
            for rows in self._slices():
                weight = None if self._weight is None else self._weight[rows]
                place = Place(self._cells.name, rows.start + 1)
                yield Block(read(rows), _rows_of(self._y, rows), weight, place=place)

    def _slices(self) -> Iterator[slice]:
        start, n_rows = 0, self.n_rows or 0
        while start < n_rows:
            if self._batch_rows is not None:
                stop = start + int(self._batch_rows)
            elif self._indptr is None:
                stop = start + 2 * CELL_ENTRIES // max(1, self._n_variables)
            else:
                most = self._indptr[start] + CELL_ENTRIES
                stop = int(np.searchsorted(self._indptr, most, side="right")) - 1
            stop = min(max(stop, start + 1), n_rows)
            yield slice(start, stop)
            start = stop

    def _nothing(self, rows: slice) -> Matrix:
        shape = (rows.stop - rows.start, 0)
        return np.empty(shape) if self._indptr is None else sparse.csr_array(shape)

    def _reader(self, matrix: StoredMatrix) -> Callable[[slice], Matrix]:
        """What reads rows, which have to be asked for in order."""
        name, chosen, indptr = self._cells.name, self._chosen, self._indptr
        data = ForwardReader(matrix.data, name)
        if indptr is None:

            def dense(rows: slice) -> Matrix:
                X = data.take(rows.stop - rows.start)
                return X if chosen is None else X[:, chosen]

            return dense
        indices = ForwardReader(matrix.indices, name)

        def by_rows(rows: slice) -> Matrix:
            ends = indptr[rows.start : rows.stop + 1] - indptr[rows.start]
            n_entries = int(ends[-1])
            X = csr_of(data.take(n_entries), indices.take(n_entries), ends, self._n_variables, name)
            if chosen is not None:
                X = X[:, chosen]
                X.sum_duplicates()  # which sorts them
            return X

        return by_rows


def _rows_of(y: NDArray[Any] | Coded | None, rows: slice) -> NDArray[Any] | Coded | None:
    if isinstance(y, Coded):
        return Coded(y.labels, y.codes[rows])
    return None if y is None else y[rows]


def _chosen(cells: Annotated, columns: Sequence[str] | None, drop: Sequence[str]) -> Indices | None:
    """The places of the variables that are wanted, None for all as they are."""
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


def _target(cells: Annotated, target: str | Sequence[str] | None) -> NDArray[Any] | Coded | None:
    if target is None:
        return None
    names: list[Any] = list(target) if isinstance(target, list | tuple) else [target]
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"target must be the name of a column of obs, or a list of names; got {target!r}.")
    if len(names) == 1:
        return _complete(cells, names[0], "target")
    return np.column_stack([_numbers(cells, name, "target") for name in names])


def _weight(cells: Annotated, name: str | None) -> Floats | None:
    return None if name is None else _numbers(cells, name, "sample_weight")


def _numbers(cells: Annotated, name: str, what: str) -> Floats:
    values = _complete(cells, name, what)
    if isinstance(values, Coded) or values.dtype.kind not in "biuf":
        raise ValueError(f"{what} must name columns of numbers; {name!r} of {cells.name} holds none.")
    numbers = values.astype(np.float64)
    if values.dtype.kind in "iu" and (numbers.astype(values.dtype) != values).any():
        raise ValueError(
            f"{what} must name columns of numbers that float64 can tell apart; {name!r} of {cells.name} "
            f"holds integers beyond 2**53. Subtract an offset."
        )
    return numbers


def _complete(cells: Annotated, name: str, what: str) -> NDArray[Any] | Coded:
    """The values of a column of obs that has one in every row."""
    if name not in cells.beside:
        raise ValueError(f"{cells.name} has no column {name!r} in obs.{near(str(name), cells.beside)}")
    found = cells.column(name)
    if found is None:
        raise ValueError(
            f"{what} must name a column of labels or numbers; {name!r} of {cells.name} is neither."
        )
    missing = np.flatnonzero(found.missing)
    if missing.size:
        raise ValueError(
            f"The {what} {name!r} of {cells.name} is missing in {missing.size} rows, the first of them row "
            f"{missing[0] + 1}. Leave these rows out, or fill it in."
        )
    return found.values
