"""A table without some of its rows: sums over the rest are those over all rows less those over the fold.

Cross-validation reads each row twice this way, once in the whole and once in its fold, however many folds
there are; G of the whole is computed once. A difference loses digits, which the error account knows of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.data import CountedRows, JoinedRows, MemoryRows
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.gram import GramColumns
from fisherset.statistics.products.products import ComplementProducts, RowProducts
from fisherset.statistics.sums.coding import Coding
from fisherset.statistics.sums.guard import Guard, count_missing
from fisherset.statistics.sums.moments import Moments, MomentsKernel, sum_moments
from fisherset.statistics.sums.scatter import Scatter
from fisherset.validation.numbers import reject_nonfinite

LEFT = 1e-6  # share of a column's sum of squares that must be left for ten digits to survive the subtraction


class _SharedProducts(RowProducts):
    """Products of a whole whose columns stay for all its folds."""

    @cached_property
    def _columns(self) -> GramColumns:
        return GramColumns(super().cross, self.source.n_columns)

    def cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return self._columns.get(columns, rows)


class FoldedTable:
    """A table in memory, with targets as a coding has them, and the problems of all rows but a fold."""

    def __init__(self, source: MemoryRows, coding: Coding, moments: Moments, *, standardize: bool) -> None:
        self._rows, self._coding, self._moments = source, coding, moments
        self._standardize = standardize
        self._room: list[NDArray[Any]] = []  # memory for halves, as many at a time as threads fit them
        self.source = CountedRows(source)
        self.products = _SharedProducts(self.source, moments.guard)

    def whole(self) -> TableProblem:
        """The problem of all rows, which shares its products with the folds."""
        return self._problem(self.products, self._moments)

    def without(self, fold: Indices, rest: Indices, *, by_rows: bool = False) -> TableProblem:
        """The problem of the rows `rest`, which are all but those of `fold`.

        Computed from the rows themselves with `by_rows`, for instance for the sample space,
        or where the fold holds nearly all there is of a column.
        """
        if not by_rows:
            part = self._rows.take(fold)
            moments = self._difference(part.reduce(self._kernel), rest)
            if moments is not None:
                complement = ComplementProducts(self.products, RowProducts(part, self._moments.guard))
                problem = self._problem(complement, moments)
                if not problem.scatter.unknown.any():
                    return problem
        return self._of_rows(self._rows.take(rest))

    def halves(self, first: Indices, second: Indices) -> Iterator[TableProblem]:
        """The problems of two halves of the rows without a row in common; a few rows may be in neither.

        The sums of the first are computed, those of the second are all others less the rows in neither.
        Products are computed from the rows of each: a search on one half needs few of them, and the whole
        less the other half would take three times as many multiplications. The first problem ends where the
        second begins, as its rows are overwritten: new memory costs more than the copy itself.
        """
        room = self._room.pop() if self._room else self._new_room(max(first.size, second.size))
        try:
            part = self._rows.take(first, room)
            of_first = part.reduce(self._kernel)
            yield self._half(part, of_first)
            neither = np.ones(self._rows.n_rows, dtype=bool)
            neither[first] = neither[second] = False
            rest = np.flatnonzero(neither)
            others = [self._rows.take(rest).reduce(self._kernel)] if rest.size else []
            part = self._rows.take(second, room)
            yield self._half(part, self._difference(sum(others, start=of_first), second))
        finally:
            if room is not None:
                self._room.append(room)

    def _new_room(self, n_rows: int) -> NDArray[Any] | None:
        """Memory for so many rows of an array."""
        X = self._rows.X
        return np.empty((n_rows, X.shape[1]), dtype=X.dtype) if isinstance(X, np.ndarray) else None

    def _half(self, part: MemoryRows, moments: Moments | None) -> TableProblem:
        """The problem of some rows with these moments, unless too few digits of them are left."""
        if moments is not None:
            problem = self._problem(RowProducts(part, self._moments.guard), moments, eager=False)
            if not problem.scatter.unknown.any():
                return problem
        return self._of_rows(part, eager=False)

    @property
    def _kernel(self) -> MomentsKernel:
        return MomentsKernel(self._coding, self._moments.guard)

    def _difference(self, of_fold: Moments, rest: Indices) -> Moments | None:
        """The moments of all rows less those of a fold; None where too few digits are left of a column."""
        moments, whole = self._moments - of_fold, self._moments.squares
        # where next to nothing is left, it is rounding, unless it is nothing indeed
        if moments.n <= LEFT * moments.N_added[0]:
            return None
        spent = np.flatnonzero((whole > 0) & (moments.squares <= LEFT * whole))
        if spent.size and np.any(_values(self._rows.X, rest, spent)):
            return None
        for sums in (moments.squares, moments.added, moments.NX.T, moments.TX.T):
            sums[spent] = 0.0
        return moments

    def _of_rows(self, source: MemoryRows, *, eager: bool = True) -> TableProblem:
        moments = sum_moments(source, self._coding, self._moments.guard.fill)
        return self._problem(RowProducts(source, moments.guard), moments, eager=eager)

    def _problem(self, products: Any, moments: Moments, *, eager: bool = True) -> TableProblem:
        scatter = Scatter(moments, self._coding)
        return TableProblem(products, scatter, self._coding, standardize=self._standardize, eager=eager)


class PartitionedTable:
    """A table in memory whose rows are divided into folds, and the problems of all rows but a fold.

    Sums over each fold are computed once; those of a problem are added up from the other folds, which
    loses no digits. Its products are computed from their rows: a search needs few of them. The rows
    are copied once, fold after fold.
    """

    def __init__(
        self, source: MemoryRows, coding: Coding, guard: Guard, folds: Sequence[Indices], *, standardize: bool
    ) -> None:
        self._rows, self._sizes = source.take(np.concatenate(folds)), [fold.size for fold in folds]
        self._coding, self._guard, self._standardize = coding, guard, standardize
        moments = [fold.reduce(MomentsKernel(coding, guard)) for fold in self._rows.runs(self._sizes)]
        self._before = list(accumulate(moments))  # sums over the folds up to each, and from each on
        self._after = list(accumulate(reversed(moments)))[::-1]

    def without(self, place: int) -> TableProblem:
        """The problem of all rows but those of a fold."""
        before, after = sum(self._sizes[:place]), sum(self._sizes[place + 1 :])
        first, _, last = self._rows.runs([before, self._sizes[place], after])
        rest = JoinedRows([part for part in (first, last) if part.n_rows])
        sides = [*self._before[:place][-1:], *self._after[place + 1 :][:1]]
        problem = self._problem(rest, sum(sides[1:], start=sides[0]))
        if problem.scatter.unknown.any():  # through a guard of its own
            return self._problem(rest, sum_moments(rest, self._coding, self._guard.fill))
        return problem

    def _problem(self, rest: JoinedRows, moments: Moments) -> TableProblem:
        scatter = Scatter(moments, self._coding, rest)
        products = RowProducts(rest, moments.guard)
        return TableProblem(products, scatter, self._coding, standardize=self._standardize)


def problem_of_rows(
    source: MemoryRows, coding: Coding, missing: str = "error", *, standardize: bool = True
) -> TableProblem:
    """The problem of a table in memory, measured by itself; with `missing="mean"` filled in by its means."""
    fill = source.reduce(count_missing).fill if missing == "mean" else None
    moments = sum_moments(source, coding, fill)
    reject_nonfinite(moments.finite, source.names, None, missing)
    products = RowProducts(source, moments.guard)
    return TableProblem(products, Scatter(moments, coding, source), coding, standardize=standardize)


def _values(X: Any, rows: Indices, columns: Indices) -> Any:
    """The values at some rows and columns; of a sparse matrix the stored ones."""
    return X[np.ix_(rows, columns)] if isinstance(X, np.ndarray) else X[rows][:, columns].data
