"""Symmetric positive definite systems, all of them A + gamma I with gamma well above the rounding of A.

`problem.rescale` sees to that gamma. The solutions are good enough to search by; the claims at the end
of a search are proven apart, in `proof`, which trusts none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from fisherset._types import Floats

# Order from which a float32 factor with refinement is faster than a float64 factor, as measured.
LARGE_SYSTEM = 800
# Share of the right side that refinement may leave: some thousand EPS, as a float64 factor does.
REFINED = 1e-12
SCALED_AT_A_TIME = 2**16  # numbers of a matrix: half a megabyte, which stays in the cache


def shifted(A: Floats, gamma: Floats | float) -> Floats:
    """A + gamma I, as a new matrix; with a gamma for each row, A plus that diagonal."""
    M = np.array(A)
    M.flat[:: M.shape[0] + 1] += gamma
    return M


def solve(M: Floats, B: Floats) -> Floats:
    """M^-1 B."""
    return np.asarray(np.linalg.solve(M, B), dtype=np.float64)


def solve_stack(M: Floats, B: Floats, least: float) -> Floats:
    """M^-1 B of a stack of small systems with no eigenvalue below `least` but for rounding."""
    try:
        np.linalg.cholesky(M)  # only to learn whether all are definite as computed
        return solve(M, B)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(M)
        inside = np.swapaxes(vectors, -1, -2) @ B
        return np.asarray(vectors @ (inside / np.maximum(values, least)[..., None]), dtype=np.float64)


def solve_scaled(G: Floats, root: Floats, gamma: float, B: Floats) -> Floats:
    """(gamma I + D^1/2 G D^1/2)^-1 B with D^1/2 = diag(root), by half the work of a general system."""
    if len(G) >= LARGE_SYSTEM and (found := _solve_refined(G, root, gamma, B)) is not None:
        return found
    # LAPACK reads columns first: the lower triangle of the transpose is the upper one of the matrix
    _, Y, failed = lapack.dposv(_upper(G, root, gamma).T, B, lower=1, overwrite_a=1)
    # a system indefinite through rounding still has a general solution
    return solve(shifted(G * np.outer(root, root), gamma), B) if failed else np.asarray(Y, dtype=np.float64)


def _solve_refined(G: Floats, root: Floats, gamma: float, B: Floats) -> Floats | None:
    """The same by a float32 factor, in less time and half the memory, refined in float64.

    The factor costs size^3 / 3, a step of refinement only size^2: float32 halves the former, and each step
    gains the digits that float32 has left after the condition number. None if that is too few.
    """
    unit = gamma + float(np.max(root**2 * G.diagonal()))  # float32 overflows at 1e38: scale to diagonal 1
    M = _upper(G, root / np.sqrt(unit), gamma / unit, np.float32)
    factor, failed = lapack.spotrf(M.T, lower=1, clean=0, overwrite_a=1)
    size = left_size = float(np.linalg.norm(B))
    Y: Floats = np.zeros_like(B)
    left, across = B, root[:, None]
    while not failed and size > 0:
        step, _ = lapack.spotrs(factor, (left / left_size).astype(np.float32), lower=1)
        Y += step.astype(np.float64) * (left_size / unit)
        left = B - gamma * Y - across * (G @ (across * Y))
        before, left_size = left_size, float(np.linalg.norm(left))
        if left_size <= REFINED * size:
            return Y
        failed = not left_size < before / 10  # a step has to gain a digit
    return None


def solve_shifted(A: Floats, gamma: Floats | float, B: Floats) -> Floats:
    """(A + gamma I)^-1 B likewise."""
    _, Y, failed = lapack.dposv(shifted(A, gamma).T, B, lower=1, overwrite_a=1)
    return solve(shifted(A, gamma), B) if failed else np.asarray(Y, dtype=np.float64)


def _upper(G: Floats, root: Floats, gamma: float, dtype: Any = np.float64) -> Any:
    """The upper triangle of gamma I + D^1/2 G D^1/2; the rest of the array is not used."""
    size = len(G)
    M = np.empty((size, size), dtype=dtype)
    step = max(1, SCALED_AT_A_TIME // max(size, 1))
    for start in range(0, size, step):  # rows in the cache are scaled both ways at once
        rows, right = slice(start, start + step), slice(start, size)
        np.multiply(
            G[rows, right], np.outer(root[rows], root[right]), out=M[rows, right], casting="same_kind"
        )
    M.flat[:: size + 1] += gamma
    return M


def inverse(M: Floats) -> Floats:
    """M^-1, symmetric, by half the work of a general inverse."""
    if not M.size:  # LAPACK refuses empty matrices
        return np.empty(M.shape)
    P, failed = lapack.dpotrf(M.T, lower=1)
    if not failed:
        P, failed = lapack.dpotri(P, lower=1, overwrite_c=1)
    if failed:  # indefinite through rounding
        general = np.asarray(np.linalg.inv(M), dtype=np.float64)
        return (general + general.T) / 2
    whole: Floats = P + P.T  # one triangle of P is zero
    whole.flat[:: len(whole) + 1] = P.diagonal()
    return whole


def refined(M: Floats, inverse: Floats, B: Floats) -> tuple[Floats, Floats]:
    """M^-1 B by a computed inverse and one step of refinement, and the residual B - M W."""
    W = inverse @ B
    W += inverse @ (B - M @ W)
    return W, B - M @ W
