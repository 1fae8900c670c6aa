"""Targets of tables: labels of one kind or numbers, from the table or from a file of labels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.data import Coded, Place
from fisherset.tables.columns.table import ColumnTable, Content
from fisherset.tables.columns.targets import (
    CLASSES,
    NUMBERS,
    TargetValues,
    are_rounded,
    spelled_number,
    spelled_numbers,
)
from fisherset.tables.columns.types import (
    RefusedColumnError,
    broad_kind,
    is_number,
    kind_of,
    missing_in_column,
    numbers_in_column,
    rounds,
    strings_in_column,
)
from fisherset.tables.columns.units import AmbiguousError, unit_of

# Numbers that are the same when they are written again: not 007, nor any that float64 would round.
PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?(?:[eE][-+]?\d{1,2})?")
DROP_UNLABELLED = "Pass layout=Layout(drop_unlabelled=True) to leave such rows out."
NO_LABELS = "The target {!r} of {} holds {}; class labels are strings, integers or booleans. Convert it."


def labels_in(content: Content, target: str) -> NDArray[Any] | None:
    """Return the labels of a table as an array of one kind, missing ones as None; None without such a column.

    Strings of typed columns are strings, whatever they spell.
    """
    if isinstance(content, ColumnTable) and target in content.names:
        _check_type(content.table.schema.field(target).type, target, content.path.name)
    values = content.values(target)
    return None if values is None else label_array(values, content.untyped, target, content.path.name)


def label_array(values: Sequence[Any], untyped: bool, target: str, file: str) -> NDArray[Any]:
    """Return labels as an array of one kind; strings without a type that all spell numbers are these."""
    found = [None if _is_missing(value) else value for value in values]
    present = [value for value in found if value is not None]
    if untyped or (present and all(isinstance(value, Decimal) for value in present)):
        found = _inferred([None if value is None else str(value) for value in found])
        present = [value for value in found if value is not None]
    kinds = {type(value) for value in present}
    odd = [kind.__name__ for kind in kinds if not issubclass(kind, bool | int | float | str | Decimal)]
    if odd:
        raise ValueError(NO_LABELS.format(target, file, f"values of type {odd[0]}"))
    if kinds == {int, float}:
        found = [None if value is None else float(value) for value in found]
    elif len(kinds) > 1 or Decimal in kinds:
        found = [None if value is None else str(value) for value in found]
    array = np.array(found, dtype=object if len(present) < len(found) else None)
    # numpy rounds integers that none of its types holds together
    return array if array.tolist() == found else np.array(found, dtype=object)


def _inferred(texts: list[str | None]) -> list[Any]:
    """Return the numbers that strings spell, if all of them do; else the strings."""
    if not all(text is None or PLAIN_NUMBER.fullmatch(text) for text in texts):
        return list(texts)
    number = [None if text is None else int if text.lstrip("-").isdigit() else float for text in texts]
    return [None if kind is None else kind(text) for kind, text in zip(number, texts, strict=True)]  # type: ignore[arg-type]


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or those of pandas, which may have no truth value."""
    if value is None or isinstance(value, float):
        return value is None or value != value
    return repr(value) in ("<NA>", "NaT")


def _check_type(kind: Any, target: str, file: str) -> None:
    """Refuse a column whose values are no labels: lists, records, bytes, dates."""
    try:
        kind_of(kind)
    except RefusedColumnError as error:
        what = "dates or times" if "dates" in error.reason else f"values of type {str(kind)[:40]}"
        raise ValueError(NO_LABELS.format(target, file, what)) from None


def values_in(content: Content, target: str) -> NDArray[Any] | None:
    """Return the target of a table unchanged, to be written again; None where there is no such column."""
    values = content.values(target)
    if values is None:
        return None
    values = [None if _is_missing(value) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and kinds != {int, float}:  # which no column of a file can hold together
        values = [None if value is None else str(value) for value in values]
    return np.fromiter(values, dtype=object, count=len(values))


def complete_target(content: Content, target: str, task: str | None, table: str) -> tuple[NDArray[Any], str]:
    """Return the labels, or numbers, of the rows of a table, none of which may be missing; and the task.

    Without a task the values decide it.
    """
    name = content.path.name
    y = _numbers_in(content, target) if task == NUMBERS else labels_in(content, target)
    if y is None:
        raise ValueError(f"{name} has no column {target!r}.")
    missing = np.array([_is_missing(value) for value in y.tolist()]) if y.dtype.kind in "Of" else None
    if missing is not None:
        check_complete(missing, target, Place(table, 1), name)
    if task is None:
        values = TargetValues(content.untyped, content.decimal)
        values.add(y)
        task = NUMBERS if values.are_quantities else values.task(target)
        found = _numbers_in(content, target) if task == NUMBERS else None
        y = y if found is None else found
    return (y if task == CLASSES else _checked_numbers(y, target, name)), task


def _checked_numbers(y: NDArray[Any], target: str, name: str) -> Floats:
    """Return finite numbers that vary."""
    infinite = int(np.isinf(y).sum())
    if infinite:
        raise ValueError(f"The target {target!r} of {name} is infinite in {infinite} rows.")
    if y.size > 1 and np.ptp(y) == 0:
        raise ValueError(f"The target {target!r} of {name} is {y[0]:g} in all rows.")
    return np.asarray(y, dtype=np.float64)


def _numbers_in(content: Content, target: str) -> Floats | None:
    """Return the target of a table as numbers, missing ones as NaN; None where there is no such column."""
    import pyarrow as pa

    texts = content.values(target) if content.untyped else None
    if texts is not None and all(text is None or isinstance(text, str) for text in texts):
        found = spelled_numbers(texts, content.decimal)  # read as labels, of which 007 is not 7
        if found is not None and are_rounded(texts):
            raise _rounded(target, content.path.name)
        if found is not None:
            return found
    if isinstance(content, ColumnTable):
        column = content.table.column(target) if target in content.names else None
    else:
        labels = labels_in(content, target)
        column = None if labels is None else pa.array(labels.tolist())
    if column is None:
        return None
    quantities = _quantities_in(content, target)
    if quantities is not None:
        return quantities
    try:
        return target_numbers(column, target, content.path.name)
    except RefusedColumnError:
        raise _no_numbers(target, content.path.name, _odd(content, target)) from None


def _quantities_in(content: Content, target: str) -> Floats | None:
    """Return the numbers of a target of strings with a unit, missing ones as NaN; None where it has none."""
    values = content.values(target) or []
    texts = [value for value in dict.fromkeys(values) if not _is_missing(value)]
    if not all(isinstance(text, str) for text in texts):
        return None
    try:
        unit = unit_of(texts, content.decimal)
    except AmbiguousError as error:
        file = content.path.name
        raise ValueError(
            f"The target {target!r} of {file} cannot be read as numbers: {error}. Convert it."
        ) from None
    if unit is None:
        return None
    numbers = {text: unit.number(text) for text in texts}
    warnings.warn(f"Target {target!r}: read {texts[0].strip()!r} as {numbers[texts[0]]:.15g}.", stacklevel=5)
    return np.array([numbers.get(value, np.nan) for value in values], dtype=np.float64)


def target_numbers(column: Any, target: str, file: str) -> Floats:
    """Return a column of numbers; integers that would be rounded are refused."""
    if rounds(column):
        raise _rounded(target, file)
    return numbers_in_column(column).astype(np.float64)


def _rounded(target: str, file: str) -> ValueError:
    return ValueError(
        f"The target {target!r} of {file} holds integers beyond 2^53, which float64 would round. "
        f"Subtract an offset."
    )


def _no_numbers(target: str, file: str, detail: str = "") -> ValueError:
    return ValueError(
        f"--task regression needs numbers; the target {target!r} of {file} holds {detail or 'none'}. "
        f"Convert it, or use --task classification."
    )


def _odd(content: Content, target: str) -> str:
    """Return the first string that is no number, and its place."""
    texts = [value for value in content.values(target) or [] if isinstance(value, str)]
    odd = next((text for text in texts if not is_number(text)), None)
    if odd is None:
        return ""
    _, place, in_text = content.where(target, odd)
    missing = (
        f" (if it means missing, add --na {odd[:40]!r})" if in_text and any(map(is_number, texts)) else ""
    )
    return f"{odd[:40]!r}{place}{missing}"


def labelled_rows(content: Content, held: Content, target: str) -> tuple[Content, Content]:
    """Return the rows of a table, and of the one with its labels, whose target is not missing."""
    if isinstance(held, ColumnTable):
        missing = missing_in_column(held.table.column(target))
    else:
        missing = np.array([_is_missing(value) for value in held.values(target) or []], dtype=bool)
    if not missing.any():
        return content, held
    if missing.all():
        raise ValueError(f"The target {target!r} of {held.path.name} is missing in all rows.")
    warn_unlabelled(int(missing.sum()))
    kept = content.kept_rows(~missing)
    return kept, kept if held is content else held.kept_rows(~missing)


def warn_unlabelled(n_rows: int) -> None:
    """Say how many rows were left out."""
    rows = "1 row without a label was" if n_rows == 1 else f"{n_rows} rows without a label were"
    warnings.warn(f"{rows} left out.", stacklevel=5)


def check_complete(missing: NDArray[np.bool_], target: str, place: Place, file: str | None = None) -> None:
    """Refuse rows whose target is missing; the first row is at a place, its label may be in another file."""
    if missing.any():
        table = "" if file in (None, place.name) else f" of {place.name}"
        raise ValueError(
            f"The target {target!r} of {file or place.name} is missing in {np.count_nonzero(missing)} of the "
            f"rows {place.row} to {place.row + missing.size - 1}{table}, the first of them row "
            f"{place.row + int(np.argmax(missing))}. {DROP_UNLABELLED}"
        )


def are_continuous(labels: NDArray[Any]) -> bool:
    """Whether labels are numbers that no selector takes for classes; long ones are strings by now."""
    if labels.dtype.kind == "f" and np.isfinite(labels).all() and (labels != np.floor(labels)).any():
        return True
    values = labels.tolist()
    distinct = set(values)
    return 1 < len(distinct) == len(values) and all(is_number(str(value)) for value in distinct)


class Targets:
    """Targets of batches: one column of labels or numbers, or several of numbers.

    Columns of dates, lists or the like are refused by the schema; `untyped` labels are text without a type.
    """

    def __init__(self, names: list[str], schema: Any, file: str, untyped: bool, decimal: str = ".") -> None:
        import pyarrow as pa

        self.names, self._file, self._decimal = names, file, decimal
        # decimals come as they are written, all with the same number of digits
        self._spelt = untyped or pa.types.is_decimal(schema.field(names[0]).type)
        for name in names:
            kind = schema.field(name).type
            if len(names) == 1:
                _check_type(kind, name, Path(file).name)
            elif broad_kind(kind) not in ("number", "nothing"):
                raise _no_numbers(name, Path(file).name)

    def __call__(self, pieces: Sequence[Any], place: Place) -> Any:
        """Return the targets of some rows, the first of which is at a place."""
        import pyarrow as pa

        columns = [pa.chunked_array([piece.column(name) for piece in pieces]) for name in self.names]
        if len(columns) == 1:
            return self._labels(columns[0], place)
        for name, column in zip(self.names, columns, strict=True):
            check_complete(missing_in_column(column), name, place)
        named = zip(columns, self.names, strict=True)
        return np.column_stack([target_numbers(column, name, place.name) for column, name in named])

    def meaning(self, found: list[Any]) -> list[Any]:
        """Return labels, once all are known: untyped strings that all spell plain numbers are these."""
        if not self._spelt or not all(isinstance(label, str) for label in found):
            return found
        return list(label_array(found, True, self.names[0], self._file).tolist())

    def _labels(self, column: Any, place: Place) -> NDArray[Any] | Coded:
        import pyarrow as pa

        name = self.names[0]
        if pa.types.is_decimal(column.type):  # labels as they are written
            values = [None if value is None else str(value) for value in column.to_pylist()]
            column = pa.array(values, pa.string())
        if kind_of(column.type) == "number":
            check_complete(missing_in_column(column), name, place)
            boolean = pa.types.is_boolean(column.type)
            return np.asarray(column.to_numpy()) if boolean else numbers_in_column(column)
        strings, codes = strings_in_column(column)
        check_complete(codes < 0, name, place)
        numbers: dict[Any, int] = {}  # of the strings that some row has
        used = np.unique(codes)
        labels = [self._pointed(str(strings[code])) for code in used]
        number = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)
        return Coded(tuple(numbers), number[np.searchsorted(used, codes)], self._spelt)

    def _pointed(self, label: str) -> str:
        """Return a label with a decimal point in place of the comma, where it is a number with one."""
        comma = self._decimal == "," and "," in label and spelled_number(label, ",") is not None
        return label.replace(",", ".") if comma else label
