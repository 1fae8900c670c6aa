"""A matrix to relax with in place of G: no larger on small sets, and far from singular.

Where columns are as many as rows, or nearly, no diagonal can be subtracted from G: some w in which most
columns have a weight makes w'Gw zero. But a set has few columns. If Y is symmetric with a zero diagonal, and
R_i the sum of the c - 1 largest |Y_ij|, any w of at most c nonzero weights has

    w'Yw <= sum of |Y_ij| (w_i^2 + w_j^2) / 2 <= sum of R_i w_i^2,    so that    w'(G + Y - R)w <= w'Gw,

and the bounds of a relaxation with G + Y - R hold for G: n F is the maximum of 2 tr w'C - tr w'(G + gamma)w.
Y raises the least eigenvalues, whose vectors are spread over many columns: its entries are small, and so are
a few of them in a row. The columns that are most likely in the best set, the `core`, are left as they are, or
the bound would exceed F of that set by what R takes from them.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.linear import inverse, shifted, solve

# Columns beyond which no matrix is computed: three of them are decomposed.
WIDEST = 1500
# Shares of the eigenvalues that are raised to the next one, in turn until a larger share gains no more.
SHARES = np.arange(0.1, 0.75, 0.1)
# Least part of a column that counts as its own, however well the others explain it: see `_own`.
LEAST_OWN = 1e-3


def lift(
    candidates: Candidates, gamma: float, required: Indices, free: Indices, core: Indices, most: int
) -> Candidates | None:
    """The candidates with G + Y - R for G; None if that gains nothing.

    It holds for the sets of the required columns and at most `most` of the free ones, the core among them.
    """
    if not 2 < 2 * most <= free.size <= WIDEST or not isinstance(candidates.G, np.ndarray):
        return None
    G, others, outside = candidates.G, np.setdiff1d(free, core), np.concatenate([required, core])
    ridge = np.concatenate([np.full(required.size, gamma), np.zeros(core.size)])
    whole = _adjusted(G, required, ridge[: required.size], free)
    if whole is None or not np.all(whole.diagonal() > LEAST_OWN * EPS * candidates.diagonal[free]):
        return None
    own = np.empty(len(G))
    own[free] = _own(whole)
    root, found = np.sqrt(own[others]), None
    for _ in range(2):  # the second time with as much of the core moved into its ridge as of the others
        H = _adjusted(G, outside, ridge, others)
        raised = None if H is None else _raise(H / root / root[:, None], most)
        if raised is None:
            break
        found, share = raised
        ridge[required.size :] = -share * own[core]
    if found is None:
        return None
    lifted = G.copy()
    lifted[np.ix_(others, others)] += found * root * root[:, None]
    return candidates.with_gram(lifted)


def _adjusted(G: Floats, outside: Indices, ridge: Floats, inside: Indices) -> Floats | None:
    """G of some columns, adjusted for others with a ridge each; None if that is not definite."""
    H, M = G[np.ix_(inside, inside)], G[np.ix_(outside, outside)] + np.diag(ridge)
    try:
        factor: Floats = np.asarray(np.linalg.cholesky(M), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    across = solve(factor, G[np.ix_(outside, inside)])
    H = H - across.T @ across
    return H if np.isfinite(H).all() else None


def _own(H: Floats) -> Floats:
    """Squared length of the part of each column that the others do not explain."""
    diagonal = H.diagonal()
    root = np.sqrt(diagonal)
    P = inverse(shifted(H / root / root[:, None], LEAST_OWN))
    return np.asarray(diagonal / P.diagonal(), dtype=np.float64)


def _raise(H: Floats, most: int) -> tuple[Floats, float] | None:
    """Y - R, and the mean of the diagonal that can be subtracted then; None if there is none."""
    values, vectors = np.linalg.eigh(H)
    best, gain = None, 0.0
    for count in (SHARES * len(H)).astype(int).tolist():
        some, level = vectors[:, :count], values[count]
        Y = (some * (level - values[:count])) @ some.T
        Y = (Y + Y.T) / 2
        left = level - Y.diagonal()
        np.fill_diagonal(Y, 0.0)
        R = np.partition(np.abs(Y), len(H) - most, axis=1)[:, len(H) - most + 1 :].sum(axis=1)
        R *= 1 + most * EPS  # more than the sum may have lost
        left -= R
        if left.min() > 0 and left.mean() > gain:
            np.fill_diagonal(Y, -R)
            best, gain = Y, float(left.mean())
        elif best is not None:
            break
    return None if best is None else (best, gain)
