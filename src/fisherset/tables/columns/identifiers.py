"""Identifiers: names of the rows of a table. They are kept next to its numbers, and are never features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

from fisherset._format import near, shown

UNNAMED_IDS = ("id", "row_id", "identifier")  # names of a column of identifiers without one, the first free
NO_NAME = "__index_level_"  # pandas' name of an index column without one
AS_WRITTEN = re.compile(r"0|-?[1-9]\d{0,17}")  # an integer that is the same when it is written again


class Identifiers(NamedTuple):
    """Names of the rows of a table.

    Attributes
    ----------
    name : str
        The name of the column that holds them.
    values : list
        A string or a number for each row, None where there is none; not necessarily distinct.

    Examples
    --------
    >>> from fisherset.tables import Identifiers
    >>> Identifiers("sample", ["GSM1", "GSM2"]).values
    ['GSM1', 'GSM2']
    """

    name: str
    values: list[Any]


def identifiers_of(name: str, values: Iterable[Any]) -> Identifiers:
    """Return identifiers: integers where all strings spell such, numbers as they are, else strings."""
    found = [None if value is None or value != value else value for value in values]
    present = [value for value in found if value is not None]
    if all(isinstance(value, str) and AS_WRITTEN.fullmatch(value) for value in present):
        return Identifiers(name, [None if value is None else int(value) for value in found])
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in present):
        return Identifiers(name, found)
    return Identifiers(name, [None if value is None else str(value) for value in found])


def kept_ids(ids: Identifiers | None, kept: Iterable[Any]) -> Identifiers | None:
    """Return the identifiers of some rows."""
    return None if ids is None else ids._replace(values=list(compress(ids.values, kept)))


def free_name(names: Iterable[str]) -> str:
    """Return a name for identifiers that have none."""
    taken = set(names)
    return next((name for name in UNNAMED_IDS if name not in taken), UNNAMED_IDS[0])


def are_row_numbers(values: Sequence[Any]) -> bool:
    """Whether identifiers are row numbers: 0, 1, 2, ... or 1, 2, 3, ..., in this order."""
    found = identifiers_of("", values).values
    if found and found[0] in ("0.0", "1.0"):  # as pandas writes a column that had missing values
        found = [float(value) if str(value).endswith(".0") else value for value in found]
    return found == list(range(len(found))) or found == list(range(1, len(found) + 1))


def index_columns(schema: Any) -> list[str]:
    """Return the columns of an Arrow schema that pandas wrote as an index, and a first one without a name."""
    described = (schema.pandas_metadata or {}).get("index_columns", [])
    listed = {name for name in described if isinstance(name, str)} | ({""} & set(schema.names[:1]))
    return [name for name in schema.names if name in listed]


def naming_columns(schema: Any, identifier: str | None, used: Collection[str], table: str) -> list[str]:
    """Return the columns that name the rows: the one that is given, or those that pandas wrote as an index.

    The given one must exist, and be used for nothing else.
    """
    if identifier is None:
        index = [name for name in index_columns(schema) if name not in used]
        if "" in index:
            warnings.warn(
                f"The column without a name in {table} is taken for row numbers, or names, and no feature.",
                stacklevel=4,
            )
        return index
    if identifier not in schema.names:
        raise no_such_column(table, identifier, schema.names)
    check_identifier(identifier, used)
    return [identifier]


def check_identifier(identifier: str | None, used: Collection[str | None]) -> None:
    """Refuse a column that names the rows and is the target, a weight or a feature besides."""
    if identifier is not None and identifier in used:
        raise ValueError(
            f"{identifier!r} cannot name the rows and be the target, a weight or a feature; name another "
            f"column with --id."
        )


def joined_identifiers(
    names: Sequence[str], columns: Sequence[Sequence[Any]], taken: Iterable[str]
) -> Identifiers | None:
    """Return the identifiers that columns hold, with / between several; None where they number the rows."""
    own = [name for name in names if name and not name.startswith(NO_NAME)]
    if len(names) == 1:
        ids = identifiers_of(own[0] if own else free_name(taken), columns[0])
        return None if not own and are_row_numbers(ids.values) else ids
    rows = zip(*columns, strict=True)
    joined = ["/".join("" if part is None else str(part) for part in row) for row in rows]
    return Identifiers("/".join(own) or free_name(taken), list(joined))


def without_index(table: Any, wanted: Collection[str], file: str) -> tuple[Any, Identifiers | None]:
    """Return an Arrow table without its index columns, and these, unless they are mere row numbers."""
    index = naming_columns(table.schema, None, wanted, file)
    if not index:
        return table, None
    kept = [name for name in table.column_names if name not in index]
    columns = [table.column(name).to_pylist() for name in index]
    return table.select(kept), joined_identifiers(index, columns, kept)


def no_such_column(file: str, name: str, known: Iterable[str]) -> ValueError:
    """Return the error for an identifier column that does not exist."""
    return ValueError(f"{file} has no column {name!r} to name its rows by.{near(name, known)}")


def keys_of(values: Sequence[Any]) -> list[str | None]:
    """Return the strings by which identifiers are compared: 7, 7.0 and "7" are the same."""
    found = identifiers_of("", values).values
    whole = [int(value) if isinstance(value, float) and value.is_integer() else value for value in found]
    return [None if value is None else str(value) for value in whole]


Keys = tuple[str, str, list[str | None]]  # a file, a column of it, and the identifiers of its rows there


def matched_rows(table: Keys, labels: Keys, *, drop: bool = False) -> list[int | None]:
    """Return the row of the other file that each row of the table belongs to; None for rows to drop."""
    (name, on, own), (file, _, keys) = table, labels
    if None in own and not drop:
        raise ValueError(
            f"{on!r} is missing in {own.count(None)} of {len(own)} rows of {name} (first: row "
            f"{own.index(None) + 1}); {file} is matched by it."
        )
    _distinct(table)
    places = _distinct(labels)
    lost = [str(key) for key in own if key not in places]
    bare = {key.strip() for key in places}
    found = sum(key.strip() in bare for key in lost)
    if len(lost) == len(own) and not found:
        raise ValueError(
            f"No row of {name} has a label in {file}, matched by {on!r}: {shown(lost[:2])} are not among "
            f"{shown(list(places)[:2])}. Name the column to match by with --on; if the samples are columns, "
            f"add --transpose."
        )
    if lost and not drop:
        spaces = f" Without the spaces around them {found} would be found; take these off." if found else ""
        raise ValueError(
            f"{len(lost)} of {len(own)} rows of {name} have no label in {file}, matched by {on!r}: "
            f"{shown(lost)}.{spaces or ' Add --drop-unlabelled to ignore them.'}"
        )
    more = len(keys) - (len(own) - len(lost))
    if more:
        warnings.warn(f"{file} has {more} rows that are not in {name}; they are ignored.", stacklevel=3)
    return [places.get(str(key)) for key in own]


def _distinct(held: Keys) -> dict[str, int]:
    """Return the row of each key, which no other may have."""
    file, on, keys = held
    rows: dict[str, int] = {}
    for row, key in enumerate(keys):
        if key is not None and rows.setdefault(key, row) != row:
            raise ValueError(
                f"{on!r} must be unique in {file} to match rows; rows {rows[key] + 1} and {row + 1} are both "
                f"{key!r}."
            )
    return rows
