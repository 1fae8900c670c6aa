"""What another table has that the selection never saw: it can be reduced, but whoever uses it should know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._format import shown
from fisherset.tables.columns.table import ColumnTable, Content
from fisherset.tables.columns.types import is_number
from fisherset.tables.selection import Selection


def drift_of(
    frame: Content, selection: Selection, X: NDArray[Any], labels: NDArray[Any] | None = None
) -> list[str]:
    """A sentence for each way in which a frame, reduced to X, is unlike the table of a selection.

    Parameters
    ----------
    frame : ColumnTable or AnnotatedMatrix
        The table.
    selection : Selection
        What it was reduced to.
    X : ndarray of shape (n_rows, n_features)
        Its numbers.
    labels : ndarray of shape (n_rows,), default=None
        Its labels, where it has any.

    Returns
    -------
    sentences : list of str
        With how many and where; none where nothing is odd.
    """
    columns = {feature.column for feature in selection.features if feature.kind == "value"}
    return [
        *_odd_numbers(frame, selection, X, np.isnan, "missing values, where the selection had none"),
        *_odd_numbers(frame, selection, X, np.isinf, "infinite values"),
        *(sentence for column in sorted(columns) for sentence in _odd_texts(frame, selection, column)),
        *_odd_labels(frame, selection, labels),
    ]


def _odd_numbers(
    frame: Content, selection: Selection, X: NDArray[Any], odd: Callable[[Any], Any], what: str
) -> list[str]:
    found = odd(X)
    where = [feature.name for feature, hit in zip(selection.features, found.any(axis=0), strict=True) if hit]
    rows = int(found.any(axis=1).sum())
    return [f"{frame.path.name} has {what}, in {rows} of {len(X)} rows: {shown(where)}."] if where else []


def _odd_texts(frame: Content, selection: Selection, column: str) -> list[str]:
    """What a column of texts has besides the values it had; each of its features is 0 there."""
    texts = frame.strings(column) if isinstance(frame, ColumnTable) else []
    own = [feature for feature in selection.features if feature.column == column]
    sentences = []
    gaps = sum(text is None for text in texts)
    expected = column in selection.gaps or any(
        feature.kind == "missing" or feature.fill is not None for feature in own
    )
    if gaps and not expected:
        sentences.append(
            f"{frame.path.name} has no value of {column!r} in {gaps} of {len(texts)} rows: every "
            f"{column + '=...'!r} is 0 there."
        )
    known = selection.categories.get(column)
    if known is None:  # a file of an earlier version
        return sentences
    seen = set(known)
    new = [text for text in texts if text is not None and text not in seen]
    if new:
        values = sorted(set(new))
        numbers = " They are numbers now." if all(map(is_number, values)) else ""
        sentences.append(
            f"{frame.path.name} has {len(values)} values of {column!r} that the selection never saw, in "
            f"{len(new)} of {len(texts)} rows: {shown(values)}.{numbers}"
        )
    return sentences


def _odd_labels(frame: Content, selection: Selection, labels: NDArray[Any] | None) -> list[str]:
    if labels is None:
        return []
    present = [label for label in labels.tolist() if label is not None]
    numbers = not any(isinstance(label, str) for label in present)  # of which 2 and 2.0 are one class
    known = set(map(_bare, selection.classes) if numbers else selection.classes)
    given = [str(label) for label in present]
    new = sorted({label for label in set(given) if (_bare(label) if numbers else label) not in known})
    if not new or not known:
        return []
    rows = sum(map(given.count, new))
    return [
        f"{frame.path.name} has {len(new)} labels {selection.target!r} that the selection never saw, in "
        f"{rows} of {len(labels)} rows: {shown(new)}."
    ]


def _bare(label: str) -> float | str:
    """The number a label is, whatever the way it is written."""
    return float(label) if is_number(label) else label
