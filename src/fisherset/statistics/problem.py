"""The table as the solver wants it: C, the diagonal of G and blocks of G, centred and scaled.

The centred and scaled matrix Z = (X - N beta) / scale is never formed: it would be a dense copy of the table.
With X as the guard shows it,

    G = Z'Z = (X'X - B'B) / (scale scale')        G W = (X'V - beta'N'V) / scale,  V = (X - N beta)(W / scale)

and the guard keeps mean / spread small enough for these differences to lose at most three digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._rounding import Rounding
from fisherset._types import Floats, Indices
from fisherset.statistics.budget import split_budget
from fisherset.statistics.products.gram import GramBlock, GramCache, GramColumns
from fisherset.statistics.products.prefetch import Forecast, GramBatches, GroupBlocks, Prefetcher
from fisherset.statistics.products.products import Products, RowProducts, SampleSpace, StoredProducts
from fisherset.statistics.products.sparse_columns import SparseColumnProducts
from fisherset.statistics.sums.coding import Coding
from fisherset.statistics.sums.errors import relative_error
from fisherset.statistics.sums.guard import fill_missing
from fisherset.statistics.sums.moments import Moments
from fisherset.statistics.sums.scatter import SLICE, Scatter


class TableProblem:
    """Statistics of the columns of a table that vary, in table order: products, centred and scaled.

    Parameters
    ----------
    products : Products
        Products of the columns as they are.
    scatter : Scatter
        Sums, means and spreads of all columns.
    coding : Coding
        The meaning of the targets.
    standardize : bool
        Whether columns are scaled to standard deviation 1, or only centred.
    budget : int or None
        Bytes that may be held besides the table; None for an amount that is harmless on any machine.
    eager : bool
        Whether to compute Gram columns whole at once, as is best for many searches on the same table.
    """

    def __init__(
        self,
        products: Products,
        scatter: Scatter,
        coding: Coding,
        *,
        standardize: bool = True,
        budget: int | None = None,
        eager: bool = False,
    ) -> None:
        self.products, self.scatter, self.coding = products, scatter, coding
        self.columns: Indices = np.flatnonzero(~scatter.constant)  # their positions in the table
        self.n, self.ceiling = scatter.n, scatter.ceiling
        some = slice(None) if self._whole else self.columns
        self.beta: Floats = scatter.beta[:, some]
        self._B: Floats = scatter.B[:, some]
        total = scatter.total[some]
        unknown = scatter.unknown[some] if standardize else np.zeros(total.size, dtype=bool)
        self.scale: Floats = np.sqrt(total / self.n) if standardize else 1.0 / scatter.guard.unit[some]
        self.scale[unknown] = np.inf  # a column of zeros, which may be anything of length sqrt(n)
        with np.errstate(over="ignore"):  # the diagonal is checked where the problem is posed
            self.diagonal: Floats = np.where(unknown, self.n, total / self.scale / self.scale)
        with np.errstate(over="ignore"):
            self.C: Floats = scatter.products(self.scale)
            self.rounding = self._rounding(unknown, standardize)
        self.rank = scatter.rank  # columns of H as the coding has it
        # F depends on H by C C' alone: where H has more columns than the table, H times a basis is enough
        self.basis: Floats | None = None
        if self.rank > self.columns.size:
            self.basis = np.linalg.qr(self.C.T)[0]
            self.C = self.C @ self.basis
        self._budget = budget
        self._set_caches(budget, eager)

    def with_targets(
        self, products: Floats, H: Floats, moments: Moments, coding: Coding, *, same_cache: bool
    ) -> TableProblem:
        """The same columns with other targets, for searches of which nothing is claimed.

        G is shared, and so are the bounds on errors, which are those of the targets given first.

        Parameters
        ----------
        products : ndarray of shape (n_table_columns, r)
            X'H as the guard shows X.
        H : ndarray of shape (n_samples, r)
            The targets in sample space.
        moments : Moments
            Sums of the targets.
        coding : Coding
            Their meaning.
        same_cache : bool
            Whether blocks of G are kept in the same place, as searches for these targets need the same ones.
        """
        other, scatter = copy(self), self.scatter.with_targets(products, moments, coding)
        some = products if self._whole else products[self.columns]
        C: Floats = np.empty(some.shape)
        np.divide(some, self.scale[:, None], out=C)
        other.scatter, other.coding, other.ceiling, other.rank = scatter, coding, scatter.ceiling, C.shape[1]
        other.basis = None
        if C.shape[1] > len(C):
            other.basis = np.linalg.qr(C.T)[0]
            C, H = C @ other.basis, H @ other.basis
        other.C = C
        n_rows = self.products.n_rows
        other.__dict__["samples"] = None if n_rows is None else SampleSpace(other, n_rows, H)
        if not same_cache:
            other._set_caches(self._budget, eager=False)
        return other

    def hold_gram(self) -> bool:
        """Compute all of G, if the memory limit allows to keep it; whether it is kept."""
        every = np.arange(self.columns.size)
        fits = 8 * every.size**2 <= self._cache_bytes
        if fits:
            self.gram(every, every)
        return fits

    def _rounding(self, unknown: NDArray[np.bool_], standardize: bool) -> Rounding:
        """Errors of the numbers of this problem (see `sums.errors` and `fisherset._rounding`)."""
        scatter, unit = self.scatter, self.scatter.unit
        some = slice(None) if self._whole else self.columns
        targets = scatter.target_errors
        anything = np.sqrt(self.n) / unit
        lengths = np.where(unknown, anything, scatter.lengths[some] / self.scale)
        cross = scatter.cross_errors[some] / self.scale
        cross = np.where(unknown, unit * anything * targets.length, cross)
        scale = np.zeros(lengths.size)
        if standardize:
            scale = np.where(unknown, 0.0, relative_error(unit * lengths**2, self.diagonal))
        return Rounding(unit, lengths, cross, targets.length, scale, targets.share, unknown)

    def _set_caches(self, budget: int | None, eager: bool) -> None:
        """Choose how blocks of G are kept, by what a product of columns costs."""
        products, d = self.products, self.columns.size
        # where the rows cannot be had together, each request is a pass over them
        by_passes = isinstance(products, RowProducts) and products.n_rows is None
        if budget is not None and isinstance(products, StoredProducts):
            budget = max(budget - products.XX.nbytes, 0)
        n_targets = len(self.scatter.moments.TX)
        # room: numbers that an array of a search may have
        n_bytes, self.room = split_budget(budget, self.scatter.total.size, n_targets, by_passes=by_passes)
        self._prefetcher: Prefetcher | None = None
        if by_passes or isinstance(products, SparseColumnProducts):
            self._prefetcher = prefetcher = Prefetcher(self.C)
            if isinstance(products, SparseColumnProducts):
                products.forecast = partial(_forecast_in_table, prefetcher, self.columns)
        self._groups = GroupBlocks(self._blocks, n_bytes // 16 if by_passes else 0)
        n_bytes -= self._groups.budget
        self._cache_bytes = n_bytes
        if by_passes and self._prefetcher is not None:
            self._cache: GramCache = GramBatches(self._gram_columns, d, n_bytes, self._prefetcher)
        elif eager:
            self._cache = GramColumns(self._gram_columns, d, n_bytes)
        else:
            by_rows = isinstance(products, RowProducts)
            self._cache = GramBlock(self._gram_columns, d, n_bytes, by_rows=by_rows)

    @cached_property
    def samples(self) -> SampleSpace | None:
        return None if self.products.n_rows is None else SampleSpace(self, self.products.n_rows)

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None."""
        return self._cache.get(columns, rows).T

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group, a row of `columns`: groups x size x size."""
        return self._groups.get(columns)

    def _blocks(self, columns: Indices) -> Floats:
        G, B, scale = self.products.blocks(self.columns[columns]), self._B[:, columns], self.scale[columns]
        G = G - np.einsum("zgs,zgt->gst", B, B)
        return G / scale[:, :, None] / scale[:, None, :]

    def adjusted_values(self, X: Any, confounders: Floats | None, columns: Indices) -> Any:
        """Values of some columns in the units of the table, missing ones filled in, confounders removed."""
        guard = self.scatter.guard.of(self.columns[columns])
        X = fill_missing(X, guard.fill)
        if confounders is None:
            return X
        rows = X.toarray() if sparse.issparse(X) else X
        return rows - confounders @ self.beta[1:, columns] * guard.unit

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W from kept Gram columns, or else in one pass without any."""
        kept = self._cache.holds(columns, rows)
        product = self._cache.product(columns, W, rows) if kept else self._combined(columns, W, rows)
        if self._prefetcher is not None and rows is None and W.shape[1] == self.C.shape[1]:
            self._prefetcher.learn(product)
        return product

    def _combined(self, columns: Indices, W: Floats, rows: Indices | None) -> Floats:
        weights = W / self.scale[columns, None]
        table_rows = None if rows is None else self.columns[rows]
        shift = self.beta[:, columns] @ weights
        total = self.products.combined(self.columns[columns], weights, shift, table_rows)
        of_N = total[-len(self.beta) :].copy()
        beta, scale = (self.beta, self.scale) if rows is None else (self.beta[:, rows], self.scale[rows])
        product: Floats = total[: scale.size]
        for some in _slices(len(product), W.shape[1]):
            if rows is None and not self._whole:
                # columns move up to where they are in the problem, never over one that is still to come
                product[some] = total[self.columns[some]]
            product[some] -= beta[:, some].T @ of_N
            product[some] /= scale[some, None]
        return product

    @property
    def _whole(self) -> bool:
        """Whether the problem has all columns of the table."""
        return self.columns.size == self.scatter.constant.size

    def _gram_columns(self, columns: Indices, rows: Indices | None) -> Floats:
        """Columns of G, one a row: products of raw columns, centred and scaled afterwards, in place."""
        places = np.arange(self.columns.size) if rows is None else rows
        table_rows = None if rows is None and self._whole else self.columns[places]
        G = self.products.cross(self.columns[columns], table_rows)
        B, scale = self._B[:, places], self.scale[places]
        for some in _slices(len(G), places.size):
            G[some] -= self._B[:, columns[some]].T @ B
            G[some] /= self.scale[columns[some], None]
            G[some] /= scale
        return G


def _forecast_in_table(forecast: Forecast, columns: Indices, count: int, kept: NDArray[np.bool_]) -> Indices:
    """Forecast of the columns of a problem, numbered as in the table."""
    return columns[forecast(count, kept[columns])]


def _slices(n_rows: int, width: int) -> Iterator[slice]:
    """Rows of a wide array in slices, so that temporary arrays are small compared with it."""
    step = max(1, SLICE // max(width, 1))
    return (slice(start, start + step) for start in range(0, n_rows, step))
