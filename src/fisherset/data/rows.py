"""The one protocol of tables: a sequence of blocks of rows, reduced by a kernel wherever they are.

Rows in memory are the case whose blocks are views. Files and Dask compute their blocks anew in each pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Sparse: TypeAlias = Any  # csr_array or csc_array: scipy has no types
Matrix: TypeAlias = NDArray[Any] | Sparse


class Place(NamedTuple):
    """Origin of a block: the name of its file or partition, and the number of its first row there, from 1."""

    name: str
    row: int


class Coded(NamedTuple):
    """Labels of rows as the distinct labels, and the number of each row's label among them."""

    labels: Sequence[Any] | NDArray[Any]
    codes: NDArray[np.intp]
    untyped: bool = False  # whether they are strings of a file without types, which may spell numbers


@dataclass(frozen=True)
class Block:
    """Some rows of a table, each with its target and its weight.

    Blocks that come from `Rows` hold what the data hold: `y` is one label or number a row, `Coded`, or a
    table of numbers; X, weights and confounders of Dask may be pandas objects. Kernels of the statistics are
    given blocks that were read: numbers, and `y` as the coding takes it.
    """

    X: Matrix
    y: Any = None
    weight: NDArray[np.float64] | None = None  # None where every row counts once
    confounders: NDArray[np.float64] | None = None  # removed from the columns besides the mean
    place: Place | None = None  # None in memory

    def kept(self, rows: NDArray[np.bool_]) -> Block:
        """Some of the rows."""
        y = self.y._replace(codes=self.y.codes[rows]) if isinstance(self.y, Coded) else _some(self.y, rows)
        beside = _some(self.weight, rows), _some(self.confounders, rows)
        return Block(self.X[rows], y, *beside, self.place)


def _some(values: Any, rows: NDArray[np.bool_]) -> Any:
    return None if values is None else values[rows]


class Additive(Protocol):
    """A value that blocks can be merged by: arrays add, lists append."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Additive)

# Computed from one block: a small picklable object that can be sent to where the block is. It may
# say in `n_numbers` how many numbers it makes of a block however few its rows are.
Kernel: TypeAlias = Callable[[Block], T]


class Rows(Protocol):
    """A table, read by blocks of rows."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    @property
    def n_rows(self) -> int | None:
        """Number of rows, None where it is not known before a pass."""

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, None where they have none."""

    @property
    def targets(self) -> list[str] | None:
        """Names of several targets, None where they have none."""

    def head(self) -> Block:
        """The first rows."""

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        """The sum of kernel(block) over all blocks, in row order: one pass. Without `columns` X has none."""

    def labels(self, found: list[Any]) -> list[Any]:
        """Meaning of labels found in the blocks, such as the numbers that untyped strings spell."""


class _Wrapper:
    """Rows that stand for other rows."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.n_columns, self.names, self.targets = rows.n_columns, rows.names, rows.targets
        self.confounder_names: list[str] | None = getattr(rows, "confounder_names", None)

    @property
    def n_rows(self) -> int | None:
        return self.rows.n_rows

    def head(self) -> Block:
        return self.rows.head()

    def labels(self, found: list[Any]) -> list[Any]:
        return self.rows.labels(found)


class CountedRows(_Wrapper):
    """Rows that count the passes over them, the unit of cost beyond memory."""

    n_passes = 0

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        self.n_passes += 1
        return self.rows.reduce(kernel, columns=columns)


class PreparedRows(_Wrapper):
    """Rows whose blocks are prepared for kernels first, and must be the same in every pass.

    Parameters
    ----------
    rows : Rows
        The table.
    prepare : callable
        Makes a block with coded targets of one as it came.
    """

    def __init__(self, rows: Rows, prepare: Callable[[Block], Block]) -> None:
        super().__init__(rows)
        self._prepare = prepare
        self._squares: float | None = None

    def reduce(self, kernel: Kernel[Any], *, columns: bool = True) -> Any:
        found = self.rows.reduce(_Prepared(self._prepare, kernel), columns=columns)
        before = found.squares if self._squares is None else self._squares
        # the same numbers may be added up in another order
        if abs(found.squares - before) > 1e-11 * before:
            raise ValueError(
                "The data changed between passes: X must stay as it is while it is read. Start again once "
                "nobody writes to it, or read it from where nobody does."
            )
        self._squares = before
        return found.value


@dataclass
class _Witnessed(Generic[T]):
    """A kernel's value of some rows, and a sum of squares of theirs, which changes when the data do."""

    value: T
    squares: float

    def __add__(self, other: _Witnessed[T]) -> _Witnessed[T]:
        return _Witnessed(self.value + other.value, self.squares + other.squares)

    def __iadd__(self, other: _Witnessed[T]) -> _Witnessed[T]:
        self.value += other.value
        self.squares += other.squares
        return self


@dataclass(frozen=True)
class _Prepared(Generic[T]):
    """A kernel on blocks that are prepared first."""

    prepare: Callable[[Block], Block]
    kernel: Kernel[T]

    def __call__(self, block: Block) -> _Witnessed[T]:
        block = self.prepare(block)
        return _Witnessed(self.kernel(block), _sum_of_squares(block.X))


def _sum_of_squares(X: Matrix) -> float:
    """Of the stored entries of a sparse block, or of 64 columns of a dense one: at next to no cost."""
    some = X[:, :: max(1, X.shape[1] // 64)] if isinstance(X, np.ndarray) else X.data
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sum(np.square(np.asarray(some, dtype=np.float64))))


def check_unchanged(before: int | None, n_rows: int, fix: str = "") -> None:
    """Refuse a table that has gained or lost rows since the pass before."""
    if before is not None and before != n_rows:
        raise ValueError(
            f"The data changed between passes: X had {before} rows, and has {n_rows} now. Start again once "
            f"nobody writes to it{fix}."
        )
