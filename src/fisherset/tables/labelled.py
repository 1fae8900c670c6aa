"""A labelled table: numbers, labels and the origin of each feature, in memory or read by batches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._records import brief, cut
from fisherset.tables.columns.confounders import annotation_numbers
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import Identifiers
from fisherset.tables.columns.targets import target_range


class LabelledTable(NamedTuple):
    """Rows with labels.

    Attributes
    ----------
    X : ndarray, CSR matrix, scanned table or Summary
        The numbers, a column for each feature.
    y : ndarray or None
        The labels, or numbers; None where X has its own.
    features : list of Feature
        What each column of X is.
    target : str
        Name of the column of labels, or numbers.
    path : Path
        The file.
    ids : Identifiers or None
        Names of the rows, where they have any and are in memory.
    dropped : tuple of str
        The columns that were left out.
    sha256 : str
        The digest of the file, where it was requested and the file is text.
    task : {"classification", "regression"}
        What the target holds, as given or as its values say: labels, or numbers.
    row_numbers : tuple of str
        Columns that only number the rows, if they were looked for; those among `dropped` were left out.
    annotations : dict
        Other annotations of the rows of a matrix in memory, such as the columns of obs.
    confounders : ndarray or None
        Those that features and target are adjusted for, in memory; of other tables X has them.
    """

    X: Any
    y: NDArray[Any] | None
    features: list[Feature]
    target: str
    path: Path
    ids: Identifiers | None = None
    dropped: tuple[str, ...] = ()
    sha256: str = ""
    task: str = "classification"
    row_numbers: tuple[str, ...] = ()
    annotations: Mapping[str, NDArray[Any]] = MappingProxyType({})
    confounders: NDArray[np.float64] | None = None

    @property
    def annotation_names(self) -> list[str]:
        """Names of annotations that can be adjusted for: columns of obs, in memory or not."""
        names = list(getattr(self.X, "annotations", self.annotations))
        return [name for name in names if name != self.target]

    def adjusted(self, columns: list[str]) -> LabelledTable:
        """Return the table with its features and target adjusted for annotations of its rows.

        Parameters
        ----------
        columns : list of str
            Names of annotations.

        Returns
        -------
        table : LabelledTable
            With confounders, in memory or in X.
        """
        if not self.in_memory:
            self.X.adjust(columns)
            return self
        return self._replace(confounders=annotation_numbers(self.annotations, columns))

    def __repr__(self) -> str:
        return f"LabelledTable({cut(self.path.name)}: {brief(self.X)}, target {cut(self.target)})"

    @property
    def names(self) -> list[str]:
        return [feature.name for feature in self.features]

    @property
    def summarized(self) -> bool:
        """Whether the sums of the rows are there in their place."""
        return hasattr(self.X, "n_samples")

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory."""
        return self.y is not None

    @property
    def target_range(self) -> str:
        """Values of the target, "3 classes" or "numbers from 25 to 346"; "" where they are out of memory."""
        if self.y is None:
            return ""
        return target_range(self.y, self.task)

    @property
    def n_rows(self) -> int:
        """Number of rows; of a table that is read by batches known after the first pass."""
        if self.in_memory:
            return int(self.X.shape[0])
        return int(self.X.n_samples if self.summarized else self.X.n_rows)

    def identifiers(self) -> Identifiers | None:
        """Names of the rows; of a table that is read by batches they take another pass.

        Returns
        -------
        ids : Identifiers or None
            None where they have no names.
        """
        read = getattr(self.X, "identifiers", None)
        return read() if self.ids is None and read is not None else self.ids
