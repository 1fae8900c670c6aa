"""Rows as statistics want them: each block prepared where it is, by a small object that can be sent there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from fisherset.sources.base import Block, Kernel, Matrix, Rows, T

Prepare = Callable[[Block], Block]

WITNESSES = 64  # columns of a dense table that are looked at
SAME = 1e-11  # share by which a sum of squares may differ that is added up in another order


@dataclass
class Witnessed(Generic[T]):
    """What is made of some rows, and the sum of their squares, by which it shows that they have changed."""

    value: T
    squares: float

    def __add__(self, other: Witnessed[T]) -> Witnessed[T]:
        return Witnessed(self.value + other.value, self.squares + other.squares)

    def __iadd__(self, other: Witnessed[T]) -> Witnessed[T]:
        self.value += other.value
        self.squares += other.squares
        return self


@dataclass(frozen=True)
class Prepared(Generic[T]):
    """A kernel on blocks that are prepared first."""

    prepare: Prepare
    kernel: Kernel[T]

    @property
    def n_numbers(self) -> int:
        n_numbers: int = getattr(self.kernel, "n_numbers", 0)
        return n_numbers

    def __call__(self, block: Block) -> Witnessed[T]:
        block = self.prepare(block)
        return Witnessed(self.kernel(block), sum_of_squares(block.X))


def sum_of_squares(X: Matrix) -> float:
    """Of what a sparse block stores, or of some columns of a dense one: for next to nothing."""
    some = X[:, :: max(1, X.shape[1] // WITNESSES)] if isinstance(X, np.ndarray) else X.data
    numbers = np.asarray(some, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sum(np.square(numbers)))


class PreparedSource:
    """A source of rows that stay where they are.

    Parameters
    ----------
    rows : Rows
        The table.
    prepare : callable
        Makes a block with coded targets of one as it came.
    n_rows : int
        Number of rows.
    """

    def __init__(self, rows: Rows, prepare: Prepare, n_rows: int) -> None:
        self.rows, self._prepare = rows, prepare
        self.shape, self.names = (n_rows, rows.n_columns), rows.names
        self._squares: float | None = None

    def reduce(self, kernel: Kernel[Any]) -> Any:
        """The sum of kernel(block) over all blocks, in row order: one pass. All passes must see the same."""
        found = self.rows.reduce(Prepared(self._prepare, kernel))
        before = found.squares if self._squares is None else self._squares
        if abs(found.squares - before) > SAME * before:
            raise ValueError(
                "The table must stay as it is while it is read; its numbers are not those of the pass "
                "before. Start again once nobody writes to it, or read it from where nobody does."
            )
        self._squares = before
        return found.value
