"""Proofs about single features, against all sets with and without each of them."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV, JointRegressionScore
from fisherset.solver import Status
from support import reference
from support.precise_oracle import Truth, subsets


class Case:
    """A random table with copies and constant columns, and what may be chosen of it."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        d, c = int(rng.integers(3, 13)), int(rng.integers(2, 6))
        self.X, self.y = reference.random_problem(seed, n=int(rng.integers(2 * c, 60)), d=d, c=c)
        for j in range(1, d):
            kind = rng.random()
            if kind < 0.1:
                self.X[:, j] = self.X[:, rng.integers(j)]
            elif kind < 0.2:
                self.X[:, j] = 3.0
        self.groups = np.arange(d) if rng.random() < 0.5 else rng.integers(0, max(d // 2, 2), d)
        units = list(dict.fromkeys(self.groups.tolist()))
        self.codes = np.array([units.index(group) for group in self.groups])
        mixed = rng.permutation(len(units))
        n_barred = int(rng.integers(0, 3)) if rng.random() < 0.4 and len(units) > 3 else 0
        n_kept = int(rng.integers(0, 3)) if rng.random() < 0.4 else 0
        self.barred, self.kept = mixed[:n_barred], mixed[n_barred:][:n_kept]
        self.k = int(rng.integers(max(self.kept.size, 1), len(units) - n_barred + 1))
        self.gamma = len(self.y) * 10 ** rng.uniform(-2, 1)
        self.size = len(units)
        self.more = {
            "groups": None if self.size == d else self.groups,
            "keep": [units[unit] for unit in self.kept],
            "exclude": [units[unit] for unit in self.barred],
            "solver": str(rng.choice(["joint", "cutting-plane", "exact"], p=[0.6, 0.2, 0.2])),
            "tol": "auto",
        }
        if self.more["solver"] != "exact" and rng.random() < 0.1:
            self.more["tol"] = None

    def fit(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constant columns are told of
            return GeneralizedFisherScore(self.k, gamma=self.gamma, **self.more).fit(self.X, self.y)

    def best(self):
        """The largest F of a set with each unit, and without it; -inf where there is none."""
        sets = np.array(list(combinations(range(self.size), self.k)))
        chosen = (sets[:, :, None] == np.arange(self.size)).any(axis=1)
        chosen = chosen[chosen[:, self.kept].all(axis=1) & ~chosen[:, self.barred].any(axis=1)]
        spread = np.ptp(self.X, axis=0) > 0
        Z = np.where(spread, (self.X - self.X.mean(axis=0)) / np.where(spread, self.X.std(axis=0), 1), 0)
        p = chosen[:, self.codes].astype(float)
        C = p[:, :, None] * (Z.T @ reference.indicator(self.y))
        M = p[:, :, None] * (Z.T @ Z) * p[:, None, :] + self.gamma * np.eye(p.shape[1])
        values = np.einsum("pir,pir->p", C, np.linalg.solve(M, C)) / len(Z)
        return (
            np.array([np.max(values[mask], initial=-np.inf) for mask in some.T]) for some in (chosen, ~chosen)
        )


def raised(values):
    return values - 1e-9 * np.where(np.isfinite(values), np.abs(values), 0.0)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_no_set_exceeds_its_bound(first):
    decided = 0
    for seed in range(first, first + 50):
        case = Case(seed)
        found, (with_each, without_each) = case.fit(), case.best()
        for bounds, best in (
            (found.upper_bound_with_, with_each),
            (found.upper_bound_without_, without_each),
        ):
            assert bounds.shape == found.ranking_.shape
            assert np.all(bounds >= raised(best)), seed
            assert np.all(bounds <= found.upper_bound_), seed
            np.testing.assert_array_equal(np.isneginf(bounds), np.isneginf(best), str(seed))
        proven, chosen = found.proven_, found.ranking_ <= case.k
        assert np.all(found.upper_bound_with_[chosen] >= found.objective_)
        assert np.all(found.upper_bound_without_[~chosen] >= found.objective_)
        assert np.all(without_each[proven.in_every] < found.objective_)
        assert np.all(with_each[proven.in_none] < found.objective_)
        assert np.all(chosen[proven.in_every])
        assert not np.any(chosen[proven.in_none])
        assert np.all(proven.given[np.concatenate([case.kept, case.barred])])
        decided += np.count_nonzero((proven.in_every | proven.in_none) & ~proven.given)
    assert decided > 100


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gamma", [1e-6, 1e-12])
@pytest.mark.parametrize("rows", [True, False])
def test_they_hold_where_gamma_is_below_the_rounding(seed, gamma, rows, monkeypatch):
    """The search is of another problem then; what is claimed is of the one that was given."""
    if not rows:
        monkeypatch.setattr("fisherset.statistics.TableProblem.samples", None)
    rng = np.random.default_rng(seed)
    y, X = np.arange(40) % 3, rng.standard_normal((40, 4))
    X = np.hstack([X, X + 1e-6 * (rng.standard_normal((40, 4)) + y[:, None])]) * 10.0 ** rng.integers(
        -3, 3, 8
    )
    truth, k = Truth(X, y), 1 + seed % 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = GeneralizedFisherScore(k, gamma=gamma).fit(X, y)
    sets = subsets(8, k)
    values = truth.criterion(sets, gamma)
    for j in range(8):
        has = (sets == j).any(axis=1)
        assert found.upper_bound_with_[j] >= values[has].max() * (1 - 1e-9)
        assert found.upper_bound_without_[j] >= values[~has].max() * (1 - 1e-9)
    if found.status_ is Status.INEXACT:
        assert not (found.proven_.in_every | found.proven_.in_none).any()


def test_of_single_features_all_is_known():
    X, y = load_wine(return_X_y=True)
    found = GeneralizedFisherScore(1, gamma=20.0).fit(X, y)
    Z = reference.standardize(X)
    own = [reference.criterion(Z, y, [j], 20.0) for j in range(13)]
    np.testing.assert_allclose(found.upper_bound_with_, own, rtol=1e-8)
    assert found.proven_.counts == (1, 12, 0)
    assert str(found.proven_) == (
        "Proof: 1 feature is essential, 12 are ruled out, 0 undecided.\nEssential: x6."
    )


def test_copies_are_not_told_apart():
    """Either of two equal columns may be the one: neither is in every set as good, nor in none."""
    X, y = load_wine(return_X_y=True)
    found = GeneralizedFisherScore(1).fit(np.hstack([X, X]), y)
    assert found.proven_.counts == (0, 24, 2)


def test_constant_columns_are_in_no_good_set():
    X, y = load_wine(return_X_y=True)
    more = np.hstack([X, np.ones((len(X), 2))])
    for k in (1, 2, 10):
        plain, found = (GeneralizedFisherScore(k).fit(table, y).proven_ for table in (X, more))
        assert found.in_none.tolist() == [*plain.in_none, True, True]
        assert found.in_every.tolist() == [*plain.in_every, False, False]
    # where all others are chosen, a constant column may still take the place of one
    assert not GeneralizedFisherScore(13).fit(more, y).proven_.in_every.any()


def test_groups_and_numbers_and_what_is_cross_validated():
    rng = np.random.default_rng(0)
    X, groups = rng.standard_normal((80, 12)), np.repeat(list("abcdef"), 2)
    y = X[:, 0] + X[:, 5] + 0.1 * rng.standard_normal(80)
    found = JointRegressionScore(2, groups=groups).fit(X, y)
    assert found.proven_.what == "groups"
    assert found.upper_bound_with_.size == 6
    assert [found.groups_[unit] for unit in np.flatnonzero(found.proven_.in_every)] == ["a", "c"]
    assert "Proof: 2 groups are essential, 4 are ruled out, 0 undecided." in str(found.proven_)
    X, y = load_wine(return_X_y=True)
    chosen = GeneralizedFisherScoreCV([3, 5], gammas=[200.0], cv=2).fit(X, y)
    same = GeneralizedFisherScore(chosen.n_features_, gamma=200.0).fit(X, y)
    np.testing.assert_allclose(chosen.upper_bound_with_, same.upper_bound_with_, rtol=1e-6)
    np.testing.assert_allclose(chosen.upper_bound_without_, same.upper_bound_without_, rtol=1e-6)


def test_without_a_choice_there_is_nothing_to_prove():
    X, y = load_wine(return_X_y=True)
    found = GeneralizedFisherScore(13).fit(X, y)
    assert np.all(np.isneginf(found.upper_bound_without_))
    assert found.proven_.counts == (0, 0, 0)
    assert str(found.proven_) == ""
    kept = GeneralizedFisherScore(2, keep=[0, 1]).fit(X, y)
    assert str(kept.proven_) == ""
    assert np.all(kept.proven_.in_none[2:])
    none = GeneralizedFisherScore(2, tol=None).fit(X, y)
    assert none.proven_.counts == (0, 0, 13)
    assert str(none.proven_) == "No feature is proven essential or ruled out: 13 undecided."
