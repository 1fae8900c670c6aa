"""`summarize`, `merge` and what takes their files, and tables that are read by batches, from the terminal."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from fisherset import Summary, tables
from fisherset.tables import read as opening
from support.command_line import invoke, refused


@pytest.fixture
def wine(tmp_path):
    frame = load_wine(as_frame=True).frame
    frame["target"] = frame["target"].map({0: "barolo", 1: "grignolino", 2: "barbera"})
    frame.to_csv(tmp_path / "wine.csv", index=False)
    frame.to_parquet(tmp_path / "wine.parquet", index=False)
    for part, rows in enumerate(np.array_split(np.random.default_rng(0).permutation(len(frame)), 3)):
        frame.iloc[rows].to_csv(tmp_path / f"part-{part}.csv", index=False)
    (tmp_path / "rows").mkdir()
    for part in range(3):
        shutil.copy(tmp_path / f"part-{part}.csv", tmp_path / "rows")
    return tmp_path


def answer(done):
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return [feature["name"] for feature in found["features"]], found["objective"], found["gap"]


def same(found, expected):
    assert found[0] == expected[0]
    assert found[2] == pytest.approx(expected[2], rel=1e-3, abs=1e-8)
    assert found[1] == pytest.approx(expected[1], rel=1e-8)


@pytest.fixture
def whole(wine):
    return answer(invoke("select", "wine.csv", "-t", "target", "-k", 4, "--json", cwd=wine))


def test_summaries_merge_to_the_whole(wine, whole):
    for part in range(3):
        done = invoke("summarize", f"part-{part}.csv", "-t", "target", "--out", f"{part}.npz", cwd=wine)
        assert done.returncode == 0, done.stderr
        assert "3 classes: barbera, barolo, grignolino" in done.stdout
    done = invoke("merge", "0.npz", "1.npz", "2.npz", "--out", "all.npz", cwd=wine)
    assert "178 rows, 13 features" in done.stdout
    same(answer(invoke("select", "all.npz", "-k", 4, "--json", cwd=wine)), whole)
    done = invoke("select", "all.npz", "-k", 4, cwd=wine)
    assert "all.npz: 178 rows, 13 features; target 'target': 3 classes" in done.stdout
    invoke("merge", "all.npz", "--without", "1.npz", "--out", "rest.npz", cwd=wine)
    rest = pd.concat([pd.read_csv(wine / f"part-{part}.csv") for part in (0, 2)])
    rest.to_csv(wine / "rest.csv", index=False)
    expected = answer(invoke("select", "rest.csv", "-t", "target", "-k", 4, "--json", cwd=wine))
    same(answer(invoke("select", "rest.npz", "-k", 4, "--json", cwd=wine)), expected)
    (wine / "list.txt").write_text("\n".join(whole[0]))
    graded = invoke("certify", "all.npz", "--features", "list.txt", "--json", cwd=wine)
    assert json.loads(graded.stdout)["gap"] == pytest.approx(whole[2], rel=1e-3, abs=1e-8)


def summaries_of(folder, *files, target="target"):
    for file in files:
        name = f"{file.replace('.', '-')}.npz"
        done = invoke("summarize", file, "-t", target, "--out", name, cwd=folder)
        assert done.returncode == 0, done.stderr


def test_a_summary_is_for_its_target(wine):
    summaries_of(wine, "wine.csv")
    for command in (["select", "-k", 2], ["certify", "--features", "ash"], ["alternatives", "-k", 2]):
        said = refused(invoke(command[0], "wine-csv.npz", "-t", "ash", *command[1:], cwd=wine))
        assert said == (
            "fisherset: wine-csv.npz is a summary for the target 'target'; got 'ash'. Omit --target."
        ), said
    done = invoke("select", "wine-csv.npz", "-t", "target", "-k", 2, "--out", "s.json", "--json", cwd=wine)
    assert json.loads(done.stdout)["target"] == "target"
    assert invoke("certify", "wine-csv.npz", "--features", "s.json", cwd=wine).returncode == 0


def test_rows_do_not_count_twice(wine):
    shutil.copy(wine / "wine.csv", wine / "copy.csv")
    frame = pd.read_csv(wine / "wine.csv")
    frame[::-1].to_csv(wine / "sorted.csv", index=False)
    summaries_of(wine, "wine.csv", "copy.csv", "sorted.csv", "wine.parquet", "rows")
    summaries_of(wine, *(f"part-{part}.csv" for part in range(3)))
    shutil.copy(wine / "wine-csv.npz", wine / "bytes.npz")
    parts = [f"part-{part}-csv.npz" for part in range(3)]
    assert invoke("merge", *parts, "--out", "all.npz", cwd=wine).returncode == 0
    common = "have rows in common, which would count twice. Add --no-check to add them anyway."
    again = "copy-csv.npz", "sorted-csv.npz", "wine-parquet.npz", "bytes.npz", "rows.npz", "all.npz"
    for other in again:
        said = refused(invoke("merge", "wine-csv.npz", other, "--out", "t.npz", cwd=wine))
        assert said == f"fisherset: {other} and wine-csv.npz {common}"
    said = refused(invoke("merge", "all.npz", parts[1], "--out", "t.npz", cwd=wine))
    assert said == f"fisherset: {parts[1]} and all.npz {common}"
    said = refused(invoke("merge", *parts, "wine-csv.npz", "--out", "t.npz", cwd=wine))
    assert said == f"fisherset: wine-csv.npz and those before it {common}"
    done = invoke("merge", "wine-csv.npz", "bytes.npz", "--no-check", "--out", "t.npz", cwd=wine)
    assert "356 rows" in done.stdout
    done = invoke("merge", "t.npz", "--without", "bytes.npz", "--out", "once.npz", cwd=wine)
    assert "178 rows" in done.stdout
    assert Summary.load(wine / "once.npz").origin == Summary.load(wine / "wine-csv.npz").origin


def test_targets_do_not_mix(wine):
    frame = pd.read_csv(wine / "part-0.csv").rename(columns={"target": "cultivar"})
    frame.to_csv(wine / "renamed.csv", index=False)
    summaries_of(wine, "part-1.csv")
    summaries_of(wine, "renamed.csv", target="cultivar")
    files = "part-1-csv.npz", "renamed-csv.npz"
    said = refused(invoke("merge", *files, "--out", "t.npz", cwd=wine))
    expected = (
        "renamed-csv.npz and part-1-csv.npz have different targets, 'cultivar' and 'target'. Add --no-check"
    )
    assert expected in said
    said = refused(invoke("merge", "part-1-csv.npz", "renamed.csv", "--out", "t.npz", cwd=wine))
    assert said.endswith("Write one with `fisherset summarize`.")
    assert invoke("merge", *files, "--no-check", "--out", "t.npz", cwd=wine).returncode == 0
    assert Summary.load(wine / "t.npz").target == "target"


def test_numbers_and_texts_have_summaries(tmp_path):
    frame = load_diabetes(as_frame=True).frame
    frame["region"] = np.array(["north", "south", "west"])[np.arange(len(frame)) % 3]
    frame.to_parquet(tmp_path / "d.parquet", index=False)
    asked = ("-t", "target", "--task", "regression")
    expected = answer(invoke("select", "d.parquet", *asked, "-k", 4, "--split-texts", "--json", cwd=tmp_path))
    invoke("summarize", "d.parquet", *asked, "--out", "d.npz", cwd=tmp_path)
    found = invoke("select", "d.npz", "--task", "regression", "-k", 4, "--json", cwd=tmp_path)
    same(answer(found), expected)
    assert "region=north" in Summary.load(tmp_path / "d.npz").names


def test_what_summaries_are_refused_for(wine):
    invoke("summarize", "wine.csv", "-t", "target", "--out", "s.npz", cwd=wine)
    for words, arguments in {
        "--report needs rows, but s.npz is a summary": ("select", "s.npz", "-k", 2, "--report", "r.html"),
        "--write needs rows": ("select", "s.npz", "-k", 2, "--write", "r.csv"),
        "auto needs all rows of s.npz in memory": ("select", "s.npz", "-k", "auto"),
        "a summary for --task classification": ("select", "s.npz", "-k", 2, "--task", "regression"),
        "use --exclude in place of --drop": ("select", "s.npz", "-k", 2, "--drop", "ash"),
        "s.npz is a summary of rows, not the rows": ("compare", "s.npz"),
        "must end in .npz": ("summarize", "wine.csv", "-t", "target", "--out", "s.csv"),
        "s.npz does not match s.npz. Some rows must be left": (
            "merge",
            "s.npz",
            "--without",
            "s.npz",
            "--out",
            "t.npz",
        ),
        "File not found: 'nowhere.npz'": ("merge", "nowhere.npz", "--out", "t.npz"),
        "'s.npz' exists; add --force to replace it": (
            "summarize",
            "wine.csv",
            "-t",
            "target",
            "--out",
            "s.npz",
        ),
        "--max-memory takes 1 MB or more, such as 2GB": ("select", "s.npz", "-k", 2, "--max-memory", "lots"),
    }.items():
        assert words in refused(invoke(*arguments, cwd=wine)), words
    other = load_breast_cancer(as_frame=True).frame
    other.to_csv(wine / "other.csv", index=False)
    invoke("summarize", "other.csv", "-t", "target", "--out", "o.npz", cwd=wine)
    assert "o.npz does not match s.npz. Summaries must be of the same columns" in refused(
        invoke("merge", "s.npz", "o.npz", "--out", "t.npz", cwd=wine)
    )


@pytest.mark.parametrize("file", ["rows", "rows/*.csv", "part-?.csv"])
def test_folders_and_patterns_are_read_by_batches(file, wine, whole):
    same(answer(invoke("select", file, "-t", "target", "-k", 4, "--json", cwd=wine)), whole)


@pytest.mark.parametrize("file", ["wine.csv", "wine.parquet"])
def test_a_table_that_is_too_large_is_read_by_batches(file, wine, whole, monkeypatch):
    monkeypatch.setattr(opening, "free_memory", lambda: 20_000.0)
    done = invoke("select", file, "-t", "target", "-k", 4, "--json", cwd=wine)
    assert f"{file} needs about" in done.stderr
    assert "it is read in batches" in done.stderr
    same(answer(done), whole)
    outputs = ("--out", "s.json", "--report", "r.html", "--write", "w.csv")
    done = invoke("select", file, "-t", "target", "-k", 4, *outputs, cwd=wine)
    assert done.returncode == 0, done.stderr
    written = pd.read_csv(wine / "w.csv")
    frame = pd.read_csv(wine / "wine.csv")
    assert set(written.columns) == {*whole[0], "target"}
    pd.testing.assert_frame_equal(written[whole[0]], frame[whole[0]], check_dtype=False)
    assert written["target"].tolist() == frame["target"].tolist()
    assert "178 rows" in (wine / "r.html").read_text()
    assert json.loads((wine / "s.json").read_text())["n_rows"] == 178


def test_texts_are_groups_in_batches_too(wine, monkeypatch):
    frame = pd.read_csv(wine / "wine.csv")
    frame["soil"] = np.array(["clay", "lime", "sand"])[pd.factorize(frame["target"])[0]]
    frame.to_parquet(wine / "soil.parquet", index=False)
    asked = ("select", "soil.parquet", "-t", "target", "-k", 3, "--json")
    expected = invoke(*asked, cwd=wine)
    monkeypatch.setattr(opening, "free_memory", lambda: 20_000.0)
    found = invoke(*asked, cwd=wine)
    same(answer(found), answer(expected))
    assert json.loads(found.stdout)["groups"] == json.loads(expected.stdout)["groups"]


def test_the_reader_that_is_tested_is_the_one_in_use():
    assert tables.open_table is opening.open_table


def test_a_partition_does_not_replace_a_column(wine):
    (wine / "sorted" / "target=0").mkdir(parents=True)
    shutil.copy(wine / "wine.parquet", wine / "sorted" / "target=0")
    said = "the folder 'target=0' and the column 'target' of target=0/wine.parquet share one"
    for command in (["select", "sorted"], ["summarize", "sorted", "--out", "s.npz"]):
        assert said in refused(invoke(*command, "-t", "target", cwd=wine))


@pytest.mark.parametrize("suffix", ["parquet", "npz", "csv"])
def test_strings_that_spell_numbers_are_classes_of_their_own(suffix, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), np.array(["1E1", "10", "5"])[np.arange(60) % 3]
    table = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    if suffix == "npz":
        np.savez(tmp_path / "t.npz", X=X, y=y)
    elif suffix == "parquet":
        table.to_parquet(tmp_path / "t.parquet")
    else:
        table.to_csv(tmp_path / "t.csv", index=False)  # which has no types: numbers are inferred
    expected = 2 if suffix == "csv" else 3
    for whole in (True, False) if suffix != "npz" else (True,):
        file = tmp_path / f"t.{suffix}" if whole else tmp_path
        done = invoke("select", file, "-t", "y", "-k", 1, cwd=tmp_path)
        assert f"{expected} classes" in done.stdout, done.stderr
