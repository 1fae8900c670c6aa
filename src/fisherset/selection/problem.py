"""From a table to the problem the solver is given, within the memory limit."""

from __future__ import annotations

from fisherset.statistics import SourceProducts, TableProblem, check_least_memory, least_memory
from fisherset.statistics.budget import LARGEST_ARRAY
from fisherset.statistics.measured import MeasuredTable
from fisherset.statistics.products.products import StoredProducts
from fisherset.validation import features as check


def check_room(
    max_memory: int | None, n_columns: int, n_chosen: int, table: MeasuredTable | None = None
) -> None:
    """Refuse a search that takes more memory than may be held, before the table is read and after."""
    least = least_memory(n_columns, 2, n_chosen, n_rows=2)
    if table is not None:
        least = _least_memory(table, n_columns, n_chosen, table.products.n_rows)
    check_least_memory(max_memory, least, f"{n_chosen} features of {n_columns} columns")


def memory_for(table: MeasuredTable, n_in_play: int) -> int | None:
    """The `max_memory` with which exact search can be among so many columns, None where none is enough."""
    if n_in_play**2 > LARGEST_ARRAY:
        return None
    order = -(-n_in_play // 3) if _by_passes(table) else n_in_play  # `least_memory` counts thrice
    needed = _least_memory(table, table.scatter.constant.size, order, None)
    if isinstance(table.products, StoredProducts):
        needed += table.products.XX.nbytes
    unit = int(10 ** max(len(str(needed)) - 2, 0))
    return (needed // unit + 1) * unit  # two digits of it


def _least_memory(table: MeasuredTable, n_columns: int, n_chosen: int, n_rows: int | None) -> int:
    n_targets = len(table.scatter.moments.TX)
    return least_memory(n_columns, n_targets, n_chosen, n_rows=n_rows, by_passes=_by_passes(table))


def _by_passes(table: MeasuredTable) -> bool:
    """Whether the rows are beyond memory, so that every question is a pass over them."""
    return table.products.n_rows is None and isinstance(table.products, SourceProducts)


def pose_problem(table: MeasuredTable, standardize: bool, n_chosen: int = 0) -> TableProblem:
    """The problem the solver is given, refused where its numbers would leave the range of float64.

    So it is where a search for sets of `n_chosen` columns would not find room.
    """
    check_room(table.max_memory, table.scatter.constant.size, n_chosen, table)
    given = table.products, table.scatter, table.coding
    problem = TableProblem(*given, standardize=standardize, budget=table.max_memory)
    check.check_magnitude(problem.diagonal)
    return problem
