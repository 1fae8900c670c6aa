"""Rows as statistics want them: each block prepared where it is, by a small object that can be sent there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from fisherset.sources.base import Block, Kernel, Rows, T

Prepare = Callable[[Block], Block]


@dataclass(frozen=True)
class Prepared(Generic[T]):
    """A kernel on blocks that are prepared first."""

    prepare: Prepare
    kernel: Kernel[T]

    @property
    def n_numbers(self) -> int:
        n_numbers: int = getattr(self.kernel, "n_numbers", 0)
        return n_numbers

    def __call__(self, block: Block) -> T:
        return self.kernel(self.prepare(block))


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

    def reduce(self, kernel: Kernel[Any]) -> Any:
        """The sum of kernel(block) over all blocks, in row order: one pass."""
        return self.rows.reduce(Prepared(self._prepare, kernel))
