"""Every quantity of a subset and of its exchange neighbourhood against direct evaluation."""

import numpy as np
import pytest

from fisherset.solver import Trace, measure_subset, subset
from fisherset.solver.exchange import exchange
from fisherset.solver.exchange import swaps as swap_gains
from fisherset.solver.proof import Screen
from fisherset.solver.relaxation.relaxation import relax
from fisherset.solver.subset import FeatureSubset, SampleSubset
from support import reference
from support.solver_calls import domain_of


@pytest.fixture(params=["features", "samples"])
def state(request, monkeypatch):
    # batches of a few columns, so that cutting into batches is part of the test
    monkeypatch.setattr(subset, "COLUMNS_AT_A_TIME", 3)
    monkeypatch.setattr(swap_gains, "NUMBERS_AT_A_TIME", 20)
    X, y = reference.random_problem(4, n=20, d=25, c=3)
    Z, A, gamma = reference.standardize(X), np.array([1, 4, 7, 19]), 3.0
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    if request.param == "features":
        return Z, y, FeatureSubset(problem, A, gamma)
    return Z, y, SampleSubset(problem, problem, A, gamma)


def test_value_is_the_criterion(state):
    Z, y, found = state
    assert found.value == pytest.approx(reference.criterion(Z, y, found.columns, 3.0), rel=1e-10)


def test_the_smaller_space_is_used():
    X, y = reference.random_problem(4, n=20, d=25, c=3)
    Z, H = reference.standardize(X), reference.indicator(y)
    for size, kind in ((20, FeatureSubset), (21, SampleSubset)):
        assert type(measure_subset(reference.ArrayProblem(Z, H), np.arange(size), 1.0)) is kind
    no_rows = reference.ArrayProblem(Z, H, samples=False)
    assert type(measure_subset(no_rows, np.arange(21), 1.0)) is FeatureSubset


def test_value_is_eq_8(state):
    """The minimum over W of Eq. (8) is n/2 (c - 1 - F(A))."""
    Z, y, found = state
    least = reference.ridge_objective(Z, reference.indicator(y), found.columns, 3.0)
    assert least == pytest.approx(len(Z) / 2 * (3 - 1 - found.value), rel=1e-10)


def swap_values(Z, y, members, gamma):
    """F after each swap, members in rows and outsiders in columns."""
    others = np.setdiff1d(np.arange(Z.shape[1]), members)
    rests = [np.setdiff1d(members, [out]) for out in members]
    values = [[reference.criterion(Z, y, [*rest, j], gamma) for j in others] for rest in rests]
    return others, np.array(values)


def test_swap_gains_are_exact(state):
    Z, y, found = state
    others, values = swap_values(Z, y, found.columns, 3.0)
    swaps = exchange.Swaps(found.columns, found.value, 1e-9)
    domain = domain_of(found.problem, 4)
    for offer in swap_gains.find_swaps(found.problem, domain, found, np.arange(4), others):
        swaps.add(offer)
    gains = {(out, into): gain for part in swaps._found for gain, out, into in zip(*part, strict=True)}
    expected = {
        (out, others[j]): values[i, j] - found.value
        for i, out in enumerate(found.columns)
        for j in np.flatnonzero(values[i] > found.value)
    }
    assert expected
    assert gains == pytest.approx(expected, rel=1e-8)


def test_weights_give_xv(state):
    Z, y, found = state
    p = np.isin(np.arange(Z.shape[1]), found.columns).astype(float)
    V = reference.dual_solution(p, Z, reference.indicator(y), 3.0)
    XV, R = Z.T @ V, found.problem.C - found.problem.product(found.columns, found.W)
    assert pytest.approx(XV @ XV.T, rel=1e-9, abs=1e-9) == R @ R.T  # the same but for a rotation


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("space", ["relaxation", "features", "samples"])
def test_screening_keeps_every_swap_that_helps(seed, space):
    X, y = reference.random_problem(seed, n=30, d=25, c=3)
    Z, gamma = reference.standardize(X), 30.0
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    relaxation = relax(problem, domain_of(problem, 5), gamma, tol=1e-4, trace=Trace(max_iter=100))
    # one feature short of the relaxation's choice, so that some swap does help
    members = np.sort([*np.argsort(-relaxation.q)[:4], np.argmin(relaxation.q)])
    value = reference.criterion(Z, y, members, gamma)
    others, values = swap_values(Z, y, members, gamma)
    domain = domain_of(problem, 5)
    if space == "relaxation":
        places, outsiders = exchange._by_relaxation(
            relaxation, domain_of(problem, members.size), members, value, 1e-12
        )
    else:
        spaces = {"features": FeatureSubset(problem, members, gamma)}
        spaces["samples"] = SampleSubset(problem, problem, members, gamma)
        places, outsiders = exchange._by_subset(
            problem, domain, members, spaces[space], 1e-12, Screen(problem)
        )
    helping = np.argwhere(values > value)
    assert helping.size
    assert set(helping[:, 0]) <= set(places)
    assert set(others[helping[:, 1]]) <= set(outsiders)


def test_screening_leaves_little_where_the_relaxation_is_tight():
    X, y = reference.random_problem(0, n=200, d=60, c=3)
    Z, gamma = reference.standardize(X), 2000.0
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    relaxation = relax(problem, domain_of(problem, 10), gamma, tol=1e-6, trace=Trace(max_iter=100))
    members = np.sort(np.argsort(-relaxation.q)[:10])
    value, domain = reference.criterion(Z, y, members, gamma), domain_of(problem, 10)
    places, outsiders = exchange._by_relaxation(
        relaxation, domain_of(problem, members.size), members, value, 1e-12
    )
    assert places.size * outsiders.size < 10 * 50 / 4
    places, outsiders = exchange._by_subset(
        problem, domain, members, FeatureSubset(problem, members, gamma), 1e-12, Screen(problem)
    )
    assert places.size * outsiders.size < 10 * 50 / 20
