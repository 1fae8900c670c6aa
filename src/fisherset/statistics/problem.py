"""The table as the solver wants it: C, the diagonal of G and pieces of G, centred and scaled.

The centred and scaled matrix Z = (X - N beta) / scale is never formed. With X as the
guard shows it, Z'Z = (X'X - B'B) / (scale scale'), and the guard keeps mean / spread
small enough for this to lose at most three digits.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.statistics.coding import Coding
from fisherset.statistics.gram import CACHE_BYTES, GramBlock, GramCache, GramColumns
from fisherset.statistics.guard import without_gaps
from fisherset.statistics.products import Products
from fisherset.statistics.samples import SampleSpace
from fisherset.statistics.scatter import Scatter


class TableProblem:
    """Statistics of the columns of a table that vary, in table order: products, centred and scaled.

    Parameters
    ----------
    products : Products
        Products of the columns as they are.
    scatter : Scatter
        What one pass over the rows gave.
    coding : Coding
        What the targets stand for.
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
    rank : int
        Number of columns of H as the coding has it.
    basis : ndarray or None
        What H is multiplied by, to have no more columns than the table; None where it has not.
    """

    groups = None

    def __init__(
        self,
        products: Products,
        scatter: Scatter,
        coding: Coding,
        *,
        standardize: bool = True,
        cache_bytes: int = CACHE_BYTES,
        eager: bool = False,
    ) -> None:
        self.products, self.scatter, self.coding = products, scatter, coding
        self.columns: Indices = np.flatnonzero(~scatter.constant)
        self.n, self.precision, self.ceiling = scatter.n, scatter.precision, scatter.ceiling
        self.beta: Floats = scatter.beta[:, self.columns]
        total = scatter.total[self.columns]
        unit = scatter.guard.unit[self.columns]
        self.scale: Floats = np.sqrt(total / self.n) if standardize else 1.0 / unit
        with np.errstate(over="ignore"):  # whoever poses the problem looks at the diagonal
            self.diagonal: Floats = total / self.scale / self.scale
            self.C: Floats = scatter.C[self.columns] / self.scale[:, None]
            self.lengths: Floats = np.sqrt(scatter.moments.added[self.columns]) / self.scale
        # F depends on H by C C' alone: of more targets than columns as many as there are columns say it all
        self.rank = scatter.C.shape[1]
        self.basis: Floats | None = None
        if self.rank > self.columns.size:
            self.basis = np.linalg.qr(self.C.T)[0]
            self.C = self.C @ self.basis
        self._B: Floats = scatter.B[:, self.columns]
        cache = GramColumns if eager else GramBlock
        self._cache: GramCache = cache(self._gram_columns, self.columns.size, cache_bytes)

    @cached_property
    def samples(self) -> SampleSpace | None:
        return None if self.products.n_rows is None else SampleSpace(self, self.products.n_rows)

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None."""
        return self._cache.get(columns, rows).T

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group, a row of `columns`: groups x size x size."""
        G, B, scale = self.products.blocks(self.columns[columns]), self._B[:, columns], self.scale[columns]
        G = G - np.einsum("zgs,zgt->gst", B, B)
        blocks: Floats = G / scale[:, :, None] / scale[:, None, :]
        return blocks

    def left_of(self, X: Any, confounders: Floats | None, columns: Indices) -> Any:
        """Values of some columns, gaps filled and confounders taken out, in the units of the table."""
        table = self.columns[columns]
        guard = self.scatter.guard.of(table)
        X = without_gaps(X, guard.fill)
        if confounders is None:
            return X
        rows = X.toarray() if sparse.issparse(X) else X
        return rows - confounders @ self.beta[1:, columns] * guard.unit

    def product(self, columns: Indices, W: Floats) -> Floats:
        """G[:, columns] @ W in one pass, without Gram columns; from them where they are at hand."""
        if self._cache.holds(columns):
            return self.gram(columns) @ W
        weights = W / self.scale[columns, None]
        total = self.products.mixed(self.columns[columns], weights, self.beta[:, columns] @ weights)
        z = len(self.beta)
        of_X = total[:-z] if self._whole else total[self.columns]
        product: Floats = (of_X - self.beta.T @ total[-z:]) / self.scale[:, None]
        return product

    @property
    def _whole(self) -> bool:
        """Whether the problem has all columns of the table."""
        return self.columns.size == self.scatter.constant.size

    def _gram_columns(self, columns: Indices, rows: Indices | None) -> Floats:
        """Columns of G, one a row: products of raw columns, centred and scaled afterwards."""
        places = np.arange(self.columns.size) if rows is None else rows
        table_rows = None if rows is None and self._whole else self.columns[places]
        G = self.products.cross(self.columns[columns], table_rows)
        G -= self._B[:, columns].T @ self._B[:, places]
        G /= self.scale[columns, None]
        G /= self.scale[places]
        return G
