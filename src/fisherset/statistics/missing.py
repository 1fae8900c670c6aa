"""Missing values that count as the mean of their column: in the sums they add nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.sources import Block, Source


@dataclass(frozen=True)
class Observed:
    """How many values each column lacks, and the weight and weighted sum of those it has."""

    missing: Indices
    weight: Floats
    total: Floats

    def __add__(self, other: Observed) -> Observed:
        return Observed(self.missing + other.missing, self.weight + other.weight, self.total + other.total)

    @property
    def means(self) -> Floats:
        """Mean of what is there; nought of a column with nothing."""
        means: Floats = np.divide(
            self.total, self.weight, out=np.zeros_like(self.total), where=self.weight > 0
        )
        return means


def observe(block: Block) -> Observed:
    """What a block has, and has not."""
    X = block.X
    n, d = X.shape
    w = np.ones(n) if block.weight is None else block.weight
    if isinstance(X, np.ndarray):
        gaps = np.isnan(X) if X.dtype.kind == "f" else np.zeros(X.shape, dtype=bool)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = w @ np.where(gaps, 0.0, X)
        return Observed(gaps.sum(axis=0), w @ ~gaps, np.asarray(sums))
    entries = X.tocoo()
    gaps = np.isnan(entries.data) if entries.data.dtype.kind == "f" else np.zeros(entries.nnz, dtype=bool)
    lost, there = entries.col[gaps], ~gaps
    weight = w.sum() - np.bincount(lost, w[entries.row[gaps]], minlength=d)
    values = (w[entries.row] * entries.data)[there]
    total = np.bincount(entries.col[there], values, minlength=d).astype(np.float64)
    return Observed(np.bincount(lost, minlength=d), weight, total)


def observed(source: Source) -> Observed:
    """What a table has and lacks: one pass."""
    return source.reduce(observe)
