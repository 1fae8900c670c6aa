"""Statistics over pairs of samples, in bounded memory: nearest neighbours, graphs and Gaussian kernels.

- `graph_scatter`: f'Lf and f'Df of each column f over a graph of similar samples (Laplacian score);
- `rbf_dependence`: tr(K Y Y') of each column with a Gaussian kernel K (HSIC).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Matrix, MemoryRows, Sparse
from fisherset.statistics.kernels import kernel_of, weighted
from fisherset.statistics.kernels.dense import row_squares
from fisherset.statistics.products.products import RowProducts
from fisherset.statistics.sums.coding import Classes
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import sum_moments
from fisherset.statistics.sums.scatter import Scatter

NUMBERS_IN_CACHE = 2**17  # numbers of the table taken at a time: 1 MB stays in the cache of a core
ROWS_AT_A_TIME = 1024  # a block of distances has the square of it, 8 MB
VALUES_AT_A_TIME = PAIRS_AT_A_TIME = 2**22  # numbers of the table, and of a kernel: 32 MB


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
    """Slices of so many rows that they stay in the cache."""
    width = X.shape[1] if isinstance(X, np.ndarray) else max(1, X.nnz // X.shape[0])
    return _slices(size, max(1, NUMBERS_IN_CACHE // width))


def _slices(size: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def nearest_neighbours(X: NDArray[Any], k: int) -> tuple[Floats, Indices]:
    """Squared distances to the k nearest other rows, and which they are, nearest first: n x k each.

    By |x|^2 + |y|^2 - 2 x'y, a matrix product for each pair of blocks of rows.
    """
    n, slices = X.shape[0], _slices(X.shape[0], ROWS_AT_A_TIME)
    found = _Nearest(n, k)
    lengths = np.concatenate([row_squares(_block(X, rows)) for rows in slices])
    for number, rows in enumerate(slices):
        block = _block(X, rows)
        for others in slices[number:]:  # each pair of blocks once, for both
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


def _block(X: NDArray[Any], rows: slice) -> Floats:
    return np.asarray(X[rows], dtype=np.float64)


class _Nearest:
    """The k nearest neighbours of every row among those offered so far."""

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


def rbf_dependence(
    products: RowProducts, bandwidth: Floats, labels: Floats, wanted: NDArray[np.bool_]
) -> Floats:
    """tr(K Y Y') of every wanted column, K_il = exp(-(x_i - x_l)^2 / (2 bandwidth^2)); zero for others.

    The rows of Y are those of `labels`, one for each class. Samples with the same value
    share a row of K, so the rows of Y are added up by value first: a sparse or discrete
    column costs the square of its distinct values only.
    """
    columns = np.flatnonzero(wanted)
    total = np.zeros(wanted.size)
    for part in _slices(columns.size, max(1, VALUES_AT_A_TIME // (products.n_rows or 1))):
        block = products.take(columns[part])
        table, Y = block.X, weighted(labels[block.y], block.weight)
        if not isinstance(table, np.ndarray):
            table = table.tocsc()
        for place, j in enumerate(columns[part]):
            values, sums = _by_value(table, place, Y)
            total[j] = _quadratic_form(values, sums, bandwidth[j])
    return total


def _by_value(table: Matrix, place: int, Y: Floats) -> tuple[Floats, Floats]:
    """The distinct values of a column, and the rows of Y added up for each."""
    if isinstance(table, np.ndarray):
        column, rows = table[:, place], Y
    else:
        part = slice(table.indptr[place], table.indptr[place + 1])
        stored = Y[table.indices[part]]
        column = np.append(table.data[part], 0.0)
        rows = np.vstack([stored, Y.sum(axis=0) - stored.sum(axis=0)])  # the zeros together
    order = np.argsort(column, kind="stable")
    column, rows = column[order], rows[order]
    first = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    return column[first], np.add.reduceat(rows, first, axis=0)


def _quadratic_form(values: Floats, sums: Floats, bandwidth: float) -> float:
    """The sum over pairs of values of exp(-(v - v')^2 / (2 bandwidth^2)) times the product of their sums."""
    total = 0.0
    for part in _slices(values.size, max(1, PAIRS_AT_A_TIME // values.size)):
        K = np.abs(values[part, None] - values)
        with np.errstate(over="ignore"):
            K /= bandwidth
        np.minimum(K, 40.0, out=K)  # bandwidths apart: exp(-800) is zero, and no square overflows
        K *= K
        K *= -0.5
        np.exp(K, out=K)
        total += float(np.vdot(sums[part], K @ sums))
    # sums cancel in Y: up to so much is rounding
    noise = 16 * EPS * float(np.square(np.abs(sums).sum(axis=0)).sum())
    return total if total > noise else 0.0
