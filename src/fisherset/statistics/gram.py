"""Gram columns on demand, in batches, cached under a memory budget."""

from __future__ import annotations

from collections import OrderedDict
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
        (columns, rows or None) -> array of shape (len(columns), d or len(rows)).
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
        self._kept: OrderedDict[int, Floats] = OrderedDict()
        self._lock = Lock()

    def holds(self, columns: Indices) -> bool:
        """Whether all these columns are kept."""
        return all(j in self._kept for j in columns.tolist())

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        """The block [rows, columns], transposed: one column of G a row. The caller's to write to."""
        with self._lock:  # folds share a cache between threads
            missing = [j for j in columns.tolist() if j not in self._kept]
            # whole columns are kept and asked for again: worth up to twice the price of the block
            dear = rows is not None and len(missing) * self._n_columns > 2 * columns.size * rows.size
            if (dear and not self._eager) or columns.size > self._capacity:
                return self._compute(columns, rows)
            if missing:
                fetched = self._compute(np.array(missing, dtype=np.intp), None)
                for j, column in zip(missing, fetched, strict=True):
                    self._kept[j] = column.copy()  # not a view that keeps the whole batch alive
            for j in columns.tolist():
                self._kept.move_to_end(j)
            kept = [self._kept[j] for j in columns.tolist()]
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
        return np.stack(kept if rows is None else [column[rows] for column in kept])
