"""Row number columns of a labelled table, which are left out unless they are named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._format import repeated_option
from fisherset._names import FILE
from fisherset._sparse import sparse
from fisherset._types import Indices
from fisherset.data import Block, row_number_columns
from fisherset.tables.columns.types import all_names
from fisherset.tables.labelled import LabelledTable


def without_row_numbers(
    table: LabelledTable, named: Sequence[str], opened: Callable[[Sequence[str]], LabelledTable]
) -> LabelledTable:
    """Return the table without columns that only number its rows, which it lists as its `row_numbers`.

    Those that are `named`, as options name columns, stay. A table out of core is `opened` again, without the
    columns it is given.
    """
    if table.summarized:
        return table
    head, rows = (Block(table.X), None) if table.in_memory else (table.X.head(), table.X)
    # values of a string column, marks of missing values and quantities with a unit are no numbers of rows
    plain = [feature.kind == "number" and feature.unit is None for feature in table.features]
    found = [j for j in row_number_columns(head, table.names, rows) if plain[j]]
    numbers = [table.features[j].column for j in found]
    columns = {feature.column for feature in table.features}
    # a file that does not exist is refused by who uses the names
    readable = [text for text in named if not text.startswith(FILE) or Path(text[1:]).is_file()]
    spared = set(all_names(readable, columns)) if numbers else set()
    out = [column for column in numbers if column not in spared]
    if out and len(out) == len(columns):
        raise ValueError(
            f"{table.path.name} has no features: only the target, and row numbers. Add "
            f"{repeated_option('--keep', out)} to use them."
        )
    dropped = (*table.dropped, *out)
    if out and not table.in_memory:
        table = opened(dropped)
    elif out:
        left = np.array([j for j, feature in enumerate(table.features) if feature.column not in out])
        features = [table.features[j] for j in left]
        table = table._replace(X=_columns(table.X, left), features=features, dropped=dropped)
    return table._replace(row_numbers=tuple(numbers))


def _columns(X: Any, columns: Indices) -> Any:
    """Some columns; a view of them where they are next to each other, as the table may be large."""
    if not sparse.issparse(X) and columns[-1] - columns[0] + 1 == columns.size:
        return X[:, columns[0] : columns[-1] + 1]
    return X[:, columns]
