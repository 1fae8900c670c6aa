"""Scanned tables against the same files read whole by pandas and pyarrow."""

import pickle
import sys
import types

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet

from fisherset.tables import read_table, scan
from fisherset.tables.streams import readers as arrow_files
from support.scan_files import FEATURES, N, frame, labels_of, together, write

SUFFIXES = ["parquet", "feather", "arrow", "csv", "tsv", "csv.gz"]


@pytest.mark.parametrize("batch_rows", [1, 7, 11, 1000, None])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_blocks_are_the_rows_of_the_file(suffix, batch_rows, tmp_path):
    expected = frame()
    path = write(tmp_path / f"t.{suffix}", expected)
    table = scan(path, "kind", sample_weight="weight", batch_rows=batch_rows)
    assert table.names == FEATURES == table.groups
    assert table.n_columns == 4
    assert table.n_rows == (None if "sv" in suffix else N)
    X, y, weight = together(table)
    exact = expected[FEATURES].astype(np.float64).to_numpy()
    np.testing.assert_allclose(X, exact, rtol=1e-6 if "sv" in suffix else 0)
    np.testing.assert_array_equal(y, expected["kind"])
    np.testing.assert_array_equal(weight, expected["weight"])
    bare, y, weight = together(table, columns=False)
    assert bare.shape == (N, 0)
    np.testing.assert_array_equal(y, expected["kind"])
    np.testing.assert_array_equal(weight, expected["weight"])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_blocks_say_where_they_come_from(suffix, tmp_path):
    paths = [write(tmp_path / f"{name}.{suffix}", frame(n, n)) for name, n in (("b", 25), ("a", 9))]
    table = scan(paths, "kind", batch_rows=10)
    blocks = list(table.blocks())
    assert [len(block.X) for block in blocks] == [10, 10, 5, 9]
    assert [tuple(block.place) for block in blocks] == [
        (f"b.{suffix}", 1),
        (f"b.{suffix}", 11),
        (f"b.{suffix}", 21),
        (f"a.{suffix}", 1),
    ]
    assert {block.X.dtype for block in blocks} == {np.dtype(np.float64)}
    assert table.head().place == blocks[0].place


def test_an_arrow_file_of_large_batches_is_looked_at_where_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow_files, "MAPPED", 0)
    table = scan(write(tmp_path / "t.arrow", frame()), "kind", columns=["whole", "real"], batch_rows=9)
    np.testing.assert_array_equal(together(table)[0], frame()[["whole", "real"]])


def test_reduce_adds_up_and_counts(tmp_path):
    table = scan(write(tmp_path / "t.csv", frame()), "kind", columns=FEATURES, batch_rows=10)
    total = table.reduce(lambda block: block.X.sum(axis=0))
    np.testing.assert_allclose(total, frame()[FEATURES].sum(), rtol=1e-6)
    assert table.n_rows == N


def test_patterns_and_folders_are_read_in_the_order_of_names(tmp_path):
    parts = {name: frame(5, j) for j, name in enumerate(["c", "a", "b"])}
    for name, part in parts.items():
        write(tmp_path / f"{name}.parquet", part)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".a.parquet.crc").write_text("x")
    expected = pd.concat([parts["a"], parts["b"], parts["c"]])["real"]
    for paths in (f"{tmp_path}/*.parquet", tmp_path, str(tmp_path)):
        X, _, _ = together(scan(paths, "kind", columns=["real"]))
        np.testing.assert_array_equal(X[:, 0], expected)
    (tmp_path / "odd[1].parquet").write_bytes((tmp_path / "a.parquet").read_bytes())
    assert scan(tmp_path / "odd[1].parquet", "kind").n_rows == 5


@pytest.mark.parametrize("pattern", ["", "/*/*/*.parquet"])
def test_partitions_are_columns(pattern, tmp_path):
    table = frame().assign(year=np.arange(N) % 2 + 2020, site=np.array(["x y", "z"])[np.arange(N) // 3 % 2])
    arrow = pa.Table.from_pandas(table.drop(columns="flag"), preserve_index=False)
    hive = ds.partitioning(pa.schema([("year", pa.int32()), ("site", pa.string())]), flavor="hive")
    ds.write_dataset(arrow, tmp_path, format="parquet", partitioning=hive)
    found = scan(f"{tmp_path}{pattern}" if pattern else tmp_path, "site", columns=["year", "real"])
    X, y, _ = together(found)
    whole = ds.dataset(tmp_path, partitioning="hive").to_table().to_pandas()
    by_real = np.argsort(X[:, 1])
    whole = whole.sort_values("real")
    np.testing.assert_array_equal(X[by_real], whole[["year", "real"]])
    np.testing.assert_array_equal(y[by_real], whole["site"])
    assert found.head().place.name.startswith("year=2020/site=x%20y/")
    bare, y, _ = together(found, columns=False)
    assert bare.shape == (N, 0)
    assert sorted(y) == sorted(whole["site"])


@pytest.mark.parametrize("values", [("01", "1"), ("-0", "0"), ("1", "1.0")])
def test_partitions_that_are_written_apart_stay_apart(values, tmp_path):
    for value in values:
        (tmp_path / f"site={value}").mkdir()
        write(tmp_path / f"site={value}" / "t.parquet", frame(5))
    _, y, _ = together(table := scan(tmp_path, "site", columns=["real"]))
    assert table.labels(sorted(set(y))) == sorted(values)


def test_partitions_and_columns_may_differ_by_case(tmp_path):
    for value in (0, 1):
        (tmp_path / f"Real={value}").mkdir()
        write(tmp_path / f"Real={value}" / "t.parquet", frame(5, value))
    X, _, _ = together(scan(tmp_path, "kind", columns=["real", "Real"]))
    np.testing.assert_array_equal(X[:, 0], pd.concat([frame(5, 0), frame(5, 1)])["real"])
    np.testing.assert_array_equal(X[:, 1], np.repeat([0, 1], 5))


def test_columns_in_any_order_and_without_some(tmp_path):
    path = write(tmp_path / "t.parquet", frame())
    table = scan(path, "kind", columns=["whole", "real"])
    X, _, _ = together(table)
    np.testing.assert_array_equal(X, frame()[["whole", "real"]])
    assert scan(path, "kind", drop=["weight", "real"]).names == ["single", "whole", "flag"]


def test_only_the_columns_asked_for_are_read(tmp_path):
    """Damage in the others does not matter."""
    path = tmp_path / "t.parquet"
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    parquet.write_table(table, path, compression="gzip", use_dictionary=False)
    chunk = parquet.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset : chunk.data_page_offset + chunk.total_compressed_size] = (
        b"\xff" * chunk.total_compressed_size
    )
    path.write_bytes(content)
    X, _, _ = together(scan(path, "kind", drop=["single", "weight"]))
    np.testing.assert_array_equal(X, frame()[["real", "whole", "flag"]])
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read; is it damaged"):
        together(scan(path, "kind"))


def test_row_numbers_of_pandas_are_no_feature(tmp_path):
    frame().set_index(np.arange(N)[::-1]).to_parquet(tmp_path / "t.parquet")
    assert scan(tmp_path / "t.parquet", "kind", drop=["weight"]).names == FEATURES
    frame().to_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match=r"in t\.csv is taken for row numbers"):
        assert scan(tmp_path / "t.csv", "kind", drop=["weight"]).names == FEATURES


def test_numbers_may_be_missing(tmp_path):
    table = pa.table(
        {"a": [1.0, None, np.nan], "b": pa.array([None, 2, 3], pa.int32()), "y": ["u", "v", "u"]}
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    X, _, _ = together(scan(tmp_path / "t.parquet", "y"))
    np.testing.assert_array_equal(X, [[1, np.nan], [np.nan, 2], [np.nan, 3]])


LABELS = {
    "texts": (pa.array(["b", "a", "b", "a"]), list("baba")),
    "large texts": (pa.array(["b", "a", "b", "a"], pa.large_string()), list("baba")),
    "categories": (pa.array(["b", "a", "b", "a"]).dictionary_encode(), list("baba")),
    "numbers as texts": (pa.array(["1", "2", "1", "2"]), ["1", "2", "1", "2"]),
    "spellings of ten": (pa.array(["1E1", "10", "10.0", "10"]), ["1E1", "10", "10.0", "10"]),
    "signs of zero": (pa.array(["-0", "0", "-0", "0"]).dictionary_encode(), ["-0", "0", "-0", "0"]),
    "codes": (pa.array(["01", "2", "01", "2"]), ["01", "2", "01", "2"]),
    "whole numbers": (pa.array([2, 1, 2, 1], pa.int16()), [2, 1, 2, 1]),
    "long numbers": (pa.array([2**63, 2**63 + 1, 1, 1], pa.uint64()), [2**63, 2**63 + 1, 1, 1]),
    "categories of numbers": (pa.array([2, 1, 2, 1]).dictionary_encode(), [2, 1, 2, 1]),
    "yes or no": (pa.array([True, False, True, False]), [True, False, True, False]),
    "reals": (pa.array([1.0, 2.0, 1.0, 2.0]), [1.0, 2.0, 1.0, 2.0]),
    "decimals": (pa.array([1, 2, 1, 2]).cast(pa.decimal128(21, 2)), [1.0, 2.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("batch_rows", [1, 3])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("case", LABELS)
def test_labels_of_all_kinds(case, suffix, batch_rows, tmp_path):
    column, expected = LABELS[case]
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": column})
    write = parquet.write_table if suffix == "parquet" else feather.write_feather
    write(table, tmp_path / f"t.{suffix}")
    whole = read_table(tmp_path / f"t.{suffix}", "y").y.tolist()
    assert whole == expected
    assert {type(label) for label in whole} == {type(label) for label in expected}
    found = scan(tmp_path / f"t.{suffix}", "y", batch_rows=batch_rows)
    labels = [label for block in found.blocks() for label in labels_of(block.y).tolist()]
    meaning = dict(zip(dict.fromkeys(labels), found.labels(list(dict.fromkeys(labels))), strict=True))
    got = [meaning[label] for label in labels]
    assert got == expected
    assert {type(label) for label in got} == {type(label) for label in expected}


TEXTS = {
    "texts": ("a\nb\na", ["a", "b", "a"]),
    "whole numbers": ("1\n2\n1", [1, 2, 1]),
    "numbers": ("1.5\n2\n1.5", [1.5, 2.0, 1.5]),
    "leading noughts": ("01\n1\n01", ["01", "1", "01"]),
    "numbers, then a text": ("1\n1.0\nx", ["1", "1.0", "x"]),
    "texts like gaps": ("none\nx\nnone", ["none", "x", "none"]),
    "spellings of ten": ("1E1\n10\n10.0", [10.0, 10.0, 10.0]),
    "signs of zero": ("-0\n0\n1", [0, 0, 1]),
}


@pytest.mark.parametrize("case", TEXTS)
def test_labels_of_a_text_file_are_what_stands_there(case, tmp_path):
    lines, expected = TEXTS[case]
    rows = "".join(f"{label},{i}\n" for i, label in enumerate(lines.split("\n")))
    (tmp_path / "t.csv").write_text(f"y,g\n{rows}")
    table = scan(tmp_path / "t.csv", "y", batch_rows=1)
    texts = [block.y.labels[0] for block in table.blocks()]
    met = list(dict.fromkeys(texts))
    meaning = dict(zip(met, table.labels(met), strict=True))
    assert [meaning[text] for text in texts] == expected
    assert read_table(tmp_path / "t.csv", "y").y.tolist() == expected


def test_a_string_with_a_type_makes_text_beside_it_strings(tmp_path):
    pd.DataFrame({"x": [1.0, 2.0], "y": ["1E1", "10"]}).to_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("x,y\n3,10\n4,1E1\n")
    table = scan([tmp_path / "a.parquet", tmp_path / "b.csv"], "y")
    assert table.labels(["1E1", "10"]) == ["1E1", "10"]


def test_labels_that_no_row_has_are_not_met(tmp_path):
    column = pa.DictionaryArray.from_arrays([0, 2, 0, 2], ["a", "never", "b"])
    feather.write_feather(pa.table({"x": [1.0, 2, 3, 4], "y": column}), tmp_path / "t.feather")
    table = scan(tmp_path / "t.feather", "y", batch_rows=2)
    assert [set(block.y.labels) for block in table.blocks()] == [{"a", "b"}] * 2


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_several_targets_are_numbers(suffix, tmp_path):
    path = write(tmp_path / f"t.{suffix}", frame())
    table = scan(path, ["whole", "weight"], drop=["kind"], batch_rows=20)
    _, y, _ = together(table)
    assert y.dtype == np.float64
    np.testing.assert_array_equal(y, frame()[["whole", "weight"]])
    assert table.names == ["real", "single", "flag"]
    assert together(scan(path, ["whole"], drop=["kind"]))[1].ndim == 1


def test_the_default_is_blocks_of_sixteen_megabytes(tmp_path):
    columns = {f"x{j}": np.zeros(3) for j in range(2000)} | {"y": [0, 1, 0]}
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    table = scan(tmp_path / "t.parquet", "y")
    assert 8e6 <= table._rows[0] * 8 * 2000 <= 2**24


def dataset(path):
    return ds.dataset(path)


def lazy_frame(path):
    return pytest.importorskip("polars").scan_parquet(path)


def relation(path):
    return pytest.importorskip("duckdb").sql(f"select * from '{path}'")


def function(path):
    return lambda: ds.dataset(path).scanner().to_reader()


def in_memory(path):
    return parquet.read_table(path)


@pytest.mark.parametrize("batch_rows", [7, None])
@pytest.mark.parametrize("opened", [dataset, lazy_frame, relation, function, in_memory])
def test_queries_can_be_asked_again(opened, batch_rows, tmp_path):
    expected = frame().rename(columns={"real": 'a "real" one'})
    path = write(tmp_path / "t.parquet", expected)
    table = scan(opened(path), "kind", sample_weight="weight", batch_rows=batch_rows)
    features = [name for name in expected if name not in ("kind", "weight")]
    assert table.names == features
    for _ in range(2):
        next(table.blocks())  # a pass that is not finished
        X, y, weight = together(table)
        np.testing.assert_array_equal(X, expected[features].astype(np.float64))
        np.testing.assert_array_equal(y, expected["kind"])
        np.testing.assert_array_equal(weight, expected["weight"])
    assert table.reduce(lambda block: len(block.X)) == N == table.n_rows


@pytest.mark.parametrize("opened", [str, dataset, lazy_frame])
def test_a_scan_can_be_sent_to_another_process(opened, tmp_path):
    table = scan(opened(write(tmp_path / "t.parquet", frame())), "kind", columns=["real"])
    np.testing.assert_array_equal(together(pickle.loads(pickle.dumps(table)))[0], frame()[["real"]])


def test_a_scan_of_text_can_be_sent_to_another_process(tmp_path):
    for name in ("t.csv", "t.csv.gz", "t.feather"):
        table = scan(write(tmp_path / name, frame()), "kind", columns=["real"])
        again = pickle.loads(pickle.dumps(table))
        np.testing.assert_array_equal(together(again)[0], together(table)[0])


def test_a_lazy_frame_without_batches_is_read_by_slices(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.delattr(polars.LazyFrame, "collect_batches", raising=False)
    path = write(tmp_path / "t.parquet", frame())
    X, _, _ = together(scan(lazy_frame(path), "kind", columns=["real"], batch_rows=3))
    np.testing.assert_array_equal(X[:, 0], frame()["real"])


def test_a_filter_of_a_dataset_is_kept(tmp_path):
    path = write(tmp_path / "t.parquet", frame())
    table = scan(ds.dataset(path).filter(ds.field("real") > 0), "kind", columns=["real"])
    X, _, _ = together(table)
    np.testing.assert_array_equal(X[:, 0], frame()["real"][frame()["real"] > 0])
    assert table.head().place.name.endswith("t.parquet")


class AnnData:
    var_names = obs_names = X = None


@pytest.mark.parametrize("paths", ["cells.h5ad", "cells.ZARR", AnnData()])
def test_cells_are_read_as_cells(paths, monkeypatch):
    asked = {}
    cells = types.SimpleNamespace(scan_cells=lambda *args, **options: asked.update(args=args, **options))
    monkeypatch.setitem(sys.modules, "fisherset.tables.matrices.cells", cells)
    scan(paths, "kind", columns=["g1"], sample_weight="w", batch_rows=5)
    assert asked["args"] == (paths, "kind")
    assert (asked["columns"], asked["sample_weight"], asked["batch_rows"]) == (["g1"], "w", 5)
    with pytest.raises(ValueError, match=r"layer is for \.h5ad files"):
        scan("t.csv", "y", layer="counts")
    with pytest.raises(ValueError, match="impute is for columns of files"):
        scan(paths, "kind", impute="median")


@pytest.mark.parametrize("make", [lambda: (row for row in "ab"), lambda: in_memory_reader()])
def test_what_can_be_read_once_is_refused(make):
    with pytest.raises(TypeError, match=r"which can be read only once\. Pass the files"):
        scan(make(), "y")


def in_memory_reader():
    return pa.table({"y": [1]}).to_reader()


def test_rows_in_memory_need_no_scan():
    with pytest.raises(TypeError, match=r"got ndarray\. Rows in memory need no scan"):
        scan(np.ones((3, 2)), "y")
