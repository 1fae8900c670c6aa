"""Newton's method for lambda: against differences, projected gradients and parabolas of a known top."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fisherset.solver import Domain, Trace, Units
from fisherset.solver.algorithm1.cutting_plane import Mixture, Shortlist, newton, top_on_simplex
from fisherset.solver.relaxation.ascent import ascend
from support import reference
from support.solver_calls import domain_of


def mixture_of(seed, gamma, n_cuts=6, groups=None, twins=False):
    """Some cuts of a random problem, and weights, one of them zero."""
    rng = np.random.default_rng(seed)
    X, y = reference.random_problem(seed, n=60, d=14, c=4)
    if twins:
        X[:, 7:] = X[:, :7]
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y), groups=groups)
    domain = domain_of(problem, 3)
    found = {tuple(np.sort(rng.choice(domain.units.size, 3, replace=False))) for _ in range(n_cuts)}
    if twins:
        found |= {tuple((np.array(cut) + 7) % 14) for cut in found}
    cuts = [np.sort(cut) for cut in sorted(found)]
    weights = np.append(rng.dirichlet(np.ones(len(cuts) - 1)), 0.0)
    return Mixture(problem, domain.units, cuts, gamma, Shortlist(problem, domain, gamma)), weights


@pytest.mark.parametrize("gamma", [0.1, 5.0, 1e4])
@pytest.mark.parametrize("groups", [None, np.arange(14) // 2], ids=["columns", "groups"])
def test_curvature_is_that_of_the_gradient(gamma, groups):
    mixture, weights = mixture_of(3, gamma, groups=groups)
    weights = (weights + 0.1) / (weights + 0.1).sum()
    for cut, row in enumerate(mixture.curvature(weights)):
        step = np.zeros_like(weights)
        step[cut] = 1e-6
        above, below = (mixture.evaluate(weights + way * step)[1] for way in (1, -1))
        assert_allclose(row, (below - above) / 2e-6, rtol=1e-5, atol=1e-6 * np.abs(row).max())


@pytest.mark.parametrize("twins", [False, True])
@pytest.mark.parametrize("gamma", [1e-3, 1.0, 30.0, 1e3, 1e8])
@pytest.mark.parametrize("seed", range(4))
def test_as_good_as_projected_gradients(seed, gamma, twins):
    mixture, weights = mixture_of(seed, gamma, twins=twins)
    trace = Trace(max_iter=100)
    found, settled = newton(mixture.evaluate, mixture.curvature, weights, tol=1e-8, trace=trace)
    best = ascend(mixture.evaluate, weights, Domain(Units(None, weights.size), 1), tol=1e-8, trace=trace)
    value, gradient = mixture.evaluate(found)
    assert np.all(found >= 0)
    assert found.sum() == pytest.approx(1)
    assert value >= mixture.evaluate(weights)[0] * (1 - 1e-14)
    if settled:
        assert value == pytest.approx(best.value, rel=2e-8)
        assert gradient.max() - found @ gradient <= 1e-8 * (value + gradient.max() - found @ gradient)
    assert settled or gamma <= 1


def test_takes_few_evaluations():
    """A new cut, which has no weight yet, takes a few, where projected gradients take tens."""
    calls, trace = {newton: 0, ascend: 0}, Trace(max_iter=100)
    for seed in range(6):
        mixture, weights = mixture_of(seed, 100.0, n_cuts=9)
        one = Domain(Units(None, weights.size), 1)
        weights = ascend(mixture.evaluate, weights, one, tol=1e-3, trace=trace).x

        def counted(method, mixture=mixture):
            def evaluate(x):
                calls[method] += 1
                return mixture.evaluate(x)

            return evaluate

        assert newton(counted(newton), mixture.curvature, weights, tol=1e-7, trace=trace)[1]
        ascend(counted(ascend), weights, one, tol=1e-7, trace=trace)
    assert calls[newton] <= 6 * 5
    assert calls[newton] < calls[ascend] / 2


def test_a_function_that_is_no_parabola_is_left_as_it_was():
    """A curvature that lies leads nowhere: what is returned is no worse, and not called settled."""
    mixture, weights = mixture_of(1, 5.0)
    start = mixture.evaluate(weights)[0]

    def flat(x):
        return 1e-9 * np.eye(x.size)

    found, settled = newton(mixture.evaluate, flat, weights, tol=1e-9, trace=Trace(max_iter=10))
    assert not settled
    assert mixture.evaluate(found)[0] >= start


@pytest.mark.parametrize("rank", [1, 3, 8])
@pytest.mark.parametrize("seed", range(5))
def test_top_of_a_parabola(seed, rank):
    """The conditions of a maximum: all free weights rise alike, none that is zero rises more."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(8, rank))
    Q, gradient = factor @ factor.T, rng.uniform(1, 2, 8)
    x = np.append(rng.dirichlet(np.ones(5)), np.zeros(3))
    y = top_on_simplex(gradient, Q, x)
    rising = gradient - Q @ (y - x)
    assert np.all(y >= 0)
    assert y.sum() == pytest.approx(1)
    assert rising.max() - y @ rising <= 1e-8 * rising.max()


def test_top_of_a_parabola_in_closed_form():
    """Independent weights: each as far ahead as the gradient is large beside the curvature."""
    gradient, curvature = np.array([1.0, 1.2, 0.2]), np.array([1.0, 2.0, 1.0])
    x = np.array([0.5, 0.5, 0.0])
    # level with 0.5 + 1 - l + 0.5 + (1.2 - l) / 2 = 1: l = 1.0667, the third weight staying at zero
    level = (1 + 1.2 / 2) / 1.5
    expected = [0.5 + 1 - level, 0.5 + (1.2 - level) / 2, 0.0]
    assert_allclose(top_on_simplex(gradient, np.diag(curvature), x), expected, atol=1e-9)
