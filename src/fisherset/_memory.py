"""Free memory, and numbers of bytes as people write them."""

from __future__ import annotations

import math
import re
from pathlib import Path

FREE = Path("/proc/meminfo")
ALLOWED = Path("/sys/fs/cgroup/memory.max")  # limit of a container
TAKEN = Path("/proc/self/statm")
NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
SIZE = re.compile(rf"\s*({NUMBER})\s*(?:([kmgtpe])(i?)b?|b|bytes)?\s*", re.IGNORECASE)
PREFIXES = " kmgtpe"
LEAST_MEMORY = 10**6  # bytes: with less not even small tables can be worked on


def free_memory() -> float:
    """Bytes of memory that are available, as far as the system says; else infinity."""
    free = math.inf
    if FREE.is_file():
        for line in FREE.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = 1024.0 * int(line.split()[1])
    if ALLOWED.is_file() and (allowed := ALLOWED.read_text().strip()).isdigit():
        free = min(free, float(allowed))
    return min(free, _free_addresses())


def _free_addresses() -> float:
    """Bytes that this process may still take where its memory is limited, as by `ulimit -v`."""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or not TAKEN.is_file():
        return math.inf
    return max(0.0, float(limit) - resource.getpagesize() * int(TAKEN.read_text().split()[0]))


def format_bytes(size: float) -> str:
    """Write a number of bytes for people: "3.6 TB"."""
    if size < 1e3:
        return f"{size:.0f} bytes"
    power = min(int(math.log10(size) / 3), 6)
    return f"{size / 1e3**power:.1f} {PREFIXES[power].upper() if power > 1 else PREFIXES[power]}B"


def parse_bytes(text: str) -> int | None:
    """Number of bytes in a string such as "2GB", "500 MiB" or "1e9"; None for any other string."""
    found = SIZE.fullmatch(text)
    if found is None:
        return None
    number, unit, binary = found.groups()
    size = float(number) * (1024 if binary else 1000) ** PREFIXES.index((unit or " ").lower())
    return int(size) if math.isfinite(size) else None
