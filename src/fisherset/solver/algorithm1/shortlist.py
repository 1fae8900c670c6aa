"""The units among which cuts are looked for first: their block of G is held, so that it takes no pass."""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import NONE, Domain
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation.relaxation import POOL_FACTOR, POOL_LEAST, gradient
from fisherset.solver.ridge import largest_system
from fisherset.solver.units import largest

EVERY = 1024  # columns up to which all of them are listed


class Shortlist:
    """Some units in column order, `members`, and G among their columns.

    Parameters
    ----------
    problem : Problem
        What G is a part of.
    domain : Domain
        Its units; those it excludes are never listed.
    gamma : float
        The ridge.
    """

    def __init__(self, problem: Problem, domain: Domain, gamma: float) -> None:
        self.problem, self.units, self.gamma = problem, domain.units, gamma
        self.first: Floats = self.units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
        self.members, self.columns, self._G = NONE, NONE, np.empty((0, 0))
        columns = self.units.n_columns
        size = self.units.size if columns <= EVERY else max(POOL_FACTOR * domain.m, POOL_LEAST)
        most = largest_system(problem) * self.units.size // max(columns, 1)
        allowed = self.units.size - domain.excluded.size
        self.add(domain.candidates(self.first, min(size, most, allowed)))

    def add(self, some: Indices) -> bool:
        """List more units, where their block may be held, and say whether any is new."""
        new = np.setdiff1d(some, self.members)
        members = np.union1d(self.members, new)
        columns = self.units.columns(members)
        if not new.size or columns.size > largest_system(self.problem):
            return False
        known = np.isin(columns, self.columns)
        G = np.empty((columns.size, columns.size))
        G[np.ix_(known, known)] = self._G
        G[:, ~known] = self.problem.gram(columns[~known], rows=columns)
        G[np.ix_(~known, known)] = G[np.ix_(known, ~known)].T
        self.members, self.columns, self._G = members, columns, G
        return True

    def add_lacking(self, domain: Domain, g: Floats) -> bool:
        """List those of all units whose g would put them into the worst cut of the listed ones."""
        threshold = -np.inf
        if self.members.size >= domain.m:
            threshold = domain.within(self.members).threshold(g[self.members])
        outside = g > threshold
        outside[self.members] = outside[domain.excluded] = False
        lacking = np.flatnonzero(outside)
        return self.add(lacking[largest(g[lacking], max(domain.m, POOL_LEAST))])

    def violated(self, domain: Domain, q: Floats, A: Indices, W: Floats) -> tuple[Indices, float]:
        """The set of listed units that is violated most for V = H - X_A W, Eq. (26), and by how much of F.

        By nothing where not all of the columns A are listed.
        """
        if not self.lists(A):
            return NONE, 0.0
        XV = self.problem.C[self.columns] - self._G[:, np.searchsorted(self.columns, A)] @ W
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        listed = domain.within(self.members)
        return self.members[listed.best(g)], listed.bound(0.0, g, q[self.members])

    def lists(self, columns: Indices) -> bool:
        """Whether columns are all of listed units."""
        return bool(np.isin(columns, self.columns).all())

    def gram(self, columns: Indices) -> Floats:
        """G among listed columns."""
        places = np.searchsorted(self.columns, columns)
        return self._G[np.ix_(places, places)]
