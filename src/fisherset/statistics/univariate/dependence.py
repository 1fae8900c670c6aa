"""Sums over all pairs of samples of a Gaussian kernel of one column, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats
from fisherset.data import Matrix
from fisherset.statistics.kernels.blocks import weighted
from fisherset.statistics.products.products import SourceProducts

VALUES = 2**22  # numbers of the table taken at a time
PAIRS = 2**22  # pairs of values a kernel is evaluated on at a time
NOUGHT = 40.0  # bandwidths apart from which the kernel is nought: exp(-800)


def rbf_dependence(
    products: SourceProducts, bandwidth: Floats, labels: Floats, wanted: NDArray[np.bool_]
) -> Floats:
    """tr(K Y Y') of every wanted column, K_il = exp(-(x_i - x_l)^2 / (2 bandwidth^2)); nought for others.

    The rows of Y are those of `labels`, one for each class. Samples with the same value
    share a row of K, so the rows of Y are added up by value first: a sparse or discrete
    column costs the square of its distinct values only.
    """
    columns = np.flatnonzero(wanted)
    total = np.zeros(wanted.size)
    step = max(1, VALUES // (products.n_rows or 1))
    for start in range(0, columns.size, step):
        some = columns[start : start + step]
        block = products.take(some)
        table, Y = block.X, weighted(labels[block.y], block.weight)
        if not isinstance(table, np.ndarray):
            table = table.tocsc()
        for place, j in enumerate(some):
            values, sums = _by_value(table, place, Y)
            total[j] = _quadratic(values, sums, bandwidth[j])
    return total


def _by_value(table: Matrix, place: int, Y: Floats) -> tuple[Floats, Floats]:
    """The different values of a column, and the rows of Y added up for each."""
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


def _quadratic(values: Floats, sums: Floats, bandwidth: float) -> float:
    """The sum over pairs of values of exp(-(v - v')^2 / (2 bandwidth^2)) times the product of their sums."""
    total = 0.0
    step = max(1, PAIRS // values.size)
    for start in range(0, values.size, step):
        part = slice(start, start + step)
        K = np.abs(values[part, None] - values)
        with np.errstate(over="ignore"):
            K /= bandwidth
        np.minimum(K, NOUGHT, out=K)
        K *= K
        K *= -0.5
        np.exp(K, out=K)
        total += float(np.vdot(sums[part], K @ sums))
    # what is left of sums that cancel is rounding
    noise = 16 * EPS * float(np.square(np.abs(sums).sum(axis=0)).sum())
    return total if total > noise else 0.0
