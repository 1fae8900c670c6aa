"""What the columns of a table hold, added up as its batches come: texts and how often, gaps, long numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fisherset.data import Place
from fisherset.tables.columns.columns import (
    gaps_in_column,
    kind_of,
    numbers_in_column,
    rounds,
    texts_in_column,
)
from fisherset.tables.memory import check_shape


@dataclass
class Tally:
    """What a column holds.

    Attributes
    ----------
    kind : {"number", "text", "nothing"}
        What its type is for.
    n_rows, n_missing : int
        How many rows were counted, and how many of them hold nothing.
    texts : Counter
        The different texts, and how many rows have each.
    rounded : bool
        Whether it holds whole numbers that float64 would round.
    gap : Place or None
        The first row that holds nothing, where somebody says where the rows are.
    """

    kind: str
    n_rows: int = 0
    n_missing: int = 0
    texts: Counter[str] = field(default_factory=Counter)
    rounded: bool = False
    gap: Place | None = None

    def add(self, column: Any, place: Place | None = None) -> None:
        """Count some more rows, of which the first is there."""
        if self.kind == "text":
            texts, codes = texts_in_column(column)
            gaps = codes < 0
            often = np.bincount(codes[~gaps], minlength=len(texts)).tolist()
            for text, times in zip(texts, often, strict=True):
                if times:
                    self.texts[str(text)] += times
            check_shape("A column of texts", self.n_rows, len(self.texts), dense=False)
        else:
            gaps = gaps_in_column(column)
            self.rounded = self.rounded or rounds(column)
        missing = int(np.count_nonzero(gaps))
        if missing and self.gap is None and place is not None:
            self.gap = Place(place.name, place.row + int(np.argmax(gaps)))
        self.n_rows, self.n_missing = self.n_rows + gaps.size, self.n_missing + missing


def tally_of(column: Any) -> Tally:
    """What a whole column holds; one of which no numbers can be made is refused."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):  # most are, and there may be many: no more than must be
        missing = np.count_nonzero(np.isnan(numbers_in_column(column)))
        return Tally("number", len(column), int(missing))
    tally = Tally(kind_of(column.type))
    tally.add(column)
    return tally
