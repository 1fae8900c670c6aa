"""Forward selection: one unit at a time, each the one that raises F most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import EMPTY, Domain, Units, largest, ranked
from fisherset.solver.linear import solve, solve_stack
from fisherset.solver.problem import Problem
from fisherset.solver.trace import Trace

# Units whose Gram columns are fetched in one pass: the best next ones are often among the best now.
FETCHED_AHEAD = 8


def select_forward(problem: Problem, domain: Domain, gamma: float, *, trace: Trace) -> Indices:
    """The m units chosen one after the other, the required ones first, in column order.

    Adding j to A raises n F(A) by ||R_j||^2 / base_j (see `subset`), a group likewise by its block. A
    row of the Cholesky factor of G_AA + gamma I, carried on to all columns, updates both: one Gram
    column and O(k d) for each step. Stops at fewer units when the time is up.
    """
    units, R, m = domain.units, problem.C.copy(), domain.m
    size = domain.most_columns
    factor = (_Factor if size * len(R) <= problem.room else _LeanFactor)(problem, size)
    open_ = np.ones(units.size, dtype=bool)
    open_[domain.excluded] = False
    remainders = Remainders(problem, units, gamma)
    chosen: list[int] = []
    columns: dict[int, Floats] = {}
    for step in range(m):
        if trace.out_of_time():
            break
        gain = np.where(open_, remainders.gains(R), -np.inf)
        gain[domain.required[step : step + 1]] = np.inf
        ahead = largest(gain, min(FETCHED_AHEAD, m - step))
        ahead = ahead[ranked(gain[ahead])]
        best = int(ahead[0])
        own = units.columns(np.array([best]))
        if own[0] not in columns:
            fetched = units.columns(np.sort(ahead))
            columns = dict(zip(fetched.tolist(), problem.gram(fetched).T, strict=True))
        for j in own.tolist():
            row = factor.adjusted(columns.pop(j), j)
            pivot = np.sqrt(max(row[j] + gamma, gamma))  # below gamma only by rounding
            row /= pivot
            factor.add(row, j, pivot)
            R -= np.outer(row, R[j] / pivot)
            remainders.update(row)
        chosen.append(best)
        open_[best] = False
    return np.sort(np.array(chosen, dtype=np.intp))


class _Factor:
    """The Cholesky factor of the members, carried on to all columns."""

    def __init__(self, problem: Problem, size: int) -> None:
        self._rows: Floats = np.empty((size, problem.C.shape[0]))
        self._size = 0

    def adjusted(self, column: Floats, j: int) -> Floats:
        """Column j of G adjusted for the members."""
        done = self._rows[: self._size]
        left: Floats = column - done[:, j] @ done
        return left

    def add(self, row: Floats, j: int, pivot: float) -> None:
        """Make j a member; its row is its adjusted column over the pivot."""
        self._rows[self._size] = row
        self._size += 1


class _LeanFactor:
    """The factor among the members alone, if memory allows no more: a product with G carries it on."""

    def __init__(self, problem: Problem, size: int) -> None:
        self._problem, self._members = problem, EMPTY
        self._L: Floats = np.zeros((size, size))

    def adjusted(self, column: Floats, j: int) -> Floats:
        """Column j of G adjusted for the members."""
        A, size = self._members, self._members.size
        if not size:
            return column
        L = self._L[:size, :size]
        self._L[size, :size] = solve(L, column[A])
        left: Floats = column - self._problem.product(A, solve(L.T, self._L[size, :size, None]))[:, 0]
        return left

    def add(self, row: Floats, j: int, pivot: float) -> None:
        """Make j a member, the column of the last call of `adjusted`."""
        size = self._members.size
        self._L[size, size] = pivot
        self._members = np.append(self._members, j)


class Stack(NamedTuple):
    """Groups of one size, and their columns: groups x size."""

    units: Indices
    columns: Indices


def stacks(units: Units, some: Indices) -> list[Stack]:
    """Some units by size."""
    first, sizes = np.cumsum(units.sizes) - units.sizes, units.sizes[some]
    alike = ((size, some[sizes == size]) for size in np.unique(sizes))
    return [Stack(few, units.in_order[first[few][:, None] + np.arange(size)]) for size, few in alike]


class Remainders:
    """Base of every unit, adjusted for the members row by row of their Cholesky factor."""

    def __init__(self, problem: Problem, units: Units, gamma: float) -> None:
        self._gamma, self._size = gamma, units.size
        self._singly: Floats | None = None
        self._blocks: list[tuple[Stack, Floats]] = []
        if units.groups is None:
            self._singly = problem.diagonal + gamma
            return
        for stack in stacks(units, np.arange(units.size)):
            base = problem.blocks(stack.columns) + gamma * np.eye(stack.columns.shape[1])
            self._blocks.append((stack, base))

    def update(self, row: Floats) -> None:
        """Account for a row of the Cholesky factor of the members, carried on to all columns."""
        if self._singly is not None:
            self._singly = np.maximum(self._singly - row**2, self._gamma)  # as above
        for stack, base in self._blocks:
            part = row[stack.columns]
            base -= part[:, :, None] * part[:, None, :]

    def gains(self, R: Floats) -> Floats:
        """Gain of n F by each unit, R being C adjusted for the members: tr(R_J' base_JJ^-1 R_J)."""
        if self._singly is not None:
            alone: Floats = np.einsum("jr,jr->j", R, R) / self._singly
            return alone
        gains = np.empty(self._size)
        for stack, base in self._blocks:
            left = R[stack.columns]
            gains[stack.units] = np.einsum("jsr,jsr->j", left, solve_stack(base, left, self._gamma))
        return gains
