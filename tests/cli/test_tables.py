"""`select` on a file of every kind, and every bad table in one sentence."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from command import refused, run
from fisherset import GeneralizedFisherScore


def frame(n=90):
    """Three classes; g0 and g1 tell them apart, colour and flag do not."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 6))
    X[:, 0] += y
    X[:, 1] -= 2 * (y == 1)
    table = pd.DataFrame(X.round(6), columns=[f"g{j}" for j in range(6)])
    table["colour"] = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
    table["flag"] = rng.integers(0, 2, n).astype(bool)
    table["kind"] = np.array(["low", "middle", "high"])[y]
    return table


def numbers(table):
    return table.drop(columns=["colour", "flag", "kind"]).to_numpy(), table["kind"].to_numpy()


def write_csv(path, table):
    table.to_csv(path, index=False)


def write_tsv(path, table):
    table.to_csv(path, index=False, sep="\t")


def write_bom(path, table):
    table.to_csv(path, index=False, encoding="utf-8-sig")


def write_crlf(path, table):
    table.to_csv(path, index=False, lineterminator="\r\n")


def write_npz(path, table):
    X, labels = numbers(table)
    classes, y = np.unique(labels.astype(str), return_inverse=True)
    names = [name for name in table if name.startswith("g")]
    np.savez(path, X=X, y=y.astype(np.int32), classes=classes, feature_names=np.array(names, dtype=str))


def write_svmlight(path, table):
    X, labels = numbers(table)
    dump_svmlight_file(X, np.unique(labels.astype(str), return_inverse=True)[1], str(path), zero_based=True)


def write_h5ad(path, table):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: .h5ad is NOT tested")
    X, labels = numbers(table)
    obs = pd.DataFrame({"kind": labels.astype(object)}, index=[f"cell{i}" for i in range(len(X))])
    var = pd.DataFrame(index=[f"g{j}" for j in range(X.shape[1])])
    anndata.AnnData(X, obs=obs, var=var).write_h5ad(path)


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
    write_csv(tmp_path / "t.csv", frame().assign(size=lambda t: np.where(t["kind"] == "low", "s", "l")))
    done = run("select", tmp_path / "t.csv", "-t", "kind", "-k", 12, "--json")
    names = {feature["name"] for feature in json.loads(done.stdout)["features"]}
    assert {"colour=red", "colour=green", "colour=blue", "size=s", "size=l", "flag"} <= names
    assert json.loads(done.stdout)["n_features_in"] == 12


def holed():
    table = frame()
    table.loc[[3, 50], "g1"] = np.nan
    table.loc[[7], "colour"] = None
    return table


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_missing_values_are_filled(name, tmp_path):
    table = holed()
    table.to_csv(tmp_path / name, index=False) if name.endswith("csv") else table.to_parquet(tmp_path / name)
    done = run("select", tmp_path / name, "-t", "kind", "-k", 9, "--impute", "median", "--json")
    features = {f["name"]: f for f in json.loads(done.stdout)["features"]}
    assert features["g1"]["fill"] == pytest.approx(table["g1"].median())
    assert "colour=missing" not in features
    done = run("select", tmp_path / name, "-t", "kind", "-k", 12, "--impute", "indicator", "--json")
    names = {feature["name"] for feature in json.loads(done.stdout)["features"]}
    assert {"g1=missing", "colour=missing"} <= names


def cut(path, table):
    table.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])


def cut_npz(path, table):
    write_npz(path, table)
    path.write_bytes(path.read_bytes()[:300])


def text(content, encoding="utf-8"):
    return lambda path, table: path.write_bytes(content.encode(encoding))


def csv_of(change):
    return lambda path, table: write_csv(path, change(table))


BAD = {
    "no such file": ("t.csv", lambda path, table: None, (), "There is no file"),
    "a folder": ("t.csv", lambda path, table: path.mkdir(), (), "is a folder"),
    "unknown suffix": ("t.xlsx", text("a"), (), "of no known kind"),
    "empty": ("t.csv", text(""), (), "is empty"),
    "empty parquet": ("t.parquet", text(""), (), "is empty"),
    "header only": ("t.csv", text("g0,kind\n"), (), "no rows"),
    "ragged rows": ("t.csv", text("g0,kind\n1,a\n2\n"), (), "damaged or cut off"),
    "cut in a row": ("t.csv", text('g0,kind\n1,a\n2,"b'), (), "ends inside a quotation"),
    "cut parquet": ("t.parquet", cut, (), "damaged or cut off"),
    "cut npz": ("t.npz", cut_npz, (), "damaged"),
    "foreign npz": ("t.npz", lambda path, table: np.savez(path, a=[1]), (), "lacks"),
    "pickled npz": (
        "t.npz",
        lambda path, table: np.savez(path, X=np.array([{}], dtype=object), y=[0], classes=["a"]),
        (),
        "pickled",
    ),
    "bad svmlight": ("t.svmlight", text("what is this\n"), (), "no svmlight"),
    "bad h5ad": ("t.h5ad", text("no hdf5"), (), "anndata|cannot be read"),
    "gzip called csv": (
        "t.csv",
        lambda p, t: p.write_bytes(gzip.compress(b"a,b\n1,2\n")),
        (),
        "cannot be read|no text",
    ),
    "parquet called csv": ("t.csv", lambda path, table: table.to_parquet(path), (), "no text"),
    "csv called parquet": ("t.parquet", lambda path, table: write_csv(path, table), (), "cannot be read"),
    "UTF-16": ("t.csv", text("g0,kind\n1,a\n2,b\n", "utf-16"), (), "UTF-16"),
    "Latin-1": ("t.csv", text("größe,kind\n1,a\n2,b\n", "latin-1"), (), "cannot be read|UTF"),
    "no target": ("t.csv", write_csv, ("--no-target",), "--target"),
    "wrong target": ("t.csv", write_csv, ("-t", "knid"), "Did you mean 'kind'"),
    "wrong target of npz": ("t.npz", write_npz, ("-t", "kind"), "'y'"),
    "target with one class": ("t.csv", csv_of(lambda t: t.assign(kind="a")), (), "class"),
    "continuous target": ("t.csv", csv_of(lambda t: t.assign(kind=t["g0"] + 0.5)), (), "continuous"),
    "whole numbers, all different": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=np.arange(len(t)) * 7)),
        (),
        "identifier|continuous",
    ),
    "target with gaps": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=t["kind"].where(t.index > 3))),
        (),
        "missing in 4 rows",
    ),
    "missing values": (
        "t.csv",
        csv_of(lambda t: holed()),
        (),
        "'g1', 'colour' have missing values.*--impute",
    ),
    "missing values in npz": (
        "t.npz",
        lambda path, table: write_npz(path, table.assign(g1=table["g1"].where(table.index > 3))),
        (),
        "'g1' have missing values",
    ),
    "infinite values": ("t.csv", csv_of(lambda t: t.assign(g1=np.inf)), (), "'g1' hold infinite"),
    "a column of nothing": ("t.csv", csv_of(lambda t: t.assign(g1=None)), (), "'g1' hold nothing"),
    "numbers as text": (
        "t.parquet",
        lambda path, table: table.assign(g1=table["g1"].astype(str)).to_parquet(path),
        (),
        "'g1' hold numbers stored as text",
    ),
    "mixed types": (
        "t.csv",
        csv_of(lambda t: t.assign(g1=t["g1"].astype(object).where(t.index > 3, "n.d."))),
        (),
        "'g1' mix numbers and text",
    ),
    "dates": (
        "t.parquet",
        lambda path, table: table.assign(day=pd.Timestamp("2020-01-01")).to_parquet(path),
        (),
        "'day' hold dates",
    ),
    "lists": (
        "t.parquet",
        lambda path, table: table.assign(g1=[[1.0]] * len(table)).to_parquet(path),
        (),
        "'g1' hold neither",
    ),
    "identifiers": (
        "t.csv",
        csv_of(lambda t: t.assign(name=[f"patient {i}" for i in t.index])),
        (),
        "'name' have hardly a text twice",
    ),
    "columns of the same name": (
        "t.csv",
        text("a,a,kind\n1,2,x\n3,4,y\n5,6,x\n"),
        (),
        "same name: 'a'",
    ),
    "a value called like a column": (
        "t.csv",
        csv_of(lambda t: t.assign(**{"colour=red": 1.0})),
        (),
        "same name twice: 'colour=red'",
    ),
    "too many features asked": ("t.csv", write_csv, ("-k", 99), "at most the number of features, 10"),
    "no features asked": ("t.csv", write_csv, ("-k", 0), "at least 1"),
    "k in words": ("t.csv", write_csv, ("-k", "ten"), "whole number"),
    "bad gamma": ("t.csv", write_csv, ("--gamma", "small"), "--gamma must be"),
    "negative gamma": ("t.csv", write_csv, ("--gamma", "-1"), "gamma must be"),
    "drop of nothing": ("t.csv", write_csv, ("--drop", "g99"), "'g99'"),
    "nothing left": (
        "t.csv",
        csv_of(lambda t: t[["g0", "kind"]]),
        ("--drop", "g0"),
        "no columns but the target",
    ),
    "output into nowhere": ("t.csv", write_csv, ("--out", "nowhere/s.json"), "no folder 'nowhere'"),
    "output over the table": ("t.csv", write_csv, ("--write", "t.csv"), "is the table itself"),
    "output of unknown kind": ("t.csv", write_csv, ("--write", "t.docx"), "of no known kind"),
    "output onto a folder": ("t.csv", write_csv, ("--report", "."), "is a folder|cannot be written"),
}


@pytest.mark.once
@pytest.mark.parametrize("case", BAD)
def test_bad_tables_get_a_sentence(case, tmp_path):
    name, write, arguments, message = BAD[case]
    write(tmp_path / name, frame())
    options = [] if "--no-target" in arguments or "-t" in arguments else ["-t", "kind"]
    if name.endswith((".npz", ".svmlight")) and "-t" not in arguments:
        options = []
    options += [argument for argument in arguments if argument != "--no-target"]
    if "-k" not in arguments:
        options += ["-k", 2]
    before = sorted(path.name for path in tmp_path.iterdir())
    sentence = refused(run("select", name, *options, cwd=tmp_path))
    assert re.search(message, sentence), sentence
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # nothing written, not even half
