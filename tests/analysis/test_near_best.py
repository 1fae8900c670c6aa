"""`near_best` against the list of all sets, and what it says of them."""

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from fisherset import (
    GeneralizedFisherScore,
    JointRegressionScore,
    NearBest,
    fisher_criterion,
    near_best,
    summarize,
)
from fisherset.solver import Status
from fisherset.solver.exact.candidates import GramRows
from support import reference
from support.long_cases import first
from support.out_of_core import Given, one_parquet

EDGE = 1e-7  # sets so near the floor may be on either side


class Random:
    """A small problem with whatever can be odd about it, and all of its sets."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        X, y = reference.random_problem(seed, d=int(rng.integers(4, 11)))
        d = X.shape[1]
        if seed % 3 == 0:
            X[:, d - 1] = X[:, 0]
        if seed % 4 == 0:
            X[:, 1] = 0.3
        self.X, self.y = X, y
        self.gamma = len(y) * 10.0 ** rng.uniform(-2, 1)
        self.within = float(rng.choice([0.0, 0.01, 0.05, 0.2]))
        codes = np.sort(rng.integers(0, max(3, d // 2), d)) if seed % 5 == 0 else np.arange(d)
        self.codes = np.unique(codes, return_inverse=True)[1]
        self.grouped = seed % 5 == 0
        varying = np.unique(self.codes[X.std(axis=0) > 1e-12])
        self.k = int(rng.integers(1, max(2, varying.size - 1)))
        drawn = rng.permutation(varying)
        self.keep = drawn[:1].tolist() if seed % 2 and self.k > 1 else []
        self.exclude = drawn[1:2].tolist() if seed % 7 < 3 and varying.size > self.k + 1 else []
        self.allowed = [unit for unit in varying.tolist() if unit not in self.exclude]

    @property
    def parameters(self):
        given = {"gamma": self.gamma, "within": self.within}
        given |= {"groups": [f"g{code}" for code in self.codes]} if self.grouped else {}
        as_given = (lambda units: [f"g{unit}" for unit in units]) if self.grouped else list
        given |= {"keep": as_given(self.keep)} if self.keep else {}
        return given | ({"exclude": as_given(self.exclude)} if self.exclude else {})

    def every(self):
        """All sets and their F, by the paper's Eq. (2)."""
        with np.errstate(invalid="ignore"):
            Z = np.nan_to_num(reference.standardize(self.X))
        return {
            units: reference.criterion(Z, self.y, np.flatnonzero(np.isin(self.codes, units)), self.gamma)
            for units in combinations(self.allowed, self.k)
            if set(self.keep) <= set(units)
        }


@pytest.mark.parametrize("tens", range(10))
def test_equal_to_all_sets_that_are_near(tens):
    for seed in range(10 * tens, 10 * tens + 10):
        asked = Random(seed)
        found = near_best(asked.X, asked.y, asked.k, **asked.parameters)
        every = asked.every()
        best = max(every.values())
        floor = (1 - asked.within) * best
        listed = [tuple(one) for one in found.sets]
        assert found.complete, seed
        assert found.status is Status.CONVERGED
        assert len(set(listed)) == len(listed)
        assert {one for one, value in every.items() if value >= floor + EDGE * best} <= set(listed), seed
        assert set(listed) <= {one for one, value in every.items() if value >= floor - EDGE * best}, seed
        assert_allclose(found.objectives, [every[one] for one in listed], rtol=1e-8)
        assert found.objective == pytest.approx(best, rel=1e-9)
        assert best <= found.upper_bound <= best * (1 + 1e-5)
        assert (np.diff(found.objectives) <= 1e-8 * best).all()


def example():
    """Two copies of one column, two columns half as good that tell the same, and noise."""
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    good, same = y + 0.5 * rng.standard_normal(60), 2.0 * y + rng.standard_normal(60)
    X = np.column_stack(
        [good, good, same, same + 0.01 * rng.standard_normal(60), rng.standard_normal((60, 3))]
    )
    return pd.DataFrame(X, columns=[*"abcd", "n1", "n2", "n3"]), y


def test_what_the_sets_say():
    X, y = example()
    found = near_best(X, y, 2, within=0.02, gamma=1.0)
    assert found.sets == [[0, 3], [1, 3], [0, 2], [1, 2]]  # copies are ties, and in lexicographic order
    assert found.core == []
    assert found.frequencies.tolist() == [0.5, 0.5, 0.5, 0.5, 0, 0, 0]
    assert found.stand_ins == {0: [1], 1: [0], 2: [3], 3: [2]}
    assert found.exchangeable == [[0, 1], [2, 3]]
    assert found.chosen_of([0, 1]) == (1, 1)
    assert found.names == list(X.columns)
    said = str(found)
    assert said.startswith("Proven: exactly 4 sets of 2 features reach at least 98 % of the best F (F = ")
    assert "No feature is in all of them. Interchangeable: a, b (1 of 2 in each set); c, d (" in said


def test_keep_makes_a_core_and_exclude_leaves_out():
    X, y = example()
    found = near_best(X, y, 3, within=0.02, gamma=1.0, keep=["a", "n1"], exclude=["c"])
    assert found.sets == [[0, 3, 4]]
    assert found.core == [0, 3, 4]
    assert found.stand_ins == {}
    assert "Proven among the allowed sets: " in str(found)
    assert "It is a, d, n1." in str(found)
    for feature in ("a", "b"):
        with_it = near_best(X, y, 2, within=0.02, gamma=1.0, keep=feature)
        assert X.columns.get_loc(feature) in with_it.core


def test_groups_are_counted_and_numbered_as_groups():
    X, y = example()
    groups = ["g", "h", "g", "h", "n", "n", "m"]
    found = near_best(X, y, 1, within=0.05, gamma=1.0, groups=groups)
    assert found.sets == [[1], [0]]  # the groups h and g
    assert found.names == ["g", "h", "n", "m"]
    assert found.frequencies.tolist() == [0.5, 0.5, 0, 0]
    assert "2 sets of 1 group reach at least 95 % of" in str(found)


def test_objectives_are_those_of_the_criterion():
    X, y = example()
    found = near_best(X, y, 3, within=0.1)
    for one, value in zip(found.sets, found.objectives, strict=True):
        assert fisher_criterion(X, y, one, gamma=found.gamma) == pytest.approx(value, rel=1e-9)
    best = GeneralizedFisherScore(3).fit(X, y)
    assert found.gamma == best.gamma_
    assert np.flatnonzero(best.support_).tolist() == found.sets[0]


def test_of_a_target_of_numbers():
    X, _ = example()
    target = X["a"] + X["n1"]
    found = near_best(X, target, 2, within=0.001, task="regression", gamma=0.1)
    assert found.sets == [[0, 4], [1, 4]]
    assert found.objective == pytest.approx(JointRegressionScore(2, gamma=0.1).fit(X, target).objective_)
    assert "2 sets of 2 features reach at least 99.9 % of the best F" in str(found)
    summary = summarize(X, target, task="regression")
    again = near_best(summary, None, 2, within=0.001, task="regression", gamma=0.1)
    assert again.sets == found.sets
    assert again.names == found.names


def test_more_than_may_be_listed():
    X, y = example()
    whole = near_best(X, y, 3, within=0.3, gamma=1.0)
    assert len(whole.sets) > 5
    with pytest.warns(ConvergenceWarning, match="Stopped at max_sets") as caught:
        found = near_best(X, y, 3, within=0.3, gamma=1.0, max_sets=5)
    assert caught[0].filename == __file__
    assert found.sets == whole.sets[:5]
    assert not found.complete
    assert found.status is Status.MAX_SETS
    assert "Found 5 sets of 3 features that reach at least 70 % of the best F found; more or better" in str(
        found
    )
    assert "Stopped at max_sets" in str(found)


def test_without_time_there_is_still_an_answer():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 60)), np.arange(80) % 4
    with pytest.warns(ConvergenceWarning, match="Stopped at time_limit"):
        found = near_best(X, y, 20, time_limit=1e-9)
    assert not found.complete
    assert len(found.sets[0]) == 20
    assert found.objective <= found.upper_bound


def test_constant_features_are_left_out_of_account():
    X, y = example()
    X = X.assign(n3=1.0, zero=0.0)
    found = near_best(X, y, 2, within=0.02, gamma=1.0)
    assert found.sets == [[0, 3], [1, 3], [0, 2], [1, 2]]
    assert "2 features are constant and in none of the sets." in str(found)
    kept = near_best(X, y, 2, within=0.3, gamma=1.0, keep=["zero"])
    assert all(7 in one for one in kept.sets)
    with pytest.warns(UserWarning, match="k is larger than the number of features that vary, 6: 1 constant"):
        filled = near_best(X, y, 7, gamma=1.0)
    assert filled.sets == [[0, 1, 2, 3, 4, 5, 6]]
    assert filled.complete
    assert "are constant; 1 of them fill up every set, because too few vary." in str(filled)


def test_nothing_tells_the_classes_apart():
    X = np.tile(np.random.default_rng(0).standard_normal((10, 3)), (2, 1))
    found = near_best(X, np.repeat([0, 1], 10), 2)
    assert found.sets == [[0, 1], [0, 2], [1, 2]]
    assert found.complete


def test_every_column_is_constant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = near_best(np.ones((6, 3)), np.arange(6) % 2, 2)
    assert found.sets == [[0, 1]]
    assert found.objective == 0.0
    assert str(found).startswith("No column tells the classes apart (F = 0 for every set).")


def test_many_names_are_not_all_said():
    found = NearBest([list(range(30))], np.ones(1), True, 0.0, 1.0, 2.0, Status.CONVERGED, list(range(40)))
    assert "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and 20 more." in str(found)
    assert "1 set of 30 features reaches the best F" in str(found)
    assert "among the allowed sets" in str(replace(found, limited=True))


def wide_table(d, n=50):
    rng = np.random.default_rng(7)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d)) + rng.normal(size=(n, 5)) @ rng.normal(size=(5, d))
    X[:, :4] += 0.5 * y[:, None]
    return X, y


@pytest.mark.parametrize(
    ("k", "grouped"), first(5, [(1, False), (2, False), (1, True), (2, True), (3, True), (3, False)])
)
def test_columns_beyond_the_largest_array(k, grouped, monkeypatch):
    """G among all that is in play need not fit: what a search asks of it is computed."""
    X, y = wide_table(24)
    groups = np.arange(24) // 2 if grouped else None
    given = {"gamma": 5.0, "within": 0.15, "groups": groups}
    whole = near_best(X, y, k, **given)
    rows = []
    monkeypatch.setattr("fisherset.statistics.budget.LARGEST_ARRAY", 100)  # ten columns
    monkeypatch.setattr(
        GramRows, "_compute", lambda *args, own=GramRows._compute: (rows.append(1), own(*args))
    )
    found = near_best(X, y, k, **given)
    assert found.complete
    assert whole.complete
    assert found.sets == whole.sets
    assert_allclose(found.objectives, whole.objectives, rtol=1e-9)
    assert rows or k == 1
    values = {
        one: fisher_criterion(
            X, y, np.flatnonzero(np.isin(np.arange(24) if groups is None else groups, one)), gamma=5.0
        )
        for one in combinations(range(12 if grouped else 24), k)
    }
    floor = 0.85 * max(values.values())
    assert {one for one, value in values.items() if value > floor * (1 + EDGE)} <= set(map(tuple, found.sets))
    assert set(map(tuple, found.sets)) <= {one for one, value in values.items() if value > floor * (1 - EDGE)}


def test_the_memory_that_is_asked_for_is_enough(tmp_path):
    X, y = wide_table(700, n=400)
    asked = {"gamma": 40.0, "within": 0.3}
    table = one_parquet(Given(X, y), tmp_path)["X"]
    with pytest.warns(ConvergenceWarning, match=r"exact search needs .* Pass max_memory=") as told:
        found = near_best(table, None, 2, max_memory="1.5MB", **asked)
    assert not found.complete
    assert found.status is Status.MEMORY
    needed = int(str(told[-1].message).split("max_memory=")[1].split(",")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = near_best(table, None, 2, max_memory=needed, **asked)
    assert found.complete
    assert found.sets == near_best(X, y, 2, **asked).sets
