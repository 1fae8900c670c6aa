"""The benchmark of docs/benchmarks.md: what it says follows from what it measured, and runs are not mixed."""

import json
import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
MADE_BY = {"code": "a", "cores": 2, "machine": ["here", "cpu"], "python": "3", "packages": "numpy 2"}
TALL = "2000 x 2000 x 5"

pytestmark = pytest.mark.once


@pytest.fixture
def speed(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("speed")


def cell(seconds, value, peak=0.5, **more):
    return {
        "seconds": seconds,
        "peak": 2**20,
        "times": {"seconds": seconds, "peak": peak},
        "F": value,
        "n": 50,
        "accuracy": [0.5, 0.6],
        "gap": 0.01,
        "bound": 1.0,
        "others": 0.0,
        **more,
    }


@pytest.fixture
def kept(speed, tmp_path):
    kept = speed.Kept(tmp_path / "speed.json", MADE_BY)
    for method, found in {
        "f_classif": cell(1.0, 0.8, 1.0),
        "joint": cell(0.9, 0.95),
        "abess": cell(1.8, 0.9),
        "mrmr": {"reason": speed.SLOW},
    }.items():
        kept.keep(f"{TALL}/50/{method}", found)
    kept.keep(f"{TALL}/50/joint/busy", {"times": {"seconds": 1.8, "peak": 0.5}})
    return kept


def test_what_is_true_of_all_is_said(speed, kept):
    said = speed.verdict_part(kept)
    assert f"No peer is faster than joint; the nearest, abess on {TALL}, k = 50, takes 2.0 times" in said
    assert "No peer's set has a larger F" in said
    assert "memory of joint is 0.50 to 0.50 of f_classif's." in said


def test_what_is_not_is_named(speed, kept):
    kept.keep(f"{TALL}/50/fastcan", cell(0.45, 0.96))
    kept.keep(f"{TALL}/50/joint", cell(0.9, 0.95, 1.25))
    said = speed.verdict_part(kept)
    assert f"Faster than joint: fastcan on {TALL}, k = 50 (0.50 of its time)." in said
    assert f"A larger F than joint's, at its gamma: fastcan on {TALL}, k = 50 (101.0526%)." in said
    assert f"above it on {TALL}, k = 50 (1.25)" in said


def test_more_than_asked_is_bold(speed, kept):
    def line():
        (found,) = (line for line in speed.aims_part(kept).splitlines() if f"| {TALL} | 50 |" in line)
        return found

    assert line() == f"| {TALL} | 50 | 0.90 | ≤ 1 | 0.50 | 1.00% | **2.00** |"
    kept.keep(f"{TALL}/50/joint", cell(1.2, 0.95, others=1.0))
    assert line() == f"| {TALL} | 50 | **1.20** | ≤ 1 | 0.50 | 1.00% | 1.50 |"
    assert "more than 0.2 during 1 of 1" in speed.aims_part(kept)


def test_a_table_has_a_line_for_every_contestant(speed, kept):
    lines = speed.peers_part(kept).splitlines()
    assert f"| mrmr | {speed.SLOW} |  |  |  |  |" in lines
    assert "| joint | 0.90 | 0.50 | 95.00% | 50.0% | 60.0% |" in lines
    assert sum(line.startswith("| ") for line in lines) == 2 + len(speed.SHOWN) + len(speed.PEERS)


def test_a_stopped_run_goes_on_and_another_starts_anew(speed, kept, capsys):
    kept.keep("fault", {"reason": "ImportError: no such thing"})
    again = speed.Kept(kept.path, MADE_BY)
    assert set(kept) - set(again) == {"fault"}  # which is tried again
    assert again.cell(TALL, 50, "mrmr")["reason"] == speed.SLOW
    assert not speed.Kept(kept.path, {**MADE_BY, "code": "b"})
    assert "measured anew" in capsys.readouterr().out


def test_what_was_disturbed_can_be_measured_once_more(kept):
    kept.keep(f"{TALL}/50/joint", cell(0.9, 0.95, others=1.0))
    before = set(kept)
    kept.forget_loud()
    assert before - set(kept) == {f"{TALL}/50/joint"}


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_contestants_run_in_processes_of_their_own(speed, monkeypatch, tmp_path, storage):
    monkeypatch.setenv("PYTHONPATH", str(BENCHMARKS.parent / "src"))
    contest, tables = import_module("speed_contest"), import_module("speed_tables")
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 20)) * (rng.random((60, 20)) < 0.5), np.arange(60) % 3
    X[:, 4] += y
    table = (storage(X), y) * 2
    monkeypatch.setitem(tables.TABLES, TALL, lambda: table)
    kept = speed.Kept(tmp_path / "speed.json", MADE_BY)
    contest.contest(kept, [TALL], [3], ["joint"], "no-such-python", busy=False)
    ours = kept.cell(TALL, 3, "joint")
    assert 4 in ours["columns"]
    assert ours["F"] == pytest.approx(ours["objective"])
    assert set(json.loads(kept.path.read_text())["cells"]) == {f"{TALL}/3/f_classif", f"{TALL}/3/joint"}


def test_absent_data_is_said_to_be(speed, kept, monkeypatch, tmp_path):
    monkeypatch.setenv("FISHERSET_DATA", str(tmp_path))
    name = import_module("speed_tables").CELLS
    import_module("speed_contest").contest(kept, [name], None, ["joint"], "python", busy=True)
    assert f"**{name}**: no data at hand." in speed.peers_part(kept)
    assert f"| {name} | 25 | no data at hand | ≤ 3 |" in speed.aims_part(kept)


def test_a_run_fills_every_part_of_the_page(speed, monkeypatch, tmp_path):
    contest = import_module("speed_contest")
    rng = np.random.default_rng(0)
    X, y = rng.random((20, 210)), np.arange(20) % 2
    seen = []

    def run(python, method, folder, k):
        seen.append(method)
        more = {"gamma": 1.0, "objective": 0.5, "bound": 1.0, "gap": 0.5} if method not in speed.PEERS else {}
        return {"seconds": 1.0, "peak": 10, "columns": list(range(k)), "others": 0.1, **more}

    monkeypatch.setattr(contest, "run", run)
    monkeypatch.setattr(contest, "accuracies", lambda *given: [0.5, 0.5])
    monkeypatch.setattr(contest, "TABLES", dict.fromkeys(contest.TABLES, lambda: (X, y) * 2))
    monkeypatch.setattr(speed, "made_by", lambda adelie: {**MADE_BY, "code": speed.code_version()})
    monkeypatch.setattr(
        speed.growth,
        "sum_moments",
        lambda letter: {name: list(speed.growth.SIZES[letter]) for name in speed.growth.SELECTORS},
    )
    monkeypatch.setattr(speed.growth, "draw", lambda measured, path: path.touch())
    page = Path(shutil.copy(BENCHMARKS.parent / "docs" / "benchmarks.md", tmp_path))
    results = tmp_path / "speed.json"
    monkeypatch.setattr("sys.argv", ["speed.py", "--write", str(page), "--results", str(results)])
    speed.main()
    text, n_measured = page.read_text(encoding="utf-8"), len(seen)
    assert set(seen) == set(speed.METHODS)
    assert speed.code_version() in text
    assert "ot measured" not in text
    assert "not run" not in text
    assert text.count("| **1.00** |") == sum(aim.asked < 1 for aim in speed.AIMS)
    assert "| n | 500 to 32000 |" in text
    assert (tmp_path / "growth.svg").exists()
    speed.main()
    assert len(seen) == n_measured  # all was known
