"""Gram columns on demand, in batches, cached under a memory budget."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np

from fisherset._types import Floats, Indices

CACHE_BYTES = 256 * 2**20


class GramCache:
    """Keeps the most recently used columns; what does not fit the budget is computed and let go.

    Parameters
    ----------
    compute : callable
        (distinct columns, rows or None) -> array of shape (len(columns), d or len(rows)).
    n_columns : int
        d, the length of a whole column.
    budget : int
        Bytes the kept columns may take.
    eager : bool
        Whether whole columns are always computed, in the hope that they are asked for again.
    """

    def __init__(
        self,
        compute: Callable[[Indices, Indices | None], Floats],
        n_columns: int,
        budget: int = CACHE_BYTES,
        *,
        eager: bool = False,
    ) -> None:
        self._compute, self._n_columns, self._eager = compute, n_columns, eager
        self._capacity = budget // (8 * max(1, n_columns))
        self._slot: Indices = np.full(n_columns, -1, dtype=np.intp)  # where each column is kept
        self._kept: Indices = np.empty(0, dtype=np.intp)  # the column in each slot
        self._used: Indices = np.empty(0, dtype=np.intp)  # when it was asked for last
        self._values: Floats = np.empty((0, n_columns))
        self._clock = 0
        self._lock = Lock()

    def holds(self, columns: Indices) -> bool:
        """Whether all these columns are kept."""
        return bool(np.all(self._slot[columns] >= 0))

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        """The block [rows, columns], transposed: one column of G a row. The caller's to write to."""
        with self._lock:  # folds share a cache between threads
            missing = columns[self._slot[columns] < 0]
            # whole columns are kept and asked for again: worth up to twice the price of the block
            dear = rows is not None and missing.size * self._n_columns > 2 * columns.size * rows.size
            if (dear and not self._eager) or columns.size > self._capacity:
                return self._compute(columns, rows)
            self._clock += 1
            present = self._slot[columns]
            self._used[present[present >= 0]] = self._clock
            if missing.size:
                self._keep(missing, self._compute(missing, None))
            slots = self._slot[columns]
            return self._values[slots] if rows is None else self._values[slots[:, None], rows]

    def _keep(self, columns: Indices, values: Floats) -> None:
        """Put columns into new slots as far as the budget goes, then in place of the longest unused."""
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
