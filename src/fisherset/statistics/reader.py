"""Blocks of rows as they came, read: the same checks for a block of a file, of Dask, or a table in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Block, Coded, DaskRows, Matrix, MemoryRows, Rows, canonical, names_of_several
from fisherset.statistics.kernels import join_columns
from fisherset.statistics.measured import FitArguments, reject_data_arguments
from fisherset.statistics.sums.confounders import Basis
from fisherset.statistics.sums.cross_products import ColumnRoles, CrossProducts
from fisherset.validation.confounders import check_confounders
from fisherset.validation.numbers import as_numbers
from fisherset.validation.parameters import shown
from fisherset.validation.table import is_out_of_core
from fisherset.validation.targets import (
    CLASSIFICATION,
    REGRESSION,
    check_classes,
    encode_labels,
    exact_labels,
    python_labels,
    read_targets,
)
from fisherset.validation.weights import check_total_weight, check_weight_left, weights_of_rows

NONE: Indices = np.empty(0, dtype=np.intp)
NO_CLASSES = (None,)  # the labels of targets that are numbers


def rows_of(X: Any, y: Any, arguments: FitArguments, names: list[str] | None, task: str) -> Rows:
    """A table that was checked as rows with their targets."""
    if isinstance(X, DaskRows):
        return X.with_targets(y, arguments.sample_weight, arguments.confounders)
    if is_out_of_core(X):
        reject_data_arguments(y, arguments)
        if hasattr(X, "_replaces_rows"):
            raise TypeError("X must hold rows; got a summary, or a measured table. Add summaries by a + b.")
        return X
    block, _ = read_table(X, y, arguments, task, labels=False)
    given = block.X, block.y, block.weight, block.confounders
    return MemoryRows(*given, names=names, targets=names_of_several(y))


def read_table(
    X: Matrix, y: Any, arguments: FitArguments, task: str, *, labels: bool = True
) -> tuple[Block, list[Any]]:
    """A table in memory as one block that was read, and the names of its confounders, which may be labels."""
    n = X.shape[0]
    targets = read_targets(y, n, task)
    weight = None if arguments.sample_weight is None else weights_of_rows(arguments.sample_weight, n)
    confounders = check_confounders(arguments.confounders, n, labels=labels)
    if confounders is None:
        return Block(X, targets, weight), []
    return Block(X, targets, weight, confounders.values), confounders.names


@dataclass(frozen=True)
class Reader:
    """Reads a block: its labels, and side by side its columns, confounders and numeric targets."""

    task: str
    factors: dict[Any, float] | None = None  # class weights, by label
    only: Indices | None = None  # the columns of X that are wanted; all where None
    removed: Removed | None = None  # puts a basis of the confounders in their place

    def __call__(self, block: Block) -> tuple[list[Any], Block]:
        with naming_place(block):
            return self._read(block)

    def _read(self, block: Block) -> tuple[list[Any], Block]:
        X = numbers_of(block.X)
        X, n = X if self.only is None else X[:, self.only], X.shape[0]
        weight = None if block.weight is None else _weights(block.weight, n)
        labels: list[Any] = list(NO_CLASSES)
        codes, parts = np.zeros(n, dtype=np.intp), [X]
        confounders = check_confounders(block.confounders, n, labels=False)
        if confounders is not None:
            parts.append(confounders.values)
        y = read_targets(block.y, n, self.task)
        if isinstance(y, Coded):
            labels, codes = python_labels(y.labels), y.codes
            if self.factors is not None:
                of_rows = np.array(_known(self.factors, labels))[codes]
                weight = of_rows if weight is None else of_rows * weight
        else:
            parts.append(ignore_weightless(dense_of(y), weight))
        X = join_columns(parts)
        return labels, Block(X if self.removed is None else self.removed(X), codes, weight)


@dataclass(frozen=True)
class Removed:
    """Columns that are removed from the others, among columns with these roles, and a basis of them."""

    roles: ColumnRoles
    columns: Indices
    basis: Basis

    def rows(self, X: Matrix) -> Floats | None:
        """The basis at some rows; None where nothing is left of the columns."""
        return self.basis.rows(dense_of(X[:, self.columns]))

    def __call__(self, X: Matrix) -> Matrix:
        """The columns with the basis in the place of the confounders."""
        N = self.rows(X)
        features, targets = X[:, : self.roles.n_features], X[:, self.roles.targets]
        return join_columns([features, np.empty((X.shape[0], 0)) if N is None else N, targets])

    @property
    def new_roles(self) -> ColumnRoles:
        """The roles of the columns after that."""
        d, n_targets = self.roles.n_features, self.roles.targets.size
        first = d + self.basis.M.shape[1]
        return self.roles._replace(
            confounders=np.arange(d, first), targets=np.arange(first, first + n_targets)
        )


def _known(known: dict[Any, Any], labels: list[Any]) -> list[Any]:
    """The values of some labels, which an earlier pass must have found."""
    new = [label for label in labels if label not in known]
    if new:
        raise ValueError(
            f"The data changed between passes: y has the label {shown(new[0])} now, which it had not. Start "
            f"again once nobody writes to it."
        )
    return [known[label] for label in labels]


def _weights(weight: Any, n: int) -> Floats:
    weights = weights_of_rows(weight, n)
    with np.errstate(over="ignore"):
        check_total_weight(max(float(weights.sum()), 1.0))  # too little may be enough with other blocks
    return weights


def ignore_weightless(targets: Floats, weight: Floats | None) -> Floats:
    """Targets where rows without weight do not count, however large theirs are."""
    if weight is None or weight.all():
        return targets
    heaviest = int(np.argmax(weight))
    return np.where(weight[:, None] > 0, targets, targets[heaviest] if weight[heaviest] else 0.0)


def numbers_of(X: Any) -> Matrix:
    """The numbers of a block, each entry of a sparse one stored once."""
    X = as_numbers(X)
    return canonical(X) if sparse.issparse(X) else X


@contextmanager
def naming_place(block: Block) -> Iterator[None]:
    """Say of what is wrong with a block where it comes from."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if block.place is None:
            raise
        name, first = block.place
        last = first + block.X.shape[0] - 1
        raise type(error)(f"{error} (In {name}, rows {first} to {last}.)") from error


def roles_of(head: Block, task: str) -> ColumnRoles:
    """The roles of the columns of a table, from its first rows."""
    d, n_confounders = head.X.shape[1], _width(head.confounders)
    n_targets = _width(head.y) if task == REGRESSION else 0
    if task == CLASSIFICATION and not isinstance(head.y, Coded) and _width(head.y) > 1:
        n_targets = _width(head.y)
    targets = np.arange(n_targets) + d + n_confounders
    return ColumnRoles(d, np.arange(d, d + n_confounders), targets, bool(n_targets) and task != REGRESSION)


def _width(part: Any) -> int:
    """Number of columns of targets or confounders."""
    if part is None:
        return 0
    return 1 if isinstance(part, Coded) or np.ndim(part) != 2 else int(np.shape(part)[1])


class Classified(NamedTuple):
    """Sums by class, the classes, and the class number of each label as it stands in the data."""

    gathered: CrossProducts
    classes: NDArray[Any]
    codes: dict[Any, int]


def classified(gathered: CrossProducts, meaning: Callable[[list[Any]], list[Any]] = list) -> Classified:
    """Sums gathered by label as sums by class; `meaning` is that of the labels."""
    if gathered.labels == NO_CLASSES:
        return Classified(gathered, np.empty(0), {None: 0})
    classes, codes = encode_labels(exact_labels(meaning(list(gathered.labels))))
    by_class = replace(gathered.by_class(codes, classes.size), labels=tuple(classes.tolist()))
    return Classified(by_class, classes, dict(zip(gathered.labels, codes.tolist(), strict=True)))


def check_targets_vary(labels: Classified, roles: ColumnRoles) -> None:
    """Refuse targets that do not tell rows apart."""
    moments = labels.gathered.moments
    if not roles.targets.size:
        check_classes(labels.classes, int(labels.gathered.counts.sum()))
        check_weight_left(moments.NT[0])
        return
    check_weight_left(np.full(2, moments.n / 2), "samples")
    guard, mean = moments.guard.of(roles.targets), moments.NX[0][roles.targets] / moments.n
    squares, level = moments.squares[roles.targets], np.abs(mean + guard.offset / guard.unit)
    # of the sums of squares, and of the values themselves, which are known to a few units in the last place
    rounding = np.maximum(64 * EPS * squares, moments.n * (8 * EPS * level) ** 2)
    constant = np.flatnonzero(squares - moments.n * mean**2 <= rounding)
    if constant.size and moments.subtracted:
        raise ValueError(
            "y must be known once rows are subtracted; these are so large that no digits of it are left. "
            "Summarize the remaining rows instead of subtracting."
        )
    if constant.size:
        which = "it is" if roles.targets.size == 1 else f"column {constant[0]} is"
        raise ValueError(f"y must vary; {which} constant. There is nothing to explain.")


@dataclass(frozen=True)
class Preparation:
    """Makes a block with coded targets, weights, and a basis of what is removed from the columns."""

    read: Reader
    codes: dict[Any, int]  # the class of each label
    removed: Removed

    def __call__(self, block: Block) -> Block:
        labels, known = self.read(block)
        y: Any = np.array(_known(self.codes, labels), dtype=np.intp)[known.y]
        roles, d = self.removed.roles, self.removed.roles.n_features
        if roles.targets.size:
            y = dense_of(known.X[:, roles.targets])
        X = known.X if known.X.shape[1] == d else known.X[:, :d]
        return Block(X, y, known.weight, self.removed.rows(known.X), block.place)


def dense_of(X: Matrix) -> Floats:
    """A few columns, with unstored zeros filled in."""
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
