"""Description of a table: its columns, their means and quantiles in each class, images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from fisherset._docs import documented
from fisherset._records import brief_repr
from fisherset._types import EPS, Floats, Indices
from fisherset.validation.features import check_features
from fisherset.validation.samples import check_finite, check_target
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import check_labels

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
LARGEST_CLASSES = 30  # more could not be told apart in a figure
MANY_ZEROS = 0.2  # share of zeros above which numbers that are never negative look like counts


class Columns(NamedTuple):
    """Columns in the order given, so that best first stays best first.

    Attributes
    ----------
    numbers : ndarray of int
        Their indices in the table.
    names : list of str
        Their names.
    values : ndarray of shape (n_samples, len(numbers))
        Their values.
    """

    numbers: Indices
    names: list[str]
    values: Floats

    def __repr__(self) -> str:
        return brief_repr(self)


@documented
def columns_of(X: Any, features: Any = None, names: Sequence[str] | None = None) -> Columns:
    """Some columns of a table, or all of them.

    Parameters
    ----------
    %(X.rows, features.optional, names.columns)

    Returns
    -------
    columns : Columns
        Numbers, names and values of them.
    """
    table, known = check_bare_table(X)
    if names is not None:
        known = [str(name) for name in names]
    if known is not None and len(known) != table.shape[1]:
        raise ValueError(f"names must name each of the {table.shape[1]} columns of X; got {len(known)}.")
    numbers = np.arange(table.shape[1])
    if features is not None:
        numbers = check_features(features, table.shape[1], known, rising=False)
    labels = [f"x{j}" if known is None else known[j] for j in numbers]
    selected = table[:, numbers]
    check_finite(selected, labels)
    return Columns(numbers, labels, dense(selected))


def dense(X: Any) -> Floats:
    """A table as a dense array of float64."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def in_safe_units(table: Any) -> Any:
    """The table with columns in other units where their squares would leave the range of float64.

    Units are powers of two, so that nothing is rounded; scikit-learn squares values without such a guard.
    """
    least, most = table.min(axis=0), table.max(axis=0)
    if sparse.issparse(table):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    largest = np.maximum(-np.asarray(least, dtype=np.float64), np.asarray(most, dtype=np.float64))
    exponent = np.frexp(largest)[1]
    extreme = np.abs(exponent) > 200  # squares of less, summed over any number of rows, are in range
    unit = np.ldexp(1.0, np.where(extreme, np.clip(exponent, -1000, 1000), 0))
    if (unit == 1.0).all():
        return table
    return table @ sparse.diags_array(1 / unit) if sparse.issparse(table) else table / unit


def in_unit_length(X: Floats) -> Floats:
    """Columns centred and of length 1; those that are constant but for rounding become zero."""
    X = in_safe_units(X)
    centred = X - X.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    varies = length > 8 * EPS * np.sqrt(np.einsum("ij,ij->j", X, X))
    unit: Floats = np.where(varies, centred, 0.0)
    unit /= np.where(varies, length, 1.0)
    return unit


def _whole(shown: int, n_classes: int) -> str:
    return f"the {shown} largest of {n_classes} classes" if shown < n_classes else "each class"


class ClassQuantiles(NamedTuple):
    """Quantiles of columns in each class, of the 30 largest classes at most; or in each part of a target.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_classes, 5)
        5, 25, 50, 75 and 95 % of each column in each class; of zeros and ones five times the share
        of ones.
    classes : list of str
        The classes, or parts.
    shares : list of bool
        Whether each column holds zeros and ones only.
    n_classes : int
        How many classes, or parts, there are.
    """

    values: Floats
    classes: list[str]
    shares: list[bool]
    n_classes: int

    def __repr__(self) -> str:
        return brief_repr(self)

    @property
    def whole(self) -> str:
        """All classes in words: "each class", or "the 30 largest of 40 classes"."""
        return _whole(len(self.classes), self.n_classes)


@documented
def class_quantiles(X: Any, y: Any, features: Any = None) -> ClassQuantiles:
    """Quantiles of some columns, or all, in each of the 30 largest classes.

    Parameters
    ----------
    %(X.rows, y.classes, features.optional)

    Returns
    -------
    quantiles : ClassQuantiles
        Of each column in each class.
    """
    values = columns_of(X, features).values
    classes, codes = check_labels(y, len(values))
    largest = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:LARGEST_CLASSES])
    return _quantiles(values, codes, largest, [str(label) for label in classes[largest]], classes.size)


class ClassMeans(NamedTuple):
    """Means of columns in each class, of the 30 largest classes at most.

    Attributes
    ----------
    means : ndarray of shape (n_classes, n_features)
        Of each column in each class.
    sizes : ndarray of shape (n_classes, n_features)
        Shares of values that are not zero, where there are counts; if not, standard deviations within
        the class over that of the whole column, 1 at most.
    counts : bool
        Whether the columns look like counts: nothing below zero, and many zeros.
    classes : list of str
        The classes.
    n_classes : int
        How many classes there are.
    """

    means: Floats
    sizes: Floats
    counts: bool
    classes: list[str]
    n_classes: int

    @property
    def whole(self) -> str:
        """All classes in words: "each class", or "the 30 largest of 40 classes"."""
        return _whole(len(self.classes), self.n_classes)

    @property
    def spread_between(self) -> Floats:
        """The distance of the lowest and the highest mean of each column."""
        spread: Floats = np.ptp(self.means, axis=0)
        return spread


@documented
def class_means(X: Any, y: Any, features: Any = None) -> ClassMeans:
    """Means of some columns, or all, in each of the 30 largest classes.

    Parameters
    ----------
    %(X.rows, y.classes, features.optional)

    Returns
    -------
    means : ClassMeans
        Of each column in each class, with the share of values that are not zero, or the spread.
    """
    values = in_safe_units(columns_of(X, features).values)
    classes, codes = check_labels(y, len(values))
    largest = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:LARGEST_CLASSES])
    counts = bool((values >= 0).all() and (values == 0).mean() > MANY_ZEROS)
    parts = [values[codes == code] for code in largest]
    means = np.array([part.mean(axis=0) for part in parts])
    if counts:
        sizes = np.array([np.mean(part != 0, axis=0) for part in parts])
    else:
        spread = values.std(axis=0)
        within = np.array([part.std(axis=0) for part in parts])
        sizes = np.divide(within, spread, out=np.zeros_like(within), where=spread > 0)
    labels = [str(label) for label in classes[largest]]
    return ClassMeans(means, np.minimum(sizes, 1.0), counts, labels, int(classes.size))


@documented
def target_quantiles(X: Any, y: Any, features: Any = None) -> ClassQuantiles:
    """Quantiles of some columns, or all, in each fifth of the rows, from low to high values of a target.

    Parameters
    ----------
    %(X.rows, y.numbers, features.optional)

    Returns
    -------
    quantiles : ClassQuantiles
        Of each column in each fifth, the lowest first; there are fewer where values come often.
    """
    values = columns_of(X, features).values
    target = check_target(y, len(values))
    edges = np.unique(np.quantile(target, np.linspace(0, 1, 6)[1:-1], method="lower"))
    codes = np.searchsorted(edges, target)  # rows with equal targets are in one part
    parts = np.unique(codes)
    ranges = [(target[codes == part].min(), target[codes == part].max()) for part in parts]
    labels = [f"{low:.3g} to {high:.3g}" if low < high else f"{low:.3g}" for low, high in ranges]
    return _quantiles(values, codes, parts, labels, parts.size)


def _quantiles(
    values: Floats, codes: Indices, wanted: Indices, labels: list[str], n_classes: int
) -> ClassQuantiles:
    """Of each column in each of the classes wanted."""
    found = np.array([np.quantile(values[codes == code], QUANTILES, axis=0) for code in wanted])
    shares = np.all((values == 0) | (values == 1), axis=0)
    ones = np.array([values[codes == code].mean(axis=0) for code in wanted])
    quantiles = np.where(shares, ones[:, None], found)
    return ClassQuantiles(quantiles.transpose(2, 0, 1), labels, shares.tolist(), n_classes)


def side_of_image(n_features: int) -> int | None:
    """Side of the square image that so many columns may be, or None."""
    side = round(n_features**0.5)
    return side if side >= 8 and side * side == n_features else None


def looks_like_images(X: Any) -> bool:
    """Whether columns may be the pixels of square images: neighbours, across and down, correlate.

    In a spectrum, which has neighbours too, half a row away is nearer than a row away.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table.

    Returns
    -------
    images : bool
        Whether they may be.
    """
    side = side_of_image(X.shape[1])
    if side is None:
        return False
    flat = in_unit_length(dense(X[:500])).T  # rows enough
    Z, half = flat.reshape(side, side, -1), side // 2
    across, down = np.sum(Z[:, 1:] * Z[:, :-1], axis=2), np.sum(Z[1:] * Z[:-1], axis=2)
    half_a_row_away = np.sum(flat[half:] * flat[:-half], axis=1)
    return bool(min(across.mean(), down.mean()) > max(0.25, half_a_row_away.mean()))
