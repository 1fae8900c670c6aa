"""Exact search as selectors and `certify` offer it: what is proven, and how it may be cut short."""

import re
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    certify,
    fisher_criterion,
    selection_path,
)
from fisherset._format import proven_share
from fisherset.solver import Status
from fisherset.solver.exact.search import Search
from support import reference

K = 5


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[::3], y[::3]


@pytest.fixture(scope="module")
def proven(digits):
    return GeneralizedFisherScore(K, solver="exact").fit(*digits)


@pytest.fixture
def stopped(monkeypatch):
    """Ctrl-C while the search looks at nodes for the third time."""
    explored, calls = Search._explore, []

    def interrupted(self, nodes):
        calls.append(nodes.size)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return explored(self, nodes)

    monkeypatch.setattr(Search, "_explore", interrupted)


def test_the_gap_is_closed(digits, proven):
    joint = GeneralizedFisherScore(K).fit(*digits)
    assert not joint.optimal_
    assert joint.n_nodes_ < proven.n_nodes_
    assert proven.optimal_ is True
    assert proven.gap_ < 1e-6
    assert proven.n_nodes_ > 1
    assert proven.status_ is Status.CONVERGED
    assert joint.objective_ <= proven.objective_ * (1 + 1e-9)
    assert proven.upper_bound_ < joint.upper_bound_
    assert np.all(proven.upper_bound_with_ <= joint.upper_bound_with_ * (1 + 1e-9))
    assert sum(proven.proven_.counts[:2]) > sum(joint.proven_.counts[:2])


def best_value(X, H, sets, gamma):
    """The largest F of some sets, by plain algebra."""
    Z, sets = reference.standardize(X), np.array(sets)
    G, C = Z.T @ Z, Z.T @ H
    systems = G[sets[:, :, None], sets[:, None, :]] + gamma * np.eye(sets.shape[1])
    return np.max(np.einsum("sir,sir->s", C[sets], np.linalg.solve(systems, C[sets]))) / len(X)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_best_of_all_sets(task):
    """Where the relaxation is loose, with a feature that is kept and one that is excluded."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 6)) @ rng.standard_normal((6, 21)) + rng.standard_normal((60, 21))
    y = X[:, :6].sum(axis=1) + rng.standard_normal(60)
    if task == "classification":
        y = np.digitize(y, np.quantile(y, [0.3, 0.6]))
        selector, H = GeneralizedFisherScore(8), reference.indicator(y)
    else:
        selector, H = JointRegressionScore(8), reference.standardize(y[:, None])
    found = selector.set_params(gamma=0.6, solver="exact", keep=[4], exclude=[1]).fit(X, y)
    sets = [[4, *others] for others in combinations(np.delete(np.arange(21), [1, 4]), 7)]
    assert found.optimal_
    assert found.n_nodes_ > 0
    assert found.objective_ == pytest.approx(best_value(X, H, sets, 0.6), rel=1e-9)


@pytest.mark.parametrize("limit", [{"max_nodes": 3}, {"time_limit": 1e-9}, {"tol": 0.15}, {}])
def test_an_early_end(digits, proven, limit, request):
    """By any limit, or by Ctrl-C: the best set so far, a bound that holds, and a warning why."""
    if not limit:
        request.getfixturevalue("stopped")
    selector = GeneralizedFisherScore(K, gamma=proven.gamma_, solver="exact", **limit)
    if "tol" in limit:
        selector.fit(*digits)
        assert selector.status_ is Status.CONVERGED
        assert selector.gap_ <= 0.15
    else:
        reason = next(iter(limit), "Interrupted")
        with pytest.warns(ConvergenceWarning, match=reason):
            selector.fit(*digits)
        assert selector.status_.name == reason.upper()
    assert not selector.optimal_
    assert selector.n_nodes_ < proven.n_nodes_
    assert selector.support_.sum() == K
    assert selector.objective_ <= proven.objective_ * (1 + 1e-9)
    assert selector.upper_bound_ >= proven.upper_bound_ * (1 - 1e-9)
    for name in ("upper_bound_with_", "upper_bound_without_"):
        assert np.all(getattr(selector, name) >= getattr(proven, name) * (1 - 1e-6))


def test_an_answer_needs_its_proof(digits):
    with pytest.raises(ValueError, match='tol must not be None with solver="exact"'):
        GeneralizedFisherScore(K, solver="exact", tol=None).fit(*digits)
    with pytest.raises(ValueError, match='Leave tol out, or use solver="joint"'):
        selection_path(*digits, [K], solver="exact", tol=None)


def test_a_path_is_proven_step_by_step(digits, proven):
    path = selection_path(*digits, [3, K], solver="exact", gamma=proven.gamma_)
    assert all(step.gap < 1e-6 for step in path)
    assert path[1].objective == pytest.approx(proven.objective_, rel=1e-9)


def test_folds_are_searched_as_the_joint_solver_does(digits, proven, monkeypatch):
    def counted(self, *given, **more):
        searches.append(given)
        start(self, *given, **more)

    start, searches = Search.__init__, []
    monkeypatch.setattr(Search, "__init__", counted)
    found = GeneralizedFisherScoreCV(K, gammas=[proven.gamma_], cv=2, solver="exact").fit(*digits)
    assert len(searches) == 1
    assert found.optimal_
    assert np.array_equal(found.support_, proven.support_)


def test_a_set_against_the_best(digits, proven):
    ranking = FisherScore(K).fit(*digits).support_
    found = certify(*digits, ranking, exact=True)
    assert found.exact
    assert not found.optimal
    assert found.best == pytest.approx(proven.objective_, rel=1e-9)
    assert found.objective == pytest.approx(fisher_criterion(*digits, ranking), rel=1e-12)
    assert found.gap == pytest.approx(1 - found.objective / found.best, rel=1e-5)
    assert found.n_nodes > 0
    share = proven_share(1 - found.objective / found.best)
    assert f"Not optimal: {share} of what the best 5 columns reach" in str(found)
    assert f", best {proven.objective_:.6g}, gamma" in str(found)
    usual = certify(*digits, ranking)
    assert (usual.exact, usual.best) == (False, None)
    assert "can reach (" in str(usual)


def test_the_best_set_is_said_to_be(digits, proven):
    best = certify(*digits, proven.support_, exact=True, gamma=proven.gamma_)
    assert best.exact
    assert best.optimal
    words = "Proven optimal: no other 5 columns score higher"
    assert str(best).startswith(f"{words} (F = {proven.objective_:.6g}, upper bound")


@pytest.mark.parametrize("limit", [{"max_nodes": 1}, {"time_limit": 1e-9}, {}])
def test_a_certificate_cut_short(digits, proven, limit, request):
    if not limit:
        request.getfixturevalue("stopped")
    with pytest.warns(ConvergenceWarning, match=next(iter(limit), "Interrupted")):
        found = certify(*digits, proven.support_, exact=True, gamma=proven.gamma_, **limit)
    assert not found.exact
    assert found.best == found.objective == pytest.approx(proven.objective_, rel=1e-9)
    assert found.upper_bound >= proven.objective_
    assert "can reach (" in str(found)


def test_columns_that_tell_nothing():
    X, y = np.ones((8, 3)), np.arange(8) % 2
    with pytest.warns(UserWarning, match="constant"):
        selector = GeneralizedFisherScore(2, solver="exact").fit(X, y)
    assert selector.optimal_
    found = certify(X, y, [0, 1], exact=True)
    assert (found.exact, found.best) == (True, 0.0)
    assert "No column tells the classes apart" in str(found)


def test_what_verbose_shows(digits, capfd):
    GeneralizedFisherScore(K, solver="exact", verbose=1).fit(*digits)
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("exact")]
    assert len(lines) > 1
    for line in lines:
        assert re.search(r"F = \S+  UB = \S+  gap = \S+%  nodes = \d+  open = \d+  \d+\.\d s$", line)
    assert "open = 0" in lines[-1]
