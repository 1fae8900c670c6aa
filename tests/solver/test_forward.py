"""Forward selection against greedy choice by direct evaluation."""

import numpy as np
import pytest

import reference
from fisherset.solver import Trace, solve_joint
from fisherset.solver.forward import select_forward


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
    found = select_forward(problem, 6, gamma, trace=Trace(max_iter=1))
    assert found.tolist() == greedy(Z, y, 6, gamma)


def test_copies_are_left_for_last():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 6)) + np.eye(6)[y] * 2
    Z = reference.standardize(np.hstack([X, X]))
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    found = select_forward(problem, 8, 1e-9, trace=Trace(max_iter=1))
    assert set(range(6)) <= set(found.tolist())  # and each is the earlier of its pair


@pytest.mark.parametrize("seed", range(5))
def test_joint_is_never_below_greedy_where_the_bound_is_loose(seed):
    X, y = reference.random_problem(seed, n=30, d=60, c=3)
    Z, gamma = reference.standardize(X), 0.1
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    joint = solve_joint(problem, 4, gamma, tol=1e-3, trace=Trace(max_iter=1000))
    assert joint.objective >= reference.criterion(Z, y, greedy(Z, y, 4, gamma), gamma) * (1 - 1e-9)


def test_no_time_no_second_start():
    X, y = reference.random_problem(0, n=30, d=60, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    late = Trace(max_iter=10, time_limit=1e-9)
    assert select_forward(problem, 4, 1.0, trace=late).size == 0
