"""Starts of the exchange for loose bounds: backward elimination, and the best of several."""

from functools import partial

import numpy as np
import pytest

from fisherset.solver import Domain, Trace, Units, relax
from fisherset.solver.exchange.exchange import improve
from fisherset.solver.exchange.starts import select_backward, try_starts
from support import reference


def value(problem, columns, gamma):
    C = problem.C[columns]
    return float(
        np.vdot(C, np.linalg.solve(problem.gram(columns, columns) + gamma * np.eye(len(columns)), C))
    )


@pytest.mark.parametrize("required", [[], [4, 11]])
def test_backward_elimination_removes_the_least_needed(required):
    X, y = reference.random_problem(4, n=60, d=30, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    domain, chosen = Domain(Units(None, 30), 7, np.array(required, dtype=int)), np.arange(0, 15)
    left = chosen.tolist()
    while len(left) > 7:
        without = {j: value(problem, [i for i in left if i != j], 3.0) for j in left if j not in required}
        left.remove(max(without, key=without.get))
    assert select_backward(problem, domain, 3.0, chosen).tolist() == left


@pytest.mark.parametrize("grouped", [False, True])
def test_other_starts_never_lose(grouped):
    X, y = reference.random_problem(5, n=80, d=60, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    units = Units(np.arange(60) // 2 if grouped else None, 60)
    domain = Domain(units, 4, np.array([2]), np.array([0, 9]))
    for gamma in (0.01, 1.0):
        relaxation = relax(problem, domain, gamma, tol=1e-3, trace=Trace(max_iter=1000))
        exchange = partial(improve, problem, domain, gamma=gamma, tol=1e-6, trace=Trace(max_iter=1000))
        exchange = partial(exchange, relaxation=relaxation)
        found = exchange(domain.best(relaxation.q))
        best = try_starts(problem, domain, gamma, relaxation, found, exchange, Trace(max_iter=1000))
        assert best[1].value >= found[1].value
        assert best[1].value <= relaxation.upper_bound
        assert best[0].size == 4
        assert 2 in best[0]
        assert not np.isin([0, 9], best[0]).any()
