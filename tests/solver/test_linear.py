"""Systems by half the work against those by all of it, and what is done where that does not go."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fisherset.solver import linear
from fisherset.solver.linear import inverse, solve, solve_scaled, solve_shifted


def made(size, seed=0, columns=3):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((size, size + 5))
    return A @ A.T, rng.uniform(0, 1, size), rng.standard_normal((size, columns))


def test_nothing_is_inverted_without_a_word(capfd):
    assert inverse(np.empty((0, 0))).shape == (0, 0)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("size", [1, 2, 30])
def test_solutions_are_those_of_a_general_system(size):
    G, root, B = made(size)
    assert_allclose(inverse(G), np.linalg.inv(G), rtol=1e-6)
    assert_array_equal(inverse(G), inverse(G).T)
    assert_allclose(solve_shifted(G, 2.0, B), np.linalg.solve(G + 2.0 * np.eye(size), B), rtol=1e-9)
    M = root[:, None] * G * root + 2.0 * np.eye(size)
    assert_allclose(solve_scaled(G, root, 2.0, B), np.linalg.solve(M, B), rtol=1e-9)


def test_what_is_not_definite_is_solved_all_the_same():
    M = np.array([[0.0, 2.0], [2.0, 0.0]])
    assert_allclose(inverse(M), [[0.0, 0.5], [0.5, 0.0]])
    assert_allclose(solve_shifted(M, 1.0, np.eye(2)), np.linalg.inv(M + np.eye(2)))
    assert_allclose(solve_scaled(M, np.ones(2), 1.0, np.eye(2)), np.linalg.inv(M + np.eye(2)))


@pytest.mark.parametrize("unit", [1.0, 1e-140, 1e140])  # the last two are beyond single precision
@pytest.mark.parametrize("gamma", [1e3, 1.0, 1e-3])
def test_single_precision_refined_is_as_good(unit, gamma, monkeypatch):
    G, root, B = made(60)
    expected = np.linalg.solve(root[:, None] * G * root + gamma * np.eye(60), B)
    monkeypatch.setattr(linear, "LARGE_SYSTEM", 1)
    found = linear._solve_refined(unit * G, root, unit * gamma, B)
    assert found is not None
    assert_allclose(unit * found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    assert_array_equal(solve_scaled(unit * G, root, unit * gamma, B), found)


def test_what_single_precision_cannot_tell_is_left_to_double(monkeypatch):
    G, _, B = made(40)
    G[1] = G[0]
    G[:, 1] = G[:, 0]  # singular, but for a gamma far below single precision
    monkeypatch.setattr(linear, "LARGE_SYSTEM", 1)
    assert linear._solve_refined(G, np.ones(40), 1e-9, B) is None
    B[1] = B[0]
    found = solve_scaled(G, np.ones(40), 1e-9, B)
    assert_allclose(found, solve(G + 1e-9 * np.eye(40), B), rtol=1e-3, atol=1e-6)
    assert linear._solve_refined(G, np.ones(40), 1.0, np.zeros_like(B)) is None
