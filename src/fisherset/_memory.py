"""Memory: how much there is, and how a number of bytes is written and read."""

from __future__ import annotations

import math
import re
from pathlib import Path

FREE = Path("/proc/meminfo")
ALLOWED = Path("/sys/fs/cgroup/memory.max")  # what a container may use
SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgtpe]?)(i?)b?\s*", re.IGNORECASE)
PREFIXES = " kmgtpe"


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


def format_bytes(size: float) -> str:
    """A number of bytes as a person reads it: "3.6 TB"."""
    if size < 1e3:
        return f"{size:.0f} bytes"
    power = min(int(math.log10(size) / 3), 6)
    return f"{size / 1e3**power:.1f} {PREFIXES[power].upper() if power > 1 else PREFIXES[power]}B"


def parse_bytes(text: str) -> int | None:
    """The number of bytes that a text such as "2GB" or "500 MiB" names; None where it names none."""
    found = SIZE.fullmatch(text)
    if found is None:
        return None
    number, unit, binary = found.groups()
    base = 1024 if binary else 1000
    return int(float(number) * base ** PREFIXES.index(unit.lower() or " "))
