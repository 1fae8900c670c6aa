"""Written tables read back unchanged, whatever their names, labels and identifiers are."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fisherset.tables import Identifiers, Layout, read_table, write_table

SUFFIXES = ["csv", "tsv", "tab", "parquet", "feather", "csv.gz", "tsv.zst"]
AWKWARD = ["+", "-", "-S0", "=1+1", "@x", "\tx", "'a", "a,b", 'c"d', "a\nb", "a\r\nb", " a", "#x", "007", "é"]
X = np.arange(24.0).reshape(12, 2) ** 2 + 0.5


def written_and_read(path, texts):
    """The table read back, whose names, labels and identifiers begin with these strings."""
    name, label, ident = texts
    ids = Identifiers(f"{name}sample", [f"{ident}{row}x" for row in range(12)])
    y = np.array([f"{label}", f"{label}b"] * 6, dtype=object)
    names = [f"{name}a", f"{name}b"]
    write_table(path, X, names, target=f"{name}y", y=y, ids=ids)
    found = read_table(path, f"{name}y", layout=Layout(identifier=ids.name))
    assert found.names == names
    assert found.y.tolist() == y.tolist()
    assert found.ids == ids
    np.testing.assert_array_equal(found.X, X)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_strings_read_back(text, suffix, tmp_path):
    written_and_read(tmp_path / f"t.{suffix}", [text] * 3)


# Not of one kind only: labels that all spell numbers are numbers in a text, and "NA" is a missing value.
STRINGS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=6).map(lambda text: f"{text}z")
STARTS = st.sampled_from(["", "=", "+", "-", "@", "'", '"', ",", ";", "\t", "#", " "])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.tuples(*[st.tuples(STARTS, STRINGS).map("".join)] * 3),
    suffix=st.sampled_from(["csv", "tsv", "parquet"]),
)
def test_any_strings_read_back(texts, suffix, tmp_path):
    written_and_read(tmp_path / f"t.{suffix}", texts)


def test_the_guard_of_spreadsheets_is_an_option(tmp_path):
    y, ids = np.array(["=a", "b"]), Identifiers("-id", ["+1", "s"])
    for suffix in ("csv", "csv.gz"):
        path = tmp_path / f"t.{suffix}"
        write_table(path, X[:2], ["@a", "b"], target="y", y=y, ids=ids, spreadsheet_safe=True)
        assert pd.read_csv(path).iloc[0].tolist() == ["'+1", 0.5, 1.5, "'=a"]
        assert pd.read_csv(path).columns.tolist() == ["'-id", "'@a", "b", "y"]
    path = tmp_path / "t.parquet"  # which has no formulas
    write_table(path, X[:2], ["@a", "b"], target="y", y=y, ids=ids, spreadsheet_safe=True)
    assert pd.read_parquet(path).columns.tolist() == ["-id", "@a", "b", "y"]


def test_compressed_text_is_the_same_text(tmp_path):
    for suffix in ("csv", "csv.gz"):
        write_table(tmp_path / f"t.{suffix}", X, ["a", "b"])
    packed = (tmp_path / "t.csv.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "t.csv").read_bytes()
    write_table(tmp_path / "t.csv.gz", X, ["a", "b"])
    assert (tmp_path / "t.csv.gz").read_bytes() == packed  # no time in it


@pytest.mark.parametrize("label", ["NA", "null", ""])
def test_labels_that_text_cannot_hold_are_named(label, tmp_path):
    y = np.array([label, "b"], dtype=object)
    with pytest.warns(UserWarning, match=rf"The value '{label}' is read as missing from a text file\. Write"):
        write_table(tmp_path / "t.csv", X[:2], ["a", "b"], target="y", y=y)
    write_table(tmp_path / "t.parquet", X[:2], ["a", "b"], target="y", y=y)
    assert read_table(tmp_path / "t.parquet", "y").y.tolist() == [label, "b"]


@pytest.mark.parametrize("name", ["t.xlsx", "t.parquet.gz", "t.gz", "csv"])
def test_other_suffixes_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="unsupported file type"):
        write_table(tmp_path / name, X, ["a", "b"])
    assert not list(Path(tmp_path).iterdir())
