"""Rows that Dask computes, from arrays or data frames: the blocks are never all in one place."""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fisherset.data.dask.blocks import Total, Work, take_columns
from fisherset.data.dask.collections import cut_like, is_array, is_frame, names_of_several, table_of
from fisherset.data.dask.graphs import Inputs, inputs_of, total_of
from fisherset.data.rows import Block, Coded, Kernel, T, check_unchanged

HEAD_ROWS = 64


class DaskRows:
    """A table of Dask and what stands beside its rows.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        The table. Blocks of arrays may be dense or sparse, and cut by columns, too.
    y : Dask collection or array, optional
        Target of each row. What is in memory, here and below, needs an X of known chunks.
    weight : Dask collection or array, optional
        Weight of each row; one without.
    confounders : Dask collection or array, optional
        Numbers that are taken out of the columns besides the mean.

    Attributes
    ----------
    n_columns : int
        Number of columns.
    names : list of str or None
        Their names.
    n_rows : int or None
        Number of rows, known after the first pass at the latest.
    targets : list of str or None
        Names of several targets.

    Examples
    --------
    >>> import dask.array as da
    >>> from fisherset.data import DaskRows
    >>> rows = DaskRows(da.ones((100, 3), chunks=(30, 2)), y=[0, 1] * 50)
    >>> rows.reduce(lambda block: [block.X.shape])
    [(30, 3), (30, 3), (30, 3), (10, 3)]
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None, confounders: Any = None) -> None:
        self._table = table = table_of(X)
        self.n_columns = table.n_columns
        texts = table.columns is not None and all(isinstance(name, str) for name in table.columns)
        self.names: list[str] | None = table.columns if texts else None
        self.n_rows: int | None = None if table.lengths is None else sum(table.lengths)
        self.targets = names_of_several(y)
        beside = {"y": y, "sample_weight": weight, "confounders": confounders}
        self._beside = [cut_like(table, part, name) for name, part in beside.items()]
        self._inputs: dict[bool, Inputs] = {}
        self._head: _Head | None = None

    def with_targets(self, y: Any, weight: Any, confounders: Any) -> DaskRows:
        """The same table with something else beside its rows."""
        return DaskRows(self._table.X, y, weight, confounders)

    def labels(self, found: list[Any]) -> list[Any]:
        """Labels stand for themselves."""
        return found

    def head(self) -> Block:
        """The first rows. No more blocks are computed than it takes to find some, and these once."""
        start, n_blocks = 0, self._table.n_blocks
        while self._head is None and start < n_blocks:
            some = range(start, min(max(2 * start, 1), n_blocks))
            X, *beside = (_between(part, some) for part in (self._table.X, *self._beside))
            self._head = self._total(_HeadKernel(), inputs_of(len(some), X, beside), some).value
            start = some.stop
        if self._head is None:
            raise ValueError("The table has no rows.")
        return self._head.block

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        """The sum of kernel(block) over all blocks, in row order: one pass."""
        if columns not in self._inputs:
            counted = self._table.lengths is not None or any(part is not None for part in self._beside)
            X = None if counted and not columns else self._table.X
            self._inputs[columns] = inputs_of(self._table.n_blocks, X, self._beside)
        # kernels may be large; that X makes a large graph was said when its head was computed
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
    """The first rows that were met."""

    block: Block

    def __add__(self, other: _Head) -> _Head:
        return self


class _HeadKernel:
    """Takes a copy of a few rows, so that the block can go."""

    def __call__(self, block: Block) -> _Head:
        some = slice(HEAD_ROWS)
        y = block.y
        if isinstance(y, Coded):
            met, codes = np.unique(y.codes[some], return_inverse=True)
            y = Coded(tuple(y.labels[code] for code in met), codes)
        elif y is not None:
            y = y[some].copy() if hasattr(y, "copy") else y[some]
        beside = (block.weight, block.confounders)
        weight, Z = (None if part is None else part[some].copy() for part in beside)
        return _Head(Block(block.X[some].copy(), y, weight, Z, block.place))


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


def _between(part: Any, blocks: range) -> Any:
    """Some blocks of a collection or of a list of them."""
    if part is None:
        return None
    of_all = part if isinstance(part, list) else part.blocks if is_array(part) else part.partitions
    return of_all[blocks.start : blocks.stop]
