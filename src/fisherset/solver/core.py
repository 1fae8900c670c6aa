"""The columns that are left in play, with all of G among them at hand: what exact search works on."""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.units import Units

# Products of copies differ by no more than this many times their errors; so do values of sets, then.
OFF_IN_COPIES = 4


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
        self.G: Floats = problem.gram(self.columns, rows=self.columns)
        kept = np.flatnonzero(np.isin(members, domain.kept))
        self.domain = Domain(self.units, domain.m, kept)

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
        """The block G[rows, columns]; all rows when None."""
        return self.G[:, columns] if rows is None else self.G[np.ix_(rows, columns)]

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group."""
        return self.G[columns[:, :, None], columns[:, None, :]]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W; all rows when None."""
        product: Floats = self.gram(columns, rows) @ W
        return product

    def values(self, sets: Indices, gamma: float) -> Floats:
        """F of many sets of as many columns each, a row of column numbers each."""
        size = sets.shape[1]
        C, M = self.C[sets], self.G[sets[:, :, None], sets[:, None, :]] + gamma * np.eye(size)
        values: Floats = np.einsum("pir,pir->p", C, np.linalg.solve(M, C)) / self.n
        return values
