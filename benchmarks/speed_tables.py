"""The tables that selectors are timed on, made or real, and how they get to the processes of `contestant.py`.

A table is X and y to select on, X and y to judge on and, where these are some of the former, X and y to fit
classifiers on.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import ndimage, sparse
from sklearn.datasets import load_digits, make_classification

from fisherset import datasets
from fisherset.evaluation import halves

TEST = 2000  # rows to judge on
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def made(n, d, c):
    X, y = make_classification(
        n + TEST, d, n_informative=30, n_redundant=30, n_classes=c, n_clusters_per_class=1, random_state=0
    )
    return X[:n], y[:n], X[n:], y[n:]


def images(n=60_000):
    """28 x 28 images of digits: scikit-learn's, enlarged, moved about and with noise."""
    rng = np.random.default_rng(0)
    digits = load_digits()
    large = np.array([ndimage.zoom(image, 2.5, order=1) for image in digits.images])  # 20 x 20
    chosen = rng.integers(0, len(large), n + TEST)
    X = np.zeros((n + TEST, 28, 28))
    for row, (place, down, right) in enumerate(zip(chosen, *rng.integers(2, 7, (2, n + TEST)), strict=True)):
        X[row, down : down + 20, right : right + 20] = large[place]
    X = np.clip(X + (X > 0) * rng.normal(scale=2.0, size=X.shape), 0, 16).reshape(len(X), -1)
    y = digits.target[chosen]
    return X[:n], y[:n], X[n:], y[n:]


def words(n=20_000, d=50_000, c=5):
    """Counts of words with Zipf's frequencies, 0.2 % of them not nought; each class has 300 of its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, c, n + TEST)
    frequency = np.tile(1 / (np.arange(d) + 20.0), (c, 1))
    for own in frequency:
        own[rng.choice(d, 300, replace=False)] *= 4
    frequency /= frequency.sum(axis=1, keepdims=True)
    drawn = np.empty((n + TEST, 110), dtype=int)
    for label in range(c):
        rows = np.flatnonzero(y == label)
        drawn[rows] = rng.choice(d, size=(rows.size, 110), p=frequency[label])
    row = np.repeat(np.arange(n + TEST), 110)
    X = sparse.csr_matrix((np.ones(row.size), (row, drawn.ravel())), shape=(n + TEST, d))
    X.sum_duplicates()
    return X[:n], y[:n], X[n:], y[n:]


def real(name):
    """A sparse table from FISHERSET_DATA, or ../shared/data beside the checkout."""
    folder = os.environ.get("FISHERSET_DATA") or (BESIDE if BESIDE.is_dir() else None)
    X, y, *_ = datasets.load(name, data_dir=folder)
    return sparse.csr_matrix(X, dtype=np.float64), y


def by_halves(X, y):
    train, test = halves(y, 0)
    return X, y, X[test], y[test], X[train], y[train]


def bladder():
    """Cells at 10,000 counts each, log1p."""
    X, y = real("bladder16")
    counts = np.asarray(X.sum(axis=1)).ravel()
    X = sparse.csr_matrix(sparse.diags(1e4 / counts) @ X)
    X.data = np.log1p(X.data)
    return by_halves(X, y)


TALL = "2000 x 2000 x 5"
WIDE = "200 x 10000 x 4"
LONG = "200000 x 500 x 10"
IMAGES = "60000 x 784 x 10 images"
CELLS = "bladder16, 2100 x 20670 x 16 sparse"
WORDS = "20000 x 50000 x 5 sparse"
DOROTHEA = "dorothea, 1150 x 100000 x 2 sparse"
TABLES = {
    TALL: lambda: made(2000, 2000, 5),
    WIDE: lambda: made(200, 10_000, 4),
    LONG: lambda: made(200_000, 500, 10),
    IMAGES: images,
    CELLS: bladder,
    WORDS: words,
    DOROTHEA: lambda: by_halves(*real("dorothea")),
}


def save(folder, X, y):
    """Write a table as `contestant.py` reads it."""
    folder.mkdir(exist_ok=True)
    np.save(folder / "y.npy", y)
    if sparse.issparse(X):
        for part in ("data", "indices", "indptr"):
            np.save(folder / f"{part}.npy", getattr(X, part))
        np.save(folder / "shape.npy", np.array(X.shape))
    else:
        np.save(folder / "X.npy", X)
