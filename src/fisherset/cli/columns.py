"""The columns of a file, at once: for whoever types a name of one, or has mistyped it.

Nothing that computes is loaded for it, and only the beginning, or the end, of a file is read.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from fisherset._files import ARROW, TEXT

FIRST_LINE = 2**22  # bytes in which the first line of a text must end
ANY_OF = ",;\t|"
SAID_SIGNS = {"tab": "\t", r"\t": "\t", "space": " "}  # as a shell lets people say it
NO_HEADER = ("#", "!", "sep=")  # first lines that may be no header


def complete(ctx: Any, incomplete: str) -> list[str]:
    """What a name of a column that somebody is typing may become; the file was named before it."""
    named = [ctx.params.get("file"), *ctx.args]  # beside an option without its value nothing is told apart
    file = next((Path(name) for name in named if name is not None and Path(name).is_file()), None)
    readings = [] if file is None else headers_of(file, ctx.params.get("sep"))
    names = max(readings, key=len, default=[])
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def headers_of(path: Path, separator: str | None = None) -> list[list[str]]:
    """The names of the columns of a file, as they may be read; none where that is not to be known at once.

    Of a text there is one reading for each sign that may stand between cells, unless one is given.
    """
    try:
        return [names for names in _readings(path, separator) if names is not None]
    except Exception:  # of whatever kind: who reads the file says what is wrong with it
        return []


def _readings(path: Path, separator: str | None) -> list[list[str] | None]:
    suffix = path.suffix.lower()
    if suffix in TEXT:
        with path.open("rb") as file:
            line = file.readline(FIRST_LINE)
        return [_header(line, sign) for sign in ([separator] if separator else ANY_OF)]
    if suffix == ".parquet":
        from pyarrow import parquet

        return [[str(name) for name in parquet.read_schema(str(path)).names]]
    if suffix in ARROW:
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            return [[str(name) for name in pa.ipc.open_file(source).schema.names]]
    return []


def _header(line: bytes, separator: str) -> list[str] | None:
    """The cells of the first line of a text, if it is one."""
    if not line.endswith((b"\n", b"\r")) or line.count(b'"') % 2:
        return None
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        return None
    if text.startswith(NO_HEADER) or "\0" in text:
        return None
    sign = SAID_SIGNS.get(separator, separator)
    cells = next(csv.reader(io.StringIO(text), delimiter=sign), []) if len(sign) == 1 else []
    return cells if len(cells) > 1 else None
