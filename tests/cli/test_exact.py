"""Exact search on the command line: what is proven, and how it is cut short, as by Ctrl-C."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

from fisherset import FisherScore, GeneralizedFisherScore
from fisherset.tables import read_selection
from support.command_line import Terminal, environment, invoke, refused

# The command with Ctrl-C the third time that the search looks at nodes, and again when it is to write.
AT_NODES = """
import signal, sys
from fisherset.cli import files as common
from fisherset.solver.exact.search import Search

explored, write, seen = Search._explore, common.Outputs.write, []

def interrupted(self, nodes):
    seen.append(nodes)
    if len(seen) == 3:
        signal.raise_signal(signal.SIGINT)
    return explored(self, nodes)

def interrupted_again(self, *given):
    if {again}:
        signal.raise_signal(signal.SIGINT)
    write(self, *given)

Search._explore, common.Outputs.write = interrupted, interrupted_again
from fisherset.cli import main
main()
"""
SELECT = ("select", "t.npz", "-k", "5", "--solver", "exact", "--gamma", "599")
CERTIFY = ("certify", "t.npz", "--features", "names.txt", "--exact", "--gamma", "599")


@pytest.fixture(scope="module")
def table():
    X, y = load_digits(return_X_y=True)
    return X[::3], y[::3]


@pytest.fixture
def folder(tmp_path, table):
    X, y = table
    np.savez(tmp_path / "t.npz", X=X, y=y, classes=np.arange(10).astype(str))
    ranking = np.flatnonzero(FisherScore(5).fit(X, y).support_)
    (tmp_path / "names.txt").write_text("".join(f"x{j}\n" for j in ranking))
    return tmp_path


def words(text):
    return " ".join(text.split())


def at_nodes(folder, *arguments, again=False):
    command = [sys.executable, "-c", AT_NODES.format(again=again), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=folder)


def test_the_best_set(folder, table):
    found = GeneralizedFisherScore(5, gamma=599.0, solver="exact").fit(*table)
    done = invoke(*SELECT, "--out", "s.json", "--report", "r.html", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    best = "Proven optimal: no other 5 columns score higher."
    assert best in words(done.stdout)
    assert f"gamma = 599, {found.n_nodes_} nodes searched" in words(done.stdout)
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert all(part in page for part in ("Proven optimal", "No other 5 columns score higher."))
    assert f"exact, {found.n_nodes_} nodes" in page
    selection = read_selection(folder / "s.json")
    assert (selection.optimal, selection.n_nodes) == (True, found.n_nodes_)
    assert selection.objective == pytest.approx(found.objective_, rel=1e-12)


def test_files_of_before(folder):
    assert invoke(*SELECT, "--max-nodes", 1, "--out", "s.json", cwd=folder).returncode == 0
    content = json.loads((folder / "s.json").read_text())
    assert (content.pop("optimal"), content.pop("n_nodes")) == (False, 1)
    (folder / "s.json").write_text(json.dumps(content))
    assert read_selection(folder / "s.json").optimal is False
    for name, bad in (("optimal", 1), ("n_nodes", True), ("n_nodes", "7")):
        (folder / "bad.json").write_text(json.dumps({**content, name: bad}))
        with pytest.raises(ValueError, match=f"{name!r} must be .*; it is {json.dumps(bad)}"):
            read_selection(folder / "bad.json")


def test_a_set_against_the_best(folder, table):
    best = GeneralizedFisherScore(5, gamma=599.0, solver="exact").fit(*table).objective_
    said = words(invoke(*CERTIFY, cwd=folder).stdout)
    assert "Not optimal: 84.0 % of what the best 5 columns reach." in said
    assert f", best {best:.6g}, gamma = 599" in said
    found = json.loads(invoke(*CERTIFY, "--json", cwd=folder).stdout)
    assert (found["exact"], found["optimal"], found["status"]) == (True, False, "CONVERGED")
    assert found["best"] == pytest.approx(best, rel=1e-9)
    assert found["n_nodes"] > 0


@pytest.mark.parametrize(
    ("limit", "status"), [("--max-nodes=1", "MAX_NODES"), ("--time-limit=1e-9", "TIME_LIMIT")]
)
def test_limits_end_the_search(folder, limit, status):
    selection = json.loads(invoke(*SELECT, limit, "--json", cwd=folder).stdout)
    assert not selection["optimal"]
    assert selection["gap"] > 0.01
    remark = f"Stopped at --{status.lower().replace('_', '-')}; a better set may exist."
    assert remark in selection["remarks"]
    for printed in ("names", "csv", "tsv", "json"):  # beside an answer that only looks complete
        done = invoke(*SELECT, limit, "--format", printed, cwd=folder)
        assert (done.returncode, done.stderr) == (0, f"fisherset: warning: {remark}\n")
        assert invoke(*SELECT, limit, "--format", printed, "--quiet", cwd=folder).stderr == ""
    graded = json.loads(invoke(*CERTIFY, limit, "--json", cwd=folder).stdout)
    assert (graded["exact"], graded["status"]) == (False, status)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_the_search_and_not_the_command(folder):
    done = at_nodes(folder, *SELECT, "--out", "s.json")
    assert (done.returncode, done.stderr) == (
        0,
        "fisherset: interrupted; going on with the best set so far.\n",
    )
    said = words(done.stdout)
    assert "of what any 5 columns can reach." in said
    assert "Interrupted; a better set may exist." in said
    selection = read_selection(folder / "s.json")
    assert not selection.optimal
    assert len(selection.features) == 5


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_the_search_of_certify(folder):
    graded = at_nodes(folder, *CERTIFY, "--json")
    assert (graded.returncode, json.loads(graded.stdout)["status"]) == (0, "INTERRUPTED")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_once_more_ends_the_command(folder):
    done = at_nodes(folder, *SELECT, "--out", "s.json", again=True)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "fisherset: interrupted; nothing was written."
    assert not (folder / "s.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SELECT[:4], "--max-nodes", 5), "--max-nodes needs --solver exact"),
        ((*CERTIFY[:4], "--max-nodes", 5), "--max-nodes needs --exact"),
        (("select", "t.npz", "-k", "auto", "--solver", "exact", "--time-limit", 5), "other than auto"),
        ((*SELECT, "--gamma", "auto", "--max-nodes", 5), "other than auto"),
        (
            (*SELECT[:4], "--solver", "best"),
            "--solver takes joint, exact or cutting-plane; got 'best'",
        ),
    ],
)
def test_what_does_not_go_together(folder, arguments, message):
    assert message in refused(invoke(*arguments, cwd=folder))


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_how_far_it_is_on_a_terminal(folder):
    """The line of the search itself, where a person may want to end it."""
    terminal = Terminal(*SELECT, cwd=folder)
    terminal.wait_for(rb"exact .*F = 1\.\d+  UB = 1\.\d+  gap = [\d.]+%  nodes = \d+  open = \d+  [\d.]+ s")
    terminal.interrupt()
