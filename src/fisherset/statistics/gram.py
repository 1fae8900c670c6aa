"""Pieces of the Gram matrix that have been computed, kept for when they are asked for again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Protocol

import numpy as np

from fisherset._types import Floats, Indices

CACHE_BYTES = 256 * 2**20
# A block may be filled in for at most this many times the price of what was asked for, and for as
# much more as has been spent on what was not kept.
FILLING_FACTOR = 4
# What a pass over the rows costs, for each column, in multiplications a row: it waits for memory.
PASS = 60
# Passes that a search makes: where they cost more than the whole matrix, that is computed at once.
PASSES = 7

# (distinct columns, rows or None) -> array of shape (len(columns), d or len(rows))
Compute = Callable[[Indices, Indices | None], Floats]


class GramCache(Protocol):
    """Serves blocks of G, from memory or computed."""

    def holds(self, columns: Indices, rows: Indices | None = None) -> bool:
        """Whether the block [rows, columns] is kept, all rows when None, or is from now on."""

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        """The block [rows, columns], transposed: one column of G a row. Not to be written to."""

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W of a block that is kept. The caller's to write to."""


class GramBlock:
    """Keeps the square block of the columns met so far: what one problem needs, in few small products.

    All of them at once where that costs no more than a search is expected to spend on pieces, or has
    spent: it then answers whatever is asked, without another look at the rows.

    Parameters
    ----------
    compute : callable
        Gives a block, one column of G a row.
    n_columns : int
        d, the length of a whole column.
    budget : int
        Bytes the block may take.
    by_rows : bool
        Whether pieces cost time, as they are products of rows.
    """

    def __init__(
        self, compute: Compute, n_columns: int, budget: int = CACHE_BYTES, *, by_rows: bool = False
    ) -> None:
        self._compute, self._budget, self._n_columns = compute, budget, n_columns
        self._left = np.inf  # that may be spent before all is worth its price, in multiplications a row
        if by_rows and 8 * n_columns**2 <= budget:
            self._left = n_columns * (n_columns / 2 - PASSES * PASS)
        self._place: Indices = np.full(n_columns, -1, dtype=np.intp)  # of each column in the block
        self._kept: Indices = np.empty(0, dtype=np.intp)
        self._values: Floats = np.empty((0, 0))
        self._spent = 0
        self._complete = False  # whether all columns are there, in their order

    def holds(self, columns: Indices, rows: Indices | None = None) -> bool:
        if rows is not None and np.all(self._place[columns] >= 0) and np.all(self._place[rows] >= 0):
            return True
        return self._whole(PASS * (self._n_columns if rows is None else rows.size))

    def _whole(self, price: int) -> bool:
        """Whether all columns are kept, or are from now on, where something is asked for at a price."""
        if not self._complete:
            self._left -= price
            if self._left > 0:
                return False
            every = np.arange(self._n_columns)
            self._kept, self._place, self._values = every, every, self._compute(every, None)
            self._values.flags.writeable = False  # it is lent as it is
            self._complete = True
        return True

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        if self._whole(columns.size * (self._n_columns if rows is None else rows.size)):
            if rows is None:
                return self._values[columns]
            every = np.array_equal(columns, self._kept) and np.array_equal(rows, self._kept)
            return self._values if every else self._values[np.ix_(columns, rows)]
        if rows is None:
            return self._compute(columns, None)
        asked = np.union1d(columns, rows)
        new = asked[self._place[asked] < 0]
        if new.size:
            size = self._kept.size + new.size
            price = columns.size * rows.size
            if self._too_dear(new.size * size, price) or 8 * size * size > self._budget:
                self._spent += price
                return self._compute(columns, rows)
            self._extend(self._with_others(new))
        return self._values[np.ix_(self._place[columns], self._place[rows])]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        if rows is not None:
            product: Floats = self._values[np.ix_(self._place[rows], self._place[columns])] @ W
            return product
        if columns.size < self._n_columns // 4:
            return self._values[columns].T @ W
        spread = np.zeros((self._n_columns, W.shape[1]))
        spread[columns] = W  # a product with zeros is cheaper than a copy
        return self._values @ spread

    def _too_dear(self, price: int, asked: int) -> bool:
        """Whether not to fill in a block at a price, where a part of it is asked for at another."""
        return price > FILLING_FACTOR * asked + self._spent

    def _with_others(self, new: Indices) -> Indices:
        """New columns and what is to be kept with them."""
        return new

    def _extend(self, new: Indices) -> None:
        old = self._kept.size
        self._kept = np.concatenate([self._kept, new])
        self._place[new] = np.arange(old, self._kept.size)
        values = np.empty((self._kept.size, self._kept.size))
        values[:old, :old] = self._values
        values[old:] = self._compute(new, self._kept)
        values[:old, old:] = values[old:, :old].T
        self._values = values
        self._spent = max(0, self._spent - new.size * self._kept.size)  # what was saved up is used up


class GramColumns:
    """Keeps whole columns, the most recently used ones: for many problems that will ask for the same.

    Parameters
    ----------
    compute : callable
        Gives a block, one column of G a row.
    n_columns : int
        d, the length of a whole column.
    budget : int
        Bytes the columns may take.
    """

    def __init__(self, compute: Compute, n_columns: int, budget: int = CACHE_BYTES) -> None:
        self._compute, self._n_columns = compute, n_columns
        self._capacity = budget // (8 * max(1, n_columns))
        self._slot: Indices = np.full(n_columns, -1, dtype=np.intp)  # where each column is kept
        self._kept: Indices = np.empty(0, dtype=np.intp)  # the column in each slot
        self._used: Indices = np.empty(0, dtype=np.intp)  # when it was asked for last
        self._values: Floats = np.empty((0, n_columns))
        self._clock = 0
        self._lock = Lock()  # folds share a cache between threads

    def holds(self, columns: Indices, rows: Indices | None = None) -> bool:
        return bool(np.all(self._slot[columns] >= 0))

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        if columns.size > self._capacity:
            return self._compute(columns, rows)
        missing, values = self._missing(columns), np.empty((0, self._n_columns))
        while True:
            if missing.size:
                values = self._compute(missing, None)  # outside the lock: other folds go on
            with self._lock:
                self._clock += 1
                present = self._slot[columns]
                self._used[present[present >= 0]] = self._clock  # not to be let go for the new ones
                new = self._slot[missing] < 0
                self._keep(missing[new], values[new])
                slots = self._slot[columns]
                if np.all(slots >= 0):
                    return self._values[slots] if rows is None else self._values[slots[:, None], rows]
            missing = self._missing(columns)  # another fold has taken the place of some

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        product: Floats = self.get(columns, rows).T @ W
        return product

    def _missing(self, columns: Indices) -> Indices:
        return np.unique(columns[self._slot[columns] < 0])

    def _keep(self, columns: Indices, values: Floats) -> None:
        """Put columns into new slots as far as the budget goes, then in place of the longest unused."""
        if not columns.size:
            return
        size = self._kept.size
        room = min(columns.size, self._capacity - size)
        if size + room > len(self._values):
            grown = np.empty((min(self._capacity, max(size + room, 2 * size)), self._n_columns))
            grown[:size] = self._values[:size]
            self._values = grown
        stale = np.argsort(self._used, kind="stable")[: columns.size - room]
        self._slot[self._kept[stale]] = -1
        slots = np.concatenate([np.arange(size, size + room), stale])
        self._kept = np.concatenate([self._kept, np.empty(room, dtype=np.intp)])
        self._used = np.concatenate([self._used, np.empty(room, dtype=np.intp)])
        self._kept[slots], self._used[slots], self._slot[columns] = columns, self._clock, slots
        self._values[slots] = values
