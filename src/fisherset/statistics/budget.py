"""Memory besides the table: how a budget of bytes is shared, and the least that a search needs.

A search holds vectors as long as the table is wide, a few matrices as large as C (d x c), systems of the
order of the set it looks for, and a cache of blocks of G. The first two are needed in any case; the rest of
the budget is divided between the cache and the systems.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from fisherset._memory import format_bytes
from fisherset.statistics.products.gram import CACHE_BYTES
from fisherset.statistics.sums.scatter import SLICE

LARGEST_ARRAY = 2**26  # numbers that an array of a search may have where no budget is given: 512 MB
DEFAULT_MEMORY = 2**30  # bytes where none are given: a constant, so that every machine takes the same path
ARRAYS = 8  # of the largest size that a search holds at a time


class Budget(NamedTuple):
    """Shares of a budget: bytes for blocks of the Gram matrix, numbers for an array of a search."""

    cache: int
    largest: int


def split_budget(budget: int | None, n_columns: int, n_targets: int, *, by_passes: bool = False) -> Budget:
    """Divide a budget. Where each request is a pass over the rows, most of it is for the cache."""
    if budget is None and not by_passes:
        return Budget(CACHE_BYTES, LARGEST_ARRAY)
    left = max((DEFAULT_MEMORY if budget is None else budget) - _fixed_bytes(n_columns, n_targets), 0)
    cache = 3 * left // 4 if by_passes else left // 4
    return Budget(cache, max(1, min((left - cache) // (8 * ARRAYS), LARGEST_ARRAY)))


def least_memory(
    n_columns: int, n_targets: int, n_chosen: int, *, n_rows: int | None = None, by_passes: bool = False
) -> int:
    """Least bytes with which sets of `n_chosen` columns are searched for as with any more.

    `n_rows` is the number of rows where they can be had together; `by_passes` says that they are out of
    core, so that each request is a pass over them. `n_targets` counts classes, labels or numbers to explain.

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
    quarters = 1 if by_passes else 3  # that `split_budget` leaves to arrays
    return _fixed_bytes(n_columns, n_targets) + ceil(4 * 8 * ARRAYS * numbers / quarters)


def check_least_memory(budget: int | None, least: int, what: str) -> None:
    """Refuse a budget below what something, described in words, needs."""
    if budget is not None and budget < least:
        raise ValueError(
            f"max_memory must be at least {format_bytes(least)} for this: {what} need as much; got "
            f"{format_bytes(budget)}. Raise it, or select fewer."
        )


def _fixed_bytes(n_columns: int, n_targets: int) -> int:
    """Bytes of arrays as long as the table is wide: 28 vectors, the sums, 4 copies of C, 6 slices of it."""
    of_C = n_columns * min(n_targets, n_columns)
    return 8 * (n_columns * (28 + n_targets) + 4 * of_C + 6 * min(SLICE, of_C))
