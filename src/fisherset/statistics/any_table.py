"""Any table as rows that stay where they are: whatever a summary is made of."""

from __future__ import annotations

from typing import Any

from fisherset.data import DaskRows, MemoryRows, MemorySource, Rows, names_of_several
from fisherset.statistics.measured import Beside
from fisherset.statistics.removal import check_confounders
from fisherset.validation.containers import is_elsewhere, left_there
from fisherset.validation.labels import encode_labels, weights_of_rows
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import CLASSIFICATION, REGRESSION, check_targets, label_sets


def check_alone(y: Any, beside: Beside) -> None:
    """Refuse targets beside a table that brings its own."""
    given = {"y": y, "sample_weight": beside.sample_weight, "confounders": beside.confounders}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"{name} must not be given beside a table that brings its own; got {shown(value)}. Name the "
                f"columns when the table is made, as by scan(..., target=)."
            )


def rows_of(X: Any, y: Any, beside: Beside, task: str) -> Rows:
    """Any table as rows that stay where they are."""
    X = left_there(X)
    if hasattr(type(X), "gathered"):
        raise TypeError("X must hold rows; got a summary of some. Add it to others as it is, as by a + b.")
    if isinstance(X, DaskRows):
        return X.with_targets(y, beside.sample_weight, beside.confounders)
    if is_elsewhere(X):
        check_alone(y, beside)
        found: Rows = X
        return found
    table, names = check_bare_table(X, least_rows=1, distinct=True)
    n = table.shape[0]
    weight = None if beside.sample_weight is None else weights_of_rows(beside.sample_weight, n)
    confounders = check_confounders(beside.confounders, n, labels=False)
    Z = None if confounders is None else confounders.values
    sets = label_sets(y, n) if task == CLASSIFICATION else None
    if sets is not None:
        indicator = sets.indicator.toarray() if hasattr(sets.indicator, "toarray") else sets.indicator
        return MemoryRows(MemorySource(table, indicator, weight, Z, names=names), None, names_of_several(y))
    if task == REGRESSION:
        targets = MemorySource(table, check_targets(y, n), weight, Z, names=names)
        return MemoryRows(targets, None, names_of_several(y))
    if y is None:
        raise ValueError("A summary requires y to be passed, but the target y is None.")
    classes, codes = encode_labels(y, n)
    source = MemorySource(table, codes, weight, Z, names=names)
    return MemoryRows(source, tuple(classes.tolist()))
