"""Columns named by patterns and in files: --keep, --exclude, --adjust-for and --drop."""

import json

import pandas as pd
import pytest

from fisherset.tables import read_selection
from support.command_line import invoke
from support.table_files import frame, write_csv

SELECT = ("select", "t.csv", "-t", "kind", "-k", 2)


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "t.csv", frame())
    return tmp_path


def selection(folder, *given):
    done = invoke(*SELECT, "--out", "s.json", "--force", *given, cwd=folder)
    assert done.returncode == 0, done.stderr
    return read_selection(folder / "s.json")


@pytest.mark.parametrize(
    ("given", "excluded"),
    [
        ("g*", ["g0", "g1", "g2", "g3", "g4", "g5"]),
        ("g[0-3]", ["g0", "g1", "g2", "g3"]),
        ("g[0-1],colo?r", ["g0", "g1", "colour"]),
    ],
)
def test_patterns(folder, given, excluded):
    assert selection(folder, "--exclude", given).excluded == excluded
    assert selection(folder, "--drop", given).dropped == excluded
    assert selection(folder, "--adjust-for", given, "--keep", "flag").adjusted_for == excluded


def test_keep_by_pattern_is_required_and_counted(folder):
    assert selection(folder, "--keep", "g[34]").kept == ["g3", "g4"]
    done = invoke(*SELECT, "--keep", "g*", cwd=folder)
    assert done.returncode == 2
    assert "--keep names 6 columns, but -k is 2" in done.stderr


def test_a_name_goes_before_a_pattern_and_a_file(folder):
    table = frame().rename(columns={"g0": "g[1]", "g2": "@names.txt"})
    write_csv(folder / "t.csv", table)
    (folder / "names.txt").write_text("g3\n")
    assert selection(folder, "--exclude", "g[1]").excluded == ["g[1]"]
    assert selection(folder, "--exclude", "@names.txt").excluded == ["@names.txt"]
    assert selection(folder, "--drop", "@names.txt").dropped == ["@names.txt"]


def test_a_pattern_never_drops_the_target(folder):
    assert selection(folder, "--drop", "[cfk]*").dropped == ["colour", "flag"]


@pytest.mark.parametrize("option", ["--keep", "--exclude", "--adjust-for", "--drop"])
def test_what_an_earlier_command_printed_or_wrote(folder, option):
    names = invoke(*SELECT, "--format", "names", cwd=folder).stdout
    (folder / "names.txt").write_text(names)
    expected = names.split()
    selection(folder)
    (folder / "s.json").rename(folder / "earlier.json")
    fields = {"--keep": "kept", "--exclude": "excluded", "--adjust-for": "adjusted_for", "--drop": "dropped"}
    for file in ("@names.txt", "@earlier.json"):
        found = getattr(selection(folder, option, file), fields[option])
        assert sorted(found) == sorted(expected)


def test_columns_of_strings_and_their_values(folder):
    assert selection(folder, "--keep", "col*").kept == ["colour"]
    done = invoke(*SELECT, "--keep", "colour=*", cwd=folder)
    assert done.returncode == 2
    assert "--split-texts" in done.stderr
    split = selection(folder, "--exclude", "colour=*", "--split-texts").excluded
    assert split == sorted({f"colour={value}" for value in frame()["colour"]})


def test_groups_by_pattern(folder):
    (folder / "groups.json").write_text(json.dumps({"first": ["g0", "g1"], "second": ["g2", "g3"]}))
    assert selection(folder, "--groups", "groups.json", "--keep", "fir*").kept == ["first"]


def test_by_batches(folder):
    (folder / "parts").mkdir()
    table = frame()
    write_csv(folder / "parts" / "0.csv", table.iloc[:45])
    write_csv(folder / "parts" / "1.csv", table.iloc[45:])
    (folder / "names.txt").write_text("g0\nco*\n")
    given = ("select", "parts", "-t", "kind", "-k", 2, "--out", "s.json")
    done = invoke(*given, "--drop", "@names.txt", "--exclude", "g[34]", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = read_selection(folder / "s.json")
    assert (found.dropped, found.excluded) == (["g0", "colour"], ["g3", "g4"])


def test_a_file_of_names_is_not_overwritten(folder):
    earlier = selection(folder).as_json()
    done = invoke(*SELECT, "--keep", "@s.json", "--out", "s.json", "--force", cwd=folder)
    assert done.returncode == 2
    assert "is the input" in done.stderr
    done = invoke(*SELECT, "--drop", "@s.json", "--out", "s.json", "--force", cwd=folder)
    assert done.returncode == 2
    assert json.loads((folder / "s.json").read_text()) == json.loads(earlier)


def test_python_lines_of_a_page_name_the_columns(folder):
    selection(folder, "--drop", "g[01]", "--exclude", "g[23]", "--report", "r.html")
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "drop=[&#39;g0&#39;, &#39;g1&#39;]" in page
    assert "exclude=columns(&#39;g2&#39;, &#39;g3&#39;)" in page


def test_required_features_are_never_called_essential(folder):
    """--keep is a request, not a proof: in the terminal, CSV, JSON, the file and the page."""
    done = invoke(*SELECT, "--keep", "g4,g5", "--out", "s.json", "--report", "r.html", cwd=folder)
    assert "g4 (required)" in done.stdout
    assert "*" not in done.stdout
    assert "essential" not in done.stdout
    found = read_selection(folder / "s.json")
    assert [(row["required"], row["in_every"]) for row in found.details] == [(True, False)] * 2
    assert found.proven["in_every"] == 0
    printed = json.loads(invoke(*SELECT, "--keep", "g4,g5", "--json", cwd=folder).stdout)
    assert [row["in_every"] for row in printed["details"]] == [False, False]
    (folder / "o.csv").write_text(invoke(*SELECT, "--keep", "g4,g5", "--format", "csv", cwd=folder).stdout)
    rows = pd.read_csv(folder / "o.csv")
    assert rows["required"].all()
    assert not rows["in_every"].any()
    sets = invoke("alternatives", "t.csv", "-t", "kind", "-k", 3, "--keep", "g4,g5", cwd=folder).stdout
    assert sets.count("required") >= 2
    page = (folder / "r.html").read_text(encoding="utf-8").partition("<script")[0]
    assert "essential:" not in page


def test_required_features_are_in_all_near_best_sets_by_request(folder):
    given = ("alternatives", "t.csv", "-t", "kind", "-k", 3)
    told = " ".join(invoke(*given, "--keep", "g4,g5", "--within", 0.5, cwd=folder).stdout.split())
    assert "No other column is in all of them." in told
    told = " ".join(invoke(*given, "--keep", "g5", "--within", 0.4, cwd=folder).stdout.split())
    assert "In all of them, besides the required: g1." in told


def test_others_beside_required_features_may_be_essential(folder):
    done = invoke("select", "t.csv", "-t", "kind", "-k", 3, "--keep", "g5", "--solver", "exact", cwd=folder)
    words = " ".join(done.stdout.split())
    assert "g5 (required)" in words
    assert "g1 *" in words
    assert "Proof: of the other 7 columns, 2 are essential" in words
