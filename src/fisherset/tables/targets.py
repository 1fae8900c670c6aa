"""The targets of batches: labels as they stand in the data, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.sources import Coded, Place
from fisherset.tables.columns import gaps_in_column, kind_of, numbers_in_column, rounds, texts_in_column
from fisherset.tables.frames import Frame
from fisherset.tables.labels import labels_in, numbers_in


class Targets:
    """One column of labels, or several of numbers.

    Parameters
    ----------
    target : str or sequence of str
        The column of labels, or the columns of numbers; a list of one is that one.
    schema : pyarrow.Schema
        The columns of the table: one of dates, lists or the like is refused.
    name : str
        What the table is called.
    untyped : bool
        Whether labels come as text without a type, which may stand for numbers.

    Attributes
    ----------
    names : list of str
        The columns.
    """

    def __init__(self, target: str | Sequence[str], schema: Any, name: str, untyped: bool) -> None:
        import pyarrow as pa

        self.names = names_of(target)
        self._path = Path(name)
        # decimals come as they are written, all with the same number of digits
        self._spelt = untyped or pa.types.is_decimal(schema.field(self.names[0]).type)
        for column in self.names:
            held = Frame(self._path, schema.names, arrow=schema.empty_table())
            labels_in(held, column) if len(self.names) == 1 else numbers_in(held, column)

    def __call__(self, pieces: Sequence[Any], place: Place) -> Any:
        """The targets of some rows, of which the first is there."""
        import pyarrow as pa

        columns = [pa.chunked_array([piece.column(name) for piece in pieces]) for name in self.names]
        if len(columns) == 1:
            return self._labels(columns[0], place)
        numbers: Floats = np.column_stack(
            [self._numbers(name, column, place) for name, column in zip(self.names, columns, strict=True)]
        ).astype(np.float64)
        return numbers

    def meaning(self, found: list[Any]) -> list[Any]:
        """The meaning of labels, once all are known: untyped text that spells plain numbers is these."""
        if not self._spelt or not all(isinstance(label, str) for label in found):
            return found
        values = np.array(found, dtype=object)
        name = self.names[0]
        labels = labels_in(Frame(self._path, [name], labels={name: values}, untyped=True), name)
        return [] if labels is None else list(labels.tolist())

    def _labels(self, column: Any, place: Place) -> NDArray[Any] | Coded:
        import pyarrow as pa

        if pa.types.is_decimal(column.type):  # labels as they are written
            values = [None if value is None else str(value) for value in column.to_pylist()]
            column = pa.array(values, pa.string())
        if kind_of(column.type) == "number":
            self._check_whole(self.names[0], gaps_in_column(column), place)
            yes_or_no = pa.types.is_boolean(column.type)
            return np.asarray(column.to_numpy()) if yes_or_no else numbers_in_column(column)
        texts, codes = texts_in_column(column)
        self._check_whole(self.names[0], codes < 0, place)
        numbers: dict[Any, int] = {}  # of the texts that some row has
        met = np.unique(codes)
        number = np.array([numbers.setdefault(texts[code], len(numbers)) for code in met], dtype=np.intp)
        return Coded(tuple(numbers), number[np.searchsorted(met, codes)], self._spelt)

    def _numbers(self, name: str, column: Any, place: Place) -> NDArray[Any]:
        self._check_whole(name, gaps_in_column(column), place)
        if rounds(column):
            raise ValueError(
                f"The target {name!r} of {place.name} holds whole numbers beyond 2^53, which would be "
                f"rounded. Take something off them, or divide them by what they have in common."
            )
        return numbers_in_column(column)

    def _check_whole(self, name: str, gaps: NDArray[np.bool_], place: Place) -> None:
        if gaps.any():
            first = place.row + int(np.argmax(gaps))
            raise ValueError(
                f"The target {name!r} of {place.name} is missing in {np.count_nonzero(gaps)} of the rows "
                f"{place.row} to {place.row + gaps.size - 1}, the first of them row {first}. Drop such rows, "
                f"or give them a label of their own."
            )


def names_of(target: str | Sequence[str]) -> list[str]:
    """Names in a list, where there may be one alone."""
    return [target] if isinstance(target, str) else list(target)
