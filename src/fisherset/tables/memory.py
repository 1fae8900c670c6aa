"""What a table takes of memory, held against what there is before it is read: a file can claim any size."""

from __future__ import annotations

import math
from pathlib import Path

COLUMN = 700  # bytes a column takes besides its numbers, up to the end of a selection: 560 to 600 measured
FREE = Path("/proc/meminfo")
ALLOWED = Path("/sys/fs/cgroup/memory.max")  # what a container may use


class TooLargeError(ValueError):
    """More than memory holds."""


def check_room(name: str, size: float, what: str) -> None:
    """Refuse what would take more bytes than can be had."""
    free = free_memory()
    if size > free:
        raise TooLargeError(
            f"{name} would take {in_bytes(size)} of memory, for {what}; {in_bytes(free)} are free. "
            f"Use fewer rows or columns, or a larger machine."
        )


def check_shape(name: str, n_rows: int, n_columns: int, *, dense: bool = True) -> None:
    """Refuse a table whose numbers, or whose columns alone, would take more memory than can be had."""
    size = n_columns * COLUMN + (8 * n_rows * n_columns if dense else 0)
    check_room(name, size, f"{n_rows} rows of {n_columns} columns")


def free_memory() -> float:
    """Bytes that can still be had, as far as the system says; else infinitely many."""
    free = math.inf
    if FREE.is_file():
        for line in FREE.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = 1024.0 * int(line.split()[1])
    if ALLOWED.is_file() and (allowed := ALLOWED.read_text().strip()).isdigit():
        free = min(free, float(allowed))
    return free


def in_bytes(size: float) -> str:
    """A number of bytes as a person reads it: "3.6 TB"."""
    if size < 1e3:
        return f"{size:.0f} bytes"
    power = min(int(math.log10(size) / 3), 6)
    return f"{size / 1e3**power:.1f} {' kMGTPE'[power]}B"
