"""Mixtures of cuts: F as a function of their weights lambda, Eq. (22), and its maximum on the simplex.

Newton's method steps to the top of a parabola on the simplex, with

    dF/dlambda = P g,   d2F/dlambda2 = -2 / (gamma^2 n) P [N o (XV)(XV)'] P',

a row of P for each cut and N = X'(I + X D X' / gamma)^-1 X. The cuts are few, so that a step costs little
more than F itself, and a new cut takes one or two where projected gradients take tens.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import EMPTY, Domain, Units, largest
from fisherset.solver.linear import shifted, solve
from fisherset.solver.problem import Problem, largest_system
from fisherset.solver.relaxation.ascent import Function, ascend
from fisherset.solver.relaxation.relaxation import POOL_FACTOR, POOL_LEAST, gradient
from fisherset.solver.ridge import FeatureRidge, ridge_on
from fisherset.solver.trace import Trace

ALL_LISTED = 1024  # columns up to which all units are on the shortlist: 8 MB of G
# Share of F below which lambda is found by Newton's method: a few gradient steps reach a larger one.
NEWTON_TOL = 5e-3
# Newton steps after which F is too far from a parabola, as with a tiny gamma: gradients are cheaper then.
NEWTON_STEPS = 8


class Shortlist:
    """The units among which cuts are looked for first: their block of G is held, so that it takes no pass.

    Parameters
    ----------
    problem : Problem
        The problem with G.
    domain : Domain
        Its units; excluded ones are never listed.
    gamma : float
        The ridge.
    """

    def __init__(self, problem: Problem, domain: Domain, gamma: float) -> None:
        self.problem, self.units, self.gamma = problem, domain.units, gamma
        self.first: Floats = self.units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
        self.members, self.columns, self._G = EMPTY, EMPTY, np.empty((0, 0))
        columns = self.units.n_columns
        size = self.units.size if columns <= ALL_LISTED else max(POOL_FACTOR * domain.m, POOL_LEAST)
        most = largest_system(problem) * self.units.size // max(columns, 1)
        allowed = self.units.size - domain.excluded.size
        self.add(domain.candidates(self.first, min(size, most, allowed)))

    def add(self, some: Indices) -> bool:
        """List more units, if their block fits the memory limit, and say whether any is new."""
        new = np.setdiff1d(some, self.members)
        members = np.union1d(self.members, new)
        columns = self.units.columns(members)
        if not new.size or columns.size > largest_system(self.problem):
            return False
        known = np.isin(columns, self.columns)
        G = np.empty((columns.size, columns.size))
        G[np.ix_(known, known)] = self._G
        G[:, ~known] = self.problem.gram(columns[~known], rows=columns)
        G[np.ix_(~known, known)] = G[np.ix_(known, ~known)].T
        self.members, self.columns, self._G = members, columns, G
        return True

    def add_lacking(self, domain: Domain, g: Floats) -> bool:
        """List the units whose g would put them into the worst cut of the listed ones."""
        threshold = -np.inf
        if self.members.size >= domain.m:
            threshold = domain.subdomain(self.members).threshold(g[self.members])
        outside = g > threshold
        outside[self.members] = outside[domain.excluded] = False
        lacking = np.flatnonzero(outside)
        return self.add(lacking[largest(g[lacking], max(domain.m, POOL_LEAST))])

    def violated(self, domain: Domain, q: Floats, A: Indices, W: Floats) -> tuple[Indices, float]:
        """The set of listed units that is violated most for V = H - X_A W, Eq. (26), and by how much of F.

        Not violated if some of the columns A are not listed.
        """
        if not self.lists(A):
            return EMPTY, 0.0
        XV = self.problem.C[self.columns] - self._G[:, np.searchsorted(self.columns, A)] @ W
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        listed = domain.subdomain(self.members)
        return self.members[listed.best(g)], listed.bound(0.0, g, q[self.members])

    def lists(self, columns: Indices) -> bool:
        """Whether all of the columns are of listed units."""
        return bool(np.isin(columns, self.columns).all())

    def gram(self, columns: Indices) -> Floats:
        """G among listed columns."""
        places = np.searchsorted(self.columns, columns)
        return self._G[np.ix_(places, places)]


class Mixture:
    """F as a function of the weights lambda of some cuts."""

    def __init__(
        self,
        problem: Problem,
        units: Units,
        cuts: list[Indices],
        gamma: float,
        shortlist: Shortlist | None = None,
    ) -> None:
        self.problem, self.gamma, self.units = problem, gamma, units
        self.members = np.unique(np.concatenate(cuts))
        self.columns = self.units.columns(self.members)
        self.choice = np.array([np.isin(self.members, cut) for cut in cuts], dtype=float)
        self.ridge = ridge_on(problem, self.columns, gamma)
        self._shortlist = shortlist

    def evaluate(self, weights: Floats) -> tuple[float, Floats]:
        """F at q = sum of lambda_t p^t and its gradient, the sum of g over each cut, Eq. (23)."""
        q = self.units.spread(weights @ self.choice, self.members, self.columns)
        value, XV = self.ridge.evaluate(q)
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        return value, self.choice @ g

    def best_weights(
        self, weights: Floats, second_order: bool, *, tol: float, trace: Trace
    ) -> tuple[Floats, bool]:
        """The weights of the largest F, and whether Newton's method still pays.

        It needs G, a sample space that is no smaller, and a tol that gradients take long to reach.
        """
        listed = self._shortlist is not None and self._shortlist.lists(self.columns)
        if second_order and tol <= NEWTON_TOL and listed and isinstance(self.ridge, FeatureRidge):
            weights, second_order = newton(self.evaluate, self.curvature, weights, tol=tol, trace=trace)
            if second_order:
                return weights, True
        one_cut = Domain(Units(None, len(weights)), 1)
        return ascend(self.evaluate, weights, one_cut, tol=tol, trace=trace).x, second_order

    def curvature(self, weights: Floats) -> Floats:
        """The Hessian of -F, cuts x cuts."""
        assert self._shortlist is not None
        G, C = self._shortlist.gram(self.columns), self.problem.C[self.columns]
        P = np.array([self.units.spread(cut, self.members, self.columns) for cut in self.choice])
        root = np.sqrt(weights @ P)
        T = root[:, None] * G
        # one factorisation for N and XV: both are what is left of G and C
        Y = solve(shifted(T * root, self.gamma), np.hstack([T, root[:, None] * C]))
        N, XV = G - T.T @ Y[:, : len(G)], C - T.T @ Y[:, len(G) :]
        H: Floats = 2 / (self.gamma**2 * self.problem.n) * (P @ (N * (XV @ XV.T)) @ P.T)
        return H

    def everywhere(self, cuts: list[Indices], weights: Floats) -> tuple[Floats, float, Indices, Floats]:
        """Q over all units, F(q), and columns A and W with XV = C - G_:A W on all columns."""
        q = np.zeros(self.units.size)
        for cut, weight in zip(cuts, weights / weights.sum(), strict=True):
            q[cut] += weight
        np.minimum(q, 1.0, out=q)
        of_columns = self.units.spread(q[self.members], self.members, self.columns)
        value, _ = self.ridge.evaluate(of_columns)
        return q, value, *self.ridge.weights(of_columns)


def newton(
    function: Function, curvature: Callable[[Floats], Floats], x: Floats, *, tol: float, trace: Trace
) -> tuple[Floats, bool]:
    """Maximise a concave function on the simplex from x; `curvature` is its Hessian with the sign turned.

    Returns a point no worse than x, and whether it is within `tol` of the best.
    """
    value, gradient = function(x)
    for step in range(NEWTON_STEPS + 1):
        gap = float(np.max(gradient) - x @ gradient)  # Eq. (27) on the simplex
        if gap <= tol * (value + gap):
            return x, True
        if step == NEWTON_STEPS or trace.out_of_time():
            break
        direction = top_on_simplex(gradient, curvature(x), x) - x
        slope, length = float(gradient @ direction), 1.0
        while True:
            new = np.maximum(x + length * direction, 0.0)
            new /= new.sum()
            new_value, new_gradient = function(new)
            # 4 EPS: at the top, F does not tell points apart
            if new_value >= value + 1e-4 * length * slope - 4 * EPS * value:
                break
            length /= 2
            if length < 1 / 64:  # far from a parabola
                return x, False
        x, value, gradient = new, new_value, new_gradient
    return x, False


def top_on_simplex(gradient: Floats, Q: Floats, x: Floats) -> Floats:
    """The y of the simplex with the largest gradient.(y - x) - (y - x)'Q(y - x) / 2, by active sets from x.

    Weights that reach zero are held there, and released, the most promising first, once
    the others are at their best. Each y on the way is of the simplex and better than the last.
    """
    y, size = x.copy(), x.size
    # a share of the curvature, so that the parabola has one top if cuts are alike
    Q = Q + 1e-10 * max(float(np.max(np.diag(Q))), np.finfo(float).tiny) * np.eye(size)
    rising, free = gradient, (x > 0) | (gradient > x @ gradient)
    for _ in range(3 * size + 10):
        F = np.flatnonzero(free)
        # weights keep their sum: only differences of the gradient matter, and are small
        ones, ahead = np.ones(F.size), rising[F] - rising[F].max()
        own, common = solve(Q[np.ix_(F, F)], np.column_stack([ahead, ones])).T
        level = float(own.sum() / common.sum())
        way = own - level * common
        way -= way.sum() / F.size
        falling = np.flatnonzero(way < 0)
        reach = y[F[falling]] / -way[falling]
        if falling.size and reach.min() < 1:
            held = F[falling[np.argmin(reach)]]
            y[F] += reach.min() * way
            y[held], free[held] = 0.0, False
            rising = gradient - Q @ (y - x)
            continue
        y[F] += way
        rising = gradient - Q @ (y - x)
        best = int(np.argmax(np.where(free, -np.inf, rising)))
        level = float(rising[F].max())
        if free[best] or rising[best] <= level + EPS * size * abs(level):
            break
        free[best] = True
    return np.maximum(y, 0.0)
