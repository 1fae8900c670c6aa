"""What a graph of similar samples says of each column: its spread along the edges and over the nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.sources import Matrix, MemorySource, Sparse
from fisherset.statistics.blocks import kernel_of
from fisherset.statistics.coding import Classes
from fisherset.statistics.guard import Guard
from fisherset.statistics.moments import measure
from fisherset.statistics.scatter import Scatter

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
    scatter = Scatter(measure(MemorySource(X, weight=degrees), alone), alone)
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
