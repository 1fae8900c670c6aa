"""A request is checked, measured and posed once, and a measured table takes the place of X and y."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    HSICScore,
    TraceRatio,
    certify,
    explain,
    fisher_criterion,
    near_best,
    selection_path,
)
from fisherset.selection import constraints
from fisherset.statistics.measure import measure

X, Y = load_wine(return_X_y=True, as_frame=True)
FUNCTIONS = {
    certify: ([0, 6, 12],),
    explain: ([0, 6, 12],),
    fisher_criterion: ([0, 6, 12],),
    near_best: (3,),
    selection_path: ([2, 3],),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_take_a_measured_table(function):
    measured = measure(X, Y)
    assert str(function(measured, None, *FUNCTIONS[function])) == str(function(X, Y, *FUNCTIONS[function]))


@pytest.mark.parametrize("kind", [GeneralizedFisherScore, FisherScore, HSICScore, TraceRatio])
def test_selectors_take_a_measured_table(kind):
    measured, plain = measure(X, Y), kind(3).fit(X, Y)
    found = kind(3).fit(measured)
    assert_array_equal(found.scores_, plain.scores_)
    assert_array_equal(found.get_feature_names_out(), plain.get_feature_names_out())


def test_a_measured_table_is_not_read_for_its_sums_again():
    measured, seen = measure(X, Y), []
    reduce = type(measured.counter).reduce
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(measured.counter), "reduce", lambda *a, **b: seen.append(1) or reduce(*a, **b))
        GeneralizedFisherScore(3).fit(measured)
        fitted = len(seen)
        GeneralizedFisherScore(3).fit(X, Y)
    assert fitted < len(seen) - fitted


def test_shares_are_computed_once_for_gamma_and_noise(monkeypatch):
    seen, shares = [], constraints.between_shares
    monkeypatch.setattr(constraints, "between_shares", lambda problem: seen.append(1) or shares(problem))
    found = GeneralizedFisherScore(3).fit(X, Y)
    assert len(seen) == 1
    assert found.noise_.n_features == np.shape(X)[1]


def test_data_next_to_a_measured_table_is_refused():
    with pytest.raises(ValueError, match="y must not be given with a table that has its own"):
        certify(measure(X, Y), Y, [0, 1])
    with pytest.raises(ValueError, match="adjust_for must be that of the measured table"):
        certify(measure(X, Y), None, [0, 1], adjust_for=[2])
