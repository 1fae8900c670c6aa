"""Packed files: known by their first bytes, whatever they are called, and counted as they are unpacked."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

# How packed files start, in the names that pyarrow has for it, but for the last, which Python unpacks.
PACKINGS = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
MAGIC_BYTES = 16
UNPACKED = 2**23  # bytes that are unpacked to see how many there will be


def packing_of(start: bytes) -> str | None:
    """How a file is packed that starts so; None where it is not."""
    return next((name for name, magic in PACKINGS.items() if magic.match(start)), None)


def unpacked(path: Path, packing: str | None, counted: Callable[[int], None] | None = None) -> Any:
    """A file, opened to be read from its start as what it unpacks to.

    A few bytes can stand for any number: `counted` is told how many have come so far, before they are
    handed on, and may refuse them.
    """
    import pyarrow as pa

    if packing is None and counted is None:
        return pa.OSFile(str(path))  # whatever its name looks like, a file
    if packing is None:
        return Unpacked(path.open("rb"), counted)
    if packing == "xz":
        return Unpacked(_Xz(path.open("rb")), counted)
    stream = pa.CompressedInputStream(pa.OSFile(str(path)), packing)
    return stream if counted is None else Unpacked(stream, counted)


def ratio_of(path: Path, packing: str) -> float:
    """To how many bytes one of a packed file unpacks, in its beginning."""
    import pyarrow as pa

    with path.open("rb") as file:
        stream = _Xz(file) if packing == "xz" else pa.CompressedInputStream(file, packing)
        return len(stream.read(UNPACKED)) / max(1, file.tell())


class Unpacked(io.RawIOBase):
    """A stream that says how many bytes have come.

    Parameters
    ----------
    stream : file
        What is read.
    counted : callable or None
        Told the number of bytes so far with each read.
    """

    def __init__(self, stream: Any, counted: Callable[[int], None] | None) -> None:
        super().__init__()
        self._stream, self._counted, self._n_bytes = stream, counted, 0

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes, so many at most."""
        data: bytes = self._stream.read(size)
        self._n_bytes += len(data)
        if self._counted is not None:
            self._counted(self._n_bytes)
        return data

    def readinto(self, buffer: Any) -> int:
        """The next bytes, as many as find room."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to another byte, where what is read can."""
        place: int = self._stream.seek(offset, whence)
        return place

    def close(self) -> None:
        """Close what is read."""
        self._stream.close()
        super().close()


class _Xz:
    """A file packed by xz; what is wrong with it is an OSError, as with those that pyarrow unpacks."""

    def __init__(self, file: Any) -> None:
        import lzma

        self._packed, self._faults = file, (lzma.LZMAError, EOFError)
        self._file = lzma.LZMAFile(file)  # noqa: SIM115 - closed with this

    def read(self, size: int | None = -1) -> bytes:
        try:
            return self._file.read(-1 if size is None else size)
        except self._faults as error:
            raise OSError(str(error)) from error

    def close(self) -> None:
        self._file.close()
        self._packed.close()
