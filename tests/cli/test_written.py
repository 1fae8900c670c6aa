"""Written tables are read again by the commands that wrote them; for spreadsheets there is an option."""

import csv
import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from tests.support.command_line import invoke, refused


@pytest.fixture
def signs(tmp_path):
    """A table whose labels, identifiers and columns begin as formulas do."""
    rng = np.random.default_rng(0)
    y = np.array(["+", "-"] * 15)
    X = rng.normal(size=(30, 3)) + (y == "+")[:, None]
    frame = pd.DataFrame(X, columns=["-a", "=b", "c"])
    frame.insert(0, "@id", [f"-S{i}" for i in range(30)])
    frame.assign(sign=y).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path


def cells(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "csv.gz", "csv.zst"])
def test_apply_takes_what_select_wrote(signs, suffix):
    select = ["select", "t.csv", "-t", "sign", "-k", "3", "--id", "@id", "--out", "s.json"]
    done = invoke(*select, "--write", f"r.{suffix}", cwd=signs)
    assert done.returncode == 0, done.stderr
    done = invoke("apply", "s.json", f"r.{suffix}", "--out", "again.csv", "--strict", cwd=signs)
    assert (done.returncode, done.stderr) == (0, "")
    again, first = pd.read_csv(signs / "again.csv"), pd.read_csv(signs / "t.csv")
    pd.testing.assert_frame_equal(again[first.columns], first)


def test_spreadsheets_have_an_option(signs):
    guarded = ["-t", "sign", "-k", "3", "--id", "@id", "--spreadsheet-safe"]
    done = invoke("select", "t.csv", *guarded, "--write", "r.csv", "--out", "s.json", cwd=signs)
    assert done.returncode == 0, done.stderr
    rows = cells((signs / "r.csv").read_text())
    assert {"'@id", "'-a", "'=b"} <= set(rows[0])
    assert (rows[1][0], rows[1][-1]) == ("'-S0", "'+")
    done = invoke("apply", "s.json", "t.csv", "--out", "a.csv", "--spreadsheet-safe", cwd=signs)
    assert cells((signs / "a.csv").read_text())[1][-1] == "'+"
    for more, first in (([], "-a"), (["--spreadsheet-safe"], "'-a")):
        done = invoke("select", "t.csv", *guarded[:-1], *more, "--format", "csv", cwd=signs)
        assert first in [row[1] for row in cells(done.stdout)]


def test_the_selection_can_be_printed(signs):
    options = "t.csv", "-t", "sign", "-k", "2", "--id", "@id"
    done = invoke("select", *options, "--out", "-", cwd=signs)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["format"] == "fisherset selection"
    (signs / "s.json").write_text(done.stdout)
    assert invoke("apply", "s.json", "t.csv", "--out", "a.csv", cwd=signs).returncode == 0
    said = refused(invoke("select", *options, "--out", "-", "--format", "names", cwd=signs))
    assert "--format names" in said
    assert not (signs / "-").exists()


def test_the_reduced_table_can_be_printed(signs):
    invoke("select", "t.csv", "-t", "sign", "-k", "2", "--id", "@id", "--out", "s.json", cwd=signs)
    invoke("apply", "s.json", "t.csv", "--out", "a.csv.gz", cwd=signs)
    done = invoke("apply", "s.json", "t.csv", "--out", "-", cwd=signs)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == gzip.decompress((signs / "a.csv.gz").read_bytes()).decode()
    assert not (signs / "-").exists()
