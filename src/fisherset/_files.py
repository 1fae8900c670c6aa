"""Files of our own: written whole or not at all, and read only if they are what they should be."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: str | bytes) -> None:
    """Write to a temporary neighbour, then rename it: a reader never sees half a file."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    path = path.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # mkstemp makes files private
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_json(path: Path, kind: str, version: int, *, key: str = "version") -> dict[str, Any]:
    """A JSON file that fisherset wrote as this kind and version; the errors are the end of a sentence."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON, or cut off") from error
    if not isinstance(content, dict) or content.get("format") != f"fisherset {kind}":
        raise ValueError(f"it was not written by fisherset as a {kind}")
    if content.get(key) != version:
        raise ValueError(f"it has version {content.get(key)!r}; this fisherset reads version {version}")
    return content
