"""Differences of a table from the one of the selection are counted and located, or refused with --strict."""

import json

import numpy as np
import pandas as pd
import pytest

from support.command_line import invoke, refused


def table(n=120):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    found = pd.DataFrame(rng.normal(size=(n, 3)) + y[:, None], columns=["a", "b", "c"])
    found["colour"] = np.where(rng.random(n) < 0.3, "grey", np.array(["red", "green", "blue"])[y])
    found["kind"] = np.array(["low", "middle", "high"])[y]
    return found


@pytest.fixture(scope="module", params=[("4",), ("7", "--split-texts"), ("5", "--split-texts")])
def selection(request, tmp_path_factory):
    """All columns, all features, and some: green is known to the selection whether chosen or not."""
    folder = tmp_path_factory.mktemp("selection")
    table().to_csv(folder / "t.csv", index=False)
    done = invoke("select", "t.csv", "-t", "kind", "-k", *request.param, "--out", "s.json", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    content = json.loads((folder / "s.json").read_text())
    assert content["categories"] == {"colour": ["blue", "green", "grey", "red"]}
    assert {"a", "colour=red"} & {feature["name"] for feature in content["features"]}
    return folder / "s.json"


def changed(**columns):
    return table(20).assign(**columns)


first = np.arange(20) < 3
DRIFT = {
    "new values": (
        changed(colour=np.where(first, "mauve", "red")),
        "1 value of 'colour' that the selection never saw, in 3 of 20 rows: 'mauve'",
    ),
    "numbers now": (changed(colour=np.arange(20) % 2), "in 20 of 20 rows: '0', '1'. They are numbers now"),
    "other capitals": (changed(colour="Red"), "'Red'"),
    "no values": (
        table(20).assign(colour=lambda t: t["colour"].where(~first)),
        "no value of 'colour' in 3 of 20 rows",
    ),
    "new labels": (
        changed(kind=np.where(first, "utmost", "low")),
        "1 label 'kind' that the selection never saw, in 3 of 20 rows: 'utmost'",
    ),
}
NUMBERS = {
    "infinite": (np.where(first, np.inf, 1.0), "infinite values, in 3 of 20 rows"),
    "missing": (
        np.where(first, np.nan, 1.0),
        "missing values, where the selection had none, in 3 of 20 rows",
    ),
    "nothing at all": (np.full(20, np.nan), "in 20 of 20 rows"),
}
DRIFT |= {name: (changed(a=x, b=x, c=x), message) for name, (x, message) in NUMBERS.items()}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("case", DRIFT)
def test_drift_is_said_or_refused(case, suffix, selection, tmp_path):
    new, message = DRIFT[case]
    path = tmp_path / f"new.{suffix}"
    new.to_csv(path, index=False) if suffix == "csv" else new.to_parquet(path)
    arguments = ("apply", selection, path, "--out", tmp_path / "out.csv")
    sentence = refused(invoke(*arguments, "--strict"))
    assert not (tmp_path / "out.csv").exists()
    if case == "numbers now" and suffix == "parquet":
        assert "holds no strings" in sentence
        return
    assert message in sentence
    done = invoke(*arguments)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line == f"fisherset: note: {sentence.removeprefix('fisherset: ')}"
    assert len(pd.read_csv(tmp_path / "out.csv")) == 20


def test_nothing_is_said_of_a_table_like_the_first(selection, tmp_path):
    table(20).drop(columns="kind").to_csv(tmp_path / "new.csv", index=False)
    done = invoke("apply", selection, tmp_path / "new.csv", "--out", tmp_path / "out.csv", "--strict")
    assert (done.returncode, done.stderr) == (0, "")


def test_labels_are_compared_as_numbers(tmp_path):
    old = table()
    chosen = ("select", "t.csv", "-t", "kind", "-k", 3, "--gamma", 9, "--out", "s.json")
    old.assign(kind=np.array([1.0, 2.0, 3.0])[np.arange(120) % 3]).to_parquet(tmp_path / "t.parquet")
    assert invoke("select", "t.parquet", *chosen[2:], cwd=tmp_path).returncode == 0
    old.assign(kind=np.arange(120) % 3 + 1).to_csv(tmp_path / "new.csv", index=False)
    done = invoke("apply", "s.json", "new.csv", "--out", "o.csv", "--strict", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_selections_of_earlier_versions_have_no_categories(selection, tmp_path):
    content = json.loads(selection.read_text())
    for key in ("categories", "remarks"):
        del content[key]
    (tmp_path / "old.json").write_text(json.dumps(content))
    changed(colour="mauve").to_csv(tmp_path / "new.csv", index=False)
    done = invoke("apply", "old.json", "new.csv", "--out", "o.csv", "--strict", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for bad in ([], {"colour": [1]}, {"colour": 3}):
        (tmp_path / "old.json").write_text(json.dumps(content | {"categories": bad}))
        done = invoke("apply", "old.json", "new.csv", "--out", "o2.csv", cwd=tmp_path)
        assert "is not a selection written by fisherset" in refused(done)
