"""Tables whose rows stay where they are, read by the way that takes the fewest passes.

Where the products of all columns find room one pass gathers everything. Where the rows do, of
tables with more columns than rows, they are collected. Else every question is a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.data import Block, Kernel, PreparedSource, Rows, Source
from fisherset.statistics import (
    Basis,
    Centering,
    ColumnRoles,
    CrossProducts,
    MissingCounts,
    RFactor,
    Scatter,
    SourceProducts,
    StoredProducts,
    basis_from_products,
    centering_of,
    count_missing,
    feature_moments,
    join_rows,
    products_suffice,
    sum_cross_products,
    sum_moments,
)
from fisherset.statistics.budget import DEFAULT_MEMORY
from fisherset.statistics.measured import Beside, Measured
from fisherset.statistics.reader import (
    NONE,
    Classified,
    Preparation,
    Reader,
    Removed,
    check_telling,
    classified,
    dense_of,
    objects,
    placed,
    plain,
    roles_of,
    roles_with_basis,
)
from fisherset.statistics.removal import check_adjusted, warn_dropped, warn_explained
from fisherset.validation.labels import as_they_are, check_total_weight, encode_labels
from fisherset.validation.values import reject_nonfinite
from fisherset.validation.weights import class_factors

COPIES = 3  # of the products of all columns that are held at a time: the sum, those of a block, and a part
SHARE = 0.5  # of the room that rows may take


class CountedRows:
    """Rows that count their passes."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.n_passes = rows, 0
        self.n_columns, self.names, self.targets = rows.n_columns, rows.names, rows.targets

    @property
    def n_rows(self) -> int | None:
        return self.rows.n_rows

    def head(self) -> Block:
        return self.rows.head()

    def labels(self, found: list[Any]) -> list[Any]:
        return self.rows.labels(found)

    def reduce(self, kernel: Kernel[Any], *, columns: bool = True) -> Any:
        self.n_passes += 1
        return self.rows.reduce(kernel, columns=columns)


def measure_rows(rows: Rows, beside: Beside, task: str, in_memory: Callable[..., Measured]) -> Measured:
    """Read a table; `in_memory` measures its rows where they are few enough to be held together."""
    counted, head = CountedRows(rows), rows.head()
    roles, read = roles_of(head, task), Reader(task)
    room = DEFAULT_MEMORY if beside.max_memory is None else beside.max_memory
    fits = gathering_bytes(roles) <= room
    if _few(rows, head, room, fits):
        collected = _collected(counted, task, SHARE * room)
        if collected is not None:
            beside = beside._replace(sample_weight=collected.weight, confounders=collected.confounders)
            given = collected.X, collected.y, rows.names, beside, task
            return in_memory(*given, locate_in(counted))._replace(counter=counted)
    if beside.class_weight is not None:
        read = replace(read, factors=_factors(counted, read, roles, beside.class_weight))
    return (_gathered if fits else _by_passes)(counted, read, roles, beside)


def gathering_bytes(roles: ColumnRoles) -> int:
    """What it takes to sum everything in one pass."""
    n_columns = roles.n_features + roles.confounders.size + roles.targets.size
    return int(COPIES * 8 * n_columns**2)


def _factors(rows: CountedRows, read: Reader, roles: ColumnRoles, class_weight: Any) -> dict[Any, float]:
    """What the rows of each label count: a pass over the labels."""
    if roles.targets.size:
        raise ValueError("class_weight is for one class each; use sample_weight for other targets.")
    labels = classified(sum_cross_products(rows, read, columns=False), rows.labels)
    factors = class_factors(class_weight, labels.classes, labels.gathered.moments.NT[0])
    return {label: float(factors[code]) for label, code in labels.codes.items()}


def _few(rows: Rows, head: Block, room: int, fits: bool) -> bool:
    """Whether the rows had better be in memory: they are fewer than the columns, and there is room."""
    if rows.n_rows is None:
        return not fits
    return rows.n_rows < rows.n_columns and _row_bytes(head) * rows.n_rows <= SHARE * room


def _row_bytes(block: Block) -> float:
    X = block.X
    return float(8 * X.shape[1] if isinstance(X, np.ndarray) else 16 * X.nnz / max(X.shape[0], 1))


class _TooManyError(Exception):
    """There is no room for all rows."""


@dataclass(frozen=True)
class _Collected:
    """Blocks, what they take, and the room there is for them."""

    blocks: list[Block]
    taken: float
    room: float

    def __post_init__(self) -> None:
        if self.taken > self.room:
            raise _TooManyError

    def __add__(self, other: _Collected) -> _Collected:
        return _Collected([*self.blocks, *other.blocks], self.taken + other.taken, self.room)


@dataclass(frozen=True)
class _CollectKernel:
    task: str
    room: float

    def __call__(self, block: Block) -> _Collected:
        taken = _row_bytes(block) * block.X.shape[0]
        with placed(block):
            return _Collected([replace(block, y=plain(block.y, self.task))], taken, self.room)


def _collected(rows: CountedRows, task: str, room: float) -> Block | None:
    """All rows in one block, None where they are too many."""
    try:
        whole = join_rows(rows.reduce(_CollectKernel(task, room)).blocks)
    except _TooManyError:
        return None
    if whole.y is None or whole.y.ndim != 1 or whole.y.dtype.kind == "f":
        return whole
    classes, codes = encode_labels(whole.y)
    return replace(whole, y=as_they_are(rows.labels(classes.tolist()))[codes])


@dataclass(frozen=True)
class _ObserveKernel:
    read: Reader

    def __call__(self, block: Block) -> MissingCounts:
        return count_missing(self.read(block)[1])


def _gathered(rows: CountedRows, read: Reader, roles: ColumnRoles, beside: Beside) -> Measured:
    """Everything in one pass; one more before it where missing values may be there."""
    missing, fill = None, None
    if beside.missing == "mean":
        gaps = rows.reduce(_ObserveKernel(read))
        missing = gaps.missing[: roles.n_features]
        check_adjusted(missing == 0, beside.adjusted)
        fill = gaps.fill if missing.any() else None
    labels = classified(sum_cross_products(rows, read, fill=fill), rows.labels)
    moments = labels.gathered.moments
    check_total_weight(moments.n)
    reject_nonfinite(moments.finite[: roles.n_features], rows.names, locate_in(rows))
    taken = taken_of(roles, beside.adjusted)
    basis = _basis(rows, read, labels.gathered, taken, beside.adjusted)
    source = PreparedSource(rows, Preparation(read, labels.codes, roles, taken, basis), moments.n_rows)
    about = beside.adjusted, rows.names, rows.targets
    if taken.size:
        warn_dropped(confounder_names(roles, beside.adjusted, rows.names), basis)
    if not taken.size or products_suffice(labels.gathered, taken, basis):
        table = measured_of(labels, roles, *about, taken=taken, basis=basis, source=source)
    else:  # only rows tell the confounders apart: their basis is gathered in their place
        by_rows = sum_cross_products(rows, replace(read, removed=Removed(roles, taken, basis)), fill=fill)
        labels, roles = classified(by_rows, rows.labels), roles_with_basis(roles, basis)
        table = measured_of(labels, roles, *about, taken=roles.confounders, error=basis.error, source=source)
    return table._replace(missing=missing, counter=rows)


@dataclass(frozen=True)
class _TriangleKernel:
    """The triangle of the confounders, which are the first columns as they are read."""

    read: Reader
    frame: Centering
    size: int

    def __call__(self, block: Block) -> RFactor:
        known = self.read(block)[1]
        Z = dense_of(known.X[:, : self.size])
        return self.frame.r_factor(Block(Z[:, :0], None, known.weight, Z))


def _basis(
    rows: CountedRows, read: Reader, gathered: CrossProducts, Z: Indices, adjusted: Indices | None
) -> Basis:
    """The basis of the confounders, columns Z of what was gathered.

    By their products, or where these do not tell by a pass over the confounders alone.
    """
    basis = basis_from_products(gathered, Z)
    if not Z.size or (not basis.doubtful.size and products_suffice(gathered, Z, basis)):
        return basis
    features = adjusted is not None and adjusted.size > 0
    only, frame = replace(read, only=adjusted if features else None), centering_of(gathered, Z)
    return frame.basis(rows.reduce(_TriangleKernel(only, frame, Z.size), columns=features))


def confounder_names(roles: ColumnRoles, adjusted: Indices | None, names: Any, own: Any = None) -> list[Any]:
    """Names of the columns that are removed from the others, for messages; numbers where they have none."""
    of_table = [] if adjusted is None else [j if names is None else names[j] for j in adjusted.tolist()]
    return [*of_table, *(range(roles.confounders.size) if own is None else own)]


def taken_of(roles: ColumnRoles, adjusted: Indices | None) -> Indices:
    """The columns that are taken out of the others."""
    return np.concatenate([NONE if adjusted is None else adjusted, roles.confounders])


def measured_of(
    labels: Classified,
    roles: ColumnRoles,
    adjusted: Indices | None,
    names: Any,
    targets: list[str] | None,
    *,
    taken: Indices,
    basis: Basis | None = None,
    error: float = 0.0,
    source: Source | None = None,
) -> Measured:
    """The statistics of what was gathered, by class; the columns `taken` are removed from the others.

    By a `basis`, or as they are where they are one themselves, whose rows have an `error`. Without a `source`
    there are no rows to look at again.
    """
    gathered, d = labels.gathered, roles.n_features
    check_telling(labels, roles)
    moments, coding = feature_moments(gathered, roles._replace(confounders=taken), basis)
    moments = replace(moments, N_error=error)
    scatter = Scatter(moments, coding, source)
    classes = classes_of(labels, roles, targets)
    if taken.size:
        warn_explained(scatter, classes, names, adjusted)
    products = StoredProducts(gathered.XX[:d, :d], moments)
    return Measured(source, products, coding, scatter, classes, NONE)


def classes_of(labels: Classified, roles: ColumnRoles, targets: list[str] | None) -> NDArray[Any]:
    """The classes; of sets what their labels are called."""
    if not roles.label_sets:
        return labels.classes
    return objects(range(roles.targets.size) if targets is None else targets)


def _by_passes(rows: CountedRows, read: Reader, roles: ColumnRoles, beside: Beside) -> Measured:
    """Targets and confounders first, then the sums; products are passes over the rows."""
    adjusted = NONE if beside.adjusted is None else beside.adjusted
    side = sum_cross_products(
        rows, replace(read, only=adjusted if adjusted.size else None), columns=bool(adjusted.size)
    )
    finite = np.ones(rows.n_columns, dtype=bool)
    finite[adjusted] = side.moments.finite[: adjusted.size]
    if beside.missing == "mean":
        check_adjusted(finite, adjusted)
    reject_nonfinite(finite, rows.names, locate_in(rows))
    labels = classified(side, rows.labels)
    n_rows, width = side.moments.n_rows, side.moments.squares.size
    there = ColumnRoles(
        0, np.arange(width - roles.targets.size), np.arange(width)[width - roles.targets.size :]
    )
    check_telling(labels, there)
    _, coding = feature_moments(labels.gathered, there._replace(label_sets=roles.label_sets))
    taken = taken_of(roles, adjusted)
    basis = _basis(rows, read, side, there.confounders, adjusted)
    source = PreparedSource(rows, Preparation(read, labels.codes, roles, taken, basis), n_rows)
    gaps = source.reduce(count_missing) if beside.missing == "mean" else None
    fill = None if gaps is None or not gaps.missing.any() else gaps.fill
    moments = sum_moments(source, coding, fill, basis.error)
    reject_nonfinite(moments.finite, rows.names, locate_in(rows))
    scatter = Scatter(moments, coding, source)
    classes = classes_of(labels, roles, rows.targets)
    if taken.size:
        warn_dropped(confounder_names(roles, adjusted, rows.names), basis)
        warn_explained(scatter, classes, rows.names, adjusted)
    products = SourceProducts(source, moments.guard, together=False)
    missing = None if gaps is None else gaps.missing
    return Measured(source, products, coding, scatter, classes, NONE, missing, rows)


@dataclass(frozen=True)
class _Found:
    """The first row that holds what is looked for, said in words; empty where none does."""

    text: str

    def __add__(self, other: _Found) -> _Found:
        return self if self.text else other


@dataclass(frozen=True)
class _FindNonfinite:
    column: int

    def __call__(self, block: Block) -> _Found:
        values = dense_of(block.X[:, [self.column]])
        bad = np.flatnonzero(~np.isfinite(values[:, 0]))
        if not bad.size or block.place is None:
            return _Found("")
        return _Found(f"the first in {block.place.name}, row {block.place.row + int(bad[0])}")


def locate_in(rows: CountedRows) -> Callable[[int], str]:
    """What tells where a column holds NaN or infinity first: one more pass."""
    return lambda column: rows.reduce(_FindNonfinite(column)).text
