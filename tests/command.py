"""The real command in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

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


def refused(done):
    """The one sentence of a refusal; fails where it is anything else."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("fisherset: ")
    return lines[0]
