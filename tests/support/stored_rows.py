"""The rows of a problem in memory, in files, on Dask, or summed up; the same rows everywhere."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet
from scipy import sparse

from fisherset import Summary, scan, summarize
from support.problems import CHAIN, CSV, DASK, MEMORY, PARTS, SAVED, SPARSE, SUMMARIES, Rows

BATCH = 16  # rows of a batch or chunk


class Stored(NamedTuple):
    """The arguments of `fit` and of the functions, and the parameters that go with them."""

    X: Any
    y: Any = None
    sample_weight: Any = None
    confounders: Any = None
    adjust_for: list[int] | None = None
    groups: np.ndarray | None = None
    class_weight: Any = None
    n_columns: int = 0  # of the features, which come first

    @property
    def data(self):
        return dict(zip(self._fields[:4], self[:4], strict=True))


def store(problem, storage, weights, folder):
    """The problem in a storage; `weights` are those of the rows times those of their classes."""
    d, Z, X, groups = problem.X.shape[1], problem.confounders, problem.X, problem.groups
    mine = problem.weights if storage not in SUMMARIES else weights
    rows, adjust_for = Rows(X, problem.y, mine, Z), None
    extra = list(problem.extra)
    if Z is not None and (problem.adjust or storage in ("Parquet", "CSV")):
        adjust_for, rows = list(range(d, d + Z.shape[1])), _joined(rows)
        extra = [_joined(some) for some in extra]
        if groups is not None:
            groups = np.r_[groups, groups.max() + 1 + np.arange(Z.shape[1])]
    class_weight = None if storage in SUMMARIES else problem.class_weight
    rest = {"adjust_for": adjust_for, "groups": groups, "class_weight": class_weight, "n_columns": d}
    if storage == MEMORY:
        named = _with_labels(problem) if problem.categories and adjust_for is None else rows.confounders
        return Stored(rows.X, rows.y, rows.weights, named, **rest)
    if storage == SPARSE:
        return Stored(sparse.csr_array(rows.X), *rows[1:], **rest)
    if storage == DASK:
        return Stored(*_chunked(rows), **rest)
    if storage in SUMMARIES:
        return Stored(_summed(rows, extra, storage, folder, seed=d + len(problem.y)), **rest)
    return Stored(_scanned(rows, storage, folder), **rest)


def _joined(rows):
    """The same with the confounders as the last columns of the table."""
    stack = sparse.hstack if sparse.issparse(rows.X) else np.hstack
    if sparse.issparse(rows.X):
        X = stack([rows.X, sparse.csr_array(rows.confounders)]).asformat(rows.X.format)
    else:
        X = stack([rows.X, rows.confounders])
    return Rows(X, rows.y, rows.weights)


def _with_labels(problem):
    """Confounders as a data frame of labels."""
    return pd.DataFrame({f"label {j}": labels for j, labels in enumerate(problem.categories)})


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X


def _chunked(rows):
    import dask.array as da

    return [
        None if part is None else da.from_array(_dense(part), chunks=(BATCH, *part.shape[1:]))
        for part in rows
    ]


def _scanned(rows, storage, folder):
    """A file of Parquet or CSV with the table, the targets and the weights."""
    X = _dense(rows.X)
    if storage == CSV:
        X = X.astype(np.float64)  # the shortest text of a float32 is that of another double
    y = rows.y.reshape(len(rows.y), -1)
    targets = [f"target {t}" for t in range(y.shape[1])]
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    columns |= {name: y[:, t] for t, name in enumerate(targets)}
    if rows.weights is not None:
        columns["weight"] = rows.weights
    table, path = pa.table({name: pa.array(np.ascontiguousarray(v)) for name, v in columns.items()}), None
    if storage == CSV:
        path = Path(folder) / "rows.csv"
        csv.write_csv(table, path)
    else:
        path = Path(folder) / "rows.parquet"
        parquet.write_table(table, path)
    target = targets[0] if len(targets) == 1 else targets
    weight = None if rows.weights is None else "weight"
    return scan(path, target, sample_weight=weight, batch_rows=BATCH)


def _summary(rows):
    task = "regression" if rows.y.dtype.kind == "f" else "classification"
    return summarize(rows.X, rows.y, sample_weight=rows.weights, confounders=rows.confounders, task=task)


def _summed(rows, extra, storage, folder, seed):
    """A summary of the rows: at once, by parts, from a file; what is extra added and subtracted again."""
    if storage == CHAIN:
        return _chain(rows, extra, seed)
    if storage == PARTS:
        return sum(_summary(part) for part in _parts(rows, seed))
    found = _summary(_stacked([*extra, rows]) if extra else rows)  # guesses are made from the first rows
    if extra:
        found = found - _summary(_stacked(extra))
    if storage == SAVED:
        path = Path(folder) / "summary.npz"
        found.save(path)
        return Summary.load(path)
    return found


def _parts(rows, seed, n=3):
    place = np.random.default_rng(seed).integers(n, size=len(rows.y))
    X = rows.X.tocsr() if sparse.issparse(rows.X) else rows.X
    return [rows._replace(X=X).some(np.flatnonzero(place == part)) for part in np.unique(place)]


def _stacked(parts):
    return Rows(*(None if some[0] is None else np.concatenate(some) for some in zip(*parts, strict=True)))


def _chain(rows, extra, seed):
    """Parts and extra rows added in some order, the extra ones subtracted one by one as it comes."""
    rng = np.random.default_rng(seed)
    sums = [_summary(some) for some in [*_parts(rows, seed), *extra]]
    order = rng.permutation(len(sums))
    found, inside = sums[order[0]], [int(order[0])]
    first = len(sums) - len(extra)
    for at in order[1:]:
        found, inside = found + sums[at], [*inside, int(at)]
        if rng.random() < 0.3 and inside[0] >= first and len(inside) > 1:
            found, inside = found - sums[inside[0]], inside[1:]
    rest = [sums[at] for at in inside if at >= first]
    if len(rest) > 2 and rng.random() < 0.5:
        return found - sum(rest[1:], rest[0])
    for some in rng.permutation(len(rest)):
        found = found - rest[some]
    return found
