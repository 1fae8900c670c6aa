"""What is taken out of columns and targets besides the mean: an orthonormal basis of the confounders."""

from __future__ import annotations

import numpy as np

from fisherset._types import EPS, Floats

RANK = 1e-10  # share of the largest singular value below which a direction is rounding
RANK_OF_PRODUCTS = 1e-12  # the same for its square, where only products are known


def basis_of(Z: Floats, weight: Floats | None) -> Floats | None:
    """Columns that span what the confounders do, less the mean; of mean square one. None without any.

    Copies, sums of each other and constants add nothing; each column counts in its own unit.
    """
    w = np.ones(len(Z)) if weight is None else weight
    share = w / w.sum()
    Z = np.where(w[:, None] > 0, Z, 0.0)  # what has no weight has no say
    unit = np.max(np.abs(Z), axis=0, initial=0.0)
    Z = Z / np.where(unit > 0, unit, 1.0)
    Z = Z - share @ Z
    spread = np.sqrt(share @ Z**2)
    varies = spread > 8 * EPS
    Z = Z[:, varies] / spread[varies]
    if not Z.shape[1]:
        return None
    _, size, right = np.linalg.svd(Z * np.sqrt(share)[:, None], full_matrices=False)
    kept = size > RANK * size[0]
    basis: Floats = Z @ (right[kept] / size[kept, None]).T
    return basis


def directions(S: Floats, squares: Floats, n: float) -> Floats:
    """What makes such a basis of confounders less their mean, z x r, from their centred products S.

    `squares` are the sums of squares that S was computed from.
    """
    total = S.diagonal()
    varies = np.flatnonzero(total > 64 * EPS * squares)
    M = np.zeros((len(S), varies.size))
    spread = np.sqrt(total[varies] / n)
    size, along = np.linalg.eigh(S[np.ix_(varies, varies)] / n / spread / spread[:, None])
    kept = size > RANK_OF_PRODUCTS * size.max(initial=0.0)
    M[varies] = along / spread[:, None]
    basis: Floats = M[:, kept] / np.sqrt(size[kept])
    return basis
