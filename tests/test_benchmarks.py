"""Pages with figures of benchmarks: each names the code that made it, and states only measured results."""

import json
import re
import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from fisherset import GeneralizedFisherScore, scan
from support import figure_pages as pages

BENCHMARKS = pages.ROOT / "benchmarks"
PAGES_OF_PARTS = {
    "benchmarks": "speed",
    "scale": "scale",
    "exact": "exact",
    "terminal": "terminal",
    "accuracy": "accuracy",
    "trust": "trust_contest trust_real",
}
MADE_BY = {"code": "a", "cores": 2, "machine": ["here", "cpu"], "python": "3", "packages": "numpy 2"}
TALL = "2000 x 2000 x 5"

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


@pytest.fixture
def speed():
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
    """Results of a run of the speed benchmark."""
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


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.stem)
def test_a_page_names_the_code_and_the_command_that_made_it(page):
    text = page.read_text(encoding="utf-8")
    assert pages.STAMP.search(text)
    (command,) = re.findall(r"^    ((?:python|make) \S+.*)$", text, re.MULTILINE)[:1]
    script = re.search(r"benchmarks/\w+\.py", command)
    assert command.startswith("make bench") or (pages.ROOT / script[0]).exists()
    if page.stem in PAGES_OF_PARTS:  # every part has its place
        parts = [part for name in PAGES_OF_PARTS[page.stem].split() for part in import_module(name).PARTS]
        assert re.findall(r"<!-- begin: (\w+) -->", text) == parts
        assert re.findall(r"<!-- end: (\w+) -->", text) == parts


def test_every_page_of_figures_is_known():
    measured = re.compile(r"^    (python benchmarks/|make bench)", re.MULTILINE)
    texts = {path.name: path.read_text(encoding="utf-8") for path in (pages.ROOT / "docs").glob("*.md")}
    figures = {name for name, text in texts.items() if measured.search(text)}
    figures -= {"reproduction.md"}  # which has tests of its own
    assert figures == {page.name for page in pages.PAGES}


def test_only_code_that_computes_makes_a_page_old(monkeypatch, tmp_path):
    """A comment or a docstring does not; a number does."""
    (tmp_path / "src" / "fisherset" / "solver").mkdir(parents=True)
    module = tmp_path / "src" / "fisherset" / "solver" / "joint.py"
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    versions = []
    for code in ('"""Doc."""\nX = 1\n', "X = 1  # why\n", "X = 2\n"):
        module.write_text(code)
        versions.append(pages.code_version())
    assert versions[0] == versions[1] != versions[2]


def test_statements_follow_from_results(speed, kept):
    said = speed.verdict_part(kept)
    assert f"No peer is faster than joint; the nearest, abess on {TALL}, k = 50, takes 2.0 times" in said
    assert "No peer's set has a larger F" in said
    assert "memory of joint is 0.50 to 0.50 of f_classif's." in said
    kept.keep(f"{TALL}/50/fastcan", cell(0.45, 0.96))
    kept.keep(f"{TALL}/50/joint", cell(0.9, 0.95, 1.25))
    said = speed.verdict_part(kept)
    assert f"Faster than joint: fastcan on {TALL}, k = 50 (0.50 of its time)." in said
    assert f"A larger F than joint's, at its gamma: fastcan on {TALL}, k = 50 (101.0526%)." in said
    assert f"above it on {TALL}, k = 50 (1.25)" in said


def test_tables_have_a_line_for_every_contestant_and_aim(speed, kept):
    lines = speed.peers_part(kept).splitlines()
    assert f"| mrmr | {speed.SLOW} |  |  |  |  |" in lines
    assert "| joint | 0.90 | 0.50 | 95.00% | 50.0% | 60.0% |" in lines
    assert sum(line.startswith("| ") for line in lines) == 2 + len(speed.SHOWN) + len(speed.PEERS)
    lines = speed.aims_part(kept).splitlines()
    assert f"| {TALL} | 50 | 0.90 | ≤ 1 | 0.50 | 1.00% | **2.00** |" in lines  # more than asked is bold


def test_a_stopped_run_goes_on_and_another_starts_anew(speed, kept, capsys):
    kept.keep("fault", {"reason": "ImportError: no such thing"})
    again = speed.Kept(kept.path, MADE_BY)
    assert set(kept) - set(again) == {"fault"}  # which is tried again
    assert not speed.Kept(kept.path, {**MADE_BY, "code": "b"})
    assert "measured anew" in capsys.readouterr().out
    kept.keep(f"{TALL}/50/joint", cell(0.9, 0.95, others=1.0))
    before = set(kept)
    kept.forget_loud()  # what other processes disturbed
    assert before - set(kept) == {f"{TALL}/50/joint"}


def test_absent_data_are_named(speed, kept, monkeypatch, tmp_path):
    monkeypatch.setenv("FISHERSET_DATA", str(tmp_path))
    name = import_module("speed_tables").CELLS
    import_module("speed_contest").contest(kept, [name], None, ["joint"], "python", busy=True)
    assert f"**{name}**: no data at hand." in speed.peers_part(kept)
    assert f"| {name} | 25 | no data at hand | ≤ 3 |" in speed.aims_part(kept)


@pytest.mark.long
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


@pytest.mark.long
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
    sizes = speed.growth.SIZES
    measured = {letter: {name: list(sizes[letter]) for name in speed.growth.SELECTORS} for letter in sizes}
    monkeypatch.setattr(speed.growth, "measure", measured.__getitem__)
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
    assert (tmp_path / "growth.svg").exists()
    speed.main()
    assert len(seen) == n_measured  # all was known


def test_figures_replace_those_that_were_there(tmp_path):
    scale = import_module("scale")
    page = Path(shutil.copy(pages.ROOT / "docs" / "scale.md", tmp_path))
    for times in ("once", "twice"):
        scale.write(page, {name: f"{name} {times}" for name in scale.PARTS}, scale.trial(1.0))
    text = page.read_text(encoding="utf-8")
    assert "once" not in re.findall(r"\w+ (\w+)\n\n<!-- end", text)
    assert text.count(" twice\n\n<!-- end") == len(scale.PARTS)
    assert pages.code_version() in text
    lines = scale.table([{"": "a", "x": 1, "y": ""}, {"": "b", "x": 2, "y": 3}]).splitlines()
    assert lines[:2] == ["|  | x | y |", "| --- | ---: | ---: |"]
    assert {line.count("|") for line in lines} == {4}


def test_tables_of_the_scale_benchmark_can_be_scanned(tmp_path):
    scale = import_module("scale")
    files = scale.write_rows(tmp_path, 600, 70, 3)
    rows = scan([str(path) for path in files], "label")
    assert (rows.n_rows, rows.n_columns, len(files)) == (600, 70, 3)
    chosen = GeneralizedFisherScore(10).fit(rows).get_support(indices=True)
    assert np.count_nonzero(chosen < 60) >= 8  # the others are noise
    pytest.importorskip("h5py")
    n_entries = scale.write_cells(tmp_path / "cells.h5ad", 300, 400)
    (block,) = scan(tmp_path / "cells.h5ad", "label").blocks()
    assert (block.X.shape, block.X.nnz) == ((300, 400), n_entries)


def test_sets_of_columns_that_are_known_are_not_scored_again():
    contest = import_module("contest")
    scored = []
    found = contest.judged(
        lambda: {1: np.array([4]), 2: np.array([7, 4])},
        lambda columns: scored.append(columns) or [0.5],
        {"4": [0.9]},
        60,
    )
    assert found["scores"] == {"1": [0.9], "2": [0.5]}
    assert found["columns"] == {"1": "4", "2": "4 7"}
    assert [columns.tolist() for columns in scored] == [[4, 7]]


def test_methods_are_held_against_each_other_on_the_halves_of_both():
    contest = import_module("contest").Contest(
        None,
        ["first", "joint", "late"],
        ["a"],
        (10,),
        3,
        "accuracy",
        ours=("joint",),
        slow=("late",),
        slow_splits=1,
    )
    scores = {"first": [0.5, 0.6, 0.7], "joint": [0.6, 0.6, 0.9], "late": [0.9]}
    results = {
        f"a/{split}/{method}": {"scores": {"10": [score, score]}}
        for method, of_splits in scores.items()
        for split, score in enumerate(of_splits)
    }
    results["a/0/joint"]["code"] = "0123456789ab"
    texts = contest.parts(results)
    assert "on 1 half of the 1 sets" in texts["all"]
    assert "| joint | 60.00 | 2.00 | +10.0 |" in texts["all"]  # on the first half, as the slow one
    assert "The best mean rank has late (1.00), the highest mean accuracy late (90.00)." in texts["all"]
    assert "| joint | 70.00 | 1.00 | +10.0 |" in texts["most"]
    assert "| a | 60.0 | +10.0 | +40.0 |" in texts["sets"]
    assert texts["losses"] == "joint loses no more than a point on any set."
    assert texts["made"] == "Measured: joint by code 0123456789ab and unknown."


def test_shares_of_planted_combinations_stand_beside_those_of_other_code(capsys):
    planted = import_module("planted")
    made = planted.tables(short=True)
    now = {one.key: dict.fromkeys(planted.METHODS, True) for one in made}
    before = {one.key: dict.fromkeys(planted.METHODS, False) for one in made}
    now[made[0].key]["CV"] = False
    planted.show(made, now, before)
    lines = capsys.readouterr().out.splitlines()
    assert any(
        "| correlation 0.97, 2,000 rows | 8 | 100 | 100 | 0 → 100 | 0 → 100 |" in line for line in lines
    )
    assert "default misses 0 of the 32 that gamma = n/10 finds." in lines
    assert "CV misses 1 of the 32 that gamma = n/10 finds." in lines


def test_mice_in_two_halves_are_other_animals():
    accuracy = import_module("accuracy")
    y = np.repeat(np.arange(12) % 3, accuracy.ROWS_OF_AN_ANIMAL)
    train, test = accuracy.halves_of_animals(y, 0)
    assert sorted([*train, *test]) == list(range(y.size))
    assert not set(train // accuracy.ROWS_OF_AN_ANIMAL) & set(test // accuracy.ROWS_OF_AN_ANIMAL)


def test_true_positives_are_counted_at_equal_error():
    contest = import_module("trust_contest")
    runs = [
        {"scores": [5.0, 4.0, 3.0, 3.0, 1.0], "related": [True, False, True, False, True]},
        {"scores": [9.0, 8.0, 2.0, 0.5, 0.1], "related": [True, True, False, False, True]},
    ]
    # two false ones for both tables have 4 and 3: what is above the third false score, 2, counts
    assert contest.at_equal_error(runs, 1) == (2 + 2) / 2
    assert contest.at_equal_error(runs[:1], 1) == 1.0  # a tie with the second false one does not
    assert contest.at_equal_error(runs[:1], 2) == 3.0
    results = {
        f"2/{seed}/ipss l1": run | {"selected": [2, 1], "seconds": 1.0} for seed, run in enumerate(runs)
    }
    results["5/0/hidimstat knockoffs"] = {"reason": "more than 3 s"}
    texts = contest.parts(results)
    assert list(texts) == list(contest.PARTS)
    assert "| ipss l1 | 2 | 2.0 |" in texts["two"]
    assert "| hidimstat knockoffs (class numbers) | 0 |" in texts["five"]


def test_real_sets_have_a_cell_for_every_method_and_set():
    real = import_module("trust_real")
    found = {"index": 0.5, "accuracy": 0.75, "p": 0.05}
    figures = {"figures": {str(k): found for k in real.KS}}
    results = {"a": dict.fromkeys(real.NAMES, figures), "b": {"joint": figures, "lasso": {"reason": "more"}}}
    texts = real.parts(results)
    assert list(texts) == list(real.PARTS)
    assert "| joint | 0.50 | 75.0 | 1 of 1 |" in texts["all"]
    assert "| b | - | 0.50, 75.0, 0.05 |" in texts["sets"]
    assert texts["sets"].count(" more |") == 1
    page = (pages.ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    assert "| set | " + " | ".join(real.NAMES) + " |" in page
    table = page.split("begin: sets")[1].split("end: sets")[0]
    assert re.findall(r"^\| (\S.*?) \|", table, re.MULTILINE)[2:] == list(real.REAL)
    others = [name for name in real.NAMES if name != "joint"]
    assert re.findall(r"^\| (\S.*?) \|", page.split("begin: against")[1], re.MULTILINE)[2:] == others


def test_the_discriminant_is_that_of_scikit_learn_with_the_same_ridge():
    real = import_module("trust_real")
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 6)) + y[:, None] * rng.normal(size=6) * 0.4
    A, b, B, c = X[:60], y[:60], X[60:], y[60:]
    Z, T = (A - A.mean(axis=0)) / A.std(axis=0), (B - A.mean(axis=0)) / A.std(axis=0)
    model = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=Ridge(6 / 60)).fit(Z, b)
    assert real.discriminant_accuracy(A, b, B, c) == pytest.approx(model.score(T, c))


class Ridge(BaseEstimator):
    """The covariance of a class with a ridge."""

    def __init__(self, ridge):
        self.ridge = ridge

    def fit(self, X):
        self.covariance_ = np.cov(X.T, bias=True) + self.ridge * np.eye(X.shape[1])
        return self
