"""Options of the choice: whole columns, groups, kept, excluded and adjusted for; numbers as targets."""

import json

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

from fisherset import GeneralizedFisherScore, JointRegressionScore, certify
from support.command_line import invoke, refused
from support.table_files import frame, holed, write_csv

SELECT = ("select", "t.csv", "-t", "kind", "--gamma", 90)
NUMBERS = [f"g{j}" for j in range(6)]


def priced():
    """With a number to explain: by g0, g3 and the colour."""
    table = frame().drop(columns="kind")
    noise = np.random.default_rng(1).normal(size=len(table)) / 4
    return table.assign(price=2 * table["g0"] + table["g3"] + 1.5 * (table["colour"] == "red") + noise)


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "t.csv", frame())
    write_csv(tmp_path / "p.csv", priced())
    return tmp_path


def answer(folder, *arguments):
    done = invoke(*arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(found):
    return [feature["name"] for feature in found["features"]]


def encoded(table, split=False):
    """The features the command makes of `frame()`, and the group of each."""
    texts = sorted(set(table["colour"]))
    colours = np.column_stack([table["colour"] == text for text in texts]).astype(float)
    X = np.column_stack([table[NUMBERS], colours, table["flag"]]).astype(float)
    labels = [*NUMBERS, *(f"colour={text}" if split else "colour" for text in texts), "flag"]
    return X, labels


def test_a_column_of_texts_is_chosen_whole(folder):
    X, groups = encoded(frame())
    for k in (1, 3, 8):
        found = answer(folder, *SELECT, "-k", k, "--keep", "colour")
        expected = GeneralizedFisherScore(k, gamma=90.0, groups=groups, keep=["colour"]).fit(
            X, frame()["kind"]
        )
        chosen = [expected.groups_[j] for j in np.argsort(expected.ranking_)[:k]]
        assert [row["name"] for row in found["details"]] == chosen
        assert list(dict.fromkeys(feature["column"] for feature in found["features"])) == chosen
        assert found["objective"] == pytest.approx(expected.objective_)
        assert found["upper_bound"] == pytest.approx(expected.upper_bound_)
        assert found["groups"] == {"colour": ["colour=blue", "colour=green", "colour=red"]}
        assert (found["n_features_in"], found["n_groups_in"], found["kept"]) == (10, 8, ["colour"])


def test_values_of_texts_can_be_chosen_one_by_one(folder):
    found = answer(folder, *SELECT, "-k", 10, "--split-texts")
    assert {"colour=blue", "colour=green", "colour=red"} < set(names(found))
    assert (found["groups"], found["n_groups_in"]) == ({}, None)
    found = answer(folder, *SELECT, "-k", 2, "--split-texts", "--keep", "colour=red", "--exclude", "g0")
    assert "colour=red" in names(found)
    assert "g0" not in names(found)
    whole = answer(folder, *SELECT, "-k", 4, "--split-texts", "--keep", "colour")  # all of its values
    assert {"colour=blue", "colour=green", "colour=red"} < set(names(whole))


def test_a_number_and_the_mark_of_its_gaps_go_together(tmp_path):
    write_csv(tmp_path / "t.csv", holed())
    found = answer(tmp_path, *SELECT, "-k", 2, "--impute", "indicator", "--keep", "g1,colour")
    assert sorted(names(found)) == sorted(
        ["g1", "g1=missing", "colour=blue", "colour=green", "colour=red", "colour=missing"]
    )
    assert found["groups"]["g1"] == ["g1", "g1=missing"]
    out = invoke(
        *SELECT, "-k", 3, "--impute", "indicator", "--exclude", "g1", "--split-texts", "--json", cwd=tmp_path
    )
    assert not {"g1", "g1=missing"} & set(names(json.loads(out.stdout)))


@pytest.mark.parametrize("given", [("g4,flag",), ("g4", "flag"), ("g4, flag",), ("flag,g4", "g4")])
def test_names_with_commas_or_again_and_again(given, folder):
    kept = answer(folder, *SELECT, "-k", 3, *(part for name in given for part in ("--keep", name)))
    assert {"g4", "flag"} < set(names(kept))
    out = answer(folder, *SELECT, "-k", 3, *(part for name in given for part in ("--exclude", name)))
    assert not {"g4", "flag"} & set(names(out))
    assert sorted(out["excluded"]) == ["flag", "g4"]


def test_a_name_may_have_a_comma(tmp_path):
    write_csv(tmp_path / "t.csv", frame().rename(columns={"g4": "a,b", "g5": " lead"}))
    found = answer(tmp_path, *SELECT, "-k", 2, "--keep", "a,b", "--exclude", "g0, lead")
    assert found["kept"] == ["a,b"]
    assert found["excluded"] == ["g0", " lead"]
    write_csv(tmp_path / "t.csv", frame().assign(colour=lambda t: t["colour"].str.replace("red", "r,g")))
    assert "is one value of 'colour'" in refused(
        invoke(*SELECT, "-k", 2, "--keep", "colour=r,g", cwd=tmp_path)
    )
    found = answer(tmp_path, *SELECT, "-k", 2, "--keep", "colour=r,g", "--split-texts")
    assert found["kept"] == ["colour=r,g"]


def test_what_is_excluded_leaves_the_best_of_the_rest(folder):
    found = answer(folder, *SELECT, "-k", 2, "--exclude", "g0,g1")
    X, groups = encoded(frame())
    expected = GeneralizedFisherScore(2, gamma=90.0, groups=groups, exclude=["g0", "g1"]).fit(
        X, frame()["kind"]
    )
    assert found["objective"] == pytest.approx(expected.objective_)
    assert found["upper_bound"] == pytest.approx(expected.upper_bound_)


@pytest.mark.parametrize("what", ["g0", "colour"])
def test_adjusting(what, folder):
    found = answer(folder, *SELECT, "-k", 2, "--adjust-for", what)
    X, groups = encoded(frame())
    expected = GeneralizedFisherScore(2, gamma=90.0, groups=groups, adjust_for=[what]).fit(X, frame()["kind"])
    assert found["objective"] == pytest.approx(expected.objective_)
    assert found["adjusted_for"] == [what]
    assert what not in {feature["column"] for feature in found["features"]}


@pytest.mark.parametrize("weight", ["balanced", "sqrt"])
def test_class_weight(weight, tmp_path):
    table = frame().drop(index=range(0, 60, 3)).reset_index(drop=True)
    write_csv(tmp_path / "t.csv", table)
    found = answer(tmp_path, *SELECT, "-k", 2, "--class-weight", weight)
    X, groups = encoded(table)
    expected = GeneralizedFisherScore(2, gamma=90.0, groups=groups, class_weight=weight).fit(X, table["kind"])
    assert found["objective"] == pytest.approx(expected.objective_)
    assert found["class_weight"] == weight


GROUPS = {"first": ["g0", "g5"], "second": ["colour", "g1"]}
FILES = {
    "g.json": json.dumps(GROUPS),
    "g.csv": "column,group\ng0,first\ng5,first\ncolour,second\ng1,second\n",
    "h.csv": "g0,first\n\ng5,first\ncolour,second\ng1,second\n",
    "g.tsv": "Column\tGroup\ng0\tfirst\ng5\tfirst\ncolour\tsecond\ng1\tsecond\n",
}


@pytest.mark.parametrize("file", FILES)
def test_groups_from_a_file(file, folder):
    (folder / file).write_text(FILES[file], encoding="utf-8-sig")
    found = answer(folder, *SELECT, "-k", 2, "--groups", file, "--out", "s.json", "--write", "w.csv")
    groups = ["first", "second", "g2", "g3", "g4", "first", "second", "second", "second", "flag"]
    expected = GeneralizedFisherScore(2, gamma=90.0, groups=groups).fit(encoded(frame())[0], frame()["kind"])
    assert found["objective"] == pytest.approx(expected.objective_)
    assert {row["name"] for row in found["details"]} == {"first", "second"}
    assert found["groups"]["second"] == ["g1", "colour=blue", "colour=green", "colour=red"]
    assert pd.read_csv(folder / "w.csv").columns[:-1].tolist() == names(found)
    kept = answer(folder, *SELECT, "-k", 1, "--groups", file, "--keep", "g5")  # stands for its group
    assert kept["kept"] == ["first"]
    dropped = answer(folder, *SELECT, "-k", 1, "--groups", file, "--drop", "g5", "--keep", "first")
    assert names(dropped) == ["g0"]


def test_groups_of_values(folder):
    (folder / "g.json").write_text(json.dumps({"warm": ["colour=red", "g5"]}))
    found = answer(folder, *SELECT, "-k", 1, "--groups", "g.json", "--split-texts", "--keep", "warm")
    assert names(found) == ["g5", "colour=red"]


def test_groups_by_prefix(tmp_path):
    renamed = {"g0": "a_0", "g1": "a_1", "g2": "b", "g3": "b_3", "g4": "_x", "g5": "lone_5"}
    write_csv(tmp_path / "t.csv", frame().rename(columns=renamed))
    found = answer(tmp_path, *SELECT, "-k", 6, "--groups", "prefix")
    assert {row["name"] for row in found["details"]} == {"a", "b", "_x", "lone_5", "colour", "flag"}
    assert found["groups"]["a"] == ["a_0", "a_1"]
    assert found["groups"]["b"] == ["b", "b_3"]
    assert found["n_groups_in"] == 6


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz", "svmlight"])
def test_numbers_as_targets(suffix, tmp_path):
    table = priced()
    if suffix in ("csv", "parquet"):
        write = table.to_csv if suffix == "csv" else table.to_parquet
        write(tmp_path / f"t.{suffix}", index=False)
        (X, groups), target = encoded(table), ("-t", "price")
    else:
        X, groups, target = table[NUMBERS].to_numpy(), None, ()
        if suffix == "npz":
            classes, y = np.unique(table["price"], return_inverse=True)
            np.savez(tmp_path / "t.npz", X=X, y=y, classes=classes)
        else:
            lines = [
                f"{price!r} " + " ".join(f"{j}:{x!r}" for j, x in enumerate(row))
                for price, row in zip(table["price"].tolist(), X.tolist(), strict=True)
            ]
            (tmp_path / "t.svmlight").write_text("\n".join(lines) + "\n")
    found = answer(
        tmp_path, "select", f"t.{suffix}", *target, "--task", "regression", "-k", 3, "--out", "s.json"
    )
    expected = JointRegressionScore(3, groups=groups).fit(X, table["price"])
    assert found["objective"] == pytest.approx(expected.objective_)
    assert found["upper_bound"] == pytest.approx(expected.upper_bound_)
    assert (found["classes"], found["task"]) == ([], "regression")
    done = invoke("apply", "s.json", f"t.{suffix}", "--out", "o.parquet", "--strict", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    reduced = pd.read_parquet(tmp_path / "o.parquet")
    assert reduced.columns[:-1].tolist() == names(found)
    np.testing.assert_allclose(reduced.iloc[:, -1], table["price"])


def test_plain_npz_files_of_numbers(tmp_path):
    price = priced()["price"].to_numpy()
    np.savez(tmp_path / "t.npz", X=priced()[NUMBERS], y=price)
    asked = ("select", "t.npz", "--task", "regression", "-k", 2, "--gamma", 90)
    found = answer(tmp_path, *asked, "--out", "s.json", "--write", "w.npz")
    expected = JointRegressionScore(2, gamma=90.0).fit(priced()[NUMBERS].to_numpy(), price)
    assert found["objective"] == pytest.approx(expected.objective_)
    assert invoke("apply", "s.json", "t.npz", "--out", "o.npz", cwd=tmp_path).returncode == 0
    for name in ("w.npz", "o.npz"):
        with np.load(tmp_path / name) as written:
            assert "classes" not in written
            np.testing.assert_array_equal(written["y"], price)
    again = answer(tmp_path, "select", "w.npz", *asked[2:])
    assert again["objective"] == pytest.approx(found["objective"])
    np.savez(tmp_path / "t.npz", X=priced()[NUMBERS], y=frame()["kind"].to_numpy(dtype=str))
    assert set(answer(tmp_path, "select", "t.npz", "-k", 2)["classes"]) == set(frame()["kind"])


def test_apply_writes_numbers_to_npz(folder):
    answer(folder, "select", "p.csv", "-t", "price", "--task", "regression", "-k", 2, "--out", "s.json")
    gaps, large = [None, *range(89)], [None, *(2**53 + i for i in range(89))]
    for price, kept in ((gaps, [np.nan, *range(89)]), (list(range(90)), list(range(90))), (large, None)):
        new = priced().assign(price=pd.array(price, dtype="Int64"))
        new.to_parquet(folder / "new.parquet", index=False)
        done = invoke("apply", "s.json", "new.parquet", "--out", "o.npz", "--force", cwd=folder)
        assert done.returncode == 0
        with np.load(folder / "o.npz") as written:
            if kept is None:  # as texts, rather than rounded
                assert written["classes"][written["y"]].tolist() == ["", *map(str, large[1:])]
            else:
                np.testing.assert_array_equal(written["y"], kept)


def test_numbers_in_the_terminal_and_on_the_page(folder):
    done = invoke(
        *("select", "p.csv", "-t", "price", "--task", "regression", "-k", 3, "--report", "r.html"),
        *("--keep", "colour", "--exclude", "g5", "--adjust-for", "flag"),
        cwd=folder,
    )
    said = " ".join(done.stdout.split())
    assert "10 features in 8 columns; target 'price': numbers from" in said
    best = "Proven optimal among the allowed sets after adjustment: no other 3 columns score higher."
    assert best in said
    assert "Required: colour (3 features) Excluded: g5 Adjusted for: flag" in said
    assert "class" not in said
    page = (folder / "r.html").read_text(encoding="utf-8")
    claim, rest = best.split(": ")
    assert f'<p class="value">{claim}</p><p class="detail">{rest.capitalize()}</p>' in page
    assert "Selected features from low to high target" in page
    assert "lowest median" in page
    assert "lowest share" in page  # of a colour
    assert "<dt>R² alone</dt><dd>Squared correlation with the target, of the column by itself" in page
    for heading, value in (("Required", "colour (3 features)"), ("Excluded", "g5"), ("Adjusted for", "flag")):
        assert f"<dt>{heading}</dt><dd>{value}</dd>" in page
    assert "<dt>Selected together</dt><dd>colour (3 features)</dd>" in page
    assert "classes" not in page
    assert page.count("as they stand in the table, not adjusted") == 3  # fit, correlations, values
    assert "in the convex relaxation, 0 to 1; by itself it proves nothing." in page


def test_a_copy_of_a_number_is_remarked_on(tmp_path):
    table = priced().assign(euros=lambda t: 3 - t["price"] / 1.1)
    write_csv(tmp_path / "t.csv", table)
    found = answer(tmp_path, "select", "t.csv", "-t", "price", "--task", "regression", "-k", 2)
    assert "Column 'euros' determines the target (leakage)." in found["remarks"][0]
    found = answer(
        tmp_path, "select", "t.csv", "-t", "price", "--task", "regression", "-k", 2, "--drop", "euros"
    )
    assert "leakage" not in found["remarks"][0]


def test_apply_keeps_the_gaps_of_numbers(folder):
    answer(folder, "select", "p.csv", "-t", "price", "--task", "regression", "-k", 2, "--out", "s.json")
    priced().assign(price=lambda t: t["price"].where(t.index > 1)).to_csv(folder / "new.csv", index=False)
    assert invoke("apply", "s.json", "new.csv", "--out", "o.csv", "--strict", cwd=folder).returncode == 0
    assert pd.read_csv(folder / "o.csv")["price"].isna().sum() == 2
    priced().drop(columns="price").to_csv(folder / "new.csv", index=False)
    assert invoke("apply", "s.json", "new.csv", "--out", "p.tsv", cwd=folder).returncode == 0


CARRIED = {
    "texts": [f"dear {i}" for i in range(90)],
    "large": [2**53 + i for i in range(90)],
    "larger": [2**63 + i for i in range(90)],
    "whole": list(range(90)),
    "dates": pd.date_range("2020-01-01", periods=90).date.tolist(),
    "lists": [[i, i] for i in range(90)],
}


@pytest.mark.parametrize("kind", CARRIED)
def test_apply_carries_any_target_along(kind, folder):
    answer(folder, "select", "p.csv", "-t", "price", "--task", "regression", "-k", 2, "--out", "s.json")
    pd.DataFrame(priced().assign(price=CARRIED[kind])).to_parquet(folder / "new.parquet", index=False)
    for out in ("o.parquet", "o.csv", "o.npz"):
        done = invoke("apply", "s.json", "new.parquet", "--out", out, "--strict", cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
    assert list(map(str, parquet.read_table(folder / "o.parquet")["price"].to_pylist())) == list(
        map(str, CARRIED[kind])
    )
    assert pd.read_csv(folder / "o.csv", dtype=str)["price"].tolist() == list(map(str, CARRIED[kind]))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_numbers_that_would_be_rounded_are_refused(suffix, tmp_path):
    price = 2**53 + np.arange(90)
    if suffix == "npz":
        np.savez(tmp_path / "t.npz", X=priced()[NUMBERS], y=np.arange(90), classes=price)
    else:
        table = priced().assign(price=price)
        (table.to_csv if suffix == "csv" else table.to_parquet)(tmp_path / f"t.{suffix}", index=False)
    target = () if suffix == "npz" else ("-t", "price")
    said = refused(invoke("select", f"t.{suffix}", *target, "--task", "regression", cwd=tmp_path))
    assert "beyond 2^53, which" in said


def test_the_page_speaks_of_groups(folder):
    (folder / "g.json").write_text(json.dumps({"<b>one": ["g0", "g5"], "two": ["colour", "g1"]}))
    done = invoke(*SELECT, "-k", 2, "--groups", "g.json", "--report", "r.html", cwd=folder)
    said = " ".join(done.stdout.split())
    assert "10 features in 6 groups; target 'kind': 3 classes" in said
    assert "Proven optimal: no other 2 groups score higher." in said
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "Selected groups" in page
    assert "&lt;b&gt;one (2 features)" in page
    assert "<b>one" not in page
    assert "two (4 features)" in page
    assert "the best one by itself is shown" in page
    assert "not adjusted" not in page


@pytest.mark.parametrize(
    "arguments", [("-k", "auto"), ("-k", 3, "--gamma", "auto"), ("-k", "auto", "--task", "regression")]
)
def test_cross_validation_of_groups(arguments, folder):
    table = ("p.csv", "-t", "price") if "regression" in arguments else ("t.csv", "-t", "kind")
    more = ("--keep", "colour", "--exclude", "g5", "--adjust-for", "flag")
    found = answer(folder, "select", *table, *arguments, *more)
    assert {"colour=blue", "colour=green", "colour=red"} <= set(names(found))
    assert not {"g5", "flag"} & set(names(found))


LIST = {
    "columns": ("g0\ncolour\n", (), [0, 6, 7, 8]),
    "values": ("colour=red\ncolour=blue\ng0\ncolour=green\n", (), [0, 6, 7, 8]),
    "split": ("colour=red\ng0\n", ("--split-texts",), [0, 8]),
    "a group": ("one\ng3\n", ("--groups", "g.json"), [0, 3, 5]),
    "kept": ("g0\ncolour\n", ("--keep", "g0", "--exclude", "g1"), [0, 6, 7, 8]),
    "adjusted": ("g0\ncolour\n", ("--adjust-for", "flag"), [0, 6, 7, 8]),
    "weighed": ("g0\ncolour\n", ("--class-weight", "sqrt"), [0, 6, 7, 8]),
}


@pytest.mark.parametrize("case", LIST)
def test_certify(case, folder):
    text, options, columns = LIST[case]
    (folder / "list.txt").write_text(text)
    (folder / "g.json").write_text(json.dumps({"one": ["g0", "g5"]}))
    found = answer(folder, "certify", *SELECT[1:], "--features", "list.txt", *options)
    X, groups = encoded(frame())
    more = {"groups": groups}
    if case == "split":
        more = {}
    elif case == "a group":
        more = {"groups": ["one" if j in (0, 5) else group for j, group in enumerate(groups)]}
    more |= {"keep": [0], "exclude": [1]} if case == "kept" else {}
    more |= (
        {"adjust_for": [9]} if case == "adjusted" else {"class_weight": "sqrt"} if case == "weighed" else {}
    )
    expected = certify(X, frame()["kind"], columns, gamma=90.0, **more)
    assert found["objective"] == pytest.approx(expected.objective)
    assert found["upper_bound"] == pytest.approx(expected.upper_bound)
    assert found["n_features"] == 2
    assert found["what"] == {"split": "features", "a group": "groups"}.get(case, "columns")


def test_certify_of_what_was_selected(folder):
    for table, task in ((("t.csv", "-t", "kind"), ()), (("p.csv", "-t", "price"), ("--task", "regression"))):
        options = (*table, *task, "--gamma", 90, "--keep", "colour", "--adjust-for", "flag")
        chosen = answer(folder, "select", *options, "-k", 3, "--out", "s.json")
        assert [row["n_features"] for row in chosen["details"] if row["name"] == "colour"] == [3]
        found = answer(folder, "certify", *options, "--features", "s.json")
        assert found["objective"] == pytest.approx(chosen["objective"])
        assert found["n_features"] == 3
        said = " ".join(invoke("certify", *options, "--features", "s.json", cwd=folder).stdout.split())
        assert "Required: colour (3 features) Adjusted for: flag" in said
        assert "among the allowed sets after adjustment: no other 3 columns score higher." in said


@pytest.mark.parametrize("more", [(), ("--split-texts",), ("--split-texts", "--groups", "g.json")])
def test_certify_of_numbers_with_gaps(more, tmp_path):
    write_csv(tmp_path / "t.csv", holed())
    (tmp_path / "g.json").write_text(json.dumps({"one": ["g0", "g5"]}))
    options = (*SELECT[1:], "--impute", "indicator", *more)
    for k in (1, 3):  # the best alone is g1, with its mark or without
        chosen = answer(tmp_path, "select", *options, "-k", k, "--out", "s.json")
        assert ("g1=missing" in names(chosen)) == (not more)
        found = answer(tmp_path, "certify", *options, "--features", "s.json")
        assert found["objective"] == pytest.approx(chosen["objective"])
        assert found["n_features"] == k


def test_a_column_of_one_text_is_called_by_its_name(tmp_path):
    write_csv(tmp_path / "t.csv", frame()[["g0", "g1", "kind"]].assign(unit="cm"))
    done = invoke(*SELECT, "-k", 3, "--keep", "unit", "--report", "r.html", "--out", "s.json", cwd=tmp_path)
    assert "unit=cm" not in done.stdout
    assert "│ unit" in done.stdout
    assert '<span class="name" title="unit">unit</span>' in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "unit=cm" in names(json.loads((tmp_path / "s.json").read_text()))


def test_how_many_where_nobody_says(folder):
    done = invoke(*SELECT, "--json", cwd=folder)
    assert done.stderr == "fisherset: note: t.csv: without -k, 4 of 8 columns are selected (half).\n"
    done = invoke(*SELECT, "--json", "--exclude", "g4,g5", cwd=folder)
    assert done.stderr == "fisherset: note: t.csv: without -k, 3 of 6 columns are selected (half).\n"
    done = invoke(*SELECT, "--json", "--keep", "g0,g1,g2,g3,g4", cwd=folder)
    assert "5 of 8 columns are selected (all required ones)." in done.stderr


OLD = """{
 "format": "fisherset selection",
 "version": 1,
 "features": [
  {"name": "g1", "column": "g1", "kind": "number", "value": null, "fill": 0.25},
  {"name": "colour=red", "column": "colour", "kind": "value", "value": "red", "fill": null},
  {"name": "g0=missing", "column": "g0", "kind": "missing", "value": null, "fill": null}
 ],
 "target": "kind",
 "classes": ["high", "low", "middle"],
 "file": "t.csv",
 "n_rows": 90,
 "n_features_in": 10,
 "gamma": 90.0,
 "solver": "joint",
 "objective": 0.5,
 "upper_bound": 0.6,
 "gap": 0.16,
 "details": [],
 "categories": {"colour": ["blue", "green", "red"]},
 "gaps": [],
 "remarks": []
}
"""


def test_selections_of_before_there_were_groups(folder):
    (folder / "old.json").write_text(OLD)
    new = frame().assign(g1=lambda t: t["g1"].where(t.index > 2), g0=lambda t: t["g0"].where(t.index % 2 > 0))
    write_csv(folder / "new.csv", new)
    done = invoke("apply", "old.json", "new.csv", "--out", "o.csv", "--strict", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    out = pd.read_csv(folder / "o.csv")
    assert out.columns.tolist() == ["g1", "colour=red", "g0=missing", "kind"]
    assert out["g1"].tolist() == new["g1"].fillna(0.25).tolist()
    assert out["colour=red"].tolist() == (new["colour"] == "red").astype(float).tolist()
    assert out["g0=missing"].tolist() == new["g0"].isna().astype(float).tolist()
    assert out["kind"].tolist() == new["kind"].tolist()
    write_csv(folder / "new.csv", new.assign(colour="mauve"))
    assert "'mauve'" in refused(
        invoke("apply", "old.json", "new.csv", "--out", "q.csv", "--strict", cwd=folder)
    )


@pytest.mark.parametrize(
    "change", [{"task": "magic"}, {"groups": [1]}, {"groups": {"a": "b"}}, {"kept": "a"}, {"excluded": [1]}]
)
def test_damaged_answers_are_refused(change, folder):
    (folder / "bad.json").write_text(json.dumps(json.loads(OLD) | change))
    assert "is not a selection written by fisherset" in refused(
        invoke("apply", "bad.json", "t.csv", "--out", "o.csv", cwd=folder)
    )


def test_the_certificate_is_about_what_may_be_chosen(tmp_path):
    """In the terminal and on the page, not about all sets."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    path, page = tmp_path / "t.csv", tmp_path / "r.html"
    pd.DataFrame({**{f"c{j}": rng.normal(size=60) + y * (j < 2) for j in range(5)}, "y": y}).to_csv(
        path, index=False
    )
    said = invoke("select", path, "-t", "y", "-k", "2", "--keep", "c4", "--report", page).stdout
    assert "Proven optimal among the allowed sets: no other 2 columns score higher." in " ".join(said.split())
    text = page.read_text(encoding="utf-8")
    assert '<p class="value">Proven optimal among the allowed sets</p>' in text
    said = invoke("select", path, "-t", "y", "-k", "2", "--adjust-for", "c0").stdout
    assert "among the allowed sets after adjustment: no other 2 columns score higher." in " ".join(
        said.split()
    )


def test_two_texts_count_as_much_as_a_truth_value(tmp_path):
    better = frame()["kind"] == "low"
    noise = np.random.default_rng(0).permutation(90) < 9
    table = frame()[["g4", "g5", "kind"]].assign(better=better, worse=np.where(better ^ noise, "yes", "no"))
    write_csv(tmp_path / "t.csv", table)
    assert names(answer(tmp_path, *SELECT, "-k", 1)) == ["better"]
    found = answer(tmp_path, *SELECT, "-k", 1, "--keep", "worse", "--out", "s.json")
    feature = {"name": "worse=yes", "column": "worse", "kind": "value", "value": "yes"}
    assert found["features"] == [{**feature, "fill": None, "other": "no", "unit": None}]
    assert found["categories"] == {"worse": ["no", "yes"]}
    for listed in ("worse", "worse=yes", "worse=no", "worse=no\nworse=yes"):  # both, as it was before
        (tmp_path / "list.txt").write_text(listed)
        graded = answer(tmp_path, "certify", *SELECT[1:], "--features", "list.txt")
        assert graded["objective"] == pytest.approx(found["objective"])
    assert "is one value of 'worse'" in refused(invoke(*SELECT, "--keep", "worse=no", cwd=tmp_path))
    done = invoke("apply", "s.json", "t.csv", "--out", "o.csv", "--strict", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert pd.read_csv(tmp_path / "o.csv")["worse=yes"].tolist() == (table["worse"] == "yes").tolist()
    write_csv(tmp_path / "new.csv", table.assign(worse="perhaps"))
    done = invoke("apply", "s.json", "new.csv", "--out", "p.csv", "--strict", cwd=tmp_path)
    assert "'perhaps'" in refused(done)
