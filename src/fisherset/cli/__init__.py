"""The command line: its entry point, and Ctrl-C until a command has files to account for.

This module loads nothing, so that Ctrl-C is handled from the first moment: os and sys are always loaded.
"""

import os
import sys

INTERRUPTED = 130  # exit code after Ctrl-C: 128 + SIGINT, as in shells


def main() -> None:
    """Run the command `fisherset` with the arguments of this process."""
    try:
        exit_on_interrupt()
        _spare_memory()
        import gc

        # Nearly all objects that imports create live to the end: with the default threshold of 700 the
        # collector visits them again and again, which takes a tenth of a second.
        gc.set_threshold(50_000)
        from fisherset.cli.app import run

        sys.exit(run())
    except KeyboardInterrupt:  # before the handler was installed
        print("fisherset: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("fisherset"):
            raise
        install = 'pip install "fisherset[cli]"'
        print(f"fisherset: the command line needs {error.name}; {install} brings it.", file=sys.stderr)
        sys.exit(2)  # UNUSABLE of app.py, which could not be loaded


def exit_on_interrupt() -> None:
    """End the process at once on Ctrl-C: an import may swallow or replace an exception."""
    import _signal as signal  # type: ignore[import-not-found]  # built in, so there at once

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # unless a shell has it ignored
        signal.signal(signal.SIGINT, _exit)


def _spare_memory() -> None:
    """Let libraries that abort where memory is limited (`ulimit -v`) take little of it for themselves."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        for library in ("OPENBLAS", "MKL", "OMP"):  # each thread takes a buffer at the start
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # the others reserve gigabytes


def raise_on_interrupt() -> None:
    """Raise KeyboardInterrupt on Ctrl-C from here on: the command has files to account for."""
    import signal

    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, _raise)


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error comes from Ctrl-C: as itself, or as an import that it broke."""
    return isinstance(error, KeyboardInterrupt) or (bool(_raised) and isinstance(error, ImportError))


_raised: list[int] = []  # signals that were raised as exceptions


def _raise(number: int, *_: object) -> None:
    _raised.append(number)
    raise KeyboardInterrupt


def _exit(*_: object) -> None:
    try:
        os.write(2, b"fisherset: interrupted; nothing was written.\n")
    finally:
        os._exit(INTERRUPTED)
