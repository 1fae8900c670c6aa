"""A stream without the rows whose target is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fisherset.tables.columns.labels import warn_unlabelled
from fisherset.tables.columns.types import missing_in_column
from fisherset.tables.streams.files import Stream
from fisherset.tables.text.recognition import Finding


class LabelledStream:
    """A stream of the labelled rows of another; how many there are is known after a pass."""

    def __init__(self, stream: Stream, targets: list[str]) -> None:
        self._stream, self._targets, self._warned = stream, targets, False
        self.name, self.decimal, self.schema = stream.name, stream.decimal, stream.schema
        self.n_rows: int | None = None

    def agree(self, columns: Sequence[str]) -> None:
        """Settle the types of columns that will be read."""
        self._stream.agree(columns)
        self.schema = self._stream.schema

    def untyped(self, name: str) -> bool:
        """Whether a column is text without a type, as in CSV."""
        return self._stream.untyped(name)

    def where(self, name: str, value: str) -> Finding:
        """Return the source of a string in a column, and its first line or row."""
        return self._stream.where(name, value)

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[tuple[str, Any]]:
        """Yield the labelled rows of batches."""
        import pyarrow as pa

        wanted = list(dict.fromkeys([*columns, *self._targets]))
        n_dropped = 0
        for source, batch in self._stream.batches(wanted, rows):
            missing = np.any([missing_in_column(batch.column(name)) for name in self._targets], axis=0)
            n_dropped += int(np.count_nonzero(missing))
            kept = batch.filter(pa.array(~missing)) if missing.any() else batch
            if kept.num_rows:
                yield source, kept.select(list(columns)) if columns else kept
        if n_dropped and not self._warned:
            self._warned = True
            warn_unlabelled(n_dropped)
