"""A small table written to files that are scanned, and what is scanned put together again."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, feather, parquet
from scipy import sparse

from fisherset.data import Coded

N = 53


def frame(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32),
            "whole": rng.integers(-9, 9, n),
            "flag": rng.integers(0, 2, n).astype(bool),
            "weight": rng.integers(1, 4, n).astype(float),
            "kind": np.array(["low", "middle", "high"])[rng.integers(0, 3, n)],
        }
    )


FEATURES = ["real", "single", "whole", "flag"]


def write(path, table, **options):
    """A file of the kind its suffix says."""
    name = path.name
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    if name.endswith(".parquet"):
        parquet.write_table(arrow, path, row_group_size=options.get("group", 11))
    elif name.endswith((".feather", ".arrow")):
        feather.write_feather(arrow, path, chunksize=options.get("group", 11), compression="lz4")
    elif name.endswith(".tsv"):
        csv.write_csv(arrow, path, csv.WriteOptions(delimiter="\t"))
    elif name.endswith(".csv.gz"):
        path.write_bytes(gzip.compress(table.to_csv(index=False).encode()))
    else:
        csv.write_csv(arrow, path)
    return path


def labels_of(y):
    return np.array(y.labels, dtype=object)[y.codes] if isinstance(y, Coded) else y


def together(table, columns=True):
    """All blocks of a table, put together."""
    blocks = list(table.blocks(columns))
    X = [block.X.toarray() if sparse.issparse(block.X) else block.X for block in blocks]
    weights = [block.weight for block in blocks]
    y = np.concatenate([labels_of(block.y) for block in blocks])
    return np.vstack(X), y, None if weights[0] is None else np.concatenate(weights)
