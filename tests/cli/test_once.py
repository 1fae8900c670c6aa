"""A command reads its file once, measures all of its rows once and explains its set once."""

import sys

import pyarrow as pa
import pytest

from fisherset.cli import answer
from fisherset.statistics import measure
from support.command_line import invoke
from support.table_files import frame, write_csv

TABLE = frame()
opened = []  # ways in which the file was opened while a test watches it; the first entry starts that


def note_open(event, arguments):
    if event == "open" and opened and str(arguments[0]).endswith("watched.csv"):
        opened.append("python")


sys.addaudithook(note_open)  # which cannot be removed


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Names of functions that a command calls: to measure all rows, and to explain a set."""
    write_csv(tmp_path / "watched.csv", TABLE)
    calls = []
    in_memory, explain, os_file = measure._in_memory, answer.explain, pa.OSFile

    def measured(block, *given):
        if block.X.shape[0] == len(TABLE):  # not a fold
            calls.append("measure")
        return in_memory(block, *given)

    def explained(*given, **more):
        calls.append("explain")
        return explain(*given, **more)

    def opened_by_arrow(path, *given):
        opened.append("arrow")
        return os_file(path, *given)

    monkeypatch.setattr(measure, "_in_memory", measured)
    monkeypatch.setattr(answer, "explain", explained)
    monkeypatch.setattr(pa, "OSFile", opened_by_arrow)
    opened.append("watched")
    yield calls
    opened.clear()


SELECT = ("select", "watched.csv", "-t", "kind", "-k")
COMMANDS = {
    "select": (*SELECT, 3, "--report", "r.html"),
    "select, all outputs": (*SELECT, 3, "--report", "r.html", "--out", "s.json", "--write", "w.csv"),
    "select, weighted": (*SELECT, 3, "--report", "r.html", "--class-weight", "balanced"),
    "select, regression": (
        *("select", "watched.csv", "-t", "g0", "-k", 3, "--report", "r.html"),
        *("--task", "regression", "--drop", "kind"),
    ),
    "certify": ("certify", "watched.csv", "-t", "kind", "--features", "g0,g1"),
    "alternatives": ("alternatives", "watched.csv", "-t", "kind", "-k", 2, "--report", "r.html"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_a_command_does_its_work_once(case, tmp_path, calls):
    done = invoke(*COMMANDS[case], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # the curves of a page are cross-validated, which ends with all rows
    assert calls == (["measure", "explain", "measure"] if case.startswith("select") else ["measure"])
    assert opened == [
        "watched",
        "python",
        "arrow",
    ]  # for the first bytes, which tell its kind, and to read it


def test_a_comparison_measures_all_rows_once(tmp_path, calls):
    asked = ("-k", "2,4", "--methods", "fisher,joint", "--repeats", 1, "--report", "r.html")
    done = invoke("compare", "watched.csv", "-t", "kind", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert calls == ["measure", "explain"]
