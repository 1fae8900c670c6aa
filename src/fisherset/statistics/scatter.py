"""What the moments say of each column once N = [1, confounders] is taken out: Eq. (3) column by column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.statistics.coding import Coding
from fisherset.statistics.moments import CONSTANT, Moments

SLICE = 2**17  # numbers that are worked on at a time, of arrays that are as wide as the table


class Scatter:
    """Spreads and products with the target, in the units of the guard.

    What is as large as the sums, p x d, is made of them some columns at a time, and not kept. A column
    counts as constant when its spread is within rounding of its values.

    Attributes
    ----------
    beta : ndarray of shape (z, d)
        What is taken out of column j is N beta_j; without confounders the mean.
    B : ndarray of shape (r, d)
        The same as products, r the rank of N: X'X - B'B is what is left of X'X.
    total : ndarray of shape (d,)
        Sum of squares that is left of each column; n times its variance.
    rank : int
        Number of columns r of H.
    between : ndarray of shape (d,)
        Sum of n_k (mean of class k - mean)^2 of each column, never above the total.
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
        self.ceiling = coding.ceiling(moments)
        self._coding, self._none = coding, self.constant
        squares = np.empty(total.size)
        for some, C in self._products():
            squares[some] = np.einsum("jr,jr->j", C, C)
        self.rank: int = C.shape[1]
        # what is only the rounding of the sums is no difference between targets
        self._none = self.constant | (squares <= self.n * (16 * EPS) ** 2 * moments.squares)
        self.between: Floats = np.minimum(np.where(self._none, 0.0, squares) / self.n, self.total)

    @property
    def sums(self) -> Floats:
        """What is left of T'X, p x d."""
        return self.sums_of(slice(None))

    def sums_of(self, columns: Indices | slice) -> Floats:
        """What is left of T'X of some columns, p x len(columns)."""
        moments = self.moments
        sums: Floats = moments.TX[:, columns] - moments.NT.T @ self.beta[:, columns]
        none = np.flatnonzero(self._none[columns])
        if none.size:
            sums[:, none] = 0.0
        return sums

    def products(self, scale: Floats) -> Floats:
        """C = X'H of the columns that vary, each divided by its scale: d x r without the constant ones."""
        varying = ~self.constant
        C: Floats = np.empty((scale.size, self.rank))
        start = 0
        for some, part in self._products():
            part = part if scale.size == varying.size else part[varying[some]]
            stop = start + len(part)
            np.divide(part, scale[start:stop, None], out=C[start:stop])
            start = stop
        return C

    def _products(self) -> Iterator[tuple[slice, Floats]]:
        """Some columns of the table after the other, and their part of X'H."""
        step = max(1, SLICE // max(len(self.moments.TX), 1))
        for start in range(0, max(self.total.size, 1), step):
            some = slice(start, start + step)
            yield some, self._coding.rotate(self.sums_of(some).T, self.moments)

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
