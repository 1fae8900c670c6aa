"""From bytes to text: compression, encoding and lines."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from fisherset._extras import need
from fisherset._kinds import BINARY_FILES, CONTROL

UTF_8 = "utf-8"
WESTERN = "cp1252"  # latin-1 with characters where that has none: the commonest encoding besides UTF-8
# Byte order marks; that of UTF-32 begins with that of UTF-16, and so comes first.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings that need a byte order mark, and what they are without one.
WITHOUT_MARK = {"utf-8-sig": UTF_8, "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def decompressed(path: Path, compression: str | None, counted: Callable[[int], None] | None = None) -> Any:
    """A file opened for reading its decompressed bytes.

    A few bytes can stand for any number: `counted` is told how many have come so far, before they are
    handed on, and may refuse them.
    """
    if compression is None and counted is not None:
        return CountedStream(path.open("rb"), counted)
    pa = need("pyarrow", f"Reading {path.name}")
    file = path.open("rb") if compression == "xz" else pa.OSFile(str(path))  # a file, not an address
    stream = file if compression is None else _decompressing(file, compression)
    return stream if counted is None else CountedStream(stream, counted)


def _decompressing(file: Any, compression: str) -> Any:
    import pyarrow as pa

    return XzStream(file) if compression == "xz" else pa.CompressedInputStream(file, compression)


def ratio_of(path: Path, compression: str) -> float:
    """Decompressed bytes for each byte of a compressed file, in its first MB, or the first 64 MB of text.

    Streams read ahead, so that the first few bytes would say too little.
    """
    with path.open("rb") as file:
        stream, size = _decompressing(file, compression), 0  # closes the file when it is collected
        while file.tell() < 2**20 and size < 2**26 and (part := stream.read(2**22)):
            size += len(part)
        return size / max(1, file.tell())


class CountedStream(io.RawIOBase):
    """Stream that tells `counted` the number of bytes read so far."""

    def __init__(self, stream: Any, counted: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self._stream, self._counted, self._n_bytes = stream, counted, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self._n_bytes += len(data)
        if self._counted is not None:
            self._counted(self._n_bytes)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def close(self) -> None:
        self._stream.close()
        super().close()


class XzStream(CountedStream):
    """Stream of a file compressed by xz; its errors are OSErrors, as are pyarrow's."""

    def __init__(self, file: Any) -> None:
        import lzma  # not in every build of Python

        super().__init__(lzma.LZMAFile(file))  # noqa: SIM115 - closed with this
        self._file, self._errors = file, (lzma.LZMAError, EOFError)

    def read(self, size: int | None = -1) -> bytes:
        try:
            return super().read(-1 if size is None else size)
        except self._errors as error:
            raise OSError(str(error)) from error

    def close(self) -> None:
        super().close()
        self._file.close()


def encoding_of(name: str, start: bytes, given: str | None) -> tuple[str, int]:
    """Encoding of a text with these first bytes, and the length of its byte order mark."""
    marked = next(
        ((encoding, len(mark)) for mark, encoding in BYTE_ORDER_MARKS if start.startswith(mark)), None
    )
    if given is not None:
        encoding = _known_encoding(given)
        plain = WITHOUT_MARK.get(encoding, encoding)
        # of an encoding in either byte order the mark says which
        fits = marked is not None and marked[0] in (plain, f"{encoding}-le", f"{encoding}-be")
        return marked if marked is not None and fits else (plain, 0)
    if start.startswith(tuple(BINARY_FILES)) and marked is None:
        raise _no_text(name, " A workbook is saved as CSV by the program it is from." * (start[:2] == b"PK"))
    if marked is not None:
        return marked
    _check_characters(name, start)
    try:
        decoded(start, UTF_8)
    except UnicodeDecodeError:
        return _western(name, start), 0
    return UTF_8, 0


def _no_text(name: str, advice: str = "") -> ValueError:
    return ValueError(f"{name} is not a text file, despite its suffix.{advice}")


def _known_encoding(name: str) -> str:
    """Python's name of an encoding; an unknown one is refused."""
    try:
        "a".encode(name)  # fails for codecs that are not of text, such as base64
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        raise ValueError(
            f"Unknown encoding {name!r}; use one that Python knows, such as utf-8, latin-1 or utf-16."
        ) from None
    return codecs.lookup(name).name


def decoded(data: bytes, encoding: str, whole: bool = False) -> str:
    """The start of a text; unless it is whole, its last character may be incomplete."""
    return codecs.getincrementaldecoder(encoding)().decode(data, whole)


def _check_characters(name: str, start: bytes) -> None:
    """Refuse binary files, and UTF-16 without a byte order mark, which nothing tells for sure."""
    head = start[:400]
    for zeros, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
        if zeros and not zeros.strip(b"\x00") and head.strip(b"\x00"):
            raise ValueError(
                f"{name} looks like UTF-16 text without a byte order mark. Add --encoding {encoding}."
            )
    if b"\x00" in start[:4]:
        raise _no_text(name)


def _western(name: str, start: bytes) -> str:
    """The encoding of Western machines for a text that is no UTF-8, if it can be decoded so."""
    if CONTROL.search(start):
        raise _no_text(name)
    try:
        decoded(start, WESTERN)
    except UnicodeDecodeError as error:
        line = start.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{name} is neither UTF-8 nor {WESTERN} text: line {line} holds the byte "
            f"0x{start[error.start]:02x}. Add --encoding, or save it as UTF-8."
        ) from None
    return WESTERN


def not_encoded(path: Path, dialect: Any) -> ValueError:
    """Error for a text that is not in its encoding, with the first line and byte that are not."""
    decoder, line = codecs.getincrementaldecoder(dialect.encoding)(), 1 + dialect.n_lines
    where = ""
    try:
        with dialect.opened(path) as stream:
            while data := stream.read(2**22):
                line += lines_in(decoder.decode(data))
            decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        before = decoded(error.object[: error.start], dialect.encoding)
        where = f": line {line + lines_in(before)} holds the byte 0x{error.object[error.start]:02x}"
    except (UnicodeError, OSError):
        pass
    shown = "UTF-8" if dialect.encoding == UTF_8 else dialect.encoding
    return ValueError(
        f"{path.name} is not {shown} text{where}. Name its encoding with --encoding, such as "
        f"{'latin-1' if shown == 'UTF-8' else 'utf-8'}, or save it as UTF-8."
    )


def lines_in(text: str) -> int:
    """Number of line ends, of any of the three kinds."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def length_of_lines(text: str, n_lines: int) -> int:
    """Number of characters of the first lines of a text, with their ends."""
    ends = (found.end() for found in re.finditer(r"\r\n|\n|\r", text))
    return next(islice(ends, n_lines - 1, None), len(text)) if n_lines else 0
