"""Confounders: what is known to act on features and classes, and is taken out of both."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.statistics import Basis, Scatter
from fisherset.validation.containers import column_of, is_array, is_frame, is_masked, labels_of_columns
from fisherset.validation.labels import as_they_are
from fisherset.validation.parameters import shown, shown_some
from fisherset.validation.table import is_null

GONE = 1e-8  # share of a class that is left of it when it counts as explained


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
        return [(j, as_they_are(rows[:, j].tolist())) for j in range(rows.shape[1])]
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


def confounders_of(X: Any, confounders: Any, adjusted: Indices | None, names: Any) -> Confounders | None:
    """All confounders: a table given with X, and columns of X itself."""
    parts = [check_confounders(confounders, X.shape[0])]
    if adjusted is not None and adjusted.size:
        some = X[:, adjusted]
        numbers = np.asarray(some.toarray() if hasattr(some, "toarray") else some, dtype=np.float64)
        check_adjusted(np.all(np.isfinite(numbers), axis=0), np.arange(adjusted.size))
        parts.append(Confounders(numbers, [j if names is None else names[j] for j in adjusted.tolist()]))
    found = [part for part in parts if part is not None]
    if not found:
        return None
    return Confounders(
        np.hstack([part.values for part in found]), [name for part in found for name in part.names]
    )


def reject_doubtful(names: Sequence[Any], basis: Basis) -> None:
    """Refuse a confounder of which sums do not tell what it adds to those before it, or whether it varies."""
    if basis.doubtful.size:
        name = shown(names[int(basis.doubtful[0])])
        raise ValueError(
            f"The sums of a summary must tell its confounders apart; they do not tell {name} from a constant "
            f"or from those before it. Leave {name} out, or fit the rows themselves."
        )


def warn_dropped(names: Sequence[Any], basis: Basis) -> None:
    """Report confounders that were not used, as next to nothing is left of them once others are removed."""
    unused = list(dict.fromkeys(names[c] for c in basis.dropped.tolist()))
    if unused:
        warnings.warn(
            f"Of the confounders, {shown_some(unused)} was not used: it differs from a combination of those "
            f"before it by less than one part in 10^10. Pass the difference instead, or leave it out.",
            UserWarning,
            stacklevel=4,
        )


def check_adjusted(finite: NDArray[np.bool_], adjusted: Indices | None) -> None:
    """Refuse to take columns out of the others that are not there in every row."""
    if adjusted is not None and not finite[adjusted].all():
        raise ValueError("adjust_for must name columns without NaN or infinity. Impute them first.")


def warn_explained(scatter: Scatter, classes: NDArray[Any], names: Any, adjusted: Indices | None) -> None:
    """Say which classes and features the confounders explain wholly: nothing is left of them to select by."""
    moments = scatter.moments
    gone = np.flatnonzero((moments.TT > 0) & (moments.TT - moments.explained <= GONE * moments.TT))
    if gone.size:
        what, first = ("classes", classes[gone[0]]) if classes.size else ("targets", gone[0])
        warnings.warn(
            f"The confounders explain {gone.size} of {moments.TT.size} {what} wholly, such as "
            f"{shown(first)}: no feature can tell more of them.",
            UserWarning,
            stacklevel=4,
        )
    before = moments.squares - moments.NX[0] ** 2 / moments.n
    lost = np.flatnonzero(scatter.constant & (before > GONE * moments.squares))
    lost = lost if adjusted is None else np.setdiff1d(lost, adjusted)
    if lost.size:
        first = shown(lost[0] if names is None else names[lost[0]])
        warnings.warn(
            f"The confounders explain {lost.size} features wholly, such as {first}: nothing is left of them.",
            UserWarning,
            stacklevel=4,
        )
