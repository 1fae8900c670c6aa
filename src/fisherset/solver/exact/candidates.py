"""The columns that are left in play, with G among them: what exact search works on.

G is held whole as far as there is memory for it. Beyond, its rows are computed when a search asks for
them: it does so for the few columns that have a weight, however many could have one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.ridge import largest_system
from fisherset.solver.units import Units

# Products of copies differ by no more than this many times their errors; so do values of sets, then.
OFF_IN_COPIES = 4


class GramRows:
    """The rows of G among some columns of a problem, computed when asked for, kept while there is memory."""

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
        rows: Floats = self._rows[(self._place[first], *second)]
        return rows

    def _compute(self, some: Indices) -> None:
        new = some[self._place[some] < 0]
        if self._count + new.size > self._most:  # the weights have moved on
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


class Core:
    """A problem of some columns of another, which are the columns of its `members`, unit after unit."""

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

    def copies(self) -> Indices:
        """The first column that each is a copy of, as far as the rounding of G tells; of groups none is."""
        firsts = np.arange(self.units.size)
        if self.units.groups is not None:
            return firsts
        lengths, cross = self.rounding.lengths, OFF_IN_COPIES * self.rounding.cross
        off = OFF_IN_COPIES * self.rounding.unit * lengths
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
        """Whether two columns have the same products with all, and with the targets."""
        rounding = self.rounding
        off = OFF_IN_COPIES * rounding.unit * rounding.lengths[j]
        in_G = np.abs(self.G[i] - self.G[j]) <= off * rounding.lengths
        return bool(in_G.all() and np.all(np.abs(self.C[i] - self.C[j]) <= OFF_IN_COPIES * rounding.cross[j]))

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
        product: Floats = self.gram(columns, rows) @ W
        return product

    def values(self, sets: Indices, gamma: float) -> Floats:
        """F of many sets of as many columns each, a row of column numbers each."""
        size = sets.shape[1]
        C, M = self.C[sets], self.blocks(sets) + gamma * np.eye(size)
        values: Floats = np.einsum("pir,pir->p", C, np.linalg.solve(M, C)) / self.n
        return values

    def _of(self, rows: Indices | None) -> Indices:
        """Rows as the problem has them."""
        return self.columns if rows is None else self.columns[rows]
