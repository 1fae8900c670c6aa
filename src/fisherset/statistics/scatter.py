"""What the moments say of each column once N = [1, confounders] is taken out: Eq. (3) column by column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats
from fisherset.statistics.coding import Coding
from fisherset.statistics.moments import CONSTANT, Moments


class Scatter:
    """Spreads and products with the target, in the units of the guard.

    A column counts as constant when its spread is within rounding of its values.

    Attributes
    ----------
    beta : ndarray of shape (z, d)
        What is taken out of column j is N beta_j; without confounders the mean.
    B : ndarray of shape (r, d)
        The same as products, r the rank of N: X'X - B'B is what is left of X'X.
    total : ndarray of shape (d,)
        Sum of squares that is left of each column; n times its variance.
    sums : ndarray of shape (p, d)
        What is left of T'X.
    C : ndarray of shape (d, r)
        X'H.
    precision : float
        Share of the product of their lengths by which a product of two columns may be off.
    """

    def __init__(self, moments: Moments, coding: Coding) -> None:
        self.moments, self.guard, self.n = moments, moments.guard, moments.n
        self.precision = precision(moments.n_rows)
        self.B: Floats = moments.root.T @ moments.NX
        self.beta: Floats = moments.root @ self.B
        total = np.maximum(moments.squares - np.einsum("zj,zj->j", self.B, self.B), 0.0)
        with np.errstate(over="ignore"):
            level = np.abs(moments.mean + self.guard.offset / self.guard.unit)
            noise = np.maximum(64 * EPS * moments.added, self.n * (CONSTANT * level) ** 2)
        self.constant: NDArray[np.bool_] = total <= noise
        self.total: Floats = np.where(self.constant, 0.0, total)
        sums = moments.TX - moments.NT.T @ self.beta
        C = coding.rotate(sums.T, moments)
        # what is only the rounding of the sums is no difference between targets
        none = self.constant | (np.einsum("jr,jr->j", C, C) <= self.n * (16 * EPS) ** 2 * moments.squares)
        sums[:, none], C[none] = 0.0, 0.0
        self.sums: Floats = sums
        self.C: Floats = C
        self.ceiling = coding.ceiling(moments)

    @property
    def between(self) -> Floats:
        """Sum of n_k (mean of class k - mean)^2 of each column, never above the total."""
        between: Floats = np.einsum("jr,jr->j", self.C, self.C) / self.n
        return np.minimum(between, self.total)

    @property
    def n_samples(self) -> float:
        """What the rows are worth as evidence.

        Whole weights are repeats of a row. Others only say how much it counts: their scale
        means nothing, and the more they differ the less the rows tell (Kish 1965).
        """
        moments = self.moments
        return self.n if moments.whole_weights else self.n**2 / moments.weight_squares


def precision(n_rows: int) -> float:
    """Share of ||x|| ||y|| by which a computed product x'y of so many terms may be off.

    The terms are added up in blocks of a few hundred by the BLAS, and the blocks one after the
    other; that the errors add up, too, is the worst case. The least is what shifting and scaling cost.
    """
    return EPS * (16 + min(n_rows, 512 + n_rows / 128))
