"""Columns by number, by name or by a boolean mask: parsed here for all that name columns of a table."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.validation.parameters import is_integer, shown
from fisherset.validation.table import is_out_of_core


def width_of(X: Any) -> int:
    """Number of columns of a checked table, in memory or out of core."""
    return int(X.n_columns if is_out_of_core(X) else X.shape[1])


class ColumnIndex:
    """Numbers of the columns of a table, by number, name or mask."""

    def __init__(self, n_columns: int, names: Any) -> None:
        self.n_columns = n_columns
        self.names: list[Any] | None = None if names is None else list(names)
        self.times = Counter(self.names or ())
        self._numbers = {name: j for j, name in enumerate(self.names or ())}

    def number(self, item: Any) -> int | None:
        """Column that one item names or numbers; None where there is none, or more than one."""
        if is_integer(item):
            return int(item) if 0 <= item < self.n_columns else None
        return self._numbers[item] if isinstance(item, str) and self.times[item] == 1 else None

    def of_column(self, item: Any) -> list[int]:
        """Columns `item=value` that were made of the values of a column of strings, or mark missing ones."""
        prefix = f"{item}=" if isinstance(item, str) else None
        return [j for j, name in enumerate(self.names or ()) if prefix and str(name).startswith(prefix)]

    def in_order(self, values: Any) -> Any:
        """One value for each column, in their order: the index of a series may have another."""
        if self.names is None or not hasattr(values, "iloc") or set(values.index) != set(self.names):
            return values
        return values.loc[self.names]

    def of_mask(self, name: str, given: Any) -> Indices | None:
        """Columns that a boolean mask selects; None for anything but a mask."""
        items = entries(given)
        if not items or not all(isinstance(item, bool | np.bool_) for item in items):
            return None
        if len(items) != self.n_columns:
            raise ValueError(
                f"{name} as a boolean mask must have one entry for each of the {self.n_columns} "
                f"features; got {len(items)}."
            )
        return np.flatnonzero(entries(self.in_order(given)))


def entries(given: Any) -> list[Any]:
    """Entries of a collection; a single item stands for itself."""
    if isinstance(given, str | bytes) or not np.iterable(given):
        return [given.item() if isinstance(given, np.ndarray) else given]
    return list(given.tolist() if hasattr(given, "tolist") else given)


def check_features(features: Any, n_features: int, names: Any, *, rising: bool = True) -> Indices:
    """Column numbers from numbers, names or a boolean mask; rising, or in the order given."""
    if isinstance(features, Mapping):
        raise TypeError(
            f"features must be a list or a boolean mask; got {shown(features)}. "
            f"Pass the keys you mean as a list."
        )
    if isinstance(features, Iterator):  # can be read only once
        features = list(features)
    items, index = entries(features), ColumnIndex(n_features, names)
    if not items or any(isinstance(item, list) for item in items):
        raise ValueError(
            f"features must be a non-empty list of column numbers or names, or a boolean mask; "
            f"got {shown(features)}."
        )
    chosen = index.of_mask("features", features)
    if chosen is None:
        _check_items(items, index, features)
        chosen = np.array([index.number(item) for item in items], dtype=np.intp)
    if chosen.size == 0:
        raise ValueError("features must contain at least one column; got an empty mask.")
    if np.unique(chosen).size != chosen.size:
        raise ValueError("features must not name a column twice. Drop the repeated ones.")
    return np.sort(chosen) if rising else chosen


def _check_items(items: list[Any], index: ColumnIndex, features: Any) -> None:
    """Refuse items that are neither all numbers nor all names of columns."""
    if all(is_integer(item) for item in items):
        outside = [item for item in items if index.number(item) is None]
        if outside:
            raise ValueError(
                f"features must be column numbers from 0 to {index.n_columns - 1}; got {shown(outside[0])}."
            )
        return
    if not all(isinstance(item, str) for item in items):
        raise TypeError(
            f"features must be all column numbers, all names, or a boolean mask; got {shown(features)}."
        )
    if index.names is None:
        raise ValueError(
            "features were given by name, but X has no column names that are all strings. "
            "Pass a DataFrame that has, or column numbers."
        )
    for item in items:
        if not index.times[item]:
            raise ValueError(f"features must be columns of X; {shown(item)} is not one of them.")
        if index.times[item] > 1:
            raise ValueError(
                f"features must say which column is meant; X has {index.times[item]} columns named "
                f"{shown(item)}. Rename them, or pass column numbers."
            )


def warn_constant(
    constant: NDArray[np.bool_],
    support: NDArray[np.bool_],
    what: str = "features",
    name: str = "n_features_to_select",
) -> None:
    """Warn of constant features, or groups, among the selected: too few vary."""
    n_chosen = int(np.count_nonzero(constant & support))
    if n_chosen:
        warnings.warn(
            f"{name} is larger than the number of {what} that vary, "
            f"{np.count_nonzero(~constant)}: {n_chosen} constant ones are among the selected.",
            UserWarning,
            stacklevel=3,
        )
