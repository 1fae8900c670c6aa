"""Products of a sparse table by rows: columns that a search asks for are taken out of the rows once.

To turn all rows to columns takes as long as several looks at the table, and as much memory again. A search
asks for hundreds of columns of tens of thousands: these become a narrow table by columns; all others are
only ever multiplied with, for which rows do as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Block, CountedRows, MemoryRows, Sparse
from fisherset.statistics.kernels.blocks import nuisance, weighted
from fisherset.statistics.products.batches import EXPECTED, Foresee
from fisherset.statistics.products.products import SourceProducts, projected
from fisherset.statistics.sums.guard import Guard

BESIDE = 512  # columns that are taken out in one pass with those that are asked for, or few times as many


@dataclass(frozen=True)
class ProjectKernel:
    """[X N]'V of a block that has the rows of V for its targets."""

    guard: Guard
    n_numbers: int

    def __call__(self, block: Block) -> Floats:
        return projected(self.guard.apply(block.X), nuisance(block), block.y)


class SparseColumnProducts(SourceProducts):
    """Products over rows at hand, of which columns are taken out as they are asked for.

    Parameters
    ----------
    source : CountedRows
        The rows, a CSR matrix in memory.
    guard : Guard
        How kernels see them.

    Attributes
    ----------
    foresee : callable or None
        Names columns that are likely to be asked for next, which are taken out in the same pass.
    """

    foresee: Foresee | None = None

    def __init__(self, source: CountedRows, guard: Guard) -> None:
        super().__init__(source, guard)
        self._passes, self._table = source, source.rows
        self._place: Indices = np.full(source.n_columns, -1, dtype=np.intp)  # of each column taken out
        self._columns: Sparse = None
        self._narrow: SourceProducts | None = None

    @staticmethod
    def suit(source: MemoryRows, copied: int) -> bool:
        """Whether this is for a source, of which so many bytes may be copied."""
        X = source.X
        if isinstance(X, np.ndarray) or X.format != "csr":
            return False
        return bool(X.data.nbytes + X.indices.nbytes <= copied)

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        if rows is None:
            return super().cross(columns, None)
        return self._holding(columns, rows).cross(self._place[columns], self._place[rows])

    def blocks(self, columns: Indices) -> Floats:
        return self._holding(columns.ravel()).blocks(self._place[columns])

    def mixed(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        held = rows is not None and np.all(self._place[rows] >= 0)
        if rows is not None and (held or rows.size <= BESIDE):
            narrow = self._holding(columns, rows)
            return narrow.mixed(self._place[columns], W, shift, self._place[rows])
        block = self.take(columns)
        V = weighted(block.X @ W - nuisance(block) @ shift, block.weight)
        assert isinstance(self._table, MemoryRows)
        self._passes.n_passes += 1
        kernel = ProjectKernel(self.guard, self._place.size * W.shape[1])
        total = self._table.with_targets(V).reduce(kernel)
        return total if rows is None else np.vstack([total[rows], total[self._place.size :]])

    def take(self, columns: Indices) -> Block:
        return self._holding(columns).take(self._place[columns])

    def _holding(self, *asked: Indices) -> SourceProducts:
        """Products of the narrow table, with what is asked for in it."""
        wanted = np.concatenate(asked)
        missing = np.unique(wanted[self._place[wanted] < 0])
        if missing.size or self._narrow is None:
            self._narrow = self._with(missing)
        return self._narrow

    def _with(self, missing: Indices) -> SourceProducts:
        """The narrow table with more columns, and those expected next."""
        if self.foresee is not None and missing.size:
            kept = self._place >= 0
            kept[missing] = True
            missing = np.union1d(missing, self.foresee(max(BESIDE, EXPECTED * missing.size), kept))
        new: Any = super().take(missing)
        X = new.X.tocsc()
        if self._narrow is not None:
            X = sparse.hstack([self._columns, X], format="csc")
        X.has_canonical_format = True
        size = X.shape[1]
        self._columns = X
        self._place[missing] = np.arange(size - missing.size, size)
        narrow = MemoryRows(X, new.y, new.weight, new.confounders)
        return SourceProducts(narrow, Guard(np.zeros(size), np.ones(size)))
