"""What may be held besides the table: a budget of bytes, what it has to be at least, and how it is shared."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from fisherset._memory import format_bytes
from fisherset.statistics.products.gram import CACHE_BYTES
from fisherset.statistics.sums.scatter import SLICE

LARGEST_ARRAY = 2**26  # numbers that an array of a search may have where nobody says
DEFAULT_MEMORY = (
    2**30
)  # bytes that may be held where nobody says: so that the way is the same on every machine
# Arrays that are held at a time: of as many numbers as columns, of as many as C has, and of a slice of it.
VECTORS, MATRICES, SLICES = 28, 4, 6
ARRAYS = 8  # of the largest array of a search that are held at a time


class Shares(NamedTuple):
    """What a budget comes to: bytes for pieces of the Gram matrix, numbers for an array of a search."""

    cache: int
    largest: int


def shares(budget: int | None, n_columns: int, n_targets: int, *, by_passes: bool = False) -> Shares:
    """The shares of a budget. Where every question is a pass over the data most of it is for the answers."""
    if budget is None and not by_passes:
        return Shares(CACHE_BYTES, LARGEST_ARRAY)
    left = max((DEFAULT_MEMORY if budget is None else budget) - _held(n_columns, n_targets), 0)
    cache = 3 * left // 4 if by_passes else left // 4
    return Shares(cache, max(1, min((left - cache) // (8 * ARRAYS), LARGEST_ARRAY)))


def least_memory(
    n_columns: int, n_targets: int, n_chosen: int, *, n_rows: int | None = None, by_passes: bool = False
) -> int:
    """Bytes without which sets of `n_chosen` columns cannot be searched for as they are with any more.

    Parameters
    ----------
    n_columns : int
        Number of columns of the table.
    n_targets : int
        Number of classes, of labels or of numbers to explain.
    n_chosen : int
        Number of columns of the largest set.
    n_rows : int, optional
        Number of rows, where they can be had together.
    by_passes : bool
        Whether the rows are beyond memory, so that every question is a pass over them.

    Examples
    --------
    >>> from fisherset.statistics import least_memory
    >>> round(least_memory(1_000_000, 2, 50) / 1e6)
    311
    """
    order = min(n_chosen, n_columns)  # of the systems that are solved
    if by_passes:
        order *= 3  # those of the relaxation, too, which would take a pass for each step otherwise
    elif n_rows is not None:
        order = min(order, n_rows)
    numbers = min(order**2, LARGEST_ARRAY)
    share = 1 if by_passes else 3  # of the four parts that `shares` makes
    return _held(n_columns, n_targets) + ceil(4 * 8 * ARRAYS * numbers / share)


def check_least_memory(budget: int | None, least: int, what: str) -> None:
    """Refuse a budget below what something needs, said in words."""
    if budget is not None and budget < least:
        raise ValueError(
            f"max_memory must be at least {format_bytes(least)} for this: {what} need as much; got "
            f"{format_bytes(budget)}. Raise it, or select fewer."
        )


def _held(n_columns: int, n_targets: int) -> int:
    """Bytes of what is as long as the table is wide."""
    of_C = n_columns * min(n_targets, n_columns)
    return 8 * (n_columns * (VECTORS + n_targets) + MATRICES * of_C + SLICES * min(SLICE, of_C))
