"""The same table in every storage the package takes, for tests that cross them."""

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

STORAGES = {
    "C-order": np.ascontiguousarray,
    "F-order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "csr_matrix": sparse.csr_matrix,
    "coo": sparse.coo_array,
    "csr float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "pandas": lambda X: pd.DataFrame(X, columns=names(X)),
    "polars": lambda X: pl.DataFrame(X, schema=names(X)),
}


def names(X):
    return [f"column {j}" for j in range(X.shape[1])]


def tolerance(storage):
    return 1e-4 if "float32" in storage else 1e-8
