"""Prefetching of Gram columns where each request is a pass over the rows: likely next ones come along.

A pass costs the same for one column as for a hundred. Whole columns serve every later request, products,
swaps and forward selection alike; where they are too long for the budget, the square block of the columns
met is kept, and products stay passes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.statistics.products.gram import Compute, GramBlock, GramColumns

SMALLEST_BATCH = 256  # columns: so many cost little more than the pass itself
BATCH_FACTOR = 3  # size of a batch for many columns, in these: searches of k columns meet about 3 k

# (number, mask of columns) -> at most so many columns outside the mask, those most likely needed next
Forecast = Callable[[int, NDArray[np.bool_]], Indices]


class Prefetcher:
    """Forecast of the columns needed next: those most related to the residual of the targets.

    The score of a column is the squared norm of its row of C, and after each product with weights of its
    row of C - G[:, A] W: by these the relaxation and the exchange choose.
    """

    def __init__(self, C: Floats) -> None:
        self._C = C
        self._scores: Floats = np.einsum("jr,jr->j", C, C)

    def learn(self, product: Floats) -> None:
        """Take G[:, A] W of some columns and weights. The difference, as large as C, is not formed."""
        C = self._C
        cross, own = np.einsum("jr,jr->j", C, product), np.einsum("jr,jr->j", product, product)
        self._scores = np.einsum("jr,jr->j", C, C) - 2 * cross + own

    def __call__(self, count: int, kept: NDArray[np.bool_]) -> Indices:
        others = np.flatnonzero(~kept)
        if count >= others.size:
            return others
        order = np.argpartition(-self._scores[others], max(count - 1, 0))
        return np.sort(others[order[:count]])


def with_forecast(columns: Indices, count: int, place: Indices, forecast: Forecast) -> Indices:
    """Columns, and so many of those forecast that have no place yet."""
    kept = place >= 0
    kept[columns] = True
    return np.union1d(columns, forecast(max(count, 0), kept))


class GramBatches(GramColumns):
    """Whole columns, a batch at a time, in three quarters of a budget of bytes; else a square block."""

    def __init__(self, compute: Compute, n_columns: int, budget: int, forecast: Forecast) -> None:
        for_block = budget // 4
        self._most = min((budget - for_block) // (8 * max(1, n_columns)), 2 * n_columns)
        # a batch being added up is there twice, the sum and a block's part: an eighth is left for one
        super().__init__(compute, n_columns, 6 * self._most * n_columns)
        self._forecast = forecast
        self._block = _PrefetchedBlock(compute, n_columns, for_block // 2, forecast)

    def holds(self, columns: Indices, rows: Indices | None = None) -> bool:
        missing = self._missing(columns)
        if not missing.size:
            self._touch(columns)
            return True
        if columns.size > self._capacity:
            return False
        if missing.size > self._largest:
            if columns.size > self._most // 2:
                return False
            self._forget()  # so that all of them fit
            missing = np.unique(columns)
        self._touch(columns)
        self._fetch(missing, self._capacity - columns.size)
        return True

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        if rows is not None and self._missing(columns).size:
            if not self._missing(rows).size:
                return self.get(rows, columns).T  # by symmetry
            if self._block.kept(columns) and self._block.kept(rows):
                return self._block.get(columns, rows)
        if self.holds(columns):
            return self._kept_piece(columns, rows)
        return self._compute(columns, None) if rows is None else self._block.get(columns, rows)

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        if rows is not None:
            return super().product(columns, W, rows)
        total, slots = np.zeros((self._n_columns, W.shape[1])), self._slot[columns]
        step = max(1, 2**20 // max(self._n_columns, 1))  # copies of 8 MB at a time
        for start in range(0, columns.size, step):
            part = slice(start, start + step)
            total += self._values[slots[part]].T @ W[part]
        return total

    @property
    def _largest(self) -> int:
        """Columns of a batch that fit besides those that are kept."""
        return (self._most - self._kept.size) // 2

    def _forget(self) -> None:
        self._slot[self._kept] = -1
        self._kept, self._used = self._kept[:0], self._used[:0]
        self._values = self._values[:0].copy()

    def _fetch(self, missing: Indices, replaceable: int) -> None:
        """Compute columns and those forecast, into empty slots or, 16 of them, in place of others."""
        empty = self._capacity - self._kept.size - missing.size
        size = min(self._largest, max(SMALLEST_BATCH, BATCH_FACTOR * missing.size)) - missing.size
        batch = with_forecast(missing, min(size, replaceable, max(empty, 16)), self._slot, self._forecast)
        values = self._compute(batch, None)
        if not len(self._values):
            self._values = np.empty((self._capacity, self._n_columns))  # takes memory as it is filled
        self._keep(batch, values)


class _PrefetchedBlock(GramBlock):
    """A square block that is extended at any cost, and ahead."""

    def __init__(self, compute: Compute, n_columns: int, budget: int, forecast: Forecast) -> None:
        super().__init__(compute, n_columns, budget)
        self._forecast = forecast

    def kept(self, columns: Indices) -> bool:
        return bool(np.all(self._place[columns] >= 0))

    def _too_costly(self, price: int, wanted: int) -> bool:
        return False

    def _with_prefetched(self, new: Indices) -> Indices:
        fitting = isqrt(self._budget // 8) - self._kept.size - new.size
        ahead = min(max(SMALLEST_BATCH, BATCH_FACTOR * new.size) - new.size, fitting)
        return with_forecast(new, ahead, self._place, self._forecast)


class GroupBlocks:
    """Blocks of G within groups of columns, kept as far as a budget of bytes goes."""

    def __init__(self, compute: Callable[[Indices], Floats], budget: int) -> None:
        self._compute, self.budget = compute, budget
        self._kept: dict[bytes, Floats] = {}
        self._n_bytes = 0

    def get(self, columns: Indices) -> Floats:
        """Blocks of groups, a row of `columns` each: groups x size x size."""
        groups = [group.tobytes() for group in columns] if self.budget else []
        new = [place for place, group in enumerate(groups) if group not in self._kept]
        n_bytes = self._n_bytes + 8 * columns.shape[1] ** 2 * len(new)
        if n_bytes > self.budget or not groups:
            return self._compute(columns)
        if new:
            blocks = self._compute(columns[new])
            self._kept.update(zip((groups[place] for place in new), blocks, strict=True))
            self._n_bytes = n_bytes
        return np.stack([self._kept[group] for group in groups])
