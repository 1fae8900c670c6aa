"""The commands on real files: what they write and what they say."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    certify,
    explain,
    selection_path,
)
from fisherset.tables.selection import read_selection
from support.command_line import invoke as run
from support.command_line import refused
from support.command_line import run as in_a_process

EVIL = "<script>alert(1)</script>"
FORMULA = "=HYPERLINK(A1)"


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """Wine as CSV, with an odd name or two and odd labels."""
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    table = load_wine(as_frame=True).frame.rename(columns={"flavanoids": EVIL, "proline": FORMULA})
    table["target"] = np.array(["=a", "b", "c"])[table["target"]]
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def chosen(wine):
    """A selection with everything it can write."""
    folder = wine.parent
    done = in_a_process(
        *("select", wine, "-t", "target", "-k", 5, "--out", folder / "selection.json"),
        *("--report", folder / "report.html", "--write", folder / "reduced.csv"),
    )
    assert done.returncode == 0, done.stderr
    return folder, done


def expected():
    X, y = load_wine(return_X_y=True)
    return GeneralizedFisherScore(5).fit(X, y)


def test_select_says_what_the_library_says(chosen):
    _, done = chosen
    selector = expected()
    plain = " ".join(done.stdout.split())
    assert "Proven optimal: no other 5 columns score higher." in plain
    assert selector.optimal_
    assert f"F = {selector.objective_:.6g}, upper bound {selector.upper_bound_:.6g}" in plain
    assert str(selector.proven_).partition("\n")[0] in plain
    assert "best substitute" in plain  # in one piece
    assert "most correlated" not in plain  # but with --wide
    assert "* essential: in every set that scores as high" in plain
    assert "F if swapped: with its best substitute. F if removed: without it." in plain
    assert plain.count("* ") == 1 + selector.proven_.in_every.sum() > 1
    assert done.stderr == ""  # nothing moves where there is no terminal


def test_selection_file(chosen):
    folder, _ = chosen
    content = json.loads((folder / "selection.json").read_text(encoding="utf-8"))
    assert content["format"] == "fisherset selection"
    assert content["version"] == 1
    names = load_wine().feature_names
    renamed = {"flavanoids": EVIL, "proline": FORMULA}
    selector = expected()
    wanted = [renamed.get(names[j], names[j]) for j in np.argsort(selector.ranking_)[:5]]
    assert [feature["name"] for feature in content["features"]] == wanted
    assert content["objective"] == pytest.approx(selector.objective_)
    assert content["classes"] == ["=a", "b", "c"]
    assert content["proven"] == dict(
        zip(("in_every", "in_none", "open"), selector.proven_.counts, strict=True)
    )
    order = np.argsort(selector.ranking_)[:5]
    assert [row["in_every"] for row in content["details"]] == selector.proven_.in_every[order].tolist()
    bounds = [row["bound_without"] for row in content["details"]]
    assert bounds == pytest.approx(selector.upper_bound_without_[order])
    found = explain(*load_wine(return_X_y=True), selector.support_, gamma=selector.gamma_)
    places = np.searchsorted(found.features, order)
    for row, place in zip(content["details"], places, strict=True):
        others = [names[unit] for unit in (found.exchanges[place], found.stand_ins[place])]
        assert [row["exchange"], row["stand_in"]] == [renamed.get(name, name) for name in others]
        said = [row[name] for name in ("exchanged", "drop", "correlation")]
        assert said == pytest.approx([found.exchanged[place], found.drops[place], found.correlations[place]])
    assert read_selection(folder / "selection.json").proven == content["proven"]
    content["proven"]["open"] = "many"
    (folder / "odd.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"'proven\.open' must be a whole number; it is .many."):
        read_selection(folder / "odd.json")


def test_the_report_says_what_is_proven(chosen):
    page = (chosen[0] / "report.html").read_text(encoding="utf-8")
    assert str(expected().proven_).partition("\n")[0].removeprefix("Proof: ") in page
    assert page.count(">essential (≤&nbsp;") == expected().proven_.in_every.sum()
    assert ">Best substitute</th>" in page
    assert ">Most correlated</th>" in page


def test_reduced_table_is_what_it_was(chosen):
    folder, _ = chosen
    with (folder / "reduced.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 179
    assert rows[0][-1] == "target"
    assert rows[1][-1] == "=a"
    assert EVIL in rows[0]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "feather", "arrow", "npz"])
def test_apply_reduces_another_table(chosen, wine, tmp_path, suffix):
    folder, _ = chosen
    other = pd.read_csv(wine).sample(frac=0.5, random_state=0)
    shuffled = other[other.columns[::-1]]
    shuffled.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / f"out.{suffix}"
    done = run("apply", folder / "selection.json", tmp_path / "new.csv", "--out", out)
    assert done.returncode == 0, done.stderr
    content = json.loads((folder / "selection.json").read_text(encoding="utf-8"))
    names = [feature["name"] for feature in content["features"]]
    if suffix == "npz":
        with np.load(out) as file:
            values, labels = file["X"], file["classes"][file["y"]]
            assert file["feature_names"].tolist() == names
    else:
        separator = {"csv": ",", "tsv": "\t"}.get(suffix)
        read = {"parquet": pd.read_parquet}.get(suffix, pd.read_feather)
        table = read(out) if separator is None else pd.read_csv(out, sep=separator)
        values, labels = table.iloc[:, :5].to_numpy(), table["target"].to_numpy()
        if separator is None:
            assert table.columns[:5].tolist() == names
    np.testing.assert_allclose(values, other[names].to_numpy())
    assert labels.tolist() == other["target"].tolist()


def test_apply_needs_no_target_and_fills_as_was_learnt(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    table["y"] = (table["a"] > 0).map({True: "p", False: "q"})
    table.loc[:5, "b"] = np.nan
    table["w"] = np.array(["u", "v"])[np.arange(60) % 2]
    table.to_csv(tmp_path / "t.csv", index=False)
    selected = ("select", tmp_path / "t.csv", "-t", "y", "-k", 4, "--impute", "median")
    assert run(*selected, "--out", tmp_path / "s.json").returncode == 0
    new = pd.DataFrame({"w": ["v", "other"], "c": [1.0, 2.0], "b": [None, 5.0], "a": [0.5, 0.25]})
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("apply", tmp_path / "s.json", tmp_path / "new.csv", "--out", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    out = pd.read_csv(tmp_path / "out.csv")
    assert "y" not in out
    assert out["b"].tolist() == [pytest.approx(table["b"].median()), 5.0]
    assert out["w=v"].tolist() == [1.0, 0.0]
    assert "w=u" not in out  # of two texts one says it all


def test_apply_checks_that_the_columns_are_there(chosen, wine, tmp_path):
    folder, _ = chosen
    pd.read_csv(wine).drop(columns=[EVIL]).to_csv(tmp_path / "new.csv", index=False)
    done = run("apply", folder / "selection.json", tmp_path / "new.csv", "--out", tmp_path / "out.csv")
    assert f"lacks 1 of the selected columns: {EVIL!r}" in refused(done)
    assert not (tmp_path / "out.csv").exists()


DAMAGED = {
    "not there": (None, "File not found"),
    "no JSON": ("{", "not valid JSON"),
    "not text": (b"\xff\xfe\x00", "not valid JSON"),
    "foreign": ('{"features": []}', "not written by fisherset"),
    "a list": ("[1, 2]", "not written by fisherset"),
    "of the future": ('{"format": "fisherset selection", "version": 9}', "version 9"),
    "nothing in it": (
        '{"format": "fisherset selection", "version": 1}',
        "is not a selection written by fisherset: 'features' is missing",
    ),
    "odd feature": (
        '{"format": "fisherset selection", "version": 1, "features": [{"name": 3, "column": "a"}]}',
        "'target' is missing",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_selections_are_refused(case, wine, tmp_path):
    content, message = DAMAGED[case]
    path = tmp_path / "selection.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    sentence = refused(run("apply", path, wine, "--out", tmp_path / "out.csv"))
    assert re.search(message, sentence), sentence


def test_certify_grades_a_list(wine, tmp_path):
    X, y = load_wine(return_X_y=True)
    ranking = np.flatnonzero(FisherScore(5).fit(X, y).support_)
    renamed = {"flavanoids": EVIL, "proline": FORMULA}
    names = [renamed.get(load_wine().feature_names[j], load_wine().feature_names[j]) for j in ranking]
    (tmp_path / "list.txt").write_text("\n".join(names) + "\n\n", encoding="utf-8")
    arguments = ("certify", wine, "-t", "target", "--features", tmp_path / "list.txt", "--gamma", "178")
    grade = certify(X, y, ranking, gamma=178.0)
    said = " ".join(run(*arguments).stdout.split())
    assert "Proven optimal: no other 5 columns score higher." in said
    assert grade.optimal
    found = json.loads(run(*arguments, "--json").stdout)
    assert found["gap"] == pytest.approx(grade.gap)


def test_certify_takes_a_selection(chosen, wine):
    folder, _ = chosen
    done = run("certify", wine, "-t", "target", "--features", folder / "selection.json", "--json")
    assert json.loads(done.stdout)["objective"] == pytest.approx(expected().objective_)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "list.txt is empty"),
        ("ash\nash\n", "'ash' twice"),
        ("ash\nmagic\n", "'magic'"),
        (None, "File not found"),
    ],
)
def test_certify_refuses_bad_lists(content, message, wine, tmp_path):
    if content is not None:
        (tmp_path / "list.txt").write_text(content)
    done = run("certify", wine, "-t", "target", "--features", tmp_path / "list.txt")
    assert message in refused(done)


def test_compare(wine, tmp_path):
    done = run(
        *("compare", wine, "-t", "target", "-k", "2,4", "--repeats", 2, "--methods", "fisher,joint"),
        *("--report", tmp_path / "r.html", "--json"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["ks"] == [2, 4]
    assert np.shape(found["accuracy"]["joint"]) == (2, 2)
    assert 0 <= found["certificates"]["4"]["gap"] < 0.5
    path = selection_path(*load_wine(return_X_y=True), [2, 4])
    for step, one in zip(path, found["certificates"].values(), strict=True):
        assert (one["objective"], one["gamma"]) == pytest.approx((step.objective, found["gamma"]))
    assert found["gamma"] == pytest.approx(path.gamma)
    assert "Accuracy against the number of features" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_criteria_of_all_sizes_are_compared_at_one_gamma(tmp_path):
    """Where each size by itself would have a gamma of its own, and larger sets a smaller F."""
    rng, y = np.random.default_rng(0), np.arange(60) % 3
    X = rng.normal(size=(60, 300)) + y[:, None] * (np.arange(300) < 20)
    np.savez(tmp_path / "t.npz", X=X, y=y, classes=["a", "b", "c"])
    alone = [GeneralizedFisherScore(k).fit(X, y) for k in (5, 20, 50)]
    assert alone[0].objective_ > alone[-1].objective_
    asked = ("compare", tmp_path / "t.npz", "-k", "5,20,50", "--repeats", 1, "--methods", "fisher")
    found = json.loads(run(*asked, "--json").stdout)
    values = [one["objective"] for one in found["certificates"].values()]
    assert values == sorted(values)
    assert {one["gamma"] for one in found["certificates"].values()} == {found["gamma"]}
    assert found["gamma"] == pytest.approx(alone[-1].gamma_)
    said = " ".join(run(*asked).stdout.split())
    assert f"with 5, 20, 50 features, all at gamma = {found['gamma']:.6g}, the default for 50." in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-k", "2,x"), "-k takes numbers"),
        (("-k", "99"), "at most 13, the number of features; got 99"),
        (("--methods", "magic"), "magic"),
    ],
)
def test_compare_refuses(arguments, message, wine):
    assert message in refused(run("compare", wine, "-t", "target", *arguments))


def test_gamma_and_number_by_cross_validation(wine):
    done = run("select", wine, "-t", "target", "-k", "auto", "--gamma", "auto", "--json")
    found = json.loads(done.stdout)
    selector = GeneralizedFisherScoreCV("auto").fit(*load_wine(return_X_y=True))
    assert len(found["features"]) == selector.support_.sum()
    assert found["gamma"] == pytest.approx(selector.gamma_)
    assert found["objective"] == pytest.approx(selector.objective_)


def test_quiet(wine, tmp_path):
    done = run("select", wine, "-t", "target", "-k", 3, "--out", tmp_path / "s.json", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "s.json").exists()


def test_names_cannot_steer_the_terminal(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["\x1b[31mred\x07", "b"])
    table["y"] = np.arange(40) % 2
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("select", tmp_path / "t.csv", "-t", "y", "-k", 2)
    assert "\x1b" not in done.stdout
    assert "[31mred" in done.stdout  # nor is it markup


def test_help_teaches_by_example():
    for command in ("select", "apply", "compare", "certify", "alternatives", "demo", "reproduce"):
        shown = run(command, "-h").stdout
        assert f"fisherset {command}" in shown
        assert "Examples" in shown
    assert "130 interrupted" in " ".join(run("-h").stdout.split())
    shown = run("select", "-h").stdout.replace("│", " ")
    assert "CSV file of rows column,group, or prefix" in " ".join(shown.split())
