"""An orthonormal basis of the confounders, less the mean: what is removed from features and targets.

A confounder counts only where it adds to those before it: one of which less than the share `REDUNDANT` is
left once the mean and the others are removed repeats them, and is dropped. From rows that is told by a QR
factorisation, whose triangles of blocks add up; from products as far as their errors let it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from fisherset._types import EPS, Floats, Indices
from fisherset.sources import Block

REDUNDANT = 1e-10  # share of a confounder that must be left of it
CONSTANT = 8 * EPS  # spread, as a share of the values, up to which a confounder is constant
# Share of N'N by which products may be off for a basis by products to be as good as one by rows.
AS_GOOD_AS_ROWS = 1e-9


class Basis(NamedTuple):
    """The basis (Z - centre) M of confounders Z: columns of mean square one.

    Attributes
    ----------
    centre, M : ndarray of shape (z,) and (z, r)
        What makes it of the confounders.
    error : float
        Share by which its rows, once computed, may be off what the confounders span.
    dropped : ndarray
        Confounders that repeat those before them.
    sure : bool
        Whether rounding left no doubt about that.
    """

    centre: Floats
    M: Floats
    error: float
    dropped: Indices
    sure: bool = True

    def rows(self, Z: Floats) -> Floats | None:
        """The basis at some rows of the confounders; None where nothing is left of these."""
        return (Z - self.centre) @ self.M if self.M.shape[1] else None


@dataclass(frozen=True)
class Triangle:
    """R of a QR factorisation of rows; of more rows it is that of the triangles on top of each other."""

    R: Floats

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(_triangle(np.vstack([self.R, other.R])))


@dataclass(frozen=True)
class Frame:
    """A centre, near the mean, and a unit, a power of two, in which confounders lose no digits."""

    centre: Floats
    unit: Floats

    @classmethod
    def about(cls, centre: Floats, largest: Floats) -> Frame:
        """The frame of confounders whose values are about `largest`."""
        exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
        return cls(centre, np.ldexp(1.0, np.clip(exponent, -1000, 1000)))

    def triangle(self, block: Block) -> Triangle:
        """The triangle of the weighted rows of [1, confounders] of a block."""
        assert block.confounders is not None
        Z, weight = block.confounders, block.weight
        if weight is not None:
            Z = np.where(weight[:, None] > 0, Z, self.centre)  # a row without weight has no say
        Z = (Z - self.centre) / self.unit
        rows = np.hstack([np.ones((len(Z), 1)), Z])
        if weight is not None:
            rows *= np.sqrt(weight)[:, None]
        return Triangle(_triangle(rows))

    def basis(self, triangle: Triangle) -> Basis:
        """The basis that the triangle of all rows gives."""
        R = triangle.R
        root_n, about_centre, left = abs(R[0, 0]), R[:, 1:], R[1:, 1:]
        sizes, level = np.linalg.norm(left, axis=0), np.linalg.norm(about_centre, axis=0)
        level = level + root_n * np.abs(self.centre / self.unit)
        kept: list[int] = []
        Q = np.zeros((len(left), min(left.shape)))
        for c in np.flatnonzero(sizes > CONSTANT * level).tolist():
            v, some = left[:, c], Q[:, : len(kept)]
            for _ in range(2):  # twice is enough (Kahan)
                v = v - some @ (some.T @ v)
            rest = float(np.linalg.norm(v))
            if rest > REDUNDANT * sizes[c]:
                Q[:, len(kept)] = v / rest
                kept.append(c)
        M = np.zeros((len(sizes), len(kept)))
        if kept:
            factor = _triangle(left[:, kept])
            M[kept] = solve_triangular(factor, np.eye(len(kept))) * root_n
        rms = np.linalg.norm(about_centre, axis=0) / root_n
        dropped = np.setdiff1d(np.arange(len(sizes)), kept)
        return Basis(self.centre, M / self.unit[:, None], rounding_of_rows(M, rms), dropped)


def _triangle(rows: Floats) -> Floats:
    return np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)


def rounding_of_rows(M: Floats, rms: Floats) -> float:
    """Share by which rows of (Z - centre) M are off: sums of z terms of the sizes `rms`."""
    growth = float(np.linalg.norm(rms @ np.abs(M)))
    return (len(rms) + 4) * EPS * growth


def basis_of(Z: Floats, weight: Floats | None) -> Basis:
    """The basis of confounders in memory; each counts in its own unit."""
    w = np.ones(len(Z)) if weight is None else weight
    Z = np.where(w[:, None] > 0, Z, 0.0)
    largest = np.max(np.abs(Z), axis=0, initial=0.0)
    frame = Frame.about(np.zeros(Z.shape[1]), largest)
    centre: Floats = (w / w.sum()) @ (Z / frame.unit) * frame.unit
    spread = np.max(np.abs(Z - centre), axis=0, initial=0.0, where=w[:, None] > 0)
    frame = Frame.about(centre, spread)
    return frame.basis(frame.triangle(Block(np.empty((len(Z), 0)), None, weight, Z)))


def basis_of_products(S: Floats, lengths: Floats, n: float, unit: float) -> Basis:
    """The basis of confounders from their centred products S, and the lengths these were taken with.

    Its centre is zero: S is of confounders whose mean is removed.
    """
    kept: list[int] = []
    sure, inverse = True, np.zeros((0, 0))  # of the Cholesky factor of the kept
    for c in range(len(S)):
        along = inverse @ S[kept, c]
        weights = np.append(-inverse.T @ along, 1.0)  # of what is left of the confounder
        length = float(np.abs(weights) @ lengths[[*kept, c]])
        left, off = S[c, c] - float(along @ along), unit * length**2
        if not left > 2 * off:
            sure &= lengths[c] == 0  # else it may be next to nothing, or nothing
            continue
        kept.append(c)
        grown = np.zeros((len(kept), len(kept)))
        grown[:-1, :-1] = inverse
        grown[-1] = weights / np.sqrt(left)
        inverse = grown
    M = np.zeros((len(S), len(kept)))
    M[kept] = inverse.T * np.sqrt(n)
    rms = np.sqrt(np.maximum(S.diagonal(), 0.0) / n)
    reach = float(np.linalg.norm(lengths @ np.abs(M))) / np.sqrt(n)
    dropped = np.setdiff1d(np.arange(len(S)), kept)
    sure = bool(sure) and unit * reach**2 <= AS_GOOD_AS_ROWS
    return Basis(np.zeros(len(S)), M, rounding_of_rows(M, rms), dropped, sure)
