"""The diagonal that is moved from G into the ridge: a tighter relaxation where gamma is small.

For any diagonal Delta with G - Delta positive semidefinite, F of every set is the same with G - Delta for G
and the ridge gamma + Delta_j for column j: only their sum matters. The relaxation is not the same. It divides
the ridge of a column by the weight q_j, so that the larger the ridge, the more a share of a column costs, and
the tighter the bound. With any W

    n F(A) <= tr W'(G - Delta)W + sum over A of ||(C - (G - Delta)W)_j||^2 / (gamma + Delta_j),

the bound of `proof` for Delta = 0. It needs no solution to be exact, but G - Delta to be positive
semidefinite for certain: the errors of G, and of the factorisation that shows it, are subtracted first.

The best Delta minimises the maximum of the relaxation, a convex function of Delta: that is the minimum over W
and q of a loss linear in Delta, with its sign changed. Its slope is -w_j^2 (1 - q_j) / q_j, w_j^2 being the
squared length of row j of W, at the q that Delta leads to. In mixed-integer programming this is the diagonal
of a perspective reformulation (Frangioni and Gentile 2007; the best one, Dong, Chen and Linderoth 2015).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack

from fisherset._types import Floats, Indices
from fisherset.solver.linear import inverse, shifted, solve_shifted
from fisherset.solver.problem import Problem

# Columns beyond which the first Delta, of about two factorisations, is not improved: a step costs five more.
WIDEST_IMPROVED = 1500
# Share of gamma below which no Delta_j is worth its time: it would hardly tighten the relaxation.
LEAST_SHARE = 0.02
# Shares of gamma that a column may give away.
LEAST_IDLE, MOST_IDLE = 0.05, 0.9
# Share of the longest step that is taken, so that the next one starts well inside.
INSIDE = 0.9
# Share of the gain by Delta that the barrier costs, first and last, and Newton steps for each. On real tables
# more of them moved a gap by less than a twentieth of what these do.
BARRIERS, STEPS = (0.2, 0.06), 3
LANCZOS = 12  # steps to find the longest step: its error is about what `INSIDE` leaves, and trials mend it
TINY = np.finfo(float).tiny

Slopes = Callable[[Floats], Floats]  # from Delta to the fall of n F by each Delta_j at its relaxation


def idle_shares(q: Floats, g: Floats, threshold: Floats) -> Floats:
    """Shares of gamma that units may give away: none if they have a weight, or their g is near the threshold.

    Less than would lift g, which is proportional to 1 / ridge, to the threshold.
    """
    far = (q <= 1e-3) & (g < threshold / 2)
    nearness = np.divide(g, threshold, out=np.ones_like(g), where=far)
    return np.where(far, np.clip(1 - 1.5 * nearness, LEAST_IDLE, MOST_IDLE), 0.0)


def find_diagonal(
    problem: Problem, gamma: float, required: Indices, free: Indices, idle: Floats, slopes: Slopes
) -> Floats:
    """Delta of the free columns, good for all sets that hold the required columns; zeros if there is none.

    The required columns have no relaxed weight: G is adjusted for them first, as for the members of a subset.
    So it is for the columns with a share of gamma in `idle`, which give that away: their ridge is no longer
    than the rest of it, and there is more to subtract from the others, copies of them included.
    """
    none = np.zeros(free.size)
    idle = _with_dependent(problem, free, idle, LEAST_SHARE * gamma)
    active = np.flatnonzero(idle == 0)
    given = np.where(idle > 0, np.minimum(idle * gamma, problem.diagonal[free]), 0.0)
    if not active.size:
        return none
    others = np.concatenate([required, free[idle > 0]])
    ridge = np.concatenate([np.full(required.size, gamma), given[idle > 0]])
    G, unit = _adjusted(problem, free[active], others, ridge)
    if not _definite(G):
        return none
    P = inverse(G)
    # no more than the part of a column that the others do not explain can be subtracted
    own = 1 / P.diagonal()
    if not float(own.max()) * unit >= LEAST_SHARE * gamma:
        return none
    delta = _first(G, P, own)
    if active.size <= WIDEST_IMPROVED:

        def moved(now: Floats) -> Floats:
            return np.nan_to_num(slopes(_joined(now * unit, active, -given))[active]) * unit

        delta = _improved(G, delta, gamma / unit, moved)
    return _joined(delta * unit, active, -given) if _definite(G, delta) else none


def _with_dependent(problem: Problem, free: Indices, idle: Floats, least: float) -> Floats:
    """The shares, with a small one for the columns of which those before them leave too little.

    Before them in a Cholesky factorisation that takes the column with most left first: copies and sums of
    others would leave nothing to subtract.
    """
    active, idle = np.flatnonzero(idle == 0), idle.copy()
    if active.size:
        G = problem.gram(free[active], rows=free[active])
        _, order, rank, _ = lapack.dpstrf(G.T, tol=least, lower=1)
        idle[active[order[rank:] - 1]] = LEAST_IDLE
    return idle


def _joined(delta: Floats, active: Indices, given: Floats) -> Floats:
    """Delta of the active columns among that of the others."""
    whole = given.copy()
    whole[active] = delta
    return whole


def _adjusted(problem: Problem, some: Indices, others: Indices, ridge: Floats) -> tuple[Floats, float]:
    """G of some columns adjusted for others with a ridge, in units of its mean diagonal, and that unit.

    Less than rounding may have added to its least eigenvalue: the error of G, and as much again, which
    exceeds what a factorisation of a matrix that is not definite may overlook.
    """
    G = np.array(problem.gram(some, rows=some))
    Y = np.empty((0, some.size))
    if others.size:
        across = problem.gram(some, rows=others)
        Y = solve_shifted(problem.gram(others, rows=others), ridge, across)
        G -= across.T @ Y
    unit = float(problem.diagonal[some].mean())
    return shifted(G / unit, -2 * problem.rounding.schur(some, others, Y) / unit), unit


def _definite(G: Floats, delta: Floats | float = 0.0) -> bool:
    """Whether G - Delta has a Cholesky factor and no Delta is below zero; not if any is not a number."""
    M = np.array(G)
    M.flat[:: len(M) + 1] -= delta
    factor, failed = lapack.dpotrf(M.T, lower=1, clean=0, overwrite_a=1)
    return bool(not failed and np.all(factor.diagonal() > 0) and np.all(delta >= 0.0))


def _first(G: Floats, P: Floats, own: Floats) -> Floats:
    """A share of the largest Delta in proportion to `own`, 1 / diag P, P being the inverse of G."""
    share = INSIDE / max(_largest(P, own), 1.0)  # which the diagonal of P alone leads to
    while share > 0 and not _definite(G, share * own):
        share *= INSIDE
    return share * own


def _largest(P: Floats, step: Floats) -> float:
    """The largest eigenvalue of diag(step) P, from below: G - t diag(step) is singular at t = 1 over it.

    By Lanczos' method in the inner product of P, in which the product is symmetric.
    """
    T, v, w = np.zeros((LANCZOS, LANCZOS)), np.zeros(step.size), step
    for place in range(LANCZOS):
        Pw = P @ w
        across = max(float(w @ Pw), 0.0) ** 0.5
        if not across > 1e-9 * np.abs(T).max():  # nothing is left, or not a number
            return float(np.linalg.eigvalsh(T[:place, :place])[-1]) if place else 0.0
        before, v = v, w / across
        w = step * (Pw / across)
        T[place, place] = float(w @ Pw) / across
        w = w - T[place, place] * v
        if place:
            T[place, place - 1] = across
            w = w - across * before
    return float(np.linalg.eigvalsh(T)[-1])


def _improved(G: Floats, delta: Floats, ridge: float, slopes: Slopes) -> Floats:
    """A better Delta by Newton's method on a barrier, the relaxation moving along.

    The barrier is -log det(G - Delta) - sum of log Delta_j. The slopes fall as 1 / (ridge + Delta_j)^2
    does, which is their curvature.
    """
    for barrier in BARRIERS:
        weight = 0.0
        for _ in range(STEPS):
            slope = slopes(delta)
            weight = weight or barrier * float(slope @ delta) / delta.size
            if not weight > 0:  # nothing to gain: the relaxed choice is a set
                return delta
            P = inverse(shifted(G, -delta))
            curvature = weight * np.square(P)
            curvature.flat[:: delta.size + 1] += weight / delta**2 + 2 * slope / (ridge + delta)
            rise = slope + weight * (1 / delta - P.diagonal())
            step = solve_shifted(curvature, 0.0, rise[:, None])[:, 0]
            delta = delta + _length(G, P, delta, step) * step
    return delta


def _length(G: Floats, P: Floats, delta: Floats, step: Floats) -> float:
    """The longest step that stays well inside, 0 if there is none; P is the inverse of G - Delta."""
    falling = step < 0
    longest = float(np.min(-delta[falling] / step[falling], initial=np.inf))
    length = min(1.0, INSIDE * min(longest, 1 / max(_largest(P, step), TINY)))
    for _ in range(30):
        if _definite(G, delta + min(length / INSIDE, 1.0) * step):
            return length
        length *= INSIDE
    return 0.0
