"""How a command starts: answers that need no table load nothing that computes."""

import subprocess
import sys

import pytest

from fisherset.cli.app import app
from support.command_line import environment

HEAVY = {"jinja2", "joblib", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "sklearn"}
# The command, and then what it has loaded.
CODE = """
import sys
from fisherset.cli.app import run
sys.argv[0] = "fisherset"
code = run()
print(code, *sorted({heavy} & set(sys.modules)), file=sys.stderr)
"""
NAMES = [command.callback.__name__ for command in app.registered_commands]
ANSWERED = {
    "help": (["--help"], 0),
    "nothing asked": ([], 2),
    "version": (["--version"], 0),
    "no such command": (["selct"], 2),
    "no such option": (["select", "t.csv", "--no-such-option"], 2),
    "no file named": (["select"], 2),
    "no number": (["select", "t.csv", "-k", "many"], 2),
    "a limit without a search": (["certify", "t.csv", "--features", "f.txt", "--max-nodes", "3"], 2),
    "no suffix of a selection": (["select", "t.csv", "--out", "selection.txt"], 2),
    "no suffix of a table": (["apply", "s.json", "t.csv", "--out", "t.html"], 2),
    "a summary twice": (["merge", "a.npz", "a.npz", "--out", "all.npz"], 2),
    **{f"help of {name}": ([name, "--help"], 0) for name in NAMES},
}


def loaded_by(arguments, cwd, **more):
    command = [sys.executable, "-c", CODE.format(heavy=HEAVY), *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment(**more), capture_output=True, text=True)
    code, *loaded = done.stderr.splitlines()[-1].split()
    return int(code), loaded, done.stdout


@pytest.mark.parametrize("case", ANSWERED)
def test_answers_without_a_table_load_nothing_that_computes(case, tmp_path):
    arguments, code = ANSWERED[case]
    assert loaded_by(arguments, tmp_path)[:2] == (code, [])


def test_completion_loads_nothing_that_computes(tmp_path):
    typed = {"COMP_WORDS": "fisherset sele", "COMP_CWORD": "1"}
    code, loaded, said = loaded_by([], tmp_path, _FISHERSET_COMPLETE="complete_bash", **typed)
    assert (code, loaded, said.split()) == (0, [], ["select"])
