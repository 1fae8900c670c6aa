"""Fits whose time, memory and certificate asv follows from commit to commit: `make asv`.

Small versions of the tables of docs/benchmarks.md, of a second at most; the ratios to other selectors
are there.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
from scipy import ndimage, sparse
from sklearn.datasets import load_digits, make_classification

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV


@cache
def made(n, d, c):
    return make_classification(
        n, d, n_informative=30, n_redundant=30, n_classes=c, n_clusters_per_class=1, random_state=0
    )


def single_precision(n, d, c):
    X, y = made(n, d, c)
    return X.astype(np.float32), y


@cache
def images(n=6000):
    """Digits of 20 x 20 in 28 x 28 pixels, at random places, with noise."""
    rng = np.random.default_rng(0)
    digits = load_digits()
    large = ndimage.zoom(digits.images, (1, 2.5, 2.5), order=1)
    chosen = rng.integers(0, len(large), n)
    X = np.zeros((n, 28, 28))
    for row, (down, right) in enumerate(rng.integers(2, 7, (n, 2))):
        X[row, down : down + 20, right : right + 20] = large[chosen[row]]
    return (X + (X > 0) * rng.normal(scale=2.0, size=X.shape)).reshape(n, -1), digits.target[chosen]


@cache
def words(n=5000, d=20_000, c=5):
    """Sparse counts with Zipf's frequencies, of which each class has 100 of its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, c, n)
    frequency = np.tile(1 / (np.arange(d) + 20.0), (c, 1))
    for own in frequency:
        own[rng.choice(d, 100, replace=False)] *= 4
    frequency /= frequency.sum(axis=1, keepdims=True)
    drawn = np.stack([rng.choice(d, 100, p=frequency[label]) for label in y])
    X = sparse.csr_matrix((np.ones(drawn.size), (np.repeat(np.arange(n), 100), drawn.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, y


TALL = 1000, 1000, 5
CASES = {
    "tall": (lambda: made(*TALL), lambda: GeneralizedFisherScore(50)),
    "wide": (lambda: made(200, 5000, 4), lambda: GeneralizedFisherScore(50)),
    "long": (lambda: made(20_000, 200, 10), lambda: GeneralizedFisherScore(50)),
    "images": (images, lambda: GeneralizedFisherScore(50)),
    "sparse": (words, lambda: GeneralizedFisherScore(50)),
    "float32": (lambda: single_precision(*TALL), lambda: GeneralizedFisherScore(50)),
    "many features": (lambda: made(*TALL), lambda: GeneralizedFisherScore(200)),
    "small gamma": (lambda: made(500, 500, 5), lambda: GeneralizedFisherScore(10, gamma=5.0)),
    "cutting-plane": (lambda: made(*TALL), lambda: GeneralizedFisherScore(20, solver="cutting-plane")),
    "cross-validated": (lambda: made(*TALL), lambda: GeneralizedFisherScoreCV(20)),
}


class Fit:
    """One fit of each case; the objective is the only figure of which more is better."""

    params = (list(CASES),)
    param_names = ("case",)
    timeout = 120.0
    repeat = (3, 10, 5.0)  # at least, at most, and for how many seconds

    def setup(self, case):
        make_table, self.make_selector = CASES[case]
        self.X, self.y = make_table()
        warnings.simplefilter("ignore")

    def fit(self):
        return self.make_selector().fit(self.X, self.y)

    def time_fit(self, case):
        self.fit()

    def peakmem_fit(self, case):
        self.fit()

    def track_gap(self, case):
        return float(self.fit().gap_)

    def track_objective(self, case):
        return float(self.fit().objective_)

    track_gap.unit = "share of the bound"
    track_objective.unit = "F"
