"""Memory that a table needs, compared with that available before it is read: a file can claim any size."""

from __future__ import annotations

from collections.abc import Callable

from fisherset._memory import format_bytes, free_memory

COLUMN = 700  # bytes a column takes besides its numbers, up to the end of a selection: 560 to 600 measured


class TooLargeError(ValueError):
    """More than memory holds."""


def check_room(name: str, size: float, what: str, free: float | None = None) -> None:
    """Refuse what would take more bytes than can be had, or could before some were taken."""
    free = free_memory() if free is None else free
    if size > free:
        raise TooLargeError(
            f"{name} needs {format_bytes(size)} of memory for {what}; {format_bytes(free)} are free. "
            f"Use fewer rows or columns."
        )


def room_now(name: str) -> Callable[[float, str], None]:
    """Refuses as `check_room` does, but by what can be had now: for what takes of it little by little."""
    free = free_memory()

    def check(size: float, what: str) -> None:
        check_room(name, size, what, free)

    return check


def check_shape(name: str, n_rows: int, n_columns: int, *, dense: bool = True) -> None:
    """Refuse a table whose numbers, or whose columns alone, would take more memory than can be had."""
    size = n_columns * COLUMN + (8 * n_rows * n_columns if dense else 0)
    check_room(name, size, f"{n_rows} rows of {n_columns} columns")
