"""Faults of a scanned table are reported in a sentence that names the file, and never passed over."""

import gzip
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet

from fisherset.tables import columns_in, scan
from fisherset.tables.streams import readers as arrow_files
from support.scan_files import frame, together, write


def count(table):
    return table.reduce(lambda block: len(block.X))


def text(path, content):
    path.write_text(content)
    return path


WRONG = {
    "an unknown target": ({"target": "kindd"}, r"t\.parquet has no column 'kindd'\. Did you mean 'kind'"),
    "an unknown column": ({"columns": ["reel"]}, r"t\.parquet has no column 'reel'\. Did you mean 'real'"),
    "an unknown weight": ({"sample_weight": "wait"}, r"has no column 'wait'\. Did you mean 'weight'"),
    "an unknown name to drop": ({"drop": ["zzz"]}, "has no column 'zzz'"),
    "a text for columns": ({"columns": "real"}, r"columns must be a list of names; .* Write \['real'\]"),
    "a column twice": ({"columns": ["real", "real"]}, "each column once, and neither target, weights nor"),
    "the target as a column": ({"columns": ["kind"]}, "neither target, weights nor confounders; got 'kind'"),
    "nothing left": ({"columns": ["real"], "drop": ["real"]}, "no columns but the target, the weights and"),
    "no target": ({"target": None}, "target must name a column"),
    "no targets": ({"target": []}, "target must name a column"),
    "a weight of texts": ({"target": "whole", "sample_weight": "kind"}, "a column of numbers; 'kind' of t"),
    "targets of texts": ({"target": ["kind", "whole"]}, "needs numbers; the target 'kind' of t.parquet"),
    "no rows in a batch": ({"batch_rows": 0}, "batch_rows must be a whole number above 0, or None; got 0"),
    "half a row": ({"batch_rows": 0.5}, "batch_rows must be a whole number"),
    "a way to impute": ({"impute": "mean"}, "impute must be one of median, indicator; got 'mean'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_questions(case, tmp_path):
    options, message = WRONG[case]
    path = write(tmp_path / "t.parquet", frame())
    with pytest.raises((ValueError, TypeError), match=message):
        scan(path, **{"target": "kind"} | options)


PATHS = {
    "no file": (lambda path: path / "none.csv", FileNotFoundError, "File not found: '.*none.csv'"),
    "no file like it": (lambda path: f"{path}/*.csv", FileNotFoundError, "No file matches"),
    "an empty folder": (lambda path: path, FileNotFoundError, "is empty"),
    "an empty list": (lambda path: [], ValueError, "must name a file at least"),
    "a folder in a list": (lambda path: [path], IsADirectoryError, "is a folder; a list takes files"),
    "another kind": (
        lambda path: text(path / "t.doc", "a"),
        ValueError,
        "t.doc has an unsupported",
    ),
    "an empty file": (lambda path: text(path / "t.csv", ""), ValueError, "t.csv is empty"),
    "somewhere else": (lambda path: "s3://rows/t.csv", FileNotFoundError, "pyarrow.dataset.dataset"),
    "a file twice": (
        lambda path: [text(path / "t.csv", "y\n1")] * 2,
        ValueError,
        r"[/\\]t.csv is named twice",
    ),
    "no text": (lambda path: text(path / "t.csv", "PAR1\n"), ValueError, "t.csv is not a text file"),
    "no Arrow file": (
        lambda path: text(path / "t.arrow", "abcdefgh"),
        ValueError,
        "t.arrow cannot be read; .* It is no Arrow file",
    ),
    "no Parquet file": (lambda path: text(path / "t.parquet", "ab"), ValueError, "t.parquet cannot be read"),
}


@pytest.mark.parametrize("case", PATHS)
def test_files_that_are_not_there(case, tmp_path):
    make, error, message = PATHS[case]
    with pytest.raises(error, match=message):
        scan(make(tmp_path), "y")


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv", "csv.gz"])
@pytest.mark.parametrize("change", ["rows", "time", "replaced", "gone"])
def test_files_that_change_between_passes(suffix, change, tmp_path):
    path = write(tmp_path / f"t.{suffix}", frame())
    table = scan(path, "kind")
    assert count(table) == 53
    if change == "rows":
        write(path, frame(60))
    elif change == "time":
        os.utime(path, ns=(1, 1))
    elif change == "replaced":
        before = path.stat()
        write(tmp_path / f"new.{suffix}", frame())
        os.replace(tmp_path / f"new.{suffix}", path)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        path.unlink()
    what = "was removed" if change == "gone" else "changed"
    with pytest.raises(ValueError, match=rf"t\.{suffix} {what} while it was read"):
        count(table)


def test_a_file_that_changes_during_a_pass(tmp_path):
    paths = [write(tmp_path / f"{j}.parquet", frame()) for j in range(2)]
    table = scan(paths, "kind", batch_rows=10)

    def kernel(block):
        os.utime(paths[1], ns=(1, 1))
        return len(block.X)

    with pytest.raises(ValueError, match=r"1\.parquet changed while it was read"):
        table.reduce(kernel)


def test_a_dataset_whose_file_changes(tmp_path):
    path = write(tmp_path / "t.parquet", frame())
    table = scan(ds.dataset(path), "kind")
    os.utime(path, ns=(1, 1))
    with pytest.raises(ValueError, match=r"t\.parquet changed while it was read"):
        count(table)


def test_a_table_that_has_other_rows_each_time():
    sizes = iter([5, 5, 4])

    def opened():
        n = next(sizes)
        return pa.table({"x": np.arange(n), "y": np.arange(n) % 2}).to_reader()

    table = scan(opened, "y")
    assert count(table) == 5
    with pytest.raises(ValueError, match="X had 5 rows, and has 4 now"):
        count(table)


def test_a_function_that_fails():
    def opened():
        raise RuntimeError("no connection")

    with pytest.raises(ValueError, match=r"The table cannot be read \(no connection\)"):
        scan(opened, "y")


@pytest.mark.parametrize("case", ["parquet", "feather", "csv.gz"])
def test_a_file_that_is_cut_off(case, tmp_path):
    path = write(tmp_path / f"t.{case}", frame(4000))
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(ValueError, match=rf"t\.{case} cannot be read; is it damaged or truncated"):
        count(scan(path, "kind", columns=["real"]))


def test_a_text_that_is_cut_off(tmp_path):
    path = text(tmp_path / "t.csv", "a,b,y\n1,2,u\n3,4,v\n5,6")
    with pytest.raises(
        ValueError, match=r"Line 4 of t\.csv has 2 cells, the header 3. Is the file truncated"
    ):
        count(scan(path, "y"))


@pytest.mark.parametrize("checked", [False, True])
def test_a_row_group_that_is_damaged(checked, tmp_path):
    """Where pages are packed, or the writer left sums to check them by."""
    path = tmp_path / "t.parquet"
    table = pa.Table.from_pandas(frame(3000), preserve_index=False)
    options = {"compression": None, "write_page_checksum": True} if checked else {"compression": "gzip"}
    parquet.write_table(table, path, row_group_size=1000, use_dictionary=False, **options)
    chunk = parquet.ParquetFile(path).metadata.row_group(2).column(0)
    content = bytearray(path.read_bytes())
    middle = chunk.data_page_offset + chunk.total_compressed_size // 2
    content[middle : middle + 8] = bytes(255 - byte for byte in content[middle : middle + 8])
    path.write_bytes(content)
    table = scan(path, "kind", batch_rows=100)
    assert len(table.head().X) == 100
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read; is it damaged"):
        count(table)


DIFFERENT = {
    "a column less": (frame().drop(columns="whole"), {}, r"2\.parquet lacks 'whole'"),
    "a column more": (frame().assign(more=1), {}, r"1\.parquet lacks 'more'"),
    "texts for numbers": (
        frame().assign(whole="x"),
        {},
        r"'whole' holds int64 in 1\.parquet and .*string in 2\.parquet",
    ),
    "other labels": (frame().assign(kind=1), {}, r"'kind' holds .*string in 1\.parquet and int64"),
    "dates": (
        frame().assign(real=pd.Timestamp("2020")),
        {},
        r"'real' holds double in 1.parquet and timestamp",
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_files_that_differ(case, tmp_path):
    other, options, message = DIFFERENT[case]
    paths = [write(tmp_path / "1.parquet", frame()), write(tmp_path / "2.parquet", other)]
    with pytest.raises(ValueError, match=f"All files must have the same columns; {message}"):
        scan(paths, "kind", **options)
    if case == "other labels":
        return
    assert together(scan(paths, "kind", columns=["single", "flag"]))[0].shape == (106, 2)


def test_numbers_of_other_types_are_numbers(tmp_path):
    other = frame().astype({"whole": np.float32, "real": np.float16, "flag": np.int8})
    other = other.assign(single=None)[::-1]
    paths = [
        write(tmp_path / "1.parquet", frame()),
        write(tmp_path / "2.parquet", other[other.columns[::-1]]),
    ]
    X, _, _ = together(scan(paths, "kind", columns=["real", "single", "whole", "flag"]))
    both = [table[["real", "single", "whole", "flag"]].astype(np.float64) for table in (frame(), other)]
    np.testing.assert_array_equal(X, pd.concat(both))


def test_partitions_that_differ(tmp_path):
    for folder in ("year=1", "month=2"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "t.parquet", frame())
    with pytest.raises(ValueError, match=r"month=2/t\.parquet is in 'month', year=1/t\.parquet in 'year'"):
        scan(tmp_path, "kind")


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("target", ["whole", "kind"])
def test_a_partition_does_not_replace_a_column(target, suffix, tmp_path):
    folder = tmp_path / "whole=0"
    folder.mkdir()
    path = write(folder / f"t.{suffix}", frame())
    message = rf"the folder 'whole=0' and the column 'whole' of whole=0/t\.{suffix} share one\. Rename one"
    for paths in (tmp_path, f"{tmp_path}/*/*"):
        with pytest.raises(ValueError, match=message):
            scan(paths, target)
    with pytest.raises(ValueError, match=message):
        columns_in(tmp_path)
    X, _, _ = together(scan([path], "kind", columns=["whole"]))
    np.testing.assert_array_equal(X[:, 0], frame()["whole"])


@pytest.mark.parametrize("some", [False, True], ids=["whole", "filtered"])
def test_a_partition_of_a_dataset_does_not_replace_a_column(some, tmp_path):
    (tmp_path / "whole=0").mkdir()
    write(tmp_path / "whole=0" / "t.parquet", frame())
    hive = ds.partitioning(pa.schema([("whole", pa.int64())]), flavor="hive")
    found = ds.dataset(tmp_path, partitioning=hive)
    with pytest.raises(ValueError, match=r"^A partition folder must not .* 'whole=0' and the column 'whole'"):
        count(scan(found.filter(ds.field("real") > 0) if some else found, "kind"))


@pytest.mark.parametrize("inner", ["year=2", "%79ear=2"])
def test_a_partition_inside_one_of_the_same_name(inner, tmp_path):
    folder = tmp_path / "year=1" / inner
    folder.mkdir(parents=True)
    write(folder / "t.parquet", frame())
    with pytest.raises(ValueError, match=rf"one thing of a row; '{inner}' is inside 'year=1'\. Rename one"):
        scan(tmp_path, "kind")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_missing_labels_are_refused_with_their_row(suffix, tmp_path):
    table = frame()
    table.loc[[37, 40], "kind"] = None
    path = write(tmp_path / f"t.{suffix}", table)
    message = (
        rf"The target 'kind' of t\.{suffix} is missing in 2 of the rows 31 to 45, the first of them row 38"
    )
    with pytest.raises(ValueError, match=message):
        count(scan(path, "kind", batch_rows=15))
    table["whole"] = table["whole"].astype(float)
    table.loc[12, "whole"] = np.nan
    path = write(tmp_path / f"t.{suffix}", table)
    for target in ("whole", ["whole", "real"]):
        with pytest.raises(
            ValueError, match=r"'whole' of t.* is missing in 1 of .*, the first of them row 13"
        ):
            count(scan(path, target, drop=["kind"]))


@pytest.mark.parametrize("values", [pd.date_range("2020", periods=53), [[1]] * 53, [b"x"] * 53])
def test_targets_that_are_no_labels(values, tmp_path):
    path = write(tmp_path / "t.parquet", frame().assign(odd=values))
    with pytest.raises(ValueError, match=r"The target 'odd' of t\.parquet holds"):
        scan(path, "odd", columns=["real"])


LONG = 2**53 + 1


def test_whole_numbers_that_would_be_rounded(tmp_path):
    table = frame().assign(long=np.arange(53))
    table.loc[44, "long"] = LONG
    for suffix in ("parquet", "csv"):
        path = write(tmp_path / f"t.{suffix}", table)
        with pytest.raises(
            ValueError, match=rf"'long' of t\.{suffix} holds .*(whole number|integer).* beyond 2\^53"
        ):
            count(scan(path, "kind", batch_rows=10))
        with pytest.raises(ValueError, match=r"'long' .*holds .*(whole number|integer).* beyond 2\^53"):
            count(scan(path, ["long", "whole"], columns=["real"]))
        table.loc[44, "long"] = 2**60
        path = write(tmp_path / f"t.{suffix}", table)
        assert together(scan(path, "kind", columns=["long"]))[0].max() == 2.0**60
        table.loc[44, "long"] = LONG
    text(tmp_path / "r.csv", "x,y\n1e300,a\n9007199254740993.0,b\n-inf,a\n")
    assert count(scan(tmp_path / "r.csv", "y")) == 3


def rows(*values, head=70_000):
    """A text whose first rows, from which kinds are taken, are alike."""
    return "x,y\n" + "1,a\n1,b\n" * (head * 4) + "".join(f"{value},a\n" for value in values)


def test_a_text_among_numbers_far_down(tmp_path):
    path = text(tmp_path / "t.csv", rows("2", "oops", "3"))
    with pytest.raises(
        ValueError, match=r"Column 'x' of t\.csv holds 'oops' in line 560003, unlike its first rows"
    ):
        count(scan(path, "y"))


def test_fractions_after_whole_numbers_far_down(tmp_path):
    path = text(tmp_path / "t.csv", rows("1.5", "", "-2e3"))
    X, _, _ = together(scan(path, "y"))
    np.testing.assert_array_equal(X[-4:, 0], [1, 1.5, np.nan, -2000])


def test_numbers_after_nothing(tmp_path):
    content = rows().replace("1,", ",")
    X, _, _ = together(scan(text(tmp_path / "t.csv", content + "2.5,a\n"), "y"))
    assert np.isnan(X[:-1]).all()
    assert X[-1, 0] == 2.5
    with pytest.raises(ValueError, match=r"Column 'x' of t\.csv holds 'red' in line 560002"):
        count(scan(text(tmp_path / "t.csv", content + "red,a\n"), "y"))


def test_no_utf8_far_down(tmp_path):
    (tmp_path / "t.csv").write_bytes(rows().encode() + b"1,\xff\xfe\n")
    with pytest.raises(ValueError, match=r"t\.csv is not UTF-8 text: line 560002 holds the byte 0xff"):
        count(scan(tmp_path / "t.csv", "y"))


def test_a_row_longer_than_a_block(tmp_path):
    long = "x" * 3_000_000
    path = text(tmp_path / "t.csv", f"x,note,y\n1,a,u\n2,b,v\n3,{long},u\n4,c,v\n" * 1)
    X, _, _ = together(scan(path, "y", drop=["note"], batch_rows=1))
    np.testing.assert_array_equal(X[:, 0], [1, 2, 3, 4])


def test_a_file_without_rows_among_others(tmp_path):
    paths = [text(tmp_path / "a.csv", "x,y\n"), text(tmp_path / "b.csv", "x,y\n1,u\n2,v\n")]
    assert count(scan(paths, "y")) == 2
    with pytest.raises(ValueError, match="has no rows"):
        count(scan(paths[0], "y"))
    parquet.write_table(
        pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.string())}), tmp_path / "e.parquet"
    )
    with pytest.raises(ValueError, match=r"e\.parquet has no rows"):
        scan(tmp_path / "e.parquet", "y")


def test_columns_of_one_name(tmp_path):
    for path in (text(tmp_path / "t.csv", "x,x,y\n1,2,u\n"), tmp_path / "t.feather"):
        if path.suffix == ".feather":
            feather.write_feather(pa.table([[1], [2], ["u"]], names=["x", "x", "y"]), path, compression="lz4")
        with pytest.raises(ValueError, match=r"has columns of the same name: 'x'"):
            scan(path, "y")


@pytest.mark.parametrize("name", ["t.arrow", "t.arrows", "t.feather"])
def test_a_stream_is_read_like_a_file(name, tmp_path):
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    with pa.ipc.new_stream(tmp_path / name, table.schema) as file:
        file.write_table(table, max_chunksize=11)
    write(tmp_path / "whole.arrow", frame())
    found, whole = scan(tmp_path / name, "kind", batch_rows=7), scan(tmp_path / "whole.arrow", "kind")
    assert found.n_rows is None or found.n_rows == 53
    for one, other in zip(together(found)[:2], together(whole)[:2], strict=True):
        np.testing.assert_array_equal(one, other)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(ValueError, match=f"{name} cannot be read; is it damaged or truncated"):
        count(scan(path, "kind"))


def test_texts_that_are_no_utf8(tmp_path):
    offsets, bad = pa.array([0, 1, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff\xfe")
    texts = pa.StringArray.from_buffers(2, offsets, bad)
    parquet.write_table(pa.table({"x": [1.0, 2.0], "c": texts, "y": ["u", "v"]}), tmp_path / "t.parquet")
    for options in ({"target": "y"}, {"target": "c", "drop": ["y"]}):
        with pytest.raises(ValueError, match=r"t\.parquet cannot be read; is it damaged.*UTF8"):
            count(scan(tmp_path / "t.parquet", **options))


def test_metadata_that_are_damaged(tmp_path):
    table = pa.table({"x": [1.0], "y": ["u"]}).replace_schema_metadata({"pandas": "{"})
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read; .*no JSON"):
        scan(tmp_path / "t.parquet", "y")


def test_a_part_for_which_there_is_no_memory(tmp_path, monkeypatch):
    table = scan(write(tmp_path / "t.feather", frame()), "kind")

    def batches(*_):
        raise MemoryError("malloc of size 7277816997830721600 failed")
        yield

    monkeypatch.setattr(arrow_files.ArrowReader, "batches", batches)
    with pytest.raises(ValueError, match=r"t\.feather cannot be read: out of memory for one of its parts"):
        count(table)


def test_packed_texts_that_are_damaged(tmp_path):
    content = bytearray(gzip.compress(rows().encode()))
    content[len(content) // 2] ^= 255
    (tmp_path / "t.csv.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"t\.csv\.gz cannot be read"):
        count(scan(tmp_path / "t.csv.gz", "y"))
