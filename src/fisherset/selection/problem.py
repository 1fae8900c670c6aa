"""From a table to the problem the solver is given, within the memory limit."""

from __future__ import annotations

from typing import Any

from fisherset.data import DaskRows
from fisherset.statistics.any_table import check_alone
from fisherset.statistics.in_memory import measure_in_memory
from fisherset.statistics.measure import measure_rows
from fisherset.statistics.measured import ALONE, Beside, Measured
from fisherset.statistics.summary.summary import Summary, measure_summary
from fisherset.validation.containers import is_elsewhere
from fisherset.validation.targets import ONE_CLASS_EACH


def measure_table(X: Any, y: Any, names: Any, beside: Beside = ALONE, task: str = ONE_CLASS_EACH) -> Measured:
    """Check the targets and weights, read the table, refuse what is not finite.

    X has been checked already, so that parameters that depend on its width could be.
    """
    if not is_elsewhere(X):
        measured = measure_in_memory(X, y, names, beside, task)
    elif isinstance(X, DaskRows):
        rows = X.with_targets(y, beside.sample_weight, beside.confounders)
        measured = measure_rows(rows, beside, task, measure_in_memory)
    else:
        check_alone(y, beside)
        measured = (
            measure_summary(X, beside, task)
            if isinstance(X, Summary)
            else measure_rows(X, beside, task, measure_in_memory)
        )
    return measured._replace(max_memory=beside.max_memory)
