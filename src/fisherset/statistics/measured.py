"""The measured table, which replaces X and y, and the arguments that it was measured with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import counted
from fisherset._types import Indices
from fisherset.data import CountedRows, Rows, fit_arguments
from fisherset.statistics.products.products import RowProducts, StoredProducts
from fisherset.statistics.sums.coding import Classes, Coding
from fisherset.statistics.sums.confounders import Basis
from fisherset.statistics.sums.scatter import Scatter
from fisherset.validation.parameters import shown, shown_some
from fisherset.validation.table import warn
from fisherset.validation.targets import ONE_CLASS_EACH, REGRESSION

# Share of its squares that is left of a target, or feature, when the confounders explain it wholly: what
# is left of one that they do explain is the rounding of its sums, far below.
EXPLAINED = 1e-8


class FitArguments(NamedTuple):
    """Arguments of a fit besides X and y."""

    sample_weight: Any = None
    class_weight: Any = None
    confounders: Any = None
    adjust_for: Indices | None = None  # columns of X that the others are adjusted for
    # "error", or "mean": missing values of X count as the mean of their column; None where that is no option
    missing: str | None = None
    max_memory: int | None = None  # bytes that may be held besides the table

    @property
    def repeated(self) -> tuple[str, ...]:
        """Names of the data that was given: no selector stores it, so that others must be given it again."""
        return fit_arguments(self.sample_weight, self.confounders)


NO_ARGUMENTS = FitArguments()


class BesideNames(NamedTuple):
    """Names of several targets, and of several confounders; None where they have none."""

    targets: list[str] | None = None
    confounders: list[str] | None = None


@dataclass(frozen=True)
class MeasuredTable:
    """The statistics of a table with its targets, and its rows for further passes.

    Made by :func:`fisherset.statistics.measure.measure`. Selectors and functions take it in place of X, with
    None for y and the other data, so that nothing is measured twice: `selector.fit(measured)`,
    `explain(measured, None, features)`. Parameters that it was measured with (`class_weight`,
    `adjust_for`, `missing`, `task`) must be the same there; `max_memory` may differ.
    """

    rows: Rows | None  # as kernels take them; None where there are no rows any more
    products: RowProducts | StoredProducts
    coding: Coding  # of the targets
    scatter: Scatter
    classes: NDArray[Any]  # or labels of sets; none where the targets are numbers
    names: list[str] | None = None  # of the columns
    codes: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # classes of rows in memory
    missing: Indices | None = None  # missing values of each column, where they are allowed
    counter: CountedRows | None = None  # of the passes; None where nothing was read
    arguments: FitArguments = NO_ARGUMENTS  # of the measuring
    regression: bool = False  # whether the targets are numbers
    # columns that only number the rows; none where there are no rows
    row_numbers: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    _replaces_rows: ClassVar[bool] = True

    def __repr__(self) -> str:
        targets = counted(self.classes.size, "classes") if self.one_class_each else "other targets"
        samples, columns = counted(int(self.scatter.n_samples), "samples"), counted(self.n_columns, "columns")
        return f"MeasuredTable({samples}, {columns}, {targets})"

    @property
    def n_columns(self) -> int:
        return self.scatter.constant.size

    @property
    def n_passes(self) -> int:
        """How often the table was read."""
        return 0 if self.counter is None else self.counter.n_passes

    @property
    def one_class_each(self) -> bool:
        """Whether each row is of one class."""
        return isinstance(self.coding, Classes)

    @property
    def max_memory(self) -> int | None:
        """Bytes that may be held besides the table."""
        return self.arguments.max_memory

    def matching(self, y: Any, arguments: FitArguments, task: str) -> MeasuredTable:
        """The table for a call with these arguments, refused where they are others than its own."""
        reject_data_arguments(y, arguments)
        if (task == REGRESSION) != self.regression or (task == ONE_CLASS_EACH and not self.one_class_each):
            wanted = "numbers" if task == REGRESSION else "classes"
            raise ValueError(f"y must hold {wanted} here; the measured table has other targets.")
        own = self.arguments
        adjust_for = None if arguments.adjust_for is None else arguments.adjust_for.tolist()
        known = [] if own.adjust_for is None else own.adjust_for.tolist()
        for name, wants, has in (
            ("class_weight", arguments.class_weight, own.class_weight),
            ("missing", arguments.missing if arguments.missing == "mean" else None, own.missing or "error"),
            ("adjust_for", adjust_for, known),
        ):
            if wants is not None and wants != has:
                raise ValueError(
                    f"{name} must be that of the measured table, {shown(has)}; got {shown(wants)}. Measure "
                    f"the table with it."
                )
        return replace(self, arguments=own._replace(max_memory=arguments.max_memory))


def reject_data_arguments(y: Any, arguments: FitArguments) -> None:
    """Refuse targets, weights and confounders next to a table that has its own."""
    given = {"y": y, "sample_weight": arguments.sample_weight, "confounders": arguments.confounders}
    for name, value in given.items():
        if value is not None:
            columns = "confounders=['age']" if name == "confounders" else "sample_weight='weight'"
            fix = "Leave y out." if name == "y" else f"Name its columns in scan(..., {columns})."
            raise ValueError(
                f"{name} must not be given with a table that has its own; got {shown(value)}. {fix}"
            )


def reject_doubtful(names: Sequence[Any], basis: Basis) -> None:
    """Refuse a confounder whose sums do not tell what it adds to those before it, or whether it varies."""
    if basis.doubtful.size:
        name = shown(names[int(basis.doubtful[0])])
        raise ValueError(
            f"The sums of a summary must tell its confounders apart; they do not tell {name} from a constant "
            f"or from those before it. Leave {name} out, or fit the rows themselves."
        )


def warn_dropped(names: Sequence[Any], basis: Basis) -> None:
    """Report confounders that were not used, as next to nothing is left of them once others are removed."""
    unused = list(dict.fromkeys(names[c] for c in basis.dropped.tolist()))
    if unused:
        warn(
            f"Of the confounders, {shown_some(unused)} was not used: it differs from a combination of those "
            f"before it by less than one part in 10^10. Pass the difference instead, or leave it out."
        )


def warn_explained(scatter: Scatter, classes: NDArray[Any], names: Any, adjust_for: Indices | None) -> None:
    """Report classes and features that the confounders explain wholly: nothing is left to select by."""
    moments = scatter.moments
    gone = np.flatnonzero((moments.TT > 0) & (moments.TT - moments.explained <= EXPLAINED * moments.TT))
    if gone.size:
        what, first = ("classes", classes[gone[0]]) if classes.size else ("targets", gone[0])
        warn(
            f"The confounders explain {gone.size} of {moments.TT.size} {what} wholly, such as "
            f"{shown(first)}: no feature can tell more of them."
        )
    before = moments.squares - moments.NX[0] ** 2 / moments.n
    lost = np.flatnonzero(scatter.constant & (before > EXPLAINED * moments.squares))
    lost = lost if adjust_for is None else np.setdiff1d(lost, adjust_for)
    if lost.size:
        first = shown(lost[0] if names is None else names[lost[0]])
        warn(
            f"The confounders explain {lost.size} features wholly, such as {first}: nothing is left of them."
        )
