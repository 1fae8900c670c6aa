"""Where a command speaks to: whoever reads may stop reading, as `head` does, and that is no error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Outlet(io.TextIOWrapper):
    """A stream of text that goes on into nothing when nobody reads it any longer."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        # a terminal without a sign shows another
        encoding, lines = stream.encoding, stream.line_buffering
        super().__init__(stream.buffer, encoding, errors="replace", line_buffering=lines)

    def write(self, text: str) -> int:
        """Write, or not."""
        try:
            return super().write(text)
        except BrokenPipeError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Flush, or not."""
        try:
            super().flush()
        except BrokenPipeError:
            self._give_up()

    def _give_up(self) -> None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self.fileno())
        os.close(nothing)


@contextmanager
def outlets() -> Iterator[None]:
    """Let both streams of this process be outlets, and leave nothing for its end, which would complain."""
    kept = sys.stdout, sys.stderr
    opened = [Outlet(stream) if isinstance(stream, io.TextIOWrapper) else stream for stream in kept]
    sys.stdout, sys.stderr = opened
    try:
        yield
    finally:
        sys.stdout, sys.stderr = kept
        for stream in opened:
            if isinstance(stream, Outlet):
                stream.flush()
                stream.detach()  # which would close what others use
