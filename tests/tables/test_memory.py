"""A file that claims more than memory holds is refused with the number, before the memory is asked for."""

import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fisherset import _memory, scan
from fisherset.tables import Layout, memory, read_table
from fisherset.tables.columns.table import opened_file, read_content, reduce_content
from fisherset.tables.memory import format_bytes, free_memory
from fisherset.tables.read import size_in_memory

LITTLE = 2e7  # bytes that are taken to be free where a test says so


@pytest.fixture
def little(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: LITTLE)


def csr_npz(path, shape, n_rows=60):
    parts = {
        "X_data": np.ones(3),
        "X_indices": np.arange(3),
        "X_indptr": np.r_[np.zeros(n_rows - 2), 1, 2, 3],
    }
    parts["X_indptr"] = parts["X_indptr"].astype(np.int64)
    np.savez(path, X_shape=np.array(shape), y=np.arange(n_rows) % 2, classes=["a", "b"], **parts)


CLAIMS = {
    "columns": ([60, 10**12], "700.0 TB of memory for 60 rows of 1000000000000 columns"),
    "rows": ([10**12, 10], "no valid CSR"),
    "both": ([10**12, 10**12], "no valid CSR"),
    "fewer than none": ([60, -1], "no valid CSR"),
    "no whole numbers": ([60.0, 1e12], "two whole numbers"),
    "three numbers": ([60, 10, 10], "two whole numbers"),
    "not a number": (["a", "b"], "two whole numbers"),
    "beyond int64": (np.array([60, 2**64 - 1], dtype=np.uint64), "of memory"),
}


@pytest.mark.parametrize("case", CLAIMS)
def test_shapes_an_npz_claims(case, tmp_path):
    shape, message = CLAIMS[case]
    csr_npz(tmp_path / "t.npz", shape)
    with pytest.raises(ValueError, match=message):
        read_content(tmp_path / "t.npz")


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("shape", [(10**6, 10**6), (10**30,), (2, 10**15)])
def test_sizes_an_array_claims(shape, version, tmp_path):
    np.savez(tmp_path / "t.npz", y=[0, 1], classes=["a", "b"])
    header = io.BytesIO()
    np.lib.format.write_array(header, np.ones(0), version=version)
    claim = str(shape).encode()
    content = header.getvalue().replace(b"(0,)", claim).replace(b" " * (len(claim) - 4) + b"\n", b"\n")
    with zipfile.ZipFile(tmp_path / "t.npz", "a") as file:
        file.writestr("X.npy", content)
    with pytest.raises(ValueError, match="damaged"):
        read_content(tmp_path / "t.npz")
    (tmp_path / "bare.npz").write_bytes(content)
    with pytest.raises(ValueError, match="damaged or no"):
        read_content(tmp_path / "bare.npz")


def test_what_an_npz_holds_besides_is_not_read(tmp_path):
    X = np.arange(6.0).reshape(3, 2)
    np.savez(tmp_path / "t.npz", X=X, y=[0, 1, 0], classes=["a", "b"], other=np.array([{}], dtype=object))
    assert read_content(tmp_path / "t.npz").X.tolist() == X.tolist()


def test_an_array_that_is_packed_small(little, tmp_path):
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros((3, 10**6)), y=[0, 1, 0], classes=["a", "b"])
    assert (tmp_path / "t.npz").stat().st_size < 1e5
    with pytest.raises(ValueError, match=r"24.0 MB of memory for its arrays; 20.0 MB are free"):
        read_content(tmp_path / "t.npz")


def refused_cheaply(read, message):
    """Refused, and without having taken much memory."""
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    with pytest.raises(ValueError, match=message):
        read()
    taken = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before
    tracemalloc.stop()
    assert taken < 5e7


def test_a_text_that_is_many_numbers(little, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 10**6)
    refused_cheaply(lambda: read_content(tmp_path / "t.csv"), "for about 2000002 cells")


def test_a_parquet_of_one_number_again_and_again(little, tmp_path):
    table = pa.table({"a": np.zeros(3 * 10**6), "y": pa.nulls(3 * 10**6)})
    parquet.write_table(table, tmp_path / "t.parquet")
    refused_cheaply(lambda: read_content(tmp_path / "t.parquet"), "of 2 columns")


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_a_long_text_again_and_again(little, tmp_path, suffix):
    texts = pa.DictionaryArray.from_arrays(np.arange(2000) % 2, ["a" * 10**5, "b" * 10**5])
    table = pa.table({"t": texts, "y": np.arange(2000) % 3})
    write = parquet.write_table if suffix == "parquet" else feather.write_feather
    write(table, tmp_path / f"t.{suffix}")
    refused_cheaply(lambda: read_table(tmp_path / f"t.{suffix}", "y"), "200.0 MB of memory for 2000 of them")


def test_rows_an_arrow_file_claims(little, tmp_path):
    nothing = pa.Array.from_buffers(pa.null(), 2 * 10**9, [None])  # takes no room, unlike pa.nulls
    table = pa.table({"a": nothing, "y": nothing})
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table)
    refused_cheaply(lambda: read_content(tmp_path / "t.arrow"), "32.0 GB of memory for 2000000000 rows")


def test_columns_an_svmlight_file_claims(tmp_path):
    (tmp_path / "t.svm").write_text("0 1:1\n1 1999999999:1\n0 2:1\n")
    refused_cheaply(lambda: read_content(tmp_path / "t.svm"), "1.4 TB of memory for 3 rows of 2000000000")


@pytest.mark.parametrize("index", [10**12, 2**62, 2**70])
def test_an_svmlight_number_beyond_any(index, tmp_path):
    (tmp_path / "t.svm").write_text(f"0 1:1\n1 {index}:1\n")
    with pytest.raises(ValueError, match="not a valid svmlight file"):
        read_content(tmp_path / "t.svm")


def test_arrays_an_h5ad_claims(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed: .h5ad is NOT tested")
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.create_dataset("X", shape=(60, 10**12), dtype="f8", chunks=(1, 1000))
    assert (tmp_path / "t.h5ad").stat().st_size < 1e5
    refused_cheaply(lambda: read_content(tmp_path / "t.h5ad"), "480.0 TB of memory")


def test_texts_that_make_too_many_columns(monkeypatch, tmp_path):
    codes = np.arange(3000) % 400
    table = pd.DataFrame({"c": [f"v{j}" for j in codes], "y": codes % 2} | {f"g{j}": 1.0 for j in range(80)})
    table.to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(memory, "free_memory", lambda: 4e6)
    refused_cheaply(lambda: read_table(tmp_path / "t.parquet", "y"), r"The table needs 11\.\d MB")


def test_a_sparse_table_is_made_dense_only_where_there_is_room(monkeypatch, tmp_path):
    csr_npz(tmp_path / "t.npz", [60, 5000])
    table = read_table(tmp_path / "t.npz", None)
    monkeypatch.setattr(memory, "free_memory", lambda: 3e6)
    with pytest.raises(ValueError, match="for 60 rows of 5000 columns"):
        reduce_content(read_content(tmp_path / "t.npz"), table.features)


@pytest.mark.parametrize(
    ("size", "said"), [(0, "0 bytes"), (999, "999 bytes"), (3.64e12, "3.6 TB"), (1e30, "1000000000000.0 EB")]
)
def test_bytes_in_words(size, said):
    assert format_bytes(size) == said


def test_what_the_system_says_is_free(monkeypatch, tmp_path):
    assert free_memory() > 1e6
    monkeypatch.setattr(_memory, "FREE", tmp_path / "meminfo")
    monkeypatch.setattr(_memory, "ALLOWED", tmp_path / "max")
    assert free_memory() == np.inf
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:     8 kB\n")
    (tmp_path / "max").write_text("max\n")
    assert free_memory() == 8192
    (tmp_path / "max").write_text("4096\n")
    assert free_memory() == 4096


def test_what_a_limit_of_the_process_leaves(monkeypatch, tmp_path):
    """`ulimit -v` counts the addresses that are taken already."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(_memory, "TAKEN", tmp_path / "statm")
    (tmp_path / "statm").write_text("100 50 20 1 0 30 0\n")
    page = resource.getpagesize()
    for limit, free in ((resource.RLIM_INFINITY, None), (103 * page, 3.0 * page), (90 * page, 0.0)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        assert free_memory() == free if free is not None else free_memory() > 1e6


def test_the_size_of_a_text_that_hardly_takes_space_compressed(tmp_path):
    """A megabyte of it would be as large as its first bytes say, but for those that are read ahead."""
    text = b"a,b,y\n" + b"1.5,2.5,u\n2.5,1.5,v\n" * 1_000_000
    (tmp_path / "t.csv").write_bytes(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    sizes = [size_in_memory(*opened_file(tmp_path / name, Layout())) for name in ("t.csv", "t.csv.gz")]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.3)


@pytest.mark.parametrize("opened", [read_table, scan])
def test_a_row_that_never_ends(opened, monkeypatch, tmp_path):
    """Pyarrow would end the process where a block of text does not fit."""
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,y\n1,u\n2,v\n" * 200_000 + b"x" * 2**26))
    monkeypatch.setattr(memory, "free_memory", lambda: 1e8)
    with pytest.raises(ValueError, match=r"t\.csv\.gz needs .* of memory"):
        for _ in opened(tmp_path / "t.csv.gz", "y").blocks():
            pass
