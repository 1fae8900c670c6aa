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
        self._strip = GramStrip(self._piece, n_columns)

    def holds(self, columns: Indices, rows: Indices | None = None) -> bool:
        if rows is not None and self._has(columns, rows):
            return True
        return self._whole(PASS * (self._n_columns if rows is None else rows.size))

    def _has(self, columns: Indices, rows: Indices) -> bool:
        """Whether the block [rows, columns] is kept."""
        return bool(np.all(self._place[columns] >= 0) and np.all(self._place[rows] >= 0))

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
        asked = columns if rows is columns else np.concatenate([columns, rows])
        new = np.unique(asked[self._place[asked] < 0])
        if new.size:
            size = self._kept.size + new.size
            price = self._strip.price(columns, rows)
            if self._too_dear(new.size * size, price) or 8 * size * size > self._budget:
                return self._strip.get(columns, rows, self._budget - self._values.nbytes)
            self._extend(self._with_others(new))
        return self._kept_piece(columns, rows)

    def _piece(self, columns: Indices, rows: Indices) -> Floats:
        """A part of what is not in the block, which may itself be there."""
        if self._has(columns, rows):
            return self._kept_piece(columns, rows)
        self._spent += columns.size * rows.size
        return self._compute(columns, rows)

    def _kept_piece(self, columns: Indices, rows: Indices) -> Floats:
        return self._values[np.ix_(self._place[columns], self._place[rows])]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        if rows is not None:
            product: Floats = self._kept_piece(rows, columns) @ W
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
        if self._strip.n_bytes > self._budget - values.nbytes:
            self._strip.forget()


class GramStrip:
    """Keeps the last piece that was asked for: of the next one an exchange asks for, most is in it.

    Parameters
    ----------
    compute : callable
        Gives a piece, one column of G a row.
    n_columns : int
        d, the length of a whole column.
    """

    def __init__(self, compute: Callable[[Indices, Indices], Floats], n_columns: int) -> None:
        self._compute, self._n_columns = compute, n_columns
        # places of the columns and rows that are kept, -1 of the others: none before anything is
        self._columns, self._rows = (np.empty(0, dtype=np.intp) for _ in range(2))
        self._kept: tuple[Indices, Indices] = self._columns, self._rows
        self._values: Floats = np.empty((0, 0))

    def price(self, columns: Indices, rows: Indices) -> int:
        """How many numbers of a piece are still to be computed."""
        if not self._values.size:
            return columns.size * rows.size
        n_old, n_held = (int(np.count_nonzero(at >= 0)) for at in self._places(columns, rows))
        rest = columns.size * rows.size - n_old * n_held
        return rest if 2 * rest <= columns.size * rows.size else columns.size * rows.size

    def get(self, columns: Indices, rows: Indices, room: int) -> Floats:
        """The block [rows, columns], transposed, which is kept in `room` bytes. Not to be written to."""
        known = self.price(columns, rows) < columns.size * rows.size
        values = self._completed(columns, rows) if known else self._compute(columns, rows)
        self.forget()
        if values.nbytes <= room:
            values.flags.writeable = False  # it is lent as it is
            if not self._columns.size:
                self._columns, self._rows = (np.full(self._n_columns, -1, dtype=np.intp) for _ in range(2))
            self._kept, self._values = (columns, rows), values
            for places, now in zip((self._columns, self._rows), self._kept, strict=True):
                places[now] = np.arange(now.size)
        return values

    @property
    def n_bytes(self) -> int:
        return self._values.nbytes

    def forget(self) -> None:
        """Keep nothing."""
        for places, before in zip((self._columns, self._rows), self._kept, strict=True):
            places[before] = -1
        self._kept, self._values = (before[:0], before[:0]), np.empty((0, 0))

    def _places(self, columns: Indices, rows: Indices) -> tuple[Indices, Indices]:
        return self._columns[columns], self._rows[rows]

    def _completed(self, columns: Indices, rows: Indices) -> Floats:
        """What is kept of a piece, with what it lacks."""
        in_columns, in_rows = self._places(columns, rows)
        old, new = np.flatnonzero(in_columns >= 0), np.flatnonzero(in_columns < 0)
        held, lacking = np.flatnonzero(in_rows >= 0), np.flatnonzero(in_rows < 0)
        values = np.empty((columns.size, rows.size))
        values[np.ix_(old, held)] = self._values[np.ix_(in_columns[old], in_rows[held])]
        if new.size:
            values[new] = self._compute(columns[new], rows)
        if lacking.size:
            values[np.ix_(old, lacking)] = self._compute(columns[old], rows[lacking])
        return values


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
        missing = columns[self._slot[columns] < 0]
        return np.unique(missing) if missing.size else missing

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
