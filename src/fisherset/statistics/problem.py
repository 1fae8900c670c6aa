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
from fisherset.statistics.gram import CACHE_BYTES, GramBlock, GramCache, GramColumns
from fisherset.statistics.guard import Guard
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
        Memory that pieces of the Gram matrix may take.
    eager : bool
        Whether to compute Gram columns whole at once, as is best for many searches on the same table.

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
        eager: bool = False,
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
        cache = GramColumns if eager else GramBlock
        self._cache: GramCache = cache(self._gram_columns, self.columns.size, cache_bytes)

    @cached_property
    def samples(self) -> SampleSpace | None:
        return SampleSpace(self)

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None."""
        return self._cache.get(columns, rows).T

    def product(self, columns: Indices, W: Floats) -> Floats:
        """G[:, columns] @ W in one pass, without Gram columns; from them where they are at hand."""
        if self._cache.holds(columns):
            return self.gram(columns) @ W
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

        total = self._reduce(kernel)
        sums = total[:-1] if self._all else total[self.columns]
        product: Floats = (sums - self.mean[:, None] * total[-1]) / self.scale[:, None]
        return product

    def _gram_columns(self, columns: Indices, rows: Indices | None) -> Floats:
        """Columns of G, one a row: products of raw columns, centred and scaled afterwards."""
        places = np.arange(self.columns.size) if rows is None else rows
        table_rows = None if rows is None and self._all else self.columns[places]
        G = self._raw_cross(self.columns[columns], table_rows)
        G -= (self.n * self.mean[columns])[:, None] * self.mean[places]
        G /= self.scale[columns, None]
        G /= self.scale[places]
        return G

    def _raw_cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return raw_cross(self.source, self.guard, self.targets.weights, columns, rows)

    def _reduce(self, kernel: Callable[[Block], Floats]) -> Floats:
        return self.source.reduce(kernel)


def raw_cross(
    source: Source, guard: Guard, weights: Floats | None, columns: Indices, rows: Indices | None
) -> Floats:
    """X'X of columns of the table and all its columns, or those of `rows`, as the guard shows them."""

    def kernel(block: Block) -> Floats:
        X = guard.apply(block.X)
        some = None if weights is None else weights[block.rows]
        product: Floats = kernel_of(X).cross(X, columns, rows, some)
        return product

    return source.reduce(kernel)
