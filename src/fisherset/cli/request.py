"""What is asked of a table: which sets may be chosen of it, and what they are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fisherset._format import counted, near
from fisherset.cli.bundles import Restrictions
from fisherset.cli.options import PREFIX, Task
from fisherset.tables import (
    Grouping,
    LabelledTable,
    group_features,
    prefix_groups,
    read_groups,
    split_names,
)
from fisherset.tables.columns.features import check_groups, places_of

SHOWN = 20  # groups that a page lists


@dataclass(frozen=True)
class Question:
    """A table, its features in groups, and which of these must be chosen, must not be, or are taken out.

    Attributes
    ----------
    table : LabelledTable
        The table.
    grouping : Grouping
        What is chosen together; by default the features of a column.
    keep, exclude, adjust_for : tuple of int
        Groups, by their numbers.
    task : {"classification", "regression"}
        What the target holds.
    class_weight : str or None
        How classes are weighed.
    max_memory : str or None
        Memory that may be used besides the table.
    split_texts : bool
        Whether the values of a column of texts are chosen one by one.
    """

    table: LabelledTable
    grouping: Grouping
    keep: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()
    adjust_for: tuple[int, ...] = ()
    task: str = "classification"
    class_weight: str | None = None
    max_memory: str | None = None
    split_texts: bool = False

    @property
    def is_labelled(self) -> bool:
        """Whether the target holds classes."""
        return self.task == "classification"

    @property
    def parameters(self) -> dict[str, Any]:
        """What the selectors, `explain` and `certify` share, as they take it."""
        return {
            "groups": self.grouping.of_features,
            "exclude": self._columns(self.exclude),
            "adjust_for": self._columns(self.adjust_for),
            "max_memory": self.max_memory,
            **({"class_weight": self.class_weight} if self.is_labelled else {}),
        }

    @property
    def words(self) -> dict[str, Any]:
        """What a certificate of an answer has to say of the question."""
        return {
            "noun": self.grouping.noun,
            "task": self.task,
            "limited": bool(self.keep or self.exclude or self.adjust_for),
            "adjusted": bool(self.adjust_for),
        }

    @property
    def kept(self) -> list[int] | None:
        """What must be chosen, as the selectors and `certify` take it."""
        return self._columns(self.keep)

    def _columns(self, groups: Sequence[int]) -> list[int] | None:
        """All columns of some groups, which the library takes for the groups; None for none."""
        return [j for group in groups for j in self.grouping.members(group)] or None

    @property
    def n_allowed(self) -> int:
        """How many groups there are to choose from."""
        return len(self.grouping.labels) - len({*self.exclude, *self.adjust_for})

    def named(self, groups: Sequence[int]) -> list[str]:
        """What some groups are called."""
        return [self.grouping.labels[group] for group in groups]

    def check_count(self, k: int) -> None:
        """Refuse a number of features, or groups, that there is no set of."""
        what, all_of_them = self.grouping.noun, len(self.grouping.labels)
        if k > all_of_them:
            raise ValueError(f"-k must be at most the number of {what}, {all_of_them}; got {k}.")
        if k > self.n_allowed:
            raise ValueError(
                f"-k must be at most the number of {what} that --exclude and --adjust-for leave, "
                f"{self.n_allowed}; got {k}."
            )
        if k < len(self.keep):
            raise ValueError(
                f"--keep must not name more {what} than -k, {k}; got {len(self.keep)}. Choose more, or keep "
                f"fewer."
            )

    @property
    def told(self) -> list[tuple[str, str]]:
        """What was asked of single groups or columns: headings and values."""
        listed = {"Kept": self.keep, "Excluded": self.exclude, "Adjusted for": self.adjust_for}
        told = [(heading, self._listed(groups)) for heading, groups in listed.items() if groups]
        return told + ([("Class weight", self.class_weight)] if self.class_weight else [])

    @property
    def together(self) -> list[tuple[str, str]]:
        """What is chosen together: a heading and some of the groups, where there are any."""
        several = [group for group, size in enumerate(self.grouping.sizes) if size > 1]
        more = f" and {len(several) - SHOWN} more" if len(several) > SHOWN else ""
        return [("Chosen together", self._listed(several[:SHOWN]) + more)] if several else []

    def _listed(self, groups: Sequence[int]) -> str:
        labels, sizes = self.grouping.labels, self.grouping.sizes
        return ", ".join(sized(labels[group], sizes[group]) for group in groups)


def sized(label: str, n_features: int) -> str:
    """A group as it is shown: "region (4 features)"."""
    return label if n_features == 1 else f"{label} ({counted(n_features, 'features')})"


def plain(table: LabelledTable) -> Question:
    """The question of methods that score features one by one: nothing is put together."""
    return Question(table, group_features(table.features, split=True))


def question_of(table: LabelledTable, restrictions: Restrictions) -> Question:
    """The question that the options of a command ask of a table."""
    task, class_weight = restrictions.task, restrictions.class_weight
    if class_weight is not None and task is Task.regression:
        raise ValueError("--class-weight is for classes; leave it out with --task regression.")
    grouping = _grouping(table, restrictions.groups, restrictions.split_texts)
    finder = _Finder(table, grouping)
    kept, barred, taken = (
        finder.groups(option, given or ())
        for option, given in (
            ("--keep", restrictions.keep),
            ("--exclude", restrictions.exclude),
            ("--adjust-for", restrictions.adjust_for),
        )
    )
    for option, others in (("--exclude", barred), ("--adjust-for", taken)):
        both = [group for group in kept if group in others]
        if both:
            raise ValueError(f"--keep and {option} must not overlap; both name {grouping.labels[both[0]]!r}.")
    question = Question(
        table,
        grouping,
        kept,
        tuple(group for group in barred if group not in taken),
        taken,
        task.value,
        None if class_weight is None else class_weight.value,
        restrictions.max_memory,
        restrictions.split_texts,
    )
    if not question.n_allowed:
        raise ValueError(
            "--exclude and --adjust-for must leave something to choose; they name everything there is."
        )
    return question


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


class _Finder:
    """Groups by what they, their columns or their features are called."""

    def __init__(self, table: LabelledTable, grouping: Grouping) -> None:
        self._table, self._grouping = table, grouping

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        return self._grouping.places()

    def groups(self, option: str, given: Sequence[str]) -> tuple[int, ...]:
        """What an option names: each text is a name, or several with commas."""
        names = [name for text in given for name in self._split(text)]
        places = [j for name in names for j in self._places(option, name)]
        return tuple(dict.fromkeys(int(self._grouping.codes[j]) for j in places))

    def _split(self, text: str) -> list[str]:
        return [text] if self._column(text) is not None else split_names(text, self._known)

    def _column(self, name: str) -> str | None:
        """The column that a feature is of."""
        for feature in self._table.features:
            nought = feature.other is not None and name == f"{feature.column}={feature.other}"
            if name == feature.name or nought:
                return feature.column
        return None

    def _places(self, option: str, name: str) -> list[int]:
        found = self._known.get(name)
        if found is not None:
            return found
        file, target = self._table.path.name, self._table.target
        if name == target:
            raise ValueError(f"{option} must name features; {name!r} is the target.")
        if name in self._table.dropped:
            raise ValueError(f"{option} must name columns that are used; {name!r} is left out by --drop.")
        whole = self._column(name)
        if whole is not None:
            raise ValueError(
                f"{option} must name columns; {name!r} is a part of {whole!r}. Name that, or take texts "
                f"apart with --split-texts."
            )
        what = "groups or columns" if self._grouping.noun == "groups" else "columns"
        raise ValueError(f"{option} must name {what} of {file}; {name!r} is none.{near(name, self._known)}")
