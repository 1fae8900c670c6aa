"""The criterion in 32 digits, from the rows: what certificates are held against.

A Gram matrix whose least eigenvalue is 1e-14 of its largest still has 18 digits here. All
subsets of a size go through one elimination together. Nothing of fisherset is imported.
"""

from itertools import combinations

import numpy as np

from extended import Extended, two_sum

EPS = float(np.finfo(np.float64).eps)
NUMBERS = 2**16  # products formed at a time, to stay in the cache
# Share of a column that is left when others are taken out of it: below the first it is rounding, and the
# column depends on the others; up to the second nobody can tell.
DEPENDENT, UNSURE = 1e-28, 1e-22
# fisherset calls a column constant whose spread is a few EPS of its level. From here on it may not.
VARIES = 1e-13


def subsets(d, k):
    """All k-subsets of d columns, one a row."""
    return np.array(list(combinations(range(d), k)))


class Truth:
    """F of any subset of a table's columns, and the bound that any q gives.

    Columns are counted in units of their own, powers of two, so that squares stay within
    range. F does not change when a column and the root of its gamma are scaled together:
    the scales enter as `gamma * scale2[j]` only, and no root is ever taken. Likewise
    F(A) = sum over the classes of S_k' (G_AA + gamma)^-1 S_k / n_k with the class sums S.
    With `numbers`, y is a target or several, and the sums S_k = X'(y_k - mean) over the root of its scatter.
    """

    def __init__(self, X, y, weights=None, *, standardize=True, numbers=False):
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
        X, y, w = X[w > 0], np.asarray(y)[w > 0], w[w > 0]
        Z, unit, level = _centred(X, w)
        if numbers:
            Y = y.reshape(len(y), -1).astype(np.float64)
            sums, self.ceiling = _target_sums(Z, Y, w), float(Y.shape[1])
        else:
            codes = np.unique(y, return_inverse=True)[1]
            sums, self.ceiling = _class_sums(Z, codes, w), float(codes.max())
        self.d, self.G, (self.S, self.class_weights) = X.shape[1], _gram(Z, w), sums
        variance = self.G[np.arange(self.d), np.arange(self.d)] / Extended(w).sum()
        spread = np.sqrt(np.maximum(variance.high, 0.0))
        self.constant = spread <= 8 * EPS * level
        self.doubtful = bool(np.any((spread > EPS / 16 * level) & (spread < VARIES * level)))
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
        return float(np.max(self.criterion(subsets(self.d, k), gamma)))

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
    """The columns less their means, in their units; the units, and how far from nought the means are."""
    offset = w @ X / w.sum()
    high, low = two_sum(X, -offset)  # exact
    unit = np.ldexp(1.0, np.frexp(np.sqrt(w @ high**2 / w.sum()))[1])
    Z = Extended(high / unit, low / unit)
    return Z - (Z * w[:, None]).sum() / Extended(w).sum(), unit, np.abs(offset) / unit


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


def _target_sums(Z, Y, w):
    """Products of the columns with each target, d x p, and what the targets scatter."""
    T = _centred(Y, w)[0]
    weighted = T * w[:, None]
    sums = Extended.stack([(Z * weighted[:, [k]]).sum() for k in range(Y.shape[1])]).T
    return sums, (weighted * T).sum()
