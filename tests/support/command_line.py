"""The real command in a process of its own, or in this one where nothing is at stake but what it says."""

import contextlib
import io
import os
import re
import select
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from unittest import mock

from fisherset.cli import app

COMMAND = [str(Path(sys.executable).with_name("fisherset"))]
HANGS = 600  # seconds without a word: no test waits for them, they only turn a hang into a failure


def environment(**more):
    kept = {key: value for key, value in os.environ.items() if key != "FISHERSET_DATA"}
    return {**kept, "COLUMNS": "100", **more}


def run(*arguments, cwd=None, **more):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(**more),
        cwd=cwd,
    )


def invoke(*arguments, cwd=None, **more):
    """The same within this process, which need not load everything again: for many small cases."""
    argv = ["fisherset", *map(str, arguments)]
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    folder = contextlib.chdir(cwd) if cwd else contextlib.nullcontext()
    with (
        folder,
        mock.patch.multiple(sys, argv=argv, stdout=streams[0], stderr=streams[1]),
        mock.patch.dict(os.environ, environment(**more), clear=True),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        code = app.run()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return subprocess.CompletedProcess(arguments, code, out, err)


def refused(done):
    """The one sentence of a refusal; fails where it is anything else."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("fisherset: ")
    return lines[0]


class Terminal:
    """The command with a terminal for its stderr, where it shows how far it is."""

    def __init__(self, *arguments, cwd=None, python=()):
        self._said = b""
        self._ours, theirs = os.openpty()
        self._process = subprocess.Popen(
            [*python, *COMMAND, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=environment(TERM="xterm"),
            cwd=cwd,
            start_new_session=True,
        )
        os.close(theirs)

    def wait_for(self, pattern):
        """Read until the command has said so."""
        while not re.search(pattern, self._said):
            assert self._read(), f"ended without saying {pattern}: {self._said.decode(errors='replace')}"

    def interrupt(self):
        """Press Ctrl-C, which goes to all processes of the command; the exit code, and all it said."""
        os.killpg(self._process.pid, signal.SIGINT)
        while self._read():
            pass
        os.close(self._ours)
        return self._process.wait(HANGS), self._said.decode(errors="replace")

    def _read(self):
        readable, _, _ = select.select([self._ours], [], [], HANGS)
        assert readable, "the command hangs"
        try:
            more = os.read(self._ours, 4096)
        except OSError:  # Linux's way to say that the other side is closed
            more = b""
        self._said += more
        return more
