"""Features of a table: the columns that they come from, and groups of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fisherset._files import TEXT
from fisherset._format import near, shown
from fisherset._types import Indices


class Feature(NamedTuple):
    """One column of numbers: a column of the file, or an indicator of one of its values.

    Attributes
    ----------
    name : str
        The column's name; for one of its values `column=value`.
    column : str
        The column of the file.
    kind : {"number", "value", "missing"}
        The numbers of the column; 1 where it has a value; 1 where its value is missing.
    value : str or None
        The value, where the kind is "value".
    fill : float, str or None
        The number or value in place of a missing one.
    other : str or None
        The one other value of a column of two values that is one feature: its zero.
    unit : str or None
        How the numbers of a column of strings are written, where they have a unit: "#.#kg", "$#,.#".
    """

    name: str
    column: str
    kind: str = "number"
    value: str | None = None
    fill: float | str | None = None
    other: str | None = None
    unit: str | None = None


Groups = dict[str, list[str]]  # names of groups, and of the columns in them


@dataclass(frozen=True)
class Grouping:
    """Groups of the features of a table.

    Attributes
    ----------
    labels : list of str
        Names of the groups, in the order of their first features: given, of a column, or of a feature.
    codes : ndarray of shape (n_features,)
        The group of each feature.
    noun : {"features", "columns", "groups"}
        What the groups are, in a sentence.
    places : callable
        The features of each name: of a group, of a column, and, where values of strings are selected one
        by one, of one of these.
    """

    labels: list[str]
    codes: Indices
    noun: str
    places: Callable[[], dict[str, list[int]]] = field(compare=False)

    @property
    def of_features(self) -> list[str] | None:
        """The group of each feature by its name, as the selectors take it; None where each is by itself."""
        if len(self.labels) == self.codes.size:
            return None
        return [self.labels[code] for code in self.codes]

    @property
    def sizes(self) -> list[int]:
        """Number of features of each group."""
        return list(np.bincount(self.codes).tolist())

    def members(self, group: int) -> list[int]:
        """Return the features of a group, in ascending order.

        Parameters
        ----------
        group : int
            Its place among the labels.

        Returns
        -------
        features : list of int
            Their places.
        """
        return list(np.flatnonzero(self.codes == group).tolist())


def group_features(
    features: Sequence[Feature], groups: Mapping[str, Sequence[str]] | None = None, *, split: bool = False
) -> Grouping:
    """Group the features of each column, or those of several columns.

    Parameters
    ----------
    features : sequence of Feature
        The features of a table.
    groups : mapping, default=None
        Names of groups, with the columns in each; with `split` also with values of columns of strings.
        Other columns stay by themselves.
    split : bool, default=False
        Let each value of a column of strings, and each indicator of missing values, be by itself.

    Returns
    -------
    grouping : Grouping
        The group of each feature.
    """
    labels = [feature.name if split else feature.column for feature in features]
    named = _checked(groups, places_of(features, split)) if groups else {}
    for label, members in named.items():
        for j in members:
            labels[j] = label
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    noun = "groups" if groups is not None else "columns" if len(codes) < len(features) else "features"
    of_features = np.array([codes[label] for label in labels], dtype=np.intp)
    return Grouping(list(codes), of_features, noun, lambda: places_of(features, split) | named)


def places_of(features: Sequence[Feature], split: bool) -> dict[str, list[int]]:
    """Return the features of each column, and with `split` each feature by itself, by their names."""
    places = {feature.name: [j] for j, feature in enumerate(features)} if split else {}
    columns: dict[str, list[int]] = {}
    for j, feature in enumerate(features):
        columns.setdefault(feature.column, []).append(j)
    return places | columns


def _checked(groups: Mapping[str, Sequence[str]], places: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """Return the features of each group, none of them in two."""
    named: dict[int, str] = {}
    for label, names in groups.items():
        for name in names:
            for other in (named.setdefault(j, label) for j in places[name]):
                if other != label:
                    raise ValueError(
                        f"groups must not share columns; {name!r} is in {other!r} and in {label!r}."
                    )
    for label in groups:
        if any(named.get(j) != label for j in places.get(label, [])):
            raise ValueError(
                f"a group must not have the name of a column outside it; got {label!r}. Rename the group."
            )
    return {label: sorted(j for j, other in named.items() if other == label) for label in groups}


def prefix_groups(features: Sequence[Feature]) -> Groups:
    """Group columns whose names begin alike, up to the first underscore; others stay alone.

    Parameters
    ----------
    features : sequence of Feature
        The features of a table.

    Returns
    -------
    groups : dict of str to list of str
        Beginnings of names, and the columns that have them.
    """
    groups: Groups = {}
    for column in dict.fromkeys(feature.column for feature in features):
        groups.setdefault(column.partition("_")[0] or column, []).append(column)
    return {label: columns for label, columns in groups.items() if len(columns) > 1}


def check_groups(
    groups: Mapping[str, Sequence[str]],
    known: Collection[str],
    *,
    target: str,
    left_out: Collection[str],
    file: str,
    table: str,
) -> Groups:
    """Return the groups of a file, without the columns left out; any that the table lacks is refused."""
    for label, names in groups.items():
        if target in names and target not in known:
            raise ValueError(f"{file}: group {label!r} contains the target {target!r}. Remove it.")
        unknown = [name for name in names if name not in known and name not in left_out]
        if unknown:
            raise ValueError(
                f"{file}: group {label!r} names columns not in {table}: {shown(unknown)}."
                f"{near(unknown[0], known)}"
            )
    kept = {label: [name for name in names if name in known] for label, names in groups.items()}
    return {label: names for label, names in kept.items() if names}


def read_groups(path: Path) -> Groups:
    """Read groups of columns: JSON, names of groups with lists of columns; or CSV, a column and its group.

    Parameters
    ----------
    path : Path
        The file, .json, .csv or .tsv.

    Returns
    -------
    groups : dict of str to list of str
        Names of groups, and the columns in each.
    """
    if not path.exists():
        raise FileNotFoundError(f"File not found: {str(path)!r}. --groups takes a file, or prefix.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    suffix = path.suffix.lower()
    if suffix == ".txt" or (suffix != ".json" and suffix not in TEXT):
        raise ValueError(f"{path.name} must end in .json, .csv or .tsv (groups of columns).")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not UTF-8 text; save it as UTF-8.") from None
    groups = _from_json(path, text) if suffix == ".json" else _from_rows(path, text, TEXT[suffix])
    if not groups:
        raise ValueError(f"{path.name} names no groups.")
    return groups


def _from_json(path: Path, text: str) -> Groups:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            twice.extend([name] if name in found else [])  # of which json would keep the last
            found[name] = value
        return found

    twice: list[str] = []
    try:
        content = json.loads(text, object_pairs_hook=distinct)
    except (ValueError, RecursionError):
        raise ValueError(f"{path.name} is not valid JSON; is it truncated?") from None
    if twice:
        raise ValueError(f"{path.name} names the group {twice[0]!r} twice; rename one.")
    rule = "it must hold names of groups, each with a list of columns"
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} is a JSON {type(content).__name__}; {rule}.")
    for label, names in content.items():
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{path.name} has {names!r:.60} as the group {label!r}; {rule}.")
    return content


def _from_rows(path: Path, text: str, delimiter: str) -> Groups:
    groups: Groups = {}
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error as error:
        raise ValueError(f"{path.name} cannot be read: {error}.") from None
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not all(row):
            raise ValueError(
                f"{path.name} must have rows of two cells, column,group; row {number} is {row!r:.60}."
            )
        if number > 1 or [cell.strip().lower() for cell in row] != ["column", "group"]:
            groups.setdefault(row[1], []).append(row[0])
    return groups
