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
    """Some rows of the table, each with its target and its weight."""

    X: Matrix
    y: NDArray[Any] | None = None  # as the coding reads it; None where rows have no target
    weight: NDArray[np.float64] | None = None  # None where every row counts once
    confounders: NDArray[np.float64] | None = None  # what is taken out of the columns besides the mean


class Additive(Protocol):
    """A value that blocks can be merged by: arrays add, lists append."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Additive)

# What is computed of one block: a small object that can be sent to where the block is. It may
# say in `n_numbers` how many numbers it makes of a block however few its rows are.
Kernel: TypeAlias = Callable[[Block], T]


class Source(Protocol):
    """A table of numbers, read by blocks of rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, None where they have none."""

    def reduce(self, kernel: Kernel[T]) -> T:
        """The sum of kernel(block) over all blocks, in row order: one pass."""


class CountedSource:
    """A source that counts its passes, the unit of cost beyond memory."""

    def __init__(self, source: Source) -> None:
        self.source, self.n_passes = source, 0

    @property
    def shape(self) -> tuple[int, int]:
        return self.source.shape

    @property
    def names(self) -> list[str] | None:
        return self.source.names

    def reduce(self, kernel: Kernel[T]) -> T:
        self.n_passes += 1
        return self.source.reduce(kernel)
