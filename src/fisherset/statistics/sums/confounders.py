"""Orthonormal basis of the confounders Z, less the mean: features and targets are residualised on it.

A confounder counts only where it adds to those before it: one of which less than one part in 10^10 is left
once the mean and the others are removed is not used. There are two ways to find out:

- from rows by a QR factorisation of [1, Z], which works with the confounders themselves. R factors of blocks
  add up, as that of all rows is the R factor of theirs on top of each other;
- from the products Z'Z by a Cholesky factorisation, without another pass. Products square the condition
  number: half the digits are lost, and a confounder may be doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Block
from fisherset.statistics.sums.moments import CONSTANT

REDUNDANT = 1e-10  # share of a confounder that must be left of it: less has lost too many of its 16 digits
REPEATED = 1e-13  # share up to which it repeats others exactly, but for the rounding of its values
GROWN = 50  # growth of rounding errors in the rows of a basis from which these are computed in double-double


class Basis(NamedTuple):
    """The basis ((Z - centre) / unit) M of confounders Z: columns of mean square one."""

    centre: Floats  # numbers near the mean, z
    unit: Floats  # powers of two, z
    M: Floats  # coefficients of the basis in the centred confounders, z x r
    growth: float  # how many times as large rounding errors become in its rows
    dropped: Indices  # confounders not used, though a little is left of them once those before are removed
    doubtful: Indices  # confounders of which it is not known what is left

    @property
    def error(self) -> float:
        """Share by which its rows may be off what the confounders span."""
        return EPS * (len(self.M) + 4) * min(self.growth, 1 + EPS * self.growth * len(self.M))

    def rows(self, Z: Floats) -> Floats | None:
        """The basis at some rows of the confounders; None where nothing is left of these."""
        if not self.M.shape[1]:
            return None
        return _product(Z, self) if self.growth > GROWN else ((Z - self.centre) / self.unit) @ self.M


def _product(Z: Floats, basis: Basis) -> Floats:
    """((Z - centre) / unit) M in twice the digits of float64: nearly collinear confounders cancel in it."""
    high, low = _two_sum(Z, -basis.centre)
    high, low = high / basis.unit, low / basis.unit
    total, rest = np.zeros((len(Z), basis.M.shape[1])), np.zeros((len(Z), basis.M.shape[1]))
    for c, weights in enumerate(basis.M):
        term, off = _two_product(high[:, [c]], weights)
        total, lost = _two_sum(total, term)
        rest += off + lost + low[:, [c]] * weights
    return total + rest


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The sum as computed, and its rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The product as computed, and its rounding error (Dekker 1971)."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    """A number as the sum of two of 26 bits each, whose products are exact."""
    moved = (2.0**27 + 1) * a
    high: Floats = moved - (moved - a)
    return high, a - high


@dataclass(frozen=True)
class RFactor:
    """R of a QR factorisation of rows."""

    R: Floats

    def __add__(self, other: RFactor) -> RFactor:
        return RFactor(_r_factor(np.vstack([self.R, other.R])))


def _r_factor(rows: Floats) -> Floats:
    return np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)


@dataclass(frozen=True)
class Centering:
    """A centre, near the mean, and a unit, a power of two, with which confounders lose no digits."""

    centre: Floats
    unit: Floats

    @classmethod
    def about(cls, centre: Floats, largest: Floats) -> Centering:
        """For confounders whose values are up to about `largest` from the centre."""
        exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
        return cls(centre, np.ldexp(1.0, np.clip(exponent, -1000, 1000)))

    def r_factor(self, block: Block) -> RFactor:
        """The R factor of the weighted rows of [1, confounders] of a block."""
        assert block.confounders is not None
        Z, weight = block.confounders, block.weight
        if weight is not None:
            Z = np.where(weight[:, None] > 0, Z, self.centre)  # zero times a huge value may be NaN
        rows = np.hstack([np.ones((len(Z), 1)), (Z - self.centre) / self.unit])
        if weight is not None:
            rows *= np.sqrt(weight)[:, None]
        return RFactor(_r_factor(rows))

    def basis(self, factor: RFactor) -> Basis:
        """The basis by the R factor of all rows: Gram-Schmidt on its columns, which keep their order."""
        root_n, about_centre, left = abs(factor.R[0, 0]), factor.R[:, 1:], factor.R[1:, 1:]
        sizes, level = np.linalg.norm(left, axis=0), np.linalg.norm(about_centre, axis=0)
        kept, dropped = list[int](), list[int]()
        Q = np.zeros((len(left), min(left.shape)))
        varying = sizes > CONSTANT * (level + root_n * np.abs(self.centre / self.unit))
        for c in np.flatnonzero(varying).tolist():
            v, some = left[:, c], Q[:, : len(kept)]
            for _ in range(2):  # twice is enough (Kahan)
                v = v - some @ (some.T @ v)
            rest = float(np.linalg.norm(v))
            if rest > REDUNDANT * sizes[c] and len(kept) < Q.shape[1]:
                Q[:, len(kept)] = v / rest
                kept.append(c)
            elif rest > REPEATED * level[c]:
                dropped.append(c)
        M = np.zeros((len(sizes), len(kept)))
        if kept:
            M[kept] = solve_triangular(_r_factor(left[:, kept]), np.eye(len(kept))) * root_n
        growth = float(np.linalg.norm(level / root_n @ np.abs(M)))
        return Basis(self.centre, self.unit, M, growth, np.array(dropped, dtype=np.intp), _NONE)


_NONE: Indices = np.empty(0, dtype=np.intp)


def basis_from_rows(Z: Floats, weight: Floats | None) -> Basis:
    """The basis of confounders in memory; each counts in its own unit."""
    w = np.ones(len(Z)) if weight is None else weight
    Z = np.where(w[:, None] > 0, Z, 0.0)
    unit = Centering.about(np.zeros(Z.shape[1]), np.max(np.abs(Z), axis=0, initial=0.0)).unit
    centre: Floats = (w / w.sum()) @ (Z / unit) * unit  # in units, so that no sum overflows
    spread = np.max(np.abs(Z - centre), axis=0, initial=0.0, where=w[:, None] > 0)
    centering = Centering.about(centre, spread)
    return centering.basis(centering.r_factor(Block(np.empty((len(Z), 0)), None, weight, Z)))


@dataclass(frozen=True)
class ConfounderProducts:
    """Products of confounders: n, sums and Z'Z, the lengths these were taken with, and their error.

    `exact` are columns of whole numbers, which float64 adds up without an error.
    """

    n: float
    sums: Floats
    ZZ: Floats
    lengths: Floats
    unit: float
    exact: NDArray[np.bool_]

    def basis(self, centering: Centering) -> Basis:
        """The basis by the Cholesky factor of the centred products, in the units of the centering."""
        mean = self.sums / self.n
        S = self.ZZ - self.n * np.outer(mean, mean)
        kept, doubtful = list[int](), list[int]()
        inverse = np.zeros((0, 0))  # of the Cholesky factor of the kept
        for c in range(len(S)):
            along = inverse @ S[kept, c]
            weights = np.append(-inverse.T @ along, 1.0)  # of the residual in the confounders
            length = float(np.abs(weights) @ self.lengths[[*kept, c]])
            left = S[c, c] - float(along @ along)
            if not left > 2 * self.unit * length**2:  # next to nothing is left of it, or nothing
                if self.lengths[c] > 0 and not self._repeats(c, kept):
                    doubtful.append(c)
                continue
            grown = np.zeros((len(kept) + 1, len(kept) + 1))
            grown[:-1, :-1] = inverse
            grown[-1] = weights / np.sqrt(left)
            kept, inverse = [*kept, c], grown
        M = np.zeros((len(S), len(kept)))
        M[kept] = inverse.T * np.sqrt(self.n)
        growth = float(np.linalg.norm(self.lengths @ np.abs(M))) / np.sqrt(self.n)
        return Basis(centering.centre, centering.unit, M, growth, _NONE, np.array(doubtful, dtype=np.intp))

    def _repeats(self, column: int, others: list[int]) -> bool:
        """Whether a column is a combination of a constant and others whose sums are exact, too.

        By elimination in fractions: indicators of all values of a column are such.
        """
        places = [*(other for other in others if self.exact[other]), column]
        if not self.exact[column] or len(places) > 60:  # elimination takes time by the cube
            return False
        n, sums = Fraction(self.n), [Fraction(s) for s in self.sums[places].tolist()]
        A = [[n, *sums]] + [
            [sums[i], *map(Fraction, row)] for i, row in enumerate(self.ZZ[np.ix_(places, places)].tolist())
        ]
        for k in range(len(A) - 1):
            if A[k][k] == 0:
                return False  # those before it are not independent, which they were found to be
            for i in range(k + 1, len(A)):
                share = A[i][k] / A[k][k]
                A[i] = [a - share * b for a, b in zip(A[i], A[k], strict=True)]
        return A[-1][-1] == 0
