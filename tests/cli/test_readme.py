"""Commands of the README run with nothing installed but what it names."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.command_line import environment
from support.dependencies import hide_others

# one group, so that one process prepares the environment
pytestmark = [pytest.mark.once, pytest.mark.xdist_group("readme")]
TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SOURCES = Path(__file__).parents[2] / "src"
BLOCKS = [part.strip("\n").splitlines() for part in TEXT.split("```")[1::2]]
COMMANDS = [line.removeprefix("$ ") for block in BLOCKS if block[0] == "console" for line in block[1:]]


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """A folder for commands, and how they are run in an environment that has what the README installs."""
    folder = tmp_path_factory.mktemp("typed")
    hidden = hide_others(tmp_path_factory.mktemp("cli"), "fisherset[cli]")
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 8))
    rows = [",".join([*(f"{v:.3f}" for v in row), "pq"[at % 2]]) for at, row in enumerate(numbers)]
    for name in ("table.csv", "new.csv"):
        (folder / name).write_text("\n".join(["a,b,c,d,e,f,g,h,label", *rows]) + "\n")

    def run(command, installed=hidden):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        paths = f"{installed}{os.pathsep}{SOURCES}"
        return subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment(PATH=path, PYTHONPATH=paths, COLUMNS="110"),
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    return run, folder


def printed(done):
    assert done.returncode == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


def test_the_environment_has_nothing_else(typed):
    run, _ = typed
    assert run("python -c 'import pyarrow, rich, typer, jinja2, matplotlib, fisherset'").returncode == 0
    for absent in ("pandas", "pytest", "polars"):
        assert f"No module named {absent!r}" in run(f"python -c 'import {absent}'").stderr


def test_the_commands_run(typed):
    run, folder = typed
    assert [shlex.split(command)[1] for command in COMMANDS] == ["select", "trust", "apply"]
    lines = [printed(run(command)) for command in COMMANDS]
    assert any("rows it was not selected on" in line for line in lines[0])
    assert any(line.startswith("Stability: index") for line in lines[1])
    assert (folder / "reduced.csv").read_text().splitlines()[0].count(",") == 5  # and the label
    assert (folder / "report.html").exists()


def test_demo(typed):
    run, folder = typed
    lines = printed(run("fisherset demo"))
    methods = {line.split("│")[1].strip() for line in lines if line.startswith("│")}
    assert {"Fisher score", "GFS (joint)", "GFS (Algorithm 1)", "Trace ratio (LS)"} <= methods
    assert "GFS (joint) selects 0 and 16: 89.3 %." in " ".join(lines)
    page = folder / "fisherset-demo.html"
    assert page.name in lines[-1]
    assert page.stat().st_size < 3_000_000


def test_python_needs_no_more_than_pip_install_dot(typed, tmp_path):
    run, folder = typed
    lines = [line for block in BLOCKS if block[0] == "python" for line in block[1:]]
    assert lines
    (folder / "readme.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    test = "import doctest as d; print(d.testfile('readme.txt', False, optionflags=d.NORMALIZE_WHITESPACE))"
    (line,) = printed(run(f'python -c "{test}"', hide_others(tmp_path, "fisherset")))
    assert re.fullmatch(r"TestResults\(failed=0, attempted=\d+\)", line)
