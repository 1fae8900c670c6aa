"""The one thing every source can do: reduce the table by a block kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Sparse: TypeAlias = Any  # csr_array or csc_array: scipy has no types
Matrix: TypeAlias = NDArray[Any] | Sparse


class Place(NamedTuple):
    """Where a block of rows comes from: what it is called, and the number of its first row there, from 1."""

    name: str
    row: int


class Coded(NamedTuple):
    """Labels of rows as different labels, each once, and the number of each row's: dictionaries, texts."""

    labels: tuple[Any, ...]
    codes: NDArray[np.intp]
    untyped: bool = False  # whether they are text without a type, which may spell numbers


@dataclass(frozen=True)
class Block:
    """Some rows of the table, each with its target and its weight."""

    X: Matrix
    y: Any = None  # as the coding reads it, of `Rows` as it stands in the data; None without a target
    weight: NDArray[np.float64] | None = None  # None where every row counts once
    confounders: NDArray[np.float64] | None = None  # what is taken out of the columns besides the mean
    place: Place | None = None  # None where rows are at hand


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


class Rows(Protocol):
    """A table that stays where it is. Its blocks hold targets as they stand in the data.

    `y` of a block is one label, or number, a row, `Coded` where that is how they are at hand, or a
    table of numbers; `confounders` are numbers.
    """

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    @property
    def n_rows(self) -> int | None:
        """Number of rows, None where nobody has counted them."""

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, None where they have none."""

    @property
    def targets(self) -> list[str] | None:
        """Names of several targets, None where they have none."""

    def head(self) -> Block:
        """The first rows."""

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        """The sum of kernel(block) over all blocks, in row order; without `columns` X has none."""

    def labels(self, found: list[Any]) -> list[Any]:
        """What the labels met in the blocks stand for, such as the numbers that texts spell."""


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
