"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


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
