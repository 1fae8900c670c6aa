"""Swaps of groups by block updates: what each changes in F, against measuring the set anew."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import reference
from fisherset.solver import group_swaps as module
from fisherset.solver.domain import Domain
from fisherset.solver.group_swaps import group_swaps
from fisherset.solver.spaces import measure_subset
from fisherset.solver.units import Units

SIZES = [1, 3, 2, 5, 1, 2, 3, 1, 4, 2]


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("gamma", [0.1, 5.0, 1e3])
@pytest.mark.parametrize("at_a_time", [10**6, 4])
def test_every_swap(samples, gamma, at_a_time, monkeypatch):
    monkeypatch.setattr(module, "NUMBERS_AT_A_TIME", at_a_time)
    groups = np.random.default_rng(3).permutation(np.repeat(np.arange(10), SIZES))
    X, y = reference.random_problem(1, n=10 if samples else 60, d=24, c=3)
    problem = reference.ArrayProblem(
        reference.standardize(X), reference.indicator(y), groups=groups, samples=samples
    )
    units = Units(groups, 24)
    current, outsiders = np.array([1, 3, 8]), np.array([0, 2, 5, 6, 9])
    state = measure_subset(problem, units.columns(current), gamma)
    seen = []
    for places, batch, gain, worth in group_swaps(
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
