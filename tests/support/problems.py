"""A table and a question about it, whose answer `certificate_oracle.py` checks."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

# How a problem is asked: by a fit of any solver, by `certify` on a subset, by `near_best`, or as a training
# part of a cross-validation, whose statistics are those of the table less those of the fold. An exact fit
# is asked as it is, or (SEARCH) with nothing spared by trying all sets.
JOINT, CUTS, EXACT, SEARCH = "joint", "cutting-plane", "exact", "exact search"
CERTIFY, FOLD, NEAR = "certify", "fold", "near_best"
# Where rows are. A chain is a sum and difference of many summaries.
MEMORY, SPARSE, PARQUET, CSV, DASK = "memory", "sparse", "Parquet", "CSV", "Dask"
SUMMARY, PARTS, SAVED, CHAIN = "summary", "parts", "saved", "chain"
SCANS, SUMMARIES = (PARQUET, CSV), (SUMMARY, PARTS, SAVED, CHAIN)
WITHIN = 0.05  # range of near_best


class Rows(NamedTuple):
    """Some rows of a table, and what belongs to them."""

    X: Any
    y: np.ndarray
    weights: np.ndarray | None = None
    confounders: np.ndarray | None = None

    def some(self, at):
        return Rows(*(None if part is None else part[at] for part in self))


@dataclass(frozen=True)
class Problem:
    """A table and what is asked about it."""

    name: str  # the seed, or the name of a case
    family: str
    X: Any
    y: np.ndarray
    gamma: float
    k: int
    way: str = JOINT
    weights: np.ndarray | None = None
    standardize: bool = True
    subset: np.ndarray | None = None  # the columns to certify
    fold: np.ndarray | None = None  # the rows left out
    groups: np.ndarray | None = None  # a label for each column
    keep: tuple[int, ...] = ()  # columns, or labels of groups
    exclude: tuple[int, ...] = ()
    class_weight: Any = None
    confounders: np.ndarray | None = None
    categories: tuple[np.ndarray, ...] = ()  # labels whose indicators are the last of the confounders
    adjust: bool = False  # whether the confounders are columns of the table, named by adjust_for
    storages: tuple[str, ...] = (MEMORY,)  # where the same rows are asked of
    extra: tuple[Rows, ...] = ()  # rows that are added to a summary and subtracted again
    exactly: bool = False  # whether the truth takes 120 digits

    @property
    def plain(self):
        """Whether every set of k columns may be chosen, to tell classes apart as they are."""
        asked = self.groups, self.confounders, self.class_weight
        limited = self.keep or self.exclude or not all(part is None for part in asked)
        return not (limited or self.numbers or self.missing)

    @property
    def numbers(self):
        """Whether the targets are numbers, or sets of labels, which the truth takes as such."""
        return self.y.dtype.kind == "f" or self.y.ndim == 2

    @property
    def missing(self):
        """Whether some values are missing."""
        return bool(np.isnan(self.X.data if sparse.issparse(self.X) else self.X).any())

    def sets(self):
        """All sets of columns that may be chosen."""
        labels = np.arange(self.X.shape[1]) if self.groups is None else self.groups
        free = np.setdiff1d(labels, [*self.keep, *self.exclude])
        for some in combinations(free, self.k - len(self.keep)):
            yield tuple(np.flatnonzero(np.isin(labels, [*self.keep, *some])))

    @property
    def rest(self):
        """The rows that count."""
        rows = np.arange(len(self.y))
        return rows if self.fold is None else np.setdiff1d(rows, self.fold)
