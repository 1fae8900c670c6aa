"""A table without some of its rows: what is summed over rows is the sum over all less that over the fold.

Cross-validation reads each row twice this way, once in the whole and once in its fold,
however many folds there are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.sources import Block, MemorySource, Source
from fisherset.statistics.gram import GramColumns
from fisherset.statistics.moments import Moments, measure, measure_through
from fisherset.statistics.problem import TableProblem, raw_cross
from fisherset.statistics.scatter import Scatter
from fisherset.statistics.targets import Targets

# Share of a column's sum of squares that must be left for its digits to survive the subtraction.
LEFT = 1e-6


class FoldedTable:
    """A table from which folds can be taken out.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The rows.
    targets : Targets
        Their classes; all weights are one.
    moments : Moments
        What one pass over the rows gave.
    standardize : bool
        Whether columns are scaled to standard deviation 1.
    """

    def __init__(self, X: Any, targets: Targets, moments: Moments, *, standardize: bool) -> None:
        self.targets, self._X, self._moments = targets, X, moments
        self._standardize = standardize
        self.source = MemorySource(X)
        # columns of the whole stay for all folds
        cross = partial(raw_cross, self.source, moments.guard, None)
        self.products = GramColumns(cross, X.shape[1])

    def whole(self) -> TableProblem:
        """The problem of all rows, which shares its products with the folds."""
        return WholeProblem(self, Scatter(self._moments), standardize=self._standardize)

    def without(self, fold: Indices, rest: Indices, *, by_rows: bool = False) -> TableProblem:
        """The problem of the rows `rest`, which are all but those of `fold`.

        Computed from the rows themselves with `by_rows`, for instance for the sample space,
        or where the fold holds nearly all there is of a column.
        """
        codes, n_classes = self.targets.codes, self.targets.n_classes
        targets = Targets(codes[rest], n_classes)
        if not by_rows:
            part = MemorySource(self._X[fold])
            of_part = measure_through(part, Targets(codes[fold], n_classes), self._moments.guard)
            moments = self._moments - of_part
            # where next to nothing is left, it is rounding, unless it is nothing indeed
            whole = self._moments.squares
            spent = np.flatnonzero((whole > 0) & (moments.squares <= LEFT * whole))
            if not spent.size or not np.any(_taken(self._X, rest, spent)):
                moments.squares[spent] = 0.0
                moments.sums[:, spent] = 0.0
                return RestProblem(self, part, targets, Scatter(moments), standardize=self._standardize)
        source = MemorySource(self._X[rest])
        scatter = Scatter(measure(source, targets))
        return TableProblem(source, targets, scatter, standardize=self._standardize, eager=True)


def _taken(X: Any, rows: Indices, columns: Indices) -> Any:
    """The values at some rows and columns; of a sparse matrix the stored ones."""
    return X[np.ix_(rows, columns)] if isinstance(X, np.ndarray) else X[rows][:, columns].data


class WholeProblem(TableProblem):
    """The statistics of a table from which folds are taken."""

    def __init__(self, table: FoldedTable, scatter: Scatter, *, standardize: bool) -> None:
        super().__init__(table.source, table.targets, scatter, standardize=standardize, eager=True)
        self._table = table

    def _raw_cross(self, columns: Indices, rows: Indices | None) -> Floats:
        return self._table.products.get(columns, rows)


class RestProblem(TableProblem):
    """The statistics of a table without a fold, whose rows are the `source`."""

    samples = None  # a fold cannot be subtracted from a kernel of rows

    def __init__(
        self, table: FoldedTable, fold: Source, targets: Targets, scatter: Scatter, *, standardize: bool
    ) -> None:
        super().__init__(fold, targets, scatter, standardize=standardize, eager=True)
        self._table = table

    def _reduce(self, kernel: Callable[[Block], Floats]) -> Floats:
        difference: Floats = self._table.source.reduce(kernel) - self.source.reduce(kernel)
        return difference

    def _raw_cross(self, columns: Indices, rows: Indices | None) -> Floats:
        difference: Floats = self._table.products.get(columns, rows)
        difference -= super()._raw_cross(columns, rows)
        return difference
