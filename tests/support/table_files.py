"""A small labelled table, written to a file of every kind."""

import numpy as np
import pandas as pd
from sklearn.datasets import dump_svmlight_file

from support.anndata_files import write_cells


def frame(n=90):
    """Three classes; g0 and g1 tell them apart, colour and flag do not."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 6))
    X[:, 0] += y
    X[:, 1] -= 2 * (y == 1)
    table = pd.DataFrame(X.round(6), columns=[f"g{j}" for j in range(6)])
    table["colour"] = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
    table["flag"] = rng.integers(0, 2, n).astype(bool)
    table["kind"] = np.array(["low", "middle", "high"])[y]
    return table


def numbers(table):
    return table.drop(columns=["colour", "flag", "kind"]).to_numpy(), table["kind"].to_numpy()


def write_csv(path, table):
    table.to_csv(path, index=False)


def write_tsv(path, table):
    table.to_csv(path, index=False, sep="\t")


def write_bom(path, table):
    table.to_csv(path, index=False, encoding="utf-8-sig")


def write_crlf(path, table):
    table.to_csv(path, index=False, lineterminator="\r\n")


def write_npz(path, table):
    X, labels = numbers(table)
    classes, y = np.unique(labels.astype(str), return_inverse=True)
    names = [name for name in table if name.startswith("g")]
    np.savez(path, X=X, y=y.astype(np.int32), classes=classes, feature_names=np.array(names, dtype=str))


def write_svmlight(path, table):
    X, labels = numbers(table)
    dump_svmlight_file(X, np.unique(labels.astype(str), return_inverse=True)[1], str(path), zero_based=True)


def write_h5ad(path, table):
    X, labels = numbers(table)
    write_cells(path, X, {"kind": pd.Categorical(labels.astype(object))})


def holed():
    table = frame()
    table.loc[[3, 50], "g1"] = np.nan
    table.loc[[7], "colour"] = None
    return table
