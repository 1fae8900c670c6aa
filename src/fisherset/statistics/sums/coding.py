"""Codings: how the target of a row becomes a row of numbers T, and T the H of Eq. (9).

Classes, label sets and numbers are three codings. T is residualised on N = [1, confounders] like the columns
of the table; a coding then rotates what is left to H = T B, with as many columns as its rank, so that

    C = X'H = (X'T - X'N (N'N)^-1 N'T) B        and        tr(H'H) / n, which no F exceeds, is its ceiling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Matrix
from fisherset.statistics.sums.errors import TargetErrors, relative_error

if TYPE_CHECKING:
    from fisherset.statistics.sums.moments import Moments

EXPLAINED = 1e-8  # share of a target up to which nothing is left of it: far above the rounding of sums


class Coding(Protocol):
    """Translation of targets to numbers."""

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

    def errors(self, moments: Moments) -> TargetErrors:
        """Errors of the targets (see `errors`)."""

    def null(self, moments: Moments) -> tuple[float, float]:
        """Scale and degrees of freedom of ||C_j||^2 / (n G_jj) of a column unrelated to the target.

        It is about the scale times a Beta(f/2, (n - f - 1)/2) variable, f the degrees of freedom.
        """


class Classes:
    """Class codes 0..c-1: T is the indicator, H that of Eq. (9) rotated to its rank c - 1."""

    adds_up = True

    def __init__(self, size: int) -> None:
        self.size = size

    def null(self, moments: Moments) -> tuple[float, float]:
        return 1.0, float(np.count_nonzero(moments.NT[0]) - 1)

    def rows(self, y: NDArray[Any]) -> Matrix:
        pattern = (np.ones(y.size), y, np.arange(y.size + 1))
        return sparse.csr_array(pattern, shape=(y.size, self.size))

    def rotate(self, A: Floats, moments: Moments) -> Floats:
        """A diag(sqrt(n / n_k)) Q, with Q an orthonormal basis of the complement of sqrt(n_k / n).

        H vanishes in that direction. A Householder reflection takes it to a coordinate
        axis; the other columns of the reflection are the basis, less classes without
        weight. It is applied without being formed, as its size is that of c squared.
        """
        weights, (mirror, others) = moments.NT[0], self._reflection(moments)
        with np.errstate(divide="ignore"):
            scaled = A * np.where(weights > 0, np.sqrt(moments.n / weights), 0.0)
        along: Floats = scaled @ mirror * (2 / (mirror @ mirror))
        return scaled[:, others] - np.outer(along, mirror[others])

    def unrotate(self, B: Floats, moments: Moments) -> Floats:
        """B Q' for a matrix B of c - 1 columns: one column for each class again.

        Of B = A diag(sqrt(n / n_k)) Q, as A is orthogonal to what Q leaves out, it is A diag(sqrt(n / n_k)).
        """
        mirror, others = self._reflection(moments)
        whole: Floats = np.outer(B @ mirror[others] * (-2 / (mirror @ mirror)), mirror)
        whole[:, others] += B
        return whole

    def _reflection(self, moments: Moments) -> tuple[Floats, Indices]:
        """The vector of the reflection, and the columns of it that are the basis."""
        weights = moments.NT[0]
        mirror: Floats = np.sqrt(weights / moments.n)
        present = np.flatnonzero(weights > 0)
        pivot = present[np.argmax(mirror[present])]
        mirror[pivot] += 1.0  # the sum of two positive numbers does not cancel, as their difference would
        return mirror, present[present != pivot]

    def ceiling(self, moments: Moments) -> float:
        """Classes less one, less the share of each that the confounders explain."""
        sizes = moments.NT[0]
        present = sizes > 0
        if len(moments.NT) == 1:
            return float(np.count_nonzero(present) - 1)
        left = 1 - moments.explained[present] / sizes[present]
        # F may come near this: it is rounded up
        off = moments.unit * _lengths(moments)[present] ** 2 / sizes[present]
        return float(np.sum(np.clip(left + off, 0.0, 1.0)))

    def errors(self, moments: Moments) -> TargetErrors:
        sizes, unit = moments.NT[0], moments.unit
        present = sizes > 0
        growth = np.max(moments.T_added[present] / sizes[present], initial=moments.N_added[0] / moments.n)
        explained = float(np.sum(moments.explained[present] / sizes[present]))
        length = np.sqrt(moments.n * growth) * (1 + moments.N_length * np.sqrt(explained))
        length *= 1 + EPS * len(sizes) / unit  # the rotation is a sum over the classes
        share = float(relative_error(np.array([unit * growth]), np.ones(1))[0])
        return TargetErrors(float(length), 2 * share)


class Numbers:
    """Numbers to be explained: T in units near their size, H their residuals at standard deviation 1.

    F is then the share of their variance that the columns explain, regularised, summed over the targets.
    """

    adds_up = False

    def __init__(self, offset: Floats, unit: Floats, null: tuple[float, float]) -> None:
        self.offset, self.unit, self._null, self.size = offset, unit, null, offset.size

    @classmethod
    def of(cls, Y: Floats, weight: Floats | None) -> Numbers:
        """From all targets, n x p."""
        share = np.full(len(Y), 1 / len(Y)) if weight is None else weight / weight.sum()
        largest = np.max(np.abs(Y[share > 0]), axis=0, initial=0.0)
        safe = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1])  # squares stay in the range
        scaled = Y / safe
        offset = share @ scaled
        spread = np.sqrt(share @ (scaled - offset) ** 2)
        varies = np.where(spread > 0, spread, 1.0)
        Z = (scaled - offset) / varies * np.sqrt(share)[:, None]
        # tr(R^2) of R = Z'Z is that of the smaller Z Z' where targets are many
        null = correlated_null(Z.T @ Z if Z.shape[1] <= Z.shape[0] else Z @ Z.T, Y.shape[1])
        return cls(offset * safe, varies * safe, null)

    def rows(self, y: NDArray[Any]) -> Matrix:
        return (y - self.offset) / self.unit

    def null(self, moments: Moments) -> tuple[float, float]:
        return self._null

    def rotate(self, A: Floats, moments: Moments) -> Floats:
        left = self._variance(moments)
        return A / np.sqrt(np.where(left > 0, left, np.inf))  # zero where it is wholly explained

    def ceiling(self, moments: Moments) -> float:
        return float(np.count_nonzero(self._variance(moments)))

    def errors(self, moments: Moments) -> TargetErrors:
        left, lengths, n = self._variance(moments), _lengths(moments), moments.n
        off = moments.unit * lengths**2 / n
        share = relative_error(off, np.where(left > 0, left, 1.0))
        # whether something is left of a target must not depend on rounding
        undecided = np.abs((moments.TT - moments.explained) / n - EXPLAINED) <= off
        share = np.where(undecided, np.inf, np.where(left > 0, share, 0.0))
        length = np.sqrt(np.sum(lengths[left > 0] ** 2 / left[left > 0]))
        return TargetErrors(float(length), 2 * float(share.max(initial=0.0)))

    def _variance(self, moments: Moments) -> Floats:
        """Residual variance of each target; zero where the confounders explain it wholly."""
        left: Floats = (moments.TT - moments.explained) / moments.n
        return np.where(left > EXPLAINED, left, 0.0)


class Labels(Numbers):
    """Sets of labels: T is their indicator, n x p, as it is or CSR; H its standardised columns."""

    @classmethod
    def of_sets(cls, indicator: Matrix, weight: Floats | None) -> Labels:
        """From the sets of all rows."""
        n, size = indicator.shape
        share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
        means = np.asarray(indicator.T @ share)
        together = indicator.T @ (indicator * share[:, None])
        dense = together.toarray() if sparse.issparse(together) else together
        spread = np.sqrt(np.maximum(means - means**2, np.finfo(np.float64).tiny))
        null = correlated_null((dense - np.outer(means, means)) / spread / spread[:, None], size)
        return cls(np.zeros(size), np.ones(size), null)

    def rows(self, y: NDArray[Any]) -> Matrix:
        return y


def correlated_null(R: Floats, size: int) -> tuple[float, float]:
    """Scale and degrees of freedom for targets with correlations R, or a matrix of the same tr(R^2).

    With correlated targets the sum of squared correlations spreads more. It has the mean and variance that
    those of independent targets would have, of the same scale tr(R^2) / p and p^2 / tr(R^2) in number
    (Satterthwaite 1946).
    """
    squares = float(np.sum(R**2))
    return squares / size, size**2 / squares if squares else 1.0


def _lengths(moments: Moments) -> Floats:
    """Length of each target as its products were taken: |t| + L |b_t|."""
    return np.sqrt(moments.T_added) + moments.N_length * np.sqrt(moments.explained)
