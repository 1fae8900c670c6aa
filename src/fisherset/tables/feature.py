"""A feature as the selector sees it, and the column of the file it comes from."""

from __future__ import annotations

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
