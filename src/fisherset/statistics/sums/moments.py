"""Sums over rows: one pass, additive over blocks and folds.

N = [1, confounders] is what is taken out of the columns later, the mean being its first
column; T the coded target. Sums are weighted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Block, Matrix, Rows
from fisherset.statistics.kernels.blocks import kernel_of, nuisance, weighted
from fisherset.statistics.sums.coding import Coding
from fisherset.statistics.sums.errors import precision
from fisherset.statistics.sums.guard import LARGE, SMALL, TOLERABLE_OFFSET, UNITS, Fill, Guard, power_of_two

# Spread, as a share of the values, up to which a column is constant but for the rounding of its values.
CONSTANT = 8 * EPS
LEAST, NORMAL = np.nextafter(0.0, 1.0), np.finfo(np.float64).tiny  # the latter with all its digits
LOOKED_AT = 2**18  # stored entries of a sparse block, together
EXACT_SUM = 2.0**52  # up to which float64 adds whole numbers, and products of two of them, without an error
KNOWN_SQUARES = 1e-6  # share by which the sum of squared weights may be off
LOST = 0.01  # share of N'N by which it may be off for anything to be known of what N leaves
ABSENT = 1e-9  # mean square, of one in the whole table, up to which a confounder is not in a part of it
UNDERFLOWN, OVERFLOWN = 2.0**-800, 2.0**600  # units that suit all values whose squares are not


@dataclass(frozen=True)
class Moments:
    """What one pass adds up, X as seen through a guard."""

    NN: Floats  # N'N, z x z
    NT: Floats  # N'T, z x p
    TT: Floats  # squares of T, p
    NX: Floats  # N'X, z x d
    TX: Floats  # T'X, p x d
    squares: Floats  # of X, d
    # The squares of N, T and X that were ever added up, those subtracted again included, and the number of
    # rows: what rounding errors are a share of (see `errors`).
    N_added: Floats
    T_added: Floats
    added: Floats
    n_rows: int
    weight_squares: float  # sum of the squared weights
    weight_squares_added: float  # the same of all that were ever added
    whole_weights: bool  # whether all weights are whole numbers
    guard: Guard
    subtracted: bool = False  # whether rows were ever subtracted
    whole: NDArray[np.bool_] | None = None  # columns that are whole numbers, as the guard shows them
    N_error: float = 0.0  # share by which the rows of N may be off what the confounders span

    def __add__(self, other: Moments) -> Moments:
        return self._combined(other, 1.0)

    def __sub__(self, other: Moments) -> Moments:
        """The rows of this that are not among the rows of the other: a total without a fold."""
        rest = self._combined(other, -1.0)
        return replace(rest, squares=np.maximum(rest.squares, 0.0))

    def _combined(self, other: Moments, sign: float) -> Moments:
        other = other.through(self.guard)
        return Moments(
            self.NN + sign * other.NN,
            self.NT + sign * other.NT,
            self.TT + sign * other.TT,
            self.NX + sign * other.NX,
            self.TX + sign * other.TX,
            self.squares + sign * other.squares,
            self.N_added + other.N_added,
            self.T_added + other.T_added,
            self.added + other.added,
            self.n_rows + other.n_rows,
            self.weight_squares + sign * other.weight_squares,
            self.weight_squares_added + other.weight_squares_added,
            self.whole_weights and other.whole_weights,
            self.guard,
            sign < 0 or self.subtracted or other.subtracted,
            None if self.whole is None or other.whole is None else self.whole & other.whole,
            max(self.N_error, other.N_error),
        )

    def through(self, guard: Guard) -> Moments:
        """The same moments as another guard would have seen them."""
        if guard is self.guard or guard == self.guard:
            return self
        with np.errstate(over="ignore", invalid="ignore"):  # a guard that was wrong is found by its sums
            ratio, shift = self.guard.seen_by(guard)
            cross = shift * (2 * ratio * self.NX[0])
            squares = self.squares * ratio * ratio + cross + self.n * shift**2
            return replace(
                self,
                NX=self.NX * ratio + self.NN[:, :1] * shift,
                TX=self.TX * ratio + self.NT[0][:, None] * shift,
                squares=np.where((self.squares > 0) & (squares == 0), LEAST, squares),
                added=(np.sqrt(self.added) * ratio + np.abs(shift) * np.sqrt(self.N_added[0])) ** 2,
                guard=guard,
                whole=None if self.whole is None else self.whole & (ratio == 1.0) & (shift == np.rint(shift)),
            )

    def regrouped(self, codes: Indices, size: int) -> Moments:
        """The same with T of another size, its column j being part of column codes[j] there."""
        if size == len(self.TT) and np.array_equal(codes, np.arange(size)):
            return self
        NT, TX = np.zeros((len(self.NT), size)), np.zeros((size, self.TX.shape[1]))
        np.add.at(NT.T, codes, self.NT.T)
        np.add.at(TX, codes, self.TX)
        TT, T_added = np.zeros(size), np.zeros(size)
        np.add.at(TT, codes, self.TT)
        np.add.at(T_added, codes, self.T_added)
        return replace(self, NT=NT, TT=TT, TX=TX, T_added=T_added)

    @property
    def n(self) -> float:
        return float(self.NN[0, 0])

    @cached_property
    def root(self) -> Floats:
        """R, z x r, with R R' the inverse of N'N, as far as it has one: a fold may have taken a batch out.

        The mean is taken out first, so that where a column has its nought makes no difference.
        """
        mean = self.NN[0, 1:] / self.n
        size, directions = np.linalg.eigh(self.NN[1:, 1:] - self.n * np.outer(mean, mean))
        kept = size > ABSENT * self.n
        root: Floats = np.zeros((len(self.NN), 1 + np.count_nonzero(kept)))
        root[0, 0] = 1 / np.sqrt(self.n)
        root[1:, 1:] = directions[:, kept] / np.sqrt(size[kept])
        root[0, 1:] = -mean @ root[1:, 1:]
        return root

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Columns whose sums have no rounding error: whole numbers, of whole weights, none of them large."""
        if self.whole is None or not self.whole_weights:
            return np.zeros(self.squares.size, dtype=bool)
        return self.whole & (self.added < EXACT_SUM) & bool(self.N_added[0] < EXACT_SUM)

    @cached_property
    def N_length(self) -> float:
        """L, the length of an orthonormal basis of N as its products were taken (see `errors`)."""
        return float(np.linalg.norm(np.abs(self.root).T @ np.sqrt(self.N_added)))

    @cached_property
    def unit(self) -> float:
        """u, which includes what the rows of N are off by; infinite where nothing is left of N's digits."""
        unit = precision(self.n_rows) + 2 * self.N_error
        lost = unit * self.N_length**2
        return unit / (1 - lost) if lost <= LOST else np.inf

    @property
    def alpha(self) -> Floats:
        """What is taken out of T is N alpha, z x p."""
        alpha: Floats = self.root @ (self.root.T @ self.NT)
        return alpha

    @property
    def explained(self) -> Floats:
        """The squares of each target that N explains, p."""
        along = self.root.T @ self.NT
        explained: Floats = np.einsum("rp,rp->p", along, along)
        return explained

    @property
    def mean(self) -> Floats:
        mean: Floats = self.NX[0] / self.n
        return mean

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Columns free of NaN and infinity: one of either spoils a sum."""
        finite: NDArray[np.bool_] = np.isfinite(self.TX).all(axis=0) & np.isfinite(self.squares)
        return finite & np.isfinite(self.NX).all(axis=0)

    @property
    def out_of_range(self) -> NDArray[np.bool_]:
        """Columns whose squares, on average, are not safe to compute with."""
        with np.errstate(over="ignore"):
            mean_square = self.squares / self.n
        return ~((mean_square > SMALL**2) & (mean_square < LARGE**2)) & (self.squares > 0)

    def _size(self) -> Floats:
        """About how large the values of a column are, also where their sums or squares are out of range."""
        of_targets = np.maximum(self.TX.max(axis=0), -self.TX.min(axis=0))  # without a copy
        sums = np.maximum(of_targets, np.abs(self.NX[0]))
        of_squares = np.select(
            [self.squares == 0, self.squares < NORMAL, self.squares == np.inf],
            [0.0, UNDERFLOWN, OVERFLOWN],
            np.sqrt(self.squares) / np.sqrt(self.n),
        )
        size = np.where(sums > 0, np.maximum(sums / self.n, of_squares), of_squares)
        return np.where(np.isfinite(size), size, 2.0**1000)  # NaN stays NaN whatever the unit

    def better_guard(self) -> Guard:
        """The guard these moments would have needed; the same one when it was good enough."""
        with np.errstate(all="ignore"):
            mean = self.mean
            variance = self.squares / self.n - mean**2
            size = self._size()
            far = np.isfinite(mean) & (mean**2 > TOLERABLE_OFFSET**2 * variance) & (mean != 0.0)
            lost = (size > 0) & self.out_of_range
            offset = self.guard.offset + np.where(far, mean * self.guard.unit, 0.0)
            spoilt = lost | ~self.finite
            unit = np.clip(self.guard.unit * np.where(spoilt, power_of_two(size), 1.0), *UNITS)
        if not (far.any() or spoilt.any()):
            return self.guard
        better = Guard(offset, unit, self.guard.fill)
        return self.guard if better == self.guard else better

    def without_needless_offsets(self) -> Moments:
        """The same through an idle guard, where that does no harm: blocks need no copy then."""
        mean = self.mean
        with np.errstate(invalid="ignore", over="ignore"):
            spread = np.sqrt(np.maximum(self.squares / self.n - mean**2, 0.0))
            level = np.abs(mean + self.guard.offset / self.guard.unit)
            near = level < TOLERABLE_OFFSET * spread
            # a constant is a constant at any offset whose square is safe
            near |= (spread <= CONSTANT * level) & (np.abs(self.guard.offset) < LARGE)
        light = Guard(np.where(near, 0.0, self.guard.offset), self.guard.unit)
        return self.through(light) if light.idle and self.guard.fill is None else self


@dataclass(frozen=True)
class MomentsKernel:
    """The moments of a block, through its own guess at a guard where none is given."""

    coding: Coding
    guard: Guard | None = None
    n_numbers: int = 0
    fill: Fill | None = None

    def __call__(self, block: Block) -> Moments:
        guard = Guard.guess(block.X, self.fill) if self.guard is None else self.guard
        X, N = guard.apply(block.X), nuisance(block)
        compute = kernel_of(X)
        T = self.coding.rows(np.zeros(len(N), dtype=np.intp) if block.y is None else block.y)
        of_rows = np.ones(len(N)) if block.weight is None else block.weight
        NW, TW = N * of_rows[:, None], weighted(T, block.weight)
        with np.errstate(over="ignore", invalid="ignore"):
            TX = compute.sums(X, TW)
            alone = N.shape[1] == 1 and self.coding.adds_up
            squares, TT = compute.squares(X, block.weight), kernel_of(T).squares(T, block.weight)
            if self.guard is None:
                squares = mark_underflow(squares, X, block.weight)
            return Moments(
                NN=N.T @ NW,
                NT=np.asarray((TW.T @ N).T),
                TT=TT,
                NX=TX.sum(axis=0)[None] if alone else compute.transposed(X, NW).T,
                TX=TX,
                squares=squares,
                N_added=np.einsum("iz,iz->z", N, NW),
                T_added=TT,
                added=squares,
                n_rows=len(N),
                weight_squares=float(of_rows @ of_rows),
                weight_squares_added=float(of_rows @ of_rows),
                whole_weights=bool(np.all(of_rows == np.floor(of_rows))),
                guard=guard,
            )


def check_weights_left(moments: Moments) -> None:
    """Refuse the rest of a subtraction where next to nothing is known of its weights, or of their squares.

    Errors of the weights are accounted for; of their squares, which say what rows are worth, they are not.
    """
    unit = precision(moments.n_rows)
    known = unit * moments.N_added[0] <= LOST * moments.n
    squares, added = moments.weight_squares, moments.weight_squares_added
    if not (known and (moments.whole_weights or unit * added <= KNOWN_SQUARES * squares)):
        raise ValueError(
            "The weights that are left must not be lost in the rounding of those subtracted. Summarize the "
            "remaining rows instead of subtracting."
        )


def mark_underflow(squares: Floats, X: Matrix, weight: Floats | None) -> Floats:
    """The sums of squares, the least number instead of nought where values are too small for a square."""
    none = np.flatnonzero(squares == 0)
    if none.size == 0 or (weight is None and not isinstance(X, np.ndarray) and _all_large(X.data)):
        return squares
    if weight is not None and not weight.any():
        return squares
    lost = none[kernel_of(X).anything(X, none, None if weight is None else weight > 0)]
    squares[lost] = LEAST
    return squares


def _all_large(stored: Floats) -> bool:
    """Whether the square of every stored entry is safe from below; some at a time, for want of a copy."""
    parts = (stored[start : start + LOOKED_AT] for start in range(0, stored.size, LOOKED_AT))
    return all(np.abs(part).min() > SMALL for part in parts)


def sum_moments(source: Rows, coding: Coding, fill: Fill | None = None, N_error: float = 0.0) -> Moments:
    """The moments of a table: one pass, or two when the first rows misled the guard.

    A third where all that the first could tell of some columns is that they are out of range. `N_error` is
    that of the confounders' basis.
    """
    n_numbers = (coding.size + 1) * source.n_columns
    moments = source.reduce(MomentsKernel(coding, None, n_numbers, fill))
    for _ in range(2):
        better = moments.better_guard()
        if better is moments.guard:
            break
        moments = source.reduce(MomentsKernel(coding, better, n_numbers))
        if not moments.out_of_range.any() and moments.finite.all():
            break
    moments = replace(moments, N_error=N_error)
    return moments if moments.guard.idle else moments.without_needless_offsets()
