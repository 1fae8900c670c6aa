"""The short search of the joint solver: against all sets, in its limits, and only where it is asked for."""

import numpy as np
import pytest

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV
from fisherset.solver import Status, closing
from fisherset.solver.exact import enumeration
from fisherset.solver.exact.search import Search
from support import reference
from support.random_cases import Case


@pytest.fixture
def one_node(monkeypatch):
    """The diagonal of one node for every gap, and nothing spared by trying all sets."""
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 0)
    monkeypatch.setattr(enumeration, "MOST_COMPLETIONS", 0)
    monkeypatch.setattr(closing, "LOOSE", 0.0)
    monkeypatch.setattr(closing, "WORTHWHILE", 0.0)


@pytest.fixture
def table():
    return reference.random_problem(0, n=150, d=16, c=4)


@pytest.mark.parametrize("start", [0, 40])
def test_bounds_hold_for_all_sets(one_node, monkeypatch, start):
    """With groups, copies, required and excluded units."""
    tighter = 0
    for seed in range(start, start + 20):
        case = Case(seed)
        found = case.solve("joint", 1e-3)
        assert found.upper_bound >= case.values.max() * (1 - 1e-12), seed
        for bounds, there in ((found.with_each, True), (found.without_each, False)):
            best = case.best(there)
            some = np.isfinite(best)
            assert np.all(bounds[some] >= best[some] * (1 - 1e-12)), seed
        with monkeypatch.context() as plain:
            plain.setattr(closing, "LOOSE", 1.0)
            tighter += found.upper_bound < case.solve("joint", 1e-3).upper_bound * (1 - 1e-6)
    assert tighter >= 4


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("share", [1e-2, 1e-5, 1e-8])
def test_bounds_hold_next_to_near_duplicates(one_node, share, apart):
    X, y = reference.random_problem(5, n=60, d=5, c=3)
    X = np.column_stack([X, X + apart * np.random.default_rng(0).standard_normal(X.shape)])
    Z, n = reference.standardize(X), len(y)
    for k in (2, 3):
        found = GeneralizedFisherScore(k, gamma=share * n).fit(X, y)
        assert found.upper_bound_ >= reference.best_subset(Z, y, k, share * n)[0] * (1 - 1e-6)


def test_the_gap_of_a_tall_table_falls(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 200)
    X = rng.standard_normal((800, 120))
    X[:, :30] += 0.4 * rng.standard_normal((4, 30))[y]
    found = GeneralizedFisherScore(15, gamma=8.0).fit(X, y)
    again = GeneralizedFisherScore(15, gamma=8.0).fit(X, y)
    monkeypatch.setattr(closing, "LOOSE", 1.0)
    before = GeneralizedFisherScore(15, gamma=8.0).fit(X, y)
    assert before.gap_ > 0.15
    assert found.gap_ < 0.5 * before.gap_
    assert found.status_ is Status.CONVERGED
    assert found.n_nodes_ > before.n_nodes_ == 0
    assert found.objective_ >= before.objective_
    assert (again.upper_bound_, again.n_nodes_) == (found.upper_bound_, found.n_nodes_)
    assert np.all(found.upper_bound_with_ <= before.upper_bound_with_ * (1 + 1e-9))


def test_nothing_is_searched_without_a_certificate_or_in_folds(table, monkeypatch):
    monkeypatch.setattr(Search, "__init__", lambda *_, **__: pytest.fail("searched"))
    X, y = table
    GeneralizedFisherScore(4, gamma=1.5, tol=None).fit(X, y)
    monkeypatch.setattr(closing, "LOOSE", 1.0)  # of the fit after the folds
    GeneralizedFisherScoreCV(4, gammas=[1.5], cv=3).fit(X, y)


def test_limits(table, one_node, monkeypatch):
    X, y = table
    given = {"n_features_to_select": 4, "gamma": 1.5}
    assert GeneralizedFisherScore(**given, max_nodes=1).fit(X, y).n_nodes_ == 1
    explored = Search._explore

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "_explore", interrupted)
    with pytest.raises(KeyboardInterrupt):
        GeneralizedFisherScore(**given).fit(X, y)
    monkeypatch.setattr(Search, "_explore", explored)
    monkeypatch.setattr(closing, "SHARE_OF_TIME", 0.0)
    found = GeneralizedFisherScore(**given, time_limit=100).fit(X, y)
    assert found.status_ is Status.CONVERGED
    assert found.n_nodes_ == 0
