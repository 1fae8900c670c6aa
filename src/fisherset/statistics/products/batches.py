"""Gram columns where every question is a pass over the data: with those asked for come those asked for next.

Whole columns answer whatever is asked of them, products, swaps and forward selection alike. Where
they are too long for that, the square block of the columns met is kept, and products stay passes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.statistics.products.gram import Compute, GramBlock, GramColumns

FEWEST = 256  # columns of a batch: so many cost little more than the pass itself
EXPECTED = 3  # times what is asked for, the size of a batch that is larger
REPLACED = 16  # columns that are let go for others that are only expected
IN_BLOCK = 0.25  # share of the budget for the square block
COPIED = 2**20  # numbers of kept columns that are multiplied at a time

# (a number, mask of columns) -> so many others, or fewer: those likely to be asked for next
Foresee = Callable[[int, NDArray[np.bool_]], Indices]


class Prefetcher:
    """Which columns are asked for next: those that have most in common with what is left of the targets.

    At first nothing is explained, and C tells; after each product with weights it is C less that
    product, by whose rows the relaxation and the exchange choose.
    """

    def __init__(self, C: Floats) -> None:
        self._C = C
        self._scores: Floats = np.einsum("jr,jr->j", C, C)

    def learn(self, product: Floats) -> None:
        """Take G[:, A] W of some columns and weights."""
        C = self._C
        cross, own = np.einsum("jr,jr->j", C, product), np.einsum("jr,jr->j", product, product)
        self._scores = np.einsum("jr,jr->j", C, C) - 2 * cross + own

    def __call__(self, count: int, kept: NDArray[np.bool_]) -> Indices:
        others = np.flatnonzero(~kept)
        if count >= others.size:
            return others
        order = np.argpartition(-self._scores[others], max(count - 1, 0))
        return np.sort(others[order[:count]])


class GramBatches(GramColumns):
    """Keeps whole columns, a batch at a time, and else a square block.

    Parameters
    ----------
    compute : callable
        Gives a block, one column of G a row.
    n_columns : int
        d, the length of a whole column.
    budget : int
        Bytes that all of this may take.
    foresee : callable
        Names columns that are likely to be asked for next.
    """

    def __init__(self, compute: Compute, n_columns: int, budget: int, foresee: Foresee) -> None:
        in_block = int(IN_BLOCK * budget)
        self._most = min((budget - in_block) // (8 * max(1, n_columns)), 2 * n_columns)
        # a batch on its way is there twice, its sum and what is added to it: an eighth is left for one
        super().__init__(compute, n_columns, 6 * self._most * n_columns)
        self._foresee = foresee
        self._block = _ForeseenBlock(compute, n_columns, in_block // 2, foresee)

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
            self._forget()  # for all of them to find room
            missing = np.unique(columns)
        self._touch(columns)
        self._bring(missing, self._capacity - columns.size)
        return True

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        if rows is not None and self._missing(columns).size:
            if not self._missing(rows).size:
                return self.get(rows, columns).T
            if self._block.kept(columns) and self._block.kept(rows):
                return self._block.get(columns, rows)
        if self.holds(columns):
            slots = self._slot[columns]
            return self._values[slots] if rows is None else self._values[slots[:, None], rows]
        return self._compute(columns, None) if rows is None else self._block.get(columns, rows)

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        if rows is not None:
            return super().product(columns, W, rows)
        total, slots = np.zeros((self._n_columns, W.shape[1])), self._slot[columns]
        step = max(1, COPIED // max(self._n_columns, 1))
        for start in range(0, columns.size, step):
            part = slice(start, start + step)
            total += self._values[slots[part]].T @ W[part]
        return total

    @property
    def _largest(self) -> int:
        """Columns of a batch that find room besides what is kept."""
        return (self._most - self._kept.size) // 2

    def _touch(self, columns: Indices) -> None:
        """Note that columns are asked for: they are not let go for those on their way."""
        self._clock += 1
        present = self._slot[columns]
        self._used[present[present >= 0]] = self._clock

    def _forget(self) -> None:
        self._slot[self._kept] = -1
        self._kept, self._used = self._kept[:0], self._used[:0]
        self._values = self._values[:0].copy()

    def _bring(self, missing: Indices, others: int) -> None:
        """Compute columns and those expected next, into empty places or, a few, in place of `others`."""
        empty = self._capacity - self._kept.size - missing.size
        size = min(self._largest, max(FEWEST, EXPECTED * missing.size)) - missing.size
        ahead = max(0, min(size, others, max(empty, REPLACED)))
        kept = self._slot >= 0
        kept[missing] = True
        batch = np.union1d(missing, self._foresee(ahead, kept))
        values = self._compute(batch, None)
        if not len(self._values):
            self._values = np.empty((self._capacity, self._n_columns))  # takes memory as it is filled
        self._keep(batch, values)


class _ForeseenBlock(GramBlock):
    """A square block that is filled in whatever it costs, and ahead."""

    def __init__(self, compute: Compute, n_columns: int, budget: int, foresee: Foresee) -> None:
        super().__init__(compute, n_columns, budget)
        self._foresee = foresee

    def kept(self, columns: Indices) -> bool:
        return bool(np.all(self._place[columns] >= 0))

    def _too_dear(self, price: int, asked: int) -> bool:
        return False

    def _with_others(self, new: Indices) -> Indices:
        kept = self._place >= 0
        kept[new] = True
        room = isqrt(self._budget // 8) - self._kept.size - new.size
        ahead = min(max(FEWEST, EXPECTED * new.size) - new.size, room)
        return np.union1d(new, self._foresee(max(ahead, 0), kept))


class GroupBlocks:
    """Keeps what is asked of groups of columns among themselves, as far as its budget goes.

    Parameters
    ----------
    compute : callable
        Gives the blocks of groups, a row of columns each.
    budget : int
        Bytes that the blocks may take.
    """

    def __init__(self, compute: Callable[[Indices], Floats], budget: int) -> None:
        self._compute, self.budget = compute, budget
        self._kept: dict[bytes, Floats] = {}
        self._taken = 0

    def get(self, columns: Indices) -> Floats:
        """Groups x size x size."""
        groups = [group.tobytes() for group in columns] if self.budget else []
        new = [place for place, group in enumerate(groups) if group not in self._kept]
        taken = self._taken + 8 * columns.shape[1] ** 2 * len(new)
        if taken > self.budget or not groups:
            return self._compute(columns)
        if new:
            blocks = self._compute(columns[new])
            self._kept.update(zip((groups[place] for place in new), blocks, strict=True))
            self._taken = taken
        return np.stack([self._kept[group] for group in groups])
