"""Types of Arrow columns, their names, and their values as numbers or as distinct strings."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._format import shown
from fisherset._names import FILE, is_pattern, matching, read_names
from fisherset._types import Indices
from fisherset.tables.columns.units import Unit
from fisherset.tables.memory import check_room

DROP = "Convert them, or use --drop."
SINGULAR = {
    "Columns {} hold": "Column {} holds",
    "Columns {} have": "Column {} has",
    "Columns {} are": "Column {} is",
    "Columns {} cannot": "Column {} cannot",
}


def about_columns(reason: str, names: list[str]) -> str:
    """Return a sentence on columns, such as "Columns {} hold dates. Convert them."; or on one of them."""
    for several, one in SINGULAR.items() if len(names) == 1 else ():
        reason = reason.replace(several, one).replace("Convert them", "Convert it")
    return reason.format(shown(names))


EXACT_BITS = 53  # whole numbers of so many bits are exact in float64
EXACT_DIGITS = 16  # decimals with fewer digits before the point are exact in float64


class RefusedColumnError(ValueError):
    """A column that cannot be made numeric: the reason has a placeholder for the names of such columns.

    Where a single value is the cause, `value` is that value and `times` the number of its rows; where all
    are, `counts` are the number of distinct values and of rows.
    """

    def __init__(
        self, reason: str, value: str | None = None, times: int = 0, counts: tuple[int, int] = (0, 0)
    ) -> None:
        self.reason, self.value, self.times, self.counts = reason, value, times, counts
        super().__init__(reason)


def kind_of(kind: Any) -> str:
    """Return "number", "text" or "nothing" for an Arrow type; any other type is refused."""
    import pyarrow.types as kinds

    if kinds.is_floating(kind):  # most are, and there may be very many
        return "number"
    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    if is_string(kind):
        return "text"
    if kinds.is_null(kind):
        return "nothing"
    if any(test(kind) for test in (kinds.is_boolean, kinds.is_integer, kinds.is_floating, kinds.is_decimal)):
        return "number"
    what = "dates or times" if kinds.is_temporal(kind) else "neither numbers nor strings"
    raise RefusedColumnError(f"Columns {{}} hold {what}. {DROP}")


def broad_kind(kind: Any) -> str:
    """Return the kind of an Arrow type, or the type itself as a string where it would be refused."""
    try:
        return kind_of(kind)
    except RefusedColumnError:
        return str(kind)


def is_string(kind: Any) -> bool:
    """Whether an Arrow type, or the values of a dictionary type, are strings."""
    import pyarrow.types as kinds

    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def is_number(text: str) -> bool:
    """Whether a string reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def numbers_in_column(column: Any) -> NDArray[Any]:
    """Return a numeric column as an array, missing values as NaN; without a copy where possible."""
    import pyarrow as pa

    if not pa.types.is_floating(column.type):
        column = plain_column(column)
        kind = kind_of(column.type)
        if kind == "nothing":
            return np.full(len(column), np.nan)
        if kind == "text":
            raise RefusedColumnError(f"Columns {{}} hold strings. {DROP}")
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        elif pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def strings_in_column(column: Any) -> tuple[list[str | None], Indices]:
    """Return strings, some of which may not occur, and the number of each row's string, -1 if missing."""
    import pyarrow as pa

    kind = kind_of(column.type)
    if kind == "nothing":
        return [], np.full(len(column), -1, dtype=np.intp)
    if kind == "number":
        raise RefusedColumnError(f"Columns {{}} hold numbers. {DROP}")
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.large_string()).dictionary_encode()
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    strings: list[str | None] = column.dictionary.to_pylist()
    codes: Indices = column.indices.cast(pa.int64()).fill_null(-1).to_numpy().astype(np.intp)
    if None in strings:
        codes = np.array([-1 if text is None else j for j, text in enumerate(strings)] + [-1])[codes]
    return strings, codes


def quantities_in_column(column: Any, unit: Unit) -> NDArray[np.float64]:
    """Return the numbers of a column of strings with a unit, missing values as NaN."""
    strings, codes = strings_in_column(column)
    used = set(np.unique(codes[codes >= 0]).tolist())
    numbers = [unit.number(str(text)) if j in used else np.nan for j, text in enumerate(strings)]
    if None in numbers:
        odd = strings[numbers.index(None)]
        raise RefusedColumnError("unit", None if odd is None else str(odd))
    return np.array([*numbers, np.nan], dtype=np.float64)[codes]


def missing_in_column(column: Any) -> NDArray[np.bool_]:
    """Whether the value of each row is missing: null, or NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = plain_column(column)
    missing = np.array(pc.is_null(column))
    if pa.types.is_floating(column.type):
        missing |= np.isnan(numbers_in_column(column))
    return missing


def rounds(column: Any) -> bool:
    """Whether a column holds whole numbers that float64 would round."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = plain_column(column)
    if pa.types.is_decimal(column.type):
        if column.type.precision - column.type.scale < EXACT_DIGITS:
            return False
        large = column.filter(pc.greater(pc.abs(column.cast(pa.float64())), 2.0**EXACT_BITS))
        return any(number == int(number) and int(number) != float(number) for number in large.to_pylist())
    if not pa.types.is_integer(column.type) or column.type.bit_width <= EXACT_BITS:
        return False
    numbers = column.drop_null().to_numpy()
    if not numbers.size or -(2**EXACT_BITS) <= numbers.min() <= numbers.max() <= 2**EXACT_BITS:
        return False
    with np.errstate(invalid="ignore"):  # beyond the largest integer, which is a difference
        return bool((numbers.astype(np.float64).astype(numbers.dtype) != numbers).any())


def check_string_memory(column: Any) -> None:
    """Refuse a dictionary column whose strings, written out row by row, would exceed the memory."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and is_string(column.type):
        import pyarrow.compute as pc

        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        lengths = [pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() for chunk in chunks]
        check_room("A text column", sum(length or 0 for length in lengths), f"{len(column)} of them")


def plain_column(column: Any) -> Any:
    """Return a column without its dictionary encoding."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def split_names(text: str, known: Container[str]) -> list[str]:
    """Split names of columns at commas, unless the comma is part of a name.

    Parameters
    ----------
    text : str
        A name, or several with commas between them.
    known : container of str
        The names that exist.

    Returns
    -------
    names : list of str
        The string itself where it has no comma or is a name; else its parts, without the spaces
        around them unless these belong to a name.

    Examples
    --------
    >>> from fisherset.tables import split_names
    >>> split_names("age, dose", {"age", "dose"})
    ['age', 'dose']
    >>> split_names("dose, mg", {"age", "dose, mg"})
    ['dose, mg']
    """
    if "," not in text or text in known:
        return [text]
    return [part if part in known else part.strip() for part in text.split(",")]


def all_names(texts: Sequence[str], known: Collection[str], hidden: Container[str] = ()) -> list[str]:
    """Return the names that strings stand for, in their order, each once.

    A string is a name that is `known`, or several with commas; else a pattern, which does not match what is
    `hidden`, or @ and a file with a name a line. What matches nothing is returned as it is.
    """
    names: dict[str, None] = {}
    for text in texts:
        whole = text in known or (text.startswith(FILE) and Path(text[1:]).is_file())
        for name in [text] if whole else split_names(text, known):
            if name not in known and name.startswith(FILE) and len(name) > 1:
                listed = read_names(Path(name[1:]), "details")
                listed = [one if one in known else one.strip() for one in listed]
            else:
                listed = [name]
            for one in listed:
                names |= dict.fromkeys(_meant(one, known, hidden))
    return list(names)


def _meant(name: str, known: Collection[str], hidden: Container[str]) -> list[str]:
    """Return the names that one name stands for: itself, or those that it matches as a pattern."""
    if name in known or not is_pattern(name):
        return [name]
    return [one for one in matching(name, known) if one not in hidden] or [name]


def check_names(path: Path, names: list[str]) -> None:
    """Refuse two columns of one name."""
    values, counts = np.unique(np.array(names, dtype=object).astype(str), return_counts=True)
    twice = values[counts > 1].tolist()
    if twice:
        raise ValueError(f"{path.name} has columns of the same name: {shown(twice)}. Rename them.")
