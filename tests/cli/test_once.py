"""A command opens its file once, measures it once and explains its set once."""

import sys

import pyarrow as pa
import pytest

from fisherset.cli import answer
from fisherset.statistics import measure
from support.command_line import invoke
from support.table_files import frame, write_csv

opened = []  # of the file while a test watches it


def note_open(event, arguments):
    if event == "open" and opened and str(arguments[0]).endswith("watched.csv"):
        opened.append("python")


sys.addaudithook(note_open)  # which cannot be removed


def counted(monkeypatch, owner, name, calls):
    real = getattr(owner, name)

    def called(*given, **more):
        calls.append(name)
        return real(*given, **more)

    monkeypatch.setattr(owner, name, called)


@pytest.fixture
def counts(tmp_path, monkeypatch):
    """Calls while a command runs: opening the file, measuring a table, explaining a set."""
    write_csv(tmp_path / "watched.csv", frame())
    calls = []
    counted(monkeypatch, measure, "_in_memory", calls)
    counted(monkeypatch, measure, "_out_of_core", calls)
    counted(monkeypatch, answer, "explain", calls)
    for name in ("OSFile", "memory_map"):
        real = getattr(pa, name)

        def watched(path, *given, real=real, **more):
            opened.append("arrow")
            return real(path, *given, **more)

        monkeypatch.setattr(pa, name, watched)
    opened.append("watching")
    yield calls
    opened.clear()


def n_opened():
    return len(opened) - 1


@pytest.mark.parametrize("more", [(), ("--out", "s.json", "--write", "w.csv", "--class-weight", "balanced")])
def test_select_with_a_page(more, tmp_path, counts):
    asked = ("select", "watched.csv", "-t", "kind", "-k", 3, "--report", "r.html", *more)
    done = invoke(*asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert counts == ["_in_memory", "explain"]
    assert n_opened() == 1
