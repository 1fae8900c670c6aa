"""Weights of classes: so that a rare one counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.validation.labels import check_weights
from fisherset.validation.parameters import as_float, is_number, shown

# What a class weighs in proportion to its size to this power, less one.
POWERS = {"balanced": -1.0, "sqrt": -0.5}


def weigh_classes(
    class_weight: Any, classes: NDArray[Any], codes: Indices, weights: Floats | None
) -> Floats | None:
    """Weights of the rows, times those of their classes."""
    of_rows = np.ones(codes.size) if weights is None else weights
    sizes = np.bincount(codes, of_rows, minlength=classes.size).astype(np.float64)
    factors = class_factors(class_weight, classes, sizes)
    return check_weights(of_rows * factors[codes], codes, classes.size)


def class_factors(class_weight: Any, classes: NDArray[Any], sizes: Floats) -> Floats:
    """What the rows of each class count, from the sizes of the classes, which are what their rows weigh.

    Those by name leave the total as it is.
    """
    if isinstance(class_weight, str):
        if class_weight not in POWERS:
            raise ValueError(
                f'class_weight must be "balanced", "sqrt", a mapping or None; got {shown(class_weight)}.'
            )
        present = sizes > 0
        factors = np.zeros(classes.size)
        factors[present] = sizes[present] ** POWERS[class_weight]
        factors *= sizes.sum() / (factors @ sizes)
        return factors
    if isinstance(class_weight, Mapping):
        return _given(class_weight, classes)
    raise TypeError(f'class_weight must be "balanced", "sqrt", a mapping or None; got {shown(class_weight)}.')


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
