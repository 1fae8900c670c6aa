"""The same rows out of core: in files, queries, summaries and clusters."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from scipy import sparse

from fisherset import scan, summarize
from support.anndata_files import write_cells

ODD_NAMES = {1: 'say "so", twice', 2: "ü = 1", 3: "a\tb", 4: "'"}
LABEL, WEIGHT = "label", "weight"


class Given(NamedTuple):
    """Rows in memory with their targets, weights and confounders."""

    X: Any
    y: Any
    sample_weight: Any = None
    confounders: Any = None

    @property
    def arguments(self):
        """The arguments of `fit`."""
        return self._asdict()

    def rows(self, some):
        return Given(*(None if part is None else part[some] for part in self))

    @property
    def dense(self):
        return self.X.toarray() if sparse.issparse(self.X) else self.X

    @property
    def names(self):
        return [ODD_NAMES.get(j, f"x{j}") for j in range(self.X.shape[1])]

    @property
    def targets(self):
        """Names of the targets with their values."""
        if self.y.ndim == 1:
            return {LABEL: self.y}
        return {f"{LABEL}{j}": self.y[:, j] for j in range(self.y.shape[1])}

    @property
    def beside(self):
        """All that files hold besides X."""
        return self.targets | ({} if self.sample_weight is None else {WEIGHT: self.sample_weight})

    @property
    def frame(self):
        return pd.DataFrame(self.dense, columns=self.names).assign(**self.beside)

    @property
    def table(self):
        return pa.Table.from_pandas(self.frame, preserve_index=False)

    def scan(self, paths, batch_rows=None):
        """The table that is there as a scan."""
        targets = list(self.targets)
        weight = None if self.sample_weight is None else WEIGHT
        target = targets[0] if len(targets) == 1 else targets
        return {"X": scan(paths, target, sample_weight=weight, batch_rows=batch_rows)}

    def parts(self, n, seed=0):
        """The rows in so many parts, at random."""
        place = np.random.default_rng(seed).integers(n, size=len(self.y))
        return [self.rows(np.flatnonzero(place == part)) for part in np.unique(place)]


def one_parquet(given, folder, batch_rows=None):
    parquet.write_table(given.table, folder / "rows.parquet", row_group_size=50)
    return given.scan(folder / "rows.parquet", batch_rows)


def many_parquets(given, folder, batch_rows=None):
    """Files of one row and of many, with columns in other orders, read by a pattern."""
    for j, (start, stop) in enumerate(pairwise([0, 1, 2, 50, len(given.y)])):
        part = given.table.slice(start, stop - start)
        parquet.write_table(part.select(part.column_names[:: -1 if j % 2 else 1]), folder / f"{j}.parquet")
    table = given.scan(str(folder / "*.parquet"), batch_rows)
    assert table["X"].names == given.names
    return table


def csv_file(given, folder, batch_rows=None):
    csv.write_csv(given.table, folder / "rows.csv")
    return given.scan(folder / "rows.csv", batch_rows)


def arrow_file(given, folder, batch_rows=None):
    feather.write_feather(given.table, folder / "rows.feather", chunksize=50, compression="lz4")
    return given.scan(folder / "rows.feather", batch_rows)


def hive_folder(given, folder, batch_rows=None):
    """A folder for each label, which its files do not say any more; the rows are in another order."""
    table, target = given.table, next(iter(given.targets))
    for j, label in enumerate(table.column(target).unique()):
        some = table.filter(pa.compute.equal(table.column(target), label))
        place = folder / f"{target}={label}"
        place.mkdir()
        parquet.write_table(some.drop_columns([target]), place / f"{j}.parquet")
    return given.scan(folder, batch_rows)


def lazy_frame(given, folder, batch_rows=None):
    polars = pytest.importorskip("polars")
    return given.scan(polars.from_arrow(given.table).lazy(), batch_rows)


def relation(given, folder, batch_rows=None):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", given.table)
    found = given.scan(connection.table("rows"), batch_rows)
    found["X"].connection = connection  # which would be closed when nobody holds it
    return found


def cells(kind, form):
    """A file of cells, its matrix CSR or dense."""

    def stored(given, folder, batch_rows=None):
        obs = {name: np.asarray(of_rows) for name, of_rows in given.beside.items()}
        obs = {name: v.astype(object) if v.dtype.kind == "U" else v for name, v in obs.items()}
        suffix = "zarr" if "zarr" in kind else "h5ad"
        path = folder / f"cells.{suffix}"
        write_cells(path, form(given.dense), obs, kind, names=given.names)
        return given.scan(path, batch_rows)

    return stored


def added_up(given, folder, seed=0):
    """Summaries of random parts."""
    task = "regression" if given.y.dtype.kind == "f" else "classification"
    return {"X": sum(summarize(**part.arguments, task=task) for part in given.parts(5, seed))}


def dask_array(chunks, kind=None, hidden=False, y_chunks=None):
    """An array of Dask cut in some way, its blocks of some kind, its rows perhaps not counted."""

    def stored(given, folder):
        da = pytest.importorskip("dask.array")
        n, d = given.X.shape
        X = da.from_array(given.dense, chunks=chunks(n, d))

        def cut(part):
            rows = y_chunks or (X.chunks[0],)
            return da.from_array(part, chunks=rows if part.ndim == 1 else (*rows[:1], part.shape[1]))

        beside = [None if part is None else cut(part) for part in given[1:]]
        X = X if kind is None else X.map_blocks(kind)
        if hidden:
            every = da.from_array(np.ones(n, bool), chunks=(X.chunks[0],))
            X, *beside = (None if part is None else part[every] for part in (X, *beside))
        return dict(zip(Given._fields, (X, *beside), strict=True))

    return stored


def dask_frame(given, folder):
    dd = pytest.importorskip("dask.dataframe")
    Z = given.confounders
    more = {} if Z is None else {f"z{j}": Z[:, j] for j in range(Z.shape[1])}
    frame = dd.from_pandas(given.frame.assign(**more), npartitions=4)
    targets = list(given.targets)
    return {
        "X": frame[given.names],
        "y": frame[targets[0]] if len(targets) == 1 else frame[targets],
        "sample_weight": None if given.sample_weight is None else frame[WEIGHT],
        "confounders": None if Z is None else frame[list(more)],
    }


FILES = {
    "Parquet": one_parquet,
    "Parquet files": many_parquets,
    "CSV": csv_file,
    "Arrow": arrow_file,
    "folders": hive_folder,
    "LazyFrame": lazy_frame,
    "relation": relation,
    "h5ad": cells("h5ad", sparse.csr_array),
    "h5ad, dense": cells("packed h5ad", np.asarray),
    "zarr": cells("zarr 3", sparse.csr_array),
}
SUMS = {"summaries": added_up}
DASK = {
    "Dask, uneven": dask_array(lambda n, d: ((1, 30, n - 31), d)),
    "Dask, unknown": dask_array(lambda n, d: (n // 3, d), hidden=True),
    "Dask, wide": dask_array(lambda n, d: (n // 4, 5), y_chunks=(17,)),
    "Dask, sparse": dask_array(lambda n, d: (n // 3, d // 2), sparse.csr_array, hidden=True),
    "Dask frame": dask_frame,
}
WAYS = {**FILES, **SUMS, **DASK}
