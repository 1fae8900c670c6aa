"""The criterion in 32 digits, from the rows: with which certificates are compared.

A Gram matrix whose least eigenvalue is 1e-14 of its largest still has 18 digits here. All
subsets of a size go through one elimination together. Nothing of fisherset is imported.
"""

from collections import defaultdict
from itertools import combinations

import numpy as np

from support.double_double import Extended, two_sum

EPS = float(np.finfo(np.float64).eps)
NUMBERS = 2**16  # products formed at a time, to stay in the cache
# Share of a column that is left when others are taken out of it: below the first it is rounding, and the
# column depends on the others; up to the second nobody can tell.
DEPENDENT, UNSURE = 1e-28, 1e-22
# fisherset calls a column constant whose spread is a few EPS of its level. From here on it may not.
VARIES = 1e-13
# Share of a column or target left beside confounders, below which nobody can tell whether it is.
EXPLAINED = 1e-3


def subsets(d, k):
    """All k-subsets of d columns, one a row."""
    return np.array(list(combinations(range(d), k)))


class Truth:
    """F of any subset of a table's columns, and the bound that any q gives.

    Columns are counted in units of their own, powers of two, so that squares stay within
    range. F does not change when a column and the root of its gamma are scaled together:
    the scales enter as `gamma * scale2[j]` only, and no root is ever taken. Likewise
    F(A) = sum over the classes of S_k' (G_AA + gamma)^-1 S_k / n_k with the class sums S.
    With `numbers`, y is a target or several: S_k is the product with one of them, less its mean, n_k
    its scatter. Confounders are taken out of both; NaN in X counts as the mean.
    """

    def __init__(self, X, y, weights=None, *, standardize=True, numbers=False, confounders=None):
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
        X, y, there = X[w > 0], np.asarray(y)[w > 0], w > 0
        N = [] if confounders is None else _orthogonal(confounders[there], w[there])
        w = w[there]
        Z, unit, level = _centred(X, w)
        whole = np.sqrt(np.maximum((Z * Z * w[:, None]).sum().high, 0.0))
        Z = _without(Z, N, w)
        self.d, self.G = X.shape[1], _gram(Z, w)
        if numbers:
            Y = y.reshape(len(y), -1).astype(np.float64)
            self.S, self.class_weights, gone = _target_sums(Z, Y, N, w)
            self.ceiling = float(Y.shape[1])
        else:
            codes = np.unique(y, return_inverse=True)[1]
            self.S, self.class_weights = _class_sums(Z, codes, w)
            self.ceiling, gone = float(codes.max()), False
        variance = self.G[np.arange(self.d), np.arange(self.d)] / Extended(w).sum()
        spread = np.sqrt(np.maximum(variance.high, 0.0))
        self.constant = spread <= 8 * EPS * level
        self.doubtful = gone or bool(np.any((spread > EPS / 16 * level) & (spread < VARIES * level)))
        # what the confounders as good as explain may count as constant, or not
        self.doubtful |= bool(N and np.any(spread * np.sqrt(w.sum()) < EXPLAINED * whole))
        self.scale2 = Extended.where(self.constant, 1.0, variance if standardize else unit**-2.0)
        self.G = Extended.where(self.constant[:, None] | self.constant, 0.0, self.G)
        self.S = Extended.where(self.constant[:, None], 0.0, self.S)

    def criterion(self, sets, gamma):
        """F of each subset, given as a row; NaN where 32 digits are too few."""
        at = np.asarray(sets).T
        S = self.S[at[:, None], np.arange(self.S.shape[1])[:, None]]
        value, sure, _ = self._eliminate(self.G[at[:, None], at], S, (self.scale2 * gamma)[at])
        return np.where(sure, value.high, np.nan)

    def best(self, k, gamma):
        """The largest F of a k-subset."""
        return self.best_of(subsets(self.d, k), gamma)

    def best_of(self, sets, gamma):
        """The largest F of some subsets."""
        return float(np.max(self.values(sets, gamma)))

    def values(self, sets, gamma):
        """F of each of some subsets, which need not be of one size."""
        by_size, values = defaultdict(list), np.empty(len(sets))
        for place, some in enumerate(sets):
            by_size[len(some)].append(place)
        for places in by_size.values():
            values[places] = self.criterion([sets[place] for place in places], gamma)
        return values

    def relaxed(self, q, gamma):
        """F(q): the columns with q > 0, each with the ridge gamma / q."""
        at = np.flatnonzero(q > 0)
        M, S, ridges = self.G[at[:, None], at], self.S[at], self.scale2[at] * gamma / q[at]
        value, _, _ = self._eliminate(M[..., None], S[..., None], ridges[:, None])
        return float(value.high[0])

    def tangent_bound(self, q, m, gamma):
        """UB(q) = F(q) + (sum of the m largest g) - q.g, which no F of an m-subset exceeds.

        The columns in play, times root q, are taken out of all columns: what is left of S is
        XV. Where gamma is more than 32 digits below a column, that is rounding, and the bound
        comes out too large.
        """
        active = np.flatnonzero(q > 0)
        at = np.concatenate([active, np.arange(self.d)])
        root = Extended(np.concatenate([np.sqrt(q[active]), np.ones(self.d)]))
        M, S = self.G[at[:, None], at] * root[:, None] * root, self.S[at] * root[:, None]
        ridge = self.scale2 * gamma
        value, _, left = self._eliminate(M[..., None], S[..., None], ridge[active][:, None])
        XV = left[..., 0]
        g = (XV * XV / self.class_weights).T.sum() / ridge
        largest = g[np.argsort(g.high)[self.d - m :]].sum()
        weights = (root * root)[: active.size]
        return float((value[0] + largest - (weights * g[active]).sum()).high)

    def _eliminate(self, M, S, ridges):
        """Take the first columns, as many as there are ridges, out of the others, one by one.

        M is p x p x N and S p x c x N: N systems side by side. The result is F of the columns
        taken out, whether it is sure, and what is left of S for the others. A ridge joins its
        diagonal only when its turn comes, which is the same.
        """
        value, sure = Extended(np.zeros(M.shape[2])), np.ones(M.shape[2], dtype=bool)
        wholes = M.high[range(len(ridges)), range(len(ridges))] + ridges.high
        for ridge, whole in zip(ridges, wholes, strict=True):
            pivot = M[0, 0] + ridge
            dependent = pivot.high <= DEPENDENT * whole
            sure &= dependent | (pivot.high > UNSURE * whole)
            inverse = Extended.where(dependent, 0.0, 1.0 / Extended.where(dependent, 1.0, pivot))
            value += (S[0] * S[0] / self.class_weights[:, None]).sum() * inverse
            share = (M[0, 1:] * inverse)[:, None]
            S, M = S[1:] - share * S[0], M[1:, 1:] - share * M[0, 1:]
        return value, sure, S


def _centred(X, w):
    """The columns less their means, in their units; the units, and how far from nought the means are.

    The mean is that of what is there; what is missing is nought then.
    """
    there = ~np.isnan(X)
    weight = w @ there
    X, some = np.where(there, X, 0.0), np.where(there, w[:, None], 0.0)
    offset = np.divide(w @ X, weight, out=np.zeros_like(weight), where=weight > 0)
    high, low = two_sum(X, -offset)  # exact
    high, low = np.where(there, high, 0.0), np.where(there, low, 0.0)
    unit = np.ldexp(1.0, np.frexp(np.sqrt(w @ high**2 / w.sum()))[1])
    Z = Extended(high / unit, low / unit)
    total = Extended.where(weight > 0, Extended(some).sum(), 1.0)
    return Extended.where(there, Z - (Z * some).sum() / total, 0.0), unit, np.abs(offset) / unit


def _orthogonal(N, w):
    """The confounders, centred and made orthogonal; what depends on the others is left out."""
    columns = []
    for column in N.T:
        centred, *_ = _centred(column[:, None], w)
        left = _without(centred, columns, w)
        squares, whole = ((Z * Z * w[:, None]).sum().high[0] for Z in (left, centred))
        if squares > DEPENDENT * whole:
            columns.append(left[:, 0])
    return columns


def _without(Z, N, w):
    """Z less its projection on orthogonal columns."""
    for column in N:
        weighted = (column * w)[:, None]
        Z = Z - column[:, None] * ((Z * weighted).sum() / (column * (column * w)).sum())
    return Z


def _gram(Z, w):
    """Z'WZ, of a block of rows at a time."""
    d = Z.shape[1]
    i, j = np.triu_indices(d)
    step = max(1, NUMBERS // i.size)
    blocks = [(Z[start : start + step], w[start : start + step, None]) for start in range(0, len(w), step)]
    upper = Extended.stack([((part * some)[:, i] * part[:, j]).sum() for part, some in blocks]).sum()
    place = np.empty((d, d), dtype=int)
    place[i, j] = place[j, i] = np.arange(i.size)
    return upper[place]


def _class_sums(Z, y, w):
    """Weighted sums of each class, d x c, and the weights of the classes."""
    weighted, masks = Z * w[:, None], [y == k for k in range(y.max() + 1)]
    sums = Extended.stack([weighted[mask].sum() for mask in masks]).T
    return sums, Extended.stack([Extended(w[mask]).sum() for mask in masks])


def _target_sums(Z, Y, N, w):
    """Products of the columns with each target, d x p; its sum of squares; whether one is as good as gone."""
    T, *_ = _centred(Y, w)
    whole = (T * T * w[:, None]).sum()
    T = _without(T, N, w)
    squares = (T * T * w[:, None]).sum()
    gone = bool(np.any(squares.high <= EXPLAINED**2 * np.maximum(whole.high, 0.0)))
    weighted = Z * w[:, None]
    sums = Extended.stack([(weighted * T[:, [t]]).sum() for t in range(T.shape[1])]).T
    return sums, Extended.where(squares.high > 0, squares, 1.0), gone
