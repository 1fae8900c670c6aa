"""The files a command may write: each with its suffix, and nothing replaced that somebody may miss."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fisherset._files import WRITTEN, is_protected, safe_cell
from fisherset.cli.notes import printable
from fisherset.cli.options import Format

FIRST_BYTES = 2000  # bytes in which a file says what wrote it


class Kind(NamedTuple):
    """A kind of output: what it is, its suffixes, and what a file of ours begins with, if it can be known."""

    name: str
    suffixes: tuple[str, ...]
    mark: re.Pattern[bytes] | None = None


SELECTION = Kind("a selection", (".json",), re.compile(rb'\s*\{\s*"format": "fisherset '))
PAGE = Kind("a page", (".html", ".htm"), re.compile(rb'[^\0]*<meta name="generator" content="fisherset'))
TABLE = Kind("a table", WRITTEN)
SUMMARY = Kind("a summary", (".npz",))


def check_outputs(wanted: Sequence[tuple[Path, Kind]], inputs: Sequence[Path], force: bool) -> None:
    """Refuse what cannot, or should not, be written: before the work, not after it."""
    for place, (path, kind) in enumerate(wanted):
        if path.suffix.lower() not in kind.suffixes:
            raise ValueError(
                f"{str(path)!r} must end in {' or '.join(kind.suffixes)}: it will be {kind.name}."
            )
        for source in inputs:
            if _is_same(path, source):
                raise ValueError(f"{str(path)!r} is the input {str(source)!r} itself; write to another file.")
        for other, _ in wanted[:place]:
            if _is_same(path, other):
                raise ValueError(f"{str(path)!r} and {str(other)!r} are the same file.")
        _check_place(path)
        if not force:
            _check_replaceable(path, kind)


def _is_same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by whatever links."""
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def _check_place(path: Path) -> None:
    folder = path.resolve().parent  # of the file a link leads to
    if not folder.is_dir():
        raise ValueError(f"{str(path)!r} cannot be written: there is no folder {_named(path, folder)!r}.")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} cannot be written: it is a folder.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} cannot be written: it is no ordinary file.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{str(path)!r} cannot be written: the folder is closed to you.")


def _named(path: Path, folder: Path) -> str:
    """The folder as the command named it, if it did."""
    return str(folder if path.is_symlink() else path.parent)


def _check_replaceable(path: Path, kind: Kind) -> None:
    if not path.exists():
        return
    if is_protected(path):
        raise ValueError(f"{str(path)!r} is write-protected; --force replaces it.")
    with path.open("rb") as file:
        head = file.read(FIRST_BYTES)
    if head and not (kind.mark and kind.mark.match(head)):
        known = f"is there and not {kind.name} of fisherset's" if kind.mark else "is there"
        raise ValueError(f"{str(path)!r} {known}; --force replaces it.")


BETWEEN_CELLS = {Format.csv: ",", Format.tsv: "\t"}


def format_of(asked: Format, as_json: bool) -> Format:
    """What --format and --json ask for together."""
    if as_json and asked not in (Format.table, Format.json):
        raise ValueError(f"--json must not go with --format {asked.value}; leave one of them out.")
    return Format.json if as_json else asked


def as_lines(names: Sequence[str]) -> str:
    """Names as `certify --features -` reads them; what would break a line is replaced."""
    return "\n".join(printable(name) for name in names)


def as_cells(rows: Sequence[Mapping[str, Any]], asked: Format) -> str:
    """Rows of the same fields as text, below a line of these; no cell that a spreadsheet would run."""
    plain = printable if sys.stdout.isatty() else str  # a program gets the names as they are
    out = io.StringIO()
    writer = csv.writer(out, delimiter=BETWEEN_CELLS[asked], lineterminator="\n")
    writer.writerow(list(rows[0]) if rows else [])
    for row in rows:
        writer.writerow([safe_cell(plain(cell)) if isinstance(cell, str) else cell for cell in row.values()])
    return out.getvalue().rstrip("\n")
