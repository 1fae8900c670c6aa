"""Missing values that count as the mean of their column: in the sums they add nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.data import Block
from fisherset.statistics.sums.guard import Fill


@dataclass(frozen=True)
class MissingCounts:
    """How many values each column lacks, and of those it has the weight, and the weighted sum.

    Sums are of distances from a reference, one of the values.
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
        """Mean of what is there; nought of a column with nothing."""
        deviation = np.divide(self.total, self.weight, out=np.zeros_like(self.total), where=self.weight > 0)
        return Fill(np.where(self.weight > 0, self.reference, 0.0), deviation)


def count_missing(block: Block) -> MissingCounts:
    """What a block has, and has not."""
    X = block.X
    n, d = X.shape
    w = np.ones(n) if block.weight is None else block.weight
    if isinstance(X, np.ndarray):
        gaps = np.isnan(X) if X.dtype.kind == "f" else np.zeros(X.shape, dtype=bool)
        there = ~gaps & (w > 0)[:, None]
        reference = X[there.argmax(axis=0), np.arange(d)].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = w @ np.where(there, X - reference, 0.0)
        return MissingCounts(gaps.sum(axis=0), w @ there, reference, np.asarray(sums))
    entries = X.tocoo()
    gaps = np.isnan(entries.data) if entries.data.dtype.kind == "f" else np.zeros(entries.nnz, dtype=bool)
    there = ~gaps & (w[entries.row] > 0)
    row, column, data = entries.row[there], entries.col[there], entries.data[there].astype(np.float64)
    reference = np.zeros(d)
    reference[column[::-1]] = data[::-1]  # the first of each column
    stored: Floats = np.bincount(column, w[row], minlength=d).astype(np.float64)
    lost = np.bincount(entries.col[gaps], w[entries.row[gaps]], minlength=d)
    whole = np.bincount(entries.col[w[entries.row] > 0], minlength=d) == np.count_nonzero(w)
    rest: Floats = np.where(whole, 0.0, np.maximum(w.sum() - lost - stored, 0.0))  # of noughts not stored
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.bincount(column, w[row] * (data - reference[column]), minlength=d) - rest * reference
    return MissingCounts(np.bincount(entries.col[gaps], minlength=d), stored + rest, reference, total)
