"""Commands of the README run with nothing installed but what it names, and print what it shows."""

import json
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
PROSE = "".join(TEXT.split("```")[::2])
# lines by themselves, and commands within a sentence
COMMANDS = [
    *re.findall(r"^    ((?:make|pip|fisherset|python) .*)$", PROSE, re.M),
    *(" ".join(typed.split()) for typed in re.findall(r"`((?:fisherset|python) [^`]+)`", PROSE)),
    *(block[0].removeprefix("$ ") for block in BLOCKS if block[0].startswith("$ ")),
]
OTHERWISE = {  # tested by other means
    "make demo": "the same as fisherset demo, below",
    "make test": "these tests",
    "pip install": "what the others have to do with",
    "fisherset reproduce": "tests/paper",
}

NUMBER = re.compile(r"\d+\.\d")
# Commands one after another in one process, which loads the package once.
ONE_BY_ONE = """
import json, sys
from fisherset.cli.app import run
for sys.argv in json.loads(sys.argv[1]):
    code = run()
    if code:
        sys.exit(f"{sys.argv} ends with {code}")
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """A folder for commands, and how they are run in an environment that has what the README installs."""
    folder = tmp_path_factory.mktemp("typed")
    hidden = hide_others(tmp_path_factory.mktemp("cli"), "fisherset[cli]")
    rng = np.random.default_rng(0)
    rows = [
        f"{a:.3f},{b:.3f},{label}" for (a, b), label in zip(rng.normal(size=(40, 2)), "pq" * 20, strict=True)
    ]
    (folder / "table.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    (folder / "list.txt").write_text("b\n")
    (folder / "people.csv").write_text("age,size,answer\n31,1.5,yes\n?,1.7,no\n42,1.6,yes\n28,1.8,no\n")

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


@pytest.fixture(scope="module")
def selected(typed):
    """Lines that `select` prints, and those of the README; it writes files that other commands use."""
    run, folder = typed
    (making,) = [command for command in COMMANDS if command.startswith("python -c")]
    assert printed(run(making)) == []
    (block,) = [block for block in BLOCKS if block[0].startswith("$ fisherset select tumours.csv")]
    shown = printed(run(block[0].removeprefix("$ ")))
    (folder / "new.csv").write_bytes((folder / "tumours.csv").read_bytes())
    return shown, block[1:]


def test_select_prints_what_the_readme_shows(selected):
    shown, expected = selected
    assert shown == expected


def test_a_refusal_is_what_the_readme_shows(typed):
    run, _ = typed
    (block,) = [block for block in BLOCKS if "people.csv" in block[0]]
    done = run(block[0].removeprefix("$ "))
    assert (done.returncode, done.stderr.splitlines()) == (2, block[1:])


@pytest.mark.usefixtures("selected")
def test_every_other_command_runs(typed):
    """After `select`, whose files the others use; a command that is new in the README is run, too."""
    run, _ = typed
    rest = [command for command in COMMANDS if not command.startswith((*OTHERWISE, "python -c"))]
    shown = ("--out selection.json", "people.csv")  # and tested above
    rest = [command for command in rest if not any(part in command for part in shown)]
    assert {command.split()[1] for command in rest} >= {
        "alternatives",
        "apply",
        "certify",
        "compare",
        "select",
    }
    arguments = json.dumps([shlex.split(command) for command in rest])
    printed(run(shlex.join(["python", "-c", ONE_BY_ONE, arguments])))


def test_demo(typed):
    run, folder = typed
    (block,) = [block for block in BLOCKS if block[0].startswith("Handwritten digits")]
    lines = printed(run("fisherset demo"))
    # which of two equally near neighbours comes first depends on the machine's BLAS: an image in 899. So do
    # the last digits of a bound that stays loose.
    for printed_line, line in zip(lines[:-1], block, strict=True):
        assert NUMBER.sub("#", printed_line) == NUMBER.sub("#", line)
        ours, theirs = (list(map(float, NUMBER.findall(one))) for one in (printed_line, line))
        assert ours == pytest.approx(theirs, abs=0.6 if "of the best F" in line else 0.16)
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
