"""Columns that only number the rows: left out with a warning by every command, unless --keep names them."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from fisherset import Summary
from fisherset.tables import read_selection
from support.command_line import invoke

LEFT_OUT = "Column 'Id' only numbers the rows and is left out. Add --keep Id to use it."
NAMES = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"]
COMMANDS = {
    "select": ("-k", 2),
    "compare": ("-k", 2, "--methods", "fisher,joint", "--repeats", 1),
    "alternatives": ("-k", 2),
    "certify": ("--features", "PetalWidth,PetalLength"),
    "summarize": ("--out", "s.npz", "--force"),
}


def kaggle():
    """Iris with its row number, as Kaggle has it."""
    X, y = load_iris(return_X_y=True)
    table = pd.DataFrame(X, columns=NAMES).assign(Species=np.array(["setosa", "versicolor", "virginica"])[y])
    table.insert(0, "Id", np.arange(1, 151))
    return table


@pytest.fixture
def folder(tmp_path):
    table = kaggle()
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    for name, restart in (("sequence", False), ("again", True)):
        (tmp_path / name).mkdir()
        for number, rows in enumerate(np.array_split(np.arange(150), 3)):
            part = table.iloc[rows]
            part = part.assign(Id=np.arange(len(part))) if restart else part
            part.to_csv(tmp_path / name / f"{number}.csv", index=False)
    return tmp_path


def said(folder, *given):
    done = invoke(*given, cwd=folder)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_percentages_and_numbers_of_cases_are_no_row_numbers(tmp_path):
    rng, n = np.random.default_rng(0), 60
    table = {"share": [f"{i} %" for i in range(n)], "cases": rng.permutation(1000)[:n], "y": np.arange(n) % 2}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    text = said(tmp_path, "select", "t.csv", "-t", "y", "-k", 1)
    assert "2 features" in text
    assert "left out" not in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_leaves_row_numbers_out_and_says_so_first(folder, command):
    text = said(folder, command, "t.csv", "-t", "Species", *COMMANDS[command])
    assert LEFT_OUT in text
    assert text.count("only numbers") == 1
    assert text.index(LEFT_OUT) < text.index("Written" if command == "summarize" else "F = ")
    assert "4 features" in text
    if command == "summarize":
        assert Summary.load(folder / "s.npz").names == NAMES
    else:
        done = invoke(command, "t.csv", "-t", "Species", *COMMANDS[command], "--json", cwd=folder)
        assert json.loads(done.stdout)["remarks"][0] == LEFT_OUT
        assert LEFT_OUT in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_keep_uses_them(folder, command):
    given = COMMANDS[command]
    if command == "certify":
        given = ("--features", "Id,PetalLength")
    text = said(folder, command, "t.csv", "-t", "Species", *given, "--keep", "Id")
    assert "left out" not in text
    assert "5 features" in text
    assert command != "select" or "Id (required)" in text


@pytest.mark.parametrize("file", ["t.parquet", "sequence", "again", "sequence/*.csv"])
def test_in_every_kind_of_file_and_by_batches(folder, file):
    given = ("select", file, "-t", "Species", "-k", 2, "--out", "s.json", "--force")
    text = said(folder, *given)
    assert LEFT_OUT in text
    assert "150 rows, 4 features" in text
    assert read_selection(folder / "s.json").dropped == ["Id"]
    whole = said(folder, "select", "t.csv", "-t", "Species", "-k", 2)
    parts = [one.split("┏")[1].partition("New rows: ")[0] for one in (text, whole)]
    assert parts[0] == parts[1]
    assert LEFT_OUT in said(folder, "summarize", file, "-t", "Species", "--out", "s.npz", "--force")
    assert Summary.load(folder / "s.npz").names == NAMES


def test_an_index_that_pandas_wrote_along(tmp_path):
    """A table that was shuffled, written with its index and read again."""
    table = kaggle().drop(columns="Id").sample(frac=0.8, random_state=0)
    table.to_csv(tmp_path / "once.csv")
    pd.read_csv(tmp_path / "once.csv").to_csv(tmp_path / "t.csv", index=False)
    text = said(tmp_path, "select", "t.csv", "-t", "Species", "-k", 2)
    assert (
        "Column 'Unnamed: 0' only numbers the rows and is left out. Add --keep 'Unnamed: 0' to use it."
        in text
    )


@pytest.mark.parametrize("option", ["--exclude", "--adjust-for", "--drop", "--id"])
@pytest.mark.parametrize("name", ["Id", "I*"])
def test_naming_them_otherwise_is_no_mistake(folder, option, name):
    if option == "--id" and name != "Id":
        return
    done = invoke("select", "t.csv", "-t", "Species", "-k", 2, option, name, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "only numbers" not in done.stdout


def test_a_graded_set_that_contains_them(folder):
    text = said(folder, "certify", "t.csv", "-t", "Species", "--features", "Id,PetalLength")
    assert "Column 'Id' of the set only numbers the rows." in text
    assert "left out" not in text
    (folder / "names.txt").write_text("Id\nPetalLength\n")
    assert text == said(folder, "certify", "t.csv", "-t", "Species", "--features", "names.txt")
    said(folder, "select", "t.csv", "-t", "Species", "-k", 2, "--keep", "Id", "--out", "s.json")
    assert "Column 'Id' of the set" in said(folder, "certify", "t.csv", "--features", "s.json")


def test_a_selection_without_them_is_graded_and_applied_as_it_was_made(folder):
    said(folder, "select", "t.csv", "-t", "Species", "-k", 2, "--out", "s.json", "--report", "r.html")
    text = said(folder, "certify", "t.csv", "--features", "s.json")
    assert "Proven optimal" in text
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert LEFT_OUT.replace("'", "&#39;") in page
    assert "drop=[&#39;Id&#39;]" in page  # of the Python lines
    assert "Id" not in said(folder, "apply", "s.json", "t.csv", "--out", "o.csv")


def test_a_table_of_nothing_else_is_refused(tmp_path):
    kaggle()[["Id", "Species"]].to_csv(tmp_path / "t.csv", index=False)
    done = invoke("select", "t.csv", "-t", "Species", cwd=tmp_path)
    assert done.returncode == 2
    assert "only the target, and row numbers. Add --keep Id to use them." in done.stderr
    assert invoke("select", "t.csv", "-t", "Species", "--keep", "Id", cwd=tmp_path).returncode == 0


def test_groups_may_name_them(folder):
    (folder / "groups.json").write_text(json.dumps({"sepal": ["Id", "SepalLength", "SepalWidth"]}))
    text = said(folder, "select", "t.csv", "-t", "Species", "-k", 1, "--groups", "groups.json")
    assert LEFT_OUT in text
    assert "4 features in 3 groups" in text
