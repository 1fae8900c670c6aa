"""`select` on a file of every kind."""

import json

import numpy as np
import pytest

from fisherset import GeneralizedFisherScore
from support.command_line import invoke as run
from support.table_files import (
    frame,
    holed,
    numbers,
    write_bom,
    write_crlf,
    write_csv,
    write_h5ad,
    write_npz,
    write_svmlight,
    write_tsv,
)

GOOD = {
    "csv": ("t.csv", write_csv),
    "csv in capitals": ("T.CSV", write_csv),
    "byte-order mark": ("t.csv", write_bom),
    "CRLF": ("t.csv", write_crlf),
    "tsv": ("t.tsv", write_tsv),
    "parquet": ("t.parquet", lambda path, table: table.to_parquet(path, index=False)),
    "feather": ("t.feather", lambda path, table: table.to_feather(path)),
    "arrow": ("t.arrow", lambda path, table: table.to_feather(path)),
    "categories": (
        "t.parquet",
        lambda path, table: table.astype({"colour": "category", "kind": "category"}).to_parquet(path),
    ),
    "npz": ("t.npz", write_npz),
    "svmlight": ("t.svmlight", write_svmlight),
    "h5ad": ("t.h5ad", write_h5ad),
}


@pytest.mark.parametrize("kind", GOOD)
def test_every_kind_of_file_gives_the_same_choice(kind, tmp_path):
    name, write = GOOD[kind]
    write(tmp_path / name, frame())
    target = () if name.endswith((".npz", ".svmlight")) else ("--target", "kind")
    drop = () if name.endswith((".npz", ".svmlight", ".h5ad")) else ("--drop", "colour", "--drop", "flag")
    done = run("select", tmp_path / name, *target, "-k", 2, "--gamma", 90, *drop, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    X, y = numbers(frame())
    expected = GeneralizedFisherScore(2, gamma=90.0).fit(X, y)
    prefix = "x" if "svmlight" in kind else "g"
    assert sorted(f["name"] for f in found["features"]) == [f"{prefix}0", f"{prefix}1"]
    assert found["objective"] == pytest.approx(expected.objective_, rel=1e-6)
    assert found["upper_bound"] == pytest.approx(expected.upper_bound_, rel=1e-6)
    assert done.stderr == ""


def test_texts_become_one_column_for_each_value(tmp_path):
    """But for two values, which one column tells apart, unless they are chosen one by one."""
    write_csv(tmp_path / "t.csv", frame().assign(size=lambda t: np.where(t["kind"] == "low", "s", "l")))
    for how in (("-k", 9), ("-k", 12, "--split-texts")):
        found = json.loads(run("select", tmp_path / "t.csv", "-t", "kind", *how, "--json").stdout)
        names = {feature["name"] for feature in found["features"]}
        assert {"colour=red", "colour=green", "colour=blue", "size=s", "flag"} <= names
        assert ("size=l" in names) == ("--split-texts" in how)
        assert found["n_features_in"] == (12 if "--split-texts" in how else 11)
        assert found["categories"]["size"] == ["l", "s"]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_missing_values_are_filled(name, tmp_path):
    table = holed()
    table.to_csv(tmp_path / name, index=False) if name.endswith("csv") else table.to_parquet(tmp_path / name)
    done = run("select", tmp_path / name, "-t", "kind", "-k", 8, "--impute", "median", "--json")
    features = {f["name"]: f for f in json.loads(done.stdout)["features"]}
    assert features["g1"]["fill"] == pytest.approx(table["g1"].median())
    assert "colour=missing" not in features
    done = run("select", tmp_path / name, "-t", "kind", "-k", 8, "--impute", "indicator", "--json")
    names = {feature["name"] for feature in json.loads(done.stdout)["features"]}
    assert {"g1=missing", "colour=missing"} <= names
