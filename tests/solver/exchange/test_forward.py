"""Forward selection against greedy choice by direct evaluation."""

import numpy as np
import pytest

from fisherset.solver import Trace, closing, joint, measure_subset
from fisherset.solver.exchange import starts
from fisherset.solver.exchange.exchange import select_forward
from support import reference
from support.solver_calls import domain_of, solve_one


def greedy(Z, y, k, gamma):
    chosen = []
    for _ in range(k):
        others = [j for j in range(Z.shape[1]) if j not in chosen]
        values = [reference.criterion(Z, y, [*chosen, j], gamma) for j in others]
        chosen.append(others[int(np.argmax(values))])
    return sorted(chosen)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("gamma", [0.1, 10.0, 1000.0])
def test_each_step_is_the_best_next(seed, gamma):
    X, y = reference.random_problem(seed, n=40, d=15, c=3)
    Z = reference.standardize(X)
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    found = select_forward(problem, domain_of(problem, 6), gamma, trace=Trace(max_iter=1))
    assert found.tolist() == greedy(Z, y, 6, gamma)


def test_copies_are_left_for_last():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 6)) + np.eye(6)[y] * 2
    Z = reference.standardize(np.hstack([X, X]))
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    found = select_forward(problem, domain_of(problem, 8), 1e-9, trace=Trace(max_iter=1))
    assert set(range(6)) <= set(found.tolist())  # and each is the earlier of its pair


@pytest.mark.parametrize("seed", range(5))
def test_joint_is_never_below_greedy_where_the_bound_is_loose(seed):
    X, y = reference.random_problem(seed, n=30, d=60, c=3)
    Z, gamma = reference.standardize(X), 0.1
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    found = solve_one("joint", problem, 4, gamma)
    assert found.objective >= reference.criterion(Z, y, greedy(Z, y, 4, gamma), gamma) * (1 - 1e-9)


def test_no_time_no_second_start():
    X, y = reference.random_problem(0, n=30, d=60, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    late = Trace(max_iter=10, time_limit=1e-9)
    assert select_forward(problem, domain_of(problem, 4), 1.0, trace=late).size == 0


@pytest.mark.parametrize("gamma", [1e8, 1e12, 1e14])
def test_ties_are_a_matter_of_shares(gamma):
    """However small all gains are, the larger one wins."""
    X, y = reference.random_problem(1, n=60, d=20, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    found = select_forward(problem, domain_of(problem, 5), gamma, trace=Trace(max_iter=1))
    assert found.tolist() == sorted(np.argsort(-np.sum(problem.C**2, axis=1))[:5])


def test_the_better_of_two_starts_is_taken(monkeypatch):
    X, y = reference.random_problem(3, n=40, d=30, c=3)
    Z, gamma = reference.standardize(X), 0.4
    problem = reference.ArrayProblem(Z, reference.indicator(y))

    def solve():
        return solve_one("joint", problem, 4, gamma)

    # trying all sets, or searching them, would find the best of them anyway
    monkeypatch.setattr(closing, "LOOSE", 1.0)
    monkeypatch.setattr(joint, "tighten", lambda p, domain, gamma, relaxation, value: (relaxation, None))
    alone = solve()
    assert alone.gap > joint.LOOSE_GAP
    best = np.array(reference.best_subset(Z, y, 4, gamma)[1])
    worst = np.sort(np.argsort(np.sum(problem.C**2, axis=1))[:4])
    monkeypatch.setattr(
        joint, "improve", lambda p, domain, units, *_, **__: (units, measure_subset(p, units, gamma))
    )
    for second, expected in ((best, best), (worst, None)):
        monkeypatch.setattr(starts, "select_forward", lambda *_, second=second, **__: second)
        found = solve().units
        assert (
            found.tolist() == expected.tolist() if expected is not None else found.tolist() != worst.tolist()
        )
    monkeypatch.setattr(starts, "LARGEST_FACTOR", 1)
    monkeypatch.setattr(starts, "BACKWARD_FROM", ())
    monkeypatch.setattr(starts, "select_forward", lambda *_, **__: best)
    assert solve().units.tolist() != best.tolist()  # no room for a second start


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("gamma", [0.1, 10.0, 1000.0])
def test_a_factor_without_room_is_carried_on_by_products(gamma, grouped):
    X, y = reference.random_problem(5, n=40, d=24, c=3)
    given = reference.standardize(X), reference.indicator(y), np.arange(24) // 2 if grouped else None
    problem, tight = reference.ArrayProblem(*given), reference.ArrayProblem(*given, room=1)
    found, expected = (
        select_forward(one, domain_of(one, 6, required=np.array([3])), gamma, trace=Trace(max_iter=1))
        for one in (tight, problem)
    )
    assert found.tolist() == expected.tolist()
