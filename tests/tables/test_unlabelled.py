"""Rows whose target is missing: refused with the option that leaves them out, wherever they are."""

import json

import numpy as np
import pandas as pd
import pytest

from fisherset.tables import Layout, scan
from fisherset.tables.read import pick
from support.anndata_files import cells, write_cells
from support.command_line import invoke, refused

N = 60
MISSING = [4, 17, 40]


def table(missing=True):
    """Strings and missing values that only the unlabelled rows have, so that these must not be counted."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((N, 4)).round(3), columns=list("abcd"))
    X = X.assign(colour=["red", "blue", "green"] * (N // 3), kind=["u", "v", "w", "u"] * (N // 4))
    if missing:
        X.loc[MISSING, "kind"] = None
        X.loc[MISSING, "colour"] = "unheard of"
        X.loc[MISSING, "a"] = 1e6
    return X


def wrote(folder, kind):
    """Write the table with missing labels; return the arguments that name it."""
    found = table()
    if kind == "csv":
        found.to_csv(folder / "t.csv", index=False)
    elif kind == "parquet":
        found.to_parquet(folder / "t.parquet", index=False)
    elif kind == "batches":
        (folder / "rows").mkdir(exist_ok=True)
        found.iloc[:30].to_parquet(folder / "rows" / "a.parquet", index=False)
        found.iloc[30:].to_parquet(folder / "rows" / "b.parquet", index=False)
    elif kind == "batches of text":
        (folder / "texts").mkdir(exist_ok=True)
        found.to_csv(folder / "texts" / "a.csv", index=False)
    elif kind == "labels":
        found.assign(sample=np.arange(N)).drop(columns="kind").to_csv(folder / "x.csv", index=False)
        # the third is there, without a label
        labels = found.assign(sample=np.arange(N))[["sample", "kind"]].drop(index=[4, 17])
        labels.to_csv(folder / "m.csv", index=False)
        return ("x.csv", "--labels", "m.csv", "--on", "sample")
    return ({"batches": "rows", "batches of text": "texts"}.get(kind, f"t.{kind}"),)


KINDS = ["csv", "parquet", "batches", "batches of text", "labels"]
ASKED = ("-t", "kind", "-k", 3)


@pytest.fixture
def expected(tmp_path):
    table().drop(index=MISSING).to_csv(tmp_path / "expected.csv", index=False)
    return json.loads(invoke("select", "expected.csv", *ASKED, "--json", cwd=tmp_path).stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_a_label_are_left_out(kind, tmp_path, expected):
    named = wrote(tmp_path, kind)
    assert "--drop-unlabelled" in refused(invoke("select", *named, *ASKED, cwd=tmp_path))
    asked = (*named, *ASKED, "--drop-unlabelled")
    done = invoke("select", *asked, "--json", "--out", "s.json", "--write", "w.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 rows without a label were left out." in done.stderr
    found = json.loads(done.stdout)
    assert found["n_rows"] == N - 3
    assert found["objective"] == pytest.approx(expected["objective"], rel=1e-12)
    assert found["features"] == expected["features"]
    assert found["categories"] == expected["categories"]
    assert len(pd.read_csv(tmp_path / "w.csv")) == N - 3
    done = invoke("certify", *named, "--features", "s.json", cwd=tmp_path)  # as the selection says
    assert done.returncode == 0, done.stderr
    assert f"{N - 3} rows" in done.stdout


@pytest.mark.parametrize("kind", ["csv", "batches"])
@pytest.mark.parametrize(
    "command",
    [
        ("certify", "--features", "a,b"),
        ("alternatives", "-k", 2),
        ("compare", "-k", 2, "--methods", "fisher,joint", "--repeats", 1),
        ("summarize", "--out", "s.npz"),
    ],
    ids=lambda command: command[0],
)
def test_every_command_leaves_them_out(command, kind, tmp_path):
    if command[0] == "compare" and kind == "batches":
        pytest.skip("reads whole tables only")
    named = wrote(tmp_path, kind)
    asked = (command[0], *named, "-t", "kind", *command[1:])
    assert "--drop-unlabelled" in refused(invoke(*asked, cwd=tmp_path))
    done = invoke(*asked, "--drop-unlabelled", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{N - 3} rows" in done.stdout


def test_apply_keeps_them_unless_told(tmp_path, expected):
    (named,) = wrote(tmp_path, "csv")
    asked = ("-t", "kind", "-k", 3, "--exclude", "colour", "--drop-unlabelled", "--out", "s.json")
    assert invoke("select", named, *asked, cwd=tmp_path).returncode == 0
    assert invoke("apply", "s.json", named, "--out", "all.csv", cwd=tmp_path).returncode == 0
    assert len(pd.read_csv(tmp_path / "all.csv")) == N
    done = invoke("apply", "s.json", named, "--out", "some.csv", "--drop-unlabelled", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(tmp_path / "some.csv")) == N - 3
    table().drop(columns="kind").to_csv(tmp_path / "new.csv", index=False)  # where nothing has a label
    done = invoke("apply", "s.json", "new.csv", "--out", "new-reduced.csv", "--drop-unlabelled", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_numbers_that_are_missing(tmp_path):
    found = table().drop(columns=["kind", "colour"]).assign(y=np.arange(N) / 8)
    found.loc[MISSING, "y"] = None
    found.to_csv(tmp_path / "t.csv", index=False)
    assert "--drop-unlabelled" in refused(invoke("select", "t.csv", "-t", "y", "-k", 2, cwd=tmp_path))
    done = invoke("select", "t.csv", "-t", "y", "-k", 2, "--drop-unlabelled", cwd=tmp_path)
    assert f"t.csv: {N - 3} rows, 4 features; target 'y': numbers from 0 to 7.375" in done.stdout


def test_a_target_without_a_label(tmp_path):
    table().assign(kind=None).to_parquet(tmp_path / "t.parquet", index=False)
    done = invoke("select", "t.parquet", *ASKED, "--drop-unlabelled", cwd=tmp_path)
    assert "The target 'kind' of t.parquet is missing in all rows." in refused(done)


def test_cells_without_a_label_are_left_out(tmp_path):
    X, obs = cells()
    missing = np.arange(60) % 7 == 3
    given = {"kind": pd.Categorical(np.where(missing, None, obs["cluster"])), "age": obs["age"]}
    write_cells(tmp_path / "t.h5ad", X, given)
    kept = {name: values[~missing] for name, values in given.items()}
    write_cells(tmp_path / "kept.h5ad", X[~missing], kept)
    with pytest.raises(ValueError, match=r"is missing in 9 .*layout=Layout\(drop_unlabelled=True\)"):
        scan(tmp_path / "t.h5ad", "kind")
    assert "--drop-unlabelled" in refused(invoke("select", "t.h5ad", *ASKED, cwd=tmp_path))
    expected = json.loads(invoke("select", "kept.h5ad", *ASKED, "--json", cwd=tmp_path).stdout)
    done = invoke("select", "t.h5ad", *ASKED, "--json", "--drop-unlabelled", cwd=tmp_path)
    assert "9 rows without a label were left out." in done.stderr
    found = json.loads(done.stdout)
    assert (found["objective"], found["n_rows"]) == (pytest.approx(expected["objective"]), 51)
    with pytest.warns(UserWarning, match="9 rows without a label were left out"):
        rows = scan(tmp_path / "t.h5ad", "kind", batch_rows=7, layout=Layout(drop_unlabelled=True))
    ours, theirs = pick(rows), pick(scan(tmp_path / "kept.h5ad", "kind"))
    np.testing.assert_array_equal(ours[0].toarray(), theirs[0].toarray())
    assert ours[1].tolist() == theirs[1].tolist()
    assert rows.identifiers() is None or len(rows.identifiers().values) == 51
    assert rows.n_rows == 51
