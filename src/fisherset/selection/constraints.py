"""What may be chosen: columns, or groups of them, of which some must be in the set and some must not."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import shown as listed
from fisherset._types import Indices
from fisherset.solver import Domain, Units, mask_of, without
from fisherset.statistics import TableProblem
from fisherset.validation import parameters as parameter
from fisherset.validation.numbers import is_null
from fisherset.validation.parameters import is_integer, shown, shown_some

NONE: Indices = np.empty(0, dtype=np.intp)
COUNT = "n_features_to_select"  # what the number to choose is called, unless otherwise


class Posed(NamedTuple):
    """The domain of a problem, and the unit of the table that each of its units is."""

    domain: Domain
    units: Indices


@dataclass(frozen=True)
class Choice:
    """The units of a table: its columns, or groups of them.

    Attributes
    ----------
    codes : ndarray of shape (n_features,)
        The unit of each column.
    labels : sequence
        What the units are called: group labels, or names or numbers of columns.
    grouped : bool
        Whether units are groups.
    required, excluded : ndarray
        Units that must be chosen, and that must not.
    adjusted : ndarray
        Columns that are taken out of the others, themselves or with their groups among the excluded.
    """

    codes: Indices
    labels: Sequence[Any]
    grouped: bool
    required: Indices
    excluded: Indices
    adjusted: Indices

    @property
    def what(self) -> str:
        return "groups" if self.grouped else "features"

    def count(self, wanted: Any, name: str = COUNT) -> int:
        """How many units are to be chosen, with room for the required ones and without the excluded."""
        if wanted is None or (parameter.is_number(wanted) and not is_integer(wanted)):  # a share
            allowed = len(self.labels) - self.excluded.size
            k = parameter.check_count(wanted, allowed, name, self.what)
            return k if wanted is not None else max(k, self.required.size)
        k = parameter.check_count(wanted, len(self.labels), name, self.what)
        self.check(k, name)
        return k

    def check(self, k: int, name: str = COUNT) -> None:
        """Refuse a number of units that the required and the excluded do not leave."""
        if k < self.required.size:
            raise ValueError(
                f"keep must not name more than {name}; got {self.required.size} {self.what} to "
                f"keep and {k} to select. Select more, or keep fewer."
            )
        allowed = len(self.labels) - self.excluded.size
        if k > allowed:
            raise ValueError(
                f"{name} must be at most the number of {self.what} that exclude and adjust_for leave, "
                f"{allowed}; got {k}."
            )

    def units_of(self, columns: Indices) -> Indices:
        """The units that some columns are, which must be whole and respect what is required and excluded."""
        units = np.unique(self.codes[columns])
        parts = units[np.bincount(self.codes[columns], minlength=len(self.labels))[units] < self.sizes[units]]
        if parts.size:
            part = shown(self.labels[parts[0]])
            raise ValueError(f"features must hold groups whole; of {part} only some columns are there.")
        lacking, excluded = np.setdiff1d(self.required, units), np.intersect1d(self.excluded, units)
        if lacking.size:
            raise ValueError(
                f"features must hold what keep names; {shown(self.labels[lacking[0]])} is missing."
            )
        if excluded.size:
            raise ValueError(
                f"features must not hold what exclude or adjust_for names; "
                f"{shown(self.labels[excluded[0]])} is there."
            )
        return units

    @property
    def sizes(self) -> Indices:
        return np.bincount(self.codes, minlength=len(self.labels))

    def most_columns(self, k: int) -> int:
        """How many columns k units can have."""
        return int(np.sort(self.sizes)[::-1][:k].sum())

    def posed(self, problem: TableProblem, k: int) -> Posed:
        """The sets of k units in the columns of a problem, which are those that vary."""
        codes = self.codes[problem.columns]
        units, places = np.unique(codes, return_inverse=True)
        required, excluded = (
            np.flatnonzero(self._mask(some)[units]) for some in (self.required, self.excluded)
        )
        room = k - (self.required.size - required.size)  # what is constant counts, and adds nothing
        m = min(room, units.size - excluded.size)
        single = units.size == codes.size and not self.grouped
        groups = None if single or np.array_equal(places, np.arange(codes.size)) else places.astype(np.intp)
        self._warn_unknown(np.unique(codes[problem.rounding.unknown]))
        return Posed(Domain(Units(groups, codes.size), m, required, excluded), units)

    def _warn_unknown(self, units: Indices) -> None:
        """Name units that may be chosen and of which nothing is known: sets with them have no tight bound."""
        allowed = [self.labels[unit] for unit in np.setdiff1d(units, self.excluded).tolist()]
        if allowed:
            warnings.warn(
                f"The data does not tell {len(allowed)} of {len(self.labels)} {self.what} from constant "
                f"ones, as confounders or subtracted rows are all but equal to them. Pass "
                f"exclude=[{shown_some(allowed)}], or fit the remaining rows.",
                UserWarning,
                stacklevel=4,
            )

    def ranked(self, posed: Posed, order: Indices) -> Indices:
        """All units of the table, best first, from the units of a problem, best first.

        The chosen, what is required though constant, the others, the constant, the excluded.
        """
        m, found = posed.domain.m, posed.units[order]
        constant = without(len(self.labels), posed.units)
        required = self._mask(self.required)[constant]
        chain = np.concatenate([found[:m], constant[required], found[m:], constant[~required]])
        out = self._mask(self.excluded)[chain]
        return np.concatenate([chain[~out], chain[out]])

    def columns(self, units: Indices) -> NDArray[np.bool_]:
        """Mask of the columns of some units."""
        return self._mask(units)[self.codes]

    def _mask(self, units: Indices) -> NDArray[np.bool_]:
        return mask_of(len(self.labels), units)


def check_choice(
    groups: Any, keep: Any, exclude: Any, n_features: int, names: Any, adjust_for: Any = None
) -> Choice:
    """The units that may be chosen, from `groups`, `keep`, `exclude` and `adjust_for` as they were given."""
    names = None if names is None else list(names)
    if groups is None:
        labels: Sequence[Any] = range(n_features) if names is None else list(names)
        codes = np.arange(n_features)
    else:
        codes, labels = _grouped(groups, n_features, names)
    finder = _Finder(codes, labels, names, groups)
    required, excluded = finder.units("keep", keep), finder.units("exclude", exclude)
    adjusted = finder.columns("adjust_for", adjust_for)
    within = np.unique(codes[adjusted])
    if np.isin(within, required).any():
        label = labels[within[np.isin(within, required)][0]]
        raise ValueError(f"keep must not name what is adjusted for; both name {shown(label)}.")
    excluded = np.union1d(excluded, within)
    both = np.intersect1d(required, excluded)
    if both.size:
        raise ValueError(f"keep and exclude must not overlap; both name {shown(labels[both[0]])}.")
    if excluded.size == len(labels):
        raise ValueError("exclude and adjust_for must leave something to select; they name all there is.")
    return Choice(codes, labels, groups is not None, required, excluded, adjusted)


def _grouped(groups: Any, n_features: int, names: Any) -> tuple[Indices, list[Any]]:
    """The group of each column, groups in the order of their first columns, and their labels."""
    of_column = (
        _mapped(groups, n_features, names)
        if isinstance(groups, Mapping)
        else _listed(groups, n_features, names)
    )
    try:
        labels = list(dict.fromkeys(of_column))
    except TypeError:
        raise TypeError("groups must have hashable labels, such as strings or numbers.") from None
    number = {label: code for code, label in enumerate(labels)}
    return np.array([number[label] for label in of_column], dtype=np.intp), labels


def _listed(groups: Any, n_features: int, names: Any) -> list[Any]:
    if isinstance(groups, str | bytes | Iterator) or not np.iterable(groups):
        raise TypeError(
            f"groups must be a label for each column, or a mapping of names to columns; got {shown(groups)}."
        )
    given = _in_order(groups, names)
    labels = list(given.tolist() if hasattr(given, "tolist") else given)
    if len(labels) != n_features:
        raise ValueError(
            f"groups must have a label for each of the {n_features} features; got {len(labels)}."
        )
    missing = sum(is_null(label) for label in labels)
    if missing:
        raise ValueError(
            f"groups must have no missing labels; {missing} are. Give columns without a group labels of "
            f"their own."
        )
    return labels


def _in_order(given: Any, names: Any) -> Any:
    """A value for each column in their order: a series may have the names of columns in another."""
    if names is None or not hasattr(given, "iloc") or set(given.index) != set(names):
        return given
    return given.loc[names]


def _mapped(groups: Mapping[Any, Any], n_features: int, names: Any) -> list[Any]:
    """Groups by name; a column that none of them names is a group of its own, called as the column."""
    own = list(range(n_features)) if names is None else list(names)
    of_column: list[Any] = list(own)
    taken: dict[int, Any] = {}
    places = _places(names)
    for label, columns in groups.items():
        for j in _columns("groups", columns, n_features, places):
            if taken.get(j, label) != label:
                raise ValueError(
                    f"groups must not share columns; {shown(own[j])} is in {shown(taken[j])} and "
                    f"in {shown(label)}."
                )
            of_column[j] = taken[j] = label
    clash = [own[j] for j in range(n_features) if j not in taken and own[j] in groups]
    if clash:
        raise ValueError(
            f"groups must not be called as a column outside of them; got {shown(clash[0])}. Rename the group."
        )
    return of_column


def _items(name: str, given: Any) -> list[Any]:
    if isinstance(given, Mapping | Iterator):  # the latter could be read only once
        raise TypeError(f"{name} must be a list of names or numbers; got {shown(given)}.")
    if isinstance(given, str | bytes) or not np.iterable(given):
        return [given.item() if isinstance(given, np.ndarray) else given]
    return list(given.tolist() if hasattr(given, "tolist") else given)


def _places(names: Any) -> dict[str, int]:
    """Column numbers by name, of the names that only one column has."""
    times = Counter(names or ())
    return {column: j for j, column in enumerate(names or ()) if times[column] == 1}


def _columns(name: str, given: Any, n_features: int, places: Mapping[str, int]) -> list[int]:
    """Column numbers from names or numbers."""
    found = []
    for item in _items(name, given):
        if is_integer(item) and 0 <= item < n_features:
            found.append(int(item))
        elif isinstance(item, str) and item in places:
            found.append(places[item])
        else:
            raise ValueError(f"{name} must name columns of X; {shown(item)} is none, or more than one.")
    if not found:
        raise ValueError(f"{name} must name at least one column in each group; got {shown(given)}.")
    return found


class _Finder:
    """Units by what they are called: group labels first, then the names and numbers of their columns.

    Where groups are numbered, a number is the label of a group, and never the number of a column.
    """

    def __init__(self, codes: Indices, labels: Sequence[Any], names: Any, groups: Any) -> None:
        self._codes, self._labels, self._names, self._places = codes, labels, names, _places(names)
        self._groups = {} if groups is None else {label: unit for unit, label in enumerate(labels)}
        given = groups if isinstance(groups, Mapping) else self._groups
        self._numbered = any(isinstance(label, bool) or parameter.is_number(label) for label in given)

    def units(self, name: str, given: Any) -> Indices:
        """Groups that are named, and those of columns that are."""
        return np.unique(self._codes[self._columns(name, given)])

    def columns(self, name: str, given: Any) -> Indices:
        """Column numbers, in column order; a group that is named is taken whole."""
        if self._numbered and given is not None:
            for item in (item for item in _items(name, given) if self._is_column(item)):
                if item not in self._groups or np.count_nonzero(self._codes == self._groups[item]) > 1:
                    raise ValueError(
                        f"{name} must say which columns it means; {shown(item)} may be a column or a group, "
                        f"as groups are numbered. Pass a mask, as np.isin(np.arange({self._codes.size}), "
                        f"[{shown(item)}])."
                    )
        return self._columns(name, given)

    def _columns(self, name: str, given: Any) -> Indices:
        items = [] if given is None else _items(name, given)
        if items and all(isinstance(item, bool | np.bool_) for item in items):
            if len(items) != self._codes.size:
                raise ValueError(
                    f"{name} as a boolean mask must have one entry for each of the {self._codes.size} "
                    f"features; got {len(items)}."
                )
            return np.flatnonzero(_items(name, _in_order(given, self._names)))
        return np.unique(np.concatenate([NONE, *(self._columns_of(name, item) for item in items)]))

    def _columns_of(self, name: str, item: Any) -> Indices:
        unit = self._unit_of(item)
        if unit is not None:
            column = self._places.get(item) if isinstance(item, str) else None
            if column is not None and self._codes[column] != unit:
                raise ValueError(
                    f"{name} must name one thing at a time; {shown(item)} is a group, and a column of "
                    f"another. Rename the group."
                )
            return np.flatnonzero(self._codes == unit)
        if self._numbered and self._is_column(item):
            raise ValueError(
                f"{name} must hold labels of groups, which are numbers here; {shown(item)} is not among "
                f"{listed(list(self._groups))}. Pass a mask to name columns, as "
                f"np.isin(np.arange({self._codes.size}), [{shown(item)}])."
            )
        what = "groups or columns" if self._groups else "columns"
        try:
            return np.array(_columns(name, [item], self._codes.size, self._places), dtype=np.intp)
        except ValueError:
            raise ValueError(
                f"{name} must hold names or numbers of {what} of X; {shown(item)} is none of them."
            ) from None

    def _unit_of(self, item: Any) -> int | None:
        """The group that is called so; True is no name of the group 1."""
        try:
            unit = self._groups.get(item)
        except TypeError:  # it cannot even be looked up
            return None
        if unit is None or isinstance(item, bool | np.bool_) != isinstance(
            self._labels[unit], bool | np.bool_
        ):
            return None
        return unit

    def _is_column(self, item: Any) -> bool:
        """Whether an item would be the number of a column, were there no groups."""
        return is_integer(item) and 0 <= item < self._codes.size
