"""Columns of Arrow: what kind they are, and what they hold as numbers, or as different texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.tables.memory import check_room

DROP = "Leave them out with --drop, or convert them."
EXACT_BITS = 53  # of a whole number that float64 keeps, however large it is
EXACT_DIGITS = 16  # that a whole number has at least which needs more


class RefusedColumnError(ValueError):
    """A column of which no numbers can be made; the reason has a place for the names of all such.

    Where it is for one value in it, that is beside the reason, and how many rows have it.
    """

    def __init__(self, reason: str, value: str | None = None, times: int = 0) -> None:
        self.reason, self.value, self.times = reason, value, times
        super().__init__(reason)


def kind_of(kind: Any) -> str:
    """What a type of Arrow's holds, "number", "text" or "nothing"; any other is refused."""
    import pyarrow.types as kinds

    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    if is_text(kind):
        return "text"
    if kinds.is_null(kind):
        return "nothing"
    if any(test(kind) for test in (kinds.is_boolean, kinds.is_integer, kinds.is_floating, kinds.is_decimal)):
        return "number"
    what = "dates or times" if kinds.is_temporal(kind) else "neither numbers nor texts"
    raise RefusedColumnError(f"Columns {{}} hold {what}. {DROP}")


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow's is one of its texts."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def numbers_in_column(column: Any) -> NDArray[Any]:
    """A column of numbers, what is missing as NaN; not copied where it need not be."""
    import pyarrow as pa

    if not pa.types.is_floating(column.type):  # most are, and there may be many
        column = _plain(column)
        kind = kind_of(column.type)
        if kind == "nothing":
            return np.full(len(column), np.nan)
        if kind == "text":
            raise RefusedColumnError(f"Columns {{}} hold texts. {DROP}")
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        elif pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


def texts_in_column(column: Any) -> tuple[list[str | None], Indices]:
    """Texts, some of which no row may have, and the number of each row's, -1 where it has none."""
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
    texts: list[str | None] = column.dictionary.to_pylist()
    codes: Indices = column.indices.cast(pa.int64()).fill_null(-1).to_numpy().astype(np.intp)
    if None in texts:
        codes = np.array([-1 if text is None else j for j, text in enumerate(texts)] + [-1])[codes]
    return texts, codes


def gaps_in_column(column: Any) -> NDArray[np.bool_]:
    """Where a column holds nothing, or no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _plain(column)
    missing = np.array(pc.is_null(column))
    if pa.types.is_floating(column.type):
        missing |= np.isnan(numbers_in_column(column))
    return missing


def rounds(column: Any) -> bool:
    """Whether a column holds whole numbers some of which have more digits than float64."""
    import pyarrow as pa

    column = _plain(column)
    if pa.types.is_decimal(column.type):
        return _rounds_decimals(column)
    if not pa.types.is_integer(column.type) or column.type.bit_width <= EXACT_BITS:
        return False
    numbers = column.drop_null().to_numpy()
    if not numbers.size or -(2**EXACT_BITS) <= numbers.min() <= numbers.max() <= 2**EXACT_BITS:
        return False
    with np.errstate(invalid="ignore"):  # beyond the largest integer, which is a difference
        return bool((numbers.astype(np.float64).astype(numbers.dtype) != numbers).any())


def _rounds_decimals(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type.precision - column.type.scale < EXACT_DIGITS:
        return False
    large = column.filter(pc.greater(pc.abs(column.cast(pa.float64())), 2.0**EXACT_BITS))
    return any(number == int(number) and int(number) != float(number) for number in large.to_pylist())


def check_texts(column: Any) -> None:
    """Refuse a dictionary of texts that memory would not hold one by one: each may come again and again."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and is_text(column.type.value_type):
        import pyarrow.compute as pc

        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        lengths = [pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() for chunk in chunks]
        check_room("A column of texts", sum(length or 0 for length in lengths), f"{len(column)} of them")


def _plain(column: Any) -> Any:
    """The values of a dictionary of numbers themselves."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
