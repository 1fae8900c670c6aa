"""Row number columns: columns that only number the rows, such as `Id`, or an index that was written along."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fisherset._sparse import sparse
from fisherset._types import Floats, Indices
from fisherset.data.rows import Block, Matrix, Place, Rows

HEAD, MORE_ROWS = 8, 32  # rows that tell most other columns from row numbers, and nearly all of the rest
# Rows of a table, or of each of its files, from which 1, 2, 3, ... is no short series of doses or days; and
# fewer, where the name says that it is one.
LEAST_ROWS, LEAST_NAMED = 20, 5
MOST_VALUES = 10**7  # rows of which the values are held to find out whether they are distinct
# Names of numbers of rows: PassengerId, customer_id, Unnamed: 0, Row Number, S.No., obs.
NUMBERED = "row|line|record|sample|serial|case|subject|patient|customer|item|instance|entry|observation|obs"
TELLING = re.compile(
    rf"(.* )?u?ids?|unnamed( \d+)*|level 0|(({NUMBERED}|s|sr|sl|running) )?(index|idx|nr|no|num|number)"
    rf"|({NUMBERED})s?|row ?names?|rn|instant|index level \d+"
)
# Such names that may as well be of amounts: of cases in a region, of items in an order.
AMOUNT = re.compile(rf"({NUMBERED})s|obs|nr|no|num|number")
# Names of what passes, or is given, in equal steps: such a column may well be 1, 2, 3, ... in a sorted table.
STEPPING = frozenset(
    {
        *("year", "month", "week", "day", "hour", "minute", "second", "date", "time", "t", "age"),
        *("dose", "depth", "rank", "cycle", "step", "trend", "epoch"),
    }
)


def row_number_columns(head: Block, names: Sequence[str] | None, rows: Rows | None = None) -> Indices:
    """Columns of a table that only number its rows; `head` has the first rows, or all where there is no more.

    These are 0, 1, 2, ... or 1, 2, 3, ... in the order of the rows, beginning again in each file or not. Not
    the same numbers in another order, as ranks are: only where the name tells. A telling name is believed of
    any whole numbers that are distinct, or rise in each file; if it may be that of amounts, of the numbers
    of all rows in any order.

    Few columns are read beyond the first rows; a table out of core is read once more for them.
    """
    suspects = _suspects(head.X, names)
    if not suspects.size:
        return suspects
    telling = np.array([names is not None and is_telling(names[j]) for j in suspects])
    kernel = _Kernel(suspects, telling)
    found = kernel(head) if rows is None else rows.reduce(kernel)
    amount = np.array([names is not None and may_be_amount(names[j]) for j in suspects])
    ordered = (found.counts | (telling & ~amount & found.rising)) & (
        found.n_rows >= found.least * found.n_files
    )
    for at in np.flatnonzero(telling & ~ordered).tolist():
        ordered[at] = found.are_distinct(at, gaps=not amount[at])
    return suspects[ordered]


def is_telling(name: str) -> bool:
    """Whether a name is that of row numbers, or identifiers."""
    return TELLING.fullmatch(_words(name)) is not None or name.strip() in ("#", "№")


def may_be_amount(name: str) -> bool:
    """Whether a telling name may be that of amounts, too."""
    return AMOUNT.fullmatch(_words(name)) is not None


def _words(name: str) -> str:
    """Words of a name in lower case: "passenger id" of PassengerId, "unnamed 0" of "Unnamed: 0"."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", apart).strip().lower()


def _suspects(X: Matrix, names: Sequence[str] | None) -> Indices:
    """Columns whose first rows may be row numbers."""
    n = min(X.shape[0], HEAD)
    if n < 3:
        return np.empty(0, dtype=np.intp)
    # row numbers are zero in the first row at most
    columns = _stored(X, 1, n - 1) if sparse.issparse(X) else np.arange(X.shape[1])
    for many in (3, n, min(X.shape[0], MORE_ROWS)):
        first = np.ascontiguousarray(_first(X, many, columns).T)
        with np.errstate(invalid="ignore", over="ignore"):
            whole = np.all(np.isfinite(first) & (first == np.floor(first)), axis=1)
            columns, first = columns[whole], first[whole]
            differ = np.all(np.diff(np.sort(first, axis=1), axis=1) > 0, axis=1)
        columns, first = columns[differ], first[differ]
    counts = np.all(np.diff(first, axis=1) == 1, axis=1) & (first[:, 0] >= 0) & (first[:, 0] <= 1)
    if names is not None:
        for at, name in enumerate(names[j] for j in columns):
            counts[at] = is_telling(name) or (counts[at] and STEPPING.isdisjoint(_words(name).split()))
    return columns[counts]


def _stored(X: Any, *rows: int) -> Indices:
    """Columns that some rows of a CSR matrix all store; none of a CSC matrix, which has no cheap rows."""
    if X.format != "csr":
        return np.empty(0, dtype=np.intp)
    return np.intersect1d(*(X.indices[X.indptr[row] : X.indptr[row + 1]] for row in rows)).astype(np.intp)


def _first(X: Any, n: int, columns: Indices) -> Floats:
    """Some columns of the first rows."""
    rows = X.iloc[:n] if hasattr(X, "iloc") else X[:n]
    return _values(rows, slice(None) if columns.size == X.shape[1] else columns)


def _values(X: Any, columns: Indices | slice) -> Floats:
    """Some columns of rows as they came, NaN where they are no numbers."""
    try:
        some = X.iloc[:, columns].to_numpy() if hasattr(X, "iloc") else X[:, columns]
        return np.asarray(some.toarray() if sparse.issparse(some) else some, dtype=np.float64)
    except (TypeError, ValueError):
        return np.full((X.shape[0], X.shape[1] if isinstance(columns, slice) else columns.size), np.nan)


@dataclass(frozen=True)
class _Kernel:
    columns: Indices
    telling: Any  # of each of them, whether its name tells

    def __call__(self, block: Block) -> _Numbering:
        values = _values(block.X, self.columns)
        with np.errstate(invalid="ignore"):
            steps, whole = np.diff(values, axis=0), np.all(values == np.floor(values), axis=0)
        least = np.where(self.telling, LEAST_NAMED, LEAST_ROWS)
        held = [values] if self.telling.any() else []
        counts, rising = whole & np.all(steps == 1, axis=0), whole & np.all(steps > 0, axis=0)
        first, last = (values[0], values[-1]) if len(values) else (values, values)
        at = block.place
        return _Numbering(len(values), first, last, counts, rising, least, 1, at, at, held)


@dataclass(frozen=True)
class _Numbering:
    """How the numbers of some columns go on over rows that follow each other."""

    n_rows: int
    first: Floats
    last: Floats
    counts: Any  # whether each is one more than that before, but at the beginning of a file
    rising: Any  # whether each is more, likewise
    least: Any  # rows that each file must have on average
    n_files: int
    begins: Place | None
    ends: Place | None
    held: list[Floats]  # the values, unless they are too many

    def __add__(self, other: _Numbering) -> _Numbering:
        if not (self.n_rows and other.n_rows):
            return self if self.n_rows else other
        new = other.begins is not None and (self.ends is None or other.begins.name != self.ends.name)
        with np.errstate(invalid="ignore"):
            # a file may go on with the numbers of the one before, or begin as that did
            on = (other.first == self.last + 1) | (new & (other.first == self.first))
            more = (other.first > self.last) | new
        n_rows = self.n_rows + other.n_rows
        return _Numbering(
            n_rows,
            self.first,
            other.last,
            self.counts & other.counts & on,
            self.rising & other.rising & more,
            self.least,
            self.n_files + other.n_files - (not new),
            self.begins,
            other.ends,
            [*self.held, *other.held] if n_rows <= MOST_VALUES else [],
        )

    def are_distinct(self, at: int, *, gaps: bool) -> bool:
        """Whether the numbers of a column are distinct, or count from the first again a few times.

        Without `gaps`, distinct ones must be 0, 1, 2, ... or 1, 2, 3, ... in some order.
        """
        if sum(map(len, self.held)) != self.n_rows or self.n_rows < LEAST_NAMED:
            return False
        values = np.concatenate([some[:, at] for some in self.held])
        if not np.all(np.isfinite(values) & (values == np.floor(values))):
            return False
        again = values[1:] == values[0]  # as where tables were joined, each with its index
        if np.all(again | (np.diff(values) == 1)):
            return bool(values.size >= LEAST_NAMED * (1 + np.count_nonzero(again)))
        if not gaps and (values.min() not in (0, 1) or np.ptp(values) >= values.size):
            return False
        return bool(np.unique(values).size == values.size)
