"""Tables to be read from files, made batch by batch so that they are never held whole, for `scale.py`."""

from __future__ import annotations

import numpy as np

TARGET = "label"
CLASSES = 10
INFORMATIVE, REDUNDANT = 30, 30  # columns of a table of rows
ROW_GROUP = 20_000
CELLS = 2_000  # made at a time
MARKERS, MORE = 200, 3.0  # genes that cells of a type show more often, and how many times
SHARE = 0.05  # of the entries of cells that are not nought


def label_names():
    return [f"kind {code}" for code in range(CLASSES)]


def write_rows(folder, n_rows, n_columns, n_files):
    """Parquet files of as many rows each, float64 with texts for labels; the paths."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    means = 0.2 * rng.standard_normal((INFORMATIVE, CLASSES))
    mixture = rng.standard_normal((REDUNDANT, INFORMATIVE)) / np.sqrt(INFORMATIVE)
    names = [f"x{j:04d}" for j in range(n_columns)]
    kinds = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([*((name, pa.float64()) for name in names), (TARGET, kinds)])
    paths = []
    for number in range(n_files):
        paths.append(folder / f"rows-{number:02d}.parquet")
        # numbers of which each is there once are not kept as a list of different ones
        with parquet.ParquetWriter(paths[-1], schema, use_dictionary=[TARGET]) as file:
            left = n_rows // n_files
            while left:
                size = min(ROW_GROUP, left)
                y = rng.integers(CLASSES, size=size)
                X = rng.standard_normal((n_columns, size))
                X[:INFORMATIVE] += means[:, y]
                some = X[INFORMATIVE : INFORMATIVE + REDUNDANT]
                some *= 0.5
                some += mixture @ X[:INFORMATIVE]
                labels = pa.DictionaryArray.from_arrays(pa.array(y.astype(np.int32)), label_names())
                file.write_batch(pa.record_batch([*map(pa.array, X), labels], schema=schema))
                left -= size
    return paths


def write_cells(path, n_cells, n_genes):
    """Cells as AnnData writes them to .h5ad: CSR, float32, int32, not compressed; the stored entries."""
    import h5py

    rng = np.random.default_rng(0)
    often = rng.lognormal(sigma=1.5, size=n_genes)
    chance = np.tile(np.minimum(SHARE * often / often.mean(), 0.9), (CLASSES, 1))
    for own in chance:
        markers = rng.choice(n_genes, min(MARKERS, n_genes // 10), replace=False)
        own[markers] = np.minimum(MORE * own[markers], 0.9)
    y = rng.integers(CLASSES, size=n_cells)
    ends = [np.zeros(1, dtype=np.int64)]
    with h5py.File(path, "w") as file:
        _encode(file, "anndata", "0.1.0")
        X = file.create_group("X")
        _encode(X, "csr_matrix", "0.1.0", shape=np.array([n_cells, n_genes]))
        parts = {"data": np.float32, "indices": np.int32}
        stored = {
            name: X.create_dataset(name, (0,), dtype, maxshape=(None,)) for name, dtype in parts.items()
        }
        for start in range(0, n_cells, CELLS):
            types = y[start : start + CELLS]
            there = rng.random((types.size, n_genes), dtype=np.float32) < chance[types]
            gene = np.nonzero(there)[1]
            count = np.log1p(1 + rng.standard_exponential(gene.size, dtype=np.float32))
            ends.append(ends[-1][-1] + np.cumsum(there.sum(axis=1)))
            for name, values in (("data", count), ("indices", gene)):
                stored[name].resize(int(ends[-1][-1]), axis=0)
                stored[name][int(ends[-2][-1]) :] = values
        X["indptr"] = np.concatenate(ends)
        obs, var = (_frame(file, name, size) for name, size in (("obs", n_cells), ("var", n_genes)))
        obs.attrs["column-order"] = [TARGET]
        var.attrs["column-order"] = np.empty(0, dtype=h5py.string_dtype())
        kinds = obs.create_group(TARGET)
        _encode(kinds, "categorical", "0.2.0", ordered=False)
        kinds["categories"], kinds["codes"] = label_names(), y.astype(np.int8)
        _encode(kinds["categories"], "string-array", "0.2.0")
        _encode(kinds["codes"], "array", "0.2.0")
    return int(ends[-1][-1])


def _encode(item, kind, version, **more):
    item.attrs.update({"encoding-type": kind, "encoding-version": version, **more})


def _frame(file, name, size):
    """A table of names, to which columns may be added."""
    table = file.create_group(name)
    _encode(table, "dataframe", "0.2.0", _index="_index")
    table["_index"] = [f"{name}-{number}" for number in range(size)]
    _encode(table["_index"], "string-array", "0.2.0")
    return table
