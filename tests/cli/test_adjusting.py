"""Columns of obs, and other annotations of rows, for --adjust-for."""

import json

import pandas as pd
import pytest

from fisherset import certify
from fisherset.tables import read_table
from support.anndata_files import cells, write_cells
from support.command_line import invoke, refused


@pytest.fixture
def folder(tmp_path):
    X, obs = cells()
    kept = {name: obs[name] for name in ("type", "age", "batch", "count", "gap")}
    write_cells(tmp_path / "t.h5ad", X, kept)
    return tmp_path


ASKED = ("t.h5ad", "-t", "type", "-k", 3)
CONFOUNDERS = {
    "numbers": ["age"],
    "classes": ["batch"],
    "both": ["age", "batch"],
    "both, with a variable": ["age", "batch", "g2"],
}


@pytest.mark.parametrize("by_batches", [False, True], ids=["whole", "by batches"])
@pytest.mark.parametrize("case", CONFOUNDERS)
def test_columns_of_obs_are_adjusted_for(case, by_batches, folder, monkeypatch):
    if by_batches:
        monkeypatch.setattr("fisherset.tables.read.WHOLE_SHARE", 0.0)
    names = CONFOUNDERS[case]
    done = invoke("select", *ASKED, "--adjust-for", ",".join(names), "--out", "s.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "s.json").read_text())
    assert sorted(found["adjusted_for"]) == sorted(names)
    assert f"Adjusted for: {', '.join(name for name in names if name != 'g2')}" in done.stdout
    _, obs = cells()
    table = read_table(folder / "t.h5ad", "type")
    Z = pd.get_dummies(pd.DataFrame({name: obs[name] for name in names if name != "g2"}), dtype=float)
    chosen = [table.names.index(feature["name"]) for feature in found["features"]]
    adjusted = [2] if "g2" in names else None
    parameters = {"gamma": found["gamma"], "adjust_for": adjusted, "confounders": Z.to_numpy()}
    expected = certify(table.X, table.y, chosen, **parameters)
    assert found["objective"] == pytest.approx(expected.objective, rel=1e-9)
    done = invoke("certify", "t.h5ad", "--features", "s.json", "--json", cwd=folder)
    assert json.loads(done.stdout)["objective"] == pytest.approx(expected.objective, rel=1e-9)


def test_other_commands_and_the_page(folder):
    done = invoke("alternatives", *ASKED, "--adjust-for", "age", cwd=folder)
    assert done.returncode == 0, done.stderr
    asked = ("--adjust-for", "batch", "--gamma", "auto", "--report", "r.html")
    done = invoke("select", *ASKED, *asked, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "batch" in (folder / "r.html").read_text(encoding="utf-8")


WRONG = {
    "a typing error": ("bach", "has no column 'bach'. Did you mean 'batch'?"),
    "a missing value": ("gap", "'gap' is missing in 52 of 60 rows (first: row 9)"),
    "the target": ("type", "--adjust-for must not name the target, 'type'"),
    "only a variable can be kept": ("batch", ""),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_adjusted_for(case, folder):
    name, said = WRONG[case]
    option = "--adjust-for" if said else "--keep"
    done = invoke("select", *ASKED, option, name, cwd=folder)
    assert said in refused(done)
