"""What a table looks like: correlations of columns, their spread in each class, whether they are pixels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.evaluation.columns import columns_of, dense, in_safe_units
from fisherset.validation.samples import check_labels, check_target

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_CLASSES = 30
FIFTHS = 5  # of a target, from low to high
SAMPLE, ALIKE = 500, 0.25  # rows looked at, and least mean correlation of neighbours
LEAST_SIDE = 8  # pixels a side; a table of 4 or 9 columns is hardly an image


class ClassQuantiles(NamedTuple):
    """Quantiles of columns in each class, of the 30 largest classes at most; or in each part of a target.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_classes, 5)
        5, 25, 50, 75 and 95 % of each column in each class; of noughts and ones five times the share
        of ones.
    classes : list of str
        The classes, or parts.
    shares : list of bool
        Whether each column holds noughts and ones only.
    n_classes : int
        How many classes, or parts, there are.
    """

    values: Floats
    classes: list[str]
    shares: list[bool]
    n_classes: int

    @property
    def whole(self) -> str:
        """All classes in words: "each class", or where some are left out "the 30 largest of 40 classes"."""
        few = len(self.classes) < self.n_classes
        return f"the {len(self.classes)} largest of {self.n_classes} classes" if few else "each class"


def correlation_matrix(X: Any, features: Any = None) -> Floats:
    """Correlations among some columns, or all; a constant column correlates with nothing.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table.
    features : array-like, default=None
        The columns: numbers, names or a mask; None for all.

    Returns
    -------
    correlations : ndarray of shape (k, k)
        Between -1 and 1.
    """
    scaled = in_unit_length(columns_of(X, features).values)
    correlations: Floats = np.clip(scaled.T @ scaled, -1.0, 1.0)
    return correlations


def class_quantiles(X: Any, y: Any, features: Any = None) -> ClassQuantiles:
    """How some columns, or all, are distributed in each class, of the 30 largest at most.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        The class labels.
    features : array-like, default=None
        The columns: numbers, names or a mask; None for all.

    Returns
    -------
    quantiles : ClassQuantiles
        Of each column in each class.
    """
    values = columns_of(X, features).values
    classes, codes = check_labels(y, len(values))
    largest = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:MOST_CLASSES])
    return _spread(values, codes, largest, [str(label) for label in classes[largest]], classes.size)


def target_quantiles(X: Any, y: Any, features: Any = None) -> ClassQuantiles:
    """How some columns, or all, are distributed from low to high values of a target: in each fifth of rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        The target, numbers.
    features : array-like, default=None
        The columns: numbers, names or a mask; None for all.

    Returns
    -------
    quantiles : ClassQuantiles
        Of each column in each fifth, the lowest first; there are fewer where values come often.
    """
    values = columns_of(X, features).values
    target = check_target(y, len(values))
    edges = np.unique(np.quantile(target, np.linspace(0, 1, FIFTHS + 1)[1:-1], method="lower"))
    codes = np.searchsorted(edges, target)  # of equal targets all in one part
    parts = np.unique(codes)
    ranges = [(target[codes == part].min(), target[codes == part].max()) for part in parts]
    labels = [f"{low:.3g} to {high:.3g}" if low < high else f"{low:.3g}" for low, high in ranges]
    return _spread(values, codes, parts, labels, parts.size)


def _spread(
    values: Floats, codes: Indices, wanted: Indices, labels: list[str], n_classes: int
) -> ClassQuantiles:
    """Of each column in each of the classes wanted."""
    found = np.array([np.quantile(values[codes == code], QUANTILES, axis=0) for code in wanted])
    shares = np.all((values == 0) | (values == 1), axis=0)
    ones = np.array([values[codes == code].mean(axis=0) for code in wanted])
    quantiles = np.where(shares, ones[:, None], found)
    return ClassQuantiles(quantiles.transpose(2, 0, 1), labels, shares.tolist(), n_classes)


def side_of_image(n_features: int) -> int | None:
    """The side of the square image that many columns may be, or None."""
    side = round(n_features**0.5)
    return side if side >= LEAST_SIDE and side * side == n_features else None


def looks_like_images(X: Any) -> bool:
    """Whether columns may be the pixels of square images: neighbours, across and down, are alike.

    In a spectrum, which has neighbours too, half a row away is nearer than a row away.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table.

    Returns
    -------
    images : bool
        Whether they look so.
    """
    side = side_of_image(X.shape[1])
    if side is None:
        return False
    flat = in_unit_length(dense(X[:SAMPLE])).T
    Z, half = flat.reshape(side, side, -1), side // 2
    across, down = np.sum(Z[:, 1:] * Z[:, :-1], axis=2), np.sum(Z[1:] * Z[:-1], axis=2)
    half_a_row_away = np.sum(flat[half:] * flat[:-half], axis=1)
    return bool(min(across.mean(), down.mean()) > max(ALIKE, half_a_row_away.mean()))


def in_unit_length(X: Floats) -> Floats:
    """Columns centred and of length 1, those that are constant but for rounding nought."""
    X = in_safe_units(X)
    centred = X - X.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    varies = length > 8 * EPS * np.sqrt(np.einsum("ij,ij->j", X, X))
    unit: Floats = np.where(varies, centred, 0.0)
    unit /= np.where(varies, length, 1.0)
    return unit
