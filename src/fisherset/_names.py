"""Names of columns as users give them: shell patterns such as MT-*, and files with a name a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from pathlib import Path
from typing import Any

from fisherset._files import read_json

SPECIAL = re.compile(r"[*?\[]")  # characters of a pattern
FILE = "@"  # a name that begins so is a file of names, as it is for curl and gcc


def is_pattern(name: Any) -> bool:
    """Whether a name may stand for several: a column of this very name goes first."""
    return isinstance(name, str) and SPECIAL.search(name) is not None


def matching(pattern: str, names: Iterable[Any]) -> list[Any]:
    """Return the names that a pattern matches, in their order; upper and lower case differ."""
    match = re.compile(translate(pattern)).match
    return [name for name in names if isinstance(name, str) and match(name)]


def read_names(path: Path, key: str = "features") -> list[str]:
    """Read names from a file: one a line, or those of a selection.json.

    The `key` says which of a selection: its "features", or its "details", which are columns or groups.
    """
    if not path.exists():
        raise FileNotFoundError(f"File not found: {str(path)!r}.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    if path.suffix.lower() == ".json":
        names = _selected(path, key)
    else:
        try:
            lines = path.read_bytes().decode("utf-8-sig").split("\n")
        except UnicodeDecodeError:
            raise ValueError(f"{path.name} is not UTF-8 text with one name per line.") from None
        names = [line for line in (line.rstrip("\r") for line in lines) if line.strip()]
    if not names:
        raise ValueError(f"{path.name} is empty; give at least one column name.")
    return names


def _selected(path: Path, key: str) -> list[str]:
    try:
        content = read_json(path, "selection", 1)
        names = [entry["name"] for entry in content.get(key) or content["features"]]
        if not all(isinstance(name, str) for name in names):
            raise ValueError("a name is not what it should be")
    except (KeyError, TypeError, ValueError) as error:
        reason = "it lacks its features" if isinstance(error, KeyError | TypeError) else str(error)
        raise ValueError(f"{path.name} cannot be used: {reason}.") from None
    return names
