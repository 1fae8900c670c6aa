"""Cells of AnnData by rows, against the matrices and columns they were written from."""

import shutil
import tracemalloc
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fisherset.data import Coded
from fisherset.tables import memory, read_table
from fisherset.tables.columns.table import read_content
from fisherset.tables.matrices import storage
from fisherset.tables.matrices.cells import scan_cells
from fisherset.tables.matrices.storage import ForwardReader
from support.anndata_files import KINDS, cells, write_cells

X, OBS = cells()
N, D = X.shape
MATRICES = {
    "sparse": X,
    "whole numbers": (100 * X).astype(np.int32).tocsr(),
    "dense": X.toarray(),
    "dense and double": X.toarray().astype(np.float64),
}


def path_of(folder, kind="h5ad"):
    return folder / ("cells.zarr" if "zarr" in kind else "cells.h5ad")


def dense(block):
    return block.X.toarray() if sparse.issparse(block.X) else block.X


def whole(rows, **how):
    return np.vstack([dense(block) for block in rows.blocks(**how)])


def labels_of(rows):
    found = []
    for y in (block.y for block in rows.blocks(columns=False)):
        found += [y.labels[code] for code in y.codes] if isinstance(y, Coded) else y.tolist()
    return found


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("kind", KINDS)
def test_all_rows_come_however_they_are_stored(kind, matrix, tmp_path, monkeypatch):
    held = MATRICES[matrix]
    expected = held.toarray() if sparse.issparse(held) else held
    chunks = None if kind == "h5ad" else (7,) if sparse.issparse(held) else (7, 5)
    path = write_cells(path_of(tmp_path, kind), held, OBS, kind, layers={"twice": 2 * held}, chunks=chunks)
    monkeypatch.setattr(storage, "BLOCK_ENTRIES", 25)
    for batch_rows in (None, 1, 8, 60, 1000):
        rows = scan_cells(path, "type", batch_rows=batch_rows)
        assert (rows.n_rows, rows.n_columns, rows.names) == (N, D, [f"g{j}" for j in range(D)])
        blocks = list(rows.blocks())
        assert_array_equal(np.vstack([dense(block) for block in blocks]), expected, strict=True)
        firsts = np.cumsum([0, *(block.X.shape[0] for block in blocks[:-1])]) + 1
        assert [block.place for block in blocks] == [(path.name, first) for first in firsts]
        for block in blocks:
            if batch_rows is None:
                size = block.X.nnz if sparse.issparse(block.X) else block.X.size // 2
                assert block.X.shape[0] == 1 or size <= 25
            assert not sparse.issparse(block.X) or block.X.has_canonical_format
    few = scan_cells(path, "type", columns=["g7", "g2", "g11"], drop=["g2"], layer="twice", batch_rows=9)
    assert few.names == ["g7", "g11"]
    assert_array_equal(whole(few), 2 * expected[:, [7, 11]], strict=True)
    assert_array_equal(dense(few.head()), 2 * expected[:9, [7, 11]])


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_as_they_were_written(kind, old, tmp_path):
    path = write_cells(path_of(tmp_path, kind), X, OBS, kind, old=old)
    for name, values in OBS.items():
        missing = np.flatnonzero(pd.isna(values))
        if missing.size:
            message = f"{name}' of {path.name} is missing in {missing.size} rows, the first of them row "
            with pytest.raises(ValueError, match=f"{message}{missing[0] + 1}"):
                scan_cells(path, name)
            continue
        found = labels_of(scan_cells(path, name, batch_rows=11))
        assert found == values.tolist()
        assert [type(value) for value in found] == [type(value) for value in values.tolist()]
    y = scan_cells(path, "type").head().y
    assert set(y.labels) == {"B", "T", "ü"}  # and none that no row has
    frame = None if "zarr" in kind else read_content(path)
    for name in OBS if frame is not None else ():
        expected = [None if pd.isna(value) else value for value in OBS[name].tolist()]
        assert frame.values(name) == expected


def test_numbers_and_weights(tmp_path):
    path = write_cells(path_of(tmp_path), X, OBS)
    rows = scan_cells(path, ["age", "count", "yes"], sample_weight="weight", batch_rows=50)
    first, last = rows.blocks(columns=False)
    expected = np.column_stack([OBS["age"], OBS["count"], OBS["yes"]]).astype(np.float64)
    assert_array_equal(np.vstack([first.y, last.y]), expected, strict=True)
    assert_array_equal(last.weight, OBS["weight"][50:], strict=True)
    assert labels_of(scan_cells(path, ["type"])) == OBS["type"].tolist()  # a list of one is that one
    assert scan_cells(path, None).head().y is None
    assert scan_cells(path, "count", sample_weight="nullable yes").head().weight.tolist()[:2] == [1.0, 0.0]


def test_strings_that_spell_numbers_are_strings(tmp_path):
    path = write_cells(path_of(tmp_path), X, OBS)
    rows = scan_cells(path, "cluster")
    assert rows.labels(["10", "0", "2"]) == ["10", "0", "2"]
    assert read_table(path, "cluster").y.tolist() == OBS["cluster"].tolist()


@pytest.mark.parametrize("matrix", ["sparse", "dense"])
def test_without_columns_nothing_of_the_matrix_is_read(matrix, tmp_path, monkeypatch):
    path = write_cells(path_of(tmp_path), MATRICES[matrix], OBS)
    rows = scan_cells(path, "type", batch_rows=7)
    monkeypatch.setattr(storage, "ForwardReader", None)
    blocks = list(rows.blocks(columns=False))
    assert {block.X.shape for block in blocks} == {(7, 0), (4, 0)}
    assert {sparse.issparse(block.X) for block in blocks} == {matrix == "sparse"}


def scrambled():
    """The same matrix with entries out of order, and one in two parts."""
    order = np.concatenate([np.arange(stop - 1, start - 1, -1) for start, stop in pairwise(X.indptr)])
    data, indices, indptr = X.data[order], X.indices[order], X.indptr.copy()
    data[0] /= 2
    data, indices = np.r_[data[0], data], np.r_[indices[0], indices]
    indptr[1:] += 1
    parts = sparse.csr_array(X.shape, dtype=np.float32)
    parts.data, parts.indices, parts.indptr = data, indices, indptr
    return parts


@pytest.mark.parametrize("kind", ["h5ad", "zarr 3"])
def test_entries_out_of_order_or_in_parts(kind, tmp_path):
    parts = scrambled()
    assert parts.nnz == X.nnz + 1
    path = write_cells(path_of(tmp_path, kind), parts, OBS, kind)
    for block in scan_cells(path, "type", batch_rows=13).blocks():
        assert block.X.has_canonical_format
    assert_array_equal(whole(scan_cells(path, "type", batch_rows=13)), X.toarray())


@pytest.mark.parametrize("dtype", ["<i8", ">i4", "<u2"])
def test_numbers_of_other_widths(dtype, tmp_path):
    other = X.copy()
    other.indices = other.indices.astype(dtype)
    other.data = other.data.astype(">f4" if dtype == ">i4" else "<f2")
    path = write_cells(path_of(tmp_path), other, OBS)
    found = whole(scan_cells(path, "type", columns=["g3", "g1"], batch_rows=7))
    np.testing.assert_allclose(found, X.toarray()[:, [3, 1]], rtol=1e-3)


class Counting:
    """An array in chunks that counts how often each is unpacked, as zarr does for every question."""

    def __init__(self, values, chunk):
        self.values, self.chunks, self.unpacked = values, (chunk, *values.shape[1:]), []
        self.shape, self.dtype = values.shape, values.dtype

    def __getitem__(self, rows):
        self.unpacked += range(rows.start // self.chunks[0], -(-rows.stop // self.chunks[0]))
        return self.values[rows]


@pytest.mark.parametrize("step", [1, 6, 7, 20, 100])
def test_a_chunk_is_unpacked_once(step):
    values = np.arange(90.0).reshape(45, 2)
    array = Counting(values, 7)
    reader = ForwardReader(array, "cells.zarr")
    found = [reader.take(min(step, 45 - start)) for start in range(0, 45, step)]
    assert_array_equal(np.vstack(found), values)
    assert array.unpacked == list(range(7))


def test_memory_holds_a_few_blocks(tmp_path, monkeypatch):
    large, _ = cells(4000, 500)
    path = write_cells(path_of(tmp_path), large, {"y": np.arange(4000) % 2}, chunks=(2**12,))
    monkeypatch.setattr(storage, "BLOCK_ENTRIES", 2**14)
    rows = scan_cells(path, "y")
    tracemalloc.start()
    n_blocks = sum(1 for _ in rows.blocks())
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_blocks > 30
    assert taken < 10 * 16 * 2**14 < large.data.nbytes + large.indices.nbytes


def test_a_file_is_closed_after_each_pass(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = write_cells(path_of(tmp_path), X, OBS)
    rows = scan_cells(path, "type", batch_rows=7)
    rows.head()
    list(rows.blocks())
    with pytest.raises(ZeroDivisionError):
        rows.reduce(lambda block: 1 / 0)
    with h5py.File(path, "r+"):  # nobody else has it open
        pass


CHANGES = {
    "gone": lambda path: shutil.rmtree(path) if path.is_dir() else path.unlink(),
    "changed": lambda path: write_cells(
        path, X[:50], {"type": OBS["type"][:50]}, "zarr 3" if path.is_dir() else "h5ad"
    ),
}


@pytest.mark.parametrize("kind", ["h5ad", "zarr 3"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_must_stay_as_it_is(change, kind, tmp_path):
    path = write_cells(path_of(tmp_path, kind), X, OBS, kind, chunks=(20,))
    rows = scan_cells(path, "type", batch_rows=7)
    what = "was removed" if change == "gone" else change
    message = f"{path.name} {what} while it was read"
    if kind == "zarr 3" or change == "gone":  # HDF5 does not let a file be written that is open
        blocks = rows.blocks()
        next(blocks)
        CHANGES[change](path)
        with pytest.raises(ValueError, match=f"{message}|{path.name} cannot be read"):
            list(blocks)
    else:
        CHANGES[change](path)
    for columns in (True, False):
        with pytest.raises(ValueError, match=message):
            next(rows.blocks(columns))


def test_a_chunk_that_changes_or_vanishes_in_a_folder(tmp_path):
    path = write_cells(path_of(tmp_path, "zarr 2"), X, OBS, "zarr 2", chunks=(20,))
    rows = scan_cells(path, "type")
    (path / "X" / "data" / "1").unlink()
    with pytest.raises(ValueError, match="changed while it was read"):
        rows.head()
    with pytest.raises(ValueError, match="lacks some of the entries"):
        scan_cells(path, "type")


def edited(key, change):
    def edit(path):
        import h5py

        with h5py.File(path, "r+") as file:
            change(file, key)

    return edit


def value(place, number):
    def change(file, key):
        file[key][place] = number

    return change


def replaced(values):
    def change(file, key):
        del file[key]
        if values is not None:
            file[key] = values

    return change


def broken_chunk(path):
    import h5py

    with h5py.File(path, "r") as file:
        info = file["X/data"].id.get_chunk_info(0)
    with path.open("r+b") as file:
        file.seek(info.byte_offset)
        file.write(b"\xff" * info.size)


def cut(path):
    path.write_bytes(path.read_bytes()[:-2000])


def unwritten(file, key):
    n = file[key].shape
    del file[key]
    file.create_dataset(key, shape=n, dtype="f4")


FAULTS = {
    "a broken chunk": (broken_chunk, "cells.h5ad cannot be read; is it damaged"),
    "cut off": (cut, "cells.h5ad cannot be read; is it damaged"),
    "no HDF5": (lambda path: path.write_text("text"), "cells.h5ad cannot be read; is it damaged"),
    "empty": (lambda path: path.write_text(""), "cells.h5ad cannot be read; is it damaged"),
    "a column beyond": (edited("X/indices", value(30, 99)), "an entry in column 99, of columns 0 to 11"),
    "a column before": (edited("X/indices", value(0, -3)), "an entry in column -3, of columns 0 to 11"),
    "rows in disorder": (edited("X/indptr", value(9, 2)), "row 9 ends before it begins"),
    "rows beyond the end": (edited("X/indptr", value(-1, 10**6)), "arrays do not fit each other"),
    "rows from nowhere": (edited("X/indptr", value(0, 1)), "arrays do not fit each other"),
    "too few rows": (
        edited("X/indptr", replaced(np.zeros(3, int))),
        r"a column has the shape \(3,\), for 61",
    ),
    "no indices": (edited("X/indices", replaced(None)), "cells.h5ad cannot be read"),
    "fractions for columns": (edited("X/indices", replaced(np.zeros(X.nnz))), "do not fit each other"),
    "entries nobody wrote": (edited("X/data", unwritten), "lacks some of the entries of its sparse matrix"),
    "texts": (edited("X/data", replaced(["a"] * X.nnz)), "must hold numbers as X; it holds object"),
    "no matrix": (edited("X", replaced(None)), "cells.h5ad holds no matrix X"),
    "three dimensions": (edited("X", replaced(np.zeros((2, 2, 2)))), "must hold a table as X"),
    "an unknown matrix": (
        edited("X", lambda file, key: file[key].attrs.modify("encoding-type", "coo")),
        "in a form that is not known",
    ),
    "no obs": (edited("obs", replaced(None)), "holds no table 'obs' as AnnData writes it"),
    "an old obs": (edited("obs", replaced(np.zeros(60, "i4,f4"))), "since version 0.7"),
    "a name too few": (edited("var/_index", replaced(["g"] * 11)), r"the shape \(11,\), for 12 rows"),
    "a label too few": (edited("obs/type/codes", replaced(np.zeros(59, int))), "is damaged"),
    "no such category": (edited("obs/type/codes", value(3, 4)), "a category beyond the 4 there are"),
    "fractions for labels": (edited("obs/type/codes", replaced(np.zeros(60))), "has no numbers, or"),
    "a category twice": (edited("obs/type/categories", replaced(list("aabc"))), "or a category twice"),
    "a column that is not there": (edited("obs/type", replaced(None)), "cells.h5ad cannot be read"),
    "no rows": (lambda path: write_cells(path, X[:0], {"type": OBS["type"][:0]}), "cells.h5ad has no rows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_damage_is_said_in_a_sentence(fault, tmp_path):
    path = write_cells(path_of(tmp_path), X, OBS, "packed h5ad")
    damage, message = FAULTS[fault]
    damage(path)
    with pytest.raises(ValueError, match=message):
        list(scan_cells(path, "type", batch_rows=7).blocks())
    with pytest.raises(ValueError, match=f"{message}|is empty"):
        read_content(path)


def test_damage_in_a_folder(tmp_path):
    path = write_cells(path_of(tmp_path, "zarr 3"), X, OBS, "zarr 3", chunks=(20,))
    (path / "X" / "data" / "c" / "2").write_bytes(b"no numbers")
    with pytest.raises(ValueError, match=r"cells\.zarr cannot be read; is it damaged"):
        list(scan_cells(path, "type").blocks())
    (path / "zarr.json").unlink()
    with pytest.raises(ValueError, match=r"cells\.zarr cannot be read; is it damaged"):
        scan_cells(path, "type")


REFUSED = {
    "no such file": ({"data": "none.h5ad"}, FileNotFoundError, "File not found: 'none.h5ad'"),
    "no path": ({"data": 3}, TypeError, "a path or an AnnData object; got int"),
    "no such target": ({"target": "typ"}, ValueError, r"no column 'typ' in obs. Did you mean 'type'\?"),
    "a number for a target": ({"target": 3}, TypeError, "the name of a column of obs"),
    "no targets": ({"target": []}, TypeError, "the name of a column of obs"),
    "texts among targets": ({"target": ["age", "type"]}, ValueError, "target must name columns of numbers"),
    "rounded targets": (
        {"target": ["age", "long"]},
        ValueError,
        "'long' of cells.h5ad holds integers beyond",
    ),
    "texts for weights": ({"sample_weight": "text"}, ValueError, "sample_weight must name columns of num"),
    "weights with gaps": ({"sample_weight": "gap"}, ValueError, "sample_weight 'gap' .* in 52 rows.* row 9"),
    "no such weights": ({"sample_weight": "wait"}, ValueError, r"Did you mean 'weight'\?"),
    "no such variable": ({"columns": ["g1", "h1"]}, ValueError, "has no variable 'h1'"),
    "no such variable to drop": ({"drop": ["g99"]}, ValueError, "has no variable 'g99'. Did you mean"),
    "a variable twice": ({"columns": ["g1", "g1"]}, ValueError, "columns must name each variable once"),
    "a text of columns": ({"columns": "g1"}, TypeError, "columns must be a list of names; got 'g1'"),
    "nothing left": ({"columns": ["g1"], "drop": ["g1"]}, ValueError, "must have a variable that is left"),
    "no such layer": ({"layer": "twise"}, ValueError, r"no layer 'twise'. Did you mean 'twice'\?"),
    "half a row": ({"batch_rows": 0.5}, ValueError, "batch_rows must be a whole number of 1 or more"),
    "no rows at a time": ({"batch_rows": 0}, ValueError, "batch_rows must be a whole number of 1 or more"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_questions(case, tmp_path, monkeypatch):
    change, kind, message = REFUSED[case]
    path = write_cells(path_of(tmp_path), X, OBS, layers={"twice": X})
    monkeypatch.chdir(tmp_path)
    question = {"data": path, "target": "type", **change}
    with pytest.raises(kind, match=message):
        scan_cells(**question)


def test_what_cannot_be_read_by_rows(tmp_path):
    by_columns = write_cells(tmp_path / "csc.h5ad", X.tocsc(), OBS)
    with pytest.raises(ValueError, match=r"csc.h5ad must hold its matrix by rows.*adata.X.tocsr\(\)"):
        scan_cells(by_columns, "type")
    assert_array_equal(read_content(by_columns).X.toarray(), X.toarray())
    names = write_cells(tmp_path / "names.h5ad", X, OBS, names=["g"] * 2 + [f"h{j}" for j in range(D - 2)])
    with pytest.raises(ValueError, match=r"of the same name: 'g'. Call adata.var_names_make_unique\(\)"):
        scan_cells(names, "type")


def test_sizes_a_file_claims(tmp_path, monkeypatch):
    path = write_cells(path_of(tmp_path, "zarr 3"), X.toarray(), OBS, "zarr 3", chunks=(60, 1))
    rows = scan_cells(path, "type", batch_rows=1)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=r"cells\.zarr needs 2\.9 kB of memory"):
        rows.head()  # whose chunks have to be unpacked, all for a row


class AnnData:
    """The part of an AnnData object that is used."""

    isbacked = is_view = False

    def __init__(self, held, **how):
        self.X, self.obs, self.shape = held, pd.DataFrame(OBS), held.shape
        self.var_names, self.layers = pd.Index([f"g{j}" for j in range(D)]), {"twice": 2 * held}
        self.__dict__.update(how)


@pytest.mark.parametrize("held", [X, X.toarray(), scrambled()], ids=["sparse", "dense", "scrambled"])
def test_objects_in_memory(held):
    before = held.copy()
    data = AnnData(held)
    rows = scan_cells(data, "type", columns=["g3", "g0"], batch_rows=7)
    assert_array_equal(whole(rows), X.toarray()[:, [3, 0]])
    assert rows.head().place == ("adata", 1)
    assert_array_equal(whole(scan_cells(data, "type")), X.toarray())
    assert_array_equal(whole(scan_cells(data, "type", layer="twice")), 2 * X.toarray())
    for name, values in OBS.items():
        if not pd.isna(values).any():
            assert labels_of(scan_cells(data, name)) == values.tolist()
            continue
        with pytest.raises(ValueError, match=f"{name}' of adata is missing in"):
            scan_cells(data, name)
    if sparse.issparse(held):
        assert_array_equal(held.indices, before.indices)
        assert_array_equal(held.data, before.data)
    assert_array_equal(whole(scan_cells(AnnData(X.tocsc()), "type")), X.toarray())
    with pytest.raises(ValueError, match="adata has no layer 'twise'"):
        scan_cells(data, "type", layer="twise")
    with pytest.raises(TypeError, match=r"must be a numpy array, .*; got list. Load it with adata.to_memory"):
        scan_cells(AnnData(X, X=[[1]]), "type")


def test_objects_whose_matrix_is_in_a_file(tmp_path):
    path = write_cells(path_of(tmp_path), X, OBS, "packed h5ad")
    data = AnnData(X, X=None, isbacked=True, filename=path)
    data.obs["new"] = np.arange(N) % 4  # which the file does not know
    rows = scan_cells(data, "new", batch_rows=7)
    assert labels_of(rows) == (np.arange(N) % 4).tolist()
    assert_array_equal(whole(rows), X.toarray())
    with pytest.raises(ValueError, match=r"must not be a view: .* adata.copy\('part.h5ad'\)"):
        scan_cells(AnnData(X, isbacked=True, is_view=True, filename=path), "type")
    with pytest.raises(ValueError, match=r"has the shape \(60, 12\), the object \(50, 12\)"):
        scan_cells(AnnData(X[:50], obs=data.obs[:50], isbacked=True, filename=path), "type")


@pytest.mark.parametrize("kind", ["h5ad", "zarr"])
def test_what_anndata_writes(kind, tmp_path):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: its files are NOT tested")
    obs = pd.DataFrame(OBS, index=[f"cell{i}" for i in range(N)]).drop(columns="nullable text")
    for held in (X, X.toarray()):
        data = anndata.AnnData(sparse.csr_matrix(held) if sparse.issparse(held) else held, obs=obs)
        path = tmp_path / f"cells.{kind}"
        data.write_h5ad(path) if kind == "h5ad" else data.write_zarr(path)
        assert_array_equal(whole(scan_cells(path, "type", batch_rows=7)), X.toarray())
        for name in obs:
            if not obs[name].isna().any():
                assert labels_of(scan_cells(path, name)) == obs[name].tolist()
        if kind == "h5ad":
            backed = anndata.read_h5ad(path, backed="r")
            assert_array_equal(whole(scan_cells(backed, "type", batch_rows=7)), X.toarray())
            assert backed.isbacked
            backed.file.close()
