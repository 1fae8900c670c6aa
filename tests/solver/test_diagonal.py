"""The diagonal moved into the ridge: what it leaves of G is positive semidefinite, and the bound tighter."""

import numpy as np
import pytest

from fisherset.solver import Domain, Trace, Units, diagonal
from fisherset.solver.diagonal import find_diagonal
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.exact.nodes import Relaxations
from fisherset.solver.relaxation.ascent import ascend
from support import reference

NONE = np.arange(0)


def candidates_of(X, y, m=3):
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    units = Units(None, X.shape[1])
    return Candidates(problem, Domain(units, m), np.arange(units.size))


def relaxed(candidates, gamma, delta):
    """The bound of the relaxation with Delta, and the slopes."""
    size, domain, relaxations = candidates.units.size, candidates.domain, Relaxations(candidates, gamma)

    def function(q):
        point, _ = relaxations.at(q[None], delta[None])
        return float(point.value[0]), point.g[0]

    found = ascend(function, np.full(size, domain.m / size), domain, tol=1e-5, trace=Trace(max_iter=1))
    _, weights = relaxations.at(found.x[None], delta[None])
    x = np.maximum(found.x, 1e-3)
    return found.bound, weights[0] * (1 - x) / x


def found_diagonal(candidates, gamma):
    every = np.arange(candidates.units.size)
    return find_diagonal(
        candidates, gamma, NONE, every, 0.0 * every, lambda now: relaxed(candidates, gamma, now)[1]
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gamma", [2.0, 1e-9])
@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-4, 1e-6, 1e-8, 0.0])
def test_what_is_left_is_positive_semidefinite(seed, gamma, apart):
    """Next to near-duplicates, too: G of the columns themselves, in longer numbers."""
    rng = np.random.default_rng(seed)
    X, y = reference.random_problem(seed, n=60, d=7, c=3)
    X = np.column_stack([X, X[:, :2] + apart * rng.standard_normal((60, 2))])
    candidates, slopes = candidates_of(X, y), rng.random(9)
    delta = find_diagonal(candidates, gamma, NONE, np.arange(9), np.zeros(9), lambda _: slopes)
    assert np.all(delta > -gamma)  # of near-duplicates one gives a share away
    if gamma == 2:
        assert delta.max() > 1
        assert np.all(delta[2:7] > 0)
    Z = np.asarray(reference.standardize(X), dtype=np.longdouble)
    left = np.asarray(Z.T @ Z - np.diag(delta), dtype=float)
    assert np.linalg.eigvalsh(left)[0] > -1e-13 * len(X)


def test_fewer_samples_than_columns():
    """Some columns then give a share of gamma to others."""
    X, y = reference.random_problem(0, n=8, d=9, c=3)
    candidates = candidates_of(X, y)
    delta = found_diagonal(candidates, 1.0)
    assert -1 < delta.min() < 0 < delta.max()
    assert np.linalg.eigvalsh(candidates.G - np.diag(delta))[0] > -1e-12


def test_none_is_left_with_unknown_lengths():
    X, y = reference.random_problem(0, n=40, d=9, c=3)
    candidates = candidates_of(X, y)
    for unknown in (1e13, np.inf, np.nan):
        candidates.rounding.lengths[4] = unknown
        assert not found_diagonal(candidates, 1.0).any()
    assert find_diagonal(candidates, 1.0, np.arange(9), NONE, np.zeros(0), lambda now: now).size == 0


def test_slopes_that_are_not_numbers_do_no_harm():
    X, y = reference.random_problem(0, n=40, d=9, c=3)
    candidates = candidates_of(X, y)
    delta = find_diagonal(candidates, 1.0, NONE, np.arange(9), np.zeros(9), lambda now: now * np.nan)
    assert np.linalg.eigvalsh(candidates.G - np.diag(delta))[0] > 0


@pytest.mark.parametrize("gamma", [0.5, 5.0, 40.0])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_tighter_than_one_in_proportion(seed, gamma):
    """Than none, than the least eigenvalue, and than the largest in proportion to 1 / diag(G^-1)."""
    X, y = reference.random_problem(seed, n=120, d=20, c=3)
    candidates = candidates_of(X, y)
    G = candidates.G
    own = 1 / np.linalg.inv(G).diagonal()
    largest = own * np.linalg.eigvalsh(G / np.sqrt(np.outer(own, own)))[0]
    bounds = [relaxed(candidates, gamma, some)[0] for some in (0 * own, largest)]
    bounds.append(relaxed(candidates, gamma, np.full(20, np.linalg.eigvalsh(G)[0]))[0])
    found = found_diagonal(candidates, gamma)
    assert relaxed(candidates, gamma, found)[0] < min(bounds)
    # no other near it is better by more than the barrier costs
    rng, gain = np.random.default_rng(seed), bounds[0] - relaxed(candidates, gamma, found)[0]
    for _ in range(5):
        other = np.abs(found) * np.exp(rng.normal(0, 0.5, 20))
        other *= min(1.0, np.linalg.eigvalsh(G / np.sqrt(np.outer(other, other)))[0])
        assert relaxed(candidates, gamma, other)[0] > bounds[0] - 1.1 * gain


@pytest.mark.parametrize("required", [NONE, np.array([3, 5])])
def test_wide_problems_get_one_in_proportion(monkeypatch, required):
    X, y = reference.random_problem(1, n=120, d=20, c=3)
    candidates, gamma = candidates_of(X, y), 2.0
    monkeypatch.setattr(diagonal, "WIDEST_IMPROVED", 0)
    free = np.setdiff1d(np.arange(20), required)
    delta = find_diagonal(candidates, gamma, required, free, 0.0 * free, lambda now: now)
    G = candidates.G + gamma * np.diag(np.isin(np.arange(20), required))
    S = np.linalg.inv(np.linalg.inv(G)[np.ix_(free, free)])  # adjusted for those required
    own = 1 / np.linalg.inv(S).diagonal()
    largest = own * np.linalg.eigvalsh(S / np.sqrt(np.outer(own, own)))[0]
    assert np.all((delta <= largest) & (delta >= 0.8 * largest))
