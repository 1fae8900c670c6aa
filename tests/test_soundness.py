"""No certificate lies: the short form of `benchmarks/soundness.py`; and the truth it is held against."""

import signal
from fractions import Fraction

import numpy as np
import pytest

from hostile import SEEN, random_problem, seen_problems
from truth import Truth, subsets
from verdict import interrupted, judge


def lies(problems):
    """What is wrong, as `benchmarks/soundness.py` would say it."""
    verdicts = [judge(problem) for problem in problems]
    return [f"{verdict.name} ({verdict.family}): {verdict.detail}" for verdict in verdicts if verdict.lie]


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_problems_make_no_certificate_lie(first):
    assert lies(map(random_problem, range(first, first + 50))) == []


@pytest.mark.parametrize("case", SEEN)
def test_what_was_seen_to_go_wrong(case):
    assert lies(seen_problems(case, most=2)) == []


def exactly(X, y, w, gamma):
    """F of all columns in fractions: no root is needed when the variances go to gamma's side."""
    w = [Fraction(float(v)) for v in w]
    Z = [[Fraction(float(v)) for v in column] for column in X.T]
    for z in Z:
        mean = sum(a * b for a, b in zip(w, z, strict=True)) / sum(w)
        z[:] = [a - mean for a in z]
    M = [[sum(a * b * c for a, b, c in zip(w, u, v, strict=True)) for v in Z] for u in Z]
    S = [[sum(w[i] * z[i] for i in np.flatnonzero(y == k)) for z in Z] for k in np.unique(y)]
    n_k = [sum(w[i] for i in np.flatnonzero(y == k)) for k in np.unique(y)]
    for j in range(len(Z)):
        M[j][j] += Fraction(gamma) * M[j][j] / sum(w)
    value = Fraction(0)
    for j in range(len(Z)):  # elimination, a column at a time
        value += sum(s[j] * s[j] / n for s, n in zip(S, n_k, strict=True)) / M[j][j]
        for i in range(j + 1, len(Z)):
            share = M[i][j] / M[j][j]
            M[i] = [a - share * b for a, b in zip(M[i], M[j], strict=True)]
            for s in S:
                s[i] -= share * s[j]
    return float(value)


@pytest.mark.parametrize("distance", [1.0, 1e-7, 1e-12])
@pytest.mark.parametrize("gamma", [1.0, 1e-13])
@pytest.mark.parametrize("decades", [0, 12])
def test_the_truth_is_what_fractions_give(distance, gamma, decades):
    rng = np.random.default_rng(0)
    y, w = np.arange(15) % 3, 10.0 ** -rng.uniform(0, decades, 15)
    X = rng.standard_normal((15, 4))
    X[:, 1] = X[:, 0] + distance * (X[:, 1] + y)
    X += 1e3
    truth = Truth(X, y, w)
    found = truth.criterion([range(4)], gamma * w.sum())[0]
    assert found == pytest.approx(exactly(X, y, w, gamma * w.sum()), rel=1e-14)


def plainly(X, T, w, gamma):
    """F of all columns, with targets whose columns are scaled already, in float64."""
    n, root = w.sum(), np.sqrt(w)[:, None]
    X = X * root / np.sqrt(np.sum(w[:, None] * X**2, axis=0) / n)
    C = X.T @ (T * root)
    return np.trace(C.T @ np.linalg.solve(X.T @ X + gamma * np.eye(X.shape[1]), C)) / n


@pytest.mark.parametrize("targets", ["classes", "numbers"])
def test_the_truth_of_numbers_beside_confounders_with_gaps(targets):
    rng = np.random.default_rng(2)
    y, w = np.arange(40) % 3, rng.uniform(0.2, 2, 40)
    X, Z, Y = (
        rng.standard_normal((40, 4)) + y[:, None],
        rng.standard_normal((40, 2)),
        rng.normal(size=(40, 2)),
    )
    gaps = rng.random(X.shape) < 0.1
    filled = np.where(gaps, (w @ np.where(gaps, 0.0, X)) / (w @ ~gaps), X)
    N = np.column_stack([np.ones(40), Z])

    def left(A):
        return A - N @ np.linalg.solve(N.T @ (N * w[:, None]), N.T @ (A * w[:, None]))

    if targets == "classes":
        given, T = y, left(np.eye(3)[y] / np.sqrt(np.bincount(y, w) / w.sum()))
    else:
        given, T = Y, left(Y) / np.sqrt(w @ left(Y) ** 2 / w.sum())
    truth = Truth(np.where(gaps, np.nan, X), given, w, numbers=targets == "numbers", confounders=Z)
    assert truth.criterion([range(4)], 3.0)[0] == pytest.approx(plainly(left(filled), T, w, 3.0), rel=1e-12)


def test_the_tangent_bound_is_above_all_subsets_and_touches_the_whole():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 3
    truth = Truth(rng.standard_normal((30, 6)) + rng.standard_normal((3, 6))[y], y)
    for q in (np.full(6, 0.5), np.array([1.0, 1, 1, 0, 0, 0]), np.array([0.9, 0.7, 0.6, 0.5, 0.3, 0])):
        assert truth.tangent_bound(q, 3, 0.1) >= truth.best(3, 0.1)
    whole = truth.criterion(subsets(6, 6), 0.1)[0]
    assert truth.tangent_bound(np.ones(6), 6, 0.1) == pytest.approx(whole, rel=1e-14)


def solve_for_long():
    for _ in range(10**6):
        np.linalg.solve(np.eye(6), np.eye(6))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system cannot interrupt")
def test_an_interrupt_leaves_nothing_behind_for_the_next_problem():
    before = np.geterr(), np.geterrcall()
    for _ in range(100):
        with pytest.raises(TimeoutError), interrupted(0.004):
            solve_for_long()
        assert (np.geterr(), np.geterrcall()) == before
