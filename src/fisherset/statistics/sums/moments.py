"""Moments: the sums over rows that means, spreads and C = X'H are computed from.

With N = [1, confounders], T the coded target and w the weights of the rows,

    N'wN (z x z)   N'wT (z x p)   T'wX (p x d)   N'wX (z x d)   and the squares of the columns of X and T.

Residualising on N is done afterwards, on these (see `Scatter`): X'X - (N'X)'(N'N)^-1 (N'X) needs no centred
matrix, and one pass does. It cancels where a mean is large compared with the spread: the guard prevents
that. All of this is additive over blocks, folds and summaries. A subtraction loses digits; that is why the
squares that were ever added are carried along (see `errors`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Block, Matrix, Rows
from fisherset.statistics.kernels import kernel_of, nuisance, weighted
from fisherset.statistics.sums.coding import Coding
from fisherset.statistics.sums.errors import precision
from fisherset.statistics.sums.guard import LARGE, SMALL, TOLERABLE_OFFSET, UNITS, Fill, Guard, power_of_two

S = TypeVar("S")

# Spread, as a share of the values, up to which a column is constant but for the rounding of its values.
CONSTANT = 8 * EPS
LEAST = np.nextafter(0.0, 1.0)  # a sum of squares that underflowed, but is not zero
EXACT_SUM = 2.0**52  # up to which float64 adds whole numbers, and products of two of them, without an error
LOST = 0.01  # share of N'N by which it may be off for anything to be known of residuals on N


@dataclass(frozen=True)
class Moments:
    """Weighted sums over rows, X as seen through a guard."""

    NN: Floats  # N'N, z x z
    NT: Floats  # N'T, z x p
    TT: Floats  # squares of T, p
    NX: Floats  # N'X, z x d
    TX: Floats  # T'X, p x d
    squares: Floats  # of X, d
    # The squares of N, T and X that were ever added up, those subtracted again included, and the number of
    # rows: rounding errors are a share of these (see `errors`).
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
        """The moments of all rows but those of the other: a total without a fold."""
        rest = self._combined(other, -1.0)
        return replace(rest, squares=np.maximum(rest.squares, 0.0))

    def _combined(self, other: Moments, sign: float) -> Moments:
        other = other.through(self.guard)
        signed = ("NN", "NT", "TT", "NX", "TX", "squares", "weight_squares")
        unsigned = ("N_added", "T_added", "added", "n_rows", "weight_squares_added")
        return replace(
            self,
            **{name: getattr(self, name) + sign * getattr(other, name) for name in signed},
            **{name: getattr(self, name) + getattr(other, name) for name in unsigned},
            whole_weights=self.whole_weights and other.whole_weights,
            subtracted=sign < 0 or self.subtracted or other.subtracted,
            whole=None if self.whole is None or other.whole is None else self.whole & other.whole,
            N_error=max(self.N_error, other.N_error),
        )

    def through(self, guard: Guard) -> Moments:
        """The same moments as another guard would have shown them.

        With x -> a x + b: N'x -> a N'x + b N'1, and x'x -> a^2 x'x + 2 a b 1'x + b^2 n.
        """
        if guard is self.guard or guard == self.guard:
            return self
        with np.errstate(over="ignore", invalid="ignore"):  # a guard that was wrong is found by its sums
            ratio, shift = self.guard.conversion(guard)
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

    def of(self, columns: Indices) -> Moments:
        """The moments of some columns, in the order given."""
        return replace(
            self,
            NX=self.NX[:, columns],
            TX=self.TX[:, columns],
            squares=self.squares[columns],
            added=self.added[columns],
            whole=None if self.whole is None else self.whole[columns],
            guard=self.guard.of(columns),
        )

    def regrouped(self, codes: Indices, size: int) -> Moments:
        """The same with T of another size, its column j being part of column codes[j] there."""
        if size == len(self.TT) and np.array_equal(codes, np.arange(size)):
            return self

        def summed(rows: Floats) -> Floats:
            total = np.zeros((size, *rows.shape[1:]))
            np.add.at(total, codes, rows)
            return total

        NT = np.ascontiguousarray(summed(self.NT.T).T)
        return replace(self, NT=NT, TT=summed(self.TT), TX=summed(self.TX), T_added=summed(self.T_added))

    @property
    def n(self) -> float:
        """Sum of the weights."""
        return float(self.NN[0, 0])

    @property
    def mean(self) -> Floats:
        return self.NX[0] / self.n

    @cached_property
    def root(self) -> Floats:
        """R, z x r, with R R' the inverse of N'N, as far as it has one: a fold may lack a confounder.

        The mean is removed first, so that the origin of a confounder makes no difference.
        """
        mean = self.NN[0, 1:] / self.n
        size, directions = np.linalg.eigh(self.NN[1:, 1:] - self.n * np.outer(mean, mean))
        # confounders have mean square one in the whole table; 1e-9 and less of it is absence from a part
        kept = size > 1e-9 * self.n
        root: Floats = np.zeros((len(self.NN), 1 + np.count_nonzero(kept)))
        root[0, 0] = 1 / np.sqrt(self.n)
        root[1:, 1:] = directions[:, kept] / np.sqrt(size[kept])
        root[0, 1:] = -mean @ root[1:, 1:]
        return root

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
        """Coefficients of T on N, z x p: the residual of T is T - N alpha."""
        return self.root @ (self.root.T @ self.NT)

    @property
    def explained(self) -> Floats:
        """Squares of each target that N explains, p."""
        along = self.root.T @ self.NT
        return np.einsum("rp,rp->p", along, along)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Columns whose sums have no rounding error: whole numbers, of whole weights, none of them large."""
        if self.whole is None or not self.whole_weights:
            return np.zeros(self.squares.size, dtype=bool)
        return self.whole & (self.added < EXACT_SUM) & bool(self.N_added[0] < EXACT_SUM)

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Columns free of NaN and infinity: one of either spoils a sum."""
        finite: NDArray[np.bool_] = np.isfinite(self.TX).all(axis=0) & np.isfinite(self.squares)
        return finite & np.isfinite(self.NX).all(axis=0)

    @property
    def out_of_range(self) -> NDArray[np.bool_]:
        """Columns whose squares, on average, are not safe to compute with."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # weights of 0 are refused later
            mean_square = self.squares / self.n
        return ~((mean_square > SMALL**2) & (mean_square < LARGE**2)) & (self.squares > 0)

    def _magnitude(self) -> Floats:
        """About how large the values of a column are, also where their sums or squares are out of range."""
        of_targets = np.maximum(self.TX.max(axis=0), -self.TX.min(axis=0))  # abs() would copy p x d numbers
        sums = np.maximum(of_targets, np.abs(self.NX[0]))
        normal = np.finfo(np.float64).tiny  # the least number with all its digits
        # of values whose squares are out of range no more is known than units that suit them all
        of_squares = np.select(
            [self.squares == 0, self.squares < normal, self.squares == np.inf],
            [0.0, 2.0**-800, 2.0**600],
            np.sqrt(self.squares) / np.sqrt(self.n),
        )
        size = np.where(sums > 0, np.maximum(sums / self.n, of_squares), of_squares)
        return np.where(np.isfinite(size), size, 2.0**1000)  # NaN stays NaN whatever the unit

    def better_guard(self) -> Guard | None:
        """The guard that these sums show to be needed; None where theirs was good enough."""
        with np.errstate(all="ignore"):
            mean = self.mean
            variance = self.squares / self.n - mean**2
            size = self._magnitude()
            far = np.isfinite(mean) & (mean**2 > TOLERABLE_OFFSET**2 * variance) & (mean != 0.0)
            lost = (size > 0) & self.out_of_range
            offset = self.guard.offset + np.where(far, mean * self.guard.unit, 0.0)
            spoilt = lost | ~self.finite
            unit = np.clip(self.guard.unit * np.where(spoilt, power_of_two(size), 1.0), *UNITS)
        if not (far.any() or spoilt.any()):
            return None
        better = Guard(offset, unit, self.guard.fill)
        return None if better == self.guard else better

    def without_needless_offsets(self) -> Moments:
        """The same through an idle guard, where that does no harm: later passes then copy no block."""
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
        return block_moments(guard.apply(block.X), block, self.coding, guard, guessed=self.guard is None)


def block_moments(X: Matrix, block: Block, coding: Coding, guard: Guard, *, guessed: bool) -> Moments:
    """The moments of a block, X being its columns as the guard shows them.

    Where that is a guess, columns whose squares underflow are marked.
    """
    compute, N = kernel_of(X), nuisance(block)
    T = coding.rows(np.zeros(len(N), dtype=np.intp) if block.y is None else block.y)
    weight = np.ones(len(N)) if block.weight is None else block.weight
    NW, TW = N * weight[:, None], weighted(T, block.weight)
    weight_squares = float(weight @ weight)
    with np.errstate(over="ignore", invalid="ignore"):
        TX = compute.sums(X, TW)
        squares, TT = compute.squares(X, block.weight), kernel_of(T).squares(T, block.weight)
        if guessed:
            _mark_underflow(squares, X, block.weight)
        # the sums over classes add up to those over all rows: X is not read again
        from_classes = N.shape[1] == 1 and coding.adds_up
        return Moments(
            NN=N.T @ NW,
            NT=np.asarray((TW.T @ N).T),
            TT=TT,
            NX=TX.sum(axis=0)[None] if from_classes else compute.transposed(X, NW).T,
            TX=TX,
            squares=squares,
            N_added=np.einsum("iz,iz->z", N, NW),
            T_added=TT,
            added=squares,
            n_rows=len(N),
            weight_squares=weight_squares,
            weight_squares_added=weight_squares,
            whole_weights=bool(np.all(weight == np.floor(weight))),
            guard=guard,
        )


def _mark_underflow(squares: Floats, X: Matrix, weight: Floats | None) -> None:
    """Replace sums of squares that are zero, of values that are not, by the least number."""
    none = np.flatnonzero(squares == 0)
    if none.size == 0 or (weight is None and not isinstance(X, np.ndarray) and _all_safe(X.data)):
        return
    if weight is None or weight.any():
        lost = none[kernel_of(X).any_nonzero(X, none, None if weight is None else weight > 0)]
        squares[lost] = LEAST


def _all_safe(stored: Floats, step: int = 2**18) -> bool:
    """Whether the square of every stored entry is safe from below; some at a time, to copy few."""
    parts = (stored[start : start + step] for start in range(0, stored.size, step))
    return all(np.abs(part).min() > SMALL for part in parts)


def check_weights_left(moments: Moments) -> None:
    """Refuse the rest of a subtraction where next to nothing is known of its weights, or of their squares.

    Errors of the weights are accounted for; of their squares, which say what rows are worth, they are not:
    these must be known to one part in a million.
    """
    unit = precision(moments.n_rows)
    known = unit * moments.N_added[0] <= LOST * moments.n
    squares, added = moments.weight_squares, moments.weight_squares_added
    if not (known and (moments.whole_weights or unit * added <= 1e-6 * squares)):
        raise ValueError(
            "The weights that are left must not be lost in the rounding of those subtracted. Summarize the "
            "remaining rows instead of subtracting."
        )


def sum_moments(source: Rows, coding: Coding, fill: Fill | None = None, N_error: float = 0.0) -> Moments:
    """The moments of a table; `N_error` is that of the confounders' basis."""
    n_numbers = (coding.size + 1) * source.n_columns
    moments = refine_guard(
        source.reduce(MomentsKernel(coding, None, n_numbers, fill)),
        lambda guard: source.reduce(MomentsKernel(coding, guard, n_numbers)),
        lambda moments: moments,
    )
    moments = replace(moments, N_error=N_error)
    return moments if moments.guard.idle else moments.without_needless_offsets()


def refine_guard(sums: S, sum_again: Callable[[Guard], S], moments_of: Callable[[S], Moments]) -> S:
    """Sums over a table through a guard that suits all its rows.

    One pass is enough unless the first rows misled the guess. A second is through the guard that the sums
    show to be needed, a third where all they showed of a column is that it is out of range.
    """
    for _ in range(2):
        better = moments_of(sums).better_guard()
        if better is None:
            break
        sums = sum_again(better)
        moments = moments_of(sums)
        if not moments.out_of_range.any() and moments.finite.all():
            break
    return sums
