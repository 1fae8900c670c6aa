"""The sample space of a table: kernels of n x n for when there are more columns in play than rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.data import Block
from fisherset.statistics.kernels.blocks import kernel_of, nuisance

if TYPE_CHECKING:
    from fisherset.statistics.problem import TableProblem

BATCH = 2**20  # numbers of the table taken at a time


class SampleSpace:
    """Every row stands for itself, times the root of its weight."""

    def __init__(self, problem: TableProblem, size: int) -> None:
        self._problem, self.size = problem, size

    @cached_property
    def H(self) -> Floats:
        """The targets, n x r, or n x d where that is less; the coded ones, n x p, are not filled in."""
        coding, moments = self._problem.coding, self._problem.scatter.moments
        block = self._problem.products.take(np.empty(0, dtype=np.intp))
        T = coding.rows(np.zeros(self.size, dtype=np.intp) if block.y is None else block.y)
        rotation = self._rotation()
        left = T @ rotation - nuisance(block) @ (moments.alpha @ rotation)
        return np.asarray(left) * _root(block)

    def _rotation(self) -> Floats:
        """What takes the coded targets to H, p x r: some rows at a time, as before the basis it is p x p."""
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
        step = max(BATCH // self.size, self.size)  # as large as K itself is nothing lost
        root = np.ones((1, 1))
        for start in range(0, columns.size, step):
            some = columns[start : start + step]
            block = self._take(some)
            scaled = weights[start : start + step] / problem.scale[some] ** 2
            K += kernel_of(block.X).outer(block.X, nuisance(block), problem.beta[:, some], scaled)
            root = _root(block)
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
            Z *= _root(block)
        return Z

    def _take(self, columns: Indices) -> Block:
        """Some columns of all rows as the guard shows them."""
        return self._problem.products.take(self._problem.columns[columns])


def _root(block: Block) -> Floats:
    """Root of the weight of each row, as a column."""
    return np.ones((1, 1)) if block.weight is None else np.sqrt(block.weight)[:, None]
