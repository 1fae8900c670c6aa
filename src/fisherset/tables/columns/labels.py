"""The target of a table: labels of one kind, as they stand in the file, or numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.data import Coded, Place
from fisherset.tables.columns.columns import (
    gaps_in_column,
    kind_of,
    numbers_in_column,
    rounds,
    texts_in_column,
)
from fisherset.tables.columns.encoding import UnusableColumnsError, is_number, is_text, numbers_of
from fisherset.tables.columns.features import Feature
from fisherset.tables.frames import Frame


def labels_in(frame: Frame, target: str) -> NDArray[Any] | None:
    """The labels of a frame as an array of one kind; strings of typed columns are strings.

    Parameters
    ----------
    frame : Frame
        What a file holds.
    target : str
        The column of labels.

    Returns
    -------
    y : ndarray or None
        The labels, what is missing as None; None where there is no such column.
    """
    _check_kind(frame, target)
    values = frame.values(target)
    if values is None:
        return None
    values = [None if _is_gap(value) else value for value in values]
    present = [value for value in values if value is not None]
    if frame.untyped or (present and all(isinstance(value, Decimal) for value in present)):
        values = inferred([None if value is None else str(value) for value in values])
        present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    odd = [kind.__name__ for kind in kinds if not issubclass(kind, bool | int | float | str | Decimal)]
    if odd:
        raise ValueError(_NO_LABELS.format(target, frame.path.name, f"values of the kind {odd[0]}"))
    if kinds == {int, float}:
        values = [None if value is None else float(value) for value in values]
    elif len(kinds) > 1 or Decimal in kinds:
        values = [None if value is None else str(value) for value in values]
    array = np.array(values, dtype=object if len(present) < len(values) else None)
    # numpy rounds integers that no type of its own holds together
    return array if array.tolist() == values else np.array(values, dtype=object)


# Numbers that are the same when they are written again: not 007, nor what float64 would round.
PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?(?:[eE][-+]?\d{1,2})?")


def inferred(texts: list[str | None]) -> list[Any]:
    """The numbers that texts without a type spell, if all of them do; else the texts."""
    if all(text is None or PLAIN_NUMBER.fullmatch(text) for text in texts):
        return [None if text is None else _number(text) for text in texts]
    return list(texts)


def _is_gap(value: Any) -> bool:
    """None, NaN, or what pandas has for them, which may have no truth value."""
    if value is None or isinstance(value, float):
        return value is None or value != value
    return repr(value) in ("<NA>", "NaT")


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


_NO_LABELS = (
    "The target {!r} of {} holds {}; class labels are texts, whole numbers or yes and no. Convert it."
)


def _check_kind(frame: Frame, target: str) -> None:
    """Refuse a column whose values are no labels: lists, records, bytes, dates."""
    if frame.arrow is None or target not in frame.names:
        return
    import pyarrow.types as kinds

    kind = frame.arrow.schema.field(target).type
    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    plain = (kinds.is_null, kinds.is_boolean, kinds.is_integer, kinds.is_floating, kinds.is_decimal, is_text)
    if not any(test(kind) for test in plain):
        what = "dates or times" if kinds.is_temporal(kind) else f"values of the kind {str(kind)[:40]}"
        raise ValueError(_NO_LABELS.format(target, frame.path.name, what))


def complete_labels(frame: Frame, target: str) -> NDArray[Any]:
    """Labels without gaps."""
    labels, path = labels_in(frame, target), frame.path
    if labels is None:
        raise ValueError(f"{path.name} has no labels {target!r}.")
    missing = sum(label is None for label in labels.tolist())
    if missing:
        raise ValueError(_MISSING.format(target, path.name, missing))
    return labels


def are_continuous(labels: NDArray[Any]) -> bool:
    """Numbers that no selector takes for classes; long ones are texts by now, as they stand in the file."""
    if labels.dtype.kind == "f" and np.isfinite(labels).all() and (labels != np.floor(labels)).any():
        return True
    values = labels.tolist()
    distinct = set(values)
    return 1 < len(distinct) == len(values) and all(is_number(str(value)) for value in distinct)


_MISSING = "The target {!r} of {} is missing in {} rows."


def numbers_in(frame: Frame, target: str) -> Floats | None:
    """The target of a frame as numbers.

    Parameters
    ----------
    frame : Frame
        What a file holds.
    target : str
        The column of numbers.

    Returns
    -------
    y : ndarray or None
        The numbers, what is missing as NaN; None where there is no such column.
    """
    import pyarrow as pa

    table = frame.arrow
    if table is None:
        labels = labels_in(frame, target)
        table = pa.table({} if labels is None else {target: pa.array(labels.tolist())})
    if target not in table.column_names:
        return None
    if rounds(table.column(target)):
        raise ValueError(
            f"The target {target!r} of {frame.path.name} holds whole numbers beyond 2^53, which would be "
            f"rounded. Take something off them, or divide them by what they have in common."
        )
    try:
        numbers: Floats = numbers_of(table, [Feature(target, target)])[:, 0]
        return numbers
    except UnusableColumnsError:
        raise ValueError(
            f"The target {target!r} of {frame.path.name} does not hold numbers, which regression is about"
            f"{_odd(frame, target)}; convert it, or tell its values apart as classes."
        ) from None


def _odd(frame: Frame, target: str) -> str:
    """The first text that is no number, and where it is."""
    texts = (value for value in frame.values(target) or [] if isinstance(value, str))
    odd = next((text for text in texts if not is_number(text)), None)
    if odd is None:
        return ""
    _, place, in_text = frame.where(target, odd)
    missing = f" (if it stands for a missing value, say --na {odd[:40]!r})" if in_text else ""
    return f": it holds {odd[:40]!r}{place}{missing}"


def values_in(frame: Frame, target: str) -> NDArray[Any] | None:
    """The target of a frame as it stands, whatever it holds, to be carried along.

    Parameters
    ----------
    frame : Frame
        What a file holds.
    target : str
        The column.

    Returns
    -------
    y : ndarray of object, or None
        The values, what is missing as None; None where there is no such column.
    """
    values = frame.values(target)
    if values is None:
        return None
    values = [None if _is_gap(value) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and kinds != {int, float}:  # which no column of a file can hold together
        values = [None if value is None else str(value) for value in values]
    return np.fromiter(values, dtype=object, count=len(values))


def complete_numbers(frame: Frame, target: str) -> Floats:
    """Numbers without gaps."""
    numbers, path = numbers_in(frame, target), frame.path
    if numbers is None:
        raise ValueError(f"{path.name} has no target {target!r}.")
    missing, infinite = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    if missing:
        raise ValueError(_MISSING.format(target, path.name, missing))
    if infinite:
        raise ValueError(f"The target {target!r} of {path.name} is infinite in {infinite} rows.")
    if np.ptp(numbers) == 0:
        raise ValueError(f"The target {target!r} of {path.name} is {numbers[0]:g} in all rows.")
    return numbers


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
