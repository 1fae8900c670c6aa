"""Interpretation of a target: classes or numbers, said first, and refused where it may be both."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from support.command_line import invoke

N = 600


def table(y):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((len(y), 4)).round(3)
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y)


def heavy_tailed():
    """Counts of cells: many values occur once, and there are many rows."""
    return np.floor(np.random.default_rng(0).lognormal(4, 1.5, 8000)).astype(int)


INTERPRETED = {
    "strings": (["u", "v", "w"] * 200, "3 classes"),
    "booleans": ([True, False] * 300, "2 classes"),
    "letters": ([chr(65 + i % 26) for i in range(N)], "26 classes"),
    "ten digits": (np.arange(N) % 10, "10 classes"),
    "twenty grades": (np.arange(N) % 20 + 5, "20 classes"),
    "thirty classes of 100 rows": (np.arange(3000) % 30, "30 classes"),
    "whole floats": (np.arange(N) % 3 + 0.0, "3 classes"),
    "minus one and one": (np.arange(N) % 2 * 2 - 1, "2 classes"),
    "codes with zeros": ([f"{i % 4:03d}" for i in range(N)], "4 classes"),
    "decimals": (np.arange(N) / 8 + 5, "numbers from 5 to 79.88"),
    "all digits of float64": (np.sqrt(np.arange(N) % 250 + 2), "numbers from 1.414 to 15.84"),
}
AMBIGUOUS = {
    "noise of whole numbers": (np.random.default_rng(1).integers(0, 200, N), r"\d+ distinct .* in 600 rows"),
    "diabetes": (load_diabetes().target.astype(int), "214 distinct integers in 442 rows"),
    "counts of cells": (heavy_tailed(), r"\d+ distinct integers in 8000 rows"),
    "years": (np.arange(N) % 34 + 1990, "34 distinct integers in 600 rows"),
    "few rows, most values once": (np.array([*range(3, 36, 3), 3, 7]), "12 distinct .* in 13 rows"),
    "row numbers": (np.arange(1, N + 1), "a different integer in each of the 600 rows"),
}


def wrote(folder, kind, y):
    """Write a table, whole or in two files that are read by batches; return its path."""
    if kind == "csv":
        table(y).to_csv(folder / "t.csv", index=False)
        return "t.csv"
    (folder / "rows").mkdir()
    for i, part in enumerate((table(y).iloc[::2], table(y).iloc[1::2])):
        part.to_parquet(folder / "rows" / f"{i}.parquet", index=False) if kind == "parquet" else part.to_csv(
            folder / "rows" / f"{i}.csv", index=False
        )
    return "rows"


@pytest.mark.parametrize("kind", ["csv", "parquet", "batches of text"])
@pytest.mark.parametrize("case", INTERPRETED)
def test_the_first_line_says_how_the_target_is_interpreted(case, kind, tmp_path):
    y, expected = INTERPRETED[case]
    path = wrote(tmp_path, kind, y)
    done = invoke("select", path, "-t", "y", "-k", 2, "--out", "s.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = expected if kind == "csv" else expected.partition(" from")[0]  # the range takes another pass
    assert done.stdout.splitlines()[0] == f"{path}: {len(y)} rows, 4 features; target 'y': {expected}"
    content = json.loads((tmp_path / "s.json").read_text())
    assert content["target_range"] == expected
    assert content["task"] == ("regression" if "numbers" in expected else "classification")


@pytest.mark.parametrize("kind", ["csv", "parquet", "batches of text"])
@pytest.mark.parametrize("case", AMBIGUOUS)
def test_whole_numbers_that_may_be_both_are_asked_about(case, kind, tmp_path):
    y, expected = AMBIGUOUS[case]
    path = wrote(tmp_path, kind, y)
    done = invoke("select", path, "-t", "y", "-k", 2, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(f"The target 'y' has {expected}. Add --task regression", done.stderr)
    done = invoke("select", path, "-t", "y", "-k", 2, "--task", "regression", cwd=tmp_path)
    assert "target 'y': numbers" in done.stdout.splitlines()[0]
    if case != "row numbers":
        done = invoke("select", path, "-t", "y", "-k", 2, "--task", "classification", cwd=tmp_path)
        assert f"target 'y': {len(set(y))} classes" in done.stdout.splitlines()[0]


COMMANDS = {
    "select": ("select", "t.csv", "-t", "y", "-k", 2),
    "certify": ("certify", "t.csv", "-t", "y", "--features", "a,b"),
    "alternatives": ("alternatives", "t.csv", "-t", "y", "-k", 2),
    "compare": ("compare", "t.csv", "-t", "y", "-k", 2, "--methods", "fisher,joint", "--repeats", 1),
    "summarize": ("summarize", "t.csv", "-t", "y", "--out", "s.npz"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_how_the_target_is_interpreted(command, tmp_path):
    wrote(tmp_path, "csv", np.arange(60) % 3)
    done = invoke(*COMMANDS[command], cwd=tmp_path)
    assert done.stdout.splitlines()[0] == "t.csv: 60 rows, 4 features; target 'y': 3 classes"
    wrote(tmp_path, "csv", np.arange(60) / 8)
    done = invoke(*COMMANDS[command], "--force" if command == "summarize" else "--quiet", cwd=tmp_path)
    if command == "compare":
        assert "`compare` tells classes apart; the target 'y' holds numbers from 0 to 7.375." in done.stderr
    else:
        assert done.returncode == 0, done.stderr


QUANTITIES = {
    "prices": ([f"${1000 + 7.25 * i:,.2f}" for i in range(60)], "numbers from 1000 to 1428"),
    "large prices": ([f"${26508.8 + 1000 * i:,.1f}" for i in range(60)], "numbers from 26510 to 85510"),
    "weights": ([f"{i + 40} kg" for i in range(60)], "numbers from 40 to 99"),
    "percent": ([f"{i / 8}%" for i in range(60)], "numbers from 0 to 7.375"),
}


@pytest.mark.parametrize("given", [(), ("--task", "regression")])
@pytest.mark.parametrize("case", QUANTITIES)
def test_a_target_with_a_unit_is_numbers(case, given, tmp_path):
    y, expected = QUANTITIES[case]
    wrote(tmp_path, "csv", y)
    done = invoke("select", "t.csv", "-t", "y", "-k", 2, "--json", *given, cwd=tmp_path)
    content = json.loads(done.stdout)
    assert (content["task"], content["target_range"]) == ("regression", expected)
    assert f"note: Target 'y': read {y[0]!r} as {float(re.sub('[$,%kg]', '', y[0])):g}." in done.stderr
    table([float(re.sub("[$,%kg]", "", text)) for text in y]).to_csv(tmp_path / "p.csv", index=False)
    plain = invoke("select", "p.csv", "-t", "y", "-k", 2, "--json", "--task", "regression", cwd=tmp_path)
    assert content["objective"] == json.loads(plain.stdout)["objective"]


def test_a_target_of_few_quantities_is_classes_unless_a_task_is_given(tmp_path):
    wrote(tmp_path, "csv", [f"{dose} mg" for dose in (5, 10, 20)] * 20)
    asked = ("select", "t.csv", "-t", "y", "-k", 2)
    assert "target 'y': 3 classes" in invoke(*asked, cwd=tmp_path).stdout
    done = invoke(*asked, "--task", "regression", cwd=tmp_path)
    assert "target 'y': numbers from 5 to 20" in done.stdout


def test_only_a_string_among_numbers_may_mean_missing(tmp_path):
    asked = ("select", "t.csv", "-t", "y", "-k", 2, "--task", "regression")
    for y, expected in ((["u", "v"] * 30, False), ([*range(59), "none of it"], True)):
        wrote(tmp_path, "csv", y)
        assert ("--na" in invoke(*asked, cwd=tmp_path).stderr) is expected


def test_a_target_of_several_units_is_asked_about(tmp_path):
    wrote(tmp_path, "csv", [f"{i} {'mg' if i % 2 else 'g'}" for i in range(60)])
    asked = ("select", "t.csv", "-t", "y", "-k", 2)
    said = "cannot be read as numbers: its numbers have several units (g, mg). Convert it"
    for more in ((), ("--task", "regression")):
        done = invoke(*asked, *more, cwd=tmp_path)
        assert (done.returncode, said in done.stderr) == (2, True)
    assert "--task classification" in invoke(*asked, cwd=tmp_path).stderr


def test_a_decimal_comma_makes_numbers(tmp_path):
    wrote(tmp_path, "csv", np.arange(60) / 8)
    for kind in ("whole", "batches"):
        path = tmp_path / ("g.csv" if kind == "whole" else "g/g.csv")
        path.parent.mkdir(exist_ok=True)
        table(np.arange(60) / 8).to_csv(path, index=False, sep=";", decimal=",")
        named = path.name if kind == "whole" else "g"
        done = invoke("select", named, "-t", "y", "-k", 2, "--json", cwd=tmp_path)
        whole = invoke("select", "t.csv", "-t", "y", "-k", 2, "--json", cwd=tmp_path)
        found, expected = json.loads(done.stdout), json.loads(whole.stdout)
        assert (found["task"], found["objective"]) == ("regression", pytest.approx(expected["objective"]))


def test_a_selection_remembers_the_task(tmp_path):
    wrote(tmp_path, "csv", AMBIGUOUS["diabetes"][0])
    asked = ("-t", "y", "-k", 2, "--task", "regression", "--out", "s.json")
    assert invoke("select", "t.csv", *asked, cwd=tmp_path).returncode == 0
    done = invoke("certify", "t.csv", "--features", "s.json", cwd=tmp_path)
    assert "target 'y': numbers from" in done.stdout.splitlines()[0]
    assert invoke("apply", "s.json", "t.csv", "--out", "r.csv", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("drop", [(), ("--drop-unlabelled",)])
def test_labels_of_which_none_fits(drop, tmp_path):
    table(np.arange(9)).T.to_csv(tmp_path / "t.csv")
    pd.DataFrame({"sample": np.arange(9), "z": list("uvw") * 3}).to_csv(tmp_path / "l.csv", index=False)
    asked = ("select", "t.csv", "--labels", "l.csv", "-t", "z", "-k", 2)
    done = invoke(*asked, *drop, cwd=tmp_path)
    said = "No row of t.csv has a label in l.csv, matched by 'id': 'a', 'b' are not among '0', '1'. "
    assert (done.returncode, said in done.stderr) == (2, True)
    assert invoke(*asked, "--transpose", cwd=tmp_path).returncode == 0
