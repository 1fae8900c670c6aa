"""Columns of texts and of gaps in scanned tables, against the same table read and encoded whole."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse

from fisherset.tables import memory, read_table, scan
from fisherset.tables.columns import encoding
from support.scan_files import together


def mixed(n=400, holes=False):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(3),
            "colour": np.array(["red", "green", "blue"])[rng.integers(0, 3, n)],
            "b": rng.integers(0, 9, n).astype(float),
            "two": np.array(["no", "yes"])[rng.integers(0, 2, n)],
            "y": np.array(["u", "v"])[rng.integers(0, 2, n)],
        }
    )
    if holes:
        table.loc[[5, 300], "a"] = np.nan
        table.loc[[399], "b"] = np.nan
        table.loc[[7, 8], "colour"] = None
    return table


def written(path, table):
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=90)
    else:
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        texts = [name for name in ("colour", "two") if name in table]
        for name in texts:  # categories, each batch with those of all
            place = arrow.column_names.index(name)
            arrow = arrow.set_column(place, name, arrow.column(name).dictionary_encode())
        feather.write_feather(arrow, path, chunksize=90)
    return path


def assert_same(found, whole):
    X, y, _ = together(found)
    assert found.features == whole.features
    assert found.names == whole.names
    expected = whole.X.toarray() if sparse.issparse(whole.X) else whole.X
    np.testing.assert_array_equal(X, expected)
    np.testing.assert_array_equal(y, whole.y)


@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("batch_rows", [7, None])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_texts_are_encoded_as_in_the_whole_table(suffix, batch_rows, split, tmp_path):
    path = written(tmp_path / f"t.{suffix}", mixed())
    found = scan(path, "y", batch_rows=batch_rows, split_texts=split)
    assert_same(found, read_table(path, "y", split=split))
    assert found.n_rows == 400
    assert found.groups == ["a", "colour", "colour", "colour", "b"] + ["two"] * (1 + split)


@pytest.mark.parametrize("impute", ["median", "indicator"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_gaps_are_filled_as_in_the_whole_table(suffix, impute, tmp_path):
    path = written(tmp_path / f"t.{suffix}", mixed(holes=True))
    assert_same(scan(path, "y", impute=impute, batch_rows=64), read_table(path, "y", impute=impute))


def test_texts_of_several_files_are_taken_together(tmp_path):
    table = mixed()
    parts = [table[table["colour"] == "red"], table[table["colour"] != "red"]]
    paths = [written(tmp_path / f"{j}.parquet", part) for j, part in enumerate(parts)]
    assert_same(scan(paths, "y"), read_table(written(tmp_path / "whole.parquet", pd.concat(parts)), "y"))


def test_the_indicators_of_many_texts_stay_sparse(tmp_path):
    codes = np.random.default_rng(0).integers(0, 200, 3000)
    table = pd.DataFrame({"a": codes % 3, "code": [f"c{j:03}" for j in codes], "y": codes % 2})
    path = written(tmp_path / "t.parquet", table)
    found = scan(path, "y", batch_rows=500)
    blocks = list(found.blocks())
    assert {block.X.format for block in blocks} == {"csr"}
    whole = read_table(path, "y")
    assert (sparse.vstack([block.X for block in blocks]) != whole.X).nnz == 0


def test_sparse_and_dense_blocks_are_the_same(tmp_path, monkeypatch):
    path = written(tmp_path / "t.csv", mixed())
    found = []
    for share in (0.0, 1.1):
        monkeypatch.setattr(encoding, "SPARSE", share)
        table = scan(path, "y", batch_rows=33)
        assert sparse.issparse(table.head().X) == bool(share)
        found.append(together(table)[0])
    np.testing.assert_array_equal(*found)


def test_a_missing_text_is_refused_with_its_row(tmp_path):
    path = written(tmp_path / "t.csv", mixed(holes=True))
    with pytest.raises(ValueError, match=r"'colour' has missing values. Pass .*'colour' in t\.csv, row 8"):
        scan(path, "y")


REFUSED = {
    "identifiers": (
        [f"id{j}" for j in range(400)],
        "Column 'odd' looks like an identifier .* Pass Layout.identifier='odd'. or drop=.'odd'..",
    ),
    "numbers": (["1", "2"] * 200, "Column 'odd' holds numbers stored as text. Convert it, or use drop"),
    "dates": (pd.date_range("2020-01-01", periods=400), "Column 'odd' holds dates or times"),
    "lists": ([[1]] * 400, "Column 'odd' holds neither numbers nor strings"),
    "nothing": ([None] * 400, "Column 'odd' is empty. Use drop"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_columns_of_which_no_numbers_are_made(case, tmp_path):
    values, message = REFUSED[case]
    written(tmp_path / "t.parquet", mixed().assign(odd=values))
    with pytest.raises(ValueError, match=message):
        scan(tmp_path / "t.parquet", "y")
    assert "odd" not in scan(tmp_path / "t.parquet", "y", drop=["odd"]).names


def test_a_text_among_numbers_is_refused_with_its_place(tmp_path):
    for suffix, place, remedy in (
        ("parquet", "row 301", "convert it"),
        ("csv", "line 302", "mark it as missing with"),
    ):
        path = written(tmp_path / f"t.{suffix}", mixed().assign(odd=["1"] * 300 + ["x"] * 100))
        message = (
            rf"Column 'odd' of t\.{suffix} holds 'x', first in {place}, a number everywhere else: {remedy}"
        )
        with pytest.raises(ValueError, match=message):
            scan(path, "y")


def test_medians_need_room(tmp_path, monkeypatch):
    path = written(tmp_path / "t.parquet", mixed(holes=True))
    monkeypatch.setattr(memory, "free_memory", lambda: 1e4)
    with pytest.raises(ValueError, match=r'for the medians of 2 columns; .* fit with missing="mean"'):
        scan(path, "y", impute="median")


def test_two_features_of_one_name_are_refused(tmp_path):
    path = written(tmp_path / "t.parquet", mixed().assign(**{"two=no": 1.0}))
    with pytest.raises(ValueError, match="the same name: 'two=no'"):
        scan(path, "y")
