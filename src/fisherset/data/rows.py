"""The one thing every source can do: reduce the table by a block kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

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
