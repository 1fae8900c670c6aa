"""The checks on targets that are numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import EPS, Floats
from fisherset.data import Matrix
from fisherset.validation.containers import is_array, is_frame, is_masked, labels_of_columns
from fisherset.validation.parameters import reason, shown

# What y holds: classes or sets of labels, numbers, or one class for each sample and nothing else.
CLASSIFICATION, REGRESSION, ONE_CLASS_EACH = "classification", "regression", "one class each"
TASKS = (CLASSIFICATION, REGRESSION)  # that can be asked for
MISSING = ("error", "mean")

ROUNDED_TARGETS = (
    "y must hold numbers that float64 can tell apart; got integers beyond 2**53. Subtract an offset."
)


def check_targets(y: Any, n_samples: int) -> Floats:
    """One or several numbers for each sample, n x p."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if not is_array(y):
        raise TypeError(f"y must be an array of numbers; got {shown(y)}.")
    if is_masked(y):
        raise ValueError("y must not have masked entries. Drop those samples.")
    try:
        array = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if array.dtype == object and not any(isinstance(entry, str | bytes) for entry in array.flat):
            array = array.astype(np.float64)
    except Exception as error:  # of any kind: each library has its own
        raise TypeError(f"y must be an array of numbers; got {shown(y)}: {reason(error)}.") from error
    if array.dtype.kind not in "biuf":
        raise TypeError(f"y must hold numbers; got {array.dtype}. Use GeneralizedFisherScore for classes.")
    targets = array.astype(np.float64)
    if array.dtype.kind in "iu" and np.any(targets.astype(array.dtype) != array):
        raise ValueError(ROUNDED_TARGETS)
    targets = targets[:, None] if targets.ndim == 1 else targets
    if targets.ndim != 2 or not targets.shape[1]:
        raise ValueError(
            f"y must be a number, or a row of numbers, for each sample; got shape {array.shape}."
        )
    if targets.shape[0] != n_samples:
        raise ValueError(
            f"X and y must have the same number of samples; got {n_samples} rows in X and "
            f"{targets.shape[0]} in y (inconsistent numbers of samples)."
        )
    if not np.isfinite(targets).all():
        raise ValueError(
            f"y must not contain NaN or infinity; {np.sum(~np.isfinite(targets))} of its values do. "
            f"Drop those samples."
        )
    return targets


def check_vary(targets: Floats, weights: Floats | None) -> None:
    """Refuse targets that are the same for all samples that count."""
    counting = targets if weights is None else targets[weights > 0]
    least, most = counting.min(axis=0), counting.max(axis=0)
    with np.errstate(over="ignore"):
        constant = np.flatnonzero(most - least <= 8 * EPS * np.maximum(np.abs(least), np.abs(most)))
    if constant.size:
        which = "it is" if targets.shape[1] == 1 else f"column {constant[0]} is"
        raise ValueError(f"y must vary; {which} constant. There is nothing to explain.")


class LabelSets(NamedTuple):
    """Which labels each sample has, n x p, and what they are called."""

    indicator: Matrix
    labels: NDArray[Any]


def label_sets(y: Any, n_samples: int) -> LabelSets | None:
    """The sets that y holds, None where it is no table of noughts and ones."""
    if sparse.issparse(y):
        indicator = sparse.csr_array(y, dtype=np.float64, copy=True)
        indicator.sum_duplicates()
        values, names = indicator.data, None
    else:
        if getattr(y, "ndim", None) != 2 and not (is_frame(y) or _is_table(y)):
            return None
        names = labels_of_columns(y) if is_frame(y) else None
        try:
            indicator = np.asarray(y)
        except Exception:  # of any kind: lists of several lengths, or what each library has of its own
            return None
        if indicator.ndim != 2 or indicator.dtype.kind not in "biuf":
            return None
        indicator = indicator.astype(np.float64)
        values = indicator
    if indicator.shape[1] < 2 or not np.isin(values, (0.0, 1.0)).all():
        return None
    if indicator.shape[0] != n_samples:
        raise ValueError(
            f"X and y must have the same number of samples; got {n_samples} rows in X and "
            f"{indicator.shape[0]} in y (inconsistent numbers of samples)."
        )
    labels = np.empty(indicator.shape[1], dtype=object)
    labels[:] = range(labels.size) if names is None else names
    return LabelSets(indicator, labels)


def check_label_sets(sets: LabelSets, weights: Floats | None) -> None:
    """Refuse labels that all samples that count have, or none."""
    counting = np.ones(sets.indicator.shape[0]) if weights is None else (weights > 0).astype(np.float64)
    counts = np.asarray(sets.indicator.T @ counting).ravel()
    constant = np.flatnonzero((counts == 0) | (counts == counting.sum()))
    if constant.size:
        j = constant[0]
        what = "no sample has it" if counts[j] == 0 else "all samples have it"
        raise ValueError(f"y must hold labels that vary; of {shown(sets.labels[j])} {what}. Drop its column.")


def _is_table(y: Any) -> bool:
    """Whether a list has lists in it."""
    return isinstance(y, list) and bool(y) and all(isinstance(row, list | tuple) for row in y)
