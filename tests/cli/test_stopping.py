"""How a command is stopped: Ctrl-C from its first moment on."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine

from support.command_line import Terminal, environment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

# The command with Ctrl-C at its n-th import: the same place on every machine, however busy.
AT_IMPORT = """
import signal, sys

at, seen = int(sys.argv[1]), 0

def count(event, _):
    global seen
    if event == "import":
        seen += 1
        if seen == at:
            signal.raise_signal(signal.SIGINT)

del sys.argv[1]
sys.addaudithook(count)
from fisherset.cli import main
try:
    main()
finally:
    print(seen, file=sys.stderr)
"""


@pytest.fixture
def endless(tmp_path):
    """A comparison that is never done."""
    X = np.random.default_rng(0).normal(size=(300, 400))
    np.savez(tmp_path / "t.npz", X=X, y=np.arange(300) % 3, classes=np.array(["a", "b", "c"]))
    return "compare", "t.npz", "-k", "5,50", "--repeats", "100000", "--report", "r.html"


def interrupted(code, said):
    assert code == 130, said
    assert "Traceback" not in said
    assert "interrupted; nothing was written" in said


def test_ctrl_c_at_work_leaves_no_half_file(endless, tmp_path):
    terminal = Terminal(*endless, cwd=tmp_path)
    terminal.wait_for(rb"comparing")
    interrupted(*terminal.interrupt())
    assert [path.name for path in tmp_path.iterdir()] == ["t.npz"]


def test_ctrl_c_keeps_what_is_known_of_trust(tmp_path):
    """The time that is left is shown; what was finished is reported and written."""
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    files = "--out", "s.json", "--report", "r.html"
    endless = "--permutations", "1000000", "--pairs", "2"
    terminal = Terminal("trust", "wine.csv", "-t", "target", "-k", "2", *endless, *files, cwd=tmp_path)
    terminal.wait_for(rb"permutations[^\n]*[2-9]\d/1000000[^\n]*left")
    code, said = terminal.interrupt()
    assert code == 0, said
    assert "Traceback" not in said
    assert "of 1000000 permutations are done" in said
    found = json.loads((tmp_path / "s.json").read_text())["trust"]
    assert 19 <= found["permutation"]["n_permutations"] < 1000000
    assert found["stability"]["n_pairs"] == 2
    assert '<h2 id="trust">' in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("module", [rb"fisherset\.cli\.options", rb"numpy", rb"sklearn", rb"typer"])
def test_ctrl_c_while_it_loads(endless, tmp_path, module):
    """-X importtime tells of each module as it is loaded."""
    terminal = Terminal(*endless, cwd=tmp_path, python=(sys.executable, "-X", "importtime"))
    terminal.wait_for(rb"\| +" + module + rb"\b")
    interrupted(*terminal.interrupt())


@pytest.mark.parametrize("points", [3, pytest.param(10, marks=pytest.mark.long)])
def test_ctrl_c_at_imports_from_first_to_last(tmp_path, points):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    select = ("select", "wine.csv", "-t", "target", "-k", "2", "--report", "r.html")

    def stopped_at(n):
        command = [sys.executable, "-c", AT_IMPORT, str(n), *select]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=tmp_path)
        return done.returncode, done.stderr

    code, said = stopped_at(0)
    assert code == 0
    (tmp_path / "r.html").unlink()
    total = int(said.split()[-1])
    assert total > 1000
    # the first two are the package and its command line, which cannot answer before they are there
    for n in (3, 4, *range(5, total - 100, total // points)):
        interrupted(*stopped_at(n))
        assert [path.name for path in tmp_path.iterdir()] == ["wine.csv"]


def test_ctrl_c_that_a_shell_has_ignored_stays_ignored():
    """As for a command a script starts with `&`."""
    command = [sys.executable, "-c", AT_IMPORT, "50", "--version"]
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), **ignore)
    assert done.returncode == 0
    assert done.stdout.startswith("fisherset 0.")
