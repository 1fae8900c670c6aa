"""A feature as the selector sees it, and the column of the file it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple


class Feature(NamedTuple):
    """One column of numbers: a column of the file, or one value or gap of it.

    Attributes
    ----------
    name : str
        The column's name; for one of its values `column=value`.
    column : str
        The column of the file.
    kind : {"number", "value", "missing"}
        The numbers of the column; 1 where it has a value; 1 where it has none.
    value : str or None
        The value, where the kind is "value".
    fill : float, str or None
        What stands for a missing number or value.
    other : str or None
        The one other value of the column, where it has two and a feature for both: its nought.
    """

    name: str
    column: str
    kind: str = "number"
    value: str | None = None
    fill: float | str | None = None
    other: str | None = None


def shown(names: list[str], most: int = 5) -> str:
    """Some names for a message."""
    listed = ", ".join(repr(name) for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def near(name: str, names: Iterable[str]) -> str:
    """The name that may have been meant, or some that there are, as a sentence after another."""
    known = list(names)
    return meant(name, known) or (f" It has {shown(known)}." if known else "")


def meant(name: str, names: Iterable[str]) -> str:
    """The name that may have been meant, the only one at any rate, as a sentence after another."""
    known = list(names)
    close = known if len(known) == 1 else get_close_matches(name, known, 1)
    return f" Did you mean {close[0]!r}?" if close else ""
