"""Blocks as they came, and what they turn out to hold: labels, numbers, weights, confounders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Block, Coded, Matrix
from fisherset.statistics import Basis, ColumnRoles, CrossProducts, join_columns
from fisherset.validation.labels import (
    as_they_are,
    check_classes,
    check_total_weight,
    check_weight_left,
    encode_labels,
    weights_of_rows,
)
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_block, is_null
from fisherset.validation.targets import CLASSIFICATION, REGRESSION, ROUNDED_TARGETS, check_targets

NONE: Indices = np.empty(0, dtype=np.intp)
NO_CLASSES = (None,)  # the labels of what has none
LONG_WHOLE = re.compile(r"[-+]?\d{16,}(\.0*)?")  # a whole number that float64 may round


@dataclass(frozen=True)
class Reader:
    """Makes sense of a block: the labels met in it, and all its columns side by side.

    Attributes
    ----------
    task : str
        What y holds.
    factors : dict of label to float, or None
        What the rows of each label count besides their weights.
    only : ndarray or None
        The columns of X that are wanted; all where None.
    removed : Removed or None
        What makes a basis of the confounders, which then stands in their place.
    """

    task: str
    factors: dict[Any, float] | None = None
    only: Indices | None = None
    removed: Removed | None = None

    def __call__(self, block: Block) -> tuple[list[Any], Block]:
        with placed(block):
            return self._read(block)

    def _read(self, block: Block) -> tuple[list[Any], Block]:
        X = check_block(block.X if self.only is None else block.X[:, self.only])
        n = X.shape[0]
        weight = None if block.weight is None else _weights(block.weight, n)
        labels: list[Any] = list(NO_CLASSES)
        codes, parts = np.zeros(n, dtype=np.intp), [X]
        if block.confounders is not None:
            parts.append(_finite(np.asarray(block.confounders, dtype=np.float64)))
        if block.y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        if holds_numbers(self.task, block.y):
            parts.append(_counting(_numbers(self.task, block.y, n), weight))
        else:
            labels, codes = _labels(block.y, n)
            if self.factors is not None:
                of_rows = np.array(_known(self.factors, labels))[codes]
                weight = of_rows if weight is None else of_rows * weight
        X = join_columns(parts)
        return labels, Block(X if self.removed is None else self.removed(X), codes, weight)


@dataclass(frozen=True)
class Removed:
    """Puts the basis of the confounders in their place, among columns that have the roles given."""

    roles: ColumnRoles
    taken: Indices
    basis: Basis

    def __call__(self, X: Matrix) -> Matrix:
        N = self.basis.rows(dense_of(X[:, self.taken]))
        features, targets = X[:, : self.roles.n_features], X[:, self.roles.targets]
        parts = [features, np.empty((X.shape[0], 0)) if N is None else N, targets]
        return join_columns(parts)


def roles_with_basis(roles: ColumnRoles, basis: Basis) -> ColumnRoles:
    """The roles of columns once a basis is in the place of the confounders."""
    first, n_targets = roles.n_features + basis.M.shape[1], roles.targets.size
    confounders, targets = np.arange(roles.n_features, first), np.arange(first, first + n_targets)
    return roles._replace(confounders=confounders, targets=targets)


def _known(what: dict[Any, Any], labels: list[Any]) -> list[Any]:
    """What is known of some labels since an earlier pass."""
    new = [label for label in labels if label not in what]
    if new:
        raise ValueError(
            f"The table must stay as it is while it is read; it has the label {shown(new[0])} now, which it "
            f"had not. Start again once nobody writes to it."
        )
    return [what[label] for label in labels]


def _weights(weight: Any, n: int) -> Floats:
    weights = weights_of_rows(weight, n)
    with np.errstate(over="ignore"):
        check_total_weight(max(float(weights.sum()), 1.0))  # of little there may be more
    return weights


def _labels(y: Any, n: int) -> tuple[list[Any], Indices]:
    """The different labels of a block, and the number of each row's."""
    if isinstance(y, Coded):
        if any(is_null(label) for label in y.labels):
            raise ValueError("y must not contain missing labels. Drop those samples, or give them a class.")
        return list(y.labels), y.codes
    classes, codes = encode_labels(y, n)
    return classes.tolist(), codes


def plain(y: Any, task: str) -> Any:
    """Targets as an array: labels, or for regression the numbers that texts may spell."""
    if not isinstance(y, Coded):
        return y
    if task == REGRESSION:
        return _numbers(task, y, y.codes.size)[:, 0]
    return objects(y.labels)[y.codes]


def objects(labels: Sequence[Any]) -> NDArray[Any]:
    """Labels as an array, each as it is."""
    array = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):  # a tuple is one label
        array[place] = label
    return array


def holds_numbers(task: str, y: Any) -> bool:
    """Whether y holds numbers, as which sets of labels count, too."""
    if isinstance(y, Coded):
        return task == REGRESSION
    return task == REGRESSION or (task == CLASSIFICATION and np.ndim(y) == 2 and np.shape(y)[1] > 1)


def _numbers(task: str, y: Any, n: int) -> Floats:
    if isinstance(y, Coded):  # numbers that text without a type spells, or objects
        y = np.array([_spelt(label, y.untyped) for label in y.labels])[y.codes]
    targets = check_targets(y, n)
    if task != REGRESSION and not np.isin(targets, (0.0, 1.0)).all():
        raise ValueError(
            "y must be one label for each sample, or a table of noughts and ones for sets of labels; got "
            "other numbers. Pass one column of it, or use JointRegressionScore for numbers."
        )
    return targets


def _counting(targets: Floats, weight: Floats | None) -> Floats:
    """The same where rows without weight have no say, however large their targets are."""
    if weight is None or weight.all():
        return targets
    heaviest = int(np.argmax(weight))
    return np.where(weight[:, None] > 0, targets, targets[heaviest] if weight[heaviest] else 0.0)


def _spelt(label: Any, untyped: bool) -> float:
    """The number that untyped text spells, which must not be rounded where it is whole."""
    text = str(label).strip()
    try:
        number = float(label)
        # of an underscore Python thinks nothing; a string that has a type is a string
        understood = "_" not in text and (untyped or not isinstance(label, str | bytes))
    except (TypeError, ValueError):
        understood = False
    if not understood:
        raise ValueError(
            f"y must hold numbers; got the string {shown(label)}. Convert the column to numbers, or use "
            f"GeneralizedFisherScore for classes."
        )
    if LONG_WHOLE.fullmatch(text) and np.isfinite(number) and int(text.partition(".")[0]) != number:
        raise ValueError(ROUNDED_TARGETS)
    return number


def _finite(Z: Floats) -> Floats:
    if not np.isfinite(Z).all():
        bad = np.flatnonzero(~np.isfinite(Z).all(axis=0))[0]
        raise ValueError(f"confounders must not contain NaN or infinity; column {bad} does. Impute it.")
    return Z


@contextmanager
def placed(block: Block) -> Iterator[None]:
    """Says of what is wrong with a block where that comes from."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if block.place is None:
            raise
        name, first = block.place
        last = first + block.X.shape[0] - 1
        raise type(error)(f"{error} (In {name}, rows {first} to {last}.)") from error


def roles_of(head: Block, task: str) -> ColumnRoles:
    """What the columns of a table are, from its first rows."""
    d, n_confounders = head.X.shape[1], 0 if head.confounders is None else head.confounders.shape[1]
    numbers = head.y is not None and holds_numbers(task, head.y)
    several = numbers and not isinstance(head.y, Coded) and np.ndim(head.y) == 2
    n_targets = int(numbers) if not several else np.shape(head.y)[1]
    targets = np.arange(n_targets) + d + n_confounders
    return ColumnRoles(d, np.arange(d, d + n_confounders), targets, numbers and task != REGRESSION)


class Classified(NamedTuple):
    """Sums by class, the classes, and the number of the class of each label as it stands in the data."""

    gathered: CrossProducts
    classes: NDArray[Any]
    codes: dict[Any, int]


def classified(gathered: CrossProducts, meaning: Callable[[list[Any]], list[Any]] = list) -> Classified:
    """What is gathered by label, by class; `meaning` is what the labels met stand for."""
    if gathered.labels == NO_CLASSES:
        return Classified(gathered, np.empty(0), {None: 0})
    classes, codes = encode_labels(as_they_are(meaning(list(gathered.labels))))
    by_class = replace(gathered.by_class(codes, classes.size), labels=tuple(classes.tolist()))
    return Classified(by_class, classes, dict(zip(gathered.labels, codes.tolist(), strict=True)))


def check_telling(labels: Classified, roles: ColumnRoles) -> None:
    """Refuse targets that do not tell rows apart."""
    moments = labels.gathered.moments
    if not roles.targets.size:
        check_classes(labels.classes, int(labels.gathered.counts.sum()))
        check_weight_left(moments.NT[0])
        return
    check_weight_left(np.full(2, moments.n / 2), "samples")
    guard, mean = moments.guard.of(roles.targets), moments.NX[0][roles.targets] / moments.n
    squares, level = moments.squares[roles.targets], np.abs(mean + guard.offset / guard.unit)
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
    """Makes a block with coded targets, weights, and a basis of what is taken out of the columns.

    Attributes
    ----------
    read : Reader
        Makes sense of a block.
    codes : dict of label to int
        The class of each label.
    roles : ColumnRoles
        What the columns are.
    taken : ndarray
        The columns that are removed from the others.
    basis : Basis
        What makes a basis of them.
    """

    read: Reader
    codes: dict[Any, int]
    roles: ColumnRoles
    taken: Indices
    basis: Basis

    def __call__(self, block: Block) -> Block:
        labels, known = self.read(block)
        y: Any = np.array(_known(self.codes, labels), dtype=np.intp)[known.y]
        if self.roles.targets.size:
            y = dense_of(known.X[:, self.roles.targets])
        Z = self.basis.rows(dense_of(known.X[:, self.taken]))
        d = self.roles.n_features
        X = known.X if known.X.shape[1] == d else known.X[:, :d]
        return Block(X, y, known.weight, Z, block.place)


def dense_of(X: Matrix) -> Floats:
    """A few columns, filled in."""
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
