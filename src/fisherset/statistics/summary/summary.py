"""The statistics of a table as an object: added, subtracted, kept in a file, and selected from."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fisherset.statistics.measured import BesideNames
from fisherset.statistics.reader import classified
from fisherset.statistics.summary.consistency import impossible
from fisherset.statistics.summary.file import read_summary, write_summary
from fisherset.statistics.summary.origin import UNKNOWN, Origin
from fisherset.statistics.sums.cross_products import ColumnRoles, CrossProducts
from fisherset.validation.parameters import shown
from fisherset.validation.targets import (
    CLASSIFICATION,
    ONE_CLASS_EACH,
    REGRESSION,
    encode_labels,
    exact_labels,
)

UNNAMED = BesideNames()


class Summary:
    """Counts, sums and products of the columns of a table: all that a selection needs of its rows.

    Made by :func:`summarize`. Summaries of different rows add up, `a + b`, to that of all of them, and
    `a - b` subtracts rows again; the answer is that of the pooled rows. No row can be read off a summary
    of many, but it does hold, for each class, the mean of every column, and all correlations: of a class
    of one sample the mean is the sample itself. It also holds a digest of the rows it was made of, by which
    who has the same rows can recognise them.

    Parameters
    ----------
    gathered : CrossProducts
        The sums.
    roles : ColumnRoles
        The roles of their columns.
    names : list of str, default=None
        Names of the features.
    task : {"classification", "regression"}, default="classification"
        Kind of the targets.
    beside : BesideNames, default=UNNAMED
        Names of several targets, and of several confounders.
    origin : Origin, default=UNKNOWN
        Name of the target, and digests of the rows.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    n_columns : int
        Number of columns.
    names : list of str or None
        Their names.
    classes : ndarray
        The labels found so far; none where the targets are numbers.
    task : {"classification", "regression"}
        Kind of the targets.
    target : str or None
        Name of the target: the column of a file, or the name of the series y; None where it has none.

    See Also
    --------
    summarize : Make a summary.
    GeneralizedFisherScore : Select from one, as by `fit(summary)`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore, summarize
    >>> X, y = load_digits(return_X_y=True)
    >>> both = summarize(X[:900], y[:900]) + summarize(X[900:], y[900:])
    >>> selector = GeneralizedFisherScore(10).fit(both)
    >>> bool((selector.support_ == GeneralizedFisherScore(10).fit(X, y).support_).all())
    True
    """

    _replaces_rows = True

    def __init__(
        self,
        gathered: CrossProducts,
        roles: ColumnRoles,
        *,
        names: list[str] | None = None,
        task: str = CLASSIFICATION,
        beside: BesideNames = UNNAMED,
        origin: Origin = UNKNOWN,
    ) -> None:
        self._gathered, self._roles, self.names, self.task = gathered, roles, names, task
        self.beside, self.origin = beside, origin

    @property
    def target(self) -> str | None:
        return self.origin.target

    @property
    def gathered(self) -> CrossProducts:
        """The sums themselves."""
        return self._gathered

    @property
    def roles(self) -> ColumnRoles:
        """The roles of the columns of the sums: features, confounders, targets."""
        return self._roles

    @property
    def n_columns(self) -> int:
        return self._roles.n_features

    @property
    def n_samples(self) -> int:
        return int(self._gathered.counts.sum())

    @property
    def classes(self) -> NDArray[Any]:
        return classified(self._gathered).classes

    def __repr__(self) -> str:
        of = f"{self.classes.size} classes" if self.classes.size else f"{self._roles.targets.size} targets"
        return f"Summary({self.n_samples} samples, {self.n_columns} columns, {of})"

    def __add__(self, other: Summary) -> Summary:
        """The summary of the rows of both."""
        return self.merge(other) if isinstance(other, Summary) else NotImplemented

    def merge(self, other: Summary, *, check: bool = True) -> Summary:
        """The summary of the rows of both: `a + b`, which refuses summaries that should not be added.

        Parameters
        ----------
        other : Summary
            A summary of other rows with the same columns and the same target.
        check : bool, default=True
            Whether to refuse targets of different names, and rows that are in both, as far as both
            summaries tell; if not, such rows count twice.

        Returns
        -------
        summary : Summary
            Of all rows.
        """
        if not isinstance(other, Summary):
            raise TypeError(f"other must be a Summary; got {shown(other)}.")
        theirs, conflict = self._matched(other), self.origin.conflict(other.origin)
        if check and conflict is not None:
            raise ValueError(f"These summaries {conflict}. To add them anyway: a.merge(b, check=False).")
        with np.errstate(over="ignore", invalid="ignore"):  # what is lost is found by its sums
            total = self._gathered.merged(theirs)
        lost = np.flatnonzero(~(total.moments.finite & np.isfinite(total.XX.diagonal())))
        if lost.size:
            named = self.names is not None and lost[0] < self.n_columns
            column = (self.names or [])[lost[0]] if named else int(lost[0])
            raise ValueError(
                f"Summaries must be of columns whose sums float64 holds; those of column {shown(column)} "
                f"leave its range when added. Divide it by the same number everywhere before summarize."
            )
        return self._with(gathered=total, origin=self.origin + other.origin)

    def __radd__(self, other: Any) -> Summary:
        """So that `sum(summaries)` works, which starts at zero."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Summary) -> Summary:
        """The summary of the rows of this that are not among those of the other."""
        if not isinstance(other, Summary):
            return NotImplemented
        theirs = self._matched(other)
        conflict = self.origin.other_target(other.origin)
        if conflict is not None and not self.origin.holds(other.origin):
            raise ValueError(f"These summaries {conflict}. Subtract a summary of rows that this one has.")
        mine = dict(zip(self._gathered.labels, self._gathered.counts.tolist(), strict=True))
        for label, count in zip(theirs.labels, theirs.counts.tolist(), strict=True):
            if count > mine.get(label, 0):
                of = "" if label is None else f" of the class {shown(label)}"
                raise ValueError(
                    f"Only rows of a summary can be subtracted from it; {count} rows{of} are to be "
                    f"subtracted from {mine.get(label, 0)}. Subtract a summary of rows that this one has."
                )
        if theirs.counts.sum() == self.n_samples:
            raise ValueError(
                f"Some rows must be left in a summary; all {self.n_samples} are to be subtracted."
            )
        rest = self._gathered - theirs
        if impossible(rest, self._roles) is not None:
            raise ValueError(
                "Only rows of a summary can be subtracted from it; these were not part of it, or weigh so "
                "much that no digits of the rest are left. Subtract a summary of rows that this one has."
            )
        return self._with(gathered=rest, origin=self.origin - other.origin)

    def named(self, names: Sequence[str]) -> Summary:
        """The same with names for its columns.

        Parameters
        ----------
        names : sequence of str
            One for each column.

        Returns
        -------
        summary : Summary
            With these names.
        """
        if len(names) != self.n_columns:
            raise ValueError(f"names must be as many as columns, {self.n_columns}; got {len(names)}.")
        if len(set(names)) < len(names):
            raise ValueError("names must name each column once; some are the same. Rename them.")
        return self._with(names=list(names))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the summary into an .npz file, whole or not at all, without pickles.

        Parameters
        ----------
        path : str or path
            The file. Labels must be strings, numbers, or True and False.
        """
        write_summary(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a summary that was saved, and check it.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        summary : Summary
            Its content.
        """
        return cls(**read_summary(path))

    def _with(self, **changes: Any) -> Summary:
        """The same with other sums, names or origin."""
        own = {
            name: getattr(self, name) for name in ("gathered", "roles", "names", "task", "beside", "origin")
        }
        return Summary(**{**own, **changes})

    def _matched(self, other: Summary) -> CrossProducts:
        """The other's sums with its columns in this one's order, if they are of the same columns."""
        if (self.task, self._kind) != (other.task, other._kind):
            raise ValueError(
                f"Summaries must be of targets of one kind; got {self._described} and {other._described}."
            )
        for what, mine, theirs in zip(BesideNames._fields, self.beside, other.beside, strict=True):
            if mine is not None and theirs is not None and mine != theirs:
                raise ValueError(
                    f"Summaries must be of the same {what} in the same order; got {shown(mine)} and "
                    f"{shown(theirs)}."
                )
        if not self._roles.targets.size:  # 1 and "1" are no labels of one column
            encode_labels(exact_labels([*self._gathered.labels, *other._gathered.labels]))
        if self.n_columns != other.n_columns or (self.names is None) != (other.names is None):
            raise ValueError(
                f"Summaries must be of the same columns; got {self.n_columns}{_named(self.names)} and "
                f"{other.n_columns}{_named(other.names)}."
            )
        if self.names is None or other.names is None or self.names == other.names:
            return other._gathered
        lacking = [name for name in self.names if name not in set(other.names)]
        if lacking:
            raise ValueError(
                f"Summaries must be of the same columns; {shown(lacking[0])} is in one of them only."
            )
        place = {name: j for j, name in enumerate(other.names)}
        order = [place[name] for name in self.names]
        others = np.arange(self.n_columns, other._gathered.XX.shape[0])
        return other._gathered.reordered(np.concatenate([order, others]).astype(np.intp))

    def _check_task(self, task: str) -> None:
        """Refuse targets of another kind than a task has."""
        if (task == REGRESSION) != (self.task == REGRESSION) or (
            task == ONE_CLASS_EACH and self._roles.label_sets
        ):
            wanted = "numbers" if task == REGRESSION else "classes"
            raise ValueError(f"A summary must be of {wanted} here; got one of {self._described}.")

    @property
    def _kind(self) -> tuple[int, int, bool]:
        roles = self._roles
        return roles.targets.size, roles.confounders.size, roles.label_sets

    @property
    def _described(self) -> str:
        n_targets, n_confounders, sets = self._kind
        what = f"{n_targets} {'labels' if sets else 'numbers'}" if n_targets else "classes"
        return f"{what} with {n_confounders} confounders" if n_confounders else what


def _named(names: list[str] | None) -> str:
    return " without names" if names is None else ""
