"""Partitions as a cluster holds them, arrays or data frames, made into blocks of rows where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset.data.rows import Block, Coded, Kernel, Matrix, Place, T

EXACT = 2**53  # whole numbers float64 can tell apart


class BlockError(Exception):
    """What went wrong with a block: tells our own errors from those of whoever computes the partitions."""

    @property
    def reason(self) -> Exception:
        reason: Exception = self.args[0]
        return reason


@dataclass(frozen=True)
class Total(Generic[T]):
    """What is made of some rows, and how many these are; no value without rows."""

    n_rows: int
    value: T | None

    def __add__(self, other: Total[T]) -> Total[T]:
        if self.value is None or other.value is None:
            value = other.value if self.value is None else self.value
        else:
            try:
                value = self.value + other.value
            except Exception as error:
                raise BlockError(error) from error
        return Total(self.n_rows + other.n_rows, value)


@dataclass(frozen=True)
class Work(Generic[T]):
    """What is done with every partition: sent once to where they are.

    Attributes
    ----------
    kernel : Kernel
        What is computed of a block.
    name : str
        What the partitions are called: "X.blocks" or "X.partitions".
    columns : list or None
        What data frames call their columns; None of arrays.
    n_columns : int
        Number of columns; none where they are not asked for.
    """

    kernel: Kernel[T]
    name: str
    columns: list[Any] | None
    n_columns: int

    def __call__(
        self, number: int, n_rows: int | None, X: list[Any], y: Any, weight: Any, Z: Any
    ) -> Total[T]:
        """The total of a partition; `n_rows` are to be in it, if they are known."""
        try:
            block = self.block(number, n_rows, X, y, weight, Z)
            n_rows = block.X.shape[0]
            return Total(n_rows, self.kernel(block) if n_rows else None)
        except Exception as error:
            raise BlockError(error) from error

    def block(self, number: int, n_rows: int | None, X: list[Any], y: Any, weight: Any, Z: Any) -> Block:
        """The block of a partition; X is cut into several parts by columns, or is not there."""
        place = Place(f"{self.name}[{number}]", 1)
        table = self._table(X, place) if X else None
        beside = {"y": targets(y), "sample_weight": _weights(weight), "confounders": _confounders(Z)}
        lengths = {name: _length(part) for name, part in {"X": table, **beside}.items() if part is not None}
        n = next(iter(lengths.values()), 0) if n_rows is None else n_rows
        for name, length in lengths.items():
            if length != n:
                raise ValueError(
                    f"X and what stands beside it must have the same rows in every block; got {n} in "
                    f"{place.name} and {length} of {name}. Take both from one collection, or call "
                    f"compute_chunk_sizes() on both, so that they can be cut alike."
                )
        y, weight, Z = beside.values()
        return Block(np.empty((n, 0)) if table is None else table, y, weight, Z, place)

    def _table(self, X: list[Any], place: Place) -> Matrix:
        if self.columns is not None and list(X[0].columns) != self.columns:
            raise ValueError(
                f"X must have the same columns in every partition; those of {place.name} are not the "
                f"{len(self.columns)} that X announces. Give X the meta that its partitions have."
            )
        parts = [numeric_table(part, "X") for part in X]
        table = parts[0] if len(parts) == 1 else _side_by_side(parts)
        if table.ndim != 2 or (self.n_columns and table.shape[1] != self.n_columns):
            raise ValueError(
                f"X must have {self.n_columns} columns in every block; {place.name} has the shape "
                f"{table.shape}. State the chunks that the blocks have."
            )
        return table if self.n_columns else table[:, :0]


def pack(*partitions: Any) -> tuple[Any, ...]:
    """Partitions of the same rows."""
    return partitions


def numeric_table(part: Any, name: str) -> Matrix:
    """An array, a sparse matrix or the numbers of a data frame, as they are where they can be."""
    if hasattr(type(part), "iloc"):
        return _from_frame(part if part.ndim == 2 else part.to_frame(), name)
    if sparse.issparse(part):
        return _canonical(part)
    if not isinstance(part, np.ndarray):
        raise TypeError(
            f"{name} must have blocks that are numpy arrays or scipy's sparse matrices; got "
            f"{type(part).__module__.split('.')[0]} {type(part).__name__}. Convert them with map_blocks."
        )
    if np.ma.is_masked(part):
        raise ValueError(f"{name} must not have masked entries. Fill them, as by dask.array.ma.filled.")
    return np.asarray(part)  # a np.matrix, too


def _canonical(part: Any) -> Matrix:
    """CSR or CSC with each entry once, as a square is not the sum of the squares of parts."""
    table = sparse.csc_array(part) if part.format == "csc" else sparse.csr_array(part)
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table


def _side_by_side(parts: list[Matrix]) -> Matrix:
    if any(sparse.issparse(part) for part in parts):
        return sparse.hstack(parts, format="csr")
    return np.hstack(parts)


def take_columns(parts: list[Matrix], columns: NDArray[np.intp]) -> Matrix:
    """Some columns of a block that is cut by columns."""
    ends = np.cumsum([part.shape[1] for part in parts])
    cut = zip(parts, ends - [part.shape[1] for part in parts], ends, strict=True)
    return _side_by_side(
        [part[:, columns[(start <= columns) & (columns < end)] - start] for part, start, end in cut]
    )


def is_numeric(dtype: Any) -> bool:
    """Whether columns of this dtype, of numpy or pandas, hold real numbers."""
    return getattr(dtype, "kind", "O") in "biuf" and str(dtype) != "category"


def reject_other_columns(name: str, labels: list[Any], dtypes: list[Any]) -> None:
    """Refuse columns that are no numbers."""
    bad = [(label, dtype) for label, dtype in zip(labels, dtypes, strict=True) if not is_numeric(dtype)]
    if bad:
        which = ", ".join(f"{label!r} ({dtype})" for label, dtype in bad[:5])
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        raise ValueError(
            f"{name} must hold numbers only; these columns do not: {which}{more}. Drop them, or make numbers "
            f"of them, as by astype(float) or dask.dataframe.get_dummies."
        )


def _from_frame(frame: Any, name: str) -> Matrix:
    labels, dtypes = list(frame.columns), list(frame.dtypes)
    reject_other_columns(name, labels, dtypes)
    if dtypes and all(str(dtype).startswith("Sparse[") and dtype.fill_value == 0 for dtype in dtypes):
        return _canonical(frame.sparse.to_coo())
    if len(set(dtypes)) == 1 and isinstance(dtypes[0], np.dtype):
        plain: NDArray[Any] = frame.to_numpy()
        return plain
    table = np.empty(frame.shape, order="F")
    for j, dtype in enumerate(dtypes):
        column = frame.iloc[:, j]
        if dtype.kind in "iu":
            _reject_rounded(column.dropna().to_numpy(), name, labels[j])
        table[:, j] = _floats(column)
    return table


def _floats(column: Any) -> NDArray[np.float64]:
    """A column of pandas as floats, nulls as NaN."""
    plain = isinstance(column.dtype, np.dtype)
    values = (
        column.to_numpy(dtype=np.float64) if plain else column.to_numpy(dtype=np.float64, na_value=np.nan)
    )
    return np.asarray(values)


def _reject_rounded(whole: NDArray[Any], name: str, label: Any) -> None:
    if not whole.size or max(int(whole.max()), -int(whole.min())) <= EXACT:
        return
    with np.errstate(invalid="ignore"):  # beyond the largest integer, which is a difference
        rounded = whole.astype(np.float64).astype(whole.dtype)
    if (rounded != whole).any():
        raise ValueError(
            f"{name} must hold numbers that float64 can tell apart; column {label!r} has integers beyond "
            f"2**53 that float64 rounds. Subtract an offset, drop identifiers, or use astype(float) where "
            f"rounding does no harm."
        )


def targets(y: Any) -> Any:
    """Labels or numbers of a partition, one a row or a table of them; texts and categories as `Coded`."""
    if isinstance(y, np.ndarray):
        return y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if not hasattr(type(y), "iloc") and not hasattr(type(y), "factorize"):  # the latter has an index
        return y
    if y.ndim == 2:
        if y.shape[1] != 1:
            return _from_frame(y, "y")
        y = y.iloc[:, 0]
    if is_numeric(y.dtype) or y.dtype.kind in "mM":
        return y.to_numpy()
    try:
        codes, found = y.factorize()
    except TypeError:  # what has no hash is refused by those who want labels
        return y.to_numpy()
    labels = tuple(found.tolist())
    missing = codes < 0
    return Coded((*labels, None) if missing.any() else labels, np.where(missing, len(labels), codes))


def _weights(weight: Any) -> Any:
    if weight is None:
        return None
    if hasattr(type(weight), "iloc"):
        return _floats(weight if weight.ndim == 1 else weight.iloc[:, 0])
    if np.ma.is_masked(weight):
        raise ValueError(
            "sample_weight must not have masked entries. Use a weight of 0 to leave a sample out."
        )
    return np.asarray(weight, dtype=np.float64)


def _confounders(Z: Any) -> NDArray[np.float64] | None:
    if Z is None:
        return None
    table = numeric_table(Z, "confounders")
    dense = np.asarray(table if isinstance(table, np.ndarray) else table.toarray(), dtype=np.float64)
    return dense[:, None] if dense.ndim == 1 else dense


def _length(part: Any) -> int:
    if isinstance(part, Coded):
        return part.codes.size
    return int(part.shape[0]) if hasattr(part, "shape") else len(part)
