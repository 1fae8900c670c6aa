"""What a table holds that stays where it is: a pass over those columns alone of which it must be known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fisherset._format import shown
from fisherset._types import Floats
from fisherset.data import Place
from fisherset.tables.columns.columns import kind_of, numbers_in_column
from fisherset.tables.columns.contents import Tally
from fisherset.tables.columns.encoding import ASK_IMPUTE, UnusableColumnsError, features_of_tallies
from fisherset.tables.columns.features import Feature
from fisherset.tables.memory import TooLargeError, check_room
from fisherset.tables.read import _check_distinct
from fisherset.tables.streams.files import Stream
from fisherset.tables.streams.scanned import rebatched, rows_of


def features_in(
    stream: Stream, columns: Sequence[str], impute: str | None, split: bool
) -> tuple[list[Feature], int | None]:
    """The features of some columns, and the number of rows, where it is known by now.

    Numbers are what they are, unless their gaps are to be filled; texts are read.
    """
    tallies: dict[str, Tally] = {}

    def tally(name: str) -> Tally:
        if name not in tallies:
            tallies[name] = Tally(kind_of(stream.schema.field(name).type))
        return tallies[name]

    def features(median: dict[str, float]) -> list[Feature]:
        return features_of_tallies(
            columns, tally, median.__getitem__, impute, split, flags=False, where=stream.where
        )

    plain = features({})  # refuses what no numbers are made of before anything is read
    counted = [name for name, held in tallies.items() if held.kind == "text" or impute is not None]
    n_rows = stream.n_rows
    if counted:
        n_rows = _count(stream, {name: tallies[name] for name in counted})
        _refuse_gaps(tallies, impute)
        holed = [name for name in counted if tallies[name].kind == "number" and tallies[name].n_missing]
        holed = [name for name in holed if tallies[name].n_missing < n_rows]
        plain = features(_medians(stream, holed, n_rows) if holed else {})
    _check_distinct(plain)
    return plain, n_rows


def _count(stream: Stream, tallies: dict[str, Tally]) -> int:
    """Add up what columns hold; the number of rows."""
    n_rows, rows = 0, rows_of(8 * len(tallies))
    for place, pieces in rebatched(stream.batches(list(tallies), rows), rows):
        row = place.row
        for piece in pieces:
            for name, tally in tallies.items():
                tally.add(piece.column(name), Place(place.name, row))
            row += piece.num_rows
            n_rows += piece.num_rows
    if not n_rows:
        raise ValueError(f"{stream.name} has no rows.")
    return n_rows


def _refuse_gaps(tallies: dict[str, Tally], impute: str | None) -> None:
    """Name the row where the first text is missing."""
    holed = [name for name, held in tallies.items() if held.gap and held.n_missing < held.n_rows]
    if impute is None and holed:
        gap = tallies[holed[0]].gap
        where = "" if gap is None else f" (The first: {holed[0]!r} in {gap.name}, row {gap.row}.)"
        raise UnusableColumnsError(ASK_IMPUTE.replace("--", "").format(shown(holed)) + where)


def _medians(stream: Stream, names: list[str], n_rows: int) -> dict[str, float]:
    """The medians of columns with gaps: a pass, for which their numbers have to find room."""
    try:
        check_room("impute", 8.0 * n_rows * (len(names) + 2), f"the medians of {len(names)} columns")
    except TooLargeError as error:
        raise TooLargeError(f'{error} Or do without impute, and fit with missing="mean".') from None
    found: dict[str, list[Floats]] = {name: [] for name in names}
    for _, batch in stream.batches(names, rows_of(8 * len(names))):
        for name in names:
            numbers = numbers_in_column(batch.column(name)).astype(np.float64)
            found[name].append(numbers[~np.isnan(numbers)])
    return {name: float(np.median(np.concatenate(found.pop(name)))) for name in names}
