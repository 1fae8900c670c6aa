"""What is left of every unit outside a subset: base of a column, base_JJ of a group (see `subset`).

Groups of a size are kept, and solved for, in one stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.linear import solve_stack
from fisherset.solver.problem import Problem
from fisherset.solver.units import Units


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
    """Base of every unit; what is taken out of the columns, row by row of a factor, goes from it."""

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

    def take_out(self, row: Floats) -> None:
        """Account for a row of the Cholesky factor of the members, carried on to all columns."""
        if self._singly is not None:
            self._singly = np.maximum(self._singly - row**2, self._gamma)  # never below but for rounding
        for stack, base in self._blocks:
            part = row[stack.columns]
            base -= part[:, :, None] * part[:, None, :]

    def gains(self, R: Floats) -> Floats:
        """What n F gains by each unit, of whose columns R is left of C: tr(R_J' base_JJ^-1 R_J)."""
        if self._singly is not None:
            alone: Floats = np.einsum("jr,jr->j", R, R) / self._singly
            return alone
        gains = np.empty(self._size)
        for stack, base in self._blocks:
            left = R[stack.columns]
            gains[stack.units] = np.einsum("jsr,jsr->j", left, solve_stack(base, left, self._gamma))
        return gains
