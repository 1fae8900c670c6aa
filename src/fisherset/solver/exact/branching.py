"""On which unit to branch, and where its children start: by the curvature of F at the relaxed choice.

With the Hessian -(2 / (gamma^2 n)) N o (XV)(XV)' on the fractional units, N = X'(I + X D X'/gamma)^-1 X,
fixing q_j at p costs (p - q_j)^2 / (2 P_jj) to second order once the others have moved along column j of P,
P being the inverse Hessian within sum q = m. A unit with near-duplicates costs little; others more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.exact.nodes import Flags
from fisherset.solver.exact.relaxations import Relaxations

FRACTION = 1e-3  # from which a relaxed weight counts as neither nought nor one
CREDIT = 1e-6  # share of F that every move of a bound is taken for at least, so that products tell them apart


class Branch(NamedTuple):
    """The unit to branch on, and q to start from with it required and with it excluded."""

    unit: int
    required: Floats
    excluded: Floats


def choose_branch(
    relaxations: Relaxations, q: Floats, delta: Floats, free: Flags, g: Floats, value: float, slack: float
) -> Branch:
    """Branch on the free unit that moves the bounds of both children most, at most by what closes them."""
    members = np.flatnonzero(free & (q > FRACTION) & (q < 1 - FRACTION))
    P = _movement(relaxations, q, delta, members)
    if P is None:
        fractional = np.where(free, np.minimum(q, 1 - q), -1.0)
        unit = int(np.argmax(np.where(free, g, -1.0) if fractional.max() <= 0 else fractional))
        return Branch(unit, q, q)
    x, stiffness = q[members], 1 / np.maximum(P.diagonal(), np.finfo(float).tiny)
    moves = (np.clip(d**2 * stiffness / 2, CREDIT * value, max(slack, CREDIT * value)) for d in (x, 1 - x))
    place = int(np.argmax(np.prod(list(moves), axis=0)))
    along = P[:, place] * stiffness[place]
    starts = []
    for end in (1.0, 0.0):
        start = q.copy()
        start[members] = np.clip(x + (end - x[place]) * along, 0.0, 1.0)
        starts.append(start)
    return Branch(int(members[place]), *starts)


def _movement(relaxations: Relaxations, q: Floats, delta: Floats, members: Indices) -> Floats | None:
    """P of the fractional units, None where there are too few or the arithmetic fails."""
    core, gamma, units = relaxations.core, relaxations.gamma, relaxations.core.units
    if members.size < 2:
        return None
    of_columns = relaxations.spread(q[None])[0]
    A = np.flatnonzero(of_columns)
    taken = delta[A]
    root = np.sqrt(gamma * of_columns[A] / (gamma + taken))
    M = core.gram(A, rows=A)
    M.flat[:: A.size + 1] -= taken
    M *= root
    M *= root[:, None]
    M.flat[:: A.size + 1] += gamma
    inverse = np.linalg.inv(M)
    scaled = root[:, None] * core.C[A]
    columns = units.columns(members)
    places = np.searchsorted(A, columns)
    XV = gamma * (inverse @ scaled)[places]  # times the root of q, as N is below
    N = -gamma * inverse[np.ix_(places, places)]
    N.flat[:: places.size + 1] += 1.0
    weight = of_columns[columns]
    curvature = 2 / (gamma * core.n) * N * (XV @ XV.T) / weight / weight[:, None]
    if units.groups is not None:
        firsts = np.cumsum(units.sizes[members]) - units.sizes[members]
        curvature = np.add.reduceat(np.add.reduceat(curvature, firsts, axis=0), firsts, axis=1)
    curvature.flat[:: members.size + 1] *= 1 + 1e-9
    try:
        P = np.linalg.inv(curvature)
    except np.linalg.LinAlgError:
        return None
    sums = P.sum(axis=1)
    total = float(sums.sum())
    if not total > 0:
        return None
    return P - np.outer(sums, sums) / total
