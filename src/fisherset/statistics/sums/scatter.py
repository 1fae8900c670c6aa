"""Scatter of each column once N = [1, confounders] is removed: Eq. (3) and (4), column by column.

With R R' the inverse of N'N (`Moments.root`), B = R'N'X and beta = R B,

    total_j = x_j'x_j - b_j'b_j,  C = X'H = (X'T - beta'N'T) rotated by the coding,  between_j = ||C_j||^2 / n

The centred column x_j - N beta_j is not formed. Where the difference has lost its digits, which is known
from its error, the residuals are computed from the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._rounding import BOUNDED
from fisherset._types import EPS, Floats, Indices
from fisherset.data import Block, Rows
from fisherset.statistics.kernels import nuisance
from fisherset.statistics.sums.coding import Coding
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import CONSTANT, Moments

SLICE = 2**17  # numbers at a time of arrays as wide as the table: 1 MB stays in the cache of a core


class Scatter:
    """Spreads and products with the target, in the units of the guard, and how far they may be off.

    Arrays as large as the sums, p x d, are made of them some columns at a time, and not kept. A column
    counts as constant when its spread is within rounding of its values, or, where confounders are removed,
    when its residuals are: computed from the rows of `source`, if there are any, where sums cannot decide.
    """

    def __init__(self, moments: Moments, coding: Coding, source: Rows | None = None) -> None:
        self.moments, self.guard, self.n = moments, moments.guard, moments.n
        self.unit = _known_unit(moments)  # products of columns are off by this share of their lengths
        self.B: Floats = moments.root.T @ moments.NX  # r x d: X'X - B'B are the products of residuals
        self.beta: Floats = moments.root @ self.B  # z x d: column j is residualised to x_j - N beta_j
        explained = np.einsum("zj,zj->j", self.B, self.B)
        total = np.maximum(moments.squares - explained, 0.0)
        # lengths of the columns as their products were taken (see `errors`)
        self.lengths: Floats = np.sqrt(moments.added) + moments.N_length * np.sqrt(explained)
        self.constant: NDArray[np.bool_] = self._constant(total)  # columns without residuals
        doubtful = ~self.constant & ~(total * BOUNDED >= self.unit * self.lengths**2)
        if doubtful.any() and source is not None and not moments.subtracted:
            some = np.flatnonzero(doubtful)
            left = source.reduce(ResidualKernel(self.guard, some, self.beta[:, some]))
            # residuals from rows are as good as beta, u l_j (1 + L); up to four times that counts as zero
            rounding = 4 * self.unit * (1 + moments.N_length) * self.lengths[some]
            self.constant[some] = left.squares <= rounding**2
        self.unknown: NDArray[np.bool_] = doubtful & ~self.constant  # they may have residuals, or none
        self.total: Floats = np.where(self.constant, 0.0, total)  # n times the variance of each column
        self.ceiling = coding.ceiling(moments)
        self.target_errors = coding.errors(moments)
        self._coding, self._unrelated = coding, self.constant
        squares = np.empty(total.size)
        for part, C in self._products():
            squares[part] = np.einsum("jr,jr->j", C, C)
        self.rank: int = C.shape[1]  # number of columns r of H
        # differences between targets within the rounding of the sums are none
        self._unrelated = self.constant | (squares <= self.n * (16 * EPS) ** 2 * moments.squares)
        # sum of n_k (mean of class k - mean)^2 of each column, never above the total
        self.between: Floats = np.minimum(np.where(self._unrelated, 0.0, squares) / self.n, self.total)

    def with_targets(self, products: Floats, moments: Moments, coding: Coding) -> Scatter:
        """The scatter between other targets, from X'H in the units of the guard."""
        other = copy(self)
        other.moments, other._coding, other.rank = moments, coding, products.shape[1]
        other.ceiling = coding.ceiling(moments)
        squares = np.einsum("jr,jr->j", products, products)
        other.between = np.minimum(np.where(self.constant, 0.0, squares) / self.n, self.total)
        return other

    def _constant(self, total: Floats) -> NDArray[np.bool_]:
        """Columns that are constant before confounders are removed; after a subtraction few are known."""
        moments = self.moments
        if moments.subtracted:  # but those of whole numbers: n times the squares is the square of the sum
            constant: NDArray[np.bool_] = moments.added == 0
            exact = np.flatnonzero(moments.exact & ~constant)
            sums = zip(moments.squares[exact].tolist(), moments.NX[0, exact].tolist(), strict=True)
            constant[exact] = [int(self.n) * int(square) == int(whole) ** 2 for square, whole in sums]
            return constant
        if len(moments.NX) > 1:
            total = np.maximum(moments.squares - moments.NX[0] ** 2 / self.n, 0.0)
        with np.errstate(over="ignore"):
            level = np.abs(moments.mean + self.guard.offset / self.guard.unit)
            noise = np.maximum(64 * EPS * moments.added, self.n * (CONSTANT * level) ** 2)
        return np.asarray(total <= noise)

    @property
    def cross_errors(self) -> Floats:
        """Errors of the products of each column with the targets.

        Zero where these differ by no more than the rounding of the values: that is no difference.
        """
        errors: Floats = self.unit * self.lengths * self.target_errors.length
        plain = not self.moments.subtracted and len(self.moments.NX) == 1
        return np.where(self._unrelated, 0.0, errors) if plain else errors

    def sums_of(self, columns: Indices | slice) -> Floats:
        """T'X of the residuals of some columns, p x len(columns)."""
        moments = self.moments
        sums: Floats = moments.TX[:, columns] - moments.NT.T @ self.beta[:, columns]
        unrelated = np.flatnonzero(self._unrelated[columns])
        if unrelated.size:
            sums[:, unrelated] = 0.0
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
        """Slices of the columns, and their part of X'H."""
        step = max(1, SLICE // max(len(self.moments.TX), 1))
        for start in range(0, max(self.total.size, 1), step):
            some = slice(start, start + step)
            yield some, self._coding.rotate(self.sums_of(some).T, self.moments)

    @property
    def n_samples(self) -> float:
        """Number of rows as evidence.

        Whole weights are repeats of a row. Others only say how much it counts: their scale
        means nothing, and the more they differ the fewer rows are they worth (Kish 1965).
        """
        moments = self.moments
        return self.n if moments.whole_weights else self.n**2 / moments.weight_squares


class Residuals(NamedTuple):
    """Sum of squares of the residuals, and the largest value before, of each column."""

    squares: Floats
    largest: Floats

    def __add__(self, other: Residuals) -> Residuals:  # type: ignore[override]
        return Residuals(self.squares + other.squares, np.maximum(self.largest, other.largest))


@dataclass(frozen=True)
class ResidualKernel:
    """Residuals of some columns from their values: subtracted first, squared then, no digit cancels.

    They are those on N, with its coefficients, or those about the mean of each row's class.
    """

    guard: Guard
    columns: Indices
    coefficients: Floats
    by_class: bool = False

    def __call__(self, block: Block) -> Residuals:
        X = self.guard.columns(block.X, self.columns)
        X = X if isinstance(X, np.ndarray) else X.toarray()
        fitted = self.coefficients[block.y] if self.by_class else nuisance(block) @ self.coefficients
        weight = np.ones(len(X)) if block.weight is None else block.weight
        left = (X - fitted) * (weight > 0)[:, None]  # the square of a huge value may be infinite
        return Residuals(weight @ left**2, np.abs(X).max(axis=0, initial=0.0))


def _known_unit(moments: Moments) -> float:
    """The error of products, refused where nothing is known."""
    if np.isfinite(moments.unit):
        return moments.unit
    raise ValueError(
        "The confounders must not be so close to each other, or to a constant, that their sums do not tell "
        "them apart. Leave out those that repeat others, or fit the rows instead of a summary."
    )
