"""Products of the columns of a table, as the guard shows them: before anything is centred or scaled.

One protocol, three ways: over a source, over a whole less a fold, and over a stored matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Block, Rows
from fisherset.statistics.kernels.blocks import kernel_of, nuisance, weighted
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import Moments


class Products(Protocol):
    """What the problem asks of the rows. Columns are numbered as in the table."""

    @property
    def n_rows(self) -> int | None:
        """How many rows `take` would give; None where the rows cannot be had together."""

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        """X'X of columns and all columns, or those of `rows`: a row for each of the columns."""

    def blocks(self, columns: Indices) -> Floats:
        """X'X among the columns of each group, a row of `columns`: groups x size x size."""

    def mixed(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        """[X N]'V with V = X[:, columns] W - N shift; of X all columns, or those of `rows`."""

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

    def __call__(self, block: Block) -> Any:
        if self.rows is None:
            right = self.guard.apply(block.X)
            left = (
                right if self.columns.size == right.shape[1] else kernel_of(right).take(right, self.columns)
            )
        else:
            left = seen(block, self.guard, self.columns)
            same = np.array_equal(self.rows, self.columns)
            right = left if same else seen(block, self.guard, self.rows)
        # what adds up to an array; what is filled in at a time is little beside the block itself
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
        X = seen(block, self.guard, self.columns.ravel())
        product: Floats = kernel_of(X).blocks(X, self.columns.shape[1], block.weight)
        return product


@dataclass(frozen=True)
class MixedKernel:
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
        if rows is not None and compute.few(rows.size, block.X.shape[1]):
            mixed = seen(block, self.guard, self.columns) @ self.W
            X, rows = seen(block, self.guard, rows), None
        else:
            X = self.guard.apply(block.X)
            mixed = compute.combine(X, self.columns, self.W)
        total = projected(X, N, weighted(mixed - N @ self.shift, block.weight))
        return total if rows is None else np.vstack([total[rows], total[X.shape[1] :]])


def projected(X: Any, N: Floats, V: Floats) -> Floats:
    """[X N]'V, written once."""
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
        X = seen(block, self.guard, self.columns)
        return [Block(X, block.y, block.weight, block.confounders)]


def seen(block: Block, guard: Guard, columns: Indices) -> Any:
    """Some columns of a block as the guard shows them: taken first, so that no others are copied."""
    return guard.of(columns).apply(kernel_of(block.X).take(block.X, columns))


def values(block: Block, guard: Guard, columns: Indices) -> Floats:
    """The same with unstored zeros filled in."""
    X = seen(block, guard, columns)
    return X if isinstance(X, np.ndarray) else np.asarray(X.toarray())


class SourceProducts:
    """Products by passes over a source, whose rows may be more than can be had `together`."""

    def __init__(self, source: Rows, guard: Guard, *, together: bool = True) -> None:
        self.source, self.guard, self._together = source, guard, together

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows if self._together else None

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return np.asarray(self.source.reduce(CrossKernel(self.guard, columns, rows)))

    def blocks(self, columns: Indices) -> Floats:
        return self.source.reduce(BlocksKernel(self.guard, columns))

    def mixed(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        return self.source.reduce(MixedKernel(self.guard, columns, W, shift, rows))

    def take(self, columns: Indices) -> Block:
        return join_rows(self.source.reduce(TakeKernel(self.guard, columns)))


class ComplementProducts:
    """A whole less a fold: what is summed over the rest is the sum over all less that over the fold."""

    n_rows = None

    def __init__(self, whole: Products, fold: Products) -> None:
        self.whole, self.fold = whole, fold

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        of_fold = self.fold.cross(columns, rows)
        return np.subtract(self.whole.cross(columns, rows), of_fold, out=of_fold)

    def blocks(self, columns: Indices) -> Floats:
        difference: Floats = self.whole.blocks(columns) - self.fold.blocks(columns)
        return difference

    def mixed(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        asked = columns, W, shift, rows
        difference: Floats = self.whole.mixed(*asked) - self.fold.mixed(*asked)
        return difference

    def take(self, columns: Indices) -> Block:
        raise NotImplementedError("A fold cannot be subtracted from rows.")


class StoredProducts:
    """Products from a matrix X'X computed before, and the moments beside it."""

    n_rows = None

    def __init__(self, XX: Floats, moments: Moments) -> None:
        self.XX, self.moments = XX, moments

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return self.XX[columns] if rows is None else self.XX[np.ix_(columns, rows)]

    def blocks(self, columns: Indices) -> Floats:
        return self.XX[columns[:, :, None], columns[:, None, :]]

    def mixed(self, columns: Indices, W: Floats, shift: Floats, rows: Indices | None = None) -> Floats:
        NX, NN = self.moments.NX, self.moments.NN
        of_X, of_N = (self.XX, NX) if rows is None else (self.XX[rows], NX[:, rows])
        return np.vstack([of_X[:, columns] @ W - of_N.T @ shift, NX[:, columns] @ W - NN @ shift])

    def take(self, columns: Indices) -> Block:
        raise NotImplementedError("There are no rows behind stored products.")


def join_rows(blocks: list[Block]) -> Block:
    """Blocks of rows put back together."""
    if len(blocks) == 1:
        return blocks[0]
    parts = [_joined([getattr(block, name) for block in blocks]) for name in ("y", "weight", "confounders")]
    return Block(kernel_of(blocks[0].X).stack([block.X for block in blocks]), *parts)


def _joined(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
