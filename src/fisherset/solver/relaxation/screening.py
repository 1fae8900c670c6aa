"""Columns that need not be looked at again: they do not count, wherever V has gone since they were.

For any V and V_0 whatever, by the triangle inequality,

    ||x_j'V|| <= ||x_j'V_0|| + ||x_j|| ||V - V_0||,

and with V = H - X_A W the last norm, the spectral one, is known from G among the columns with weights
alone. Once all columns have been looked at, a later look is needed at those only that this lets reach
what counts: of thousands of columns, often hundreds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._rounding import Uppers
from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.proof import Tangent, lengths_left, tangent_of
from fisherset.solver.units import Units

FEW = 0.5  # share of the columns up to which a look at them alone is worth it


def least_length(units: Units, g: float, scale: float) -> float:
    """The ||x_j'V|| with which a column by itself reaches a gradient; of groups none can be named."""
    return float(np.sqrt(max(g, 0.0) * scale)) if units.groups is None else np.inf


class _Seen(NamedTuple):
    """A V = H - X_A W at which all columns were looked at, and the ||x_j'V|| at most."""

    A: Indices
    W: Floats
    lengths: Uppers


class Screen:
    """Remembers the last look at all columns, and so how large each can be at another V."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._seen: _Seen | None = None

    def note(self, A: Indices, W: Floats, lengths: Uppers) -> None:
        """Take in the ||x_j'V|| of all columns for V = H - X_A W."""
        if self.problem.samples is not None:  # where rows are not at hand, G is no cheaper to ask for
            self._seen = _Seen(A, W, lengths)

    def lengths(self, A: Indices, W: Floats, least: float = np.inf) -> Uppers | None:
        """What the ||x_j'V|| for V = H - X_A W are at most.

        None where nothing is known of it, or nothing but that all columns may reach the `least` length.
        """
        if self._seen is None:
            return None
        problem, seen = self.problem, self._seen
        columns = np.union1d(A, seen.A)
        if columns.size**2 > problem.room or columns.size > len(problem.C) // 4:  # dearer than a look at all
            return None
        change = np.zeros((columns.size, W.shape[1]))
        change[np.searchsorted(columns, A)] += W
        change[np.searchsorted(columns, seen.A)] -= seen.W
        G = problem.gram(columns, rows=columns)
        squared = float(np.linalg.eigvalsh(change.T @ (G @ change))[-1])
        way = np.sqrt(problem.rounding.raise_norm(squared, columns, change))
        if not way * np.sqrt(float(problem.diagonal.min())) < least:
            return None
        return Uppers(seen.lengths + problem.rounding.raise_own(problem.diagonal) * way)

    def tangent(
        self, domain: Domain, gamma: float, A: Indices, W: Floats, threshold: float
    ) -> tuple[Tangent, bool]:
        """The tangent for V = H - X_A W, and whether its g is that of all units.

        Else it is of those that may reach the threshold, and of the others what it is at most.
        """
        problem, units = self.problem, domain.units
        lengths = self.lengths(A, W, least_length(units, threshold, gamma * problem.n))
        if lengths is not None:
            g = units.spread(units.total(lengths**2 / (gamma * problem.n)))
            g[A] = np.inf
            rows = np.flatnonzero(g >= threshold)
            if rows.size <= FEW * lengths.size:
                explained, lengths[rows] = lengths_left(problem, A, W, rows)
                return tangent_of(problem, domain, gamma, explained, lengths), False
        explained, lengths = lengths_left(problem, A, W)
        self.note(A, W, lengths)
        return tangent_of(problem, domain, gamma, explained, lengths), True
