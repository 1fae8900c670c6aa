"""`make_combination`: a made table with columns that tell the classes apart only together."""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices

SINGLE_R2 = 0.1  # of each single column: more than a combined one has above a correlation of 0.9
FOLLOWING = 0.7  # correlation of a column that follows a single one


def make_combination(
    n_samples: int = 2000,
    n_features: int = 20,
    *,
    n_combined: int = 2,
    correlation: float = 0.97,
    separation: float = 3.0,
    n_single: int = 5,
    noise: bool = True,
    random_state: int | np.random.Generator = 0,
) -> tuple[Floats, Indices, Indices]:
    """Make a table of two classes in which a few columns are weak alone and strong together.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of rows, half of them in each class.
    n_features : int, default=20
        Number of columns.
    n_combined : int, default=2
        Number of columns that are strong together, at least 2.
    correlation : float, default=0.97
        Share of the scatter of a combined column within the classes that the combination cancels: of a
        pair the correlation of the two. Of three columns any two have a correlation half as large.
    separation : float, default=3
        Distance of the classes along the combination (of a pair, the difference of the two), in standard
        deviations within a class.
    n_single : int, default=5
        Number of columns that have an R^2 of 0.1 each by themselves, independently of each other.
    noise : bool, default=True
        Whether the remaining columns are unrelated to the classes. If not, each follows one of the single
        columns with a correlation of 0.7.
    random_state : int or Generator, default=0
        Source of the randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Columns of variance 1 within each class, in random order.
    y : ndarray of shape (n_samples,)
        0 or 1.
    combined : ndarray of shape (n_combined,)
        Column numbers of the combination, rising.

    Examples
    --------
    >>> from fisherset import FisherScore, GeneralizedFisherScore
    >>> from fisherset.datasets import make_combination
    >>> X, y, pair = make_combination()
    >>> FisherScore(2).fit(X, y).support_[pair]
    array([False, False])
    >>> GeneralizedFisherScore(2).fit(X, y).support_[pair]
    array([ True,  True])
    """
    if n_combined < 2 or n_combined + n_single > n_features:
        raise ValueError(
            f"n_combined must be at least 2, and with n_single at most n_features; got {n_combined}, "
            f"{n_single} and {n_features}."
        )
    if not 0 <= correlation < 1:
        raise ValueError(f"correlation must be at least 0 and below 1; got {correlation!r}.")
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.arange(n_samples) % 2)
    side = (y - 0.5)[:, None]
    X = rng.standard_normal((n_samples, n_features))
    places = rng.permutation(n_features)
    combined, single = np.sort(places[:n_combined]), places[n_combined : n_combined + n_single]

    # What the columns share adds up to zero: their sum has only their own part, which separates the classes.
    shared = rng.standard_normal((n_samples, n_combined))
    shared -= shared.mean(axis=1, keepdims=True)
    shared *= np.sqrt(correlation * n_combined / (n_combined - 1))
    own = X[:, combined] + separation / np.sqrt(n_combined) * side
    X[:, combined] = np.sqrt(1 - correlation) * own + shared
    X[:, combined[-1]] *= -1  # so that a pair is correlated positively

    X[:, single] += 2 * np.sqrt(SINGLE_R2 / (1 - SINGLE_R2)) * side
    rest = places[n_combined + n_single :]
    if not noise and n_single:
        followed = np.resize(single, rest.size)
        X[:, rest] = FOLLOWING * X[:, followed] + np.sqrt(1 - FOLLOWING**2) * X[:, rest]
    return X, y, combined
