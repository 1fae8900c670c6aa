"""The table as the solver wants it: C, the diagonal of G and pieces of G, centred and scaled.

The centred and scaled matrix Z = (X - mean) / scale is never formed. With X as the
guard shows it, Z'Z = (X'X - n mean mean') / (scale scale'), and the guard keeps
mean / spread small enough for this to lose at most four digits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.sources import Block, Matrix, Source
from fisherset.statistics.blocks import kernel_of
from fisherset.statistics.gram import CACHE_BYTES, GramCache
from fisherset.statistics.samples import SampleSpace
from fisherset.statistics.scatter import Scatter
from fisherset.statistics.targets import Targets

RowFunction = Callable[[Matrix, slice], Floats]  # of a block and where its rows stand


class TableProblem:
    """Statistics of the columns of a table that vary, in table order.

    Parameters
    ----------
    source : Source
        The rows.
    targets : Targets
        Their classes and weights.
    scatter : Scatter
        What one pass over them gave.
    standardize : bool
        Whether columns are scaled to standard deviation 1, or only centred.
    cache_bytes : int
        Memory that Gram columns may take.

    Attributes
    ----------
    columns : ndarray
        Position in the table of each of the problem's columns.
    """

    groups = None

    def __init__(
        self,
        source: Source,
        targets: Targets,
        scatter: Scatter,
        *,
        standardize: bool = True,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.source, self.targets, self.guard = source, targets, scatter.guard
        self.columns: Indices = np.flatnonzero(~scatter.constant)
        self._all = self.columns.size == source.shape[1]
        self.n = scatter.n
        self.mean: Floats = scatter.mean[self.columns]
        total = scatter.total[self.columns]
        unit = scatter.guard.unit[self.columns]
        self.scale: Floats = np.sqrt(total / self.n) if standardize else 1.0 / unit
        with np.errstate(over="ignore"):  # whoever poses the problem looks at the diagonal
            self.diagonal: Floats = total / self.scale / self.scale
            contrast = scatter.contrast[self.columns] / self.scale[:, None]
        self.C: Floats = np.sqrt(self.n) * (contrast @ targets.rotation())
        self.ceiling = float(self.C.shape[1])
        self._cache = GramCache(self._raw_cross, source.shape[1], cache_bytes)

    @cached_property
    def samples(self) -> SampleSpace:
        return SampleSpace(self)

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None."""
        if rows is None and not self._all:
            rows = np.arange(self.columns.size)
        table_rows = None if rows is None else self.columns[rows]
        G = self._cache.get(self.columns[columns], table_rows)
        mean, scale = (self.mean, self.scale) if rows is None else (self.mean[rows], self.scale[rows])
        G -= (self.n * self.mean[columns])[:, None] * mean
        G /= self.scale[columns, None]
        G /= scale
        return G.T

    def product(self, columns: Indices, W: Floats) -> Floats:
        """G[:, columns] @ W in one pass, without Gram columns."""
        weights = W / self.scale[columns, None]
        center, table_columns = self.mean[columns] @ weights, self.columns[columns]

        def mixed(X: Matrix, rows: slice) -> Floats:
            V: Floats = kernel_of(X).combine(X, table_columns, weights) - center
            return V if self.targets.weights is None else V * self.targets.weights[rows, None]

        return self.transposed(mixed)

    def transposed(self, V: RowFunction) -> Floats:
        """Z'V for a V given block by block as a function of the block: d x p."""

        def kernel(block: Block) -> Floats:
            X = self.guard.apply(block.X)
            part = V(X, block.rows)
            # the column sums of V ride along as one more row
            return np.vstack([kernel_of(X).transposed(X, part), part.sum(axis=0)])

        total = self.source.reduce(kernel)
        sums = total[:-1] if self._all else total[self.columns]
        product: Floats = (sums - self.mean[:, None] * total[-1]) / self.scale[:, None]
        return product

    def _raw_cross(self, columns: Indices, rows: Indices | None) -> Floats:
        def kernel(block: Block) -> Floats:
            X = self.guard.apply(block.X)
            weights = None if self.targets.weights is None else self.targets.weights[block.rows]
            product: Floats = kernel_of(X).cross(X, columns, rows, weights)
            return product

        return self.source.reduce(kernel)
