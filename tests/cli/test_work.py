"""A command does no work that nobody asked for: nothing is loaded in vain, nothing found twice."""

import subprocess
import sys

import pytest
from sklearn.datasets import load_wine

from fisherset.cli import answer
from fisherset.cli.commands import select
from fisherset.cli.terminal import ProgressBars
from support.command_line import environment

HEAVY = {"jinja2", "matplotlib"}


@pytest.fixture
def wine(tmp_path):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(("option", "loaded"), [("--out s.json", set()), ("--report r.html", HEAVY)])
def test_only_a_page_loads_what_pages_need(wine, option, loaded):
    code = (
        "import sys; from fisherset.cli.app import run; code = run(); "
        f"print(code, sorted({HEAVY} & set(sys.modules)))"
    )
    arguments = ["select", "wine.csv", "-t", "target", "-k", "3", "-q", *option.split()]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=wine, env=environment(), capture_output=True, text=True
    )
    assert done.stdout.strip() == f"0 {sorted(loaded)}", done.stderr


def test_features_are_explained_once(wine, monkeypatch):
    calls, explain = [], answer.explain
    monkeypatch.setattr(answer, "explain", lambda *args, **more: calls.append(1) or explain(*args, **more))
    outputs = {"out": wine / "s.json", "report": wine / "r.html"}
    given = {"file": wine / "wine.csv", "target": "target", "k": "3", "quiet": True}
    select.select(**given, **outputs)
    assert len(calls) == 1
    assert all(path.stat().st_size for path in outputs.values())


def test_one_bar_for_each_name(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    with ProgressBars(False, "reading [red].csv") as bars:
        bars("sonar", 1, 20)
        bars("sonar", 2, 20)
        bars("protein", 3, 20)
    assert bars.done == {"reading [red].csv": 0, "sonar": 2, "protein": 3}
    said = capsys.readouterr().err
    assert "reading [red].csv" in said
    assert "3/20" in said


@pytest.mark.parametrize("quiet", [True, False])
def test_no_bars_where_nobody_looks(quiet, monkeypatch, capsys):
    if quiet:
        monkeypatch.setenv("FORCE_COLOR", "1")
    with ProgressBars(quiet, "selecting"):
        pass
    assert capsys.readouterr().err == ""


def test_the_library_tells_how_far_it_is(wine, monkeypatch, capsys):
    """Bytes of a text, folds of a search and rows of a pass each move a bar; without a terminal none do."""
    from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV, scan
    from fisherset._progress import LOGGER
    from fisherset.tables import read_table

    path = wine / "wine.csv"
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    with ProgressBars(False) as bars:
        table = read_table(path, "target")
        GeneralizedFisherScoreCV(3, cv=4, gammas=[1.0]).fit(table.X, table.y)
        GeneralizedFisherScore(3, gamma=1.0).fit(scan(path, "target"))
    assert bars.done["reading wine.csv"] == path.stat().st_size
    assert bars.done["cross-validating"] == 4
    assert bars.done["passing over the rows"] == len(table.y)
    assert "4/4" in capsys.readouterr().err
    assert not LOGGER.handlers
    assert not LOGGER.isEnabledFor(20)
