"""How the solver tests ask: one set of m units of a problem."""

from fisherset.solver import Domain, Trace, Units, solve


def domain_of(problem, m, **fixed):
    return Domain(Units(getattr(problem, "groups", None), problem.C.shape[0]), m, **fixed)


def solve_one(solver, problem, m, gamma, *, tol=1e-3, trace=None, **fixed):
    trace = Trace(max_iter=1000) if trace is None else trace
    (found,) = solve(solver, problem, [domain_of(problem, m, **fixed)], gamma, tol=tol, trace=trace)
    return found
