"""Identifiers: what the rows of a table are called. They are kept beside its numbers, and never features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from fisherset._format import near

UNNAMED_IDS = (
    "id",
    "row_id",
    "identifier",
)  # what identifiers without a name are called, the first that is free
NO_NAME = "__index_level_"  # how pandas calls a column of them without a name
AS_WRITTEN = re.compile(r"0|-?[1-9]\d{0,17}")  # a number that is the same when it is written again


class Identifiers(NamedTuple):
    """What the rows of a table are called.

    Attributes
    ----------
    name : str
        The name of the column that says so.
    values : list
        A text or a number for each row; None where there is none. One may come twice.

    Examples
    --------
    >>> from fisherset.tables import Identifiers
    >>> Identifiers("sample", ["GSM1", "GSM2"]).values
    ['GSM1', 'GSM2']
    """

    name: str
    values: list[Any]


def identifiers_of(name: str, values: Iterable[Any]) -> Identifiers:
    """Identifiers of what a file holds: texts that are all whole numbers are these, else all are texts."""
    found = [None if _is_gap(value) else value for value in values]
    present = [value for value in found if value is not None]
    if all(isinstance(value, str) and AS_WRITTEN.fullmatch(value) for value in present):
        return Identifiers(name, [None if value is None else int(value) for value in found])
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in present):
        return Identifiers(name, found)
    return Identifiers(name, [None if value is None else str(value) for value in found])


def _is_gap(value: Any) -> bool:
    return value is None or value != value


def free_name(names: Iterable[str]) -> str:
    """What identifiers without a name are called beside columns of these names."""
    taken = set(names)
    return next((name for name in UNNAMED_IDS if name not in taken), UNNAMED_IDS[0])


def are_row_numbers(values: Sequence[Any]) -> bool:
    """Whether identifiers say no more than where a row is: numbers from 0 or 1 on, in their order."""
    found = identifiers_of("", values).values
    return found == list(range(len(found))) or found == list(range(1, len(found) + 1))


def key_of(value: Any) -> str | None:
    """What identifiers are compared by: 7, 7.0 and "7" are the same."""
    if value is None:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def index_columns(schema: Any) -> list[str]:
    """The columns of an Arrow schema that pandas wrote as row names, and the one without a name of a CSV."""
    described = (schema.pandas_metadata or {}).get("index_columns", [])
    listed = {name for name in described if isinstance(name, str)} | {""}
    return [name for name in schema.names if name in listed]


def without_index(table: Any, wanted: Collection[str], file: str) -> tuple[Any, Identifiers | None]:
    """An Arrow table without its row names, and these, unless they are mere row numbers."""
    names = table.column_names
    index = [name for name in index_columns(table.schema) if name not in wanted]
    if not index or len(set(names)) < len(names):
        return table, None
    kept = [name for name in names if name not in index]
    ids = _index_of(table, index, kept)
    if are_row_numbers(ids.values):
        if "" in index and table.num_rows:
            warnings.warn(
                f"The column without a name in {file} is taken for row numbers and left out.", stacklevel=2
            )
        return table.select(kept), None
    if "" in index:
        numbers = all(value is None or not isinstance(value, str) for value in ids.values)
        what = "row numbers" if numbers else "the names of the rows"
        warnings.warn(
            f"The column without a name in {file} is taken for {what}: it is kept as {ids.name!r}, and no "
            f"feature.",
            stacklevel=2,
        )
    return table.select(kept), ids


def _index_of(table: Any, index: list[str], kept: list[str]) -> Identifiers:
    """The row names in one column, or in several together."""
    columns = [values_in(table, name) for name in index]
    names = [name for name in index if name and not name.startswith(NO_NAME)]
    if len(columns) == 1:
        return identifiers_of(names[0] if names else free_name(kept), columns[0])
    together = [
        "/".join("" if part is None else str(part) for part in row) for row in zip(*columns, strict=True)
    ]
    return Identifiers("/".join(names) or free_name(kept), list(together))


def values_in(table: Any, name: str) -> list[Any]:
    """The values of a column of an Arrow table."""
    values: list[Any] = table.column(name).to_pylist()
    return values


def taken_out(table: Any, name: str) -> tuple[Any, Identifiers]:
    """An Arrow table without the column that names its rows, and what that holds."""
    ids = identifiers_of(name, values_in(table, name))
    return table.select([other for other in table.column_names if other != name]), ids


def no_such_column(file: str, name: str, known: Iterable[str]) -> ValueError:
    """What is said of a column that should name the rows and is not there."""
    return ValueError(f"{file} has no column {name!r} to name its rows by.{near(name, known)}")
