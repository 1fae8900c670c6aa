"""The guard against cancellation and overflow: a provisional offset and unit for each column.

Raw moments lose all digits at mean / spread = 1e6, and squares leave the range of
float64 at 1e154. A look at a few rows tells which columns would suffer; the kernels
see those shifted and scaled, and the rest, usually all of them, untouched and uncopied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Matrix, Sparse

HEAD = 9  # rows of a block looked at
TOLERABLE_OFFSET = 32.0  # mean / spread that the sums of squares take: it costs them three digits
LARGE, SMALL = 2.0**200, 2.0**-200  # magnitudes whose squares are safe
UNITS = 2.0**-1000, 2.0**1000  # the least and the largest


class Fill(NamedTuple):
    """What stands for missing values in each column: one of its values, and how far the mean is from it.

    In two numbers, as the sum of a large and a small one would lose the digits of the small.
    """

    reference: Floats
    deviation: Floats

    def seen(self, offset: Floats | float = 0.0, unit: Floats | float = 1.0) -> Floats:
        """The fill as kernels see it through a guard."""
        seen: Floats = (self.reference - offset + self.deviation) / unit
        return seen


@dataclass(frozen=True)
class Guard:
    """Kernels see (x - offset) / unit; the unit is a power of two, so that it costs no digits.

    Where missing values are allowed, `fill` is what stands for them.
    """

    offset: Floats
    unit: Floats
    fill: Fill | None = None

    @property
    def idle(self) -> bool:
        return self.fill is None and not self.offset.any() and bool((self.unit == 1.0).all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and (
            np.array_equal(self.offset, other.offset) and np.array_equal(self.unit, other.unit)
        )

    def of(self, columns: Indices) -> Guard:
        """The guard of some columns."""
        fill = None if self.fill is None else Fill(*(part[columns] for part in self.fill))
        return Guard(self.offset[columns], self.unit[columns], fill)

    def seen_by(self, other: Guard) -> tuple[Floats, Floats]:
        """What turns numbers as this guard shows them into what the other shows: a factor, then a shift."""
        return self.unit / other.unit, (self.offset - other.offset) / other.unit

    def shifted(self, X: Matrix, unit: float) -> Matrix:
        """The table less the offsets, all columns in one unit; itself where that changes nothing."""
        common = Guard(self.offset, np.full_like(self.unit, unit), self.fill)
        return X if common.idle else common.apply(X)

    @classmethod
    def guess(cls, X: Matrix, fill: Fill | None = None) -> Guard:
        """Guess from the first rows. The offset is one of a column's values: constants become exact zeros.

        A sparse column is left as it is: the few rows do not tell whether zeros are rare in it.
        """
        if not isinstance(X, np.ndarray):
            return cls(np.zeros(X.shape[1]), np.ones(X.shape[1]), fill)
        rows = np.asarray(fill_missing(X[:HEAD], fill), dtype=np.float64)
        least, most = rows.min(axis=0, initial=np.inf), rows.max(axis=0, initial=-np.inf)
        with np.errstate(over="ignore", invalid="ignore"):
            # far from zero, any of them is near the others
            offset = np.where(np.abs(least) > TOLERABLE_OFFSET * (most - least), least, 0.0)
            magnitude = np.maximum(np.abs(least - offset), np.abs(most - offset))
        return cls(np.where(np.isfinite(offset), offset, 0.0), power_of_two(magnitude), fill)

    def apply(self, X: Matrix) -> Matrix:
        """The block as the kernels see it: float64, and copied only where something has to change."""
        return fill_missing(self._shifted(X), self.fill, self.offset, self.unit)

    def _shifted(self, X: Matrix) -> Matrix:
        if isinstance(X, np.ndarray):
            if self.idle:
                return np.asarray(X, dtype=np.float64)
            shifted = np.asarray(X - self.offset, dtype=np.float64)
            return shifted if (self.unit == 1.0).all() else shifted / self.unit
        data = np.asarray(X.data, dtype=np.float64)
        if self.offset.any():
            return self._filled(X)
        if not self.idle:
            by_row = X.format == "csr"
            column = X.indices if by_row else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
            data = data / self.unit[column]
        return with_data(X, data)

    def _filled(self, X: Sparse) -> Sparse:
        """A sparse block with the shifted columns stored whole: an unstored zero is not zero any more.

        Columns are shifted only where zeros have next to no weight (see `Moments.better_guard`),
        so that next to nothing is filled in.
        """
        shifted = np.flatnonzero(self.offset)
        of_shifted = (X[:, shifted].toarray() - self.offset[shifted]) / self.unit[shifted]
        entries = X.tocoo()
        stay = self.offset[entries.col] == 0
        column = entries.col[stay]
        rows = np.repeat(np.arange(X.shape[0]), shifted.size)
        data = np.concatenate([entries.data[stay] / self.unit[column], of_shifted.ravel()])
        places = (
            np.concatenate([entries.row[stay], rows]),
            np.concatenate([column, np.tile(shifted, X.shape[0])]),
        )
        return sparse.coo_array((data, places), shape=X.shape).asformat(X.format)


def fill_missing(
    X: Matrix, fill: Fill | None, offset: Floats | float = 0.0, unit: Floats | float = 1.0
) -> Matrix:
    """The block, seen through a guard, with what stands for its missing values; itself where it has none."""
    if fill is None:
        return X
    stored = X if isinstance(X, np.ndarray) else X.data
    if stored.dtype.kind != "f":
        return X
    gaps = np.isnan(stored)
    if not gaps.any():
        return X
    seen = fill.seen(offset, unit)
    if isinstance(X, np.ndarray):
        return np.where(gaps, seen, X)
    columns = X.indices if X.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    return with_data(X, np.where(gaps, seen[columns], X.data))


def with_data(X: Sparse, data: Floats) -> Sparse:
    """The same sparsity pattern with other numbers, sharing the index arrays."""
    array = sparse.csr_array if X.format == "csr" else sparse.csc_array
    return array((data, X.indices, X.indptr), shape=X.shape, copy=False)


def power_of_two(magnitude: Floats) -> Floats:
    """A power of two near each magnitude whose square is unsafe, 1 for the rest."""
    unsafe = np.isfinite(magnitude) & (magnitude > 0) & ((magnitude > LARGE) | (magnitude < SMALL))
    exponent = np.frexp(np.where(unsafe, magnitude, 0.0))[1]
    return np.where(unsafe, np.clip(np.ldexp(1.0, np.minimum(exponent, 1023)), *UNITS), 1.0)
