"""Ctrl-C while there is nothing to account for yet: a sentence and exit code 130, at once."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130  # by Ctrl-C, as shells count it


def leave_at_once() -> None:
    """Answer Ctrl-C here and now: an exception raised inside an import may be swallowed or replaced."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have it ignored
        signal.signal(signal.SIGINT, _leave)


def raise_it() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt: the command has files to account for."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    try:
        os.write(2, b"fisherset: interrupted; nothing was written.\n")
    finally:
        os._exit(INTERRUPTED)
