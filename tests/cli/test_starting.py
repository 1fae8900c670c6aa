"""How a command starts: answers that need no table load nothing that computes."""

import json
import subprocess
import sys

from fisherset.cli.app import app
from support.command_line import environment

HEAVY = {"jinja2", "joblib", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "sklearn"}
# Commands one after another, each with its exit code and the heavy modules that are loaded by then.
CODE = """
import json, sys
from fisherset.cli.app import run
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["fisherset", *arguments]
    code = run()
    print(json.dumps([code, sorted({heavy} & set(sys.modules))]), file=sys.stderr)
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


def loaded_by(commands, cwd, **more):
    """Exit code and heavy modules after each of the commands, and all that was printed."""
    command = [sys.executable, "-c", CODE.format(heavy=HEAVY), json.dumps(commands)]
    done = subprocess.run(command, cwd=cwd, env=environment(**more), capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("[")]
    return [json.loads(line) for line in lines], done.stdout


def test_answers_without_a_table_load_nothing_that_computes(tmp_path):
    found, _ = loaded_by([arguments for arguments, _ in ANSWERED.values()], tmp_path)
    expected = {case: [code, []] for case, (_, code) in ANSWERED.items()}
    assert dict(zip(ANSWERED, found, strict=True)) == expected


def test_completion_loads_nothing_that_computes(tmp_path):
    typed = {"COMP_WORDS": "fisherset sele", "COMP_CWORD": "1"}
    found, said = loaded_by([[]], tmp_path, _FISHERSET_COMPLETE="complete_bash", **typed)
    assert (found, said.split()) == ([[0, []]], ["select"])
