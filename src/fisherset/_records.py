"""Results as records: a table of names and numbers as text, HTML for notebooks, or a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from fisherset._format import listed, printable
from fisherset._html import Table, as_html

MOST_ROWS = 50  # of a printed table
WIDEST = 40  # characters of a printed name
LISTED = 60  # characters of a printed list of names
BRIEF = 3  # entries of a list in `repr`

Records = list[dict[str, Any]]


def name_of(label: Any, what: str = "features") -> str:
    """Return the name of a group or a column; column number 3 without one is "x3", as in scikit-learn."""
    return str(label) if isinstance(label, str) or what == "groups" else f"x{label}"


def cut(text: str, widest: int = WIDEST) -> str:
    """Return a text without characters that a terminal would obey, cut where it is too long."""
    shown = printable(text)
    return shown if len(shown) <= widest else f"{shown[: widest - 3]}..."


def joined(names: Sequence[str], widest: int = LISTED) -> str:
    """Return the first of some names, as far as they fit, and how many more there are."""
    shown, length = 0, 0
    for name in names:
        length += len(cut(name)) + 2
        if shown and length > widest:
            break
        shown += 1
    return listed([cut(name) for name in names], shown)


class Printed(NamedTuple):
    """A result as it is printed: sentences, records with the formats of their numbers, sentences."""

    before: Sequence[str]
    records: Sequence[Mapping[str, Any]]
    formats: Mapping[str, str]
    after: Sequence[str] = ()


class Tabular:
    """A result that is printed as a table, and whose records can be had as a data frame."""

    def _printed(self) -> Printed:
        """Return the sentences and records that are printed."""
        raise NotImplementedError

    def __str__(self) -> str:
        before, records, formats, after = self._printed()
        return "\n".join([*before, *([aligned(records, formats)] if records else []), *after])

    def _repr_html_(self) -> str:
        """Return the result for a notebook."""
        before, records, formats, after = self._printed()
        return as_html(before, _cells(records, formats), after)

    def table(self) -> Records:
        """Return the records of the result, as dictionaries with the same keys."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the records of `table` as a data frame of pandas.

        Returns
        -------
        frame : DataFrame
            A row for each record.
        """
        try:
            pandas: Any = import_module("pandas")
        except ImportError:
            raise ImportError(
                "to_frame needs pandas: pip install pandas. table() gives the same as a list of dictionaries."
            ) from None
        return pandas.DataFrame(self.table())


def aligned(records: Sequence[Mapping[str, Any]], formats: Mapping[str, str]) -> str:
    """Return records as lines of text under their keys: numbers by their formats, to the right.

    A key without a format holds text. None and NaN are left empty, and so is a key that all lack.
    """
    table = _cells(records, formats)
    columns = []
    for key, cells in zip(table.keys, zip(*table.rows, strict=True), strict=True):
        width = max(len(cell) for cell in (key, *cells))
        justify = str.rjust if key in table.numbers else str.ljust
        columns.append([justify(cell, width) for cell in (key, *cells)])
    lines = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
    return "\n".join([*lines, *([f"... and {table.n_more} more"] if table.n_more else [])])


def _cells(records: Sequence[Mapping[str, Any]], formats: Mapping[str, str]) -> Table:
    """Return the first of some records as text, without what all of them lack."""
    shown = records[:MOST_ROWS]
    keys = [key for key in (records[0] if records else ()) if any(_known(row[key]) for row in records)]
    rows = [[_cell(row[key], formats.get(key)) for key in keys] for row in shown]
    return Table(keys, rows, frozenset(formats), len(records) - len(shown))


def brief(value: Any) -> str:
    """Return a value for `repr`: an array by its shape, a long list by its beginning."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{' x '.join(map(str, shape))} {getattr(value, 'format', 'array')}"
    if isinstance(value, list | tuple) and len(value) > BRIEF:
        return f"[{', '.join(map(brief, value[:BRIEF]))}, ... {len(value)} in all]"
    return cut(repr(value), LISTED)


def brief_repr(record: Any) -> str:
    """Return a named tuple in one line, its arrays by their shapes."""
    fields = ", ".join(f"{name}={brief(value)}" for name, value in record._asdict().items())
    return f"{type(record).__name__}({fields})"


def _known(value: Any) -> bool:
    return value is not None and value == value and value not in ("", [])


def _cell(value: Any, form: str | None) -> str:
    if not _known(value):
        return ""
    if form is not None:
        return format(value, form)
    return joined(value) if isinstance(value, list) else cut(str(value))
