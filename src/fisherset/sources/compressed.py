"""Rows of a CSR matrix as views of its arrays: SciPy's slicing copies, and so does its constructor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from fisherset.sources.base import Sparse


def row_slices(X: Sparse, entries: int) -> Iterator[slice]:
    """The rows in order, as many at a time as store so many entries, or one that stores more."""
    start, n_rows = 0, X.shape[0]
    while start < max(n_rows, 1):
        stop = int(np.searchsorted(X.indptr, X.indptr[start] + entries, side="right")) - 1
        stop = max(stop, start + 1)
        yield slice(start, min(stop, n_rows))
        start = stop


def rows_of(X: Sparse, rows: slice) -> Sparse:
    """Some rows; the matrix itself where they are all."""
    if rows.stop - rows.start == X.shape[0]:
        return X
    first, last = X.indptr[rows.start], X.indptr[rows.stop]
    part = sparse.csr_array((rows.stop - rows.start, X.shape[1]), dtype=X.dtype)
    part.data, part.indices = X.data[first:last], X.indices[first:last]
    part.indptr = X.indptr[rows.start : rows.stop + 1] - first
    part.has_canonical_format = True
    return part
