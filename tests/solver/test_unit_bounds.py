"""The bounds for single units against all sets of a tangent."""

from itertools import combinations

import numpy as np
import pytest

from fisherset.solver import Domain, Units
from fisherset.solver.proof import Tangent, UnitBounds, bound_units


def best(domain, value):
    """The largest value of a set with each unit, and without it."""
    size = domain.units.size
    found = np.full((2, size), -np.inf)
    for some in combinations(range(size), domain.m):
        if set(domain.required) <= set(some) and not set(domain.excluded) & set(some):
            inside = np.isin(np.arange(size), some)
            np.maximum(found[0], np.where(inside, value(some), -np.inf), out=found[0])
            np.maximum(found[1], np.where(inside, -np.inf, value(some)), out=found[1])
    return found


def domains():
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 7):
        for n_required, n_excluded in ((0, 0), (1, 0), (0, 1), (2, 1), (1, 3)):
            mixed = rng.permutation(size)
            required, excluded = (
                np.sort(mixed[:n_required]),
                np.sort(mixed[n_required : n_required + n_excluded]),
            )
            for m in range(required.size, size - excluded.size + 1):
                yield Domain(Units(None, size), m, required, excluded)


@pytest.mark.parametrize("levels", [1, 2, 1000])  # with ties and without
def test_of_a_tangent_they_are_exact(levels):
    rng = np.random.default_rng(1)
    for domain in domains():
        g = rng.integers(0, levels, domain.units.size) / levels
        found = bound_units(domain, np.inf, [Tangent(0.25, g)])
        expected = best(domain, lambda some, g=g: 0.25 + g[list(some)].sum())
        for bounds, largest, fixed in zip(found, expected, (domain.required, domain.excluded), strict=True):
            decided = np.isin(np.arange(g.size), fixed)
            np.testing.assert_array_equal(np.isneginf(bounds), np.isneginf(largest))
            if 0 < domain.remaining < g.size - domain.fixed.size:
                np.testing.assert_allclose(bounds[~decided], largest[~decided], rtol=1e-13)
                assert np.all(bounds >= largest)


def test_several_tangents_give_the_least_and_none_the_bound():
    domain = Domain(Units(None, 4), 2)
    one, other = Tangent(0.0, np.array([3.0, 2, 1, 0])), Tangent(1.0, np.array([1.0, 2, 1, 0]))
    found, nothing = bound_units(domain, 4.5, [one, other]), bound_units(domain, 4.5)
    np.testing.assert_allclose(found.with_each, [4, 4, 4, 3])
    np.testing.assert_allclose(found.without_each, [3, 3, 4, 4])
    assert nothing.with_each.tolist() == nothing.without_each.tolist() == [4.5] * 4


def test_a_found_set_bounds_them_from_below_and_through_the_others():
    found = UnitBounds(np.array([4.0, 4, 2, 1]), np.array([3.5, 3.9, 5, 5])).around(
        np.array([0, 1]), 2, 4.2, 4.5
    )
    assert found.with_each.tolist() == [4.2, 4.2, 2, 1]  # its own value, though rounding said less
    assert found.without_each.tolist() == [2, 2, 4.5, 4.5]  # some other unit has to be there instead
    of_fewer = UnitBounds(np.full(3, 4.0), np.array([1.0, 1, 4])).around(np.array([0]), 2, 3.0, 4.0)
    assert of_fewer.with_each.tolist() == [4, 4, 4]
    assert of_fewer.without_each.tolist() == [1, 3, 4]
