"""The checks on targets that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fisherset._types import EPS, Floats
from fisherset.selectors._containers import is_array, is_masked
from fisherset.selectors._parameters import reason, shown

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
