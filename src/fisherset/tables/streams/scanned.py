"""A table read by batches: blocks of numbers with their targets and weights, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fisherset.data import BatchedRows, Block, Place
from fisherset.tables.columns.columns import numbers_in_column, rounds
from fisherset.tables.columns.encoding import Encoder
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import (
    NO_NAME,
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
)
from fisherset.tables.columns.labels import Targets
from fisherset.tables.streams.files import Stream

SCAN_BYTES = 2**24  # of a block as float64
ID_BYTES = 64  # of what a row is called, about
MOST_ROWS = 2**17  # in a block, however narrow the table is


class ScannedTable(BatchedRows):
    """A table read by batches.

    Parameters
    ----------
    stream : Stream
        Where its batches come from.
    features : list of Feature
        What is made of its columns.
    targets : Targets
        What is made of its targets.
    sample_weight : str or None
        The column of weights.
    batch_rows : int or None
        Rows in a block.
    n_rows : int or None
        Number of rows, where it is known.
    identifier : str or None
        The column that names the rows.

    Attributes
    ----------
    features : list of Feature
        What each column is.
    names : list of str
        What they are called.
    groups : list of str
        The column of the table each belongs to.
    """

    def __init__(
        self,
        stream: Stream,
        features: list[Feature],
        targets: Targets,
        sample_weight: str | None,
        batch_rows: int | None,
        n_rows: int | None,
        identifier: str | None = None,
    ) -> None:
        self._stream, self._targets, self._weight = stream, targets, sample_weight
        self._identifier = identifier
        self._encode = Encoder(features)
        self._beside = [*targets.names, *([] if sample_weight is None else [sample_weight])]
        row_bytes = 16 * self._encode.n_entries if self._encode.sparse else 8 * len(features)
        self._rows = batch_rows or rows_of(row_bytes), batch_rows or rows_of(8 * len(self._beside))
        self.features, self.n_columns, self.n_rows = features, len(features), n_rows
        self.names = [feature.name for feature in features]
        self.targets = targets.names if len(targets.names) > 1 else None

    @property
    def groups(self) -> list[str]:
        return [feature.column for feature in self.features]

    def blocks(self, columns: bool = True) -> Iterator[Block]:
        """Open the table and hand out its rows in order, without `columns` their targets alone."""
        wanted = list(dict.fromkeys([*(self._encode.columns if columns else []), *self._beside]))
        rows = self._rows[0 if columns else 1]
        for place, pieces in rebatched(self._stream.batches(wanted, rows), rows):
            yield self._block(place, pieces, columns)

    def labels(self, found: list[Any]) -> list[Any]:
        """The meaning of labels: untyped text that spells plain numbers is these numbers."""
        return self._targets.meaning(found)

    def identifiers(self) -> Identifiers | None:
        """What the rows are called, for which the column of it is read."""
        if self._identifier is None:
            return None
        values: list[Any] = []
        for _, batch in self._stream.batches([self._identifier], rows_of(ID_BYTES)):
            values += batch.column(self._identifier).to_pylist()
        unnamed = not self._identifier or self._identifier.startswith(NO_NAME)
        if unnamed and are_row_numbers(values):
            return None
        return identifiers_of(free_name(self.names or ()) if unnamed else self._identifier, values)

    def _block(self, place: Place, pieces: list[Any], columns: bool) -> Block:
        y = self._targets(pieces, place)
        weight = None
        if self._weight is not None:
            parts = [numbers_in_column(piece.column(self._weight)) for piece in pieces]
            weight = np.concatenate(parts).astype(np.float64)
        if not columns:
            return Block(np.empty((sum(piece.num_rows for piece in pieces), 0)), y, weight, place=place)
        for piece in pieces:
            self._check_long(piece, place)
        return Block(self._encode(pieces, order="F"), y, weight, place=place)

    def _check_long(self, piece: Any, place: Place) -> None:
        """Refuse whole numbers that float64 would round."""
        import pyarrow as pa

        plain = pa.float64()
        for name, kind in zip(piece.schema.names, piece.schema.types, strict=True):
            if kind != plain and name not in self._beside and rounds(piece.column(name)):
                raise ValueError(
                    f"Column {name!r} of {place.name} holds whole numbers beyond 2^53, which would be "
                    f"rounded. Leave it out with drop, or convert it."
                )


def rebatched(batches: Iterator[tuple[str, Any]], rows: int) -> Iterator[tuple[Place, list[Any]]]:
    """So many rows of one file at a time, in pieces, and where the first of them is."""
    name, row, held = "", 1, 0
    pieces: list[Any] = []
    for source, batch in batches:
        if source != name:
            if held:
                yield Place(name, row), pieces
            name, row, pieces, held = source, 1, [], 0
        start = 0
        while held + batch.num_rows - start >= rows:
            stop = start + rows - held
            yield Place(name, row), [*pieces, batch.slice(start, stop - start)]
            row, pieces, held, start = row + rows, [], 0, stop
        if start < batch.num_rows:
            pieces.append(batch.slice(start))
            held += batch.num_rows - start
    if held:
        yield Place(name, row), pieces


def rows_of(row_bytes: int) -> int:
    """How many rows of so many bytes are a block."""
    return int(np.clip(SCAN_BYTES // max(1, row_bytes), 1, MOST_ROWS))
