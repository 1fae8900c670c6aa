"""The one thing every source can do: reduce the table by a block kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Sparse: TypeAlias = Any  # csr_array or csc_array: scipy has no types
Matrix: TypeAlias = NDArray[Any] | Sparse


@dataclass(frozen=True)
class Block:
    """Consecutive rows of the table and where they stand in it."""

    X: Matrix
    rows: slice


class Additive(Protocol):
    """A value that blocks can be merged by: arrays add, lists append."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Additive)


class Source(Protocol):
    """A table of numbers, read by blocks of rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""

    @property
    def n_passes(self) -> int:
        """How many times the whole table has been read."""

    def head(self, n_rows: int) -> Matrix:
        """The first rows."""

    def stored(self, rows: NDArray[np.bool_]) -> NDArray[np.intp] | None:
        """Number of stored entries of each column in some rows of a sparse table, None for a dense one."""

    def reduce(self, kernel: Callable[[Block], T]) -> T:
        """The sum of kernel(block) over all blocks, in row order: one pass."""
