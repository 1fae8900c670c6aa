"""Symmetric positive definite systems, all of them A + gamma I with gamma well above the rounding of A.

That gamma is, `tempered` sees to: what comes out is good enough to search by. What a
search ends with is proven apart, in `proof`, which trusts none of it.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats

# numpy's own LU rather than scipy's Cholesky: the two wheels bring an OpenBLAS each, and
# the threads of the one spin while the other works. On matrices of a few hundred rows
# between numpy products that costs ten times what the saved half of the flops is worth.


def shifted(A: Floats, gamma: float) -> Floats:
    """A + gamma I, as a new matrix."""
    M = np.array(A)
    M.flat[:: M.shape[0] + 1] += gamma
    return M


def solve(M: Floats, B: Floats) -> Floats:
    """M^-1 B."""
    return np.asarray(np.linalg.solve(M, B), dtype=np.float64)


def inverse(M: Floats) -> Floats:
    """M^-1, symmetric."""
    P = np.asarray(np.linalg.inv(M), dtype=np.float64)
    return (P + P.T) / 2
