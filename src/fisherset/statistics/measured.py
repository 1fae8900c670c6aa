"""What is known of a table once it has been read, and what may be given beside it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.data import Source
from fisherset.statistics import Classes, Coding, Scatter, SourceProducts, StoredProducts


class Counter(Protocol):
    """Whoever counts the passes."""

    n_passes: int


class Measured(NamedTuple):
    """One pass worth of a table with its targets."""

    source: Source | None  # None where there are no rows any more
    products: SourceProducts | StoredProducts
    coding: Coding
    scatter: Scatter
    classes: NDArray[Any]  # none where the targets are numbers
    codes: NDArray[np.intp]  # class of each row, where the rows are in memory
    missing: Indices | None = None  # values that each column lacks, where that is allowed
    counter: Counter | None = None  # None where nothing was read
    max_memory: int | None = None  # bytes that may be held besides the table

    @property
    def n_passes(self) -> int:
        """How often the table was read."""
        return 0 if self.counter is None else self.counter.n_passes

    @property
    def one_class_each(self) -> bool:
        """Whether each row is of one class."""
        return isinstance(self.coding, Classes)


class Beside(NamedTuple):
    """What may be given beside X and y."""

    sample_weight: Any = None
    class_weight: Any = None
    confounders: Any = None
    adjusted: Indices | None = None  # columns of X that are taken out of the others
    missing: str = "error"  # or "mean": missing values of X count as the mean of their column
    max_memory: int | None = None  # bytes that may be held besides the table


ALONE = Beside()


class BesideNames(NamedTuple):
    """What several targets, or confounders, are called; None where they have no names."""

    targets: list[str] | None = None
    confounders: list[str] | None = None


UNNAMED = BesideNames()
