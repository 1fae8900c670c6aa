"""Caches of the Gram matrix G: blocks that have been computed are kept for the next step of the search.

Which cache, by how a search reads G:

- `GramBlock`: one search in memory. The square block of the columns met so far, as the relaxation and the
  exchange need the same few hundred columns again and again; all of G where d is small.
- `GramStrip`, inside it: the last block outside that square. An exchange needs members x outsiders after
  each swap, of which one row and a few columns are new.
- `GramColumns`: many searches on one table (folds, paths). Whole columns, the most recently used ones.

All give blocks transposed, one column of G a row, and never exceed their budget of bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Protocol

import numpy as np

from fisherset._types import Floats, Indices

CACHE_BYTES = 256 * 2**20  # where no budget is given: G of 5,800 columns, harmless on any machine
PASS = 60  # cost of reading a row, in multiplications a column: a pass waits for memory
PATIENCE = 2  # times the price of all of G that pieces may cost: a search mostly ends before
PASSES = 7  # of a typical search: where these cost more than all of G, that is computed at once

# (distinct columns, rows or None for all) -> block of shape (len(columns), d or len(rows))
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
    """The square block of the columns met so far, in a budget of bytes; all d columns once that is cheaper.

    Pieces cost time where they are products of rows (`by_rows`). All of G is then computed at once where a
    search is expected to spend, or has spent, as much on pieces: no other pass over the rows follows.
    """

    def __init__(
        self, compute: Compute, n_columns: int, budget: int = CACHE_BYTES, *, by_rows: bool = False
    ) -> None:
        self._compute, self._budget, self._n_columns = compute, budget, n_columns
        # multiplications a row that may be spent before all of G, d^2 / 2 of them, is worth its price
        self._allowance = np.inf
        if by_rows and 8 * n_columns**2 <= budget:
            self._allowance = PATIENCE * n_columns * (n_columns / 2 - PASSES * PASS)
        self._place: Indices = np.full(n_columns, -1, dtype=np.intp)  # of each column in the block
        self._kept: Indices = np.empty(0, dtype=np.intp)
        self._values: Floats = np.empty((0, 0))
        self._spent = 0  # numbers computed and not kept
        self._complete = False  # whether all columns are there, in their order
        self._strip = GramStrip(self._piece, n_columns)
        self._columns = GramColumns(compute, n_columns, budget // 4)

    def holds(self, columns: Indices, rows: Indices | None = None) -> bool:
        if self._columns.holds(columns) or (rows is not None and self._has(columns, rows)):
            return True
        return self._whole(PASS * (self._n_columns if rows is None else rows.size))

    def _has(self, columns: Indices, rows: Indices) -> bool:
        return bool(np.all(self._place[columns] >= 0) and np.all(self._place[rows] >= 0))

    def _whole(self, price: int) -> bool:
        """Whether all of G is kept, or is from now on, before a piece is computed at a price."""
        if not self._complete:
            self._allowance -= price
            if self._allowance > 0:
                return False
            every = np.arange(self._n_columns)
            self._kept, self._place, self._values = every, every, self._compute(every, None)
            self._values.flags.writeable = False  # callers get views of it
            self._complete = True
        return True

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        if self._whole(self._price(columns, rows)):
            if rows is None:
                return self._values[columns]
            every = np.array_equal(columns, self._kept) and np.array_equal(rows, self._kept)
            return self._values if every else self._values[np.ix_(columns, rows)]
        if (
            rows is None
            or self._columns.holds(columns)
            or (self._tall(rows) and not self._has(columns, rows))
        ):
            return self._columns.get(columns, rows)
        wanted = columns if rows is columns else np.concatenate([columns, rows])
        new = np.unique(wanted[self._place[wanted] < 0])
        if new.size:
            size = self._kept.size + new.size
            price = self._strip.price(columns, rows)
            if self._too_costly(new.size * size, price) or 8 * size * size > self._budget:
                return self._strip.get(columns, rows, self._budget - self._values.nbytes)
            self._extend(self._with_prefetched(new))
        return self._kept_piece(columns, rows)

    def _price(self, columns: Indices, rows: Indices | None) -> int:
        """Multiplications a row that a block costs, as far as it is not kept."""
        if rows is None or self._tall(rows):
            return self._columns.n_missing(columns) * self._n_columns
        return 0 if self._has(columns, rows) else self._strip.price(columns, rows)

    def _tall(self, rows: Indices) -> bool:
        """Whether a block has most rows, so that whole columns cost little more and serve again."""
        return 2 * rows.size >= self._n_columns

    def _piece(self, columns: Indices, rows: Indices) -> Floats:
        """A part of a block outside the square, which may itself be inside."""
        if self._has(columns, rows):
            return self._kept_piece(columns, rows)
        self._spent += columns.size * rows.size
        return self._compute(columns, rows)

    def _kept_piece(self, columns: Indices, rows: Indices) -> Floats:
        return self._values[np.ix_(self._place[columns], self._place[rows])]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        if not self._complete and self._columns.holds(columns):
            return self._columns.product(columns, W, rows)
        if rows is not None:
            return self._kept_piece(rows, columns) @ W
        if columns.size < self._n_columns // 4:
            return self._values[columns].T @ W
        scattered = np.zeros((self._n_columns, W.shape[1]))
        scattered[columns] = W  # a product with zeros is cheaper than a copy of most of G
        return self._values @ scattered

    def _too_costly(self, price: int, wanted: int) -> bool:
        """Whether not to extend the square at a price, for a part of it that costs less.

        It may cost four times as much, and as much more as has been spent on numbers not kept: so the
        total is at most a few times that of the best decision in hindsight.
        """
        return price > 4 * wanted + self._spent

    def _with_prefetched(self, new: Indices) -> Indices:
        """New columns, and others to be kept with them."""
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
        self._spent = max(0, self._spent - new.size * self._kept.size)  # savings are used up
        if self._strip.n_bytes > self._budget - values.nbytes:
            self._strip.forget()


class GramStrip:
    """The last block: most of the next one that an exchange needs is in it."""

    def __init__(self, compute: Callable[[Indices, Indices], Floats], n_columns: int) -> None:
        self._compute, self._n_columns = compute, n_columns
        # places of the columns and rows that are kept, -1 of the others: none before anything is
        self._columns, self._rows = (np.empty(0, dtype=np.intp) for _ in range(2))
        self._kept: tuple[Indices, Indices] = self._columns, self._rows
        self._values: Floats = np.empty((0, 0))

    @property
    def n_bytes(self) -> int:
        return self._values.nbytes

    def price(self, columns: Indices, rows: Indices) -> int:
        """Numbers of a block that are still to be computed: all of them where that is most of it."""
        whole = columns.size * rows.size
        if not self._values.size:
            return whole
        kept = np.count_nonzero(self._columns[columns] >= 0) * np.count_nonzero(self._rows[rows] >= 0)
        return whole - int(kept) if 2 * kept >= whole else whole

    def get(self, columns: Indices, rows: Indices, max_bytes: int) -> Floats:
        """The block [rows, columns], transposed, kept up to so many bytes. Not to be written to."""
        known = self.price(columns, rows) < columns.size * rows.size
        values = self._completed(columns, rows) if known else self._compute(columns, rows)
        self.forget()
        if values.nbytes <= max_bytes:
            values.flags.writeable = False  # the caller gets it as it is
            if not self._columns.size:
                self._columns, self._rows = (np.full(self._n_columns, -1, dtype=np.intp) for _ in range(2))
            self._kept, self._values = (columns, rows), values
            self._columns[columns], self._rows[rows] = np.arange(columns.size), np.arange(rows.size)
        return values

    def forget(self) -> None:
        """Keep nothing."""
        columns, rows = self._kept
        self._columns[columns] = self._rows[rows] = -1
        self._kept, self._values = (columns[:0], rows[:0]), np.empty((0, 0))

    def _completed(self, columns: Indices, rows: Indices) -> Floats:
        """A block of which a part is kept: the rest is computed."""
        in_columns, in_rows = self._columns[columns], self._rows[rows]
        old, new = np.flatnonzero(in_columns >= 0), np.flatnonzero(in_columns < 0)
        old_rows, new_rows = np.flatnonzero(in_rows >= 0), np.flatnonzero(in_rows < 0)
        values = np.empty((columns.size, rows.size))
        values[np.ix_(old, old_rows)] = self._values[np.ix_(in_columns[old], in_rows[old_rows])]
        if new.size:
            values[new] = self._compute(columns[new], rows)
        if new_rows.size:
            values[np.ix_(old, new_rows)] = self._compute(columns[old], rows[new_rows])
        return values


class GramColumns:
    """Whole columns of G, the most recently used ones, in a budget of bytes."""

    def __init__(self, compute: Compute, n_columns: int, budget: int = CACHE_BYTES) -> None:
        self._compute, self._n_columns = compute, n_columns
        self._capacity = budget // (8 * max(1, n_columns))
        self._slot: Indices = np.full(n_columns, -1, dtype=np.intp)  # where each column is kept
        self._kept: Indices = np.empty(0, dtype=np.intp)  # the column in each slot
        self._used: Indices = np.empty(0, dtype=np.intp)  # when it was used last
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
                self._touch(columns)
                new = self._slot[missing] < 0
                self._keep(missing[new], values[new])
                if self.holds(columns):
                    return self._kept_piece(columns, rows)
            missing = self._missing(columns)  # another fold has taken the place of some

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        return self.get(columns, rows).T @ W

    def _kept_piece(self, columns: Indices, rows: Indices | None) -> Floats:
        slots = self._slot[columns]
        return self._values[slots] if rows is None else self._values[slots[:, None], rows]

    def n_missing(self, columns: Indices) -> int:
        """Number of columns that are not kept."""
        return int(np.count_nonzero(self._slot[columns] < 0))

    def _missing(self, columns: Indices) -> Indices:
        missing = columns[self._slot[columns] < 0]
        return np.unique(missing) if missing.size else missing

    def _touch(self, columns: Indices) -> None:
        """Note that columns are used now: they are not replaced by those being computed."""
        self._clock += 1
        present = self._slot[columns]
        self._used[present[present >= 0]] = self._clock

    def _keep(self, columns: Indices, values: Floats) -> None:
        """Put columns into new slots as far as the budget goes, then in place of the longest unused."""
        if not columns.size:
            return
        size = self._kept.size
        n_new = min(columns.size, self._capacity - size)
        if size + n_new > len(self._values):
            grown = np.empty((min(self._capacity, max(size + n_new, 2 * size)), self._n_columns))
            grown[:size] = self._values[:size]
            self._values = grown
        stale = np.argsort(self._used, kind="stable")[: columns.size - n_new]
        self._slot[self._kept[stale]] = -1
        slots = np.concatenate([np.arange(size, size + n_new), stale])
        self._kept = np.concatenate([self._kept, np.empty(n_new, dtype=np.intp)])
        self._used = np.concatenate([self._used, np.empty(n_new, dtype=np.intp)])
        self._kept[slots], self._used[slots], self._slot[columns] = columns, self._clock, slots
        self._values[slots] = values
