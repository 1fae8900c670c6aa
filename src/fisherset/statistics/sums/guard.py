"""Guard against cancellation and overflow: kernels see (x - offset) / unit of each column.

Sums of squares lose twice the digits of mean / spread, all of them at 1e8, and squares leave the range of
float64 at 1e154. A few rows show which columns would suffer; these are shifted and scaled, and all others,
usually every one, are neither changed nor copied. What the guard removes is put back in closed form (see
`Moments.through`), so that any offset near the mean will do.

Missing values that count as the mean of their column are filled in by the guard, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Block, Matrix, Sparse
from fisherset.statistics.kernels.sparse import entry_columns

TOLERABLE_OFFSET = 32.0  # mean / spread that sums of squares can bear: it costs them three of 16 digits
# Magnitudes whose squares, added up over any number of rows, are within the range of float64.
LARGE, SMALL = 2.0**200, 2.0**-200
UNITS = 2.0**-1000, 2.0**1000  # the least and the largest: their inverses must be in the range, too


class Fill(NamedTuple):
    """Mean of each column, for its missing values: one of the values, and how far the mean is from it.

    In two numbers, as the sum of a large and a small one would lose the digits of the small.
    """

    reference: Floats
    deviation: Floats

    def through(self, offset: Floats | float, unit: Floats | float) -> Floats:
        """The fill as kernels see it through a guard."""
        return (self.reference - offset + self.deviation) / unit


@dataclass(frozen=True)
class Guard:
    """Offset and unit of each column; the unit is a power of two, so that dividing costs no digits.

    `fill` takes the place of missing values, where these are allowed.
    """

    offset: Floats
    unit: Floats
    fill: Fill | None = None

    @classmethod
    def none(cls, n_columns: int, fill: Fill | None = None) -> Guard:
        """The guard that changes no value."""
        return cls(np.zeros(n_columns), np.ones(n_columns), fill)

    @classmethod
    def guess(cls, X: Matrix, fill: Fill | None = None) -> Guard:
        """Guess from the first nine rows. The offset is one of a column's values: constants become zeros.

        A sparse column is left as it is: a few rows cannot show whether zeros are rare in it.
        """
        if not isinstance(X, np.ndarray):
            return cls.none(X.shape[1], fill)
        rows = np.asarray(fill_missing(X[:9], fill), dtype=np.float64)
        least, most = rows.min(axis=0, initial=np.inf), rows.max(axis=0, initial=-np.inf)
        with np.errstate(over="ignore", invalid="ignore"):
            # far from zero, any of the values is near the others
            offset = np.where(np.abs(least) > TOLERABLE_OFFSET * (most - least), least, 0.0)
            magnitude = np.maximum(np.abs(least - offset), np.abs(most - offset))
        return cls(np.where(np.isfinite(offset), offset, 0.0), power_of_two(magnitude), fill)

    @property
    def idle(self) -> bool:
        """Whether kernels see every value as it is."""
        return self.fill is None and not self.offset.any() and bool((self.unit == 1.0).all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and (
            np.array_equal(self.offset, other.offset) and np.array_equal(self.unit, other.unit)
        )

    def of(self, columns: Indices) -> Guard:
        """The guard of some columns."""
        fill = None if self.fill is None else Fill(*(part[columns] for part in self.fill))
        return Guard(self.offset[columns], self.unit[columns], fill)

    def conversion(self, other: Guard) -> tuple[Floats, Floats]:
        """Factor and shift that turn numbers as this guard shows them into those the other shows."""
        return self.unit / other.unit, (self.offset - other.offset) / other.unit

    def shifted(self, X: Matrix, unit: float) -> Matrix:
        """The table less the offsets, all columns in one unit; itself where that changes nothing."""
        common = Guard(self.offset, np.full_like(self.unit, unit), self.fill)
        return X if common.idle else common.apply(X)

    def apply(self, X: Matrix) -> Matrix:
        """The block as the kernels see it: float64, and copied only where something has to change."""
        return fill_missing(self._shifted(X), self.fill, self.offset, self.unit)

    def columns(self, X: Matrix, columns: Indices) -> Matrix:
        """Some columns of the block as the kernels see them; no others are copied."""
        return self.of(columns).apply(X[:, columns])

    def _shifted(self, X: Matrix) -> Matrix:
        if isinstance(X, np.ndarray):
            if self.idle:
                return np.asarray(X, dtype=np.float64)
            shifted = np.asarray(X - self.offset, dtype=np.float64)
            return shifted if (self.unit == 1.0).all() else shifted / self.unit
        if self.offset.any():
            return self._densified(X)
        data = np.asarray(X.data, dtype=np.float64)
        return _with_data(X, data if self.idle else data / self.unit[entry_columns(X)])

    def _densified(self, X: Sparse) -> Sparse:
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


def power_of_two(magnitude: Floats) -> Floats:
    """A power of two near each magnitude whose square is unsafe, 1 for the rest."""
    unsafe = np.isfinite(magnitude) & (magnitude > 0) & ((magnitude > LARGE) | (magnitude < SMALL))
    exponent = np.frexp(np.where(unsafe, magnitude, 0.0))[1]
    return np.where(unsafe, np.clip(np.ldexp(1.0, np.minimum(exponent, 1023)), *UNITS), 1.0)


def fill_missing(
    X: Matrix, fill: Fill | None, offset: Floats | float = 0.0, unit: Floats | float = 1.0
) -> Matrix:
    """The block, seen through a guard, with its missing values filled in; itself where it has none."""
    if fill is None:
        return X
    stored = X if isinstance(X, np.ndarray) else X.data
    missing = _missing(stored)
    if not missing.any():
        return X
    mean = fill.through(offset, unit)
    if isinstance(X, np.ndarray):
        return np.where(missing, mean, X)
    return _with_data(X, np.where(missing, mean[entry_columns(X)], X.data))


def _missing(stored: NDArray[Any]) -> NDArray[np.bool_]:
    """Mask of missing values, which only floating-point numbers can have."""
    return np.isnan(stored) if stored.dtype.kind == "f" else np.zeros(stored.shape, dtype=bool)


def _with_data(X: Sparse, data: Floats) -> Sparse:
    """The same sparsity pattern with other numbers, sharing the index arrays."""
    array = sparse.csr_array if X.format == "csr" else sparse.csc_array
    return array((data, X.indices, X.indptr), shape=X.shape, copy=False)


@dataclass(frozen=True)
class MissingCounts:
    """Missing values of each column, and the weight and weighted sum of those that are there.

    Sums are of distances from a reference, one of the values, so that no digit cancels in the mean.
    """

    missing: Indices
    weight: Floats
    reference: Floats
    total: Floats

    def __add__(self, other: MissingCounts) -> MissingCounts:
        reference = np.where(self.weight > 0, self.reference, other.reference)
        apart = np.where((self.weight > 0) & (other.weight > 0), other.reference - reference, 0.0)
        total = self.total + other.total + other.weight * apart
        return MissingCounts(self.missing + other.missing, self.weight + other.weight, reference, total)

    @property
    def fill(self) -> Fill:
        """Mean of the values that are there; zero for a column without any."""
        deviation = np.divide(self.total, self.weight, out=np.zeros_like(self.total), where=self.weight > 0)
        return Fill(np.where(self.weight > 0, self.reference, 0.0), deviation)


def count_missing(block: Block) -> MissingCounts:
    """Missing values of a block: a kernel."""
    X = block.X
    w = np.ones(X.shape[0]) if block.weight is None else block.weight
    if not isinstance(X, np.ndarray):
        return _count_missing_sparse(X, w)
    missing = _missing(X)
    there = ~missing & (w > 0)[:, None]
    reference = X[there.argmax(axis=0), np.arange(X.shape[1])].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        total = w @ np.where(there, X - reference, 0.0)
    return MissingCounts(missing.sum(axis=0), w @ there, reference, np.asarray(total))


def _count_missing_sparse(X: Sparse, w: Floats) -> MissingCounts:
    entries, d = X.tocoo(), X.shape[1]
    missing = _missing(entries.data)
    there = ~missing & (w[entries.row] > 0)
    row, column, data = entries.row[there], entries.col[there], entries.data[there].astype(np.float64)
    reference = np.zeros(d)
    reference[column[::-1]] = data[::-1]  # the first of each column
    stored: Floats = np.bincount(column, w[row], minlength=d).astype(np.float64)
    lost = np.bincount(entries.col[missing], w[entries.row[missing]], minlength=d)
    full = np.bincount(entries.col[w[entries.row] > 0], minlength=d) == np.count_nonzero(w)
    # weight of the zeros that are not stored
    zeros: Floats = np.where(full, 0.0, np.maximum(w.sum() - lost - stored, 0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.bincount(column, w[row] * (data - reference[column]), minlength=d) - zeros * reference
    return MissingCounts(np.bincount(entries.col[missing], minlength=d), stored + zeros, reference, total)
