"""The capped simplex {0 <= q <= 1, sum q = m}: the convex hull of the m-subsets, Eq. (17)."""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats


def project(v: Floats, m: float) -> Floats:
    """Nearest point of the capped simplex: clip(v - tau, 0, 1) for the tau that makes the sum m.

    The sum is a piecewise linear, falling function of tau with a kink at every v_j - 1
    and v_j, so one sort finds the piece and the piece gives tau.
    """
    size = v.size
    if m >= size:
        return np.ones(size)
    kinks = np.concatenate([v - 1.0, v])
    slopes = np.concatenate([-np.ones(size), np.ones(size)])
    order = np.argsort(kinks, kind="stable")
    kinks, slopes = kinks[order], np.cumsum(slopes[order])
    sums = size + np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(kinks))])
    # sums falls from size to 0, up to rounding
    piece = int(np.searchsorted(-sums, -m, side="left"))
    piece = min(max(piece, 1), 2 * size - 1)
    slope = slopes[piece - 1]
    tau = kinks[piece - 1] + ((m - sums[piece - 1]) / slope if slope < 0 else 0.0)
    nearest: Floats = np.clip(v - tau, 0.0, 1.0)
    return nearest


def support_value(g: Floats, m: int) -> float:
    """Sum of the m largest entries: the maximum of g.p over the capped simplex, Eq. (26)."""
    if m >= g.size:
        return float(g.sum())
    return float(np.partition(g, g.size - m)[g.size - m :].sum())


def upper_bound(value: float, g: Floats, q: Floats, m: int) -> float:
    """Bound on F over the whole capped simplex, hence over every m-subset: Eq. (27).

    F is concave, so its tangent at q lies above it; the tangent is largest at a vertex.
    """
    return value + support_value(g, m) - float(q @ g)
