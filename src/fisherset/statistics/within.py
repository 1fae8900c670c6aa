"""Scatter inside the classes, Eq. (4)'s denominator, also where it is next to nothing.

Total less between loses its digits where a column hardly varies inside the classes. Such
columns, usually none, are measured about their class means: another look at them alone.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.sources import Block
from fisherset.statistics.moments import CONSTANT
from fisherset.statistics.products import SourceProducts
from fisherset.statistics.scatter import Scatter

TIMES_ITS_ROUNDING = 1e9  # what a difference has to be to be believed
BATCH = 2**20  # numbers of the table taken at a time


def within_scatter(scatter: Scatter, products: SourceProducts) -> Floats:
    """Sum of n_k sigma_k^2 of each column, in the units of the guard; exactly nought without any."""
    within = scatter.total - scatter.between
    squares = scatter.moments.added
    rounding = scatter.precision * (2 * squares + 8 * np.sqrt(scatter.total) * np.sqrt(squares))
    doubtful = np.flatnonzero(~scatter.constant & (within < TIMES_ITS_ROUNDING * rounding))
    step = max(1, BATCH // max(products.source.shape[0], 1))
    for start in range(0, doubtful.size, step):
        some = doubtful[start : start + step]
        within[some] = _about_class_means(scatter, products.take(some), some)
    return np.maximum(within, 0.0)


def _about_class_means(scatter: Scatter, block: Block, columns: Indices) -> Floats:
    X = block.X if isinstance(block.X, np.ndarray) else block.X.toarray()
    assert block.y is not None
    weight = np.ones(block.y.size) if block.weight is None else block.weight
    of_classes = scatter.moments.NT[0]
    sums = scatter.moments.TX[:, columns]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(of_classes[:, None] > 0, sums / of_classes[:, None], 0.0)
    left = (X - means[block.y]) * (weight > 0)[:, None]
    within: Floats = weight @ left**2
    # what the values themselves are rounded by does not count
    level = np.abs(X).max(axis=0, initial=0.0) + np.abs((scatter.guard.offset / scatter.guard.unit)[columns])
    return np.where(within <= scatter.n * (CONSTANT * level) ** 2, 0.0, within)
