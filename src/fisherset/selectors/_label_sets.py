"""The checks on targets that are sets of labels, given as an indicator."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats
from fisherset.selectors._containers import is_frame, labels_of_columns
from fisherset.selectors._parameters import shown
from fisherset.sources import Matrix


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
