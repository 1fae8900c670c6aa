"""The account of rounding errors, number by number, held against 120 digits."""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest

from fisherset import summarize
from fisherset.selection.request import pose_problem
from fisherset.statistics.measure import measure_table
from fisherset.statistics.measured import FitArguments
from fisherset.statistics.sums.confounders import GROWN, basis_from_rows
from fisherset.validation.targets import CLASSIFICATION, REGRESSION
from support.exact_oracle import DIGITS_OF, ExactTruth


def table(seed):
    """Rows with classes or numbers; confounders, nearly collinear or far away, and weights, or none."""
    rng = np.random.default_rng(seed)
    n, numbers = int(rng.choice([12, 40, 90])), bool(rng.integers(2))
    X = rng.standard_normal((n, 5)) * 10.0 ** rng.integers(-3, 4, 5) + 10.0 ** rng.uniform(-2, 5)
    y = rng.integers(0, 3, n)
    X[:, 0] += y * X[:, 0].std()
    y = X[:, :2] @ rng.standard_normal(2) + rng.standard_normal(n) if numbers else y
    Z = None
    if rng.integers(2):
        base = rng.standard_normal(n) * 10.0 ** rng.uniform(-2, 3) + 10.0 ** rng.uniform(-2, 6)
        Z = np.column_stack([base, base + base.std() * 10.0 ** rng.uniform(-7, 0) * rng.standard_normal(n)])
        X += np.outer(Z[:, 0] - Z[:, 0].mean(), rng.standard_normal(5) * 10.0 ** rng.uniform(-3, 3))
    w = rng.uniform(0.2, 3, n) if rng.integers(2) else None
    return rng, X, y, Z, w, numbers


def posed(X, y, Z, w, numbers):
    task = REGRESSION if numbers else CLASSIFICATION
    return pose_problem(measure_table(X, y, None, FitArguments(w, confounders=Z), task), True)


def shares(problem, truth):
    """Errors of all numbers of a problem, as shares of what the account says they can be."""
    rounding, d = problem.rounding, problem.columns
    scale = problem.scale * problem.scatter.guard.unit[d]
    lengths, G = rounding.lengths * scale, problem.gram(np.arange(d.size))
    with localcontext(DIGITS_OF):
        for a in range(d.size):
            if rounding.unknown[a]:
                continue
            for b in range(a + 1):
                if not rounding.unknown[b]:
                    found = Decimal(float(G[a, b])) * Decimal(float(scale[a])) * Decimal(float(scale[b]))
                    off = abs(found - truth.G[d[a]][d[b]])
                    yield float(off) / (rounding.unit * lengths[a] * lengths[b])
            spread = float((truth.G[d[a]][d[a]] / truth.n).sqrt())
            if rounding.scale[a] < 0.4:
                yield abs(spread / scale[a] - 1) / rounding.scale[a]
            norms = [s * s / norm for s, norm in zip(truth.S[d[a]], truth.norms, strict=True) if norm]
            true = float(sum(norms).sqrt() * truth.n.sqrt()) / scale[a]
            found = float(np.linalg.norm(problem.C[a]))
            if rounding.target_scale < 0.4:
                yield abs(found - true) / (rounding.cross[a] + rounding.target_scale * found)


@pytest.mark.parametrize("seed", range(60))
def test_no_number_is_off_by_more_than_it_says(seed):
    _, X, y, Z, w, numbers = table(seed)
    truth = ExactTruth(X, y, w, numbers=numbers, confounders=Z)
    assert max(shares(posed(X, y, Z, w, numbers), truth)) <= 1


@pytest.mark.parametrize("seed", range(60))
def test_neither_is_one_that_is_left_of_a_subtraction(seed):
    rng, X, y, Z, w, numbers = table(seed)
    task, size = REGRESSION if numbers else CLASSIFICATION, 10.0 ** rng.uniform(0, 7)
    far, at = X.copy(), rng.integers(5)
    far[0, at] *= size
    y_far = np.where(np.arange(len(y)) == 0, size * y, y) if numbers and rng.integers(2) else y
    given = [
        {"y": y_far[some], "sample_weight": None if w is None else w[some], "task": task}
        | {"confounders": None if Z is None else Z[some]}
        for some in (slice(None), slice(0, 1))
    ]
    whole, first = (summarize(rows, **one) for rows, one in zip((far, far[:1]), given, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem, refused = None, ""
        try:
            problem = pose_problem(measure_table(whole - first, None, None, FitArguments(), task), True)
        except ValueError as error:
            refused = str(error)
    if problem is None:
        assert "confounders" in refused or "subtract" in refused
        return
    rest = None if w is None else w[1:]
    truth = ExactTruth(X[1:], y[1:], rest, numbers=numbers, confounders=None if Z is None else Z[1:])
    assert max(shares(problem, truth), default=0.0) <= 1


def test_the_account_is_not_far_above_what_happens():
    """Of an outlier that is subtracted again the digits are gone indeed."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 4)), np.arange(100) % 2
    X[0, 0] = 1e6
    rest = summarize(X, y) - summarize(X[:1], y[:1])
    problem = pose_problem(measure_table(rest, None, None, FitArguments(), CLASSIFICATION), True)
    found = list(shares(problem, ExactTruth(X[1:], y[1:])))
    assert 1e-4 < max(found) <= 1


@pytest.mark.parametrize("distance", [1.0, 1e-3, 1e-6, 1e-9])
def test_a_basis_spans_what_nearly_collinear_confounders_do(distance):
    """The residual of any combination of them is zero, in 120 digits, but for the rounding of the rows."""
    rng = np.random.default_rng(0)
    clock = 1.7e9 + rng.uniform(0, 3e7, 50)
    Z = np.column_stack([clock, clock + distance * 1e7 * rng.standard_normal(50), np.ones(50)])
    basis = basis_from_rows(Z, None)
    assert (basis.growth > GROWN) == (distance < 0.1)
    assert basis.M.shape[1] == 2
    N = basis.rows(Z)
    np.testing.assert_allclose(N.T @ N / 50, np.eye(2), atol=1e-5)
    D = (Z - basis.centre) / basis.unit
    truth = ExactTruth(N, Z[:, 1], None, confounders=Z[:, :2], numbers=True)
    with localcontext(DIGITS_OF):
        left = [float((truth.G[j][j] / 50).sqrt()) for j in range(2)]
    assert max(left) <= basis.error
    assert np.abs(D @ basis.M - N).max() <= 1e-15 * basis.growth * 8
