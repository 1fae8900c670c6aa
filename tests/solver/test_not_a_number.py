"""NaN proves nothing: bounds stay as they were, and no list is complete."""

import numpy as np
import pytest

from fisherset.solver import Status
from fisherset.solver.domain import Domain, Units
from fisherset.solver.exact import near_best as near
from fisherset.solver.exact.nodes import Relaxations
from fisherset.solver.proof import Tangent, UnitBounds, bound_units
from fisherset.solver.relaxation.ascent import Points
from fisherset.solver.trace import Trace
from support import reference


def problem_of(seed):
    X, y = reference.random_problem(seed, n=40, d=9, c=2)
    return reference.ArrayProblem(reference.standardize(X), reference.indicator(y))


def test_a_tangent_without_a_number_bounds_nothing():
    domain = Domain(Units(None, 5), 2)
    whole = Tangent(0.2, np.array([0.1, 0.3, 0.2, 0.1, 0.05]))
    plain = bound_units(domain, 0.9, [whole])
    for broken in (Tangent(np.nan, whole.g), Tangent(0.2, np.where(np.arange(5) == 1, np.nan, whole.g))):
        found = bound_units(domain, 0.9, [whole, broken])
        np.testing.assert_array_equal(found, plain)
    unknown = UnitBounds(np.full(5, np.nan), np.full(5, np.nan))
    np.testing.assert_array_equal(plain.least(unknown), plain)
    np.testing.assert_array_equal(unknown.least(plain), plain)


@pytest.mark.parametrize("within", [0.0, 0.3])
def test_a_search_whose_tangents_fail_closes_nothing_by_them(within, monkeypatch):
    """Every third point is lost: the list is that of a search that loses none."""
    problem, domain = problem_of(1), Domain(Units(None, 9), 3)
    asked = {"within": within, "max_sets": 100}
    plain = near.near_best_sets(problem, domain, 1.0, trace=Trace(max_iter=100), **asked)
    whole, calls = Relaxations.at, []

    def at(self, q, delta):
        points, weights = whole(self, q, delta)
        calls.append(1)
        lost = Points(*(np.full_like(part, np.nan) for part in points)), np.full_like(weights, np.nan)
        return lost if len(calls) % 3 == 1 else (points, weights)

    monkeypatch.setattr(Relaxations, "at", at)
    monkeypatch.setattr("fisherset.solver.exact.search.completable", lambda *_: False)
    found = near.near_best_sets(problem, domain, 1.0, trace=Trace(max_iter=100), **asked)
    assert calls
    assert [tuple(units) for units in found.sets] == [tuple(units) for units in plain.sets]
    assert found.upper_bound >= plain.values[0] * (1 - 1e-12)


def test_a_set_whose_value_is_not_known_leaves_the_list_open():
    goal = near.AllSets(0.5, 0.1, 10)
    goal.offer([np.array([0, 1]), np.array([0, 2])], np.array([0.5, np.nan]))
    assert goal.unknown
    assert goal.best == 0.5
    assert goal.threshold < 0.5


def test_the_list_is_not_complete_then(monkeypatch):
    problem, domain = problem_of(2), Domain(Units(None, 9), 2)
    monkeypatch.setattr(near.AllSets, "offer", _losing(near.AllSets.offer))
    found = near.near_best_sets(problem, domain, 5.0, within=0.1, max_sets=100, trace=Trace(max_iter=100))
    assert not found.complete
    assert found.status is Status.INEXACT


def _losing(offer):
    def lost(self, sets, values):
        values = np.array(values)
        values[1:] = np.nan
        offer(self, sets, values)

    return lost
