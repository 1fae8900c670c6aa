"""What a graph of similar samples says of each column: its spread along the edges and over the nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.data import Matrix, MemoryRows, Sparse
from fisherset.statistics.kernels.blocks import kernel_of
from fisherset.statistics.sums.coding import Classes
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import sum_moments
from fisherset.statistics.sums.scatter import Scatter

NUMBERS_IN_CACHE = 2**17  # numbers of the table taken at a time: what stays in the cache of a core


class GraphScatter(NamedTuple):
    """Of every column f, in the units of the guard: f'Lf along the edges, f'Df about the weighted mean."""

    edges: Floats
    nodes: Floats
    constant: NDArray[np.bool_]
    guard: Guard


def graph_scatter(X: Matrix, S: Sparse) -> GraphScatter:
    """The two quadratic forms of a symmetric graph S, with D = diag(S 1) and L = D - S."""
    degrees = np.asarray(S.sum(axis=1), dtype=np.float64).ravel()
    alone = Classes(1)
    scatter = Scatter(sum_moments(MemoryRows(X, weight=degrees), alone), alone)
    edges = edge_scatter(X, S, scatter.guard)
    return GraphScatter(edges, scatter.total, scatter.constant, scatter.guard)


def edge_scatter(X: Matrix, S: Sparse, guard: Guard) -> Floats:
    """The sum of S_ij (f_i - f_j)^2 over the edges, f'Lf: differences first, so that no digit cancels."""
    edges = S.tocoo()
    once = edges.row < edges.col
    first, second, weights = edges.row[once], edges.col[once], edges.data[once]
    total = np.zeros(X.shape[1])
    for part in _parts(X, first.size):
        difference = guard.apply(X[first[part]]) - guard.apply(X[second[part]])
        total += kernel_of(difference).squares(difference, weights[part])
    return total


def pair_distances(X: Matrix, first: Indices, second: Indices | None) -> Floats:
    """Squared distances of pairs of rows, from their differences; squared lengths without `second`."""
    squared = np.empty(first.size)
    for part in _parts(X, first.size):
        rows = X[first[part]]
        difference = rows.astype(np.float64)
        if second is not None:
            difference = difference - X[second[part]]
        squared[part] = kernel_of(difference).row_squares(difference)
    return squared


def _parts(X: Matrix, size: int) -> list[slice]:
    """Slices of so many rows that a batch of the table is taken at a time."""
    width = X.shape[1] if isinstance(X, np.ndarray) else max(1, X.nnz // X.shape[0])
    step = max(1, NUMBERS_IN_CACHE // width)
    return [slice(start, start + step) for start in range(0, size, step)]


ROWS = 1024  # rows of a block; a block of distances has its square


def nearest_neighbours(X: NDArray[Any], k: int) -> tuple[Floats, Indices]:
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
