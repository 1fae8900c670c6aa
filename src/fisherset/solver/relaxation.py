"""The convex relaxation: F(q) over 0 <= q <= 1, sum q = m, and the bound it gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.ascent import Ascent, ascend
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.ridge import FeatureRidge, Pool, SampleRidge
from fisherset.solver.simplex import project, upper_bound
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import Units, largest

# The pool of columns starts at this many times m and grows by what the bound asks for.
POOL_FACTOR = 3
POOL_LEAST = 100
# What the relaxation is solved to where nobody asks for its bound: the exchange mends the rest.
LOOSE = 0.01
# Share of F below which the arithmetic, not the iteration, limits the gap.
PRECISION = 1e-14


class Relaxation(NamedTuple):
    """A nearly optimal q, its gradient g over all units, F(q) and the bound on every m-subset.

    Where only a pool of units was looked at, `everywhere` is False: g is then the gradient at
    q = 0, and the bound the ceiling of F.
    """

    q: Floats
    g: Floats
    value: float
    upper_bound: float
    everywhere: bool = True


def relax(
    problem: Problem, m: int, gamma: float, *, tol: float | None, trace: Trace, start: Floats | None = None
) -> Relaxation:
    """Maximise F(q) until its upper bound is within the share `tol` of it, or, with None, on a pool only.

    `start` is the q of a problem alike, such as another m or gamma on the same table.
    """
    units = Units(problem)
    if m > units.size:
        raise ValueError(f"m must be at most the {units.size} units of the problem; got {m}.")
    if m == 0:
        return Relaxation(np.zeros(units.size), np.zeros(units.size), 0.0, 0.0)
    samples, rough = problem.samples, LOOSE if tol is None else tol
    if samples is not None and samples.size < 2 * m * units.n_columns / units.size:
        return _relax_in_samples(problem, samples, units, m, gamma, rough, trace, start)
    return _relax_in_pool(problem, units, m, gamma, tol, trace, start)


def _relax_in_samples(
    problem: Problem,
    samples: Samples,
    units: Units,
    m: int,
    gamma: float,
    tol: float,
    trace: Trace,
    start: Floats | None,
) -> Relaxation:
    ridge = SampleRidge(problem, samples, gamma)

    def function(q: Floats) -> tuple[float, Floats]:
        value, XV = ridge.evaluate(units.spread(q))
        return value, units.total(gradient(XV, problem, gamma))

    def observe(best: Ascent) -> None:
        bound = min(best.bound, problem.ceiling)
        trace.record("relaxation", best.value, bound, int(np.count_nonzero(best.x)))

    g = units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
    x = _first(g, m) if start is None else _rescaled(start, m)
    best = ascend(function, x, m, tol=tol, max_steps=trace.max_iter, trace=trace, observe=observe)
    if best.bound - best.value > tol * best.bound:
        trace.stopped(Status.MAX_ITER if best.steps == trace.max_iter else Status.PRECISION)
    return Relaxation(best.x, best.gradient, best.value, min(best.bound, problem.ceiling))


def _relax_in_pool(
    problem: Problem,
    units: Units,
    m: int,
    gamma: float,
    tol: float | None,
    trace: Trace,
    start: Floats | None,
) -> Relaxation:
    """Solve on a pool of promising columns; let the bound over all columns name those that lack."""
    g = units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
    members = largest(g, min(units.size, max(POOL_FACTOR * m, POOL_LEAST)))
    if start is not None:
        members = np.union1d(members, np.flatnonzero(start))
    pool = Pool(problem)
    pool.admit(units.columns(members))

    def function(x: Floats) -> tuple[float, Floats]:
        value, XV = ridge.evaluate(units.spread(x, members, pool.columns))
        return value, units.total(gradient(XV, problem, gamma), members, pool.columns)

    x = _first(g[members], m) if start is None else _rescaled(start[members], m)
    if tol is None:
        ridge = FeatureRidge(problem, pool.columns, pool.G, gamma)
        found = ascend(function, x, m, tol=LOOSE, trace=trace)
        q = np.zeros(units.size)
        q[members] = found.x
        trace.record("relaxation", found.value, problem.ceiling, int(np.count_nonzero(q)))
        return Relaxation(q, g, found.value, problem.ceiling, everywhere=False)
    bound, inner = problem.ceiling, max(tol / 4, LOOSE)
    best = Relaxation(np.zeros(units.size), g, 0.0, problem.ceiling)
    for _ in range(trace.max_iter):
        ridge = FeatureRidge(problem, pool.columns, pool.G, gamma)
        x = ascend(function, x, m, tol=inner, trace=trace).x
        value, XV = ridge.everywhere(units.spread(x, members, pool.columns))
        g = units.total(gradient(XV, problem, gamma))
        q = np.zeros(units.size)
        q[members] = x
        bound = min(bound, upper_bound(value, g, q, m))
        best = Relaxation(q, g, value, bound)
        trace.record("relaxation", value, bound, int(np.count_nonzero(x)))
        if bound - value <= tol * bound or trace.out_of_time():
            return best
        lacking = _lacking(g, members, m)
        if lacking.size:
            members = np.concatenate([members, lacking])
            pool.admit(units.columns(lacking))
            x = np.concatenate([x, np.zeros(lacking.size)])
            inner = max(tol / 4, min(inner, (bound - value) / bound / 10))
        elif inner > PRECISION:
            inner /= 4
        else:
            trace.stopped(Status.PRECISION)
            return best
    trace.stopped(Status.MAX_ITER)
    return best


def _lacking(g: Floats, members: Indices, m: int) -> Indices:
    """Units outside the pool whose gradient exceeds the m-th largest inside: those the bound counts."""
    inside = g[members]
    threshold = np.partition(inside, inside.size - m)[inside.size - m]
    outside = np.ones(g.size, dtype=bool)
    outside[members] = False
    candidates = np.flatnonzero(outside & (g > threshold))
    return candidates[largest(g[candidates], max(m, POOL_LEAST))]


def _rescaled(q: Floats, m: int) -> Floats:
    """The point for m next to the q of another m."""
    return project(q * (m / q.sum()), m)


def _first(s: Floats, m: int) -> Floats:
    """A first q: half weight on the 2m units of largest s, between the first cut and the middle."""
    x = np.zeros(s.size)
    first = largest(s, min(2 * m, s.size))
    x[first] = m / first.size
    return x


def gradient(XV: Floats, problem: Problem, gamma: float) -> Floats:
    """dF/dq = s / (gamma n), Eq. (23) and (26)."""
    g: Floats = np.einsum("jr,jr->j", XV, XV) / (gamma * problem.n)
    return g
