"""The Python lines of a page, run, give the selection of the page."""

import html
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

from support.command_line import invoke

ASKED = {
    "plain": ("-t", "kind", "-k", 3, "--drop", "region"),
    "texts": ("-t", "kind", "-k", 3),
    "texts apart": ("-t", "kind", "-k", 3, "--split-texts"),
    "gamma": ("-t", "kind", "-k", 4, "--gamma", 7.5, "--class-weight", "balanced"),
    "auto": ("-t", "kind", "-k", "auto"),
    "limits": ("-t", "kind", "-k", 3, "--keep", "it's", "--exclude", "a_1,region"),
    "adjusted": ("-t", "kind", "-k", 2, "--adjust-for", "region"),
    "prefixes": ("-t", "kind", "-k", 2, "--groups", "prefix"),
    "groups": ("-t", "kind", "-k", 2, "--groups", "groups.json", "--keep", "both"),
    "numbers": ("-t", "a_1", "-k", 3, "--task", "regression", "--drop", "kind"),
    "gaps": ("-t", "kind", "-k", 3, "--impute", "indicator"),
    "exact": ("-t", "kind", "-k", 3, "--solver", "exact"),
    "identifier": ("-t", "kind", "-k", 3, "--id", "who's"),
    "labels": ("-t", "kind", "-k", 3, "--labels", "labels.csv", "--on", "who's"),
    "layout": ("-t", "kind", "-k", 3, "--sep", ";", "--decimal", ",", "--na", "?", "--impute", "median"),
    "transposed": ("-t", "kind", "-k", 3, "--transpose", "--labels", "labels.csv"),
    "folder": ("-t", "kind", "-k", 3),
    "pattern": ("-t", "kind", "-k", 3, "--drop", "region"),
}
# of these tables; of the others t.csv
FILES = {
    "gaps": "gaps.csv",
    "identifier": "named.csv",
    "labels": "unlabelled.csv",
    "layout": "odd.txt",
    "transposed": "across.csv",
    "folder": "parts",
    "pattern": "parts/*.parquet",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("python")
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    table = pd.DataFrame(rng.normal(size=(120, 6)) + rng.normal(size=(3, 6))[y])
    table.columns = ["a_1", "a_2", "b_1", "b_2", "it's", 'q"']
    table["region"] = np.array(["n", "s", "o"])[(y + (rng.random(120) < 0.4)) % 3]
    table["kind"] = np.array(["x", "y", "z"])[y]
    table.to_csv(folder / "t.csv", index=False)
    table.loc[::7, "a_2"] = np.nan
    table.to_csv(folder / "gaps.csv", index=False)
    who = pd.Series([f"p{row:03}" for row in range(120)], name="who's")
    table.to_csv(folder / "odd.txt", index=False, sep=";", decimal=",", na_rep="?")
    table = table.drop(columns="a_2")
    table.assign(**{"who's": who}).to_csv(folder / "named.csv", index=False)
    pd.concat([who, table["kind"]], axis=1).sample(frac=1, random_state=0).to_csv(
        folder / "labels.csv", index=False
    )
    bare = table.drop(columns="kind").set_index(who)
    bare.to_csv(folder / "unlabelled.csv")
    bare.drop(columns="region").T.rename_axis("feature").to_csv(folder / "across.csv")
    (folder / "parts").mkdir()
    for part in range(3):
        table[part * 40 : part * 40 + 40].to_parquet(folder / "parts" / f"{part}.parquet")
    (folder / "groups.json").write_text(json.dumps({"both": ["a_1", "region"]}))
    return folder


@pytest.mark.parametrize("case", ASKED)
def test_the_lines_select_what_the_command_did(folder, case, monkeypatch, capsys):
    file = FILES.get(case, "t.csv")
    outputs = ("--out", "s.json", "--report", "r.html", "--force")
    done = invoke("select", file, *ASKED[case], *outputs, cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "r.html").read_text(encoding="utf-8")
    lines = html.unescape(re.search(r'<pre id="python".*?<code>(.*?)</code>', page, re.DOTALL)[1])
    monkeypatch.chdir(folder)
    capsys.readouterr()
    exec(compile(lines, "page", "exec"), {})
    features = json.loads((folder / "s.json").read_text(encoding="utf-8"))["features"]
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(feature["name"] for feature in features)
    said = html.unescape(re.search(r'<pre id="command".*?<code>(.*?)</code>', page, re.DOTALL)[1])
    assert said.startswith(f"fisherset select {shlex.quote(file)} ")
    assert ("Filled in" in page) == (case in ("gaps", "layout"))


def test_the_lines_find_the_sets_that_alternatives_did(folder, monkeypatch, capsys):
    asked = ("-t", "kind", "-k", 2, "--within", 0.2, "--id", "who's", "--drop", "region", "--json")
    done = invoke("alternatives", "named.csv", *asked, "--report", "a.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "fisherset alternatives named.csv" in page
    assert "SHA-256" in page
    lines = html.unescape(re.search(r'<pre id="python".*?<code>(.*?)</code>', page, re.DOTALL)[1])
    assert lines.endswith("))\n")
    monkeypatch.chdir(folder)
    known = {}
    exec(compile(lines.replace("print(", "found = ("), "page", "exec"), known)
    names = [[known["table"].names[j] for j in one] for one in known["found"].sets]
    assert names == json.loads(done.stdout)["sets"]


def test_a_comparison_promises_no_lines(folder):
    asked = ("compare", "t.csv", "-t", "kind", "-k", 2, "--methods", "fisher,joint", "--repeats", 2)
    assert invoke(*asked, "--report", "c.html", cwd=folder).returncode == 0
    page = (folder / "c.html").read_text(encoding="utf-8")
    assert "fisherset compare t.csv" in page
    assert 'id="python"' not in page
    assert page.index('id="comparison"') < page.index('id="selected"')
    assert "2 methods compared on t.csv" in page
