"""Exact search against all sets, with the short cuts (few sets, last columns) and without them."""

import numpy as np
import pytest

from fisherset.solver import Domain, Status, Trace, Units, near_best_sets, solve
from fisherset.solver.diagonal import find_diagonal
from fisherset.solver.exact import enumeration
from fisherset.solver.exact.lift import lift
from fisherset.solver.exact.nodes import Frontier
from fisherset.solver.exact.search import Search
from fisherset.solver.joint import joint_path
from support import reference
from support.long_cases import first
from support.random_cases import Case


@pytest.fixture
def lifted(monkeypatch):
    """G has no diagonal, so that matrices in its place are used wherever there are any: those that were."""
    found, used = [], []

    def noted(*given):
        found.append(lift(*given))
        return found[-1]

    def diagonal(problem, gamma, required, free, idle, slopes):
        if not any(problem is one for one in found):
            return np.zeros(free.size)
        used.append(problem)
        return find_diagonal(problem, gamma, required, free, idle, slopes)

    monkeypatch.setattr("fisherset.solver.exact.search.lift", noted)
    monkeypatch.setattr("fisherset.solver.exact.search.find_diagonal", diagonal)
    return used


@pytest.fixture
def no_short_cuts(monkeypatch):
    """Few sets are tried at once, few last columns completed: without either the tree goes all the way."""
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    monkeypatch.setattr(enumeration, "MOST_GROUP_SETS", 0)
    monkeypatch.setattr(enumeration, "MOST_STARTS", 0)


@pytest.fixture(params=["as it is", "without short cuts"])
def short_cuts(request):
    if request.param != "as it is":
        request.getfixturevalue("no_short_cuts")


def below(values):
    return values - 1e-9 * np.where(np.isfinite(values), np.abs(values), 0.0)


@pytest.mark.parametrize("start", first(2, range(0, 300, 60)))
def test_the_best_of_all_sets(start, short_cuts):
    for seed in range(start, start + 60):
        check_against_all_sets(Case(seed), seed)


def test_the_best_of_all_sets_with_a_matrix_in_place_of_G(lifted, no_short_cuts):
    for seed in range(2000, 2020):
        case = Case(seed, d=12, share=0.01)
        check_against_all_sets(case, seed)
        if seed < 2008:
            found = near_best_sets(
                case.problem, case.domain, case.gamma, within=0.1, max_sets=1000, trace=Trace(max_iter=1000)
            )
            assert found.complete, seed
            assert len(found.sets) == np.count_nonzero(case.values >= (1 - 0.1) * case.values.max()), seed
    assert len({id(problem) for problem in lifted}) > 10


def check_against_all_sets(case, seed):
    found = case.solve()
    assert found.optimal, seed
    assert found.status is Status.CONVERGED, seed
    assert found.objective == pytest.approx(case.values.max(), rel=1e-9), seed
    assert found.upper_bound >= case.values.max() * (1 - 1e-12), seed
    assert np.all(found.with_each >= below(case.best(True))), seed
    assert np.all(found.without_each >= below(case.best(False))), seed
    np.testing.assert_array_equal(np.isneginf(found.with_each), np.isneginf(case.best(True)))
    np.testing.assert_array_equal(np.isneginf(found.without_each), np.isneginf(case.best(False)))


@pytest.mark.parametrize("seed", range(12))
def test_stopped_early_the_bounds_hold_and_only_fall(seed, monkeypatch):
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    monkeypatch.setattr(enumeration, "MOST_STARTS", 0)
    monkeypatch.setattr("fisherset.solver.exact.search.NODES_TOGETHER", 1)
    monkeypatch.setattr("fisherset.solver.exact.search.NODES_WIDTH", 1)
    case = Case(1000 + seed, d=12, share=0.01)
    before = np.inf
    for max_nodes in (1, 2, 4, 8, 16, 10_000):
        found = case.solve(max_nodes=max_nodes)
        assert case.values.max() * (1 - 1e-12) <= found.upper_bound <= before * (1 + 1e-12)
        assert found.objective <= case.values.max() * (1 + 1e-12)
        assert np.all(found.with_each >= below(case.best(True)))
        assert np.all(found.without_each >= below(case.best(False)))
        assert found.n_nodes <= max_nodes + 4
        assert found.status is (Status.CONVERGED if found.optimal else Status.MAX_NODES)
        before = found.upper_bound
    bounds = [step.upper_bound for step in found.trace if step.phase == "exact"]
    assert bounds == sorted(bounds, reverse=True)
    assert found.optimal


def test_a_full_frontier_is_searched_deep_first(monkeypatch):
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    monkeypatch.setattr(enumeration, "MOST_STARTS", 0)
    monkeypatch.setattr("fisherset.solver.exact.search.Frontier", lambda limit: Frontier(2))
    case = Case(3, d=12, share=0.01)
    found = case.solve()
    assert found.optimal
    assert found.n_nodes > 20
    assert found.objective == pytest.approx(case.values.max(), rel=1e-9)


def test_what_does_not_find_room_is_told(monkeypatch):
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    case = Case(3, d=12, share=0.01)

    def then_little_room(*args, **kwargs):
        for root in joint_path(*args, **kwargs):
            case.problem.room, case.problem.samples = 9, None  # whose rows would give what is asked for
            yield root

    monkeypatch.setattr("fisherset.solver.exact.exact.joint_path", then_little_room)
    found = case.solve()
    assert found.status is Status.MEMORY
    assert not found.optimal
    assert found.objective <= case.values.max() * (1 + 1e-12) <= found.upper_bound * (1 + 1e-11)


def test_interrupted_it_gives_what_it_has(monkeypatch):
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    monkeypatch.setattr(enumeration, "MOST_STARTS", 0)
    monkeypatch.setattr("fisherset.solver.exact.search.NODES_TOGETHER", 1)
    monkeypatch.setattr("fisherset.solver.exact.search.NODES_WIDTH", 1)
    case = Case(1003, d=12, share=0.01)
    explored, calls = Search._explore, []

    def interrupted(self, nodes):
        calls.append(nodes)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return explored(self, nodes)

    monkeypatch.setattr(Search, "_explore", interrupted)
    found = case.solve()
    assert found.status is Status.INTERRUPTED
    assert not found.optimal
    assert found.objective <= case.values.max() * (1 + 1e-12) <= found.upper_bound * (1 + 1e-11)


def test_tol_is_the_gap_at_which_it_stops():
    case = Case(1003, d=12, share=0.01)
    trace = Trace(max_iter=1000)
    (found,) = solve("exact", case.problem, [case.domain], case.gamma, tol=0.5, trace=trace)
    assert found.gap <= 0.5
    assert found.status is Status.CONVERGED


@pytest.mark.parametrize("start", first(1, range(0, 100, 50)))
def test_all_sets_near_the_best(start, short_cuts):
    for seed in range(start, start + 50):
        case = Case(seed)
        within = 10.0 ** -(1 + seed % 3)
        trace = Trace(max_iter=1000)
        found = near_best_sets(
            case.problem, case.domain, case.gamma, within=within, max_sets=5000, trace=trace
        )
        inside = case.values >= (1 - within) * case.values.max() * (1 - 1e-9)
        assert found.complete, seed
        assert {tuple(units) for units in found.sets} == {tuple(units) for units in case.sets[inside]}, seed
        assert np.all(np.diff(found.values) <= 1e-9 * found.values[0])


def test_of_too_many_sets_the_best_are_listed(monkeypatch):
    monkeypatch.setattr(enumeration, "MOST_STARTS", 0)
    case = Case(3, d=14)
    trace = Trace(max_iter=1000)
    found = near_best_sets(case.problem, case.domain, case.gamma, within=0.9, max_sets=4, trace=trace)
    assert not found.complete
    assert found.status is Status.MAX_SETS
    np.testing.assert_allclose(found.values, np.sort(case.values)[::-1][:4], rtol=1e-9)


def test_of_copies_one_is_enough(monkeypatch):
    """Thrice the columns, and about as many nodes: what holds for a column holds for its copies."""
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    monkeypatch.setattr(enumeration, "MOST_STARTS", 0)
    case = Case(3, d=12, share=0.05)
    Z, H, m = case.problem.Z, case.problem.H, case.domain.m
    copied = reference.ArrayProblem(np.hstack([Z, Z, Z]), H)
    once = case.solve()
    trace = Trace(max_iter=1000, max_nodes=20 * once.n_nodes + 1000)
    (found,) = solve("exact", copied, [Domain(Units(None, 36), m)], case.gamma, tol=0.0, trace=trace)
    assert found.optimal
    assert found.objective >= once.objective * (1 - 1e-9)
    for bounds in (found.with_each, found.without_each):
        np.testing.assert_array_equal(bounds[:12], bounds[12:24])
        np.testing.assert_array_equal(bounds[:12], bounds[24:])
