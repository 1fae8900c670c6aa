"""How the signs of a text are encoded: as its first bytes say, or somebody does; and where it is not so."""

from __future__ import annotations

import codecs
import re
from itertools import islice
from pathlib import Path
from typing import Any

UTF_8 = "utf-8"
# Marks of byte order at the start of a text; that of UTF-32 starts like that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What a text in no order of bytes is taken for that has no mark of it.
UNMARKED = {"utf-8-sig": UTF_8, "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WESTERN = "cp1252"  # latin-1 with signs where that has none: of texts that are no UTF-8 the commonest
OTHER_FILES = (b"PAR1", b"ARROW1", b"FEA1", b"PK\x03\x04", b"\x89HDF", b"\xff\xff\xff\xff")
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f]")  # bytes that no text has
DECODED = 2**22


def encoding_of(name: str, start: bytes, said: str | None) -> tuple[str, int]:
    """How a text that starts so is encoded, and of how many bytes the mark is that says so."""
    marked = next(((encoding, len(mark)) for mark, encoding in MARKS if start.startswith(mark)), None)
    if said is not None:
        encoding = known_encoding(said)
        plain = UNMARKED.get(encoding, encoding)
        # of an encoding in either order of bytes the mark says which
        fits = marked is not None and marked[0] in (plain, f"{encoding}-le", f"{encoding}-be")
        return marked if marked is not None and fits else (plain, 0)
    if start.startswith(OTHER_FILES) and marked is None:
        workbook = " A workbook is saved as CSV by the program it is from." if start[:2] == b"PK" else ""
        raise ValueError(f"{name} is no text, whatever its suffix says.{workbook}")
    if marked is not None:
        return marked
    _check_signs(name, start)
    try:
        decoded(start, UTF_8)
    except UnicodeDecodeError:
        return _western(name, start), 0
    return UTF_8, 0


def known_encoding(name: str) -> str:
    """The name of an encoding as Python has it; one that it does not know is refused."""
    try:
        "a".encode(name)  # which only those do that are of texts
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        raise ValueError(
            f"The encoding of a text must be one that Python knows, such as utf-8, latin-1 or utf-16; "
            f"got {name!r}."
        ) from None
    return codecs.lookup(name).name


def decoded(data: bytes, encoding: str, whole: bool = False) -> str:
    """The start of a text; unless it is whole, the last sign may be cut in two."""
    return codecs.getincrementaldecoder(encoding)().decode(data, whole)


def _check_signs(name: str, start: bytes) -> None:
    """Refuse what is no text; UTF-16 without its mark is one, but nobody says so."""
    head = start[:400]
    for zeros, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
        if zeros and not zeros.strip(b"\x00") and head.strip(b"\x00"):
            raise ValueError(
                f"{name} looks like UTF-16 text, but has no mark of it at its start; "
                f"say so with --encoding {encoding}."
            )
    if b"\x00" in start[:4]:
        raise ValueError(f"{name} is no text, whatever its suffix says.")


def _western(name: str, start: bytes) -> str:
    """What a text that is no UTF-8 is taken for: that of Western machines, if it can be."""
    if CONTROL.search(start):
        raise ValueError(f"{name} is no text, whatever its suffix says.")
    try:
        decoded(start, WESTERN)
    except UnicodeDecodeError as error:
        line = start.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{name} is neither UTF-8 nor {WESTERN} text: line {line} holds the byte "
            f"0x{start[error.start]:02x}. Name its encoding with --encoding, or save it as UTF-8."
        ) from None
    return WESTERN


def not_encoded(path: Path, dialect: Any) -> ValueError:
    """Where a text is not encoded as it should be: an error to raise, with the line and the byte."""
    decoder, line = codecs.getincrementaldecoder(dialect.encoding)(), 1 + dialect.n_lines
    where = ""
    try:
        with dialect.opened(path) as stream:
            while data := stream.read(DECODED):
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
    """How many lines end in a text, in any of the ways there are."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def length_of_lines(text: str, n_lines: int) -> int:
    """How many signs the first so many lines of a text are, with their ends."""
    ends = (found.end() for found in re.finditer(r"\r\n|\n|\r", text))
    return next(islice(ends, n_lines - 1, None), len(text)) if n_lines else 0
