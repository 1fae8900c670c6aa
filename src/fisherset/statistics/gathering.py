"""Gathering: all sums and products of a table in one pass, and the statistics that follow from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.data import Block, CountedRows, Kernel, PreparedRows, Rows
from fisherset.statistics.measured import (
    FitArguments,
    MeasuredTable,
    reject_doubtful,
    warn_dropped,
    warn_explained,
)
from fisherset.statistics.products.products import StoredProducts
from fisherset.statistics.reader import (
    NONE,
    Classified,
    Preparation,
    Reader,
    Removed,
    check_targets_vary,
    classified,
    dense_of,
    numbers_of,
)
from fisherset.statistics.sums.confounders import Basis, Centering, RFactor
from fisherset.statistics.sums.cross_products import (
    ColumnRoles,
    CrossProducts,
    basis_from_products,
    centering_of,
    feature_moments,
    products_suffice,
    sum_cross_products,
)
from fisherset.statistics.sums.guard import count_missing
from fisherset.statistics.sums.scatter import Scatter
from fisherset.validation.numbers import reject_nonfinite
from fisherset.validation.targets import as_objects
from fisherset.validation.weights import check_total_weight

# Products of all columns that are held at a time while they are gathered: the sum, a block's, a part of it.
GATHERED_COPIES = 3


def gathering_bytes(roles: ColumnRoles) -> int:
    """Memory that it takes to gather everything in one pass."""
    n_columns = roles.n_features + roles.confounders.size + roles.targets.size
    return int(GATHERED_COPIES * 8 * n_columns**2)


@dataclass(frozen=True)
class _ReadFirst:
    """A kernel on blocks that are read first."""

    kernel: Kernel[Any]
    read: Reader

    def __call__(self, block: Block) -> Any:
        return self.kernel(self.read(block)[1])


def measure_gathered(
    rows: CountedRows, read: Reader, roles: ColumnRoles, arguments: FitArguments
) -> MeasuredTable:
    """Everything in one pass; one more before it where values may be missing."""
    missing, fill = None, None
    if arguments.missing == "mean":
        observed = rows.reduce(_ReadFirst(count_missing, read))
        missing = observed.missing[: roles.n_features]
        check_adjusted(missing == 0, arguments.adjust_for)
        fill = observed.fill if missing.any() else None
    labels = classified(sum_cross_products(rows, read, fill=fill), rows.labels)
    moments = labels.gathered.moments
    check_total_weight(moments.n)
    reject_nonfinite(moments.finite[: roles.n_features], rows.names, locate_in(rows), arguments.missing)
    # what the others are adjusted for is decided after the pass: all of it is among the products
    taken = removed_columns(roles, arguments.adjust_for)
    basis = confounder_basis(rows, read, labels.gathered, taken, arguments.adjust_for)
    removed = Removed(roles, taken, basis)
    source = PreparedRows(rows, Preparation(read, labels.codes, removed))
    about = arguments.adjust_for, rows.names, rows.targets
    if taken.size:
        warn_dropped(confounder_names(roles, arguments.adjust_for, rows.names, rows.confounder_names), basis)
    if not taken.size or products_suffice(labels.gathered, taken, basis):
        table = _from_sums(labels, roles, *about, taken=taken, basis=basis, rows=source)
    else:  # only rows tell the confounders apart: their basis is gathered in their place
        labels = classified(sum_cross_products(rows, replace(read, removed=removed), fill=fill), rows.labels)
        roles = removed.new_roles
        table = _from_sums(labels, roles, *about, taken=roles.confounders, error=basis.error, rows=source)
    return replace(table, missing=missing, counter=rows)


def _from_sums(
    labels: Classified,
    roles: ColumnRoles,
    adjust_for: Indices | None,
    names: Any,
    targets: list[str] | None,
    *,
    taken: Indices,
    basis: Basis | None = None,
    error: float = 0.0,
    rows: Rows | None = None,
) -> MeasuredTable:
    """The statistics of gathered sums, by class; the columns `taken` are removed from the others.

    By a `basis`, or as they are where they are one themselves, whose rows have an `error`. Without `rows`
    nothing can be measured again.
    """
    gathered, d = labels.gathered, roles.n_features
    check_targets_vary(labels, roles)
    moments, coding = feature_moments(gathered, roles._replace(confounders=taken), basis)
    moments = replace(moments, N_error=error)
    scatter = Scatter(moments, coding, rows)
    classes = classes_of(labels, roles, targets)
    if taken.size:
        warn_explained(scatter, classes, names, adjust_for)
    products = StoredProducts(gathered.XX[:d, :d], moments)
    return MeasuredTable(rows, products, coding, scatter, classes)


def measure_summary(summary: Any, arguments: FitArguments, task: str) -> MeasuredTable:
    """The statistics of a table whose sums are known, adjusted for confounders and columns."""
    summary._check_task(task)
    if arguments.class_weight is not None:
        raise ValueError(
            "class_weight must not be given with a summary, whose rows have been weighed. Pass sample_weight "
            "to summarize."
        )
    if arguments.missing == "mean":
        raise ValueError('missing must be "error" with a summary, which has no missing values any more.')
    if summary.n_samples < 2:  # the words are scikit-learn's
        raise ValueError("Found a summary of 1 sample(s) while a minimum of 2 is required.")
    roles, adjust_for = summary.roles, arguments.adjust_for
    taken = removed_columns(roles, adjust_for)
    basis = basis_from_products(summary.gathered, taken)
    if taken.size:
        names = confounder_names(roles, adjust_for, summary.names, summary.beside.confounders)
        reject_doubtful(names, basis)
        warn_dropped(names, basis)
    about = adjust_for, summary.names, summary.beside.targets
    return _from_sums(classified(summary.gathered), roles, *about, taken=taken, basis=basis)


@dataclass(frozen=True)
class _FactorKernel:
    """The R factor of the confounders, which are the first columns as they are read."""

    centering: Centering
    size: int

    def __call__(self, block: Block) -> RFactor:
        Z = dense_of(block.X[:, : self.size])
        return self.centering.r_factor(Block(Z[:, :0], None, block.weight, Z))


def confounder_basis(
    rows: CountedRows, read: Reader, gathered: CrossProducts, Z: Indices, adjust_for: Indices | None
) -> Basis:
    """The basis of the confounders, columns Z of what was gathered.

    By their products, or where these do not tell by a pass over the confounders alone.
    """
    basis = basis_from_products(gathered, Z)
    # products square the condition number; nearly collinear confounders need a QR factorisation of their rows
    if not Z.size or (not basis.doubtful.size and products_suffice(gathered, Z, basis)):
        return basis
    features = adjust_for is not None and adjust_for.size > 0
    only, centering = replace(read, only=adjust_for if features else None), centering_of(gathered, Z)
    kernel = _ReadFirst(_FactorKernel(centering, Z.size), only)
    return centering.basis(rows.reduce(kernel, columns=features))


def confounder_names(
    roles: ColumnRoles, adjust_for: Indices | None, names: Any, own: Any = None
) -> list[Any]:
    """Names of the columns that are removed from the others, for messages; numbers where they have none."""
    of_table = [] if adjust_for is None else column_labels(adjust_for, names)
    return [*of_table, *(range(roles.confounders.size) if own is None else own)]


def column_labels(columns: Indices, names: Any) -> list[Any]:
    """Names of some columns for messages, or their numbers."""
    return [j if names is None else names[j] for j in columns.tolist()]


def removed_columns(roles: ColumnRoles, adjust_for: Indices | None) -> Indices:
    """The columns that are removed from the others."""
    return np.concatenate([NONE if adjust_for is None else adjust_for, roles.confounders])


def check_adjusted(finite: NDArray[np.bool_], adjust_for: Indices | None) -> None:
    """Refuse to adjust for columns that have missing values."""
    if adjust_for is not None and not finite[adjust_for].all():
        raise ValueError("adjust_for must name columns without NaN or infinity. Impute them first.")


def classes_of(labels: Classified, roles: ColumnRoles, targets: list[str] | None) -> NDArray[Any]:
    """The classes; of sets the names of their labels."""
    if not roles.label_sets:
        return labels.classes
    return as_objects(range(roles.targets.size) if targets is None else targets)


@dataclass(frozen=True)
class _FindNonfinite:
    column: int

    def __call__(self, block: Block) -> list[str]:
        values = dense_of(numbers_of(block.X)[:, [self.column]])
        bad = np.flatnonzero(~np.isfinite(values[:, 0]))
        if not bad.size or block.place is None:
            return []
        return [f"the first in {block.place.name}, row {block.place.row + int(bad[0])}"]


def locate_in(rows: CountedRows) -> Callable[[int], str]:
    """A function that says where a column holds NaN or infinity first: one more pass."""
    return lambda column: next(iter(rows.reduce(_FindNonfinite(column))), "")
