"""Cells in files as AnnData's documents describe them, written by h5py and zarr alone."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

KINDS = ("h5ad", "packed h5ad", "zarr 2", "zarr 3")


def cells(n=60, d=12, density=0.3):
    """A matrix with an empty row, and what is noted of its rows: a column of every kind."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, d)) < density, rng.normal(size=(n, d)), 0).astype(np.float32)
    X[5] = 0
    obs = {
        "type": pd.Categorical(np.array(["T", "B", "ü"])[rng.integers(0, 3, n)], ["B", "none", "ü", "T"]),
        "batch": pd.Categorical(rng.integers(5, 8, n)),
        "holed": pd.Categorical(np.where(np.arange(n) % 7 == 3, None, "q")),
        "text": np.array(["x", "long text", "ö"], dtype=object)[rng.integers(0, 3, n)],
        "cluster": np.array(["0", "10", "2"], dtype=object)[rng.integers(0, 3, n)],
        "count": rng.integers(0, 4, n),
        "yes": rng.random(n) < 0.5,
        "age": rng.normal(size=n),
        "gap": np.where(np.arange(n) < 8, 1.0, np.nan),
        "long": np.arange(n) + 2**53,
        "nullable": pd.array(np.arange(n) % 3, dtype="Int64"),
        "nullable gap": pd.array([None if i in (4, 9) else i % 3 for i in range(n)], dtype="Int64"),
        "nullable yes": pd.array(np.arange(n) % 2 == 0, dtype="boolean"),
        "nullable text": pd.array(np.array(["p", "q"])[np.arange(n) % 2], dtype="string"),
        "weight": rng.random(n),
    }
    return sparse.csr_array(X), obs


@contextmanager
def created(path, kind):
    """The outermost group of a new file or folder, and what puts an array into a group."""
    if "zarr" in kind:
        zarr = pytest.importorskip("zarr", reason="zarr is not installed: .zarr is NOT tested")
        old = zarr.__version__.startswith("2.")
        if old and kind == "zarr 3":
            pytest.skip("zarr 2 does not write the third format")
        version = {} if old else {"zarr_format": int(kind[-1])}
        yield zarr.open_group(str(path), mode="w", **version), _put_old_zarr if old else _put_zarr
    else:
        h5py = pytest.importorskip("h5py", reason="h5py is not installed: .h5ad is NOT tested")
        with h5py.File(path, "w") as file:
            yield file, _put_packed if kind.startswith("packed") else _put_plain


def _put_plain(group, name, values, **how):
    texts = values.dtype == object
    array = group.create_dataset(name, data=values.tolist() if texts else values, **how)
    return _noted(array, "string-array" if texts else "array", "0.2.0")


def _put_packed(group, name, values, chunks=None):
    chunks = True if chunks is None else chunks
    return (
        _put_plain(group, name, values, compression="gzip", chunks=chunks)
        if values.size
        else _put_plain(group, name, values)
    )


def _put_zarr(group, name, values, chunks=None):
    texts = values.dtype == object
    if texts:  # of any length, where numpy knows such
        values = values.astype(np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else str)
    array = group.create_array(name, data=values, chunks="auto" if chunks is None else chunks)
    return _noted(array, "string-array" if texts else "array", "0.2.0")


def _put_old_zarr(group, name, values, chunks=None):
    import numcodecs

    texts = {"object_codec": numcodecs.VLenUTF8()} if values.dtype == object else {}
    array = group.create_dataset(name, data=values, chunks=True if chunks is None else chunks, **texts)
    return _noted(array, "string-array" if texts else "array", "0.2.0")


def _noted(item, kind, version, **attributes):
    for key, value in {"encoding-type": kind, "encoding-version": version, **attributes}.items():
        item.attrs[key] = value
    return item


def write_cells(path, X, obs, kind="h5ad", *, layers=None, rows=None, names=None, chunks=None, old=False):
    """A matrix, CSR, CSC or dense, with columns of its rows; `old` as anndata 0.7 wrote them."""
    with created(path, kind) as (root, put):
        _noted(root, "anndata", "0.1.0")
        _put_matrix(root, put, "X", X, chunks)
        root.create_group("layers")
        for name, layer in (layers or {}).items():
            _put_matrix(root["layers"], put, name, layer, chunks)
        n, d = X.shape
        _put_table(root, put, "obs", obs, [f"cell{i}" for i in range(n)] if rows is None else rows, old)
        _put_table(root, put, "var", {}, [f"g{j}" for j in range(d)] if names is None else names, old)
    return path


def _put_matrix(group, put, name, X, chunks):
    if not sparse.issparse(X):
        put(group, name, X, chunks=chunks)
        return
    stored = _noted(group.create_group(name), f"{X.format}_matrix", "0.1.0", shape=list(X.shape))
    for part in ("data", "indices", "indptr"):
        put(stored, part, getattr(X, part), chunks=None if part == "indptr" else chunks)


def _put_table(root, put, name, columns, index, old):
    version = "0.1.0" if old else "0.2.0"
    table = _noted(root.create_group(name), "dataframe", version, _index="_index")
    table.attrs["column-order"] = list(columns)
    put(table, "_index", np.array(index, dtype=object))
    for key, values in columns.items():
        if isinstance(values, pd.Categorical):
            _put_categories(table, put, key, values, old)
        elif isinstance(values, np.ndarray):
            put(table, key, values)
        else:
            text = values.dtype == "string"
            kind = "nullable-string-array" if text else f"nullable-{values.dtype.name.lower()}"
            stored = _noted(table.create_group(key), kind, "0.1.0")
            filled = values.to_numpy(dtype=object, na_value="" if text else 0)
            put(stored, "values", filled if text else filled.astype(values.dtype.numpy_dtype))
            put(stored, "mask", np.asarray(values.isna()))


def _put_categories(table, put, key, values, old):
    categories = values.categories.to_numpy()
    categories = categories if categories.dtype.kind == "i" else categories.astype(object)
    if not old:
        stored = _noted(table.create_group(key), "categorical", "0.2.0", ordered=False)
        put(stored, "codes", values.codes)
        put(stored, "categories", categories)
        return
    where = table.require_group("__categories")
    put(where, key, categories)
    array = put(table, key, values.codes)
    array.attrs["categories"] = where[key].ref if hasattr(where[key], "ref") else f"__categories/{key}"
