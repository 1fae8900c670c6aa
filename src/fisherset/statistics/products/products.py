"""Products of the columns of a table as the guard shows them, before anything is centred or scaled.

Three ways behind one protocol, by their cost for G[:, A]: a pass over the rows, n d |A| multiplications;
those of a whole less those of a fold, as many for the rows of the fold alone; and a stored matrix X'X, none.
Where more columns are in play than rows, products of rows are smaller: `SampleSpace`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fisherset._types import Floats, Indices, Singles
from fisherset.data import Block, Matrix, Rows
from fisherset.statistics.kernels import join_rows, kernel_of, nuisance, weighted
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import Moments

if TYPE_CHECKING:
    from fisherset.statistics.problem import TableProblem

BATCH = 2**20  # numbers of the table taken at a time: 8 MB
SINGLE_BATCH = 2**16  # numbers of the table taken at a time to be rounded: half a megabyte, for the cache


class Products(Protocol):
    """Products that a problem needs. Columns are numbered as in the table."""

    @property
    def n_rows(self) -> int | None:
        """Number of rows of `take`; None where they cannot be in memory together."""

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        """X'X of columns and all columns, or those of `rows`: a row for each of the columns."""

    def blocks(self, columns: Indices) -> Floats:
        """X'X among the columns of each group, a row of `columns`: groups x size x size."""

    def combined(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        """[X N]'V with V = X[:, columns] W - N shift; of X all columns, or those of `rows`.

        One pass and n d r multiplications for r columns of W, where G[:, columns] W by Gram columns costs
        n d |columns| of them.
        """

    def take(self, columns: Indices) -> Block:
        """All rows of some columns, with their targets."""


@dataclass(frozen=True)
class CrossKernel:
    """X'X of a block."""

    guard: Guard
    columns: Indices
    rows: Indices | None

    @property
    def n_numbers(self) -> int:
        return self.columns.size * (self.guard.unit.size if self.rows is None else self.rows.size)

    def _few_of_many(self, X: Matrix) -> bool:
        """Whether products of few columns with all others cost less than copying the rows' columns first."""
        assert self.rows is not None
        n_left, n_right = self.columns.size, self.rows.size
        whole = isinstance(X, np.ndarray) and n_left * X.shape[1]
        return bool(whole) and whole < (kernel_of(X).EXTRACTION_COST + n_left) * n_right

    def __call__(self, block: Block) -> Any:
        if self.rows is None:
            right = self.guard.apply(block.X)
            left = right if self.columns.size == right.shape[1] else right[:, self.columns]
        else:
            left = self.guard.columns(block.X, self.columns)
            same = np.array_equal(self.rows, self.columns)
            if not same and self._few_of_many(block.X):
                right = self.guard.apply(block.X)
                return kernel_of(right).cross(left, right, block.weight, block.X.size // 4)[:, self.rows]
            right = left if same else self.guard.columns(block.X, self.rows)
        # sparse columns are filled in a few at a time, compared with the block itself
        return kernel_of(right).cross(left, right, block.weight, block.X.size // 4)


@dataclass(frozen=True)
class BlocksKernel:
    """X'X of a block within groups of columns, a row of `columns` each."""

    guard: Guard
    columns: Indices

    @property
    def n_numbers(self) -> int:
        return self.columns.size * int(self.columns.shape[1])

    def __call__(self, block: Block) -> Floats:
        X = self.guard.columns(block.X, self.columns.ravel())
        return kernel_of(X).blocks(X, self.columns.shape[1], block.weight)


@dataclass(frozen=True)
class CombinedKernel:
    """[X N]'V of a block, V = X[:, columns] W - N shift; of X all columns, or those of `rows`."""

    guard: Guard
    columns: Indices
    W: Floats
    shift: Floats
    rows: Indices | None = None

    @property
    def n_numbers(self) -> int:
        return (self.guard.unit.size if self.rows is None else self.rows.size) * int(self.W.shape[1])

    def __call__(self, block: Block) -> Floats:
        N, compute, rows = nuisance(block), kernel_of(block.X), self.rows
        if rows is not None and compute.EXTRACTION_COST * rows.size < block.X.shape[1]:
            combination = self.guard.columns(block.X, self.columns) @ self.W
            X, rows = self.guard.columns(block.X, rows), None
        else:
            X = self.guard.apply(block.X)
            combination = compute.combine(X, self.columns, self.W)
        total = projected(X, N, weighted(combination - N @ self.shift, block.weight))
        return total if rows is None else np.vstack([total[rows], total[X.shape[1] :]])


def projected(X: Any, N: Floats, V: Floats) -> Floats:
    """[X N]'V, in one array: no second copy of d x r numbers."""
    total = np.empty((X.shape[1] + N.shape[1], V.shape[1]))
    kernel_of(X).transposed(X, V, total[: X.shape[1]])
    total[X.shape[1] :] = N.T @ V
    return total


@dataclass(frozen=True)
class TakeKernel:
    """Some columns of a block."""

    guard: Guard
    columns: Indices

    def __call__(self, block: Block) -> list[Block]:
        X = self.guard.columns(block.X, self.columns)
        return [Block(X, block.y, block.weight, block.confounders)]


@dataclass(frozen=True)
class SingleKernel:
    """Columns of a block centred and scaled, each row times the root of its weight, in single precision."""

    guard: Guard
    columns: Indices
    beta: Floats
    scale: Floats

    def __call__(self, block: Block) -> list[Singles]:
        n_rows, whole = block.X.shape[0], self.columns.size == self.guard.unit.size
        Z = np.empty((n_rows, self.columns.size), dtype=np.float32)
        N, root = nuisance(block), _root_weight(block)
        step = max(1, SINGLE_BATCH // max(Z.shape[1], 1)) if isinstance(block.X, np.ndarray) else n_rows
        for start in range(0, n_rows, step):
            rows = slice(start, start + step)
            X = self.guard.apply(block.X[rows]) if whole else self.guard.columns(block.X[rows], self.columns)
            centred = (X if isinstance(X, np.ndarray) else X.toarray()) - N[rows] @ self.beta
            centred /= self.scale
            Z[rows] = centred if block.weight is None else centred * root[rows]
        return [Z]


class RowProducts:
    """Products by passes over a source, whose rows may be too many to be in memory `together`."""

    def __init__(self, source: Rows, guard: Guard, *, together: bool = True) -> None:
        self.source, self.guard, self._together = source, guard, together

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows if self._together else None

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return np.asarray(self.source.reduce(CrossKernel(self.guard, columns, rows)))

    def blocks(self, columns: Indices) -> Floats:
        return self.source.reduce(BlocksKernel(self.guard, columns))

    def combined(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        return self.source.reduce(CombinedKernel(self.guard, columns, W, shift, rows))

    def take(self, columns: Indices) -> Block:
        return join_rows(self.source.reduce(TakeKernel(self.guard, columns)))


class ComplementProducts:
    """Products over the complement of a fold: those over all rows less those over the fold."""

    n_rows = None

    def __init__(self, whole: Products, fold: Products) -> None:
        self.whole, self.fold = whole, fold

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        of_fold = self.fold.cross(columns, rows)
        return np.subtract(self.whole.cross(columns, rows), of_fold, out=of_fold)

    def blocks(self, columns: Indices) -> Floats:
        return self.whole.blocks(columns) - self.fold.blocks(columns)

    def combined(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        arguments = columns, W, shift, rows
        return self.whole.combined(*arguments) - self.fold.combined(*arguments)

    def take(self, columns: Indices) -> Block:
        raise NotImplementedError("A fold cannot be subtracted from rows.")


class StoredProducts:
    """Products from a matrix X'X computed before, and its moments."""

    n_rows = None

    def __init__(self, XX: Floats, moments: Moments) -> None:
        self.XX, self.moments = XX, moments

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return self.XX[columns] if rows is None else self.XX[np.ix_(columns, rows)]

    def blocks(self, columns: Indices) -> Floats:
        return self.XX[columns[:, :, None], columns[:, None, :]]

    def combined(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        NX, NN = self.moments.NX, self.moments.NN
        of_X, of_N = (self.XX, NX) if rows is None else (self.XX[rows], NX[:, rows])
        return np.vstack([of_X[:, columns] @ W - of_N.T @ shift, NX[:, columns] @ W - NN @ shift])

    def take(self, columns: Indices) -> Block:
        raise NotImplementedError("There are no rows behind stored products.")


class SampleSpace:
    """Products of rows, each times the root of its weight: n x n, for when more columns are in play."""

    def __init__(self, problem: TableProblem, size: int, H: Floats | None = None) -> None:
        self._problem, self.size = problem, size
        if H is not None:
            self.H = H

    @cached_property
    def H(self) -> Floats:
        """The targets, n x r, or n x d where that is less; the coded ones, n x p, are not filled in."""
        coding, moments = self._problem.coding, self._problem.scatter.moments
        block = self._problem.products.take(np.empty(0, dtype=np.intp))
        T = coding.rows(np.zeros(self.size, dtype=np.intp) if block.y is None else block.y)
        rotation = self._rotation()
        left = T @ rotation - nuisance(block) @ (moments.alpha @ rotation)
        return np.asarray(left) * _root_weight(block)

    def _rotation(self) -> Floats:
        """The matrix from coded targets to H, p x r: some rows at a time, as before the basis it is p x p."""
        coding, moments, basis = self._problem.coding, self._problem.scatter.moments, self._problem.basis
        parts, step = [], max(1, BATCH // coding.size)
        for start in range(0, coding.size, step):
            rows = np.eye(min(step, coding.size - start), coding.size, start)
            rotated = coding.rotate(rows, moments)
            parts.append(rotated if basis is None else rotated @ basis)
        return np.vstack(parts)

    def kernel(self, columns: Indices, weights: Floats) -> Floats:
        """Sum of weights[j] K_j, Eq. (16)."""
        problem, K = self._problem, np.zeros((self.size, self.size))
        step = max(BATCH // self.size, self.size)  # a part may be as large as K itself
        root = np.ones((1, 1))
        for start in range(0, columns.size, step):
            some = columns[start : start + step]
            block = self._take(some)
            scaled = weights[start : start + step] / problem.scale[some] ** 2
            K += kernel_of(block.X).outer(block.X, nuisance(block), problem.beta[:, some], scaled)
            root = _root_weight(block)
        K *= root
        K *= root.T
        return K

    def values(self, columns: Indices) -> Floats:
        """The centred and scaled columns, n x len(columns)."""
        problem, block = self._problem, self._take(columns)
        X = block.X if isinstance(block.X, np.ndarray) else block.X.toarray()
        Z: Floats = X - nuisance(block) @ problem.beta[:, columns]
        Z /= problem.scale[columns]
        if block.weight is not None:
            Z *= _root_weight(block)
        return Z

    def in_single(self) -> Singles:
        """The values of all columns in single precision."""
        problem, products = self._problem, self._problem.products
        assert isinstance(products, RowProducts)  # no others have rows
        kernel = SingleKernel(products.guard, problem.columns, problem.beta, problem.scale)
        parts = products.source.reduce(kernel)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _take(self, columns: Indices) -> Block:
        """All rows of some columns of the problem as the guard shows them."""
        return self._problem.products.take(self._problem.columns[columns])


def _root_weight(block: Block) -> Floats:
    """Root of the weight of each row, as a column."""
    return np.ones((1, 1)) if block.weight is None else np.sqrt(block.weight)[:, None]
