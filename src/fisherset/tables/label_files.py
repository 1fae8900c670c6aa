"""Labels in a file of their own: each row of the table is found there by what it is called."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fisherset._format import near, shown
from fisherset.tables.columns.encoding import is_text
from fisherset.tables.columns.identifiers import identifiers_of, key_of, taken_out
from fisherset.tables.frames import Frame, read_frame
from fisherset.tables.layout import Layout


class Joined(NamedTuple):
    """A table, and where its labels are.

    Attributes
    ----------
    frame : Frame
        The table, without the column that its rows were found by.
    labels : Frame
        What has the target, row by row of the table: the table itself, or what is of use in the
        other file.
    target : str or None
        The target, as far as it is known.
    """

    frame: Frame
    labels: Frame
    target: str | None


def join_labels(frame: Frame, target: str | None, layout: Layout, *, texts: Sequence[str] = ()) -> Joined:
    """Find the label of each row of a table in another file, if the layout names one.

    Parameters
    ----------
    frame : Frame
        The table, read with the same layout.
    target : str or None
        The column of the other file that is wanted; None where it has no other than that which says
        which row is which.
    layout : Layout
        Which file has the labels, and by which column of both rows are found.
    texts : sequence of str, default=()
        Columns of the other file that are read as they stand, such as one of labels.

    Returns
    -------
    joined : Joined
        The table, and its labels.
    """
    if layout.labels is None:
        if layout.on is not None:
            raise ValueError(f"--on says how labels are found; {layout.on!r} must go with --labels.")
        return Joined(frame, frame, target)
    frame, keys, on = _own_keys(frame, layout)
    held, column = _labels_of(layout.labels, frame, layout, texts, target)
    known = [name for name in _columns_of(held) if name != column]
    target = known[0] if target is None and len(known) == 1 else target
    if target is None:
        raise ValueError("Name the column of labels with --target.")
    if target not in known:
        raise ValueError(f"{layout.labels.name} has no column {target!r}.{near(target, known)}")
    if frame.arrow is not None and target in frame.names:
        raise ValueError(
            f"{frame.path.name} and {layout.labels.name} both have a column {target!r}. Leave --labels out, "
            f"or rename one of them."
        )
    other = column or (held.ids.name if held.ids else "")
    order = _order((frame.path.name, on, keys), (layout.labels.name, other, _keys(_values(held, column))))
    return Joined(frame, _some_rows(held, target, order), target)


def _own_keys(frame: Frame, layout: Layout) -> tuple[Frame, list[str | None], str]:
    """What the rows of the table are called, in words to be found; the column of it is no feature."""
    other, on, ids = Path(layout.labels or ""), layout.on, frame.ids
    if on is not None and frame.arrow is not None and on in frame.names:
        table, found = taken_out(frame.arrow, on)
        frame = frame._replace(names=table.column_names, arrow=table, ids=ids or found)
        return frame, _keys(found.values), on
    if on is not None and on in (frame.labels or {}):
        return frame, _keys((frame.labels or {})[on].tolist()), on
    if ids is not None:
        return frame, _keys(ids.values), ids.name
    if on is None:
        raise ValueError(
            f"The rows of {frame.path.name} have no names to be found by in {other.name}. Name a column of "
            f"both with --on, or the one that names the rows with --id."
        )
    raise ValueError(
        f"{frame.path.name} has no column {on!r} to find its rows by.{near(on, _columns_of(frame))}"
    )


def _labels_of(
    path: Path, frame: Frame, layout: Layout, texts: Sequence[str], target: str | None
) -> tuple[Frame, str | None]:
    """The other file, and its column that says which row is which, None for its own row names."""
    apart = replace(layout, transpose=False, identifier=None, labels=None, on=layout.on)
    held = read_frame(path, texts=texts, layout=apart)
    names = _columns_of(held)
    called = layout.on if layout.on is not None else (frame.ids.name if frame.ids else None)
    if called is not None and called in names:
        column: str | None = called
    elif layout.on is not None and (held.ids is None or held.ids.name != layout.on):
        raise ValueError(f"{path.name} has no column {layout.on!r} to find rows by.{near(layout.on, names)}")
    elif held.ids is not None:
        column = None
    else:
        column = next((name for name in names if name != target), None)
        if column is None:
            raise ValueError(f"{path.name} has no column beside the labels to find rows by.")
    if column is not None and held.arrow is not None and not is_text(held.arrow.schema.field(column).type):
        # in a file of text 007 is another than 7
        held = read_frame(path, texts=[*texts, column], layout=apart)
    return held, column


def _columns_of(frame: Frame) -> list[str]:
    """The columns of a frame that may hold labels."""
    return frame.names if frame.arrow is not None else list(frame.labels or {})


def _values(frame: Frame, column: str | None) -> list[Any]:
    if column is None:
        return [] if frame.ids is None else frame.ids.values
    return frame.values(column) or []


def _keys(values: Sequence[Any]) -> list[str | None]:
    return [key_of(value) for value in identifiers_of("", values).values]


Keys = tuple[str, str, list[str | None]]  # of a file, a column, and what its rows are called in it


def _order(table: Keys, labels: Keys) -> list[int]:
    """The row of the other file that each row of the table belongs to."""
    (name, on, own), (file, _, keys) = table, labels
    if None in own:
        raise ValueError(
            f"Every row of {name} must have its {on!r} to be found by in {file}; {own.count(None)} of "
            f"{len(own)} have none, the first of them row {own.index(None) + 1}."
        )
    _check_distinct(table)
    _check_distinct(labels)
    places = {key: row for row, key in enumerate(keys) if key is not None}
    lost = [str(key) for key in own if key not in places]
    if lost:
        raise ValueError(
            f"Every row of {name} must have a label in {file}; {len(lost)} of {len(own)} have none, by their "
            f"{on!r}: {shown(lost)}.{_spaces(lost, places)}"
        )
    more = len(keys) - len(own)
    if more:
        warnings.warn(f"{file} has {more} rows that {name} does not have; they are left out.", stacklevel=3)
    return [places[str(key)] for key in own]


def _check_distinct(held: Keys) -> None:
    file, on, keys = held
    rows: dict[str, int] = {}
    for row, key in enumerate(keys):
        if key is not None and rows.setdefault(key, row) != row:
            raise ValueError(
                f"Labels are found by {on!r} where no row has that of another; {file} has {key!r} in its "
                f"rows {rows[key] + 1} and {row + 1}."
            )


def _spaces(lost: list[str], places: dict[str, int]) -> str:
    """A hint where no more than spaces around them keep rows from being found."""
    bare = {key.strip() for key in places}
    found = [key for key in lost if key.strip() in bare]
    if not found:
        return ""
    return f" Without the spaces around them {len(found)} would be found; take these off."


def _some_rows(held: Frame, target: str, order: list[int]) -> Frame:
    """The labels of some rows, in their order."""
    if held.arrow is not None:
        some = held.arrow.select([target]).take(order)
        return Frame(held.path, [target], arrow=some, untyped=held.untyped)
    labels = {target: (held.labels or {})[target][np.array(order)]}
    return Frame(held.path, [], X=np.empty((len(order), 0)), labels=labels, untyped=held.untyped)
