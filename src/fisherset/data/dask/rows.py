"""Rows that Dask computes, from arrays or data frames: the blocks are never all in one place."""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Set
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fisherset.data.dask.tasks import (
    Inputs,
    Total,
    Work,
    inputs_of,
    is_array,
    is_dask,
    is_frame,
    is_numeric,
    take_columns,
    total_of,
)
from fisherset.data.rows import Block, Coded, Kernel, T, check_unchanged

HEAD_ROWS = 64  # of the first block: enough to guess offsets and units, and no more than a message of rows


class DaskRows:
    """A table of Dask with its targets, weights and confounders, in the same blocks.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        The table. Blocks of arrays may be dense or sparse, and cut by columns, too.
    y, weight, confounders : Dask collection or array, optional
        Target, weight and confounders of each row. In memory they need an X of known chunks.

    Examples
    --------
    >>> import dask.array as da
    >>> from fisherset.data import DaskRows
    >>> rows = DaskRows(da.ones((100, 3), chunks=(30, 2)), y=[0, 1] * 50)
    >>> rows.reduce(lambda block: [block.X.shape])
    [(30, 3), (30, 3), (30, 3), (10, 3)]
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None, confounders: Any = None) -> None:
        self._table = table = _table_of(X)
        self.n_columns = table.n_columns
        strings = table.columns is not None and all(isinstance(name, str) for name in table.columns)
        self.names: list[str] | None = table.columns if strings else None
        self.n_rows: int | None = None if table.lengths is None else sum(table.lengths)
        self._set(y, weight, confounders)

    def _set(self, y: Any, weight: Any, confounders: Any) -> None:
        self.targets = names_of_several(y)
        others = {"y": y, "sample_weight": weight, "confounders": confounders}
        self._others = [_cut_like(self._table, part, name) for name, part in others.items()]
        self._inputs: dict[bool, Inputs] = {}
        self._head: _Head | None = None

    def with_targets(self, y: Any, weight: Any, confounders: Any) -> DaskRows:
        """The same table with other targets, weights and confounders."""
        other = copy(self)
        other._set(y, weight, confounders)
        return other

    def labels(self, found: list[Any]) -> list[Any]:
        return found

    def head(self) -> Block:
        """The first rows. No more blocks are computed than it takes to find some, and these once."""
        start, n_blocks = 0, self._table.n_blocks
        while self._head is None and start < n_blocks:
            some = range(start, min(max(2 * start, 1), n_blocks))
            X, *others = (_between(part, some) for part in (self._table.X, *self._others))
            self._head = self._total(_HeadKernel(), inputs_of(len(some), X, others), some).value
            start = some.stop
        if self._head is None:
            raise ValueError("The table has no rows.")
        return self._head.block

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        if columns not in self._inputs:
            counted = self._table.lengths is not None or any(part is not None for part in self._others)
            X = None if counted and not columns else self._table.X
            self._inputs[columns] = inputs_of(self._table.n_blocks, X, self._others)
        # kernels may be large; Dask warned that X makes a large graph when its head was computed
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            total = self._total(kernel, self._inputs[columns], range(self._table.n_blocks), columns)
        if total.value is None:
            raise ValueError("The table has no rows.")
        check_unchanged(self.n_rows, total.n_rows, ", or call X.persist() first")
        self.n_rows = total.n_rows
        return total.value

    def _total(self, kernel: Kernel[T], inputs: Inputs, numbers: range, columns: bool = True) -> Total[T]:
        table = self._table
        work = Work(kernel, table.name, table.columns, table.n_columns if columns else 0)
        lengths = [None if table.lengths is None else table.lengths[number] for number in numbers]
        return total_of(work, inputs, numbers, lengths)


@dataclass(frozen=True)
class _Head:
    """The first rows found."""

    block: Block

    def __add__(self, other: _Head) -> _Head:
        return self


class _HeadKernel:
    """Takes a copy of a few rows, so that the block can go."""

    def __call__(self, block: Block) -> _Head:
        y = block.y
        if isinstance(y, Coded):
            found, codes = np.unique(y.codes[:HEAD_ROWS], return_inverse=True)
            y = Coded(tuple(y.labels[code] for code in found), codes)
        elif isinstance(y, list):
            y = y[:HEAD_ROWS]
        else:
            y = _first(y)
        return _Head(Block(_first(block.X), y, _first(block.weight), _first(block.confounders), block.place))


def _first(part: Any) -> Any:
    if part is None:
        return None
    return (part.iloc if hasattr(type(part), "iloc") else part)[:HEAD_ROWS].copy()


def _between(part: Any, blocks: range) -> Any:
    """Some blocks of a collection or of a list of them."""
    if part is None:
        return None
    of_all = part if isinstance(part, list) else part.blocks if is_array(part) else part.partitions
    return of_all[blocks.start : blocks.stop]


def lazy_columns(X: Any, mask: Any) -> Any:
    """Some columns of an array or a data frame of Dask, which are not computed yet."""
    chosen = np.flatnonzero(mask)
    if is_frame(X):
        return X[[X.columns[j] for j in chosen]]
    if X.numblocks[1] == 1:
        return X[:, chosen]
    from dask.array import blockwise

    # blocks that are cut by columns, too, are joined by us: not every version can where they are sparse
    form = {"new_axes": {"k": chosen.size}, "dtype": X.dtype, "meta": X._meta, "concatenate": False}
    return blockwise(take_columns, "ik", X, "ij", columns=chosen, **form)


def names_of_several(part: Any) -> list[str] | None:
    """Names of the columns of a data frame of several, where all are strings."""
    kind = next((name for name in ("column_names", "columns") if hasattr(type(part), name)), None)
    names: list[Any] = [] if kind is None else list(getattr(part, kind))
    return names if len(names) > 1 and all(isinstance(name, str) for name in names) else None


class _Table(NamedTuple):
    """A table of Dask, as far as it is known before anything is computed."""

    X: Any
    name: str  # of all its blocks
    columns: list[Any] | None  # names of a data frame
    n_columns: int
    n_blocks: int
    lengths: list[int] | None  # of the blocks, where they are known
    counting: str  # how they become known


def _table_of(X: Any) -> _Table:
    """A table of numbers, as far as its metadata tell."""
    if not is_array(X) and not is_frame(X):
        kind = f"{type(X).__module__.split('.')[0]} {type(X).__name__}"
        raise TypeError(f"X must be an array or a data frame of Dask; got {kind}. {_fix(X)}")
    if X.ndim != 2:
        fix = "X.to_frame()" if is_frame(X) else "X[:, None]" if X.ndim == 1 else "X.reshape(len(X), -1)"
        raise ValueError(f"X must be a table with rows and columns; got {X.ndim} dimensions. Pass {fix}.")
    _check_numbers(X, "X")
    if is_frame(X):
        columns = list(X.columns)
        name, times = Counter(columns).most_common(1)[0] if columns else ("", 0)
        if times > 1:
            raise ValueError(
                f"X must not have two columns of the same name; got {name!r} {times} times. Rename them."
            )
        counting = "X.to_dask_array(lengths=True)"
        return _Table(X, "X.partitions", columns, len(columns), X.npartitions, None, counting)
    if math.isnan(X.shape[1]):
        raise ValueError("X must have columns that are counted. Call X.compute_chunk_sizes() first.")
    return _Table(X, "X.blocks", None, X.shape[1], X.numblocks[0], _lengths(X), "X.compute_chunk_sizes()")


def _fix(X: Any) -> str:
    if hasattr(type(X), "data_vars"):
        return "Pass X.to_dask_dataframe() with the columns you want."
    if hasattr(type(X), "to_dataset"):
        return "Pass X.data."
    if hasattr(type(X), "to_dataframe"):
        return "Pass X.to_dataframe()."
    return "Make one of it, as by dask.array.from_delayed."


def _check_numbers(part: Any, name: str) -> None:
    """Numbers as far as dtypes tell."""
    if part.ndim != 2 or not hasattr(part, "dtypes"):
        if not is_numeric(part.dtype):
            raise ValueError(f"{name} must hold numbers; got {part.dtype}. Use astype(float) where it does.")
        return
    bad = [
        f"{label!r} ({dtype})"
        for label, dtype in zip(part.columns, part.dtypes, strict=True)
        if not is_numeric(dtype)
    ]
    if bad:
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        raise ValueError(
            f"{name} must hold numbers only; these columns do not: {', '.join(bad[:5])}{more}. Drop them, or "
            f"make numbers of them, as by astype(float) or dask.dataframe.get_dummies."
        )


def _lengths(array: Any) -> list[int] | None:
    lengths = array.chunks[0]
    return None if any(math.isnan(length) for length in lengths) else [int(length) for length in lengths]


def _cut_like(table: _Table, part: Any, name: str) -> Any:
    """Targets, weights or confounders in the blocks of X: a collection, or a list if in memory."""
    if part is None:
        return None
    if not is_dask(part):
        return _slices(table, part, name)
    if not is_array(part) and not is_frame(part):
        raise TypeError(f"{name} must be an array or a series of Dask; got {type(part).__name__}.")
    _check_argument(part, name)
    if is_frame(part):
        _check_n_blocks(table, part.npartitions, name, f"{name}.to_dask_array(lengths=True)")
        X = table.X
        if is_frame(X) and X.known_divisions and part.known_divisions and X.divisions != part.divisions:
            raise ValueError(
                f"{name} must have the divisions of X, as its rows are others otherwise. Take both from one "
                f"data frame, or pass {name}.repartition(divisions=X.divisions)."
            )
        return part
    part = part.rechunk({1: -1}) if part.ndim == 2 else part
    lengths = _lengths(part)
    if lengths is None or table.lengths is None:
        _check_n_blocks(table, part.numblocks[0], name, f"{name}.compute_chunk_sizes()")
        return part
    _check_n_rows(table, sum(lengths), name)
    return part if lengths == table.lengths else part.rechunk({0: tuple(table.lengths)})


def _check_argument(part: Any, name: str) -> None:
    n_dimensions = getattr(part, "ndim", 1)
    if n_dimensions > (1 if name == "sample_weight" else 2):
        raise ValueError(
            f"{name} must have one entry for each row of X, or one column of them; got {n_dimensions} "
            f"dimensions. Pass one column of it."
        )
    if name != "y":
        _check_numbers(part, name)


def _check_n_blocks(table: _Table, n_blocks: int, name: str, counting: str) -> None:
    if n_blocks != table.n_blocks:
        raise ValueError(
            f"{name} must be cut into the same blocks as X where their rows are not counted; got {n_blocks} "
            f"blocks of {name} and {table.n_blocks} of X. Take both from one collection, or count the rows "
            f"first, by {table.counting} and {counting}."
        )


def _check_n_rows(table: _Table, n_rows: int, name: str) -> None:
    n = sum(table.lengths or [])
    if n_rows != n:
        raise ValueError(f"X and {name} must have the same number of samples; got {n} and {n_rows}.")


def _slices(table: _Table, part: Any, name: str) -> list[Any]:
    """The rows of each block of an argument in memory."""
    if table.lengths is None:
        raise ValueError(
            f"X must have blocks of known lengths where {name} is in memory; nobody has counted its rows. "
            f"Pass {name} as a Dask collection that is cut like X, or count the rows by {table.counting}."
        )
    if not hasattr(part, "__len__") or isinstance(part, str | bytes | Mapping | Set):
        kind = type(part).__name__
        raise TypeError(f"{name} must have an entry for each row of X; got an object of type {kind}.")
    plain = isinstance(part, np.ndarray) or hasattr(type(part), "iloc") or hasattr(type(part), "tocsr")
    if not plain and not (name == "y" and isinstance(part, list | tuple)):
        part = np.asarray(part)
    _check_argument(part, name)
    _check_n_rows(table, part.shape[0] if hasattr(part, "shape") else len(part), name)
    rows = part.iloc if hasattr(type(part), "iloc") else part
    ends = np.cumsum(table.lengths).tolist()
    return [rows[end - length : end] for end, length in zip(ends, table.lengths, strict=True)]
