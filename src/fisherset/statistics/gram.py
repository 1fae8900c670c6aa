"""Raw Gram columns on demand, in batches, cached under a memory budget."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

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
    """

    def __init__(
        self,
        compute: Callable[[Indices, Indices | None], Floats],
        n_columns: int,
        budget: int = CACHE_BYTES,
    ) -> None:
        self._compute, self._n_columns = compute, n_columns
        self._capacity = budget // (8 * n_columns)
        self._kept: OrderedDict[int, Floats] = OrderedDict()

    def get(self, columns: Indices, rows: Indices | None) -> Floats:
        """The block [rows, columns], transposed: one column of G a row."""
        missing = [j for j in columns.tolist() if j not in self._kept]
        # whole columns are kept and asked for again: worth up to twice the price of the block
        dear = rows is not None and len(missing) * self._n_columns > 2 * columns.size * rows.size
        if dear or columns.size > self._capacity:
            return self._compute(columns, rows)
        if missing:
            fetched = self._compute(np.array(missing, dtype=np.intp), None)
            for j, column in zip(missing, fetched, strict=True):
                self._kept[j] = column.copy()  # not a view that keeps the whole batch alive
        for j in columns.tolist():
            self._kept.move_to_end(j)
        block = np.stack([self._kept[j] if rows is None else self._kept[j][rows] for j in columns.tolist()])
        while len(self._kept) > self._capacity:
            self._kept.popitem(last=False)
        return block
