"""What can be taken out of the diagonal of G, so that what is left is still positive semidefinite.

A relaxation with G - Delta for G and gamma + Delta_j for the ridge of column j is tighter (see
`relaxations`); by w_j^2 (1 - q_j) / q_j for each bit of Delta_j, to first order. So Delta solves
the semidefinite programme

    max  sum of omega_j Delta_j    over    G - Delta psd,  Delta >= low,

by Newton's method on its barrier. In mixed-integer programming this is the diagonal of a perspective
reformulation (Frangioni and Gentile 2007, Dong, Chen and Linderoth 2015).
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.exact.candidates import Core
from fisherset.solver.linear import shifted, solve

LARGEST = 400  # columns beyond which it takes too long
TOO_LITTLE = 1e-7  # share of the mean of the diagonal below which there is nothing to take
WORTHWHILE = 0.02  # share of gamma that is worth taking
ENDING = 1e-4  # weight of the barrier at the end
NEWTON_STEPS = 3  # for each weight of the barrier


def take_diagonal(core: Core, gamma: float, required: Indices, free: Indices, omega: Floats) -> Floats:
    """Delta of the free columns, nought elsewhere, good for all sets that hold the required columns.

    These have no relaxed weight: they are taken out of G first, as a subset takes its members out, and
    their ridge with them.
    """
    delta = np.zeros(core.C.shape[0])
    if not 0 < free.size <= LARGEST:
        return delta
    G = core.gram(free, rows=free)
    Y = np.empty((0, free.size))
    if required.size:
        across = core.gram(free, rows=required)
        Y = solve(shifted(core.gram(required, rows=required), gamma), across)
        G -= across.T @ Y
    unit = float(core.diagonal[free].mean())
    # less what rounding may have added to the least eigenvalue of G
    G = shifted(G / unit, -2 * core.rounding.schur(free, required, Y) / unit)
    least = float(np.linalg.eigvalsh(G)[0])
    # no more than what the others leave of a column can be taken out of it
    if not least >= TOO_LITTLE or not (
        float(np.max(1 / np.linalg.inv(G).diagonal())) * unit >= WORTHWHILE * gamma
    ):
        return delta
    weights = omega / max(float(omega.mean()), np.finfo(float).tiny) + 1e-3
    delta[free] = _maximise(G, weights, least) * unit
    return delta


def _maximise(G: Floats, omega: Floats, least: float) -> Floats:
    """The Delta that maximises omega.Delta, nearly, and keeps G - Delta positive definite for certain."""
    size, delta, weight = omega.size, np.full(omega.size, least / 2), least
    while True:
        for _ in range(NEWTON_STEPS):
            inverse = np.linalg.inv(G - np.diag(delta))
            slope = omega + weight * (1 / delta - inverse.diagonal())
            curvature = np.square(inverse)
            curvature.flat[:: size + 1] += 1 / delta**2
            step = solve(weight * curvature, slope)
            length = _length(G, delta, step)
            delta = delta + length * step
        if not weight >= ENDING * float(delta.mean()):
            break
        weight /= 5
    taken: Floats = np.where(delta > TOO_LITTLE, delta * (1 - 1e-9), 0.0)
    return taken


def _length(G: Floats, delta: Floats, step: Floats) -> float:
    """The longest step that stays well inside, 0 where there is none."""
    falling = step < 0
    length = min(1.0, 0.95 * float(np.min(-delta[falling] / step[falling], initial=np.inf)))
    for _ in range(30):
        try:
            np.linalg.cholesky(G - np.diag(delta + min(length / 0.95, 1.0) * step))
        except np.linalg.LinAlgError:
            length *= 0.7
        else:
            return length
    return 0.0
