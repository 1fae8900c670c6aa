"""Samples projected by some features: on their discriminant plane, or fitted to a target."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from fisherset._docs import documented
from fisherset._records import brief_repr
from fisherset._types import EPS, Floats, Indices
from fisherset.evaluation.description import columns_of, in_unit_length
from fisherset.validation.parameters import check_number
from fisherset.validation.samples import check_target
from fisherset.validation.targets import check_labels


class Plane(NamedTuple):
    """Samples on two directions.

    Attributes
    ----------
    coordinates : ndarray of shape (n_samples, 2)
        Their coordinates; each direction in units in which the total scatter with the regulariser is 1.
    parts : ndarray of shape (2,)
        Contribution of each direction to F; zero for one that does not discriminate.
    discriminates : bool
        Whether the second direction separates classes. Where it does not, as of two classes, it is the
        first principal component of the rest.
    objective : float
        F of the features, on all directions.
    codes : ndarray of shape (n_samples,)
        The class number of each sample.
    classes : list of str
        Names of the classes.
    """

    coordinates: Floats
    parts: Floats
    discriminates: bool
    objective: float
    codes: Indices
    classes: list[str]

    def __repr__(self) -> str:
        return brief_repr(self)


@documented
def discriminant_plane(X: Any, y: Any, features: Any = None, *, gamma: float) -> Plane:
    """The samples on the two directions of some features that separate the classes best.

    The eigenvectors of (S_t + gamma I)^-1 S_b with the largest eigenvalues, on standardised features;
    the eigenvalues of all add up to the criterion F.

    Parameters
    ----------
    %(X.rows, y.classes, features.optional, gamma.positive)

    Returns
    -------
    plane : Plane
        The samples on it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.evaluation import discriminant_plane
    >>> X, y = load_wine(return_X_y=True)
    >>> chosen = GeneralizedFisherScore(4).fit(X, y)
    >>> plane = discriminant_plane(X, y, chosen.support_, gamma=chosen.gamma_)
    >>> print(f"{plane.parts.sum():.4f} of F = {chosen.objective_:.4f}")
    1.4913 of F = 1.4913
    """
    values = columns_of(X, features).values
    labels, codes = check_labels(y, len(values))
    classes, n = [str(label) for label in labels.tolist()], len(values)
    Z = in_unit_length(values) * np.sqrt(n)
    one = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(len(classes), n))
    counts = np.bincount(codes, minlength=len(classes))
    between = (one @ Z) / np.sqrt(counts)[:, None]  # S_b = between' between
    sphere = _sphere(Z, check_number("gamma", gamma, above=0))
    if not sphere.size:
        return Plane(np.zeros((n, 2)), np.zeros(2), False, 0.0, codes, classes)
    turn, lengths, _ = linalg.svd((between @ sphere).T, full_matrices=False)
    parts = np.zeros(2)
    parts[: lengths.size] = lengths[:2] ** 2
    directions = _same_sign(sphere @ turn[:, :2])
    coordinates = Z @ directions * np.sqrt(n)
    discriminates = bool(parts[1] > 1e-9 * parts[0])  # less is rounding error
    if not discriminates:
        parts[1] = 0.0
        coordinates = np.column_stack([coordinates[:, 0], _rest(Z, coordinates[:, 0])])
    return Plane(coordinates, parts, discriminates, float(np.sum(lengths**2)), codes, classes)


@documented
def fitted_values(X: Any, y: Any, features: Any = None, *, gamma: float) -> Floats:
    """Fitted values of a ridge regression on some standardised features; F is their share of the variance.

    Parameters
    ----------
    %(X.rows, y.numbers, features.optional, gamma.positive)

    Returns
    -------
    fitted : ndarray of shape (n_samples,)
        For each sample.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from fisherset import JointRegressionScore
    >>> from fisherset.evaluation import fitted_values
    >>> X, y = load_diabetes(return_X_y=True)
    >>> chosen = JointRegressionScore(4).fit(X, y)
    >>> fitted = fitted_values(X, y, chosen.support_, gamma=chosen.gamma_)
    >>> print(f"{np.cov(fitted, y)[0, 1] / y.var(ddof=1):.4f} is F = {chosen.objective_:.4f}")
    0.4679 is F = 0.4679
    """
    values = columns_of(X, features).values
    target = check_target(y, len(values))
    Z = in_unit_length(values) * np.sqrt(len(values))
    sphere = _sphere(Z, check_number("gamma", gamma, above=0))
    mean = target.mean()
    return mean + Z @ (sphere @ (sphere.T @ (Z.T @ (target - mean))))


def evenly(codes: Indices, most: int) -> Indices:
    """Rows to draw: evenly spaced within the classes, at least one of each.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        The class number of each row; all the same where there are none.
    most : int
        Number of rows; more only where there are more classes.

    Returns
    -------
    rows : ndarray
        Their numbers, rising; the same for the same classes.
    """
    codes = np.asarray(codes)
    if codes.size <= most:
        return np.arange(codes.size)
    order = np.argsort(codes, kind="stable")
    spaced = order[np.linspace(0, codes.size - 1, most).round().astype(np.intp)]
    return np.union1d(spaced, np.unique(codes, return_index=True)[1])


def _sphere(Z: Floats, gamma: float) -> Floats:
    """A root T of (Z'Z + gamma I)^-1 restricted to the row space of Z: T T' is its part there."""
    n, k = Z.shape
    squares, axes = linalg.eigh(Z.T @ Z if k <= n else Z @ Z.T)
    nonzero = squares > max(n, k) * EPS * max(float(squares[-1]), 0.0)
    squares, axes = squares[nonzero], axes[:, nonzero]
    if k > n:
        axes = Z.T @ axes / np.sqrt(squares)
    return axes / np.sqrt(squares + gamma)


def _same_sign(directions: Floats) -> Floats:
    """Directions whose largest coefficient is positive: the sign of an eigenvector is arbitrary."""
    largest = np.argmax(np.abs(directions), axis=0)
    return directions * np.where(directions[largest, np.arange(len(largest))] < 0, -1.0, 1.0)


def _rest(Z: Floats, along: Floats) -> Floats:
    """Samples on the first principal component orthogonal to a direction, with deviation 1; or zero."""
    square = float(along @ along)
    rest = Z - np.outer(along, along @ Z) / square if square > 0 else Z
    if np.sum(rest**2) <= 1e-12 * np.sum(Z**2):
        return np.zeros(len(Z))
    n, k = rest.shape
    _, axes = linalg.eigh(rest.T @ rest if k <= n else rest @ rest.T)
    last = axes[:, -1:] if k <= n else rest.T @ axes[:, -1:]
    component = (rest @ _same_sign(last)).ravel()
    return component / component.std()
