"""Sums of squares and cross-products (SSCP) of all columns: one pass, after which no row is needed.

X'X, d x d, is worth its memory where it fits a budget: every Gram column is then known. Confounders, and
targets that are numbers, are columns, too, after the features. So it can be decided afterwards which columns
are residualised on which (`feature_moments`), and summaries of several tables, each seen through a guard of
its own, have their sums converted to a common one, added and subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.data import Block, Rows
from fisherset.statistics.kernels import kernel_of
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers, correlated_null
from fisherset.statistics.sums.confounders import Basis, Centering, ConfounderProducts
from fisherset.statistics.sums.errors import precision
from fisherset.statistics.sums.guard import Fill, Guard
from fisherset.statistics.sums.moments import (
    Moments,
    block_moments,
    check_weights_left,
    refine_guard,
)

MANY_LABELS = 5000  # more are refused unless each came twice on average: identifiers would fill the memory

# The labels of a block as it came, and the block with their numbers for y and all columns in X.
Reader = Callable[[Block], tuple[list[Any], Block]]


@dataclass(frozen=True)
class CrossProducts:
    """Sums, and products of all columns with each other, seen through one guard."""

    labels: tuple[Any, ...]  # the label of each row of T; a single one where there are no classes
    counts: Indices  # number of rows of each label
    moments: Moments  # of all columns; N is the mean alone, T the indicator of the labels
    XX: Floats  # products of all columns

    def __add__(self, other: CrossProducts) -> CrossProducts:
        """The sum of parts of one pass, which have the same guard."""
        return self._combined(other, 1.0)

    def __iadd__(self, other: CrossProducts) -> CrossProducts:
        """The sum, in place as far as it can be: for blocks that nobody else holds."""
        return self._combined(other, 1.0, self.XX)

    def merged(self, other: CrossProducts) -> CrossProducts:
        """The sum of rows from two tables, through a guard that suits both."""
        mine, theirs, own = self.moments, other.moments, self.moments.guard
        # the guard of a column without any spread was guessed from next to nothing
        bare = (mine.squares == 0) & (theirs.squares > 0)
        offset = np.where(bare, theirs.guard.offset, own.offset)
        start = Guard(offset, np.where(bare, theirs.guard.unit, own.unit), own.fill)
        return self._combined_well(other, 1.0, start)

    def __sub__(self, other: CrossProducts) -> CrossProducts:
        """The rows of this that are not among the rows of the other."""
        rest = self._combined_well(other, -1.0)
        rest.moments.squares[:] = np.maximum(rest.moments.squares, 0.0)
        left = np.flatnonzero(rest.counts)
        if left.size == rest.counts.size:
            return rest
        # of labels that no row has any more, only rounding is left
        m = rest.moments
        moments = replace(m, NT=m.NT[:, left], TT=m.TT[left], T_added=m.T_added[left], TX=m.TX[left])
        return CrossProducts(tuple(rest.labels[j] for j in left), rest.counts[left], moments, rest.XX)

    def _combined_well(self, other: CrossProducts, sign: float, start: Guard | None = None) -> CrossProducts:
        """The sum or difference, through the guard that it shows to be needed."""
        total = (self if start is None else self.through(start))._combined(other, sign)
        if sign < 0:
            check_weights_left(total.moments)
        better = total.moments.better_guard()
        return total if better is None else self.through(better)._combined(other.through(better), sign)

    def _combined(self, other: CrossProducts, sign: float, out: Floats | None = None) -> CrossProducts:
        labels = tuple(dict.fromkeys((*self.labels, *other.labels)))
        place = {label: j for j, label in enumerate(labels)}
        at, at_other = (np.array([place[label] for label in one.labels]) for one in (self, other))
        other = other.through(self.moments.guard)
        mine = self.moments.regrouped(at, len(labels))
        theirs = other.moments.regrouped(at_other, len(labels))
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
        """The same as another guard would have shown it.

        x_i'x_j -> a_i a_j x_i'x_j + b_i h_j + h_i b_j with h = a 1'x + b n / 2: each half of b_i b_j n once.
        """
        moments = self.moments.through(guard)
        if moments is self.moments:
            return self
        ratio, shift = self.moments.guard.conversion(guard)
        XX = self.XX * ratio
        XX *= ratio[:, None]
        moved = np.flatnonzero(shift)
        half = ratio * self.moments.NX[0] + moments.n / 2 * shift
        XX[moved] += np.outer(shift[moved], half)
        XX[:, moved] += np.outer(half, shift[moved])
        return replace(self, moments=moments, XX=XX)

    def about_means(self) -> CrossProducts:
        """The same about means where it was about some of the values: none of these can be read off it."""
        moments, guard = self.moments, self.moments.guard
        far = guard.offset != 0
        if not far.any():
            return self
        offset = guard.offset + np.where(far, moments.mean * guard.unit, 0.0)
        # about a whole number, whole numbers stay whole: their sums stay exact when parts are added or
        # subtracted, and as small as about the mean (about zero, many parts would outgrow float64)
        whole = moments.exact & (moments.added > 0) & (guard.unit == 1.0)
        return self.through(Guard(np.where(whole, np.rint(offset), offset), guard.unit))

    def without_history(self) -> CrossProducts:
        """The same, sums ever added rounded up to powers of two: they tell nothing of rows subtracted."""
        m = self.moments
        if not m.subtracted:
            return self
        N_added, T_added, added = (_power_above(squares) for squares in (m.N_added, m.T_added, m.added))
        rounded = replace(
            m,
            N_added=N_added,
            T_added=T_added,
            added=added,
            weight_squares_added=float(_power_above(np.array(m.weight_squares_added))),
            n_rows=1 << (m.n_rows - 1).bit_length(),
        )
        return replace(self, moments=rounded)

    def reordered(self, order: Indices) -> CrossProducts:
        """The same with its columns in another order."""
        return replace(self, moments=self.moments.of(order), XX=self.XX[np.ix_(order, order)])

    def by_class(self, codes: Indices, n_classes: int) -> CrossProducts:
        """The same with classes for labels, each label being of the class its code says."""
        counts = np.bincount(codes, self.counts, minlength=n_classes).astype(np.intp)
        moments = self.moments.regrouped(codes, n_classes)
        return CrossProducts(tuple(range(n_classes)), counts, moments, self.XX)


def _power_above(squares: Floats) -> Floats:
    """The least powers of two that are no less than some numbers, zero for zero."""
    mantissa, exponent = np.frexp(squares)
    exponent = np.minimum(np.where(mantissa == 0.5, exponent - 1, exponent), 1023)
    return np.where(squares > 0, np.ldexp(1.0, exponent), 0.0)


@dataclass(frozen=True)
class CrossProductsKernel:
    """The cross-products of a block, as a reader makes it out."""

    read: Reader
    guard: Guard

    @property
    def n_numbers(self) -> int:
        return int(self.guard.unit.size**2)

    def __call__(self, block: Block) -> CrossProducts:
        labels, known = self.read(block)
        X, compute = self.guard.apply(known.X), kernel_of(known.X)
        known = Block(X, known.y, known.weight)  # without confounders: N is the mean alone
        moments = block_moments(X, known, Classes(len(labels)), self.guard, guessed=True)
        moments = replace(moments, whole=compute.all_whole(X))
        counts = np.bincount(known.y, minlength=len(labels)).astype(np.intp)
        with np.errstate(over="ignore", invalid="ignore"):  # values that are not finite show in the sums
            return CrossProducts(tuple(labels), counts, moments, compute.square(X, known.weight))


def sum_cross_products(
    rows: Rows, read: Reader, *, columns: bool = True, fill: Fill | None = None
) -> CrossProducts:
    """The cross-products of a table; `columns` as in `Rows.reduce`."""
    head = rows.head()
    _, first = read(head if columns else replace(head, X=np.empty((head.X.shape[0], 0))))

    def sum_through(guard: Guard) -> CrossProducts:
        return rows.reduce(CrossProductsKernel(read, guard), columns=columns)

    return refine_guard(
        sum_through(Guard.guess(first.X, fill)), sum_through, lambda products: products.moments
    )


class ColumnRoles(NamedTuple):
    """Roles of the columns of cross-products: features first, then these."""

    n_features: int
    confounders: Indices
    targets: Indices
    label_sets: bool = False  # whether the targets say which labels a row has


def feature_moments(
    products: CrossProducts, roles: ColumnRoles, basis: Basis | None = None
) -> tuple[Moments, Coding]:
    """The moments of the features with N = [1, basis of the confounders], and the coding of the targets.

    `basis` defaults to the one that products determine.
    """
    moments, d = products.moments, roles.n_features
    n, sums, Z = moments.n, moments.NX[0], roles.confounders
    mean = sums[Z] / n
    basis = basis_from_products(products, Z) if basis is None else basis
    M = _guarded_coefficients(basis, moments, Z)
    coding, coded = _coded_targets(products, roles)
    # of N = [1, (Z - mean) M] with the features, with itself and with T, from those of the columns
    of_Z: Floats = M.T @ (products.XX[Z] - np.outer(mean, sums))
    NN = np.zeros((1 + M.shape[1], 1 + M.shape[1]))
    NN[0, 0], NN[1:, 1:] = n, of_Z[:, Z] @ M
    N_lengths = np.append(np.sqrt(moments.N_added[0]), _centred_lengths(moments, Z) @ np.abs(M))
    NT = np.vstack([coded.NT, M.T @ (coded.TX[:, Z].T - np.outer(mean, coded.NT[0]))])
    features = coded.of(np.arange(d))
    NX = np.vstack([features.NX, of_Z[:, :d]])
    return replace(features, NN=NN, NT=NT, NX=NX, N_added=N_lengths**2), coding


def basis_from_products(products: CrossProducts, Z: Indices) -> Basis:
    """The basis of some columns, as far as their products determine it."""
    moments, guard = products.moments, products.moments.guard.of(Z)
    sums, lengths = moments.NX[0, Z], _centred_lengths(moments, Z)
    unit, ZZ = precision(moments.n_rows), products.XX[np.ix_(Z, Z)]
    centering = Centering(guard.offset + sums / moments.n * guard.unit, guard.unit)
    return ConfounderProducts(moments.n, sums, ZZ, lengths, unit, moments.exact[Z]).basis(centering)


def products_suffice(products: CrossProducts, Z: Indices, basis: Basis) -> bool:
    """Whether products determine the basis of some columns as well as rows would."""
    moments = products.moments
    M = _guarded_coefficients(basis, moments, Z)
    length = float(np.linalg.norm(_centred_lengths(moments, Z) @ np.abs(M)))
    # N'N must be known to one part in 10^9 to do without a pass over the confounders
    return precision(moments.n_rows) * length**2 <= 1e-9 * moments.n


def centering_of(products: CrossProducts, Z: Indices) -> Centering:
    """The centre and unit with which the rows of some columns lose no digits."""
    moments, guard = products.moments, products.moments.guard.of(Z)
    spread = np.sqrt(moments.squares[Z] / moments.n) * guard.unit
    return Centering.about(guard.offset + moments.NX[0, Z] / moments.n * guard.unit, spread)


def _guarded_coefficients(basis: Basis, moments: Moments, Z: Indices) -> Floats:
    """M for confounders as the guard shows them."""
    return basis.M * (moments.guard.unit[Z] / basis.unit)[:, None]


def _centred_lengths(moments: Moments, columns: Indices) -> Floats:
    """Lengths with which the products of some columns were taken, and the mean then removed."""
    mean = np.abs(moments.NX[0, columns]) / moments.n
    return np.sqrt(moments.added[columns]) + mean * np.sqrt(moments.N_added[0])


def _coded_targets(products: CrossProducts, roles: ColumnRoles) -> tuple[Coding, Moments]:
    """The coding, and the moments with its T: of targets y that are columns, T = factor y + shift."""
    moments, Y = products.moments, roles.targets
    if not Y.size:
        return Classes(len(products.labels)), moments
    n, sums, guard = moments.n, moments.NX[0], moments.guard.of(Y)
    mean = sums[Y] / n
    S = products.XX[np.ix_(Y, Y)] - n * np.outer(mean, mean)
    spread = np.sqrt(np.maximum(S.diagonal(), 0.0) / n)
    varies = np.where(spread > 0, spread, 1.0)
    null = correlated_null(S / n / varies / varies[:, None], Y.size)
    if roles.label_sets:
        coding: Coding = Labels(np.zeros(Y.size), np.ones(Y.size), null)
        factor, shift = guard.unit, guard.offset
    else:
        coding = Numbers(guard.offset + mean * guard.unit, varies * guard.unit, null)
        factor, shift = 1 / varies, -mean / varies
    TX = factor[:, None] * products.XX[Y] + np.outer(shift, sums)
    NT = (factor * sums[Y] + n * shift)[None]
    TT = factor**2 * moments.squares[Y] + 2 * factor * shift * sums[Y] + n * shift**2
    added = (np.abs(factor) * np.sqrt(moments.added[Y]) + np.abs(shift) * np.sqrt(moments.N_added[0])) ** 2
    return coding, replace(moments, NT=NT, TT=TT, TX=TX, T_added=added)
