"""Swaps of groups by block updates: what each changes in F, against measuring the set anew."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from fisherset import GeneralizedFisherScore
from fisherset.solver.domain import Domain, Units
from fisherset.solver.exchange import swaps
from fisherset.solver.exchange.swaps import find_swaps, unit_losses
from fisherset.solver.linear import solve_stack
from fisherset.solver.subset import measure_subset
from support import reference
from support.precise_oracle import Truth

SIZES = [1, 3, 2, 5, 1, 2, 3, 1, 4, 2]


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("gamma", [0.1, 5.0, 1e3])
@pytest.mark.parametrize("at_a_time", [10**6, 4])
def test_every_swap(samples, gamma, at_a_time, monkeypatch):
    monkeypatch.setattr(swaps, "NUMBERS_AT_A_TIME", at_a_time)
    groups = np.random.default_rng(3).permutation(np.repeat(np.arange(10), SIZES))
    X, y = reference.random_problem(1, n=10 if samples else 60, d=24, c=3)
    problem = reference.ArrayProblem(
        reference.standardize(X), reference.indicator(y), groups=groups, samples=samples
    )
    units = Units(groups, 24)
    current, outsiders = np.array([1, 3, 8]), np.array([0, 2, 5, 6, 9])
    state = measure_subset(problem, units.columns(current), gamma)
    seen = []
    for places, batch, gain, worth in find_swaps(
        problem, Domain(units, 3), state, np.array([0, 2]), outsiders
    ):
        for row, place in enumerate(places):
            without = measure_subset(problem, units.columns(np.delete(current, place)), gamma).value
            assert_allclose(worth[row], state.value - without, rtol=1e-8)
            for column, other in enumerate(batch):
                trial = np.append(np.delete(current, place), other)
                new = measure_subset(problem, units.columns(trial), gamma).value
                assert_allclose(gain[row, column], new - state.value, rtol=1e-7, atol=1e-10)
                seen.append((place, other))
    assert len(set(seen)) == 10


@pytest.mark.parametrize("grouped", [False, True])
def test_members_that_leave_nothing_of_themselves(grouped):
    """Columns of 1e5 beside columns of 1e-3 in sample space: I - X'PX is all rounding for them."""
    rng = np.random.default_rng(4)
    X, y = reference.random_problem(4, n=8, d=24, c=3)
    Z = reference.standardize(X) * 10.0 ** rng.choice([-3, 0, 5], 24)
    problem = reference.ArrayProblem(Z, reference.indicator(y), groups=None, samples=True)
    units = Units(np.arange(24) // 2 if grouped else None, 24)
    current = np.arange(10) if grouped else np.arange(20)
    outsiders, domain = np.arange(current.size, units.size), Domain(units, current.size)
    state = measure_subset(problem, units.columns(current), 0.01)
    seen = 0
    for offer in find_swaps(problem, domain, state, np.arange(current.size), outsiders):
        for row, place in enumerate(offer.places):
            for column, other in enumerate(offer.outsiders):
                trial = np.append(np.delete(current, place), other)
                new = measure_subset(problem, units.columns(np.sort(trial)), 0.01).value
                assert_allclose(offer.gain[row, column], new - state.value, atol=1e-4 * state.value)
                seen += 1
    assert seen == current.size * outsiders.size
    losses = unit_losses(state, units) / problem.n
    for place, loss in enumerate(losses):
        rest = measure_subset(problem, units.columns(np.delete(current, place)), 0.01).value
        assert_allclose(loss, state.value - rest, atol=1e-4 * state.value)


def test_a_system_that_rounding_has_made_indefinite():
    M = np.array([[[1.0, 1.0], [1.0, 1.0 - 1e-15]], [[2.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    B = np.array([[[1.0], [1.0]]] * 3)
    found = solve_stack(M, B, 1e-9)
    assert_allclose(found[:, :, 0], [[0.5, 0.5], [0.5, 1.0], [0.5, 0.5]], atol=1e-6)


def test_the_default_solver_on_columns_of_every_size():
    for seed in (196, 3, 8, 17):
        rng = np.random.default_rng(seed)
        n, d = int(rng.choice([5, 8, 20])), int(rng.integers(3, 8))
        X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-6, 5, d)
        groups, y = [0] * (d - 1) + [1], np.arange(n) % 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for solver in ("joint", "exact", "cutting-plane"):
                found = GeneralizedFisherScore(
                    1, gamma=0.194, groups=groups, standardize=False, solver=solver
                ).fit(X, y)
                truth = Truth(X, y, standardize=False)
                best = max(truth.values([range(d - 1), [d - 1]], 0.194))
                assert_allclose(found.objective_, best, rtol=1e-6)
                assert found.upper_bound_ >= best * (1 - 1e-12)
