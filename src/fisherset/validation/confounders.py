"""Checks of confounders: numbers or labels that act on features and targets, which are adjusted for them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats
from fisherset.validation.numbers import column_of, is_array, is_frame, is_masked, is_null, labels_of_columns
from fisherset.validation.parameters import shown
from fisherset.validation.targets import exact_labels


class Confounders(NamedTuple):
    """Confounders as numbers, and the name of the one that each column is of: labels have several."""

    values: Floats
    names: list[Any]


def check_confounders(confounders: Any, n_samples: int, *, labels: bool = True) -> Confounders | None:
    """Confounders as numbers: numeric columns as they are, `labels` as an indicator for each value."""
    if confounders is None:
        return None
    columns = _columns(confounders)
    parts, names = [], []
    for name, values in columns:
        if len(values) != n_samples:
            raise ValueError(
                f"confounders must have one row for each of the {n_samples} samples; got {len(values)}."
            )
        parts.append(_numbers(name, values, labels))
        names += [name] * parts[-1].shape[1]
    return Confounders(np.hstack(parts), names)


def _columns(confounders: Any) -> list[tuple[Any, Any]]:
    """Name and values of each column; a series or a flat array is one."""
    if is_frame(confounders):
        return [(name, column_of(confounders, j)) for j, name in enumerate(labels_of_columns(confounders))]
    if is_masked(confounders):
        raise ValueError("confounders must not have masked entries. Fill them in, or drop those samples.")
    dense = confounders.toarray() if sparse.issparse(confounders) else confounders
    array: NDArray[Any] = np.empty(())  # what is no table
    if is_array(dense):
        with suppress(Exception):  # of any kind: lists of several lengths, or what a library has of its own
            array = np.asarray(dense)
    if isinstance(dense, list | tuple) and array.dtype.kind in "US" and array.ndim in (1, 2):
        # of numbers beside strings numpy makes strings: 1 and "1" would be one
        rows = np.array(dense, dtype=object).reshape(len(dense), -1)
        return [(j, exact_labels(rows[:, j].tolist())) for j in range(rows.shape[1])]
    if array.ndim == 1:
        return [(0, dense)]
    if array.ndim != 2 or not array.shape[1]:
        raise ValueError(f"confounders must be a table with a row for each sample; got {shown(confounders)}.")
    return [(j, array[:, j]) for j in range(array.shape[1])]


def _numbers(name: Any, values: Any, may_be_labels: bool) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind in "biuf" and str(getattr(values, "dtype", "")) != "category":
        numbers = array.astype(np.float64)[:, None]
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"confounders must not contain NaN or infinity; column {shown(name)} does. Impute it."
            )
        return numbers
    if array.dtype.kind in "mM":
        raise TypeError(
            f"confounders must hold numbers or labels; column {shown(name)} holds dates or times. Turn them "
            f"into numbers, for example days since a fixed date."
        )
    if array.dtype.kind == "c":
        raise TypeError(f"confounders must hold numbers or labels; column {shown(name)} has complex numbers.")
    labels = list(array.tolist())
    missing = sum(is_null(label) for label in labels)
    if missing:
        raise ValueError(
            f"confounders must not have missing values; column {shown(name)} has {missing}. Give them a "
            f"value of their own."
        )
    try:
        number = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    except TypeError:
        raise TypeError(f"confounders must hold numbers or labels; column {shown(name)} does not.") from None
    if not may_be_labels:
        raise TypeError(
            f"confounders must be numbers here, as labels differ from place to place; column {shown(name)} "
            f"holds labels. Pass an indicator column for each value, the same everywhere."
        )
    return np.eye(len(number))[[number[label] for label in labels]]
