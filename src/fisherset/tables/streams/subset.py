"""Some of a table that stays where it is, in memory: some of its columns, or every so-many-th row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset.data import Block, Coded, Rows


@dataclass(frozen=True)
class _Pick:
    columns: Sequence[int] | None
    step: int

    def __call__(self, block: Block) -> list[tuple[Any, NDArray[Any]]]:
        X = block.X if self.columns is None else block.X[:, list(self.columns)]
        y = block.y
        if isinstance(y, Coded):
            labels = np.empty(len(y.labels), dtype=object)
            labels[:] = y.labels
            y = labels[y.codes]
        return [(X[:: self.step], np.asarray(y)[:: self.step])]


def pick(rows: Rows, columns: Sequence[int] | None = None, step: int = 1) -> tuple[Any, NDArray[Any]]:
    """Numbers and targets: one pass.

    Parameters
    ----------
    rows : Rows
        The table.
    columns : sequence of int, default=None
        The columns that are wanted; None for all.
    step : int, default=1
        Of each batch every so-many-th row is taken.

    Returns
    -------
    X : ndarray or CSR matrix
        The numbers.
    y : ndarray
        The labels, or numbers.
    """
    parts = rows.reduce(_Pick(columns, step))
    tables = [X for X, _ in parts]
    X = sparse.vstack(tables, format="csr") if sparse.issparse(tables[0]) else np.vstack(tables)
    y = np.concatenate([some for _, some in parts])
    if y.dtype == object or y.dtype.kind in "biuU":
        distinct, codes = np.unique(y, return_inverse=True)
        y = np.array(rows.labels(distinct.tolist()))[codes]
    return X, y
