"""Symmetric positive definite systems, all of them A + gamma I with gamma well above the rounding of A.

That gamma is, `rescaled` sees to: what comes out is good enough to search by. What a
search ends with is proven apart, in `proof`, which trusts none of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from fisherset._types import Floats

LARGE_SYSTEM, REFINED = 800, 1e-12  # order of a system from which steps are faster; what they may leave
SCALED = 2**16  # numbers of a matrix that are scaled at a time


def shifted(A: Floats, gamma: float) -> Floats:
    """A + gamma I, as a new matrix."""
    M = np.array(A)
    M.flat[:: M.shape[0] + 1] += gamma
    return M


def solve(M: Floats, B: Floats) -> Floats:
    """M^-1 B."""
    return np.asarray(np.linalg.solve(M, B), dtype=np.float64)


def solve_stack(M: Floats, B: Floats, least: float) -> Floats:
    """M^-1 B of a stack of small systems, no eigenvalue of which is below `least` but for rounding."""
    try:
        np.linalg.cholesky(M)
        return np.asarray(np.linalg.solve(M, B), dtype=np.float64)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(M)
        inside = np.swapaxes(vectors, -1, -2) @ B
        return np.asarray(vectors @ (inside / np.maximum(values, least)[..., None]), dtype=np.float64)


def solve_scaled(G: Floats, root: Floats, gamma: float, B: Floats) -> Floats:
    """(gamma I + D^1/2 G D^1/2)^-1 B with D^1/2 = diag(root), by half the work of a general system."""
    if len(G) >= LARGE_SYSTEM and (found := _solve_in_steps(G, root, gamma, B)) is not None:
        return found
    _, Y, failed = lapack.dposv(_upper(G, root, gamma).T, B, lower=1, overwrite_a=1)
    # definite but for rounding, of which a general system makes what there is to make
    return solve(shifted(G * np.outer(root, root), gamma), B) if failed else np.asarray(Y, dtype=np.float64)


def _solve_in_steps(G: Floats, root: Floats, gamma: float, B: Floats) -> Floats | None:
    """The same by a factor in single precision, in less time and half the memory, and steps of refinement.

    None where these do not remove its error.
    """
    unit = gamma + float(np.max(root**2 * G.diagonal()))
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
        failed = not left_size < before / 10
    return None


def solve_shifted(A: Floats, gamma: float, B: Floats) -> Floats:
    """(A + gamma I)^-1 B likewise."""
    _, Y, failed = lapack.dposv(shifted(A, gamma).T, B, lower=1, overwrite_a=1)
    return solve(shifted(A, gamma), B) if failed else np.asarray(Y, dtype=np.float64)


def _upper(G: Floats, root: Floats, gamma: float, dtype: Any = np.float64) -> Any:
    """The upper triangle of gamma I + D^1/2 G D^1/2, the rest not being looked at."""
    size = len(G)
    M = np.empty((size, size), dtype=dtype)
    step = max(1, SCALED // max(size, 1))
    for start in range(0, size, step):  # what is in the cache is scaled both ways at once
        rows, right = slice(start, start + step), slice(start, size)
        np.multiply(
            G[rows, right], np.outer(root[rows], root[right]), out=M[rows, right], casting="same_kind"
        )
    M.flat[:: size + 1] += gamma
    return M


def inverse(M: Floats) -> Floats:
    """M^-1, symmetric, by half the work of a general inverse."""
    if not M.size:  # of which LAPACK complains
        return np.empty(M.shape)
    P, failed = lapack.dpotrf(M.T, lower=1)
    if not failed:
        P, failed = lapack.dpotri(P, lower=1, overwrite_c=1)
    if failed:  # definite but for rounding, of which a general system makes what there is to make
        general = np.asarray(np.linalg.inv(M), dtype=np.float64)
        return (general + general.T) / 2
    whole: Floats = P + P.T  # of which one triangle is nought
    whole.flat[:: len(whole) + 1] = P.diagonal()
    return whole


def refined(M: Floats, inverse: Floats, B: Floats) -> tuple[Floats, Floats]:
    """M^-1 B by a computed inverse, whose error one step of refinement removes; and what is left, B - M W."""
    W = inverse @ B
    W += inverse @ (B - M @ W)
    return W, B - M @ W
