"""Columns of a table that features and targets are adjusted for, as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.data import Coded
from fisherset.tables.columns.encoding import Encoder
from fisherset.tables.columns.features import Feature


class ConfounderColumns:
    """Makes numbers of confounders, the same of every batch; `columns` are those it reads.

    A column of strings has an indicator for each value: summaries of tables with other values do not add up.
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        self.names = [feature.name for feature in features]
        self._encode = Encoder(features)
        self.columns = self._encode.columns

    def __call__(self, pieces: Sequence[Any]) -> Floats:
        """Return the numbers of batches, one below the other."""
        found = self._encode(pieces)
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found)


def check_confounders(confounders: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the names of confounders, each once and none of the target, the weights or the candidates."""
    if isinstance(confounders, str):
        raise TypeError(f"confounders must be a list of names; got {confounders!r}. Write [{confounders!r}].")
    names = list(confounders)
    odd = [name for name in names if not isinstance(name, str) or names.count(name) > 1 or name in taken]
    if odd:
        raise ValueError(
            f"confounders must name columns, each once, and neither target, weights nor candidates; got "
            f"{odd[0]!r}."
        )
    return names


def annotation_numbers(annotations: Mapping[str, NDArray[Any]], columns: Sequence[str]) -> Floats:
    """Return annotations of rows as numbers: these as they are, an indicator for each string."""
    parts = []
    for name in columns:
        values = [None if value is None or value != value else value for value in annotations[name].tolist()]
        if None in values:
            raise ValueError(
                f"{name!r} is missing in {values.count(None)} of {len(values)} rows (first: row "
                f"{values.index(None) + 1}), and cannot be adjusted for."
            )
        if all(isinstance(value, int | float) for value in values):
            parts.append(np.array(values, dtype=np.float64)[:, None])
            continue
        labels, codes = np.unique(np.array([str(value) for value in values]), return_inverse=True)
        parts.append(indicators(Coded(labels, codes)))
    return np.hstack(parts)


def indicators(coded: Coded) -> Floats:
    """Return an indicator for each label."""
    return np.eye(len(coded.labels))[coded.codes]
