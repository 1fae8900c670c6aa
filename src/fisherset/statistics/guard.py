"""The guard against cancellation and overflow: a provisional offset and unit for each column.

Raw moments lose all digits at mean / spread = 1e6, and squares leave the range of
float64 at 1e154. A look at a few rows tells which columns would suffer; the kernels
see those shifted and scaled, and the rest, usually all of them, untouched and uncopied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.sources import Matrix, Source, Sparse

HEAD = 9  # rows looked at
FAR = 100.0  # offset / spread that the sums of squares take without harm
LARGE, SMALL = 2.0**200, 2.0**-200  # magnitudes whose squares are safe


@dataclass(frozen=True)
class Guard:
    """Kernels see (x - offset) / unit; the unit is a power of two, so that it costs no digits."""

    offset: Floats
    unit: Floats

    @property
    def idle(self) -> bool:
        return not self.offset.any() and bool((self.unit == 1.0).all())

    def of(self, columns: Indices) -> Guard:
        """The guard of some columns."""
        return Guard(self.offset[columns], self.unit[columns])

    def shifted(self, X: Matrix, unit: float) -> Matrix:
        """The table less the offsets, all columns in one unit; itself where that changes nothing."""
        common = Guard(self.offset, np.full_like(self.unit, unit))
        return X if common.idle else common.apply(X)

    @classmethod
    def from_head(cls, source: Source, weights: Floats | None = None) -> Guard:
        """Guess from the first rows. The offset is one of a column's values: constants become exact zeros."""
        head = source.head(HEAD)
        dense = head if isinstance(head, np.ndarray) else head.toarray()
        rows = np.sort(dense.astype(np.float64), axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            middle, spread = rows[len(rows) // 2], rows[-1] - rows[0]
            offset = np.where(np.abs(middle) > FAR * spread, middle, 0.0)
            magnitude = np.maximum(np.abs(rows[0] - offset), np.abs(rows[-1] - offset))
        guard = cls(np.where(np.isfinite(offset), offset, 0.0), power_of_two(magnitude))
        return guard.shiftable(source, weights)

    def shiftable(self, source: Source, weights: Floats | None = None) -> Guard:
        """Shift a sparse column only where every row that counts is stored: an unstored zero cannot be.

        Where zeros are left out mean / spread stays below the root of n (of n over the
        least weight of such a row), so that none is needed.
        """
        counts = np.ones(source.shape[0], dtype=bool) if weights is None else weights > 0
        stored = source.stored(counts)
        if stored is None:
            return self
        return Guard(np.where(stored == np.count_nonzero(counts), self.offset, 0.0), self.unit)

    def apply(self, X: Matrix) -> Matrix:
        """The block as the kernels see it: float64, and copied only where something has to change."""
        if isinstance(X, np.ndarray):
            if self.idle:
                return np.asarray(X, dtype=np.float64)
            return np.asarray((X - self.offset) / self.unit, dtype=np.float64)
        data = np.asarray(X.data, dtype=np.float64)
        if not self.idle:
            by_row = X.format == "csr"
            column = X.indices if by_row else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
            data = (data - self.offset[column]) / self.unit[column]
        return with_data(X, data)


def with_data(X: Sparse, data: Floats) -> Sparse:
    """The same sparsity pattern with other numbers, sharing the index arrays."""
    array = sparse.csr_array if X.format == "csr" else sparse.csc_array
    return array((data, X.indices, X.indptr), shape=X.shape, copy=False)


def power_of_two(magnitude: Floats) -> Floats:
    """A power of two near each magnitude whose square is unsafe, 1 for the rest."""
    unsafe = np.isfinite(magnitude) & (magnitude > 0) & ((magnitude > LARGE) | (magnitude < SMALL))
    exponent = np.frexp(np.where(unsafe, magnitude, 0.0))[1]
    return np.where(unsafe, np.ldexp(1.0, np.clip(exponent, -1000, 1000)), 1.0)
