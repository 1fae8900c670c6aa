"""The candidates of an exact search: the units not yet ruled out, with G among their columns.

G is held whole if it fits the memory limit. Otherwise its rows are computed on demand: a search needs those
of the few columns that have a weight, however many could have one.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain, Units
from fisherset.solver.problem import Problem, largest_system

# Products of copies of a column differ by at most this many times their errors, and so do values of sets:
# two errors that add, twice to be safe from the rounding of the comparison itself.
COPY_ERRORS = 4


class GramRows:
    """The rows of G among some columns of a problem, computed on demand and cached up to the memory limit."""

    def __init__(self, problem: Problem, columns: Indices) -> None:
        self._problem, self._columns = problem, columns
        self._most = max(1, problem.room // columns.size)
        self._place = np.full(columns.size, -1, dtype=np.intp)
        self._rows: Floats = np.empty((0, columns.size))
        self._count = 0

    def __getitem__(self, index: Any) -> Floats:
        """Rows, or entries of rows: G[i] or G[i, j] with arrays of places."""
        first, *second = index if isinstance(index, tuple) else (index,)
        self._compute(np.unique(first))
        return self._rows[(self._place[first], *second)]

    def _compute(self, some: Indices) -> None:
        new = some[self._place[some] < 0]
        if self._count + new.size > self._most:  # the weights have moved on: start over
            self._place[:], self._count, new = -1, 0, some
        if not new.size:
            return
        count = self._count + new.size
        if count > len(self._rows):
            more = np.empty((max(count, min(2 * len(self._rows), self._most)), self._columns.size))
            more[: self._count] = self._rows[: self._count]
            self._rows = more
        self._rows[self._count : count] = self._problem.gram(self._columns[new], rows=self._columns).T
        self._place[new] = np.arange(self._count, count)
        self._count = count


class Candidates:
    """A problem of some columns of another, those of the units `members`, unit after unit."""

    samples = None

    def __init__(self, problem: Problem, domain: Domain, members: Indices) -> None:
        self.members = members
        units = domain.units
        if units.groups is None:
            self.columns, self.units = members, Units(None, members.size)
        else:
            own = units.columns(members)
            places = np.searchsorted(members, units.groups[own])
            order = np.argsort(places, kind="stable")
            self.columns, self.units = own[order], Units(places[order], own.size)
        self.n, self.ceiling, self.room = problem.n, problem.ceiling, problem.room
        self.C: Floats = problem.C[self.columns]
        self.diagonal: Floats = problem.diagonal[self.columns]
        self.rounding = problem.rounding.of(self.columns)
        self._problem = problem
        self.G: Floats | GramRows = GramRows(problem, self.columns)
        if self.columns.size <= largest_system(problem):
            self.G = problem.gram(self.columns, rows=self.columns)
        required = np.flatnonzero(np.isin(members, domain.required))
        self.domain = Domain(self.units, domain.m, required)

    def with_gram(self, G: Floats) -> Candidates:
        """The same candidates with another matrix in place of G."""
        other = copy(self)
        other.G, other.diagonal = G, G.diagonal()
        return other

    def copies(self) -> Indices:
        """The first column that each is a copy of, up to the rounding of G; groups are never copies.

        Copies are interchangeable, so that a search need only consider them in one order.
        """
        firsts = np.arange(self.units.size)
        if self.units.groups is not None:
            return firsts
        lengths, cross = self.rounding.lengths, COPY_ERRORS * self.rounding.cross
        off = COPY_ERRORS * self.rounding.unit * lengths
        # copies are equal in C: only columns next to each other by its first column need be compared in G
        order = np.argsort(self.C[:, 0], kind="stable")
        apart = np.diff(self.C[order, 0]) > np.maximum(cross[order[1:]], cross[order[:-1]])
        for run in np.split(order, np.flatnonzero(apart) + 1):
            run = np.sort(run)
            alike = np.abs(self.diagonal[run] - self.G[np.ix_(run, run)]) <= off[run] * lengths[run]
            for place in np.flatnonzero(np.count_nonzero(alike, axis=1) > 1).tolist():
                j, before = int(run[place]), run[:place][alike[place, :place]]
                first = next((i for i in before.tolist() if firsts[i] == i and self._same(i, j)), j)
                firsts[j] = first
        return firsts

    def _same(self, i: int, j: int) -> bool:
        """Whether two columns have the same products with all columns, and with the targets."""
        rounding = self.rounding
        off = COPY_ERRORS * rounding.unit * rounding.lengths[j]
        in_G = np.abs(self.G[i] - self.G[j]) <= off * rounding.lengths
        return bool(in_G.all() and np.all(np.abs(self.C[i] - self.C[j]) <= COPY_ERRORS * rounding.cross[j]))

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None. The caller's to write to."""
        if isinstance(self.G, GramRows):
            return np.array(self._problem.gram(self.columns[columns], rows=self._of(rows)))
        return self.G[:, columns] if rows is None else self.G[np.ix_(rows, columns)]

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group."""
        if isinstance(self.G, GramRows):
            return np.stack([self.gram(some, rows=some) for some in columns])
        return self.G[columns[:, :, None], columns[:, None, :]]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W; all rows when None."""
        if isinstance(self.G, GramRows):
            return self._problem.product(self.columns[columns], W, self._of(rows))
        return self.gram(columns, rows) @ W

    def values(self, sets: Indices, gamma: float) -> Floats:
        """F of many sets of the same number of columns, a row of column numbers each."""
        size = sets.shape[1]
        C, M = self.C[sets], self.blocks(sets) + gamma * np.eye(size)
        return np.einsum("pir,pir->p", C, np.linalg.solve(M, C)) / self.n

    def _of(self, rows: Indices | None) -> Indices:
        """Rows as numbered in the problem."""
        return self.columns if rows is None else self.columns[rows]
