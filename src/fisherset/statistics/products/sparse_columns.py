"""Products of a sparse table by rows (CSR), with the columns of a search extracted on demand.

G[:, A] of a CSR matrix needs the columns A. Transposing the table to CSC takes as long as several passes, and
as much memory again. A search needs hundreds of tens of thousands of columns: these are extracted once, into
a narrow CSC table. All others are only ever multiplied with, for which rows do as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Block, CountedRows, MemoryRows, Sparse
from fisherset.statistics.kernels import nuisance, weighted
from fisherset.statistics.products.prefetch import BATCH_FACTOR, Forecast, with_forecast
from fisherset.statistics.products.products import RowProducts, projected
from fisherset.statistics.sums.guard import Guard

EXTRACTED_AHEAD = 512  # columns, with those needed now: extraction reads all entries anyway


@dataclass(frozen=True)
class ProjectKernel:
    """[X N]'V of a block that has the rows of V for its targets."""

    guard: Guard
    n_numbers: int

    def __call__(self, block: Block) -> Floats:
        return projected(self.guard.apply(block.X), nuisance(block), block.y)


class SparseColumnProducts(RowProducts):
    """Products over a CSR matrix in memory, as the guard shows it; `forecast` names columns to prefetch."""

    forecast: Forecast | None = None

    def __init__(self, source: CountedRows, guard: Guard) -> None:
        super().__init__(source, guard)
        self._passes, self._table = source, source.rows
        self._place: Indices = np.full(source.n_columns, -1, dtype=np.intp)  # of each column extracted
        self._columns: Sparse = None
        self._narrow: RowProducts | None = None

    def __copy__(self) -> SparseColumnProducts:
        """A copy that extracts columns for itself from here on."""
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        found._place = self._place.copy()
        return found

    @staticmethod
    def suits(source: MemoryRows, max_bytes: int) -> bool:
        """Whether a table is CSR, and small enough for copies of so many bytes."""
        X = source.X
        if isinstance(X, np.ndarray) or X.format != "csr":
            return False
        return bool(X.data.nbytes + X.indices.nbytes <= max_bytes)

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        if rows is None:
            return super().cross(columns, None)
        return self._extracted(columns, rows).cross(self._place[columns], self._place[rows])

    def blocks(self, columns: Indices) -> Floats:
        return self._extracted(columns.ravel()).blocks(self._place[columns])

    def combined(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        kept = rows is not None and np.all(self._place[rows] >= 0)
        if rows is not None and (kept or rows.size <= EXTRACTED_AHEAD):
            narrow = self._extracted(columns, rows)
            return narrow.combined(self._place[columns], W, shift, self._place[rows])
        # V from the narrow table, then one pass over the rows for X'V: no column is searched for in them
        block = self.take(columns)
        V = weighted(block.X @ W - nuisance(block) @ shift, block.weight)
        assert isinstance(self._table, MemoryRows)
        self._passes.n_passes += 1
        kernel = ProjectKernel(self.guard, self._place.size * W.shape[1])
        total = self._table.with_targets(V).reduce(kernel)
        return total if rows is None else np.vstack([total[rows], total[self._place.size :]])

    def take(self, columns: Indices) -> Block:
        return self._extracted(columns).take(self._place[columns])

    def _extracted(self, *columns: Indices) -> RowProducts:
        """Products of the narrow table, once it has these columns."""
        wanted = np.concatenate(columns)
        missing = np.unique(wanted[self._place[wanted] < 0])
        if missing.size or self._narrow is None:
            self._narrow = self._extract(missing)
        return self._narrow

    def _extract(self, missing: Indices) -> RowProducts:
        """The narrow table with more columns, and those forecast."""
        if self.forecast is not None and missing.size:
            ahead = max(EXTRACTED_AHEAD, BATCH_FACTOR * missing.size)
            missing = with_forecast(missing, ahead, self._place, self.forecast)
        new: Any = super().take(missing)
        X = new.X.tocsc()
        if self._narrow is not None:
            X = sparse.hstack([self._columns, X], format="csc")
        X.has_canonical_format = True
        size = X.shape[1]
        self._columns = X
        self._place[missing] = np.arange(size - missing.size, size)
        narrow = MemoryRows(X, new.y, new.weight, new.confounders)
        return RowProducts(narrow, Guard.none(size))
