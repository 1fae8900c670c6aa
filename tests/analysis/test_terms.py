"""The terms of F: C and G of a subset and of its best substitutes, against brute force on the table."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine

from fisherset import (
    GeneralizedFisherScore,
    JointRegressionScore,
    criterion_terms,
    fisher_criterion,
    summarize,
)


def table(seed=0, n=80, d=40):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / 4 + rng.normal(size=(4, d))[y]
    return X, y


GROUPS = np.repeat(np.arange(14), 3)[:40]
CASES = {
    "classes": {},
    "groups": {"groups": GROUPS},
    "kept": {"keep": [0, 7], "exclude": [3, 4, 5]},
    "adjusted": {"adjust_for": [1, 2]},
    "raw": {"standardize": False, "gamma": 40.0},
    "balanced": {"class_weight": "balanced"},
}


def asked_for(case, name):
    return CASES[case].get(name, [])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_others", [6, 200])
def test_terms_give_f_and_hold_the_best_swap(case, n_others):
    X, y = table()
    X[:, 9] = 1.0  # a constant adds nothing
    selector = GeneralizedFisherScore(4, **CASES[case]).fit(X, y)
    terms = criterion_terms(selector, X, y, weights=selector.scores_, n_others=n_others)
    codes = CASES[case].get("groups", np.arange(40))
    asked = {name: value for name, value in CASES[case].items() if name not in ("groups", "keep", "exclude")}
    asked |= {"gamma": selector.gamma_}
    kept, out = (
        CASES[case].get("keep", []),
        CASES[case].get("exclude", []) + CASES[case].get("adjust_for", []),
    )

    def value(units):
        return fisher_criterion(X, y, np.flatnonzero(np.isin(codes, units)), **asked)

    own = terms.units[:4]
    assert terms.units.size <= 4 + n_others
    assert terms.lacking == ""
    np.testing.assert_array_equal(own, np.unique(codes[selector.support_]))
    np.testing.assert_allclose(terms.objective(range(4)), selector.objective_, rtol=1e-12)
    rng = np.random.default_rng(1)
    for _ in range(5):
        some = rng.choice(terms.units.size, 5, replace=False)
        np.testing.assert_allclose(terms.objective(some), value(terms.units[some]), rtol=1e-10)
    outside = [unit for unit in np.unique(codes) if unit not in own and unit not in out]
    swaps = {
        (member, other): value([*np.setdiff1d(own, member), other])
        for member in own
        for other in outside
        if member not in kept
    }
    best = max(swaps.values())
    assert any(other in terms.units for (_, other), found in swaps.items() if found >= best * (1 - 1e-9))
    assert not set(out) & set(terms.units.tolist())
    assert terms.complete == (n_others == 200)


def test_bounds_hold_for_every_size():
    X, y = table(1, d=9)
    for given in ({}, {"keep": [8]}, {"exclude": [2]}):
        selector = GeneralizedFisherScore(3, gamma=float(len(y)), **given).fit(X, y)
        terms = criterion_terms(selector, X, y, weights=selector.scores_)
        allowed = list(range(terms.units.size))
        kept = [place for place in allowed if terms.units[place] in given.get("keep", [])]
        for size in range(1, terms.units.size + 1):
            sets = [some for some in combinations(allowed, size) if set(kept) <= set(some)]
            best = max(terms.objective(some) for some in sets)
            assert best <= terms.bounds[size] * (1 + 1e-12)
        assert terms.bounds[3] <= 1.1 * selector.upper_bound_


def test_terms_come_from_any_table():
    """Sparse rows, numbers, sets of labels and sums alone: F is that of `fisher_criterion`."""
    X, y = load_diabetes(return_X_y=True)
    selector = JointRegressionScore(4).fit(X, y)
    terms = criterion_terms(selector, X, y)
    np.testing.assert_allclose(terms.objective(range(4)), selector.objective_, rtol=1e-12)
    X, y = load_wine(return_X_y=True)
    whole = criterion_terms(X, y, [0, 6])
    for given in ((sparse.csr_array(X), y), (summarize(X, y), None), (pd.DataFrame(X), y)):
        found = criterion_terms(*given, [0, 6])
        np.testing.assert_allclose(found.G, whole.G, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.C @ found.C.T, whole.C @ whole.C.T, rtol=1e-9, atol=1e-8)
    dask = pytest.importorskip("dask.array")
    found = criterion_terms(dask.from_array(X, chunks=(50, 13)), y, [0, 6])
    np.testing.assert_allclose(found.G, whole.G, rtol=1e-9, atol=1e-9)
    labels = np.random.default_rng(0).random((len(X), 40)) < 0.3
    found = criterion_terms(X, labels, [0, 6])
    assert found.C.shape[1] <= found.C.shape[0]
    np.testing.assert_allclose(found.objective([0, 1]), fisher_criterion(X, labels, [0, 6]), rtol=1e-10)


def test_terms_that_cannot_be_given():
    X, y = table()
    assert "too large" in criterion_terms(X, y, range(20), max_numbers=200).lacking
    assert "double precision" in criterion_terms(X, y, [0, 1], gamma=1e-9).lacking
    X[:, 7] *= 1e6  # far above gamma, of which its rounding leaves nothing
    found = criterion_terms(X, y, [0, 1], standardize=False, gamma=1e-4)
    assert found.units.size == 39
    assert 7 not in found.units
    assert "double precision" in criterion_terms(X, y, [0, 7], standardize=False, gamma=1e-4).lacking
    few = criterion_terms(X, y, [0, 1], max_numbers=200)
    assert 10 <= few.units.size < 20
    assert not few.complete
    with pytest.raises(ValueError, match="weights must be 40 numbers from 0 to 1"):
        criterion_terms(X, y, [0], weights=[1.0])
    with pytest.raises(ValueError, match="n_others must be"):
        criterion_terms(X, y, [0], n_others=0)


def test_terms_print_short_and_refuse_places_that_are_none():
    X, y = table()
    terms = criterion_terms(X, y, [0, 1])
    assert repr(terms) == str(terms) == f"CriterionTerms(2 selected, 38 others, gamma = {terms.gamma:.6g})"
    assert terms.objective([]) == 0
    assert terms.objective(range(2)) == terms.objective(np.array([1, 0], dtype=np.uint8))
    for places in ([99], [-1], "a", ["a"], [True] * 40, [0.5], 3, [[0, 1]], None):
        with pytest.raises(ValueError, match="places must be whole numbers from 0 to 39; got "):
            terms.objective(places)
    none = criterion_terms(X, y, [0, 1], max_numbers=1)
    assert repr(none) == "CriterionTerms(The set of 2 columns is too large for it.)"
    with pytest.raises(ValueError, match="There are no terms: The set of 2 columns is too large"):
        none.objective([0])
