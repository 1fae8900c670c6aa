"""Of a file some columns alone: the same numbers, and nothing else is read."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse

from fisherset.tables import Feature, Identifiers, Layout
from fisherset.tables.columns.labels import labels_in
from fisherset.tables.columns.table import read_content, reduce_content
from fisherset.tables.matrices import storage
from support.anndata_files import write_cells

N, D = 40, 12
NAMES = [f"g{j}" for j in range(D)]
SAMPLES = [f"s{i}" for i in range(N)]


def frame():
    X = np.where(np.random.default_rng(0).random((N, D)) < 0.4, np.arange(N * D).reshape(N, D) + 0.5, 0.0)
    return pd.DataFrame(X, columns=NAMES, index=SAMPLES).assign(kind=["u", "v"] * (N // 2), colour="red")


def to_cells(turn, **options):
    def write(path):
        obs = {"kind": np.array(["u", "v"] * (N // 2), dtype=object)}
        write_cells(path, turn(frame()[NAMES].to_numpy()), obs, **options)

    return write


WRITERS = {
    "csv": lambda path: frame().to_csv(path, index_label="sample"),
    "tsv": lambda path: frame().to_csv(path, index_label="sample", sep="\t"),
    "parquet": lambda path: frame().to_parquet(path),
    "feather": lambda path: feather.write_feather(frame(), path),
    "arrow in batches": lambda path: write_batches(path),
    "dense h5ad": to_cells(np.asarray),
    "packed h5ad": to_cells(np.asarray, kind="packed h5ad", chunks=(7, 5)),
    "CSR h5ad": to_cells(sparse.csr_array),
    "packed CSR h5ad": to_cells(sparse.csr_array, kind="packed h5ad", chunks=(9,)),
    "CSC h5ad": to_cells(sparse.csc_array),
    "npz": lambda path: np.savez(
        path, X=frame()[NAMES], y=frame()["kind"].to_numpy(str), feature_names=NAMES
    ),
}


def write_batches(path):
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, pa.Table.from_pandas(frame()).schema) as file,
    ):
        file.write_table(pa.Table.from_pandas(frame()), max_chunksize=7)


def written(kind, folder):
    path = folder / f"t.{'arrow' if kind == 'arrow in batches' else kind.split()[-1]}"
    WRITERS[kind](path)
    return path


@pytest.mark.parametrize("entries", [30, 2**20])
@pytest.mark.parametrize("kind", WRITERS)
def test_some_columns_are_what_they_are_among_all(kind, entries, tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "BLOCK_ENTRIES", entries)
    path = written(kind, tmp_path)
    layout = Layout(identifier="sample" if kind in ("csv", "tsv") else None)
    target = "y" if kind == "npz" else "kind"
    found = read_content(path, strings=[target], columns=["g7", "g2", "none"], layout=layout)
    features = [Feature(name, name) for name in ("g7", "g2", "g7")]
    whole = read_content(path, strings=[target], layout=layout)
    np.testing.assert_array_equal(reduce_content(found, features), frame()[["g7", "g2", "g7"]])
    np.testing.assert_array_equal(reduce_content(found, features), reduce_content(whole, features))
    assert labels_in(found, target).tolist() == labels_in(whole, target).tolist() == ["u", "v"] * (N // 2)
    assert found.ids == whole.ids
    if kind != "npz":
        assert set(found.names) == {"g2", "g7"} | (set() if "h5ad" in kind else {"kind"})
    with pytest.raises(ValueError, match=r"lacks 1 of the selected columns: 'none'"):
        reduce_content(found, [Feature("none", "none")])


@pytest.mark.parametrize("kind", WRITERS)
def test_rows_are_counted_where_no_column_is_there(kind, tmp_path):
    assert read_content(written(kind, tmp_path), columns=["none"]).n_rows == N


def test_the_index_of_parquet_comes_along(tmp_path):
    found = read_content(written("parquet", tmp_path), columns=["g1"])
    assert (found.names, found.ids) == (["g1"], Identifiers("id", SAMPLES))


def test_a_column_with_a_point_in_its_name(tmp_path):
    parquet.write_table(pa.table({"a": [1.0], "a.b": [2.0], "c": [3.0]}), tmp_path / "t.parquet")
    assert read_content(tmp_path / "t.parquet", columns=["a"]).names == ["a"]
    assert read_content(tmp_path / "t.parquet", columns=["a.b"]).table.to_pydict() == {"a.b": [2.0]}


def test_what_is_damaged_elsewhere_does_not_matter(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"a": np.arange(100.0), "b": np.arange(100.0)})
    parquet.write_table(table, path, compression="gzip", use_dictionary=False)
    chunk = parquet.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset :][: chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    end = chunk.data_page_offset + chunk.total_compressed_size
    path.write_bytes(
        content[: chunk.data_page_offset] + b"\xff" * chunk.total_compressed_size + content[end:]
    )
    assert read_content(path, columns=["a"]).table.column("a").to_pylist() == list(range(100))
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read; is it damaged"):
        read_content(path)


HEADERS = {
    "quotes": ('"a, b","c ""d""",e\n1,2,3\n', ["a, b", 'c "d"']),
    "a byte-order mark": ("\ufeffa,b\n1,2\n", ["a"]),
    "a line break": ('"a\nb",c\n1,2\n', ["a\nb"]),
    "empty lines": ("\n\na,b\n1,2\n", ["a"]),
    "quotes within": ('a"b,c\n1,2\n', ['a"b']),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers(case, tmp_path):
    text, wanted = HEADERS[case]
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    found = read_content(tmp_path / "t.csv", columns=wanted)
    assert found.names == wanted
    assert found.table.num_rows == 1


def test_columns_of_one_name_are_refused_all_the_same(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,b\n1,2,3\n")
    with pytest.raises(ValueError, match="columns of the same name: 'b'"):
        read_content(tmp_path / "t.csv", columns=["a"])
