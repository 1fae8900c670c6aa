"""Which files a table is in: one, a list, all that a pattern fits, or a folder with partitions."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from fisherset._format import shown

Stamp = tuple[int, int, int]
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # a partition of the rows that have none
MAGIC = "*?["


class PartitionError(ValueError):
    """A `key=value` folder that contradicts another, or a column of its files."""


class TableFile(NamedTuple):
    """A file of a table.

    Attributes
    ----------
    path : Path
        Where it is.
    name : str
        What it is called in messages.
    partitions : dict of str to str or None
        What the folders it is in say of all its rows.
    stamp : tuple of int
        Bytes, time of the last change and inode when the table was first looked at.
    """

    path: Path
    name: str
    partitions: dict[str, str | None]
    stamp: Stamp

    def check(self) -> None:
        """Refuse a file that is another than it was."""
        try:
            changed = stamp_of(self.path) != self.stamp
            what = "has changed"
        except OSError:
            changed, what = True, "is gone"
        if changed:
            raise ValueError(
                f"{self.name} must stay as it is while the table is read; it {what} since. "
                f"Start again once nobody writes to it."
            )


def stamp_of(path: Path) -> Stamp:
    """What tells a file from what it was before somebody wrote to it."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def table_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[TableFile]:
    """The files of a table; those of a folder or a pattern in the order of their names."""
    if not isinstance(paths, str | os.PathLike):
        return _listed([Path(path) for path in paths])
    text = os.fspath(paths)
    if "://" in text:
        raise FileNotFoundError(
            f"There is no file {text!r}. What is elsewhere is passed as pyarrow.dataset.dataset({text!r})."
        )
    path = Path(text)
    if path.is_dir():
        return _below(path, [found for found in path.rglob("*") if not _hidden(found.relative_to(path))])
    if path.exists() or not any(mark in text for mark in MAGIC):
        return _listed([path])
    root = _root(path)
    found = [Path(name) for name in glob.glob(text, recursive=True)]
    if not found:
        raise FileNotFoundError(f"There is no file like {text!r}.")
    return _below(root, found)


def _listed(paths: list[Path]) -> list[TableFile]:
    """Files as they are listed; called by their whole paths where some have the same name."""
    if not paths:
        raise ValueError("paths must name a file at least; got none.")
    lost = [str(path) for path in paths if not path.exists()]
    if lost:
        raise FileNotFoundError(f"There is no file {shown(lost)}.")
    folders = [str(path) for path in paths if path.is_dir()]
    if folders:
        raise IsADirectoryError(f"{folders[0]!r} is a folder; a list names files, a folder comes by itself.")
    own = len({path.name for path in paths}) == len(paths)
    return _distinct([TableFile(path, path.name if own else str(path), {}, stamp_of(path)) for path in paths])


def _distinct(files: list[TableFile]) -> list[TableFile]:
    names: dict[Path, str] = {}
    for file in files:
        first = names.setdefault(file.path.resolve(), file.name)
        if first is not file.name:
            raise ValueError(f"Every file must be named once; {first} is named twice.")
    return files


def _below(root: Path, found: list[Path]) -> list[TableFile]:
    """Files in a folder and those in it, in the order of their names; `key=value` folders are partitions."""
    inside = sorted(path.relative_to(root).parts for path in found if path.is_file())
    if not inside:
        raise FileNotFoundError(f"There is no file in {str(root)!r}.")
    files = [
        TableFile(path, "/".join(parts), _partitions(parts[:-1]), stamp_of(path))
        for path, parts in ((root.joinpath(*parts), parts) for parts in inside)
    ]
    keys = list(files[0].partitions)
    for file in files:
        if list(file.partitions) != keys:
            raise ValueError(
                f"All files must be in the same partitions; {files[0].name} is in {shown(keys) or 'none'}, "
                f"{file.name} in {shown(list(file.partitions)) or 'none'}."
            )
    return files


def _partitions(folders: tuple[str, ...]) -> dict[str, str | None]:
    """Values that `key=value` folders, one in the other, give the rows below them."""
    found: dict[str, str | None] = {}
    inside: dict[str, str] = {}
    for folder in folders:
        if "=" not in folder.strip("="):
            continue
        key, value = folder.split("=", 1)
        key = unquote(key)
        if key in found:
            raise PartitionError(
                f"A partition must say one thing of a row; {folder!r} is inside {inside[key]!r}. Rename one "
                f"of the folders, or pass the files in a list, which leaves folders out."
            )
        found[key], inside[key] = (None if value == NO_VALUE else unquote(value)), folder
    return found


def check_partitions(file: str, partitions: Mapping[str, Any], columns: Collection[str]) -> None:
    """Refuse a folder that says what a column of its files says, too: one would replace the other."""
    both = [key for key in partitions if key in columns]
    if both:
        raise PartitionError(
            f"A partition folder must not have the name of a column of its files; the folder "
            f"'{both[0]}={partitions[both[0]]}' and the column {both[0]!r} of {file} share one. Rename one "
            f"of them, or pass the files in a list, which leaves folders out."
        )


def _hidden(path: Path) -> bool:
    """What tools leave beside a table, such as _SUCCESS and .crc files."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _root(pattern: Path) -> Path:
    """The folder that no part of a pattern is above."""
    plain = []
    for part in pattern.parts[:-1]:
        if any(mark in part for mark in MAGIC):
            break
        plain.append(part)
    return Path(*plain)
