"""A problem with other targets for the same rows: G is shared, C = X'H is computed anew."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.data import Block, CountedRows, MemoryRows
from fisherset.statistics.kernels import kernel_of, nuisance, weighted
from fisherset.statistics.measured import MeasuredTable
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.products import RowProducts
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.scatter import Scatter


@dataclass(frozen=True)
class TargetSums:
    """Sums over rows that depend on the targets: N'T, the squares of T and T'X."""

    NT: Floats
    TT: Floats
    TX: Floats

    def __add__(self, other: TargetSums) -> TargetSums:
        return TargetSums(self.NT + other.NT, self.TT + other.TT, self.TX + other.TX)


@dataclass(frozen=True)
class TargetKernel:
    """The sums of a block, X as the guard shows it."""

    coding: Coding
    guard: Guard

    def __call__(self, block: Block) -> TargetSums:
        X, N, T = self.guard.apply(block.X), nuisance(block), self.coding.rows(block.y)
        TW = weighted(T, block.weight)
        squares = kernel_of(T).squares(T, block.weight)
        return TargetSums(np.asarray((TW.T @ N).T), squares, kernel_of(X).sums(X, TW))


class SharedRows:
    """A measured table in memory, and its problem for any targets of its rows."""

    def __init__(self, table: MeasuredTable, problem: TableProblem) -> None:
        memory = getattr(table.rows, "rows", None)
        assert isinstance(memory, MemoryRows)
        assert isinstance(problem.products, RowProducts)
        self._memory, self._table, self._problem = memory, table, problem
        self._products = problem.products
        self.y: Any = memory.y  # class codes, or numbers, or indicators of label sets
        self.weight = memory.weight

    @staticmethod
    def suits(table: MeasuredTable) -> bool:
        """Whether the rows are in memory."""
        memory = isinstance(getattr(table.rows, "rows", None), MemoryRows)
        return memory and isinstance(table.products, RowProducts) and table.products.n_rows is not None

    def residuals(self) -> Floats:
        """Targets that are numbers, adjusted for the confounders, n x p."""
        N = nuisance(Block(self._memory.X, None, None, self._memory.confounders))
        root = np.ones((len(N), 1)) if self.weight is None else np.sqrt(self.weight)[:, None]
        left: Floats = self.y - N @ np.linalg.lstsq(N * root, self.y * root, rcond=None)[0]
        return left

    def permuted(self, order: Indices) -> TableProblem:
        """The problem whose row i has the target of row order[i]."""
        return self.with_targets(self.y[order])

    def with_targets(self, y: Any) -> TableProblem:
        """The problem with other targets, of the same coding."""
        coding, rows = self._coding(y), CountedRows(self._memory.with_targets(y))
        moments = self._table.scatter.moments
        sums = rows.reduce(TargetKernel(coding, moments.guard))
        moments = replace(moments, NT=sums.NT, TT=sums.TT, TX=sums.TX, T_added=sums.TT)
        products = copy(self._products)
        products.source = rows
        return self._problem.with_targets(products, Scatter(moments, coding, rows), coding)

    def _coding(self, y: Any) -> Coding:
        coding = self._table.coding
        if isinstance(coding, Classes):
            return coding
        return Labels.of_sets(y, self.weight) if isinstance(coding, Labels) else Numbers.of(y, self.weight)
