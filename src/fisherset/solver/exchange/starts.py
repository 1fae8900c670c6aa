"""More starts of the exchange, where the bound is loose: q is spread over many units then, and says little.

Forward selection, and backward elimination from the units with the largest q. What they lead to is mended:
from the union of all sets that were found, and from the best set with as many units added one by one,
backward elimination leads to other sets, until none is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import TIE, Domain, without
from fisherset.solver.exchange.exchange import select_forward
from fisherset.solver.linear import inverse, refined, shifted
from fisherset.solver.problem import Problem, largest_system
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.subset import Subset
from fisherset.solver.trace import Trace

# Numbers of the factor of forward selection, k x d, up to which it is tried: 240 MB, about a second.
LARGEST_FACTOR = 30_000_000
# Backward elimination starts at so many times m units, as measured on twenty tables: one is often the best.
BACKWARD_FROM = (3, 6)
AT_ONCE = 10  # share of the units too many that backward elimination removes at a time, one in so many
MOST_MENDED = 5  # times that the best set is widened again

Found = tuple[Indices, Subset]
Exchange = Callable[[Indices], Found]


def try_starts(
    problem: Problem,
    domain: Domain,
    gamma: float,
    relaxation: Relaxation,
    found: Found,
    exchange: Exchange,
    trace: Trace,
) -> Found:
    """The best set that the exchange reaches from other starts, or the one `found` already."""
    several = [found, *map(exchange, _others(problem, domain, gamma, relaxation, trace))]
    best = max(several, key=_value)
    if domain.units.groups is not None or trace.out_of_time():
        return best
    union = np.unique(np.concatenate([units for units, _ in several]))
    if domain.m < union.size <= largest_system(problem):
        best = max(best, exchange(select_backward(problem, domain, gamma, union)), key=_value)
    for _ in range(MOST_MENDED):
        wider = _wider(domain, min(2 * domain.m, domain.units.size - domain.excluded.size), best[0])
        if trace.out_of_time() or _too_large(problem, wider) or wider.m > largest_system(problem):
            break
        more = select_forward(problem, wider, gamma, trace=trace)
        again = exchange(select_backward(problem, domain, gamma, more)) if more.size > domain.m else best
        if not _value(again) > _value(best) * (1 + TIE):
            break
        best = again
    return best


def _value(found: Found) -> float:
    return found[1].value


def _wider(domain: Domain, m: int, required: Indices) -> Domain:
    """The domain of sets of m units that hold the required ones."""
    return Domain(domain.units, m, required, domain.excluded)


def _too_large(problem: Problem, domain: Domain) -> bool:
    """Whether forward selection would take too long."""
    return domain.most_columns * problem.C.shape[0] > LARGEST_FACTOR


def _others(
    problem: Problem, domain: Domain, gamma: float, relaxation: Relaxation, trace: Trace
) -> Iterator[Indices]:
    """Other starts, as far as there is time."""
    if not _too_large(problem, domain) and not trace.out_of_time():
        greedy = select_forward(problem, domain, gamma, trace=trace)
        if greedy.size == domain.m:  # else time ran out
            yield greedy
    g = None if relaxation.tangent is None else relaxation.tangent.g
    allowed = domain.units.size - domain.excluded.size
    sizes = [times * domain.m for times in BACKWARD_FROM] if domain.units.groups is None else []
    for size in sizes:
        if size <= min(allowed, largest_system(problem)) and not trace.out_of_time():
            most = _wider(domain, size, domain.required).best(relaxation.q, g)
            yield select_backward(problem, domain, gamma, most)
    if domain.units.groups is not None and relaxation.first is not None and not trace.out_of_time():
        yield domain.best(relaxation.first)


def select_backward(problem: Problem, domain: Domain, gamma: float, chosen: Indices) -> Indices:
    """Of the chosen units, single columns, the m left when the one F needs least is removed again and again.

    Removing i from A lowers n F(A) by ||W_i||^2 / (M^-1)_ii, and updates W and M^-1 = (G_AA + gamma I)^-1.
    """
    M = shifted(problem.gram(chosen, rows=chosen), gamma)
    P: Floats = inverse(M)
    W, _ = refined(M, P, problem.C[chosen])
    left = domain.movable(chosen)
    while chosen.size > domain.m:
        losses = np.einsum("ir,ir->i", W[left], W[left]) / P.diagonal()[left]
        # several at once while there are many more than m: their losses add up nearly
        out = left[np.argsort(losses, kind="stable")[: max(1, (chosen.size - domain.m) // AT_ONCE)]]
        stay = without(chosen.size, out)
        share = np.linalg.solve(P[np.ix_(out, out)], P[np.ix_(out, stay)])
        W, P = W[stay] - share.T @ W[out], P[np.ix_(stay, stay)] - P[np.ix_(stay, out)] @ share
        chosen = chosen[stay]
        left = domain.movable(chosen)
    return chosen
