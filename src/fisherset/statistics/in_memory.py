"""Rows that are at hand: their targets, weights and confounders checked, and one pass over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fisherset._types import Floats
from fisherset.data import TURNED, CountedSource, MemorySource
from fisherset.statistics import (
    Classes,
    Coding,
    Labels,
    Numbers,
    Scatter,
    SourceProducts,
    SparseColumnProducts,
    basis_from_rows,
    count_missing,
    sum_moments,
)
from fisherset.statistics.measured import ALONE, Beside, Measured
from fisherset.statistics.removal import confounders_of, warn_dropped, warn_explained
from fisherset.validation import features as check
from fisherset.validation.targets import (
    CLASSIFICATION,
    ONE_CLASS_EACH,
    REGRESSION,
    check_label_sets,
    check_targets,
    check_vary,
    label_sets,
)
from fisherset.validation.weights import weigh_classes


def measure_in_memory(
    X: Any,
    y: Any,
    names: Any,
    beside: Beside = ALONE,
    task: str = ONE_CLASS_EACH,
    locate: Callable[[int], str] | None = None,
) -> Measured:
    """The statistics of a table in memory; `locate` says where a column is not finite."""
    classes, codes = np.empty(0), np.empty(0, dtype=np.intp)
    sets = label_sets(y, X.shape[0]) if task == CLASSIFICATION else None
    if beside.class_weight is not None and (sets is not None or task == REGRESSION):
        raise ValueError("class_weight is for one class each; use sample_weight for other targets.")
    if sets is None and task != REGRESSION:
        classes, codes = check.check_labels(y, X.shape[0])
        weights = check.check_weights(beside.sample_weight, codes, classes.size)
        if beside.class_weight is not None:
            weights = weigh_classes(beside.class_weight, classes, codes, weights)
        coding: Coding = Classes(classes.size)
        targets: Any = codes
    else:
        targets = check_targets(y, X.shape[0]) if sets is None else sets.indicator
        weights = weights_of_samples(beside.sample_weight, X.shape[0])
        if sets is None:
            check_vary(targets, weights)
            if weights is not None:  # a target without weight has no say, however large it is
                targets = np.where(weights[:, None] > 0, targets, targets[np.argmax(weights)])
            coding = Numbers.of(targets, weights)
        else:
            check_label_sets(sets, weights)
            coding, classes = Labels.of_sets(targets, weights), sets.labels
    removed = confounders_of(X, beside.confounders, beside.adjusted, names)
    basis = None if removed is None else basis_from_rows(removed.values, weights)
    N = None if removed is None or basis is None else basis.rows(removed.values)
    # a search asks for columns again and again; whoever counts bytes counts those of a copy
    copied = TURNED if task != ONE_CLASS_EACH and beside.max_memory is None else 0
    memory = MemorySource(X, targets, weights, N, names=names, copied=copied)
    source = CountedSource(memory)
    gaps = source.reduce(count_missing) if beside.missing == "mean" else None
    fill = None if gaps is None or not gaps.missing.any() else gaps.fill
    moments = sum_moments(source, coding, fill, 0.0 if basis is None else basis.error)
    check.reject_nonfinite(moments.finite, names, locate)
    scatter = Scatter(moments, coding, source)
    if removed is not None and basis is not None:
        warn_dropped(removed.names, basis)
        warn_explained(scatter, classes, names, beside.adjusted)
    narrow = SparseColumnProducts.suits(memory, copied)
    products = (SparseColumnProducts if narrow else SourceProducts)(source, moments.guard)
    missing = None if gaps is None else gaps.missing
    return Measured(source, products, coding, scatter, classes, codes, missing, source)


def weights_of_samples(sample_weight: Any, n: int) -> Floats | None:
    """Weights of the samples as they were given, checked."""
    return check.check_weights(sample_weight, np.arange(n), n, "samples")
