"""Files as they are opened: pipes and archives are copied into temporary files first."""

from __future__ import annotations

import errno
import shutil
import sys
import tempfile
import warnings
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from fisherset._format import shown
from fisherset._kinds import address_of, kind_of, tables_among
from fisherset._memory import format_bytes

CHUNK = 2**20  # bytes copied at a time
PIPE = "piped input"  # name of a pipe that has none, as of <(command)
Stamp = tuple[int, int, int]


class TableFile(NamedTuple):
    """A file of a table, with its name in messages."""

    path: Path
    name: str
    partitions: dict[str, str | None]  # values that the folders it is in give all its rows
    stamp: Stamp  # bytes, time of the last change and inode when the table was opened
    kind: str = ""  # the suffix that files of its kind usually have
    folder: TemporaryFolder | None = None  # that it is in

    def check(self) -> None:
        """Refuse a file that has changed."""
        try:
            changed = stamp_of(self.path) != self.stamp
            what = "changed"
        except OSError:
            changed, what = True, "was removed"
        if changed:
            raise ValueError(f"{self.name} {what} while it was read. Run again when nothing writes to it.")


def stamp_of(path: Path) -> Stamp:
    """Return numbers that change when a file is written to."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def table_file(
    path: Path, name: str | None = None, partitions: dict[str, str | None] | None = None
) -> TableFile:
    """Return a file that can be read more than once: a pipe is copied, an archive of one table unpacked."""
    name, folder = path.name if name is None else name, None
    if is_pipe(path):
        folder, name = TemporaryFolder(), _pipe_name(path)
        with path.open("rb") as source:
            path = copy_stream(source, folder.path, name)
    stamp = stamp_of(path)
    kind = kind_of(path) if stamp[0] else ""
    if kind == ".zip":
        unpacked = TemporaryFolder()
        path, kind = _unpack(path, name, unpacked.path)
        folder, stamp = unpacked, stamp_of(path)
    if stamp[0] == 0:
        raise ValueError(f"{name} is empty.")
    return TableFile(path, name, partitions or {}, stamp, kind, folder)


class TemporaryFolder:
    """A folder that is removed with the last reference to it, or at the end of the process."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="fisherset-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def check_local(path: Path) -> None:
    """Refuse an address on the web."""
    if (address := address_of(path)) is not None:
        raise FileNotFoundError(
            f"Tables are read from files, not from {address}. Download it first: curl -LO {address}"
        )


def is_pipe(path: Path) -> bool:
    """Whether a path leads to a pipe, as that of <(command) does, which can be read once."""
    return path.is_fifo() or path.is_socket()


def _pipe_name(path: Path) -> str:
    return PIPE if path.name.isdecimal() else path.name  # /dev/fd/63


@contextmanager
def spooled(path: Path | None = None) -> Iterator[Path]:
    """Standard input, or a pipe, as a temporary file, which can be read more than once.

    It is removed at the end, also after an error.

    Parameters
    ----------
    path : Path, default=None
        The pipe; None for standard input.

    Yields
    ------
    path : Path
        The file, called "standard input", or like the pipe.
    """
    folder = TemporaryFolder()
    try:
        if path is None:
            yield copy_stream(_standard_input(), folder.path, "standard input")
        else:
            with path.open("rb") as source:
                yield copy_stream(source, folder.path, _pipe_name(path))
    finally:
        folder.remove()


def _standard_input() -> Any:
    source: Any = sys.stdin
    if source is None or source.closed:
        raise ValueError("There is no standard input; name a file.")
    if source.isatty():
        raise ValueError(
            "Standard input is a terminal; pipe a table into it (cat t.csv | fisherset ...) or name a file."
        )
    return source.buffer


def copy_stream(source: Any, folder: Path, name: str) -> Path:
    """Copy a stream into a file of a folder, a megabyte at a time."""
    chunk = source.read(CHUNK)
    if not chunk:
        raise ValueError(f"{name[0].upper()}{name[1:]} is empty; did the command before it fail?")
    path = folder / name
    try:
        with path.open("wb") as file:
            while chunk:
                file.write(chunk)
                chunk = source.read(CHUNK)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise full_disk(folder, name) from error
    return path


def full_disk(folder: Path, name: str) -> ValueError:
    """Return the error for a disk that does not hold a temporary file."""
    return ValueError(
        f"No space left in {str(folder.parent)!r} for {name}. Set TMPDIR to a folder on another disk, or "
        f"pass a file."
    )


def _unpack(path: Path, name: str, folder: Path) -> tuple[Path, str]:
    """Unpack the only table of an archive; return it, and its kind."""
    try:
        with zipfile.ZipFile(path) as archive:
            member = _only_table(archive, name)
            free = shutil.disk_usage(folder).free
            if member.file_size > free:
                raise ValueError(
                    f"{member.filename} of {name} takes {format_bytes(member.file_size)}; "
                    f"{format_bytes(free)} are free in {str(folder.parent)!r}. Name another folder in TMPDIR."
                )
            with archive.open(member) as source:
                unpacked = copy_stream(source, folder, PurePath(name).name)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"{name} cannot be read; is it damaged or truncated? ({error})") from error
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or compressed in an unusual way
        raise ValueError(f"{name} cannot be unpacked: {error}. Unpack it, and name the table.") from error
    kind = kind_of(unpacked, member.filename)
    if kind == ".zip":
        raise ValueError(f"{name} holds another archive, {member.filename}. Unpack it, and name the table.")
    return unpacked, kind


def _only_table(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return the table of an archive; several are refused, as is none."""
    members = {info.filename: info for info in archive.infolist() if not info.is_dir()}
    # without what macOS and other programs add
    own = [other for other in members if not any(part[0] in "._" for part in PurePath(other).parts)]
    tables, others = tables_among(own)
    if len(tables) != 1:
        held = f"holds {len(tables)} tables: {shown(tables)}" if tables else "holds no table"
        raise ValueError(f"{name} {held}. Unpack it, and name the table, or the folder for all of them.")
    if others:
        warnings.warn(f"{name}: read {tables[0]}; ignored {shown(others)}.", stacklevel=2)
    return members[tables[0]]
