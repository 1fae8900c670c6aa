"""Scatter within the classes, the denominator of Eq. (4), also where it is next to nothing.

Total less between loses its digits where a column hardly varies within the classes. Such columns, usually
none, are measured about their class means: one more pass over them alone.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.data import Rows
from fisherset.statistics.sums.moments import CONSTANT
from fisherset.statistics.sums.scatter import ResidualKernel, Scatter


def within_scatter(scatter: Scatter, source: Rows | None) -> Floats:
    """Sum of n_k sigma_k^2 of each column, in the units of the guard; exactly zero without any.

    Where there are no rows to measure again, no less than its rounding.
    """
    within = scatter.total - scatter.between
    squares = scatter.lengths**2
    rounding = scatter.unit * (2 * squares + 8 * np.sqrt(scatter.total) * np.sqrt(squares))
    doubtful = np.flatnonzero(~scatter.constant & (within < 1e9 * rounding))  # less than nine digits are left
    if source is None:
        within[doubtful] = np.maximum(within[doubtful], rounding[doubtful])
        return np.maximum(within, 0.0)
    step = max(1, 2**20 // max(scatter.moments.NT.shape[1], 1))  # 8 MB of class means at a time
    for start in range(0, doubtful.size, step):
        some = doubtful[start : start + step]
        left = source.reduce(ResidualKernel(scatter.guard, some, _class_means(scatter, some), by_class=True))
        # the rounding of the values themselves does not count
        level = left.largest + np.abs((scatter.guard.offset / scatter.guard.unit)[some])
        constant = left.squares <= scatter.n * (CONSTANT * level) ** 2
        within[some] = np.where(constant, 0.0, left.squares)
    return np.maximum(within, 0.0)


def _class_means(scatter: Scatter, columns: Indices) -> Floats:
    sizes, sums = scatter.moments.NT[0][:, None], scatter.moments.TX[:, columns]
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Floats = np.where(sizes > 0, sums / sizes, 0.0)
    return means
