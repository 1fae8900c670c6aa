"""The target as a coding: how the target of a row becomes a row of numbers T, and T the H of Eq. (9).

Classes are one way; label sets and numbers are others. Whatever is taken out of the
columns, the mean first of all, is taken out of T too, and a coding then rotates what is
left to H = T B, with as many columns as it has rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats
from fisherset.sources import Matrix

if TYPE_CHECKING:
    from fisherset.statistics.moments import Moments


class Coding(Protocol):
    """How targets become numbers."""

    @property
    def size(self) -> int:
        """Number of columns p of T."""

    @property
    def adds_up(self) -> bool:
        """Whether the rows of T sum to one: the sum over the columns of T is then that over all rows."""

    def rows(self, y: NDArray[Any]) -> Matrix:
        """T of a block, b x p, dense or CSR."""

    def rotate(self, A: Floats, moments: Moments) -> Floats:
        """A B for a matrix A of p columns: r columns."""

    def ceiling(self, moments: Moments) -> float:
        """tr(H'H) / n, which no F exceeds."""


class Classes:
    """Class codes 0..c-1: T is the indicator, H that of Eq. (9) rotated to its rank c - 1."""

    adds_up = True

    def __init__(self, size: int) -> None:
        self.size = size

    def rows(self, y: NDArray[Any]) -> Matrix:
        pattern = (np.ones(y.size), y, np.arange(y.size + 1))
        return sparse.csr_array(pattern, shape=(y.size, self.size))

    def rotate(self, A: Floats, moments: Moments) -> Floats:
        """A diag(sqrt(n / n_k)) Q, with Q an orthonormal basis of the complement of sqrt(n_k / n).

        H vanishes in that direction. A Householder reflection takes it to a coordinate
        axis; the other columns of the reflection are the basis, less classes without
        weight. It is applied without being formed, as its size is that of c squared.
        """
        weights = moments.NT[0]
        null = np.sqrt(weights / moments.n)
        present = np.flatnonzero(weights > 0)
        pivot = present[np.argmax(null[present])]
        mirror = null.copy()
        mirror[pivot] += 1.0
        others = present[present != pivot]
        with np.errstate(divide="ignore"):
            scaled = A * np.where(weights > 0, np.sqrt(moments.n / weights), 0.0)
        along: Floats = scaled @ mirror * (2 / (mirror @ mirror))
        rotated: Floats = scaled[:, others] - np.outer(along, mirror[others])
        return rotated

    def ceiling(self, moments: Moments) -> float:
        """Classes less one, less the share of each that the confounders explain."""
        sizes = moments.NT[0]
        present = sizes > 0
        if len(moments.NT) == 1:
            return float(np.count_nonzero(present) - 1)
        explained = np.einsum("zk,zk->k", moments.NT, np.linalg.solve(moments.NN, moments.NT))
        return float(np.sum(1 - explained[present] / sizes[present]))
