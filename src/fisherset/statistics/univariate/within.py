"""Scatter inside the classes, Eq. (4)'s denominator, also where it is next to nothing.

Total less between loses its digits where a column hardly varies inside the classes. Such
columns, usually none, are measured about their class means: another look at them alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.data import Block, Rows
from fisherset.statistics.products.products import values
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import CONSTANT
from fisherset.statistics.sums.scatter import Scatter

TIMES_ITS_ROUNDING = 1e9  # what a difference has to be to be believed
BATCH = 2**20  # numbers of the table taken at a time


def within_scatter(scatter: Scatter, source: Rows | None) -> Floats:
    """Sum of n_k sigma_k^2 of each column, in the units of the guard; exactly nought without any.

    Where there are no rows to look at again, no less than its rounding.
    """
    within = scatter.total - scatter.between
    squares = scatter.lengths**2
    rounding = scatter.unit * (2 * squares + 8 * np.sqrt(scatter.total) * np.sqrt(squares))
    doubtful = np.flatnonzero(~scatter.constant & (within < TIMES_ITS_ROUNDING * rounding))
    if source is None:
        within[doubtful] = np.maximum(within[doubtful], rounding[doubtful])
        return np.maximum(within, 0.0)
    step = max(1, BATCH // max(scatter.moments.NT.shape[1], 1))
    for start in range(0, doubtful.size, step):
        some = doubtful[start : start + step]
        left = source.reduce(WithinKernel(scatter.guard, some, _class_means(scatter, some)))
        # what the values themselves are rounded by does not count
        level = left[1] + np.abs((scatter.guard.offset / scatter.guard.unit)[some])
        within[some] = np.where(left[0] <= scatter.n * (CONSTANT * level) ** 2, 0.0, left[0])
    return np.maximum(within, 0.0)


def _class_means(scatter: Scatter, columns: Indices) -> Floats:
    of_classes, sums = scatter.moments.NT[0], scatter.moments.TX[:, columns]
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Floats = np.where(of_classes[:, None] > 0, sums / of_classes[:, None], 0.0)
    return means


class _Left(NamedTuple):
    """Squares about the class means, and the largest value, of each column."""

    squares: Floats
    largest: Floats

    def __add__(self, other: _Left) -> _Left:  # type: ignore[override]
        return _Left(self.squares + other.squares, np.maximum(self.largest, other.largest))


@dataclass(frozen=True)
class WithinKernel:
    """What is left of some columns about the means of the classes."""

    guard: Guard
    columns: Indices
    means: Floats

    def __call__(self, block: Block) -> _Left:
        X = values(block, self.guard, self.columns)
        assert block.y is not None
        weight = np.ones(block.y.size) if block.weight is None else block.weight
        left = (X - self.means[block.y]) * (weight > 0)[:, None]
        return _Left(weight @ left**2, np.abs(X).max(axis=0, initial=0.0))
