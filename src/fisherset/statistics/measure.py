"""Measuring a table: from rows, wherever they are, to the statistics that every selection starts from.

One of three strategies, chosen by size. *Gather*: where the products of all columns fit into memory, one
pass adds up everything. *Collect*: where the rows do, of tables with more columns than rows, they are read
into memory; rows in memory are collected already. *Passes*: else every product is a pass over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.data import (
    COLUMN_COPY_BYTES,
    Block,
    Coded,
    CountedRows,
    MemoryRows,
    PreparedRows,
    Rows,
    row_number_columns,
)
from fisherset.statistics.budget import DEFAULT_MEMORY
from fisherset.statistics.gathering import (
    check_adjusted,
    classes_of,
    column_labels,
    confounder_basis,
    confounder_names,
    gathering_bytes,
    locate_in,
    measure_gathered,
    measure_summary,
    removed_columns,
)
from fisherset.statistics.kernels import join_rows
from fisherset.statistics.measured import (
    NO_ARGUMENTS,
    FitArguments,
    MeasuredTable,
    reject_data_arguments,
    warn_dropped,
    warn_explained,
)
from fisherset.statistics.products.products import RowProducts
from fisherset.statistics.products.sparse_columns import SparseColumnProducts
from fisherset.statistics.reader import (
    NONE,
    Preparation,
    Reader,
    Removed,
    check_targets_vary,
    classified,
    dense_of,
    ignore_weightless,
    naming_place,
    numbers_of,
    read_table,
    roles_of,
    rows_of,
)
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.confounders import Basis, basis_from_rows
from fisherset.statistics.sums.cross_products import ColumnRoles, feature_moments, sum_cross_products
from fisherset.statistics.sums.guard import count_missing
from fisherset.statistics.sums.moments import sum_moments
from fisherset.statistics.sums.scatter import Scatter
from fisherset.validation import parameters as parameter
from fisherset.validation.features import check_features, width_of
from fisherset.validation.numbers import is_frame, labels_of_columns, reject_nonfinite
from fisherset.validation.table import check_bare_table, is_out_of_core
from fisherset.validation.targets import (
    CLASSIFICATION,
    MISSING,
    ONE_CLASS_EACH,
    REGRESSION,
    TASKS,
    as_objects,
    check_classes,
    check_label_sets,
    check_vary,
    encode_labels,
    exact_labels,
    read_targets,
)
from fisherset.validation.weights import check_weights, class_factors, weigh_classes

COLLECTED_SHARE = 0.5  # of the memory that collected rows may take; the other half is for the search
CLASSES_ONLY = "class_weight is for one class each; use sample_weight for other targets."


def measure(
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    class_weight: Any = None,
    confounders: Any = None,
    adjust_for: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
) -> MeasuredTable:
    """Measure a table once, to pass it in place of X to several selectors and functions.

    Parameters are those of a selector and of its `fit`; `adjust_for` holds names or numbers of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore, certify
    >>> from fisherset.statistics.measure import measure
    >>> measured = measure(*load_wine(return_X_y=True))
    >>> selector = GeneralizedFisherScore(5).fit(measured)
    >>> certify(measured, None, selector.support_).objective == selector.objective_
    True
    """
    parameter.check_choice("missing", missing, MISSING)
    parameter.check_choice("task", task, TASKS)
    limit = parameter.check_memory(max_memory)
    X, names = check_bare_table(X, out_of_core=True, distinct=True)
    adjusted = NONE if adjust_for is None else check_features(adjust_for, width_of(X), names)
    given = FitArguments(sample_weight, class_weight, confounders, adjusted, missing, limit)
    return measure_table(X, y, names, given, task)


def measure_table(
    X: Any, y: Any, names: Any, arguments: FitArguments = NO_ARGUMENTS, task: str = ONE_CLASS_EACH
) -> MeasuredTable:
    """Check the targets and weights, read the table, refuse what is not finite.

    X has been checked already, so that parameters that depend on its width could be. A table that was
    measured before is returned as it is.
    """
    if isinstance(X, MeasuredTable):
        return X.matching(y, arguments, task)
    if not is_out_of_core(X):
        block, of_confounders = read_table(X, y, arguments, task)
        targets = labels_of_columns(y) if is_frame(y) else None
        table = _in_memory(block, names, targets, of_confounders, arguments, task)
        table = replace(table, row_numbers=row_number_columns(block, names))
    elif hasattr(X, "_replaces_rows"):
        reject_data_arguments(y, arguments)
        table = measure_summary(X, arguments, task)
    else:
        table = _out_of_core(rows_of(X, y, arguments, None, task), arguments, task)
    own = arguments._replace(sample_weight=None, confounders=None)  # data need not be kept
    return replace(table, names=names, arguments=own, regression=task == REGRESSION)


def _out_of_core(rows: Rows, arguments: FitArguments, task: str) -> MeasuredTable:
    """Find row numbers among the columns, choose by size how to read the rows, and read them."""
    counted, head = CountedRows(rows), rows.head()
    numbered = row_number_columns(head, rows.names, counted)
    return replace(_read(counted, head, arguments, task), row_numbers=numbered)


def _read(rows: CountedRows, head: Block, arguments: FitArguments, task: str) -> MeasuredTable:
    """Read rows of which the first are known."""
    roles, read = roles_of(head, task), Reader(task)
    memory = DEFAULT_MEMORY if arguments.max_memory is None else arguments.max_memory
    fits = gathering_bytes(roles) <= memory
    if _worth_collecting(rows, head, memory, fits):
        block = _collected(rows, task, COLLECTED_SHARE * memory)
        if block is not None:
            about = rows.names, rows.targets, confounder_names(roles, None, None, rows.confounder_names)
            return replace(_in_memory(block, *about, arguments, task, locate_in(rows)), counter=rows)
    if arguments.class_weight is not None:
        read = replace(read, factors=_factors(rows, read, roles, arguments.class_weight))
    return (measure_gathered if fits else _by_passes)(rows, read, roles, arguments)


def _factors(rows: CountedRows, read: Reader, roles: ColumnRoles, class_weight: Any) -> dict[Any, float]:
    """Weights of the classes by label: a pass over the labels."""
    if roles.targets.size:
        raise ValueError(CLASSES_ONLY)
    labels = classified(sum_cross_products(rows, read, columns=False), rows.labels)
    factors = class_factors(class_weight, labels.classes, labels.gathered.moments.NT[0])
    return {label: float(factors[code]) for label, code in labels.codes.items()}


# In memory, and collected: the rows are one block.


def _in_memory(
    block: Block,
    names: Any,
    target_names: Sequence[Any] | None,
    confounder_names: list[Any],
    arguments: FitArguments,
    task: str,
    locate: Callable[[int], str] | None = None,
) -> MeasuredTable:
    """The statistics of rows in one block that was read; `locate` says where a column is not finite."""
    X, y, n = block.X, block.y, block.X.shape[0]
    classes, codes = np.empty(0), NONE
    if isinstance(y, Coded):
        classes, codes = np.asarray(y.labels), y.codes
        check_classes(classes, n)
        weights = check_weights(block.weight, n, codes, classes.size)
        if arguments.class_weight is not None:
            weights = weigh_classes(arguments.class_weight, classes, codes, weights)
        coding: Coding = Classes(classes.size)
        y = codes
    elif arguments.class_weight is not None:
        raise ValueError(CLASSES_ONLY)
    elif task == REGRESSION:
        weights = check_weights(block.weight, n)
        check_vary(y, weights)
        y = ignore_weightless(y, weights)
        coding = Numbers.of(y, weights)
    else:
        weights = check_weights(block.weight, n)
        classes = as_objects(range(y.shape[1]) if target_names is None else list(target_names))
        check_label_sets(y, classes, weights)
        coding = Labels.of_sets(y, weights)
    Z, removed = _with_adjusted(block, confounder_names, arguments.adjust_for, names)
    basis = None if Z is None else basis_from_rows(Z, weights)
    # an orthonormal basis, as X'X less B'B would cancel digits between collinear confounders
    N = None if Z is None or basis is None else basis.rows(Z)
    # a search needs columns again and again; where memory is limited a copy would count
    copied = COLUMN_COPY_BYTES if task != ONE_CLASS_EACH and arguments.max_memory is None else 0
    memory = MemoryRows(X, y, weights, N, names=names, copied=copied)
    rows = CountedRows(memory)
    table = _summed(rows, coding, classes, arguments, removed, basis, locate)
    if SparseColumnProducts.suits(memory, copied):
        products: RowProducts = SparseColumnProducts(rows, table.scatter.guard)
    else:
        products = RowProducts(rows, table.scatter.guard)
    return replace(table, products=products, codes=codes)


def _with_adjusted(
    block: Block, confounder_names: list[Any], adjust_for: Indices | None, names: Any
) -> tuple[Floats | None, list[Any]]:
    """All confounders of rows in memory: those given, and columns of X itself."""
    parts = [] if block.confounders is None else [block.confounders]
    if adjust_for is not None and adjust_for.size:
        some = dense_of(block.X[:, adjust_for])
        check_adjusted(np.all(np.isfinite(some), axis=0), np.arange(adjust_for.size))
        parts.append(some)
        confounder_names = [*confounder_names, *column_labels(adjust_for, names)]
    return (np.hstack(parts) if parts else None), confounder_names


def _summed(
    rows: Rows,
    coding: Coding,
    classes: NDArray[Any],
    arguments: FitArguments,
    confounder_names: Sequence[Any],
    basis: Basis | None,
    locate: Callable[[int], str] | None,
) -> MeasuredTable:
    """One pass for the sums, one more before it where values may be missing; each product is a pass."""
    observed = rows.reduce(count_missing) if arguments.missing == "mean" else None
    fill = None if observed is None or not observed.missing.any() else observed.fill
    moments = sum_moments(rows, coding, fill, 0.0 if basis is None else basis.error)
    reject_nonfinite(moments.finite, rows.names, locate, arguments.missing)
    scatter = Scatter(moments, coding, rows)
    if confounder_names and basis is not None:
        warn_dropped(confounder_names, basis)
        warn_explained(scatter, classes, rows.names, arguments.adjust_for)
    products = RowProducts(rows, moments.guard, together=False)
    missing = None if observed is None else observed.missing
    counter = rows if isinstance(rows, CountedRows) else None
    return MeasuredTable(rows, products, coding, scatter, classes, missing=missing, counter=counter)


def _worth_collecting(rows: Rows, head: Block, memory: int, fits: bool) -> bool:
    """Whether rows are better in memory: they are fewer than the columns, and fit."""
    if rows.n_rows is None:  # one pass collects them, or finds them too many
        return not fits
    return rows.n_rows < rows.n_columns and _row_bytes(head) * rows.n_rows <= COLLECTED_SHARE * memory


def _row_bytes(block: Block) -> float:
    X = block.X
    return float(16 * X.nnz / max(X.shape[0], 1) if hasattr(X, "nnz") else 8 * X.shape[1])


class _TooManyError(Exception):
    """All rows do not fit into memory."""


@dataclass(frozen=True)
class _Collected:
    """Blocks, the bytes that they take, and those that they may take."""

    blocks: list[Block]
    taken: float
    most: float

    def __post_init__(self) -> None:
        if self.taken > self.most:
            raise _TooManyError

    def __add__(self, other: _Collected) -> _Collected:
        return _Collected([*self.blocks, *other.blocks], self.taken + other.taken, self.most)


@dataclass(frozen=True)
class _CollectKernel:
    task: str
    most: float

    def __call__(self, block: Block) -> _Collected:
        with naming_place(block):
            X = numbers_of(block.X)
            y = block.y
            if isinstance(y, Coded):
                y = read_targets(y, X.shape[0], self.task)
                y = as_objects(y.labels)[y.codes] if isinstance(y, Coded) else y
        read = replace(block, X=X, y=y)
        return _Collected([read], _row_bytes(read) * X.shape[0], self.most)


def _collected(rows: CountedRows, task: str, most: float) -> Block | None:
    """All rows in one block that was read, None where they are too many."""
    try:
        whole = join_rows(rows.reduce(_CollectKernel(task, most)).blocks)
    except _TooManyError:
        return None
    y = whole.y
    if y is not None and np.ndim(y) == 1 and y.dtype.kind != "f":
        # whether strings spell numbers is known only once all of them have been seen
        found, codes = encode_labels(y)
        y = exact_labels(rows.labels(found.tolist()))[codes]
    given = FitArguments(whole.weight, confounders=whole.confounders)
    return read_table(whole.X, y, given, task, labels=False)[0]


# Passes: targets and confounders first, then the sums; products are passes over the rows.


def _by_passes(rows: CountedRows, read: Reader, roles: ColumnRoles, arguments: FitArguments) -> MeasuredTable:
    adjusted = NONE if arguments.adjust_for is None else arguments.adjust_for
    side = sum_cross_products(
        rows, replace(read, only=adjusted if adjusted.size else None), columns=bool(adjusted.size)
    )
    # the basis is needed before the sums, and must not be made of missing values
    finite = np.ones(rows.n_columns, dtype=bool)
    finite[adjusted] = side.moments.finite[: adjusted.size]
    if arguments.missing == "mean":
        check_adjusted(finite, adjusted)
    locate = locate_in(rows)
    reject_nonfinite(finite, rows.names, locate, arguments.missing)
    labels = classified(side, rows.labels)
    width = side.moments.squares.size
    there = ColumnRoles(
        0, np.arange(width - roles.targets.size), np.arange(width)[width - roles.targets.size :]
    )
    check_targets_vary(labels, there)
    _, coding = feature_moments(labels.gathered, there._replace(label_sets=roles.label_sets))
    basis = confounder_basis(rows, read, side, there.confounders, adjusted)
    removed = Removed(roles, removed_columns(roles, adjusted), basis)
    source = PreparedRows(rows, Preparation(read, labels.codes, removed))
    called = confounder_names(roles, adjusted, rows.names, rows.confounder_names)
    classes = classes_of(labels, roles, rows.targets)
    return replace(_summed(source, coding, classes, arguments, called, basis, locate), counter=rows)
