"""Rounding errors from the rows to the claim: the one account of them.

A claim is a statement about the table taken literally, in exact arithmetic. Below, a hat marks what was
computed. The statistics state how far their numbers may be off; `statistics.errors` derives it from the rows:

    |G^_ij - G_ij|  <= u l_i l_j      products of two features, N = [1, confounders] removed
    ||C^_j - C_j||  <= c_j            product of a feature with the targets; c_j = u l_j t
    ||x^_j - x_j||  <= u l_j          a feature by value
    ||H^ - H||      <= u t            the targets by value
    x_j is off by another factor within 1 + s_j, as the spread it is divided by is rounded
    F  is off by another factor within 1 + e, as the spreads of targets or the weights of classes are

u is the `unit`, l_j the length of feature j and t that of the targets *when their products were taken*,
before anything was removed or subtracted: that is why cancellation shows up here. Arithmetic with k columns
adds to u (`Rounding.unit_of`). The claims, for any weights W of columns A and rho = sum of l_i ||W_i||:

    bound      V = H - X_A W gives n F(B) <= ||X_A W||^2 + sum over B of ||x_j'V||^2 / gamma, where
               ||x_j'V|| <= (||C^_j - G^_jA W|| + u l_j rho + c_j)(1 + s_j)         `raise_lengths`
               ||X_A W||^2 <= tr(W'G^W) + u rho (2 rho + t)                         `raise_explained`
    objective  with M = G_AA + gamma I, W = M^-1 C_A and E the error of G, n F = tr(C'M^-1 C) is off by
               at most u rho^2 + 2 sum of c_j ||W_j|| and terms of second order     `of_products`
               and from the columns by value, for V as above,
               at most 2 u rho ||V|| + 2 u t ||H - V|| and terms of second order    `of_values`
    all sets   of k columns: ||E|| <= u k max l^2, so that with L = k max(l^2 / gamma)
               n F <= (sqrt(n F^) + sqrt(k max(c^2 / gamma)))^2 / (1 - u L)         `raise_sets`

Searches and their bounds are of the targets as they were scaled; the claims at their end are raised by 1 + e
(`raise_bound`).

Comparisons that guard a claim are written so that NaN fails them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

from fisherset._format import NEGLIGIBLE
from fisherset._types import EPS, Floats, Indices

# Upper bounds with the rounding in them: other modules derive them only from each other.
Upper = NewType("Upper", float)
Uppers = NewType("Uppers", np.ndarray[tuple[int, ...], np.dtype[np.float64]])

# Share of F above which its error is worth a factorisation of the rows: two digits before it shows.
ROUGH = 1e-8
# Share of F above which its error is stated: F is documented to six digits.
WRONG = 1e-6
# Share of gamma that the error of G may be for values of many sets to count as exact: a tenth of `WRONG`.
EXACT_ENOUGH = 1e-7
# Share of gamma that it may be for them to give a bound at all: 0.1 %, the default tolerance.
USABLE = 1e-3
# Second-order terms are bounded for errors below this share, where 1 / (1 - share) is at most 2.
BOUNDED = 0.5


class Value(NamedTuple):
    """F of a subset, and a bound on its error, infinite if none is known."""

    value: float
    error: float
    floor: float = 0.0  # a lower bound on F from another source

    @property
    def rough(self) -> bool:
        """Whether the error is worth a factorisation of the rows."""
        return not self.error <= ROUGH * self.value + NEGLIGIBLE

    @property
    def wrong(self) -> bool:
        """Whether the sixth digit is in doubt."""
        return not self.error <= WRONG * self.value + NEGLIGIBLE

    @property
    def least(self) -> float:
        """Lower bound on F."""
        least = self.value - self.error
        return least if least > self.floor else self.floor

    @property
    def stated(self) -> float:
        """F as it is stated: its value, or a lower bound if its sixth digit is in doubt."""
        return self.least if self.wrong else self.value


@dataclass(frozen=True)
class Rounding:
    """Bounds on the errors of the numbers of a problem."""

    unit: float  # u
    lengths: Floats  # l_j
    cross: Floats  # c_j
    targets: float  # t
    scale: Floats  # s_j
    target_scale: float  # e
    unknown: NDArray[np.bool_]  # columns with nothing known but their length

    def of(self, columns: Indices | slice) -> Rounding:
        """The account of some columns."""
        if isinstance(columns, slice):
            return self
        return replace(
            self,
            lengths=self.lengths[columns],
            cross=self.cross[columns],
            scale=self.scale[columns],
            unknown=self.unknown[columns],
        )

    def times(self, factor: Floats) -> Rounding:
        """The account of columns that are multiplied by known factors."""
        return replace(self, lengths=self.lengths * factor, cross=self.cross * factor)

    def unit_of(self, n_terms: int) -> float:
        """The unit with the arithmetic of so many terms added.

        A sum of n rounded terms is off by n eps / 2 of their sizes. Four times as much serves for the few
        sums of that length that one number goes through.
        """
        return self.unit + 2 * (n_terms + 8) * EPS

    def reach(self, A: Indices, W: Floats) -> Floats:
        """The sum rho of l_i ||W_i||, which an error in W'GW is a share of.

        Here and in the two methods below, A and W may have a leading axis: one V, or one for each row.
        """
        norms = np.sqrt(np.einsum("...ir,...ir->...i", W, W))
        return np.einsum("...i,...i->...", self.lengths[A], norms)

    def raise_lengths(
        self, lengths: Floats, A: Indices, W: Floats, columns: Indices | slice, n_terms: int | None = None
    ) -> Uppers:
        """||x_j'V|| at most, from ||C_j - G_jA W|| as computed by sums of `n_terms`; raised in place."""
        unit = self.unit_of(A.shape[-1] if n_terms is None else n_terms)
        lengths += unit * self.reach(A, W)[..., None] * self.lengths[columns]
        lengths += self.cross[columns]
        lengths *= 1 + W.shape[-1] * EPS + self.scale[columns]
        return Uppers(lengths)

    def raise_explained(self, explained: Floats, A: Indices, W: Floats, n_terms: int | None = None) -> Uppers:
        """||X_A W||^2 at most, from tr(W'(C - XV)) as computed."""
        reach, unit = self.reach(A, W), self.unit_of(sum(W.shape[-2:]) if n_terms is None else n_terms)
        return Uppers(np.maximum(explained + unit * reach * (2 * reach + self.targets), 0.0))

    def raise_projections(self, lengths: Floats, V: Floats) -> Uppers:
        """||x_j'V|| at most, from columns by value."""
        margin = 2 * self.unit * float(np.linalg.norm(V))
        return Uppers((lengths + margin * self.lengths) * (1 + V.shape[1] * EPS + self.scale))

    def raise_distance(self, squared: float) -> Upper:
        """||H - V||^2 at most, from targets by value."""
        return Upper((np.sqrt(squared) * (1 + 64 * EPS) + self.unit * self.targets) ** 2)

    def raise_norm(self, squared: float, A: Indices, W: Floats) -> Upper:
        """||X_A W||^2, the spectral norm, at most, from the largest eigenvalue of W'GW."""
        return Upper(max(squared + 2 * self.unit_of(sum(W.shape)) * float(self.reach(A, W)) ** 2, 0.0))

    def raise_own(self, diagonal: Floats) -> Uppers:
        """||x_j|| at most, from the diagonal of G, which is exactly n if the spread has the error instead."""
        off = np.where(self.scale > 0, 0.0, np.sqrt(self.unit) * self.lengths)
        return Uppers(np.sqrt(diagonal) * (1 + self.scale) + off)

    def of_products(self, columns: Indices, W: Floats, inverse_diagonal: Floats, nF: float) -> float:
        """Bound on the error of n F = tr(C'M^-1 C).

        -u k diag(l^2) <= E <= u k diag(l^2), so that M^-1/2 E M^-1/2 is at most `share`.
        """
        k, lengths, cross = columns.size, self.lengths[columns], self.cross[columns]
        norms = np.linalg.norm(W, axis=1)
        unit, reach = self.unit_of(sum(W.shape)), float(lengths @ norms)
        share = unit * k * float(lengths**2 @ inverse_diagonal)
        of_targets = k * float(cross**2 @ inverse_diagonal)  # ||M^-1/2 (C^ - C)||^2
        if not (0 <= share < BOUNDED and of_targets >= 0):
            return np.inf
        first = unit * reach**2 + 2 * float(cross @ norms)
        second = (share * np.sqrt(max(nF, 0.0)) + np.sqrt(of_targets)) ** 2 / (1 - share)
        return float(first + second + 8 * (k + 8) * EPS * abs(nF) + self.of_scales(columns, nF))

    def of_values(
        self, columns: Indices, W: Floats, left: float, explained: float, gamma: float, nF: float
    ) -> float:
        """Bound on the error of n F from columns by value; `left` is ||V||, `explained` ||H - V||."""
        u, t, reach = 2 * self.unit, self.targets, float(self.reach(columns, W))
        first = 2 * u * (reach * left + t * explained)
        own = float(self.lengths[columns] @ self.lengths[columns])
        second = u**2 * (left**2 * own / gamma + reach**2 + 2 * t * reach + t**2)
        return float(first + second + self.of_scales(columns, nF))

    def of_backward(
        self, columns: Indices, norms: Floats, weights: Floats, explained: float, residual: float
    ) -> float:
        """Bound on the error of n F from an orthogonal factorisation of B = [X; sqrt(gamma) I].

        Its columns, of the given norms, are perturbed by u l_j and by the factorisation: n F moves by twice
        the residual times the perturbation times B's weights at norm one, to first order; and by the error
        of H times what B explains of it.
        """
        perturbed = float(self._perturbed(columns, norms) @ weights)
        of_targets = 2 * self.unit * self.targets
        return 2 * perturbed * (residual + perturbed) + of_targets * (explained + of_targets)

    def stands(self, columns: Indices, norms: Floats, smallest: float) -> bool:
        """Whether columns of this smallest singular value at norm one stay independent under their errors."""
        return bool(smallest > 10 * float(np.linalg.norm(self._perturbed(columns, norms))))

    def _perturbed(self, columns: Indices, norms: Floats) -> Floats:
        """Share of each column's norm by which it is off in a Householder factorisation of k columns."""
        return 2 * self.unit * self.lengths[columns] / norms + 16 * (norms.size + 8) * EPS

    def of_scales(self, columns: Indices, nF: float) -> float:
        """Error of n F through the spreads of columns and targets, a factor within (1 + s)^2 (1 + e)."""
        return (3 * float(self.scale[columns].max(initial=0.0)) + 2 * self.target_scale) * abs(nF)

    def margin_of_sets(self, size: int, least: Floats | float) -> SetMargin:
        """Error of n F of any `size` of the columns; `least` is a lower bound on M for each of them."""
        unit = self.unit_of(4 * size)
        relative = unit * size * float(np.max(self.lengths**2 / least, initial=0.0))
        cross = np.sqrt(size * float(np.max(self.cross**2 / least, initial=0.0)))
        scale = 3 * float(self.scale.max(initial=0.0))
        return SetMargin(relative, float(cross), scale)

    def raise_bound(self, bound: float) -> Upper:
        """F at most, from a bound for targets of the spreads that were computed."""
        raised = bound * (1 + self.target_scale)
        return Upper(raised if raised >= 0 else np.inf)

    def schur(self, free: Indices, required: Indices, Y: Floats) -> float:
        """Bound on the error of the least eigenvalue of G_ff - G_fk Y, Y = (G_kk + gamma I)^-1 G_kf.

        The error is that of [I, -Y'] G [I; -Y]: at most u a_i a_j with a = l_f + |Y|' l_k.
        """
        a = self.lengths[free] + np.abs(Y).T @ self.lengths[required]
        return self.unit_of(8 * (free.size + required.size)) * float(a @ a)


class SetMargin(NamedTuple):
    """Error of n F of any set of a size."""

    relative: float  # u L
    cross: float
    scale: float

    @property
    def small(self) -> bool:
        """Whether values of sets count as exact."""
        return self.relative <= EXACT_ENOUGH

    @property
    def usable(self) -> bool:
        """Whether values of sets give a useful bound."""
        return self.relative <= USABLE

    def raise_sets(self, nF: Floats, times: float = 1.0) -> Uppers:
        """N F of sets at most; `times` as far off as the account says."""
        raised: Floats = (np.sqrt(np.maximum(nF, 0.0)) + times * self.cross) ** 2
        raised /= 1 - times * self.relative
        raised *= (1 + self.scale) * (1 + 64 * EPS)
        return Uppers(np.where(np.isneginf(nF), -np.inf, raised))

    def share(self, nF: float) -> float:
        """The share of n F that is added."""
        raised = float(self.raise_sets(np.array([nF]))[0])
        return raised / nF - 1 if nF > 0 else 0.0
