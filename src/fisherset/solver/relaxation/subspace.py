"""The relaxation over all units at once, by a few products with G: for optima spread over many units.

Any weights W bound F: with V = H - XW, n F(q) <= tr(W'GW) + sum of q_j ||(C - GW)_j||^2 / gamma. Of those in
a subspace, W = U T with U'GU = I, the best for q leaves

    f(q) = min over T of { ||T||^2 + sum of q_j ||(C - GU T)_j||^2 / gamma } / n  >=  F(q),

concave like F and as easy to bound, but computed from GU alone: a system as small as the subspace. Where f
is largest over the hull, Eq. (14) gives weights S = D XV / gamma. Their product with G tells how far f
is from F, and they are added to the subspace (generalised Krylov subspaces, after Lanza, Morigi, Reichel and
Sgallari, 2015): a dozen products are enough where thousands of systems of that size would be factored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from fisherset._types import Floats, Indices
from fisherset.solver.domain import TIE, Domain, mask_of
from fisherset.solver.problem import Problem, Samples, largest_system
from fisherset.solver.relaxation.ascent import ascend
from fisherset.solver.ridge import VALUES_HELD
from fisherset.solver.trace import Trace

# Share of the bound that F has to reach for an ascent on f: before, the maximum of f says little about F.
FAR = 0.3
# Steps of the ascent for each product: more of them follow the subspace, not F.
STEPS = 2
MAX_PRODUCTS = 60
# Columns of U up to which all are kept; beyond, W and the last directions: what conjugate gradients keep.
WIDEST, FEWEST = 96, 4  # and if the targets have many columns, so many directions
# Share of a direction that has to be new: the rest is rounding, as products may be in single precision.
LEAST_NEW = 1e-3
# Units that f is maximised over: so many times those with a weight, the best by their gradient.
IN_PLAY = 3
LEAST_IN_PLAY = 300
# Samples from which it pays, as measured: systems of fewer are solved in less time.
MANY_SAMPLES = 300
# Samples for each column up to which products by value cost less than by G.
MOST_SAMPLES = 4
VALUES_AT_A_TIME = 2**17  # numbers of them, in single precision: half a megabyte, which stays in the cache

Product = Callable[[Floats], Floats]
Enough = Callable[[Floats, Floats, float, float], float]  # of q, g, F(q) and its bound


class Climb(NamedTuple):
    """The q that was reached, F(q) from below, the least bound, and the weights of all columns it is from."""

    q: Floats
    value: float
    bound: float
    W: Floats

    @property
    def far(self) -> bool:
        """Whether the bound says little about F yet."""
        return self.bound - self.value > FAR * self.bound


def can_climb(problem: Problem) -> bool:
    """Whether a dozen products with all columns cost less than systems, and a basis fits the memory limit."""
    d, samples = len(problem.C), problem.samples
    if 2 * d * max(WIDEST, FEWEST * problem.C.shape[1]) > problem.room:
        return False
    many = samples is None or samples.size >= MANY_SAMPLES
    return many and (_by_value(problem) is not None or d <= largest_system(problem))


def climb(
    problem: Problem,
    domain: Domain,
    gamma: float,
    start: Climb,
    g: Floats,
    *,
    enough: Enough,
    trace: Trace,
) -> Climb:
    """Maximise F until its bound is `enough` above it, from a q on a few units and its g."""
    units, n = domain.units, problem.n
    basis, multiply = _Basis(problem.C), product_with(problem)
    now, direction, R, length = start._replace(bound=np.inf), start.W, problem.C, np.inf
    if start.far:  # no unit at zero, where reweighting would leave it
        roots = np.sqrt(units.total(_squares(problem.C)))
        now = now._replace(q=domain.reweighted(roots + TIE * roots.max()))
    for turn in range(MAX_PRODUCTS):
        product = multiply(direction)
        if turn:
            now = now._replace(value=max(now.value, _value(direction, product, R, problem.C) / n))
            share = enough(now.q, g, now.value, now.bound)
            if now.bound - now.value <= share * now.bound or trace.out_of_time():
                break
        if not basis.add(direction, product):
            break
        if (now if turn else start).far:
            R = basis.fit(units.spread(now.q), gamma)[1]
            q = domain.reweighted(now.q * np.sqrt(units.total(_squares(R))))
        else:
            q, length = _ascend(basis, problem, domain, gamma, now.q, g, length, trace)
        of_columns = units.spread(q)
        T, R = basis.fit(of_columns, gamma)
        g = units.total(_squares(R) / (gamma * n))
        bound = float(np.vdot(T, T)) / n + domain.maximum(g)
        if bound < now.bound:
            now = now._replace(bound=bound, W=basis.U @ T)
        now = now._replace(q=q)
        direction = of_columns[:, None] * R / gamma  # Eq. (14)
        basis.narrow(T)
    return now


def _ascend(
    basis: _Basis,
    problem: Problem,
    domain: Domain,
    gamma: float,
    q: Floats,
    g: Floats,
    length: float,
    trace: Trace,
) -> tuple[Floats, float]:
    """The q after some steps of the ascent on f, among the units with a weight and the best of the others."""
    units, support = domain.units, np.flatnonzero(q)
    chosen = mask_of(units.size, domain.candidates(g, max(IN_PLAY * support.size, LEAST_IN_PLAY)))
    chosen[support] = True
    members = np.flatnonzero(chosen)
    columns = units.columns(members)
    inside = basis.of(columns)

    def function(x: Floats) -> tuple[float, Floats]:
        of_columns = units.spread(x, members, columns)
        T, R = inside.fit(of_columns, gamma)
        s = _squares(R)
        value = float(np.vdot(T, T)) + float(of_columns @ s) / gamma
        return value / problem.n, units.total(s / (gamma * problem.n), members, columns)

    inner, new = domain.subdomain(members), np.zeros_like(q)
    found = ascend(function, q[members], inner, tol=0.0, trace=trace, length=length, max_steps=STEPS)
    new[members] = found.x
    return new, found.length


def _value(S: Floats, GS: Floats, R: Floats, C: Floats) -> float:
    """The most that 2 tr(W'C) - tr(W'GW) - gamma sum of ||W_j||^2 / q_j, at most n F(q), is for W = S T.

    S = D R / gamma, so that gamma S'D^-1 S = S'R.
    """
    M, SC = S.T @ (GS + R), S.T @ C
    T = np.linalg.lstsq((M + M.T) / 2, SC, rcond=None)[0]
    return float(2 * np.vdot(T, SC) - np.vdot(T, M @ T))


def _squares(R: Floats) -> Floats:
    return np.einsum("jr,jr->j", R, R)


class _Basis:
    """A basis U of weights with U'GU = I, and GU."""

    def __init__(self, C: Floats) -> None:
        self._C = C
        self.U, self.GU = np.empty((len(C), 0)), np.empty((len(C), 0))

    def of(self, columns: Indices) -> _Basis:
        """The basis as far as some columns need it."""
        part = _Basis(self._C[columns])
        part.GU = self.GU[columns]
        return part

    def fit(self, q: Floats, gamma: float) -> tuple[Floats, Floats]:
        """The best T for q, and the rows of XV = C - GU T."""
        A = np.flatnonzero(q)
        GU = self.GU[A]
        weighted = GU.T * (q[A] / gamma)
        M = weighted @ GU
        M.flat[:: len(M) + 1] += 1.0
        T = lapack.dposv(M, weighted @ self._C[A])[1]
        return T, self._C - self.GU @ T

    def add(self, S: Floats, GS: Floats) -> bool:
        """Add directions as far as they are new; whether any is."""
        before = np.einsum("jr,jr->r", S, GS)
        for _ in range(2):  # once leaves the rounding of what was removed
            known = self.GU.T @ S
            S, GS = S - self.U @ known, GS - self.GU @ known
        M = S.T @ GS
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        new = values > LEAST_NEW**2 * before.max(initial=0.0)
        T = vectors[:, new] / np.sqrt(values[new])
        self.U, self.GU = np.hstack([self.U, S @ T]), np.hstack([self.GU, GS @ T])
        return bool(new.any())

    def narrow(self, T: Floats) -> None:
        """Where the basis is wide, keep W = U T and the last directions."""
        size, r = self.U.shape[1], self._C.shape[1]
        if size + r <= max(WIDEST, FEWEST * r):
            return
        last = np.eye(size)[:, -max(WIDEST // 2, 2 * r) :]
        kept = np.linalg.qr(np.hstack([T, last]))[0]
        self.U, self.GU = self.U @ kept, self.GU @ kept


def _by_value(problem: Problem) -> Samples | None:
    """The sample space if products by value cost less than by G, and the values may be held."""
    d, samples = len(problem.C), problem.samples
    if samples is None or samples.size > MOST_SAMPLES * d:
        return None
    return samples if samples.size * d <= min(VALUES_HELD, problem.room) else None


def product_with(problem: Problem) -> Product:
    """W -> GW for weights of all columns, in single precision: from their values, or from G."""
    samples, every = _by_value(problem), np.arange(len(problem.C))
    if samples is None:
        G = problem.gram(every, rows=every).astype(np.float32)
        return lambda W: np.asarray(G @ W.astype(np.float32), dtype=np.float64)
    Z = samples.in_single()
    step = max(1, VALUES_AT_A_TIME // every.size)

    def product(W: Floats) -> Floats:
        single, total = W.astype(np.float32), np.zeros(W.shape[::-1], dtype=np.float32)
        for start in range(0, len(Z), step):  # rows in the cache serve both ways
            some = Z[start : start + step]
            total += (some @ single).T @ some
        return total.T.astype(np.float64, order="C")

    return product
