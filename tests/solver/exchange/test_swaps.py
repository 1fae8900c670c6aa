"""The best swaps of each member against all swaps, evaluated directly."""

import numpy as np
import pytest

from fisherset.solver import best_swaps, measure_subset, subset
from fisherset.solver.exchange import swaps
from support import reference
from support.solver_calls import domain_of


@pytest.mark.parametrize("at_a_time", [8_000_000, 20])
@pytest.mark.parametrize("samples", [True, False])
def test_the_best_come_first(at_a_time, samples, monkeypatch):
    monkeypatch.setattr(swaps, "NUMBERS_AT_A_TIME", at_a_time)
    X, y = reference.random_problem(4, n=20, d=25, c=3)
    X[:, 20] = 2 * X[:, 5]
    Z, members = reference.standardize(X), np.array([1, 4, 7, 19])
    problem = reference.ArrayProblem(Z, reference.indicator(y), samples=samples)
    domain = domain_of(problem, 4, excluded=np.array([2, 11]))
    state = measure_subset(problem, members, 3.0)
    others = np.setdiff1d(np.arange(25), [*members, 2, 11])
    for count in (1, 5, 30):
        units, gains = best_swaps(state, domain, members, count)
        for place, out in enumerate(members):
            rest = np.setdiff1d(members, [out])
            values = np.array([reference.criterion(Z, y, [*rest, j], 3.0) for j in others])
            order = np.lexsort([others, -np.round(values, 9)])[:count]
            assert units[place, : order.size].tolist() == others[order].tolist()
            np.testing.assert_allclose(state.value + gains[place, : order.size], values[order])
            assert np.all(units[place, order.size :] == -1)


def test_there_is_none_where_the_system_is_not_held(monkeypatch):
    monkeypatch.setattr(subset, "largest_system", lambda problem: 2)
    X, y = reference.random_problem(4, n=20, d=25, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y), samples=False)
    members = np.arange(3)
    found = best_swaps(measure_subset(problem, members, 3.0), domain_of(problem, 3), members)
    assert found.units.tolist() == [[-1]] * 3


def test_there_is_none_where_nothing_is_outside():
    X, y = reference.random_problem(4, n=20, d=3, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    members = np.arange(3)
    found = best_swaps(measure_subset(problem, members, 3.0), domain_of(problem, 3), members)
    assert found.units.tolist() == [[-1]] * 3
