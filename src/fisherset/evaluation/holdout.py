"""Held-out rows: random halves, accuracy on them, and paired tests of two methods."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline

from fisherset import GeneralizedFisherScore, JointRegressionScore
from fisherset._types import Floats, Indices
from fisherset.validation.samples import check_finite
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import CLASSIFICATION, REGRESSION, check_labels, check_targets


def halves(y: NDArray[np.integer], seed: int | np.random.Generator) -> tuple[Indices, Indices]:
    """Two random halves of the samples, with each class halved; odd samples are assigned at random.

    Unlike scikit-learn's stratified splitters this takes classes of any size: a class of one sample
    is in either half.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class numbers.
    seed : int or Generator
        Source of the randomness.

    Returns
    -------
    first, second : ndarray
        Sample numbers, rising; the second half is the larger one where the number is odd.
    """
    y = np.asarray(y)
    if y.ndim != 1 or y.dtype.kind not in "iu":
        raise ValueError(f"y must be a list of class numbers; got {y.dtype} of the shape {y.shape}.")
    rng = np.random.default_rng(seed)
    first: list[int] = []
    odd: list[int] = []
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        half = members.size // 2
        first.extend(members[:half])
        odd.extend(members[2 * half :])
    shuffled = rng.permutation(np.array(odd, dtype=np.intp))
    first.extend(shuffled[: y.size // 2 - len(first)])
    in_first = np.zeros(y.size, dtype=bool)
    in_first[first] = True
    return np.flatnonzero(in_first), np.flatnonzero(~in_first)


def holdout_accuracy(
    classifier: Any, X: Any, y: NDArray[Any], features: Indices, train: Indices, test: Indices
) -> float:
    """Accuracy on the test rows of a classifier that saw the features of the training rows.

    Parameters
    ----------
    classifier : scikit-learn classifier
        A copy of it is trained.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The table.
    y : ndarray of shape (n_samples,)
        The class labels.
    features, train, test : ndarray of int
        The columns, and the rows of either part.

    Returns
    -------
    accuracy : float
        The share of test rows it gets right.
    """
    if np.shape(y) != (X.shape[0],):  # a column would be broadcast against a row
        raise ValueError(f"y must be an array of {X.shape[0]} labels; got the shape {np.shape(y)}.")
    model = clone(classifier).fit(_selected(X, train, features), y[train])
    return float(np.mean(model.predict(_selected(X, test, features)) == y[test]))


def path_accuracy(
    X: Any, y: Any, ks: Sequence[int], *, estimator: Any, cv: Any = 5, **options: Any
) -> Floats:
    """Accuracy of a classifier on k jointly selected features, by cross-validation; R^2 for numbers.

    Parameters
    ----------
    X, y : array-like
        Samples and class labels, or numbers.
    ks : sequence of int
        The numbers of features.
    estimator : classifier or regressor
        It is trained on the features that are selected anew on each training part.
    cv : int, splitter or iterable, default=5
        The splits.
    **options
        Of :func:`selection_path`.

    Returns
    -------
    accuracy : ndarray of shape (n_sizes, n_splits)
        On the held-out rows.
    """
    regression = options.pop("task", CLASSIFICATION) == REGRESSION
    kind: Any = JointRegressionScore if regression else GeneralizedFisherScore
    fit_arguments = {
        f"{kind.__name__.lower()}__{name}": options.pop(name)
        for name in ("sample_weight", "confounders")
        if options.get(name) is not None
    }
    table, names = check_bare_table(X)
    if regression:
        y = check_targets(y, table.shape[0])
        y = y[:, 0] if y.shape[1] == 1 else y
    else:
        _, y = check_labels(y, table.shape[0])  # a splitter could take labels for numbers
    if options.get("missing") != "mean":
        check_finite(table, names)
    X = X if hasattr(X, "iloc") else table  # keeps the names of columns
    splits = list(check_cv(cv, y, classifier=not regression).split(X, y))
    models = [make_pipeline(kind(k, **options), estimator) for k in ks]
    run = partial(cross_val_score, X=X, y=y, cv=splits, params=fit_arguments, error_score="raise")
    return np.array([run(model) for model in models])


def _selected(X: Any, rows: Indices, columns: Indices) -> Any:
    return X[rows][:, columns].toarray() if sparse.issparse(X) else X[np.ix_(rows, columns)]


class Difference(NamedTuple):
    """Mean difference of two methods, and two-sided p-values of the hypothesis that it is zero.

    Attributes
    ----------
    mean : float
        The first method less the second.
    p : float
        Of the paired t-test, which assumes independent splits. They share samples, so that the
        test is too optimistic.
    p_corrected : float
        Of Nadeau and Bengio (2003), whose variance counts the overlap. Both are NaN where nothing can
        be tested.
    """

    mean: float
    p: float
    p_corrected: float

    def __repr__(self) -> str:
        return (
            f"Difference({100 * self.mean:+.2f} points, p = {self.p:.2g}, corrected {self.p_corrected:.2g})"
        )


def paired_difference(first: Floats, second: Floats, *, test_share: float = 1.0) -> Difference:
    """Compare two methods over random splits.

    Parameters
    ----------
    first, second : ndarray of shape (n_splits,)
        Accuracies on the same splits.
    test_share : float, default=1.0
        Number of test samples over number of training samples; 1 for halves.

    Returns
    -------
    difference : Difference
        Of the first less the second; its p-values are 1 where both are equal throughout,
        and NaN for a single split, or where all differences are the same and have no variance.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise ValueError(
            f"first and second must be lists of accuracies on the same splits, one or more; got the shapes "
            f"{first.shape} and {second.shape}."
        )
    if not 0 <= test_share < np.inf:
        raise ValueError(f"test_share must be a finite number, 0 or larger; got {test_share}.")
    difference = first - second
    size, mean = difference.size, float(difference.mean())
    if size < 2:
        return Difference(mean, np.nan, np.nan)
    variance = float(difference.var(ddof=1))
    rounding = 1e-12 * float(np.max(np.abs([first, second])))
    if np.sqrt(variance) <= rounding:
        p = 1.0 if abs(mean) <= rounding else np.nan
        return Difference(mean, p, p)
    p, p_corrected = (
        float(2 * stats.t.sf(abs(mean) / np.sqrt(variance * factor), size - 1))
        for factor in (1 / size, 1 / size + test_share)
    )
    return Difference(mean, p, p_corrected)
