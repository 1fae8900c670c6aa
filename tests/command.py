"""The real command in a process of its own, or in this one where nothing is at stake but what it says."""

import contextlib
import io
import os
import subprocess
import sys
import warnings
from pathlib import Path
from unittest import mock

from fisherset.cli import app

COMMAND = [str(Path(sys.executable).with_name("fisherset"))]


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
        mock.patch.object(app, "_seen", set()),
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
