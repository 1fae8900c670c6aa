"""From a table to the problem the solver is given, within the memory limit."""

from __future__ import annotations

from typing import Any

from fisherset.data import DaskRows
from fisherset.statistics import SourceProducts, TableProblem, check_least_memory, least_memory
from fisherset.statistics.any_table import check_alone
from fisherset.statistics.budget import LARGEST_ARRAY
from fisherset.statistics.in_memory import measure_in_memory
from fisherset.statistics.measure import measure_rows
from fisherset.statistics.measured import ALONE, Beside, Measured
from fisherset.statistics.products.products import StoredProducts
from fisherset.statistics.summary.summary import Summary, measure_summary
from fisherset.validation import features as check
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


def check_room(max_memory: int | None, n_columns: int, n_chosen: int, table: Measured | None = None) -> None:
    """Refuse a search that takes more memory than may be held, before the table is read and after."""
    least = least_memory(n_columns, 2, n_chosen, n_rows=2)
    if table is not None:
        least = _least_memory(table, n_columns, n_chosen, table.products.n_rows)
    check_least_memory(max_memory, least, f"{n_chosen} features of {n_columns} columns")


def memory_for(table: Measured, n_in_play: int) -> int | None:
    """The `max_memory` with which exact search can be among so many columns, None where none is enough."""
    if n_in_play**2 > LARGEST_ARRAY:
        return None
    order = -(-n_in_play // 3) if _by_passes(table) else n_in_play  # `least_memory` counts thrice
    needed = _least_memory(table, table.scatter.constant.size, order, None)
    if isinstance(table.products, StoredProducts):
        needed += table.products.XX.nbytes
    unit = int(10 ** max(len(str(needed)) - 2, 0))
    return (needed // unit + 1) * unit  # two digits of it


def _least_memory(table: Measured, n_columns: int, n_chosen: int, n_rows: int | None) -> int:
    n_targets = len(table.scatter.moments.TX)
    return least_memory(n_columns, n_targets, n_chosen, n_rows=n_rows, by_passes=_by_passes(table))


def _by_passes(table: Measured) -> bool:
    """Whether the rows are beyond memory, so that every question is a pass over them."""
    return table.products.n_rows is None and isinstance(table.products, SourceProducts)


def pose_problem(table: Measured, standardize: bool, n_chosen: int = 0) -> TableProblem:
    """The problem the solver is given, refused where its numbers would leave the range of float64.

    So it is where a search for sets of `n_chosen` columns would not find room.
    """
    check_room(table.max_memory, table.scatter.constant.size, n_chosen, table)
    given = table.products, table.scatter, table.coding
    problem = TableProblem(*given, standardize=standardize, budget=table.max_memory)
    check.check_magnitude(problem.diagonal)
    return problem
