"""Answers for other programs: names, cells, JSON; and columns to grade, from wherever they come."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from fisherset.tables.selection import read_selection
from support.command_line import COMMAND, environment, invoke, refused
from support.table_files import frame, holed

ODD_NAMES = ["=SUM(A1)", "a,b", 'q"x', "two\nlines", "\x1b[31mred", "é", "a" * 150, " lead"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    frame().to_csv(folder / "t.csv", index=False)
    holed().to_csv(folder / "holed.csv", index=False)
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    odd = pd.DataFrame(rng.normal(size=(60, len(ODD_NAMES))) + 0.3 * y[:, None], columns=ODD_NAMES)
    odd.assign(kind=y).to_parquet(folder / "odd.parquet")
    return folder


SELECT = ("select", "t.csv", "-t", "kind", "-k", 3)


def said(folder, *given, **more):
    done = invoke(*given, cwd=folder, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_formats_tell_of_the_same_features(folder):
    whole = json.loads(said(folder, *SELECT, "--format", "json"))
    assert whole == json.loads(said(folder, *SELECT, "--json"))
    names = [row["name"] for row in whole["details"]]
    assert said(folder, *SELECT, "--format", "names").splitlines() == names
    for form, sign in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.DictReader(io.StringIO(said(folder, *SELECT, "--format", form)), delimiter=sign))
        assert [row["name"] for row in rows] == names
        assert [float(row["drop"]) for row in rows] == [row["drop"] for row in whole["details"]]


def test_odd_names_stay_cells_and_lines(folder):
    asked = ("select", "odd.parquet", "-t", "kind", "-k", len(ODD_NAMES))
    names = said(folder, *asked, "--format", "names").split("\n")[:-1]
    assert len(names) == len(ODD_NAMES)
    assert not any("\x1b" in name for name in names)
    rows = list(csv.DictReader(io.StringIO(said(folder, *asked, "--format", "csv"))))
    assert {row["name"] for row in rows} == set(ODD_NAMES)
    guarded = said(folder, *asked, "--format", "csv", "--spreadsheet-safe")
    rows = list(csv.DictReader(io.StringIO(guarded)))
    assert {row["name"].removeprefix("'") for row in rows} == set(ODD_NAMES)
    assert not any(row["name"].startswith("=") for row in rows)


def test_nothing_is_wrapped_where_nobody_looks(folder):
    """Piped, without a width to keep to."""
    kept = {key: value for key, value in environment().items() if key != "COLUMNS"}
    asked = ["select", "odd.parquet", "-t", "kind", "-k", str(len(ODD_NAMES))]
    done = subprocess.run(
        [*COMMAND, *asked], cwd=folder, env=kept, capture_output=True, text=True, encoding="utf-8"
    )
    assert any("a" * 150 in line for line in done.stdout.splitlines())
    assert any("noise column" in line or "No column" in line for line in done.stdout.splitlines())


def test_json_beside_another_format_is_refused(folder):
    assert "omit one of them" in refused(invoke(*SELECT, "--json", "--format", "csv", cwd=folder))


def test_quiet_prints_nothing_but_what_another_program_is_to_read(folder):
    for form in ("table", "names", "csv", "json"):
        done = invoke(*SELECT[:-2], "-q", "--format", form, cwd=folder)  # without -k there is a note
        assert done.stderr == ""
        assert bool(done.stdout) == (form != "table")
    assert "note" in invoke(*SELECT[:-2], cwd=folder).stderr
    done = invoke("select", "t.csv", "-t", "kind", "-qk", 2, cwd=folder)
    assert (done.stdout, done.stderr) == ("", "")


def test_notes_name_the_table(folder):
    assert invoke(*SELECT[:-2], cwd=folder).stderr.startswith("fisherset: note: t.csv: without -k")


CERTIFY = ("certify", "t.csv", "-t", "kind")


def graded(folder, *given):
    return json.loads(said(folder, *given, "--json"))


def test_columns_are_named_in_every_way(folder, monkeypatch):
    (folder / "list.txt").write_text("g0\ng1\n")
    expected = graded(folder, *CERTIFY, "--features", "list.txt")
    assert graded(folder, *CERTIFY, "--features", "g0,g1") == expected
    assert graded(folder, *CERTIFY, "--features", " g1, g0") == expected
    piped = subprocess.run(
        [*COMMAND, *map(str, CERTIFY), "--features", "-", "--json"],
        input="g1\r\ng0\n",
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert json.loads(piped.stdout) == expected


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        ("g0,g9", "names 1 column not in t.csv: 'g9'"),
        ("no-such.txt", "File not found: 'no-such.txt'"),
        ("lists/no-such", "File not found"),
        ("g0,g0", "names 'g0' twice"),
        (",", "--features is empty"),
    ],
)
def test_what_names_no_columns(folder, features, sentence):
    assert sentence in refused(invoke(*CERTIFY, "--features", features, cwd=folder))


def test_a_selection_says_how_it_was_made(folder):
    """Target, gamma, imputation, what was left out, kept and excluded need not be said again."""
    made = ("select", "holed.csv", "-t", "kind", "-k", 3, "--impute", "median", "--gamma", 50)
    limits = ("--drop", "flag", "--keep", "g5", "--exclude", "g1")
    said(folder, *made, *limits, "--out", "s.json", "--force")
    kept = read_selection(folder / "s.json")
    assert (kept.impute, kept.dropped, kept.kept, kept.excluded) == ("median", ["flag"], ["g5"], ["g1"])
    found = graded(folder, "certify", "holed.csv", "--features", "s.json")
    assert found["gamma"] == 50
    assert found["objective"] == pytest.approx(kept.objective, rel=1e-9)
    assert found["upper_bound"] == pytest.approx(kept.upper_bound, rel=1e-6)
    done = invoke("apply", "s.json", "holed.csv", "--out", "applied.csv", "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not pd.read_csv(folder / "applied.csv").isna().any().any()


def test_two_things_do_not_come_from_one_stream(folder):
    sentence = refused(invoke("certify", "-", "-t", "kind", "--features", "-", cwd=folder))
    assert "must not both be -" in sentence


def test_a_table_comes_from_the_standard_input(folder):
    expected = json.loads(said(folder, *SELECT, "--json"))
    done = subprocess.run(
        [*COMMAND, "select", "-", "-t", "kind", "-k", "3", "--json"],
        input=(folder / "t.csv").read_bytes(),
        cwd=folder,
        env=environment(),
        capture_output=True,
    )
    found = json.loads(done.stdout)
    assert found["details"] == expected["details"], done.stderr
    assert "standard input" in found["file"]


def complete(folder, *words):
    return subprocess.run(
        COMMAND,
        cwd=folder,
        env=environment(
            _FISHERSET_COMPLETE="complete_bash",
            COMP_WORDS=" ".join(["fisherset", *words]),
            COMP_CWORD=str(len(words)),
        ),
        capture_output=True,
        text=True,
    ).stdout.split()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("select", "t.csv", "-t", "ki"), ["kind"]),
        (("certify", "t.csv", "--drop", "g"), [f"g{j}" for j in range(6)]),
        (("select", "odd.parquet", "--target", "k"), ["kind"]),
        (("select", "no-such.csv", "-t", "k"), []),
    ],
)
def test_names_of_columns_are_completed(folder, words, names):
    assert complete(folder, *words) == names


def test_wrong_options_are_refused_before_anything_is_loaded(folder):
    code = (
        "import sys; from fisherset.cli.app import run; sys.argv[0] = 'fisherset'; code = run(); "
        "print(code, sorted({'numpy', 'sklearn', 'pyarrow'} & set(sys.modules)))"
    )
    for given in (("no-such.csv", "-t", "kind"), ("t.csv", "--sep", "::")):
        done = subprocess.run(
            [sys.executable, "-c", code, "select", *given],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert done.stdout.strip() == "2 []", done.stderr


def test_the_selection_on_standard_output_is_json(folder):
    asked = ("select", "t.csv", "-t", "kind", "-k", 2, "--out", "-")
    sentence = refused(invoke(*asked, "--format", "names", cwd=folder))
    assert sentence.endswith("--out -, which prints JSON, contradicts --format names; omit one of them.")
    done = [invoke(*asked, *more, cwd=folder).stdout for more in ((), ("--format", "json"), ("--json",))]
    assert len(set(done)) == 1
    assert len(json.loads(done[0])["details"]) == 2
