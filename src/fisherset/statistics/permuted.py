"""Problems with other targets for the same rows: G is shared, C = X'H of many targets is one product."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from fisherset._types import Floats
from fisherset.data import Block, CountedRows, MemoryRows
from fisherset.statistics.kernels import kernel_of, nuisance, weighted
from fisherset.statistics.measured import MeasuredTable
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.products import RowProducts
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import Moments

AT_ONCE = 2**22  # numbers of H, and of C, of the targets that are multiplied together: 32 MB
# Columns up to which all of G costs less than the pieces that a hundred searches among noise need.
WHOLE_GRAM = 3000


class CodedTargets(NamedTuple):
    """H of some targets, n x r, and the sums that their coding needs."""

    H: Floats
    moments: Moments
    coding: Coding


@dataclass(frozen=True)
class TargetKernel:
    """H'X of a block, X as the guard shows it; the targets of the rows are the weighted H."""

    guard: Guard

    def __call__(self, block: Block) -> Floats:
        X = self.guard.apply(block.X)
        return np.asarray(kernel_of(X).sums(X, block.y))


class SharedRows:
    """A measured table in memory, and its problem for any targets of its rows."""

    def __init__(self, table: MeasuredTable, problem: TableProblem) -> None:
        memory = getattr(table.rows, "rows", None)
        assert isinstance(memory, MemoryRows)
        self._memory, self._coding, self._moments = memory, table.coding, table.scatter.moments
        self._problem = problem
        self._N = nuisance(Block(memory.X, None, None, memory.confounders))
        self._root = None if memory.weight is None else np.sqrt(memory.weight)[:, None]
        self.y: Any = memory.y  # class codes, or numbers, or indicators of label sets
        self._of_class: Floats | None = None  # row of H of each class, where all orders have the same
        if isinstance(table.coding, Classes) and memory.weight is None and memory.confounders is None:
            moments = self._moments
            centred = np.eye(table.coding.size) - moments.NT[0] / moments.n
            self._of_class = table.coding.rotate(centred, moments)
        self._whole = problem.columns.size <= WHOLE_GRAM and problem.hold_gram()

    @staticmethod
    def suits(table: MeasuredTable) -> bool:
        """Whether the rows are in memory."""
        memory = isinstance(getattr(table.rows, "rows", None), MemoryRows)
        return memory and isinstance(table.products, RowProducts) and table.products.n_rows is not None

    def problems(self, targets: Iterable[Any]) -> Iterator[TableProblem]:
        """The problem with each of the targets, all of one coding."""
        d, size = self._moments.squares.size, self._coding.size
        count = max(1, AT_ONCE // (size * max(d, len(self._N))))
        left = iter(targets)
        while some := [self._coded(y) for y in islice(left, count)]:
            C = self._products(some)
            for one, part in zip(some, C, strict=True):
                yield self._posed(one, part)

    def _coded(self, y: Any) -> CodedTargets:
        """H of some targets, adjusted for the confounders."""
        if self._of_class is not None:
            return CodedTargets(self._of_class[y], self._moments, self._coding)
        coding, N, weight = self._coding_of(y), self._N, self._memory.weight
        T = coding.rows(y)
        TW, squares = weighted(T, weight), kernel_of(T).squares(T, weight)
        moments = replace(self._moments, NT=np.asarray((TW.T @ N).T), TT=squares, T_added=squares)
        dense: Floats = T if isinstance(T, np.ndarray) else T.toarray()
        return CodedTargets(coding.rotate(dense - N @ moments.alpha, moments), moments, coding)

    def _coding_of(self, y: Any) -> Coding:
        if isinstance(self._coding, Classes):
            return self._coding
        kind = Labels.of_sets if isinstance(self._coding, Labels) else Numbers.of
        return kind(y, self._memory.weight)

    def _products(self, some: list[CodedTargets]) -> Iterator[Floats]:
        """X'H of each of the targets, d x r, from one pass over the rows."""
        H = np.hstack([one.H for one in some])
        rows = CountedRows(self._memory.with_targets(weighted(H, self._memory.weight)))
        sums = rows.reduce(TargetKernel(self._moments.guard))
        stops = np.cumsum([one.H.shape[1] for one in some])
        for one, stop in zip(some, stops, strict=True):
            yield sums[stop - one.H.shape[1] : stop].T

    def _posed(self, targets: CodedTargets, products: Floats) -> TableProblem:
        """The problem of some targets, whose products with the columns are known."""
        H = targets.H if self._root is None else targets.H * self._root
        return self._problem.with_targets(
            products, H, targets.moments, targets.coding, same_cache=self._whole
        )
