"""Exact nearest neighbours of dense rows, every distance computed once.

Brute force elsewhere takes the distances from each row to all others and so computes
each twice; in more than a few dimensions the products are all of the cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices

ROWS = 1024  # rows of a block; a block of distances has its square


def nearest(X: NDArray[Any], k: int) -> tuple[Floats, Indices]:
    """Squared distances to the k nearest other rows, and which they are, nearest first: n x k each."""
    n = X.shape[0]
    found = _Nearest(n, k)
    lengths = np.concatenate([_squared_lengths(_block(X, rows)) for rows in _slices(n)])
    for number, rows in enumerate(_slices(n)):
        block = _block(X, rows)
        for others in _slices(n)[number:]:
            distances = block @ _block(X, others).T
            distances *= -2.0
            distances += lengths[rows, None]
            distances += lengths[others]
            if rows == others:
                np.fill_diagonal(distances, np.inf)  # a row is not its own neighbour
            else:
                found.offer(others, rows, np.ascontiguousarray(distances.T))
            found.offer(rows, others, distances)
    return np.maximum(found.distances, 0.0), found.indices


class _Nearest:
    """The k nearest met so far of every row."""

    def __init__(self, n: int, k: int) -> None:
        self.distances = np.full((n, k), np.inf)
        self.indices = np.zeros((n, k), dtype=np.intp)

    def offer(self, rows: slice, others: slice, distances: Floats) -> None:
        """Take over what is nearer; `distances` has a row for each of the rows."""
        k = self.distances.shape[1]
        best = np.arange(distances.shape[1])[None].repeat(len(distances), axis=0)
        if distances.shape[1] > k:
            best = np.argpartition(distances, k - 1, axis=1)[:, :k]
        values = np.hstack([self.distances[rows], np.take_along_axis(distances, best, axis=1)])
        names = np.hstack([self.indices[rows], best + others.start])
        order = np.argsort(values, axis=1, kind="stable")[:, :k]
        self.distances[rows] = np.take_along_axis(values, order, axis=1)
        self.indices[rows] = np.take_along_axis(names, order, axis=1)


def _slices(n: int) -> list[slice]:
    return [slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]


def _block(X: NDArray[Any], rows: slice) -> Floats:
    return np.asarray(X[rows], dtype=np.float64)


def _squared_lengths(X: Floats) -> Floats:
    lengths: Floats = np.einsum("ij,ij->i", X, X)
    return lengths
