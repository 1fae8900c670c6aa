"""The criterion in 120 digits, from exact products: the truth for confounders and subtraction.

Doubles are taken as exact numbers, so that every product of two columns is a whole number times a power
of two. Only then are digits dropped, 120 being left: what is lost where confounders are nearly
collinear or far from zero (about 40 digits at the most) leaves far more than 30 in F. Nothing of
fisherset is imported, and nothing but the standard library does the arithmetic.
"""

from copy import copy
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

import numpy as np

EPS = float(np.finfo(np.float64).eps)
DIGITS = 120
DIGITS_OF = Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
ZERO, ONE = Decimal(0), Decimal(1)
# Share of a pivot that is left: below the first it is the rounding of 120 digits, up to the second nobody can
# tell.
DEPENDENT, UNSURE = Decimal("1e-70"), Decimal("1e-60")
# Definitions that fisherset and the truth share, as ratios of lengths. Within a factor of 100 of one either
# reading is right.
CONSTANT = 8 * EPS  # spread of a column, of its values and of what is taken out of it
REDUNDANT = 1e-10  # residual of a confounder, or of a column, after the (earlier) confounders and the mean
GONE = 1e-4  # residual of a target beside confounders (1e-8 of its variance)
DOUBT = 100.0
AS_THEY_ARE, DROPPED, DIVIDED = range(3)  # targets of which next to nothing is left


class ExactTruth:
    """F of any subset of a table's columns, residualised on [1, confounders].

    With W the weights, Z = [1, confounders] is eliminated from the products of [Z, X, T], which leaves
    G = X'X, S = X'T and T'T of the residuals. F(A) = sum over the columns of T of
    S_A' (G_AA + ridge)^-1 S_A / norm, where ridge is gamma times the variance of the column (gamma without
    `standardize`), and norm the weight of the class, or with `numbers` the residual's sum of squares.

    Attributes
    ----------
    constant : ndarray of shape (d,)
        Columns that count as constant: they add nothing.
    ceiling : float
        tr(H'H) / n, which no F exceeds.
    doubtful : bool
        Whether a confounder is within a factor of 100 of being redundant.
    """

    def __init__(self, X, y, weights=None, *, standardize=True, numbers=False, confounders=None):
        with localcontext(DIGITS_OF):
            self._measure(X, y, weights, standardize, numbers, confounders)

    def _measure(self, X, y, weights, standardize, numbers, confounders):
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
        there = w > 0
        T = np.asarray(y)[there]
        T = T.reshape(len(T), -1).astype(float) if numbers else (T[:, None] == np.unique(T)).astype(float)
        Z = np.empty((len(T), 0)) if confounders is None else np.asarray(confounders, dtype=float)[there]
        self.d, self.p, z = X.shape[1], T.shape[1], 1 + Z.shape[1]
        M, self.n = _products([np.ones(len(T)), *Z.T, *X[there].T, *T.T], w[there])
        size = [(M[i][i] / self.n).sqrt() for i in range(len(M))]  # root mean squares
        class_weights = [M[0][z + self.d + k] for k in range(self.p)]
        targets = range(z + self.d, len(M))
        columns = range(z, z + self.d)
        self.doubtful, amplified = False, list(size)
        before = None
        for i in range(z):
            pivot = M[i][i]
            if i:
                share = _ratio(pivot, before[i])
                spread = _ratio(before[i], size[i] ** 2 * self.n)
                dropped = share < REDUNDANT or spread <= CONSTANT
                sure = pivot <= DEPENDENT * before[i] or before[i] <= DEPENDENT * size[i] ** 2 * self.n
                near = REDUNDANT / DOUBT < share < REDUNDANT * DOUBT or (
                    CONSTANT / DOUBT < spread < CONSTANT * DOUBT
                )
                self.doubtful |= near and not sure
                if dropped:
                    continue
            for j in columns:  # the rounding of confounder i times its coefficient
                amplified[j] += abs(M[i][j]) / pivot * size[i]
            _eliminate(M, i)
            if not i:
                before = [M[j][j] for j in range(len(M))]
        self.G = [[M[i][j] for j in columns] for i in columns]
        self.S = [[M[i][t] for t in targets] for i in columns]
        self._standardize = standardize
        left = [M[t][t] for t in targets]
        self._targets = left, [before[t] for t in targets], class_weights
        self.numbers = numbers
        spreads = [max(self.G[j][j], ZERO).sqrt() / self.n.sqrt() for j in range(self.d)]
        sizes = [size[j] for j in columns]
        centred = [max(before[j], ZERO).sqrt() / self.n.sqrt() for j in columns]
        self._settle(spreads, sizes, [amplified[j] for j in columns], centred)

    def _settle(self, spreads, sizes, amplified, before):
        """Which columns are constant, and which may be; what the targets are divided by."""
        self.constant = np.array(
            [s <= Decimal(CONSTANT) * v or s <= DEPENDENT * v for s, v in zip(spreads, sizes, strict=True)]
        )
        low, high = Decimal(CONSTANT / DOUBT), Decimal(CONSTANT * DOUBT)
        self._open = [
            j
            for j, spread in enumerate(spreads)
            if low * sizes[j] < spread < max(high * amplified[j], Decimal(REDUNDANT * DOUBT) * before[j])
        ]  # either reading is right
        self._open.sort(key=lambda j: spreads[j] / amplified[j])
        left, whole, class_weights = self._targets
        if not self.numbers:
            self._open_targets, self.norms = [], class_weights
            self.ceiling = float(sum(max(a, ZERO) / b for a, b in zip(left, class_weights, strict=True)))
            return
        shares = [_ratio(a, b) for a, b in zip(left, whole, strict=True)]
        self._open_targets = [t for t, share in enumerate(shares) if 1e-30 < share < GONE * DOUBT]
        self._norm([share <= GONE for share in shares], AS_THEY_ARE)

    def _norm(self, gone, reading):
        """Divide each target by its residual; those that are gone count as they were, or not at all."""
        left, before, _ = self._targets
        self.norms = [
            (b if reading == AS_THEY_ARE and b > 0 else None) if away or a <= 0 else a
            for a, b, away in zip(left, before, gone, strict=True)
        ]
        self.ceiling = float(sum(norm is not None for norm in self.norms))

    def readings(self):
        """Yield the truth itself, then those that are as right where a definition is at its threshold.

        From the column closest to the confounders on, any number of those in doubt may be constant; the
        targets in doubt may be gone, as they were before, or divided by what is left of them.
        """
        yield self
        masks = [self.constant]
        for count in range(len(self._open) + 1 if self._open else 0):
            mask = self.constant.copy()
            mask[self._open[:count]], mask[self._open[count:]] = True, False
            masks.append(mask)
        for mask in masks:
            for reading in (AS_THEY_ARE, DROPPED, DIVIDED) if self._open_targets else (AS_THEY_ARE,):
                other = copy(self)
                other.constant = mask
                if self._open_targets:
                    gone = [reading != DIVIDED and t in self._open_targets for t in range(self.p)]
                    other._norm(gone, reading)
                yield other

    def ridges(self, gamma):
        gamma = Decimal(float(gamma))
        return [gamma * (self.G[j][j] / self.n if self._standardize else ONE) for j in range(self.d)]

    def _roots(self):
        """S with each target divided by the root of its norm, without those that are gone."""
        kept = [(t, norm.sqrt()) for t, norm in enumerate(self.norms) if norm is not None]
        return [[row[t] / root for t, root in kept] for row in self.S]

    def values(self, sets, gamma):
        """F of each of some subsets, as floats; NaN where 120 digits are too few."""
        return np.array([float(value) for value in self.decimals(sets, gamma)])

    def decimals(self, sets, gamma):
        """F of each of some subsets, with all its digits."""
        with localcontext(DIGITS_OF):
            return self._decimals(sets, gamma)

    def _decimals(self, sets, gamma):
        wanted = [tuple(sorted(int(j) for j in some if not self.constant[j])) for some in sets]
        prefixes = {some[:size] for some in wanted for size in range(len(some) + 1)}
        ridges, S = self.ridges(gamma), self._roots()
        columns = [j for j in range(self.d) if not self.constant[j]]
        found = {}
        G = {(i, j): self.G[i][j] for i in columns for j in columns if i <= j}
        stack = [((), G, dict(enumerate(S)), ZERO)]
        while stack:  # sets that begin alike share what is left of the later columns
            prefix, G, S, value = stack.pop()
            found[prefix] = value
            for j in columns:
                if (*prefix, j) in prefixes:
                    stack.append(((*prefix, j), *self._joined(j, columns, G, S, value, ridges)))
        return [found[some] for some in wanted]

    def _joined(self, j, columns, G, S, value, ridges):
        """The products of the columns after j, once j is eliminated from them, and F with it."""
        pivot, whole = G[j, j] + ridges[j], self.G[j][j] + ridges[j]
        later = [i for i in columns if i > j]
        if pivot <= DEPENDENT * whole:
            return {(a, b): G[a, b] for a in later for b in later if a <= b}, S, value
        if pivot < UNSURE * whole:
            return {(a, b): G[a, b] for a in later for b in later if a <= b}, S, Decimal("NaN")
        row = S[j]
        value = value + sum((s * s for s in row), ZERO) / pivot
        shares = {i: G[j, i] / pivot for i in later}
        rest = {(a, b): G[a, b] - shares[a] * G[j, b] for a in later for b in later if a <= b}
        left = {i: [s - shares[i] * r for s, r in zip(S[i], row, strict=True)] for i in later}
        return rest, left, value

    def criterion(self, sets, gamma):
        """F of each subset, given as a row."""
        return self.values([tuple(some) for some in sets], gamma)

    def tangent_bound(self, q, m, gamma):
        """UB(q) = F(q) + (sum of the m largest g) - q.g, which no F of an m-subset exceeds."""
        with localcontext(DIGITS_OF):
            return self._tangent_bound(q, m, gamma)

    def _tangent_bound(self, q, m, gamma):
        columns = [j for j in range(self.d) if not self.constant[j]]
        active = [j for j in columns if q[j] > 0]
        at = [*((j, Decimal(float(q[j])).sqrt()) for j in active), *((j, ONE) for j in columns)]
        M = [[self.G[i][j] * a * b for j, b in at] for i, a in at]
        ridges, S = self.ridges(gamma), self._roots()
        S = [[s * a for s in S[i]] for i, a in at]
        value = ZERO
        for i, j in enumerate(active):
            pivot = M[i][i] + ridges[j]
            if M[i][i] <= DEPENDENT * self.G[j][j]:
                pivot = ridges[j]
            if pivot <= 0:
                return np.inf
            value += sum((s * s for s in S[i]), ZERO) / pivot
            for r in range(i + 1, len(at)):
                share = M[i][r] / pivot
                for t in range(r, len(at)):
                    M[r][t] = M[t][r] = M[r][t] - share * M[i][t]
                S[r] = [s - share * a for s, a in zip(S[r], S[i], strict=True)]
        g = {j: sum((s * s for s in S[len(active) + i]), ZERO) / ridges[j] for i, j in enumerate(columns)}
        largest = sum(sorted(g.values(), reverse=True)[:m], ZERO)
        return float(value + largest - sum((Decimal(float(q[j])) * g[j] for j in active), ZERO))


def _products(columns, w):
    """All weighted products of some columns, exact and then rounded once; and the sum of the weights.

    A missing value is the weighted mean of what is there: such a column is multiplied by the weight of
    what is there, which makes that a whole number, too.
    """
    w, w_exponent = _whole(w)
    parts = [_filled(column, w) for column in columns]
    heavy = [[a * b for a, b in zip(w, values, strict=True)] for values, _, _ in parts]
    two = Decimal(2)
    M = [[ZERO] * len(parts) for _ in parts]
    for i, (_, e_i, by_i) in enumerate(parts):
        for j in range(i, len(parts)):
            values, e_j, by_j = parts[j]
            total = sum(a * b for a, b in zip(heavy[i], values, strict=True))
            M[i][j] = M[j][i] = Decimal(total) * two ** (w_exponent + e_i + e_j) / (by_i * by_j)
    return M, Decimal(sum(w)) * two**w_exponent


def _filled(column, w):
    missing = np.isnan(column)
    values, exponent = _whole(np.where(missing, 0.0, column))
    if not missing.any():
        return values, exponent, 1
    there = sum(v for v, away in zip(w, missing, strict=True) if not away)
    if not there:
        return values, exponent, 1
    total = sum(v * a for v, a, away in zip(w, values, missing, strict=True) if not away)
    return [total if away else a * there for a, away in zip(values, missing, strict=True)], exponent, there


def _whole(values):
    """Doubles as whole numbers times one power of two."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    least = int(exponents[whole != 0].min()) if whole.any() else 53
    shifted = [int(m) << (int(e) - least) if m else 0 for m, e in zip(whole, exponents, strict=True)]
    return shifted, least - 53


def _eliminate(M, i):
    """Take column i out of the products of all later ones."""
    row, pivot = list(M[i]), M[i][i]
    if pivot <= 0:
        return
    for a in range(i + 1, len(M)):
        share = row[a] / pivot
        if share:
            for b in range(a, len(M)):
                M[a][b] = M[b][a] = M[a][b] - share * row[b]


def _ratio(part, whole):
    """Root of the share of a square that is left, as a float."""
    return float((max(part, ZERO) / whole).sqrt()) if whole > 0 else 0.0
