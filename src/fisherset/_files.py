"""Files that fisherset writes: whole or not at all; and read again only if it wrote them."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

# Suffixes of tables: text with its usual separator, compressed text, and Arrow's own formats, the last a
# stream.
TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
JSON = (".json", ".jsonl", ".ndjson")
PACKED = (".gz", ".bz2", ".zst", ".lz4", ".xz")
ARROW = (".feather", ".arrow", ".ipc", ".arrows")
PACKERS = {".gz": "gzip", ".zst": "zstd"}  # compressions of text that is written
WRITTEN = (
    *(".csv", ".tsv", ".tab", ".parquet", ".feather", ".arrow", ".ipc", ".npz"),
    *(f"{text}{packed}" for packed in PACKERS for text in (".csv", ".tsv", ".tab")),
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # for a spreadsheet


def suffix_of(path: PurePath) -> str:
    """Return the suffix of the format of a file; that of the compression of a text comes after it."""
    suffixes = ["", "", *(suffix.lower() for suffix in path.suffixes)]
    packed = suffixes[-1] in PACKED and suffixes[-2] in (*TEXT, *JSON)
    return suffixes[-2] if packed else suffixes[-1]


def write_whole(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write to a temporary neighbour, then rename it: a reader never sees half a file.

    An existing file keeps its mode and owner, and is not replaced where it is write-protected, unless by
    force: renaming does not respect that.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path = path.resolve()  # a link stays a link
    if is_protected(path) and not force:
        raise PermissionError(f"{str(path)!r} is write-protected.")
    try:
        _replace(path, data)
    except OSError as error:  # the name of a temporary file would tell nobody anything
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        _keep_mode(path, name)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def is_protected(path: Path) -> bool:
    """Whether a file exists that nobody may write to (which does not stop the superuser), or not we."""
    return path.exists() and (not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK))


def _keep_mode(path: Path, name: str) -> None:
    """Give a new file, which mkstemp made private, the mode of the one it replaces, or the usual one."""
    if not path.exists():
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        return
    old = path.stat()
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only the superuser may give files away
            os.chown(name, old.st_uid, old.st_gid)
    os.chmod(name, stat.S_IMODE(old.st_mode))


def read_json(path: Path, kind: str, version: int, *, key: str = "version") -> dict[str, Any]:
    """Read a JSON file that fisherset wrote as this kind and version; errors are the end of a sentence."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not valid JSON") from error
    if not isinstance(content, dict) or content.get("format") != f"fisherset {kind}":
        raise ValueError(f"it was not written by fisherset as a {kind}")
    found = content.get(key)
    if found != version or isinstance(found, bool):
        raise ValueError(f"it has version {shown_json(found)}; this fisherset reads version {version}")
    return content


TYPES: dict[str, tuple[Any, str, str]] = {  # of JSON: in Python, as one, as several
    "str": (str, "a string", "strings"),
    "float": (int | float, "a number", "numbers"),
    "int": (int, "a whole number", "whole numbers"),
    "bool": (bool, "true or false", "true or false"),
    "list": (list, "a list", "lists"),
    "dict": (dict, "an object", "objects"),
}


def checked(value: Any, kind: str, name: str) -> Any:
    """A value of JSON of the type that an annotation such as "list[str]" names; any other is refused."""
    if kind == "Any" or (value is None and kind.endswith(" | None")):
        return value
    outer, _, inner = kind.removesuffix(" | None").partition("[")
    wrong = not isinstance(value, TYPES[outer][0]) or (isinstance(value, bool) and outer != "bool")
    if wrong or (outer in ("float", "str") and not _can_be_kept(value)):
        raise TypeError(f"{name!r} must be {_described(kind)}; it is {shown_json(value)}")
    item = inner.removesuffix("]").removeprefix("str, ")
    if outer == "list":
        return [checked(part, item, f"{name}[{place}]") for place, part in enumerate(value)]
    if outer == "dict":
        return {
            checked(key, "str", name): checked(part, item, f"{name}.{key}") for key, part in value.items()
        }
    return float(value) if outer == "float" else value


def _can_be_kept(value: str | float) -> bool:
    """Whether a string can be written as UTF-8, and a number is finite as float64."""
    try:
        return bool(value.encode("utf-8")) or not value if isinstance(value, str) else math.isfinite(value)
    except (UnicodeEncodeError, OverflowError):
        return False


def _described(kind: str) -> str:
    """Return a type in words: "a list of strings"."""
    outer, _, inner = kind.removesuffix(" | None").partition("[")
    item = inner.removesuffix("]").removeprefix("str, ").partition("[")[0]
    several = f" of {TYPES[item][2]}" if item in TYPES else ""
    return f"{TYPES[outer][1]}{several}{' or null' if kind.endswith(' | None') else ''}"


def shown_json(value: Any) -> str:
    """Return the beginning of a value as JSON, for a message."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: with an apostrophe in front, where it might be.

    That changes the cell, so it is for files that are opened in a spreadsheet and not read again.
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def rows_as_text(
    rows: Sequence[Mapping[str, Any]], delimiter: str, end: str, name: Callable[[str], str] = str
) -> str:
    """Return rows of the same fields below a header; strings pass `name`, such as `safe_cell`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(list(rows[0]) if rows else [])
    for row in rows:
        writer.writerow(name(cell) if isinstance(cell, str) else cell for cell in row.values())
    return out.getvalue()
