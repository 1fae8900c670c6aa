"""Algorithm 1: same optimum as the joint relaxation, monotone bounds, the union rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fisherset.solver import Domain, Status, Task, Trace, Units
from fisherset.solver.algorithm1 import cutting_plane
from fisherset.solver.algorithm1.cutting_plane import Cuts, Shortlist, algorithm1
from fisherset.solver.relaxation.relaxation import relax
from support import reference
from support.solver_calls import domain_of, solve_one


@pytest.fixture(params=[(50, 14, 3), (16, 40, 4)], ids=["n > d", "d > n"])
def data(request):
    n, d, c = request.param
    X, y = reference.random_problem(7, n, d, c)
    return reference.standardize(X), reference.indicator(y)


@pytest.mark.parametrize("samples", [True, False])
@pytest.mark.parametrize("m", [1, 3, 6])
def test_agrees_with_the_joint_relaxation(data, m, samples):
    """Eq. (22) over the cuts and F(q) over their convex hull are one problem."""
    problem, tol = reference.ArrayProblem(*data, samples=samples), 1e-5
    cuts = algorithm1(problem, domain_of(problem, m), 4.0, tol=tol, trace=Trace(max_iter=500))
    direct = relax(problem, domain_of(problem, m), 4.0, tol=tol, trace=Trace(max_iter=500))
    assert cuts.value == pytest.approx(direct.value, rel=tol)
    assert cuts.value <= direct.upper_bound
    assert direct.value <= cuts.upper_bound


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("m", [1, 3])
def test_bounds_are_monotone(data, m, tol):
    """Theorem 3.3: l_t rises and u_t falls."""
    trace = Trace(max_iter=200)
    problem = reference.ArrayProblem(*data)
    algorithm1(problem, domain_of(problem, m), 1.0, tol=tol, trace=trace)
    lower = np.array([i.objective for i in trace.iterations])
    upper = np.array([i.upper_bound for i in trace.iterations])
    assert len(lower) > 3
    assert np.all(np.diff(lower) >= -1e-13)
    assert np.all(np.diff(upper) <= 0)
    assert np.all(lower <= upper)


def test_first_cut_is_the_fisher_ranking(data):
    """At V = H the most violated constraint takes the m largest ||C_j||^2."""
    Z, H = data
    trace = Trace(max_iter=1)
    problem = reference.ArrayProblem(Z, H)
    cuts = algorithm1(problem, domain_of(problem, 4), 4.0, tol=1e-6, trace=trace).cuts
    assert_allclose(cuts[0], np.sort(np.argsort(-reference.scores(H, Z))[:4]))


def test_gradient_in_lambda_is_eq_23(data):
    """The ascent's gradient, dF/dlambda_t, is Eq. (23) times -2/n: F = c - 1 - 2 g / n."""
    Z, H = data
    gamma, problem = 4.0, reference.ArrayProblem(Z, H)
    cuts, weights = [np.array([0, 2, 5]), np.array([1, 2, 7])], np.array([0.3, 0.7])
    p = np.zeros((2, Z.shape[1]))
    p[0, cuts[0]] = p[1, cuts[1]] = 1
    V = reference.dual_solution(weights @ p, Z, H, gamma)
    mixture = cutting_plane.Mixture(problem, domain_of(problem, 3).units, cuts, gamma)
    _, gradient = mixture.evaluate(weights)
    assert_allclose(gradient, -2 / len(Z) * reference.lambda_gradient(V, p, Z, gamma), rtol=1e-9)


@pytest.mark.parametrize("k", [1, 5, 9, 14])
def test_union_has_exactly_k(data, k):
    problem = reference.ArrayProblem(*data)
    solution = solve_one("cutting-plane", problem, k, 4.0)
    assert solution.units.size == k
    assert np.unique(solution.units).size == k
    assert solution.objective <= solution.upper_bound


def test_idle_cuts_are_dropped(data, monkeypatch):
    """While it runs, at most one cut of the working set has no weight: the new one."""
    sizes, kept = [], []

    class Watched(cutting_plane.Mixture):
        def __init__(self, problem, units, cuts, *rest):
            sizes.append(len(cuts))
            super().__init__(problem, units, cuts, *rest)

        def everywhere(self, cuts, weights):
            kept.append(len(cuts))
            assert np.all(weights > 0)
            return super().everywhere(cuts, weights)

    monkeypatch.setattr(cutting_plane, "Mixture", Watched)
    problem = reference.ArrayProblem(*data)
    found = algorithm1(problem, domain_of(problem, 3), 4.0, tol=1e-7, trace=Trace(max_iter=500))
    assert set(np.flatnonzero(found.q)) == set(np.concatenate(found.cuts))
    assert all(new <= old + 1 for old, new in zip(kept, sizes[1:], strict=False))
    assert any(new < old for old, new in zip(sizes, kept, strict=True))  # some were dropped


@pytest.mark.parametrize("k", [4, 9, 13])
def test_m_rises_as_by_one(data, k):
    """Leaps of m end at the m, and with the set, that raising it by one ends with."""
    problem, tol = reference.ArrayProblem(*data), 1e-3
    trace = Trace(max_iter=500)
    units = solve_one("cutting-plane", problem, k, 4.0, tol=tol, trace=trace).units
    for m in range(1, k + 1):
        found = algorithm1(problem, domain_of(problem, m), 4.0, tol=tol, trace=Trace(max_iter=500))
        if np.unique(np.concatenate(found.cuts)).size >= k:
            break
    phases = [i.phase for i in trace.iterations if i.phase.startswith("cuts")]
    assert phases[0] == "cuts, m = 1"
    assert phases[-1] == f"cuts, m = {m}"
    assert_array_equal(units, np.sort(cutting_plane.trimmed(found, domain_of(problem, k))))


@pytest.mark.parametrize("growth", [1.0, 2.7, 12.0, 40.0])
@pytest.mark.parametrize("k", [1, 2, 3, 10, 57, 1000])
def test_m_is_found_in_few_leaps(growth, k):
    """The least m whose union reaches k, whatever the union grows by, and never with a union far above k."""

    def size(m):
        return int(max(m, growth * m**0.7))

    tried, domain = {}, Domain(Units(None, 2 * k + 50), k)
    while (m := cutting_plane.next_m(tried, domain)) not in tried:
        tried[m] = Cuts([np.arange(size(m))], np.zeros(1), np.zeros(1), 0.0, 0.0)
    assert m == next(m for m in range(1, k + 1) if size(m) >= k)
    assert min(tried) == 1
    assert len(tried) <= 4 + 2 * np.log2(k + 1)


def short(monkeypatch):
    """Have a shortlist of a few units, however few the columns are."""
    for name, value in (("ALL_LISTED", 0), ("POOL_FACTOR", 1), ("POOL_LEAST", 1)):
        monkeypatch.setattr(f"fisherset.solver.algorithm1.cutting_plane.{name}", value)


@pytest.mark.parametrize("gamma", [0.5, 4.0, 100.0])
@pytest.mark.parametrize("m", [1, 3, 6])
def test_a_shortlist_that_lacks_much_is_mended(data, m, gamma, monkeypatch):
    """The optimum is that over all units, though cuts were looked for among the first few."""
    short(monkeypatch)
    problem, tol = reference.ArrayProblem(*data), 1e-5
    domain = domain_of(problem, m)
    shortlist = Shortlist(problem, domain, gamma)
    assert shortlist.members.size == m
    trace = Trace(max_iter=500)
    cuts = algorithm1(problem, domain, gamma, tol=tol, trace=trace, shortlist=shortlist)
    direct = relax(problem, domain, gamma, tol=tol, trace=Trace(max_iter=500))
    assert trace.status is Status.CONVERGED
    assert cuts.complete == (shortlist.members.size == m)
    assert cuts.value == pytest.approx(direct.value, rel=2 * tol)
    assert cuts.value <= direct.upper_bound
    assert direct.value <= cuts.upper_bound
    again = algorithm1(problem, domain, gamma, tol=tol, trace=Trace(max_iter=500), shortlist=shortlist)
    assert again.value == pytest.approx(cuts.value, rel=2 * tol)


@pytest.mark.parametrize("groups", [False, True])
def test_a_shortlist_knows_its_block(data, groups):
    """Its values of the listed units are those of all of G, however it was put together."""
    Z, H = data
    d = Z.shape[1]
    problem = reference.ArrayProblem(Z, H, groups=np.arange(d) % (d // 2) if groups else None)
    domain = domain_of(problem, 3, excluded=np.array([2]))
    shortlist = Shortlist(problem, domain, 4.0)
    shortlist.members, shortlist.columns = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    shortlist._G = np.empty((0, 0))
    for some in ([6, 1], [4, 1, 0], [3]):
        assert shortlist.add(np.array(some))
    assert not shortlist.add(np.array([0, 6]))
    assert_array_equal(shortlist.members, [0, 1, 3, 4, 6])
    columns = shortlist.columns
    assert_array_equal(shortlist.gram(columns), problem.G[np.ix_(columns, columns)])
    A, W = columns[:3], np.random.default_rng(0).normal(size=(3, H.shape[1]))
    q = np.zeros(domain.units.size)
    q[[0, 1, 3]] = 1.0
    g = domain.units.total(np.sum((problem.C - problem.G[:, A] @ W) ** 2, axis=1) / (4.0 * len(Z)))
    worst, by = shortlist.violated(domain, q, A, W)
    best = shortlist.members[np.argsort(-g[shortlist.members], kind="stable")[:3]]
    assert_array_equal(worst, np.sort(best))
    assert by == pytest.approx(g[worst].sum() - q @ g)


def passes_of(problem, k, **options):
    """The solution, and how often all columns were asked for."""
    passes, product = [], problem.product

    def counted(columns, W, rows=None):
        passes.append(rows is None)
        return product(columns, W, rows)

    problem.product = counted
    return solve_one("cutting-plane", problem, k, 4.0, **options), sum(passes)


def test_passes_are_few(data):
    """With all units listed, one pass for each m that is tried, and those of the certificate."""
    problem, trace = reference.ArrayProblem(*data), Trace(max_iter=500)
    _, passes = passes_of(problem, 9, trace=trace)
    phases = [i.phase for i in trace.iterations if i.phase.startswith("cuts")]
    assert len(phases) > 3 * len(set(phases))
    assert passes <= len(set(phases)) + len(trace.iterations) - len(phases) + 1


@pytest.mark.parametrize("k", [2, 5, 9])
def test_the_answer_does_not_hang_on_the_shortlist(data, k, monkeypatch):
    """A short one that was completed, and none at all, every cut taking a pass, give sets as good."""
    whole = solve_one("cutting-plane", reference.ArrayProblem(*data), k, 4.0)
    none = solve_one("cutting-plane", reference.ArrayProblem(*data, room=0, samples=True), k, 4.0)
    short(monkeypatch)
    few = solve_one("cutting-plane", reference.ArrayProblem(*data), k, 4.0)
    for found in (none, few):
        assert found.status is Status.CONVERGED
        assert found.objective == pytest.approx(whole.objective, rel=0.05)
        assert found.upper_bound >= whole.objective


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_for_all_subsets(seed, monkeypatch):
    """No subset by brute force exceeds the bound of any m, with a shortlist that lacks most units."""
    short(monkeypatch)
    X, y = reference.random_problem(seed, d=9)
    X[:, 8] = X[:, 0]  # a duplicate
    Z, gamma = reference.standardize(X), [0.01, 1.0, 50.0, 1e5][seed % 4]
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    for m in (1, 2, 4):
        trace = Trace(max_iter=500)
        algorithm1(problem, domain_of(problem, m), gamma, tol=1e-3, trace=trace)
        best, _ = reference.best_subset(Z, y, m, gamma)
        assert min(i.upper_bound for i in trace.iterations) >= best * (1 - 1e-9)


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_what_is_cut_short_is_said_and_bounded(data, max_iter):
    problem, trace = reference.ArrayProblem(*data), Trace(max_iter=max_iter)
    found = algorithm1(problem, domain_of(problem, 3), 4.0, tol=1e-9, trace=trace)
    assert trace.status is Status.MAX_ITER
    assert len(trace.iterations) == max_iter
    assert found.value <= found.upper_bound <= problem.ceiling
    assert_array_equal(np.flatnonzero(found.q), np.unique(np.concatenate(found.cuts)))


def test_out_of_time_is_no_time(data):
    """Each domain still has its set, from one run that stopped at its first cut."""
    problem, trace = reference.ArrayProblem(*data), Trace(max_iter=500, time_limit=0.0)
    domains = [domain_of(problem, k) for k in (2, 6)]
    found = list(cutting_plane.cutting_plane_path(Task(problem, domains, 4.0, 1e-3, True, trace)))
    assert [solution.units.size for solution in found] == [2, 6]
    assert trace.status is Status.TIME_LIMIT
    assert sum(i.phase.startswith("cuts") for i in trace.iterations) == 1


def test_the_cut_that_overflows_is_trimmed_by_q():
    q = np.array([0.9, 0.1, 0.6, 0.3, 0.2, 0.5])
    found = Cuts([np.array([0, 1]), np.array([1, 2, 3, 5])], q, np.zeros(6), 0.0, 0.0)
    assert_array_equal(np.sort(cutting_plane.trimmed(found, Domain(Units(None, 6), 4))), [0, 1, 2, 5])


def test_gap_is_reached():
    """The worst cut found again is no proof of convergence: lambda is then solved more exactly."""
    for seed in (1, 17):
        X, y = reference.random_problem(seed, n=40, d=12, c=3)
        problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
        trace = Trace(max_iter=1000)
        found = algorithm1(problem, domain_of(problem, 1), 0.01, tol=1e-3, trace=trace)
        assert trace.status is Status.CONVERGED
        assert found.value <= found.upper_bound <= found.value / (1 - 1e-3)
