"""A request: the sets that may be selected from a table, and the criterion they are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fisherset._format import counted, listed, near
from fisherset._names import is_pattern, matching
from fisherset.cli.files import LabelledFile
from fisherset.cli.options import PREFIX, Restrictions
from fisherset.tables import (
    Grouping,
    LabelledTable,
    group_features,
    prefix_groups,
    read_groups,
)
from fisherset.tables.columns.features import check_groups, places_of
from fisherset.tables.columns.targets import class_count
from fisherset.tables.columns.types import all_names

if TYPE_CHECKING:
    from fisherset.statistics.measured import MeasuredTable

UNRESTRICTED = Restrictions()


@dataclass(frozen=True)
class Request:
    """A table, its features in groups, and the groups that are required, excluded or adjusted for.

    Groups are numbers of labels of the grouping; by default the features of a column are a group.
    """

    table: LabelledTable
    grouping: Grouping
    keep: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()
    adjust_for: tuple[int, ...] = ()
    confounders: tuple[str, ...] = ()  # annotations of the rows, such as columns of obs, adjusted for
    restrictions: Restrictions = UNRESTRICTED
    source: LabelledFile | None = None  # the options the table was read with

    @property
    def task(self) -> str:
        """The kind of target: "classification" for labels, "regression" for numbers."""
        return self.table.task

    @property
    def class_weight(self) -> str | None:
        """Weighting of the classes."""
        return self.restrictions.class_weight

    @cached_property
    def measured(self) -> MeasuredTable:
        """The statistics of the table, measured once for all that is computed from it."""
        from fisherset.statistics.measure import measure  # and scikit-learn, which takes a second

        return measure(
            self.table.X,
            self.table.y,
            class_weight=self.class_weight,
            adjust_for=self._columns(self.adjust_for),
            confounders=self.table.confounders,
            task=self.task,
            max_memory=self.restrictions.max_memory,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the selectors, `explain` and `certify` share."""
        return {
            "groups": self.grouping.of_features,
            "exclude": self._columns(self.exclude),
            "adjust_for": self._columns(self.adjust_for),
            "max_memory": self.restrictions.max_memory,
            **({"class_weight": self.class_weight} if self.task == "classification" else {}),
        }

    @property
    def kept(self) -> list[int] | None:
        """The columns that must be selected, as the selectors and `certify` take them."""
        return self._columns(self.keep)

    @property
    def named_columns(self) -> set[str]:
        """The columns of the file that are required, excluded or adjusted for."""
        columns = self._columns([*self.keep, *self.exclude, *self.adjust_for])
        return {self.table.features[j].column for j in columns or ()}

    def _columns(self, groups: Sequence[int]) -> list[int] | None:
        """Return all columns of some groups, which the library takes for the groups; None for none."""
        return [j for group in groups for j in self.grouping.members(group)] or None

    @property
    def words(self) -> dict[str, Any]:
        """The words in which a certificate of an answer is put."""
        return {
            "noun": self.grouping.noun,
            "task": self.task,
            "limited": bool(self.keep or self.exclude or self.adjust_for),
            "adjusted": self.is_adjusted,
        }

    @property
    def is_adjusted(self) -> bool:
        """Whether features and target are adjusted for others."""
        return bool(self.adjust_for or self.confounders)

    @property
    def n_candidates(self) -> int:
        """The number of groups that may be selected."""
        return len(self.grouping.labels) - len({*self.exclude, *self.adjust_for})

    def row_groups(self, option: str, given: Sequence[str]) -> list[int]:
        """Return the group of each row by its values in the columns that an option names."""
        import numpy as np

        columns = self._columns(_Names(self.table, self.grouping).groups(option, given)) or []
        values = self.table.X[:, columns]
        values = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
        return [int(group) for group in np.unique(values, axis=0, return_inverse=True)[1].ravel()]

    def names(self, groups: Sequence[int]) -> list[str]:
        """Return the labels of some groups."""
        return [self.grouping.labels[group] for group in groups]

    def check_sizes(self, k: int | str | list[int] | None) -> None:
        """Refuse sizes of -k that no set has; "auto" and None choose among those that some have."""
        for size in k if isinstance(k, list) else [k] if isinstance(k, int) else []:
            self.check_size(size)

    def check_size(self, k: int) -> None:
        """Refuse a number of features, or groups, that no set has."""
        noun, n_groups = self.grouping.noun, len(self.grouping.labels)
        if k > n_groups:
            raise ValueError(f"-k must be at most {n_groups}, the number of {noun}; got {k}.")
        if k > self.n_candidates:
            raise ValueError(
                f"-k must be at most {self.n_candidates}, the number of {noun} not excluded or adjusted "
                f"for; got {k}."
            )
        if k < len(self.keep):
            raise ValueError(
                f"--keep names {len(self.keep)} {noun}, but -k is {k}. Raise -k, or require fewer."
            )

    @property
    def size(self) -> str:
        """The size of the table: "90 rows, 10 features in 8 columns"."""
        grouping, d = self.grouping, len(self.table.features)
        groups = "" if grouping.of_features is None else f" in {counted(len(grouping.labels), grouping.noun)}"
        return f"{self.table.n_rows} rows, {counted(d, 'features')}{groups}"

    @property
    def target_range(self) -> str:
        """How the target was interpreted: "3 classes", "numbers from 25 to 346"."""
        if self.table.in_memory or self.task == "regression":
            return self.table.target_range or "numbers"
        return class_count(int(self.measured.classes.size))

    @property
    def headline(self) -> str:
        """The table and its target: "iris.csv: 150 rows, 4 features; target 'species': 3 classes"."""
        table = self.table
        return f"{table.path.name}: {self.size}; target {table.target!r}: {self.target_range}"

    @property
    def limits(self) -> list[tuple[str, str]]:
        """The restrictions on groups or classes: headings and values."""
        limited = {"Required": self.keep, "Excluded": self.exclude, "Adjusted for": self.adjust_for}
        limits = [(heading, ", ".join(self._sized(groups))) for heading, groups in limited.items() if groups]
        limits += [("Adjusted for", ", ".join(self.confounders))] if self.confounders else []
        return limits + ([("Class weight", self.class_weight)] if self.class_weight else [])

    def line(self, k: int, chosen: str = "selected") -> str:
        """Return the table, the target as it was interpreted, and the size in one line of a page."""
        n, noun = len(self.grouping.labels), self.grouping.noun
        table = f"{self.table.path.name}, {counted(self.table.n_rows, 'rows')}"
        target = f"target {self.table.target} ({self.target_range})"
        return " · ".join([table, target, f"{k} of {n} {noun} {chosen}"])

    def described(
        self, target: str, size: tuple[str, str], gamma: float, *more: tuple[str, str]
    ) -> list[tuple[str, str]]:
        """Describe the request on a page: headings and values."""
        several = [group for group, size in enumerate(self.grouping.sizes) if size > 1]
        together = [("Selected together", listed(self._sized(several), 20))] if several else []
        return [
            ("Table", f"{self.table.path.name}: {self.size}"),
            ("Target", target),
            size,
            *together,
            *self.limits,
            *more,
            ("Regulariser gamma", f"{gamma:.6g}, {gamma / self.table.n_rows:.3g} n"),
        ]

    def _sized(self, groups: Sequence[int]) -> list[str]:
        """Return the labels of some groups with their sizes: "region (4 features)"."""
        sizes = self.grouping.sizes
        named = zip(self.names(groups), (sizes[group] for group in groups), strict=True)
        return [label if n == 1 else f"{label} ({counted(n, 'features')})" for label, n in named]


def plain_request(table: LabelledTable) -> Request:
    """Return the request of methods that score features one by one: no groups."""
    return Request(table, group_features(table.features, split=True))


def check_answerable(table: LabelledTable) -> None:
    """Refuse rows in memory with nothing to tell apart, before anything that computes is loaded."""
    if table.y is None:
        return
    if len(table.y) == 1:
        raise ValueError("The table has only one row.")
    labels = set(table.y.tolist()) if table.task == "classification" else set()
    if len(labels) == 1:
        raise ValueError(f"The target {table.target!r} has only one class, {labels.pop()!r}.")


def check_keep(table: LabelledTable, keep: Sequence[str] | None) -> None:
    """Refuse names that are none of the table, of a command that does not select: it reads row numbers."""
    _Names(table, group_features(table.features)).groups("--keep", keep)


def make_request(table: LabelledTable, source: LabelledFile, restrictions: Restrictions) -> Request:
    """Return the request that the options of a command make of a table."""
    check_answerable(table)
    if restrictions.class_weight is not None and table.task == "regression":
        raise ValueError(f"--class-weight needs classes; the target {table.target!r} holds numbers. Omit it.")
    if restrictions.class_weight is not None and table.summarized:
        raise ValueError(
            f"--class-weight needs rows, and {table.path.name} is a summary of them. Leave it out."
        )
    grouping = _grouping(table, restrictions.groups, restrictions.split_texts)
    names = _Names(table, grouping)
    keep = names.groups("--keep", restrictions.keep)
    exclude = names.groups("--exclude", restrictions.exclude)
    features, confounders = names.annotated(restrictions.adjust_for)
    adjust_for = names.groups("--adjust-for", features)
    for option, others in (("--exclude", exclude), ("--adjust-for", adjust_for)):
        both = [group for group in keep if group in others]
        if both:
            raise ValueError(f"--keep and {option} must not overlap; both name {grouping.labels[both[0]]!r}.")
    exclude = tuple(group for group in exclude if group not in adjust_for)
    table = table.adjusted(confounders) if confounders else table
    given = keep, exclude, adjust_for, tuple(confounders)
    request = Request(table, grouping, *given, restrictions, source)
    if not request.n_candidates:
        raise ValueError("--exclude and --adjust-for name all columns; leave at least one to select.")
    return request


def _grouping(table: LabelledTable, groups: str | None, split_texts: bool) -> Grouping:
    if groups is None:
        return group_features(table.features, split=split_texts)
    if groups == PREFIX:
        return group_features(table.features, prefix_groups(table.features), split=split_texts)
    path = Path(groups)
    named = check_groups(
        read_groups(path),
        places_of(table.features, split_texts),
        target=table.target,
        left_out=table.dropped,
        file=path.name,
        table=table.path.name,
    )
    try:
        return group_features(table.features, named, split=split_texts)
    except ValueError as error:
        raise ValueError(f"{path.name} cannot be used: {error}") from None


class _Names:
    """Groups by their own names and by those of their columns and features."""

    def __init__(self, table: LabelledTable, grouping: Grouping) -> None:
        self._table, self._grouping = table, grouping

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        return self._grouping.places()

    def groups(self, option: str, given: Sequence[str] | None) -> tuple[int, ...]:
        """Return the groups that an option names: by name, several with commas, by pattern or in a file."""
        names = [name for value in given or () for name in self._all(value)]
        features = [j for name in names for j in self._features(option, name)]
        return tuple(dict.fromkeys(int(self._grouping.codes[j]) for j in features))

    def annotated(self, given: Sequence[str] | None) -> tuple[list[str], list[str]]:
        """Return the names of --adjust-for that are columns, or unknown, and those of annotations of rows."""
        notes = set(self._table.annotation_names) - set(self._known)
        if not notes:
            return list(given or ()), []
        values = [[value] if value in notes else self._all(value) for value in given or ()]
        names = list(dict.fromkeys(name for some in values for name in some))
        return [name for name in names if name not in notes], [name for name in names if name in notes]

    def _all(self, value: str) -> list[str]:
        """Return the names that a value stands for; that of a part of a column may have commas."""
        return [value] if self._column(value) is not None else all_names([value], self._known)

    def _column(self, name: str) -> str | None:
        """Return the column of the feature of this name; a feature of two values has a name for each."""
        for feature in self._table.features:
            other = None if feature.other is None else f"{feature.column}={feature.other}"
            if name in (feature.name, other):
                return feature.column
        return None

    def _features(self, option: str, name: str) -> list[int]:
        if name in self._known:
            return self._known[name]
        if name == self._table.target:
            raise ValueError(f"{option} must not name the target, {name!r}.")
        if name in self._table.dropped:
            raise ValueError(f"{option} and --drop must not overlap; both name {name!r}.")
        noun = "group or column" if self._grouping.noun == "groups" else "column"
        file = self._table.path.name
        if is_pattern(name):
            parts = matching(name, self._table.names)
            if not parts:
                raise ValueError(f"{option}: no {noun} of {file} matches {name!r}.")
            name = parts[0]
        column = self._column(name)
        if column is not None:
            raise ValueError(
                f"{option} takes columns; {name!r} is one value of {column!r}. Name {column!r}, or add "
                f"--split-texts."
            )
        known = [*(self._table.annotation_names if option == "--adjust-for" else ()), *self._known]
        raise ValueError(f"{option}: {file} has no {noun} {name!r}.{near(name, known)}")
