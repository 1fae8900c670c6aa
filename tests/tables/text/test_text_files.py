"""A file of text is the same table whatever blocks it is read in, and whatever its first rows look like."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from fisherset.tables import Layout
from fisherset.tables.columns.table import read_content
from fisherset.tables.streams.readers import reader_of
from fisherset.tables.streams.sources import table_file
from fisherset.tables.text import reader as text_files

ROWS = 60
LONG = str(2**53 + 1)


def column(early, late="1", at=50):
    return [early] * at + [late] * (ROWS - at)


def lines(*columns, names=None, delimiter=",", end="\n"):
    head = names or [f"c{j}" for j in range(len(columns))]
    return end.join(delimiter.join(row) for row in [head, *zip(*columns, strict=True)]) + end


LABEL, DECIMAL = column("a", "b"), column("0.5", "-1.25e3")
FILES = {
    "decimals throughout": lines(DECIMAL, DECIMAL, LABEL),
    "whole numbers throughout": lines(column("3"), DECIMAL, LABEL),
    "whole numbers, then decimals": lines(column("3", "0.5"), DECIMAL, LABEL),
    "decimals, then whole numbers": lines(column("0.5", "3"), DECIMAL, LABEL),
    "decimals, then a long number": lines(column("0.5", LONG), DECIMAL, LABEL),
    "a long number": lines(column("3", LONG), DECIMAL, LABEL),
    "decimals, then texts": lines(column("0.5", "oops"), DECIMAL, LABEL),
    "decimals, then a question mark": lines(column("0.5", "?", at=59), DECIMAL, LABEL),
    "decimals, then gaps": lines(column("0.5", ""), DECIMAL, LABEL),
    "decimals, then NA and inf": lines(column("0.5", "NA"), column("0.5", "inf"), LABEL),
    "gaps, then decimals": lines(column("", "0.5"), DECIMAL, LABEL),
    "gaps throughout": lines(column("", ""), DECIMAL, LABEL),
    "yes and no": lines(column("true", "false"), column("1", "true"), column("0.5", "true")),
    "dates, times and versions": lines(column("2020-01-01"), column("12:30"), column("1.2.3", "1.2")),
    "dates, then decimals": lines(column("2020-01-01 10:00:00", "0.5"), column("20200101", "0.5"), LABEL),
    "round decimals": lines(column("1.0", "2.0"), column("1.", "2."), column(".5", "+.5")),
    "quoted numbers": lines(column('"0.5"', '"1.5"'), column('"3"'), LABEL),
    "quotations with all signs in them": lines(DECIMAL, column('"a\n1.5,2"', '"b ""c"", d"'), LABEL),
    "quotes inside cells": lines(DECIMAL, column('a"b', 'a"b"'), LABEL),
    "names with delimiters": lines(DECIMAL, LABEL, names=['"a,b"', '"c ""d"""']),
    "other ends of lines": lines(DECIMAL, LABEL, end="\r\n"),
    "old ends of lines": lines(DECIMAL, LABEL, end="\r"),
    "empty lines": lines(DECIMAL, LABEL).replace("\n", "\n\n"),
    "a mark of byte order": "\ufeff" + lines(DECIMAL, LABEL),
    "no end of the last line": lines(DECIMAL, LABEL).rstrip("\n"),
    "a row": "a,b\n0.5,x\n",
    "rows longer than blocks": lines(column("0.5" + "0" * 3000), DECIMAL, LABEL),
    "a late row longer than a block": lines(DECIMAL, column("a", "b" * 9000), LABEL),
    "rows of different lengths": lines(DECIMAL, LABEL) + "0.5\n",
    "a late row of another length": lines(DECIMAL, LABEL) + "0.5,a,b\n",
}  # fmt: skip


def at_once(path):
    """The table as pyarrow makes it of one block, when nobody tells it of any kind."""
    options = csv.ReadOptions(block_size=2**20, use_threads=False)
    parsing = csv.ParseOptions(newlines_in_values=True)
    return csv.read_csv(path, options, parsing, csv.ConvertOptions(strings_can_be_null=True))


def read(path):
    """The table as the reader of text makes it of blocks."""
    reader = reader_of(table_file(path), Layout(separator=",", decimal="."))
    return reader.table(())


@pytest.fixture(params=[False, True], ids=["one thread", "threads"])
def small(request, monkeypatch):
    """Blocks of a row or two, and kinds from as many."""
    monkeypatch.setattr(text_files, "BLOCK", 1024)
    monkeypatch.setattr(text_files, "BLOCK_ROWS", 1)
    monkeypatch.setattr(text_files, "LOOK", 40)
    monkeypatch.setattr(text_files, "FEW_CORES", 0 if request.param else 10**6)


@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize("repeated", [1, 40])
def test_blocks_make_no_difference(case, repeated, small, tmp_path):
    head, _, rows = FILES[case].partition("\r" if "\r" in FILES[case] else "\n")
    end = FILES[case][len(head)]
    text = head + end + (rows + ("" if rows.endswith(end) else end)) * (repeated - 1) + rows
    (tmp_path / "t.csv").write_text(text, encoding="utf-8", newline="")
    if "of different lengths" in case or "of another length" in case:
        with pytest.raises(pa.ArrowInvalid, match=r"Expected \d columns, got \d"):
            at_once(tmp_path / "t.csv")
        with pytest.raises(
            ValueError, match=r"Line 62 of t\.csv has [13] cells?, the header 2. Is the file trunc"
        ):
            read(tmp_path / "t.csv")
        return
    expected = at_once(tmp_path / "t.csv")
    found = read(tmp_path / "t.csv")
    assert found.schema == expected.schema
    for one, other in zip(found.columns, expected.columns, strict=True):
        assert one.combine_chunks().to_pylist() == other.combine_chunks().to_pylist()


def test_what_is_told_is_what_has_decimals(monkeypatch, tmp_path):
    """So that no column is tried as eight kinds, and no text is kept until the last row."""
    told = []
    monkeypatch.setattr(csv, "ConvertOptions", lambda **given: told.append(given) or csv_options(**given))
    columns = DECIMAL, column("3", "0.5"), LABEL, column("0.5", "x"), column("", "0.5")
    (tmp_path / "t.csv").write_text(lines(*columns))
    frame = read_content(tmp_path / "t.csv", strings=["c2"])
    decimals = {name: pa.float64() for name in ("c0", "c1", "c3", "c4")}
    assert [given["column_types"] for given in told] == [
        {**decimals, "c2": pa.string(), "": pa.string()},
        {"c2": pa.string(), "": pa.string()},  # as there is an x in c3
    ]
    assert [str(field.type) for field in frame.table.schema] == ["double"] * 2 + ["string"] * 2 + ["double"]


csv_options = csv.ConvertOptions


def test_columns_named_alike_are_refused_whatever_they_hold(tmp_path):
    (tmp_path / "t.csv").write_text("a,a\n0.5,x\n")
    with pytest.raises(ValueError, match="columns of the same name: 'a'"):
        read_content(tmp_path / "t.csv")


def test_many_columns_and_rows_of_megabytes(monkeypatch, tmp_path):
    monkeypatch.setattr(text_files, "LOOK", 1000)
    X = np.random.default_rng(0).normal(size=(5, 2000))
    np.savetxt(
        tmp_path / "t.csv", X, "%.17g", ",", header=",".join(f"x{j}" for j in range(2000)), comments=""
    )
    found = read_content(tmp_path / "t.csv").table
    assert all(kind == pa.float64() for kind in found.schema.types)
    assert np.column_stack(found.columns).tolist() == X.tolist()
