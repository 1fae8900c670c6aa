"""Where a matrix and what is noted of its rows are: in a file or folder, or in an AnnData object."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from fisherset._format import near
from fisherset.tables.matrices.h5ad import (
    Column,
    UnreadableError,
    coded,
    column,
    column_names,
    column_of,
    index_name,
    index_of,
    opened,
    stamp_of,
    table_of,
)
from fisherset.tables.matrices.stored import DENSE_KIND, StoredMatrix, matrix_of


class Annotated(Protocol):
    """A matrix, names of its columns, and columns beside it.

    Attributes
    ----------
    name : str
        What it is called.
    variables : list of str
        Names of the columns of the matrix.
    beside : list of str
        Names of the columns of `obs`.
    """

    name: str
    variables: list[str]
    beside: list[str]

    def column(self, name: str) -> Column | None:
        """One column of `obs`, None where it holds neither labels nor numbers."""

    def row_names(self) -> tuple[str | None, list[str]]:
        """What the names of the rows are called, if anything, and these."""

    def opened(self) -> AbstractContextManager[StoredMatrix]:
        """The matrix, as long as it is open."""


class InFile:
    """All of it in an .h5ad file or a .zarr folder."""

    def __init__(self, path: Path, layer: str | None = None) -> None:
        if not path.exists():
            raise FileNotFoundError(f"There is no file {str(path)!r}.")
        self.name, self._path = path.name, path
        self._key = "X" if layer is None else f"layers/{layer}"
        self._written = path / self._key if path.is_dir() else path
        self._stamp = stamp_of(self._written)
        with opened(path) as store:
            if layer is not None and self._key not in store:
                known = list(store["layers"]) if "layers" in store else []
                raise UnreadableError(f"{self.name} has no layer {layer!r}.{near(layer, known)}")
            self.shape = matrix_of(store, self._key, self.name).shape
            self.beside = column_names(table_of(store, "obs", self.name))
            self.variables = index_of(table_of(store, "var", self.name), self.shape[1], self.name)

    def column(self, name: str) -> Column | None:
        with opened(self._path) as store:
            return column_of(table_of(store, "obs", self.name), name, self.shape[0], self.name)

    def row_names(self) -> tuple[str | None, list[str]]:
        with opened(self._path) as store:
            obs = table_of(store, "obs", self.name)
            return index_name(obs), index_of(obs, self.shape[0], self.name)

    @contextmanager
    def opened(self) -> Iterator[StoredMatrix]:
        self._check_unchanged()
        with opened(self._path) as store:
            yield matrix_of(store, self._key, self.name)
        self._check_unchanged()

    def _check_unchanged(self) -> None:
        stamp = stamp_of(self._written)
        if stamp != self._stamp:
            what = "has changed" if stamp else "is gone"
            raise ValueError(
                f"{self.name} must stay as it is while it is read; it {what}. Start again once nobody "
                f"writes to it."
            )


class InMemory:
    """All of it in an AnnData object."""

    name = "adata"

    def __init__(self, data: Any, layer: str | None = None) -> None:
        if layer is not None and layer not in data.layers:
            raise ValueError(f"{self.name} has no layer {layer!r}.{near(layer, list(data.layers))}")
        self._obs, self.variables = data.obs, [str(name) for name in data.var_names]
        self.beside = [str(name) for name in data.obs.columns]
        self._matrix = _matrix_at_hand(data.X if layer is None else data.layers[layer])

    def column(self, name: str) -> Column:
        return _column_of_series(self._obs[name])

    def row_names(self) -> tuple[str | None, list[str]]:
        return _names_of_index(self._obs.index)

    def opened(self) -> AbstractContextManager[StoredMatrix]:
        return nullcontext(self._matrix)


class Backed(InFile):
    """The matrix in a file; columns beside it in an AnnData object, which may know more than the file."""

    def __init__(self, data: Any) -> None:
        if data.is_view:
            raise ValueError(
                "A backed AnnData object must not be a view: its rows are not those of its file. Write it "
                "to a file of its own, as by adata.copy('part.h5ad')."
            )
        super().__init__(Path(data.filename))
        if self.shape != tuple(data.shape):
            raise ValueError(
                f"{self.name} must hold the rows of the AnnData object; it has the shape {self.shape}, the "
                f"object {tuple(data.shape)}. Open it again."
            )
        self._obs, self.variables = data.obs, [str(name) for name in data.var_names]
        self.beside = [str(name) for name in data.obs.columns]

    def column(self, name: str) -> Column:
        return _column_of_series(self._obs[name])

    def row_names(self) -> tuple[str | None, list[str]]:
        return _names_of_index(self._obs.index)


def _matrix_at_hand(X: Any) -> StoredMatrix:
    if sparse.issparse(X) and X.format in ("csr", "csc"):
        n_entries = int(X.indptr[-1])  # what may follow them is not used
        return StoredMatrix(
            f"{X.format}_matrix", X.shape, X.data[:n_entries], X.indices[:n_entries], X.indptr
        )
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return StoredMatrix(DENSE_KIND, X.shape, np.asarray(X))
    raise TypeError(
        f"The matrix of an AnnData object must be a numpy array, a CSR matrix or in its file; got "
        f"{type(X).__name__}. Load it with adata.to_memory(), or pass the path of the file."
    )


def _names_of_index(index: Any) -> tuple[str | None, list[str]]:
    """What an index of pandas is called, and what it holds."""
    return (None if index.name is None else str(index.name)), [str(name) for name in index]


def _column_of_series(series: Any) -> Column:
    """A column of pandas."""
    if hasattr(series.dtype, "categories"):
        return coded(series.cat.categories.tolist(), series.cat.codes.to_numpy())
    missing = series.isna().to_numpy(dtype=bool)
    if missing.any() or series.dtype.kind not in "biuf":
        return column(series.to_numpy(dtype=object), missing)
    return column(series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", None)))
