"""Symmetric positive definite systems, all of them A + gamma I with gamma > 0."""

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
    """M^-1 B, by least squares where gamma is below the rounding of A."""
    try:
        return np.asarray(np.linalg.solve(M, B), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(M, B, rcond=None)[0], dtype=np.float64)


def inverse(M: Floats) -> Floats:
    """M^-1, symmetric with a positive diagonal, as for `solve`."""
    try:
        P = np.asarray(np.linalg.inv(M), dtype=np.float64)
    except np.linalg.LinAlgError:
        P = np.asarray(np.linalg.pinv(M, hermitian=True), dtype=np.float64)
    P = (P + P.T) / 2
    diagonal = np.einsum("ii->i", P)
    np.maximum(diagonal, np.finfo(np.float64).tiny, out=diagonal)
    return P
