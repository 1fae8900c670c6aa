"""Constraints on the sets to choose from: groups, required and excluded features, columns adjusted for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import meant
from fisherset._format import shown as listed
from fisherset._names import is_pattern, matching, read_names
from fisherset._types import Floats, Indices
from fisherset.selection.noise import Noise, between_shares, measure_noise
from fisherset.solver import Domain, Solution, Units, mask_of, without
from fisherset.statistics import TableProblem
from fisherset.validation import parameters as parameter
from fisherset.validation.features import ColumnIndex, entries
from fisherset.validation.numbers import is_null
from fisherset.validation.parameters import is_integer, shown, shown_some

NONE: Indices = np.empty(0, dtype=np.intp)
COUNT = "n_features_to_select"  # the parameter that messages name


class SetArguments(NamedTuple):
    """Parameters that restrict the sets, as they were given."""

    groups: Any = None
    keep: Any = None
    exclude: Any = None
    adjust_for: Any = None


@dataclass(frozen=True)
class Constraints:
    """The units of a table, which are its columns or groups of them, and those required or excluded."""

    codes: Indices  # unit of each column
    labels: Sequence[Any]  # of the units: labels of groups, or names or numbers of columns
    grouped: bool
    required: Indices
    excluded: Indices
    adjusted: Indices  # columns that the others are adjusted for, themselves or their groups excluded

    @property
    def what(self) -> str:
        return "groups" if self.grouped else "features"

    @property
    def limited(self) -> bool:
        """Whether some units are required or excluded."""
        return bool(self.required.size + self.excluded.size)

    @property
    def n_allowed(self) -> int:
        return len(self.labels) - self.excluded.size

    @property
    def sizes(self) -> Indices:
        """Number of columns of each unit."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def count(self, wanted: Any, name: str = COUNT) -> int:
        """Number of units to select, from a count, a share of the allowed ones, or None for half."""
        if wanted is None or (parameter.is_number(wanted) and not is_integer(wanted)):  # a share
            k = parameter.check_count(wanted, self.n_allowed, name, self.what)
            return k if wanted is not None else max(k, self.required.size)
        k = parameter.check_count(wanted, len(self.labels), name, self.what)
        self.check(k, name)
        return k

    def counts(self, wanted: Any, name: str = COUNT) -> list[int]:
        """Rising numbers of units to select, from a sequence of counts and shares."""
        sizes = parameter.check_sizes(wanted, len(self.labels), name, self.what)
        for size in (sizes[0], sizes[-1]):
            self.check(size)
        return sizes

    def check(self, k: int, name: str = COUNT) -> None:
        """Refuse a number of units that the required and the excluded do not allow."""
        if k < self.required.size:
            raise ValueError(
                f"keep must not name more than {name}; got {self.required.size} {self.what} to "
                f"keep and {k} to select. Select more, or keep fewer."
            )
        if k > self.n_allowed:
            raise ValueError(
                f"{name} must be at most the number of {self.what} that exclude and adjust_for leave, "
                f"{self.n_allowed}; got {k}."
            )

    def units_of(self, columns: Indices) -> Indices:
        """Units of some columns, refused unless whole and allowed."""
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

    def most_columns(self, k: int) -> int:
        """Largest number of columns that k units can have."""
        return int(np.sort(self.sizes)[::-1][:k].sum())

    def mask(self, units: Indices) -> NDArray[np.bool_]:
        return mask_of(len(self.labels), units)

    def pose(self, problem: TableProblem, k: int) -> PosedProblem:
        """Sets of k units among the columns of a problem, which are those that vary."""
        codes = self.codes[problem.columns]
        units, places = np.unique(codes, return_inverse=True)
        required, excluded = (
            np.flatnonzero(self.mask(some)[units]) for some in (self.required, self.excluded)
        )
        # a constant unit that is required counts towards k, and adds nothing
        m = min(k - (self.required.size - required.size), units.size - excluded.size)
        # groups of one column each are columns, for which the solver has shorter formulas
        single = units.size == codes.size and not self.grouped
        groups = None if single or np.array_equal(places, np.arange(codes.size)) else places.astype(np.intp)
        self._warn_unknown(np.unique(codes[problem.rounding.unknown]))
        domain = Domain(Units(groups, codes.size), m, required, excluded)
        return PosedProblem(problem, self, k, domain, units)

    def _warn_unknown(self, units: Indices) -> None:
        """Name allowed units that rounding hides altogether: sets with them have no tight bound."""
        allowed = [self.labels[unit] for unit in np.setdiff1d(units, self.excluded).tolist()]
        if allowed:
            warnings.warn(
                f"The data does not tell {len(allowed)} of {len(self.labels)} {self.what} from constant "
                f"ones, as confounders or subtracted rows are all but equal to them. Pass "
                f"exclude=[{shown_some(allowed)}], or fit the remaining rows.",
                UserWarning,
                stacklevel=4,
            )


@dataclass(frozen=True)
class PosedProblem:
    """A problem as the solver gets it, with the sets of k units of the table to choose from.

    Constant columns are not part of a problem, so that its units are numbered anew: `units` has the
    unit of the table for each of them.
    """

    problem: TableProblem
    constraints: Constraints
    k: int
    domain: Domain
    units: Indices

    @property
    def constant(self) -> Indices:
        """Units of the table that are not part of the problem."""
        return without(len(self.constraints.labels), self.units)

    @property
    def adjusted(self) -> bool:
        """Whether columns are adjusted for confounders or other columns, and not only centred."""
        return len(self.problem.beta) > 1

    @cached_property
    def shares(self) -> Floats:
        """R^2 of each column by itself, which both gamma and the noise are derived from."""
        return between_shares(self.problem)

    def noise(self, units: Indices) -> Noise:
        """Comparison of the selected units of the problem with chance."""
        domain = self.domain
        return measure_noise(self.problem, self.shares, domain.units, units, domain.excluded)

    def ranked(self, order: Indices) -> Indices:
        """All units of the table, best first, from those of the problem, best first.

        The selected, required constant ones, the others, other constant ones, the excluded.
        """
        m, found, constant = self.domain.m, self.units[order], self.constant
        required = self.constraints.mask(self.constraints.required)[constant]
        chain = np.concatenate([found[:m], constant[required], found[m:], constant[~required]])
        out = self.constraints.mask(self.constraints.excluded)[chain]
        return np.concatenate([chain[~out], chain[out]])

    def support_of(self, solution: Solution) -> NDArray[np.bool_]:
        """Mask of the columns of a solution: all units are ranked only where too few of them vary."""
        if self.domain.m == self.k:
            return self.constraints.mask(self.units[solution.units])[self.constraints.codes]
        return self.support(self.ranked(solution.order))

    def support(self, order: Indices) -> NDArray[np.bool_]:
        """Mask of the columns of the first k units in an order of all."""
        return self.constraints.mask(order[: self.k])[self.constraints.codes]


def check_constraints(given: SetArguments, n_features: int, names: Any) -> Constraints:
    """Constraints from `groups`, `keep`, `exclude` and `adjust_for` as they were given."""
    index = ColumnIndex(n_features, names)
    if given.groups is None:
        labels: Sequence[Any] = range(n_features) if index.names is None else index.names
        codes = np.arange(n_features)
    else:
        codes, labels = _grouped(given.groups, index)
    parser = _UnitParser(codes, labels, index, given.groups)
    required, excluded = parser.units("keep", given.keep), parser.units("exclude", given.exclude)
    adjusted = parser.columns_adjusted_for("adjust_for", given.adjust_for)
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
    return Constraints(codes, labels, given.groups is not None, required, excluded, adjusted)


def _grouped(groups: Any, index: ColumnIndex) -> tuple[Indices, list[Any]]:
    """Group of each column, numbered in the order of their first columns, and labels of the groups."""
    of_column = _mapped(groups, index) if isinstance(groups, Mapping) else _labelled(groups, index)
    try:
        labels = list(dict.fromkeys(of_column))
    except TypeError:
        raise TypeError("groups must have hashable labels, such as strings or numbers.") from None
    number = {label: code for code, label in enumerate(labels)}
    return np.array([number[label] for label in of_column], dtype=np.intp), labels


def _labelled(groups: Any, index: ColumnIndex) -> list[Any]:
    """Labels from one label for each column."""
    if isinstance(groups, str | bytes | Iterator) or not np.iterable(groups):
        raise TypeError(
            f"groups must be a label for each column, or a mapping of names to columns; got {shown(groups)}."
        )
    labels = entries(index.in_order(groups))
    if len(labels) != index.n_columns:
        raise ValueError(
            f"groups must have a label for each of the {index.n_columns} features; got {len(labels)}."
        )
    missing = sum(is_null(label) for label in labels)
    if missing:
        raise ValueError(
            f"groups must have no missing labels; {missing} are. Give columns without a group labels of "
            f"their own."
        )
    return labels


def _mapped(groups: Mapping[Any, Any], index: ColumnIndex) -> list[Any]:
    """Labels from groups by name; a column in none of them is a group of its own, named as the column."""
    own = list(range(index.n_columns)) if index.names is None else index.names
    of_column: list[Any] = list(own)
    taken: dict[int, Any] = {}
    for label, columns in groups.items():
        items = _items("groups", columns)
        if not items:
            raise ValueError(f"groups must name at least one column in each group; got {shown(columns)}.")
        for item in items:
            number = index.number(item)
            made = index.of_column(item) if number is None else [number]
            if not made:
                raise ValueError(f"groups must name columns of X; {shown(item)} is none, or more than one.")
            for j in made:
                if taken.get(j, label) != label:
                    raise ValueError(
                        f"groups must not share columns; {shown(own[j])} is in {shown(taken[j])} and "
                        f"in {shown(label)}."
                    )
                of_column[j] = taken[j] = label
    clash = [name for j, name in enumerate(own) if j not in taken and name in groups]
    if clash:
        raise ValueError(
            f"groups must not be called as a column outside of them; got {shown(clash[0])}. Rename the group."
        )
    return of_column


def _items(name: str, given: Any) -> list[Any]:
    if isinstance(given, Mapping | Iterator):  # an iterator could be read only once
        raise TypeError(f"{name} must be a list of names or numbers; got {shown(given)}.")
    return entries(given)


class _UnitParser:
    """Units by label: those of groups first, then the names and numbers of their columns.

    Where groups are numbered, a number is the label of a group, and never the number of a column.
    """

    def __init__(self, codes: Indices, labels: Sequence[Any], index: ColumnIndex, groups: Any) -> None:
        self._codes, self._labels, self._index = codes, labels, index
        grouped = labels if groups is not None else ()
        # True is not the label 1, though they are equal
        self._groups = {(_is_truth(label), label): unit for unit, label in enumerate(grouped)}
        given = groups if isinstance(groups, Mapping) else grouped
        self._numbered = any(isinstance(label, bool) or parameter.is_number(label) for label in given)

    def units(self, name: str, given: Any) -> Indices:
        """Named groups, and groups of named columns."""
        return np.unique(self._codes[self._columns(name, given)])

    def columns_adjusted_for(self, name: str, given: Any) -> Indices:
        """Named columns, those of a named group altogether, rising; a number must not be ambiguous."""
        if self._numbered and given is not None:
            for item in (item for item in _items(name, given) if self._is_column(item)):
                unit = self._unit_of(item)
                if unit is None or np.count_nonzero(self._codes == unit) > 1:
                    raise ValueError(
                        f"{name} must say which columns it means; {shown(item)} may be a column or a group, "
                        f"as groups are numbered. Pass a mask, as {self._mask_of(item)}."
                    )
        return self._columns(name, given)

    def _columns(self, name: str, given: Any) -> Indices:
        items = [] if given is None else _items(name, given)
        masked = self._index.of_mask(name, given) if items else None
        if masked is not None:
            return masked
        meant_items = [one for item in items for one in self._meant(name, item)]
        return np.unique(np.concatenate([NONE, *(self._columns_of(name, item) for item in meant_items)]))

    def _meant(self, name: str, item: Any) -> list[Any]:
        """The item itself, names in a file, or those that a pattern matches, unless it is a name."""
        if isinstance(item, PathLike):
            return [one for line in read_names(Path(item)) for one in self._meant(name, line)]
        own = self._unit_of(item) is not None or self._index.number(item) is not None
        if own or not is_pattern(item) or self._index.of_column(item):
            return [item]
        matched = matching(item, dict.fromkeys([*self._labels, *(self._index.names or ())]))
        if not matched:
            what = "group or column" if self._groups else "column"
            raise ValueError(
                f"{name} must match some {what} of X; {shown(item)} matches none.{self._hint(item)}"
            )
        return matched

    def _columns_of(self, name: str, item: Any) -> Indices:
        unit, column = self._unit_of(item), self._index.number(item)
        if unit is not None:
            if isinstance(item, str) and column is not None and self._codes[column] != unit:
                raise ValueError(
                    f"{name} must name one thing at a time; {shown(item)} is a group, and a column of "
                    f"another. Rename the group."
                )
            return np.flatnonzero(self._codes == unit)
        if self._numbered and self._is_column(item):
            raise ValueError(
                f"{name} must hold labels of groups, which are numbers here; {shown(item)} is not among "
                f"{listed(list(self._labels))}. Pass a mask to name columns, as {self._mask_of(item)}."
            )
        made = self._index.of_column(item) if column is None or name == "adjust_for" else []
        columns = [*([] if column is None else [column]), *made]
        if not columns:
            what = "groups or columns" if self._groups else "columns"
            raise ValueError(
                f"{name} must hold names or numbers of {what} of X; {shown(item)} is none of them."
                f"{self._hint(item)}"
            )
        return np.array(columns, dtype=np.intp)

    def _hint(self, item: Any) -> str:
        """The name that may have been meant, or that there are none."""
        names = [name for name in (*self._labels, *(self._index.names or ())) if isinstance(name, str)]
        if not isinstance(item, str):
            return ""
        return meant(item, names) if names else " X has no column names; pass column numbers."

    def _unit_of(self, item: Any) -> int | None:
        """Group with this label."""
        try:
            return self._groups.get((_is_truth(item), item))
        except TypeError:  # not hashable
            return None

    def _is_column(self, item: Any) -> bool:
        """Whether an item would be the number of a column, were there no groups."""
        return is_integer(item) and self._index.number(item) is not None

    def _mask_of(self, item: Any) -> str:
        return f"np.isin(np.arange({self._index.n_columns}), [{shown(item)}])"


def _is_truth(item: Any) -> bool:
    return isinstance(item, bool | np.bool_)
