"""All sums and products of some rows: what is added up in one pass, for the solver to ask for nothing more.

Confounders, and targets that are numbers, are columns beside the features: what is taken out of
what is decided afterwards, and rows from several places have their sums in common units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Block, Matrix, Rows
from fisherset.statistics.kernels.blocks import kernel_of
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.confounders import (
    AS_GOOD_AS_ROWS,
    Basis,
    Centering,
    Whole,
    basis_of_products,
)
from fisherset.statistics.sums.errors import precision
from fisherset.statistics.sums.guard import Fill, Guard
from fisherset.statistics.sums.moments import (
    EXACT_SUM,
    Moments,
    MomentsKernel,
    check_weights_left,
    mark_underflow,
)

MANY_LABELS = 5000  # of which each should have come twice

# Of a block as it came the labels met in it, and the block with their numbers for y: none where y is numbers,
# which stand among the columns.
Reader = Callable[[Block], tuple[list[Any], Block]]


@dataclass(frozen=True)
class CrossProducts:
    """Sums, and products of all columns with each other, seen through one guard.

    Attributes
    ----------
    labels : tuple
        The label of each row of T; a single one where there are no classes.
    counts : ndarray of int
        How many rows have each label.
    moments : Moments
        Of all columns; N is the mean alone, T the indicator of the labels.
    XX : ndarray
        Products of all columns.
    """

    labels: tuple[Any, ...]
    counts: Indices
    moments: Moments
    XX: Floats

    def __add__(self, other: CrossProducts) -> CrossProducts:
        """The sum of parts of one pass, which see through the same guard."""
        return self._combined(other, 1.0)

    def merged(self, other: CrossProducts) -> CrossProducts:
        """The sum of rows from two places, through a guard that suits both."""
        mine, theirs, own = self.moments, other.moments, self.moments.guard
        # a part without any spread has a guard that was guessed from next to nothing
        bare = (mine.squares == 0) & (theirs.squares > 0)
        start = Guard(
            np.where(bare, theirs.guard.offset, own.offset),
            np.where(bare, theirs.guard.unit, own.unit),
            own.fill,
        )
        total = self.through(start)._combined(other, 1.0)
        better = total.moments.better_guard()
        if better is total.moments.guard:
            return total
        return self.through(better)._combined(other.through(better), 1.0)

    def __iadd__(self, other: CrossProducts) -> CrossProducts:
        """The sum, in place as far as it can be: for blocks that nobody else holds."""
        return self._combined(other, 1.0, self.XX)

    def __sub__(self, other: CrossProducts) -> CrossProducts:
        """The rows of this that are not among the rows of the other."""
        rest = self._combined(other, -1.0)
        check_weights_left(rest.moments)
        better = rest.moments.better_guard()
        if better is not rest.moments.guard:
            rest = self.through(better)._combined(other.through(better), -1.0)
        rest.moments.squares[:] = np.maximum(rest.moments.squares, 0.0)
        left = np.flatnonzero(rest.counts)
        return rest if left.size == rest.counts.size else rest._only(left)

    def forgetful(self) -> CrossProducts:
        """The same with what was ever added known to a power of two: it tells nothing of subtracted rows."""
        m = self.moments
        if not m.subtracted:
            return self
        N_added, T_added, added = (_power_above(squares) for squares in (m.N_added, m.T_added, m.added))
        known = replace(
            m,
            N_added=N_added,
            T_added=T_added,
            added=added,
            weight_squares_added=float(_power_above(np.array(m.weight_squares_added))),
            n_rows=1 << (m.n_rows - 1).bit_length(),
        )
        return replace(self, moments=known)

    def about_means(self) -> CrossProducts:
        """The same about means where it was about some of the values: none of these can be read off it."""
        guard = self.moments.guard
        far = guard.offset != 0
        if not far.any():
            return self
        moments = self.moments
        offset = guard.offset + np.where(far, moments.mean * guard.unit, 0.0)
        # whole numbers lose no digits about zero, and stay whole
        largest = np.sqrt(moments.added) + np.abs(guard.offset) * np.sqrt(moments.N_added[0])
        whole = moments.exact & (moments.added > 0) & (guard.unit == 1.0) & (largest < np.sqrt(EXACT_SUM))
        return self.through(Guard(np.where(whole, 0.0, offset), guard.unit))

    def _only(self, kept: Indices) -> CrossProducts:
        """The same without labels that no row has any more: what is left of their sums is rounding."""
        labels, m = tuple(self.labels[j] for j in kept), self.moments
        moments = replace(m, NT=m.NT[:, kept], TT=m.TT[kept], T_added=m.T_added[kept], TX=m.TX[kept])
        return CrossProducts(labels, self.counts[kept], moments, self.XX)

    def _combined(self, other: CrossProducts, sign: float, out: Floats | None = None) -> CrossProducts:
        labels = tuple(dict.fromkeys((*self.labels, *other.labels)))
        place = {label: j for j, label in enumerate(labels)}
        at, at_other = (np.array([place[label] for label in one.labels]) for one in (self, other))
        other = other.through(self.moments.guard)
        mine, theirs = (
            one.moments.regrouped(codes, len(labels)) for one, codes in ((self, at), (other, at_other))
        )
        combine = np.add if sign > 0 else np.subtract
        counts = np.bincount(at, self.counts, minlength=len(labels))
        counts = combine(counts, np.bincount(at_other, other.counts, minlength=len(labels))).astype(np.intp)
        if len(labels) > MANY_LABELS and counts.sum() < 2 * len(labels):
            raise ValueError(
                f"y must hold labels that come again; got {len(labels)} different ones in {counts.sum()} "
                f"rows, as identifiers are. Name another target, or use task='regression' for numbers."
            )
        total = mine + theirs if sign > 0 else mine - theirs
        return CrossProducts(labels, counts, total, combine(self.XX, other.XX, out=out))

    def through(self, guard: Guard) -> CrossProducts:
        """The same as another guard would have shown it."""
        moments = self.moments.through(guard)
        if moments is self.moments:
            return self
        ratio, shift = self.moments.guard.seen_by(guard)
        XX = self.XX * ratio
        XX *= ratio[:, None]
        moved = np.flatnonzero(shift)
        half = ratio * self.moments.NX[0] + moments.n / 2 * shift
        XX[moved] += np.outer(shift[moved], half)
        XX[:, moved] += np.outer(half, shift[moved])
        return replace(self, moments=moments, XX=XX)

    def reordered(self, order: Indices) -> CrossProducts:
        """The same with its columns in another order."""
        m = self.moments
        moments = replace(
            m,
            NX=m.NX[:, order],
            TX=m.TX[:, order],
            squares=m.squares[order],
            added=m.added[order],
            whole=None if m.whole is None else m.whole[order],
            guard=m.guard.of(order),
        )
        return replace(self, moments=moments, XX=self.XX[np.ix_(order, order)])

    def by_class(self, codes: Indices, n_classes: int) -> CrossProducts:
        """The same with classes for labels, each label being of the class its code says."""
        counts = np.bincount(codes, self.counts, minlength=n_classes).astype(np.intp)
        moments = self.moments.regrouped(codes, n_classes)
        return CrossProducts(tuple(range(n_classes)), counts, moments, self.XX)


@dataclass(frozen=True)
class CrossProductsKernel:
    """Gathers a block, which a reader makes sense of."""

    read: Reader
    guard: Guard

    def __call__(self, block: Block) -> CrossProducts:
        labels, known = self.read(block)
        X = self.guard.apply(known.X)
        idle = Guard(np.zeros_like(self.guard.offset), np.ones_like(self.guard.unit))
        seen = Block(X, known.y, known.weight)  # whatever the guard fills in is there
        moments = replace(MomentsKernel(Classes(len(labels)), idle)(seen), guard=self.guard)
        mark_underflow(moments.squares, X, known.weight)
        moments = replace(moments, whole=kernel_of(X).whole(X))
        counts = np.bincount(known.y, minlength=len(labels)).astype(np.intp)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is found by its sums
            return CrossProducts(tuple(labels), counts, moments, kernel_of(X).square(X, known.weight))


def sum_cross_products(
    rows: Rows, read: Reader, *, columns: bool = True, fill: Fill | None = None
) -> CrossProducts:
    """Everything in one pass, or two when the first rows misled the guard; `columns` as in `Rows.reduce`."""
    head = rows.head()
    _, first = read(head if columns else replace(head, X=head.X[:, :0]))
    gathered = rows.reduce(CrossProductsKernel(read, Guard.guess(first.X, fill)), columns=columns)
    for _ in range(2):
        better = gathered.moments.better_guard()
        if better is gathered.moments.guard:
            break
        gathered = rows.reduce(CrossProductsKernel(read, better), columns=columns)
        if not gathered.moments.out_of_range.any() and gathered.moments.finite.all():
            break
    return gathered


def _power_above(squares: Floats) -> Floats:
    """The least powers of two that are no less than some numbers, zero for zero."""
    mantissa, exponent = np.frexp(squares)
    exponent = np.minimum(np.where(mantissa == 0.5, exponent - 1, exponent), 1023)
    return np.where(squares > 0, np.ldexp(1.0, exponent), 0.0)


class ColumnRoles(NamedTuple):
    """What the columns that were gathered are: features first, then these."""

    n_features: int
    confounders: Indices
    targets: Indices
    label_sets: bool = False  # whether the targets say which labels a row has


def feature_moments(
    gathered: CrossProducts, roles: ColumnRoles, basis: Basis | None = None
) -> tuple[Moments, Coding]:
    """The moments of the features, once it is settled what is removed from them, and their coding.

    `basis` is that of the confounders, by default as products tell it.
    """
    moments, d = gathered.moments, roles.n_features
    n, sums, weight_length = moments.n, moments.NX[0], np.sqrt(moments.N_added[0])
    mean, Z = sums / n, roles.confounders
    basis = basis_from_products(gathered, Z) if basis is None else basis
    M = _seen_by_guard(basis, moments, Z)
    coding, T = _coded(gathered, roles)
    # of N = [1, (Z - mean) M] with the features, with itself and with T, from those of the columns
    of_Z: Floats = M.T @ (gathered.XX[Z] - np.outer(mean[Z], sums))
    NN = np.zeros((1 + M.shape[1], 1 + M.shape[1]))
    NN[0, 0], NN[1:, 1:] = n, of_Z[:, Z] @ M
    N_lengths = np.append(weight_length, _centred_lengths(moments, Z) @ np.abs(M))
    NT = np.vstack([T.sums, M.T @ (T.TX[:, Z].T - np.outer(mean[Z], T.sums))])
    return (
        Moments(
            NN=NN,
            NT=NT,
            TT=T.squares,
            NX=np.vstack([sums[:d], of_Z[:, :d]]),
            TX=T.TX[:, :d],
            squares=moments.squares[:d],
            N_added=N_lengths**2,
            T_added=T.added,
            added=moments.added[:d],
            n_rows=moments.n_rows,
            weight_squares=moments.weight_squares,
            weight_squares_added=moments.weight_squares_added,
            whole_weights=moments.whole_weights,
            guard=moments.guard.of(np.arange(d)),
            subtracted=moments.subtracted,
            whole=None if moments.whole is None else moments.whole[:d],
        ),
        coding,
    )


def basis_from_products(gathered: CrossProducts, Z: Indices) -> Basis:
    """The basis of some columns, as far as their products tell it."""
    moments, guard = gathered.moments, gathered.moments.guard.of(Z)
    XX, sums, lengths = gathered.XX[np.ix_(Z, Z)], moments.NX[0, Z], _centred_lengths(gathered.moments, Z)
    mean = sums / moments.n
    frame = Centering(guard.offset + mean * guard.unit, guard.unit)
    S = XX - moments.n * np.outer(mean, mean)
    whole = Whole(moments.n, sums, XX, moments.exact[Z])
    return basis_of_products(S, frame, lengths, moments.n, precision(moments.n_rows), whole)


def _seen_by_guard(basis: Basis, moments: Moments, Z: Indices) -> Floats:
    """M for columns as the guard shows them."""
    M: Floats = basis.M * (moments.guard.unit[Z] / basis.unit)[:, None]
    return M


def products_suffice(gathered: CrossProducts, Z: Indices, basis: Basis) -> bool:
    """Whether products of some columns tell their basis as well as its rows would."""
    moments = gathered.moments
    M = _seen_by_guard(basis, moments, Z)
    reach = float(np.linalg.norm(_centred_lengths(moments, Z) @ np.abs(M)))
    return precision(moments.n_rows) * reach**2 <= AS_GOOD_AS_ROWS * moments.n


def centering_of(gathered: CrossProducts, Z: Indices) -> Centering:
    """The frame in which the rows of some columns lose no digits."""
    moments, guard = gathered.moments, gathered.moments.guard.of(Z)
    mean = moments.NX[0, Z] / moments.n
    return Centering.about(
        guard.offset + mean * guard.unit, np.sqrt(moments.squares[Z] / moments.n) * guard.unit
    )


def _centred_lengths(moments: Moments, columns: Indices) -> Floats:
    """Lengths with which the products of some columns were taken, and the mean then removed."""
    mean = np.abs(moments.NX[0, columns]) / moments.n
    lengths: Floats = np.sqrt(moments.added[columns]) + mean * np.sqrt(moments.N_added[0])
    return lengths


class _Coded(NamedTuple):
    """T with all columns, its sums and its squares, and the squares ever added."""

    TX: Floats
    sums: Floats
    squares: Floats
    added: Floats


def _coded(gathered: CrossProducts, roles: ColumnRoles) -> tuple[Coding, _Coded]:
    moments, Y = gathered.moments, roles.targets
    if not Y.size:
        return Classes(len(gathered.labels)), _Coded(moments.TX, moments.NT[0], moments.TT, moments.T_added)
    n, sums, guard = moments.n, moments.NX[0], moments.guard.of(Y)
    mean = sums[Y] / n
    S = gathered.XX[np.ix_(Y, Y)] - n * np.outer(mean, mean)
    spread = np.sqrt(np.maximum(S.diagonal(), 0.0) / n)
    varies = np.where(spread > 0, spread, 1.0)
    correlation = S / n / varies / varies[:, None]
    squares = float(np.sum(correlation**2))
    null = squares / Y.size, Y.size**2 / squares if squares else 1.0
    if roles.label_sets:
        coding: Coding = Labels(np.zeros(Y.size), np.ones(Y.size), null)
        factor, shift = guard.unit, guard.offset
    else:
        coding = Numbers(guard.offset + mean * guard.unit, varies * guard.unit, null)
        factor, shift = 1 / varies, -mean / varies
    TX = factor[:, None] * gathered.XX[Y] + np.outer(shift, sums)
    total = factor * sums[Y] + n * shift
    TT = factor**2 * moments.squares[Y] + 2 * factor * shift * sums[Y] + n * shift**2
    added = (np.abs(factor) * np.sqrt(moments.added[Y]) + np.abs(shift) * np.sqrt(moments.N_added[0])) ** 2
    return coding, _Coded(TX, total, TT, added)


def join_columns(parts: list[Matrix]) -> Matrix:
    """Columns of the same rows; sparse where the first are."""
    parts = [parts[0], *(part for part in parts[1:] if part.shape[1])]
    if len(parts) == 1:
        return parts[0]
    return sparse.hstack(parts, format="csr") if sparse.issparse(parts[0]) else np.hstack(parts)
