"""The checks on data: one sentence each, with the rule, the value and the fix.

X is checked in `table` and `numbers`, y in `targets`; here are the checks of names of columns.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.validation.numbers import check_comparable, check_magnitude, reject_nonfinite
from fisherset.validation.parameters import is_integer, shown
from fisherset.validation.table import (
    check_bare_table,
    check_container,
    check_same_columns,
    check_table,
    is_out_of_core,
)
from fisherset.validation.targets import check_labels
from fisherset.validation.weights import check_weights

__all__ = [
    "check_bare_table",
    "check_comparable",
    "check_container",
    "check_features",
    "check_labels",
    "check_magnitude",
    "check_same_columns",
    "check_table",
    "check_weights",
    "reject_nonfinite",
    "warn_constant",
    "width_of",
]


def width_of(X: Any) -> int:
    """Number of columns of a table that was checked, in memory or out of core."""
    return int(X.n_columns if is_out_of_core(X) else X.shape[1])


def check_features(features: Any, n_features: int, names: Any) -> Indices:
    """Column numbers, in column order, from numbers, a boolean mask or names."""
    items = _listed(features)
    if not items or any(isinstance(item, list) for item in items):
        raise ValueError(
            f"features must be a non-empty list of column numbers or names, or a boolean mask; "
            f"got {shown(features)}."
        )
    if all(isinstance(item, bool | np.bool_) for item in items):
        if len(items) != n_features:
            raise ValueError(
                f"features as a boolean mask must have one entry for each of the {n_features} "
                f"features; got {len(items)}."
            )
        chosen = np.flatnonzero(items)
    elif all(is_integer(item) for item in items):
        outside = [item for item in items if not 0 <= item < n_features]
        if outside:
            raise ValueError(
                f"features must be column numbers from 0 to {n_features - 1}; got {shown(outside[0])}."
            )
        chosen = np.array(items, dtype=np.intp)
    elif all(isinstance(item, str) for item in items):
        chosen = _positions(items, names)
    else:
        raise TypeError(
            f"features must be all column numbers, all names, or a boolean mask; got {shown(features)}."
        )
    if chosen.size == 0:
        raise ValueError("features must contain at least one column; got an empty mask.")
    if np.unique(chosen).size != chosen.size:
        raise ValueError("features must not name a column twice. Drop the repeated ones.")
    return np.sort(chosen)


def _listed(features: Any) -> list[Any]:
    """The entries of whatever holds them; one alone stands for itself."""
    if isinstance(features, Mapping):
        raise TypeError(
            f"features must be a list or a boolean mask; got {shown(features)}. "
            f"Pass the keys you mean as a list."
        )
    if isinstance(features, str | bytes) or not np.iterable(features):
        return [features.item() if isinstance(features, np.ndarray) else features]
    return list(features.tolist() if hasattr(features, "tolist") else features)


def _positions(items: list[str], names: list[str] | None) -> Indices:
    if names is None:
        raise ValueError(
            "features were given by name, but X has no column names that are all strings. "
            "Pass a DataFrame that has, or column numbers."
        )
    times, position = Counter(names), {name: j for j, name in enumerate(names)}
    for item in items:
        if item not in position:
            raise ValueError(f"features must be columns of X; {shown(item)} is not one of them.")
        if times[item] > 1:
            raise ValueError(
                f"features must say which column is meant; X has {times[item]} columns named {shown(item)}. "
                f"Rename them, or pass column numbers."
            )
    return np.array([position[item] for item in items], dtype=np.intp)


def warn_constant(
    constant: NDArray[np.bool_],
    support: NDArray[np.bool_],
    what: str = "features",
    name: str = "n_features_to_select",
) -> None:
    """Warn when so many features, or groups, were asked for that constant ones had to be chosen."""
    n_chosen = int(np.count_nonzero(constant & support))
    if n_chosen:
        warnings.warn(
            f"{name} is larger than the number of {what} that vary, "
            f"{np.count_nonzero(~constant)}: {n_chosen} constant ones are among the selected.",
            UserWarning,
            stacklevel=3,
        )
