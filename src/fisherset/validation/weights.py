"""Checks of weights: how much each sample counts, and each class, so that a rare one does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.validation.numbers import is_array, is_masked
from fisherset.validation.parameters import as_float, is_number, shown

# Class weights by name: the rows of a class count in proportion to its size to this power.
CLASS_WEIGHT_POWERS = {"balanced": -1.0, "sqrt": -0.5}


def check_weights(
    sample_weight: Any, n_samples: int, codes: Indices | None = None, n_classes: int = 0
) -> Floats | None:
    """Weights as an array, None where all are one; two samples, or classes by `codes`, must keep some."""
    if sample_weight is None:
        return None
    weights = weights_of_rows(sample_weight, n_samples)
    if codes is None:
        check_weight_left(weights, "samples")
    else:
        check_weight_left(np.bincount(codes, weights, minlength=n_classes).astype(np.float64))
    return None if (weights == 1.0).all() else weights


def weights_of_rows(sample_weight: Any, n_samples: int) -> Floats:
    """A weight for each row, finite and not negative."""
    weights = _as_weights(sample_weight, n_samples)
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(
            f"sample_weight must be finite and not negative; got {bad:g}. "
            f"Use a weight of 0 to leave a sample out."
        )
    return weights


def check_total_weight(total: float) -> None:
    """A total that can be computed with."""
    if total and not 1e-100 < total < 1e100:
        raise ValueError(
            f"sample_weight must sum to a number between 1e-100 and 1e100; got {total:g}. "
            f"Divide the weights by their mean."
        )


def check_weight_left(of_classes: Floats, what: str = "classes") -> None:
    """Two classes or more with weight, and a total that can be computed with."""
    with np.errstate(over="ignore"):
        check_total_weight(float(of_classes.sum()))
    classes_left = np.count_nonzero(of_classes)
    if classes_left < 2:
        raise ValueError(
            f"sample_weight must leave at least two {what} with weight; got {classes_left}: all samples "
            f"of the others weigh zero."
        )


def _as_weights(sample_weight: Any, n_samples: int) -> Floats:
    if is_number(sample_weight):
        return np.full(n_samples, as_float(sample_weight))
    if is_masked(sample_weight):
        raise ValueError(
            "sample_weight must not have masked entries. Use a weight of 0 to leave a sample out."
        )
    weights = _as_array(sample_weight)
    if weights is None:
        raise TypeError(f"sample_weight must be an array of numbers or None; got {shown(sample_weight)}.")
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} samples (1D array); "
            f"got shape {weights.shape}."
        )
    with np.errstate(over="ignore"):
        return weights.astype(np.float64)


def _as_array(weights: Any) -> NDArray[Any] | None:
    """An array of numbers; None where there is none."""
    if not is_array(weights):
        return None
    try:
        array = np.asarray(weights)
        if array.dtype == object and not any(isinstance(entry, str | bytes) for entry in array.tolist()):
            array = array.astype(np.float64)  # None, Decimal and the like
    except Exception:  # of any kind: each library has its own
        return None
    return array if array.dtype.kind in "biuf" else None


def check_relaxed_weights(weights: Any, n_units: int) -> Floats:
    """Relaxed weights of all features, or groups: numbers from 0 to 1, but for rounding."""
    array = None if is_masked(weights) else _as_array(weights)
    if array is None or array.shape != (n_units,) or not ((array >= 0) & (array <= 1 + 1e-6)).all():
        raise ValueError(
            f"weights must be {n_units} numbers from 0 to 1, as scores_ of a joint selector; got "
            f"{shown(weights)}."
        )
    return np.minimum(array.astype(np.float64), 1.0)


def weigh_classes(
    class_weight: Any, classes: NDArray[Any], codes: Indices, weights: Floats | None
) -> Floats | None:
    """Weights of the rows, times those of their classes."""
    of_rows = np.ones(codes.size) if weights is None else weights
    sizes = np.bincount(codes, of_rows, minlength=classes.size).astype(np.float64)
    factors = class_factors(class_weight, classes, sizes)
    return check_weights(of_rows * factors[codes], codes.size, codes, classes.size)


def class_factors(class_weight: Any, classes: NDArray[Any], sizes: Floats) -> Floats:
    """Weight of a row of each class, from the sizes of the classes, which are the sums of their weights.

    Those by name leave the total as it is.
    """
    if isinstance(class_weight, Mapping):
        return _given(class_weight, classes)
    if not isinstance(class_weight, str) or class_weight not in CLASS_WEIGHT_POWERS:
        raise (ValueError if isinstance(class_weight, str) else TypeError)(
            f'class_weight must be "balanced", "sqrt", a mapping or None; got {shown(class_weight)}.'
        )
    present = sizes > 0
    factors = np.zeros(classes.size)
    factors[present] = sizes[present] ** CLASS_WEIGHT_POWERS[class_weight]
    factors *= sizes.sum() / (factors @ sizes)
    return factors


def _given(class_weight: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    labels = classes.tolist()
    lacking = [label for label in labels if label not in class_weight]
    if lacking:
        raise ValueError(
            f"class_weight must have a weight for each class; it has none for {shown(lacking[0])}."
        )
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(f"class_weight must name classes of y; {shown(unknown[0])} is not one of them.")
    for label in labels:
        weight = class_weight[label]
        if not is_number(weight) or not 0 <= as_float(weight) < np.inf:
            raise ValueError(
                f"class_weight must be finite and not negative; got {shown(weight)} for {shown(label)}."
            )
    return np.array([as_float(class_weight[label]) for label in labels])
