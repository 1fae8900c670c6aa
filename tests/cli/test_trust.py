"""`fisherset trust` and `select --trust`: what they print, write and refuse."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from fisherset import GeneralizedFisherScore, permutation_test, stability
from support.command_line import invoke, refused

FEW = ("--pairs", 5, "--permutations", 19)
WINE = ("trust", "wine.csv", "-t", "target", "-k", 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trust")
    wine = load_wine(as_frame=True).frame
    wine.to_csv(folder / "wine.csv", index=False)
    rng = np.random.default_rng(0)
    wine["site"] = rng.choice(["north", "south"], len(wine))
    wine["batch"] = rng.integers(3, size=len(wine))
    wine.to_csv(folder / "sites.csv", index=False)
    wine.drop(columns="site").to_parquet(folder / "wine.parquet")
    load_diabetes(as_frame=True).frame.to_csv(folder / "numbers.csv", index=False)
    noise = pd.DataFrame(rng.normal(size=(60, 30))).add_prefix("m")
    noise.assign(kind=np.arange(60) % 2).to_csv(folder / "noise.csv", index=False)
    return folder


def answered(*command, cwd, **more):
    done = invoke(*command, cwd=cwd, **more)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_all_three_verdicts(folder):
    said = answered(*WINE, *FEW, cwd=folder)
    assert "Chance: p = 0.05. F is" in said
    assert "Stability: index" in said
    assert "New rows: accuracy" in said
    assert "Advice: " in said.splitlines()[-2] + said.splitlines()[-1]
    assert "flavanoids" in said


def test_json_has_the_numbers_of_the_library(folder):
    found = json.loads(answered(*WINE, *FEW, "--json", cwd=folder))
    assert set(found) == {"advice", "real", "useful", "permutation", "stability", "reasons", "held_out"}
    X, y = load_wine(return_X_y=True)
    tested = permutation_test(
        GeneralizedFisherScore(3), X, y, n_permutations=19, random_state=0, ks=[1, 2, 3]
    )
    assert found["permutation"]["pvalue"] == tested.pvalue
    assert found["permutation"]["F"] == pytest.approx(tested.statistic)
    assert [row["k"] for row in found["permutation"]["sizes"]] == [1, 2, 3]
    assert set(found["permutation"]["sizes"][0]) == {"k", "F", "mean_by_chance", "upper_by_chance", "pvalue"}
    stable = stability(GeneralizedFisherScore(3), X, y, n_pairs=5, random_state=0)
    assert found["stability"]["index"] == pytest.approx(stable.index)
    names = load_wine().feature_names
    for row in found["stability"]["frequencies"]:
        assert row["frequency"] == stable.frequencies[names.index(row["name"])]
    assert found["held_out"]["metric"] == "accuracy"
    assert 0.9 < found["held_out"]["score"] <= 1
    assert found["real"] is True
    assert found["reasons"] == {}


def test_noise_is_called_noise(folder):
    command = ("trust", "noise.csv", "-t", "kind", "-k", 3, "--pairs", 3, "--permutations", 39, "--json")
    found = json.loads(answered(*command, cwd=folder))
    assert found["real"] is False
    assert found["advice"].startswith("Do not use this selection: permuted targets give sets")


def test_numbers(folder):
    said = answered("trust", "numbers.csv", "-t", "target", "--task", "regression", "-k", 3, *FEW, cwd=folder)
    assert "New rows: R² " in said


def test_within_and_confounders(folder):
    command = ("trust", "sites.csv", "-t", "target", "-k", 3, *FEW, "--adjust-for", "batch")
    said = " ".join(answered(*command, "--strata", "site", cwd=folder).split())
    assert "permuted within groups" in said
    alone = " ".join(answered(*command, cwd=folder).split())
    assert "conditional permutation" in alone


def test_columns_of_strings_groups_and_required_ones(folder):
    command = ("trust", "sites.csv", "-t", "target", "-k", 3, *FEW, "--keep", "site")
    said = answered(*command, cwd=folder)
    assert "Required: site" in said
    row = next(line for line in said.splitlines() if line.startswith("│ site"))
    assert "100 %" in row
    (folder / "groups.json").write_text(json.dumps({"one": ["ash", "hue"], "two": ["flavanoids", "proline"]}))
    said = answered(*WINE[:-1], 2, *FEW, "--groups", "groups.json", cwd=folder)
    assert "two" in said


def test_a_size_by_cross_validation(folder):
    said = answered(*WINE[:-1], "auto", "--pairs", 2, "--permutations", 0, cwd=folder)
    assert "Advice: " in said


def test_select_with_trust(folder, tmp_path):
    page = tmp_path / "r.html"
    said = answered(
        "select",
        "noise.csv",
        "-t",
        "kind",
        "-k",
        2,
        "--trust",
        "--out",
        tmp_path / "s.json",
        "--report",
        page,
        cwd=folder,
    )
    assert "Advice: Do not use this selection" in said
    assert said.count("New rows:") == 1
    content = json.loads((tmp_path / "s.json").read_text())
    assert content["trust"]["advice"].startswith("Do not use")
    assert content["trust"]["stability"]["n_pairs"] == 50
    assert content["trust"]["permutation"]["n_permutations"] == 200
    assert '<h2 id="trust">' in page.read_text()


def test_the_page_and_the_selection_are_written(folder, tmp_path):
    page, out = tmp_path / "r.html", tmp_path / "s.json"
    said = answered(*WINE, *FEW, "--report", page, "--out", out, cwd=folder)
    html = page.read_text()
    assert '<h2 id="trust">' in html
    assert "How often each is selected on halves of the rows" in html
    assert "F against the number of features, and by chance" in html
    assert "Held-out accuracy against the number of features" in html
    assert str(page) in said
    assert json.loads(out.read_text())["trust"]["stability"]["n_pairs"] == 5


def test_quiet_prints_nothing(folder):
    assert answered(*WINE, *FEW, "-q", cwd=folder) == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pairs", 1), "--pairs must be 0, or at least 2; got 1"),
        (("--permutations", 5), "--permutations must be 0, or at least 19"),
        (("--pairs", -1), "--pairs must be at least 0"),
        (("-k", "3,4"), "-k takes a number .10. or auto; got '3,4'"),
        (("--strata", "sites"), "--strata: wine.csv has no column 'sites'"),
        (("--strata", "target"), "--strata must not name the target"),
    ],
)
def test_refusals(folder, options, message):
    said = refused(invoke(*WINE, *options, cwd=folder))
    assert re.search(message, said), said


def test_rows_that_are_not_in_memory(folder):
    answered("summarize", "wine.csv", "-t", "target", "--out", "s.npz", "--force", cwd=folder)
    said = refused(invoke("trust", "s.npz", "-k", 3, cwd=folder))
    assert "s.npz is a summary of rows, not the rows" in said
    said = refused(invoke("select", "s.npz", "-k", 3, "--trust", cwd=folder))
    assert "Halves and permutations need all rows in memory, and s.npz is a summary" in said


def test_groups_of_single_rows_are_no_groups(folder):
    command = ("trust", "numbers.csv", "-t", "target", "--task", "regression", "-k", 2, "--pairs", 2)
    within = ("--strata", "bmi,s1,s2,s3,s4,s5", "--permutations", 19)
    said = " ".join(answered(*command, *within, cwd=folder).split())
    assert "Chance: not known. --strata must leave two rows or more in some group" in said
