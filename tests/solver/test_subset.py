"""Every quantity of a subset and of its exchange neighbourhood against direct evaluation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import reference
from fisherset.solver import subset as subset_module
from fisherset.solver.exchange import _column_swaps
from fisherset.solver.subset import FeatureSubset, SampleSubset


@pytest.fixture(params=["features", "samples"])
def state(request, monkeypatch):
    # a slice of one member at a time, so that slicing is part of the test
    monkeypatch.setattr(subset_module, "SLICE", 25)
    X, y = reference.random_problem(4, n=20, d=25, c=3)
    Z, A, gamma = reference.standardize(X), np.array([1, 4, 7, 19]), 3.0
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    if request.param == "features":
        return Z, y, FeatureSubset(problem, A, gamma)
    return Z, y, SampleSubset(problem, problem, A, gamma)


def test_value_is_the_criterion(state):
    Z, y, subset = state
    assert subset.value == pytest.approx(reference.criterion(Z, y, subset.columns, 3.0), rel=1e-10)


def test_value_is_eq_8(state):
    """The minimum over W of Eq. (8) is n/2 (c - 1 - F(A))."""
    Z, y, subset = state
    least = reference.ridge_objective(Z, reference.indicator(y), subset.columns, 3.0)
    assert least == pytest.approx(len(Z) / 2 * (3 - 1 - subset.value), rel=1e-10)


def test_swap_gains_are_exact(state):
    Z, y, subset = state
    swaps = _column_swaps(subset.problem, subset.columns, subset)
    for place, out in enumerate(subset.columns):
        rest = np.setdiff1d(subset.columns, [out])
        others = np.setdiff1d(np.arange(25), subset.columns)
        values = np.array([reference.criterion(Z, y, [*rest, j], 3.0) for j in others])
        assert_allclose(swaps.gain[place], values.max() - subset.value, rtol=1e-8, atol=1e-12)
        assert swaps.partner[place] == others[np.argmax(values)]
