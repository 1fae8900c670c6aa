"""What each feature of a subset contributes, and which feature outside could stand in for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.selectors.base import ONE_CLASS_EACH, Beside
from fisherset.selectors.certificate import members_of, pose_subset, warn_status
from fisherset.selectors.fisher import fisher_scores
from fisherset.selectors.gamma import resolve_gamma
from fisherset.solver import TIE, Status, measure_subset, prove_value, temper
from fisherset.statistics import TableProblem

STEP = 64  # members whose correlations with everything are taken at a time


class Explanation(NamedTuple):
    """What `explain` found, an entry for each feature of the subset, in column order.

    Attributes
    ----------
    features : ndarray of shape (k,)
        Column numbers.
    fisher_scores : ndarray of shape (k,)
        Fisher score of each feature alone, Eq. (4).
    drops : ndarray of shape (k,)
        What F loses without the feature.
    stand_ins : ndarray of shape (k,)
        Column number of the feature outside that is most correlated with it; -1 without any.
    correlations : ndarray of shape (k,)
        Its correlation.
    objective : float
        F of the subset.
    gamma : float
        The regulariser used.
    """

    features: Indices
    fisher_scores: Floats
    drops: Floats
    stand_ins: Indices
    correlations: Floats
    objective: float
    gamma: float


def explain(
    X: Any,
    y: Any,
    features: Any,
    *,
    gamma: float | str = "scale",
    standardize: bool = True,
    sample_weight: Any = None,
    class_weight: Any = None,
) -> Explanation:
    """What each feature of a subset contributes, and its strongest stand-in outside.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their class labels.
    features : array-like
        The subset: a mask, column numbers or column names.
    gamma : float or "scale", default="scale"
        The regulariser.
    standardize : bool, default=True
        Scale the features to standard deviation 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    class_weight : "balanced", "sqrt" or mapping, default=None
        Weights of the classes, as in :class:`GeneralizedFisherScore`.

    Returns
    -------
    explanation : Explanation
        Own score, loss and stand-in of each feature.

    See Also
    --------
    certify : How good the subset is as a whole.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore, explain
    >>> X, y = load_digits(return_X_y=True, as_frame=True)
    >>> selector = GeneralizedFisherScore(10).fit(X, y)
    >>> found = explain(X, y, selector.support_)
    >>> most = found.drops.argmax()
    >>> X.columns[found.features[most]], X.columns[found.stand_ins[most]]
    ('pixel_5_2', 'pixel_4_2')
    """
    table, problem, chosen = pose_subset(
        X, y, features, gamma, standardize, Beside(sample_weight, class_weight), task=ONE_CLASS_EACH
    )
    number = resolve_gamma(gamma, problem, chosen.size)
    members = members_of(problem, chosen)
    varying = np.isin(chosen, problem.columns)
    drops, correlations = np.zeros(chosen.size), np.zeros(chosen.size)
    stand_ins = np.full(chosen.size, -1, dtype=np.intp)
    value = 0.0
    if varying.any():
        state = measure_subset(temper(problem, number, members.size), members, number)
        proven = prove_value(problem, members, number)
        warn_status(Status.INEXACT if proven.wrong else Status.CONVERGED)
        value = proven.value
        drops[varying] = np.einsum("ir,ir->i", state.W, state.W) / state.inverse_diagonal / problem.n
        stand_ins[varying], correlations[varying] = _stand_ins(problem, members)
    return Explanation(chosen, fisher_scores(table)[chosen], drops, stand_ins, correlations, value, number)


def _stand_ins(problem: TableProblem, members: Indices) -> tuple[Indices, Floats]:
    """Column in the table of the outsider most correlated with each member, and the correlation."""
    length = np.sqrt(problem.diagonal)
    outside = np.setdiff1d(np.arange(length.size), members)
    if not outside.size:
        return np.full(members.size, -1, dtype=np.intp), np.zeros(members.size)
    best, strongest = [], []
    for start in range(0, members.size, STEP):
        some = members[start : start + STEP]
        correlation = problem.gram(some)[outside] / length[outside, None] / length[some]
        size = np.abs(correlation)
        at = np.argmax(size >= size.max(axis=0) - TIE, axis=0)  # of equals the first
        best.append(problem.columns[outside[at]])
        strongest.append(np.clip(correlation[at, np.arange(some.size)], -1.0, 1.0))
    return np.concatenate(best), np.concatenate(strongest)
