"""Standard input as a file: what is read by its suffix, and more than once, has to be one."""

from __future__ import annotations

import errno
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fisherset.tables.streams.readers import IPC_STREAM
from fisherset.tables.text.compression import MAGIC_BYTES, packing_of

NAME = "standard input"
COPIED = 2**20
# How files start that are no text.
SUFFIXES = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"FEA1": ".feather",
    IPC_STREAM: ".arrows",
    b"PK\x03\x04": ".npz",
    b"\x89HDF": ".h5ad",
}
PACKED_TEXT = {"gzip": ".txt.gz", "bz2": ".txt.bz2", "zstd": ".txt.zst", "lz4": ".txt.lz4", "xz": ".txt.xz"}


@contextmanager
def spooled() -> Iterator[Path]:
    """A private file with all that comes from standard input, there as long as it is used.

    Its suffix is that of what its first bytes say it is, and of a text where they say nothing. Whatever
    happens, it is removed.

    Yields
    ------
    path : Path
        The file, called "standard input" with the suffix after it.
    """
    source: Any = sys.stdin
    if source is None or source.closed:
        raise ValueError("There is no standard input; name a file.")
    if source.isatty():
        raise ValueError(
            "Standard input is a terminal, from which no table comes: pass one with | or <, or name a file."
        )
    with tempfile.TemporaryDirectory(prefix="fisherset-", ignore_cleanup_errors=True) as folder:
        yield _copied(source.buffer, Path(folder))


def _copied(source: Any, folder: Path) -> Path:
    """Standard input in a file of this folder."""
    chunk = source.read(COPIED)
    if not chunk:
        raise ValueError("Standard input is empty; does what comes before | fail?")
    path = folder / f"{NAME}{_suffix(chunk[:MAGIC_BYTES])}"
    try:
        with path.open("wb") as file:
            while chunk:
                file.write(chunk)
                chunk = source.read(COPIED)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise ValueError(
            f"Standard input finds no room in {str(folder.parent)!r}: name a folder that has some in TMPDIR, "
            f"or pass a file."
        ) from error
    return path


def _suffix(start: bytes) -> str:
    found = next((suffix for magic, suffix in SUFFIXES.items() if start.startswith(magic)), None)
    return found or PACKED_TEXT.get(packing_of(start) or "", ".txt")
