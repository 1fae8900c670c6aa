"""Pieces of G from what is kept: the same whatever was asked before, all at once where that is cheaper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from fisherset import GeneralizedFisherScore
from fisherset.statistics.products.gram import PASS, PASSES, GramBlock


class Counted:
    """A matrix that says what it was asked for."""

    def __init__(self, d):
        A = np.random.default_rng(d).standard_normal((d, d + 5))
        self.G, self.asked = A @ A.T, []

    def __call__(self, columns, rows):
        self.asked.append((columns.size, rows is None))
        return self.G[columns] if rows is None else self.G[np.ix_(columns, rows)]


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("d", [30, 900])
def test_whatever_is_asked_is_right(by_rows, d):
    G, rng = Counted(d), np.random.default_rng(0)
    cache = GramBlock(G, d, by_rows=by_rows)
    for size in (3, 8, 20, d, 5, d // 2):
        for _ in range(4):
            columns, rows = (rng.permutation(d)[:size] for _ in range(2))
            W = rng.standard_normal((size, 2))
            assert_allclose(cache.get(columns, rows), G.G[np.ix_(columns, rows)])
            assert_allclose(cache.get(columns, None), G.G[columns])
            for some in (None, rows):
                if cache.holds(columns, some):
                    expected = G.G[:, columns] @ W
                    found = cache.product(columns, W, some)
                    assert_allclose(found, expected if some is None else expected[some], atol=1e-9)


def test_a_narrow_table_is_read_once():
    G = Counted(2 * PASS * PASSES)
    cache = GramBlock(G, len(G.G), by_rows=True)
    cache.get(np.arange(5), np.arange(5))
    assert cache.holds(np.array([700, 3]))
    cache.get(np.arange(100, 300), None)
    assert G.asked == [(len(G.G), True)]


def test_the_whole_is_lent_and_not_copied():
    G = Counted(40)
    cache, every = GramBlock(G, 40, by_rows=True), np.arange(40)
    lent = cache.get(every, every)
    assert lent is cache.get(every, every)
    with pytest.raises(ValueError, match="read-only"):
        lent[0, 0] = 1.0
    for columns, rows in ((every[::-1], every), (every, every[::-1])):  # in another order it is another block
        assert_allclose(cache.get(columns, rows), G.G[np.ix_(columns, rows)])


def test_a_wider_one_once_pieces_have_cost_twice_as_much():
    d = 2 * PASS * (PASSES + 4)
    G = Counted(d)
    cache = GramBlock(G, d, by_rows=True)
    held = [cache.holds(np.arange(3)) for _ in range(8)]
    assert held == [False] * 7 + [True]
    assert G.asked == [(d, True)]


def test_not_where_pieces_cost_nothing_or_there_is_no_room():
    for cache in (GramBlock(Counted(30), 30), GramBlock(Counted(30), 30, 8 * 30 * 29, by_rows=True)):
        assert not any(cache.holds(np.arange(3)) for _ in range(100))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_a_selection_from_a_narrow_table_takes_two_passes(kind):
    rng = np.random.default_rng(0)
    y = np.arange(900) % 3
    X = rng.poisson(0.3, (900, 60)) + (rng.random((900, 60)) < 0.1 * y[:, None])
    found = GeneralizedFisherScore(8).fit(kind(X.astype(float)), y)
    assert found.n_passes_ == 2


def exchange_like(d, rng):
    """Members and outsiders of which a few change places each time."""
    order = rng.permutation(d)
    members, outsiders = order[:12], order[12:200]
    for _ in range(8):
        yield np.sort(members), np.sort(outsiders)
        i, j = rng.integers(12), rng.integers(outsiders.size)
        members[i], outsiders[j] = outsiders[j], members[i]
        outsiders = np.append(outsiders, order[200 + rng.integers(50)])
        outsiders = np.setdiff1d(outsiders, members)


def test_of_what_an_exchange_asks_again_only_the_new_is_computed():
    d, rng = 600, np.random.default_rng(3)
    G, numbers = Counted(d), []
    cache = GramBlock(lambda columns, rows: numbers.append(columns.size * rows.size) or G(columns, rows), d)
    for members, outsiders in exchange_like(d, rng):
        assert_allclose(cache.get(members, outsiders), G.G[np.ix_(members, outsiders)])
    assert numbers[0] > 2000
    assert sum(numbers[1:]) < 2 * numbers[0]  # of seven times as many


@pytest.mark.parametrize("budget", [0, 500, 20_000, 10**6])
def test_the_last_piece_is_kept_within_the_budget(budget):
    d, rng = 600, np.random.default_rng(4)
    G = Counted(d)
    cache = GramBlock(G, d, budget)
    for members, outsiders in exchange_like(d, rng):
        found = cache.get(members, outsiders)
        assert_allclose(found, G.G[np.ix_(members, outsiders)])
        assert_allclose(cache.get(members[:3], members), G.G[np.ix_(members[:3], members)])
        assert cache._values.nbytes + cache._strip.n_bytes <= budget
