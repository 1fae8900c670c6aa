"""File of a selection, plain JSON with a version; and drift of another table from the one it was made of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._files import checked, read_json, shown_json
from fisherset._format import counted, shown
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.table import ColumnTable, Content
from fisherset.tables.columns.targets import TASK_NAMES
from fisherset.tables.columns.types import is_number
from fisherset.tables.columns.units import is_unit

SELECTION_FORMAT, SELECTION_VERSION = "selection", 1
FILLED = {"number": "float | None", "value": "str | None", "missing": "Any"}  # kinds, with the type of `fill`
CHOICES = {
    "task": TASK_NAMES,
    "impute": ("median", "indicator"),
    "class_weight": ("balanced", "sqrt"),
}


@dataclass(frozen=True)
class Selection:
    """The selected features, and how they were selected.

    Files of older versions lack some of the fields that have a default.

    Attributes
    ----------
    features : list of Feature
        Best first; those of a group one after the other.
    target : str
        The column of labels, or numbers.
    classes : list of str
        The labels; none where the target holds numbers.
    file : str
        The name of the table they were selected in.
    n_rows, n_features_in : int
        Its size.
    gamma : float
        The regulariser.
    solver : str
        How the set was found.
    objective, upper_bound, gap : float
        The certificate.
    details : list of dict
        What each feature contributes.
    categories : dict
        All values of the string columns among them, selected or not: any other value of such a
        column in another table is new.
    gaps : list of str
        Those of them that had missing values.
    remarks : list of str
        Sentences about it.
    task : {"classification", "regression"}
        Whether the target holds labels or numbers.
    n_groups_in : int or None
        Number of groups to select from, where some features were selected together or not at all.
    groups : dict
        The selected groups of more than one feature, and the names of these.
    kept, excluded, adjusted_for : list of str
        Required features, excluded ones, and those the others were adjusted for.
    class_weight : str or None
        How the classes were weighted.
    proven : dict
        How many features, or groups, are proven essential, ruled out, or undecided.
    optimal : bool
        Whether the set is proven to be the best.
    n_nodes : int
        Nodes of the exact search.
    impute : str or None
        How missing values were filled.
    dropped : list of str
        Columns that were left out.
    split_texts : bool
        Whether the values of string columns were selected one by one.
    identifier : str or None
        The column that names the rows.
    sizes : list of dict
        The other sizes it was compared with, where it was: sets, F, bound and held-out score of each.
    why : str or None
        Why this size, in a sentence.
    drop_unlabelled : bool
        Whether rows without a label were left out.
    target_range : str
        How the target was interpreted: "3 classes", "numbers from 25 to 346".
    trust : dict or None
        Advice, permutation test and stability, where they were asked for.
    held_out : dict or None
        Score on rows that the selection was not made on, next to those of all columns, of a one-by-one
        ranking and of the most frequent class; or the reason why there is none.
    """

    features: list[Feature]
    target: str
    classes: list[str]
    file: str
    n_rows: int
    n_features_in: int
    gamma: float
    solver: str
    objective: float
    upper_bound: float
    gap: float
    details: list[dict[str, Any]] = field(default_factory=list)
    categories: dict[str, list[str]] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    task: str = "classification"
    n_groups_in: int | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    adjusted_for: list[str] = field(default_factory=list)
    class_weight: str | None = None
    proven: dict[str, int] = field(default_factory=dict)
    optimal: bool = False
    n_nodes: int = 0
    impute: str | None = None
    dropped: list[str] = field(default_factory=list)
    split_texts: bool = False
    identifier: str | None = None
    sizes: list[dict[str, Any]] = field(default_factory=list)
    why: str | None = None
    drop_unlabelled: bool = False
    target_range: str = ""
    trust: dict[str, Any] | None = None
    held_out: dict[str, Any] | None = None

    def as_json(self) -> str:
        """The content of the file.

        Returns
        -------
        text : str
            JSON.
        """
        content = {"format": f"fisherset {SELECTION_FORMAT}", "version": SELECTION_VERSION, **asdict(self)}
        content["features"] = [feature._asdict() for feature in self.features]
        return json.dumps(content, indent=1, allow_nan=False)


PROVEN = ("in_every", "in_none", "open")  # keys of `proven`


def read_selection(path: Path) -> Selection:
    """Read a selection; a damaged or foreign file is refused with a reason.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    selection : Selection
        Its content.
    """
    if not path.is_file():
        raise FileNotFoundError(f"File not found: {str(path)!r}.")
    try:
        content = read_json(path, SELECTION_FORMAT, SELECTION_VERSION)
    except ValueError as error:
        raise ValueError(f"{path.name} cannot be used: {error}.") from error
    try:
        return _selection(content)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path.name} is not a selection written by fisherset: {error}.") from error


def _selection(content: dict[str, Any]) -> Selection:
    """Return the selection of a file; errors are the end of a sentence."""
    # fields without a default are in every file
    needed = [field.name for field in fields(Selection) if field.default is field.default_factory is MISSING]
    for name in needed:
        if name not in content:
            raise ValueError(f"{name!r} is missing")
    entries = checked(content["features"], "list[dict[str, Any]]", "features")
    features = [_feature(entry, f"features[{place}]") for place, entry in enumerate(entries)]
    if not 0 < len({feature.name for feature in features}) == len(features):
        raise ValueError("'features' must name at least one feature, and each once")
    given = {
        field.name: checked(content[field.name], str(field.type), field.name)
        for field in fields(Selection)[1:]
        if field.name in content
    }
    for name, allowed in CHOICES.items():
        if given.get(name) not in (*allowed, None):
            raise ValueError(f"{name!r} must be {' or '.join(allowed)}; it is {shown_json(given[name])}")
    if not given["gamma"] > 0:
        raise ValueError(f"'gamma' must be greater than 0; it is {given['gamma']:g}")
    return Selection(features, **given)


def _feature(entry: dict[str, Any], place: str) -> Feature:
    """Return a feature of a file, refused where its fields do not fit together."""
    for name in ("name", "column"):
        if name not in entry:
            raise ValueError(f"'{place}.{name}' is missing")
    if unknown := set(entry) - set(Feature._fields):
        raise ValueError(f"'{place}' must not have {shown_json(min(unknown))}")
    feature = Feature(**entry)
    for name in ("name", "column", "kind"):
        checked(getattr(feature, name), "str", f"{place}.{name}")
    if feature.kind not in FILLED:
        raise ValueError(f"'{place}.kind' must be {' or '.join(FILLED)}; it is {shown_json(feature.kind)}")
    checked(feature.value, "str" if feature.kind == "value" else "str | None", f"{place}.value")
    checked(feature.other, "str | None", f"{place}.other")
    if checked(feature.unit, "str | None", f"{place}.unit") is not None and feature.kind != "number":
        raise ValueError(f"'{place}.unit' must be null; {shown_json(feature.kind)} has none")
    if feature.unit is not None and not is_unit(feature.unit):
        raise ValueError(f"'{place}.unit' must be a unit such as \"#.#kg\"; it is {shown_json(feature.unit)}")
    if (feature.value is not None and feature.kind != "value") or (
        feature.fill is not None and feature.kind == "missing"
    ):
        raise ValueError(f"'{place}' must have null for what its kind {feature.kind!r} has not")
    checked(feature.fill, FILLED[feature.kind], f"{place}.fill")
    return feature


def drift_of(
    frame: Content, selection: Selection, X: NDArray[Any], labels: NDArray[Any] | None = None
) -> list[str]:
    """Differences of a table, reduced to X, from the table of a selection, in sentences.

    Parameters
    ----------
    frame : ColumnTable or AnnotatedMatrix
        The table.
    selection : Selection
        The selection it was reduced to.
    X : ndarray of shape (n_rows, n_features)
        Its numbers.
    labels : ndarray of shape (n_rows,), default=None
        Its labels, where it has any.

    Returns
    -------
    sentences : list of str
        With numbers of rows and names of columns; none where there is no difference.
    """
    name, sentences = frame.path.name, []
    for test, what in (
        (np.isnan, "missing values, where the selection had none"),
        (np.isinf, "infinite values"),
    ):
        found = test(X)
        where = [selection.features[j].name for j in np.flatnonzero(found.any(axis=0))]
        if where:
            rows = int(found.any(axis=1).sum())
            sentences.append(f"{name} has {what}, in {rows} of {len(X)} rows: {shown(where)}.")
    columns = {feature.column for feature in selection.features if feature.kind == "value"}
    if isinstance(frame, ColumnTable):
        for column in sorted(columns):
            sentences += _new_strings(name, selection, column, frame.strings(column))
    if labels is not None:
        sentences += _new_labels(name, selection, labels)
    return sentences


def _new_strings(name: str, selection: Selection, column: str, strings: list[str | None]) -> Iterator[str]:
    """Missing and new values of a string column, whose features are all 0 there."""
    own = [feature for feature in selection.features if feature.column == column]
    expected = column in selection.gaps or any(
        feature.kind == "missing" or feature.fill is not None for feature in own
    )
    missing = sum(string is None for string in strings)
    if missing and not expected:
        yield (
            f"{name} has no value of {column!r} in {missing} of {len(strings)} rows: every "
            f"{column + '=...'!r} is 0 there."
        )
    if column not in selection.categories:  # a file of an earlier version
        return
    known = set(selection.categories[column])
    new = [string for string in strings if string is not None and string not in known]
    if new:
        values = sorted(set(new))
        numbers = " They are numbers now." if all(map(is_number, values)) else ""
        yield (
            f"{name} has {counted(len(values), 'values')} of {column!r} that the selection never saw, in "
            f"{len(new)} of {len(strings)} rows: {shown(values)}.{numbers}"
        )


def _new_labels(name: str, selection: Selection, labels: NDArray[Any]) -> Iterator[str]:
    present = [label for label in labels.tolist() if label is not None]
    numbers = not any(isinstance(label, str) for label in present)  # of which 2 and 2.0 are one class

    def key(label: str) -> float | str:
        return float(label) if numbers and is_number(label) else label

    known, given = set(map(key, selection.classes)), Counter(map(str, present))
    new = sorted(label for label in given if key(label) not in known)
    if new and known:
        rows = sum(given[label] for label in new)
        yield (
            f"{name} has {counted(len(new), 'labels')} {selection.target!r} that the selection never saw, in "
            f"{rows} of {len(labels)} rows: {shown(new)}."
        )
