"""Small random problems of the solver, with F of all sets of their domain."""

from itertools import combinations

import numpy as np

from fisherset.solver import Domain, Trace, Units, solve
from support import reference


class Case:
    """A random problem with copies, groups, required and excluded units; F of all its sets."""

    def __init__(self, seed, d=None, share=None):
        rng = np.random.default_rng(seed)
        c = int(rng.integers(2, 6))
        d = int(rng.integers(3, 13 if seed % 8 else 15)) if d is None else d
        X, y = reference.random_problem(seed, n=int(rng.integers(2 * c + 2, 80)), d=d, c=c)
        for j in range(1, d):
            if rng.random() < 0.1:
                X[:, j] = X[:, rng.integers(j)]
        groups = rng.integers(0, d // 2 + 1, d) if rng.random() < 0.3 else np.arange(d)
        groups = np.unique(groups, return_inverse=True)[1]
        self.problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
        self.gamma = len(y) * (10 ** rng.uniform(-2, 1) if share is None else share)
        size = int(groups.max()) + 1
        units = Units(None if size == d else groups, d)
        mixed = rng.permutation(size)
        n_excluded = int(rng.integers(0, 3)) if rng.random() < 0.3 and size > 3 else 0
        n_required = int(rng.integers(0, 3)) if rng.random() < 0.3 else 0
        excluded, required = np.sort(mixed[:n_excluded]), np.sort(mixed[n_excluded:][:n_required])
        m = int(rng.integers(max(required.size, 1), size - n_excluded + 1))
        self.domain = Domain(units, m, required, excluded)
        sets = np.array(list(combinations(range(size), m)))
        chosen = (sets[:, :, None] == np.arange(size)).any(axis=1)
        allowed = chosen[:, required].all(axis=1) & ~chosen[:, excluded].any(axis=1)
        self.sets, self.chosen = sets[allowed], chosen[allowed]
        p = self.chosen[:, groups].astype(float)
        C = p[:, :, None] * self.problem.C
        M = p[:, :, None] * self.problem.G * p[:, None, :] + self.gamma * np.eye(d)
        self.values = np.einsum("pir,pir->p", C, np.linalg.solve(M, C)) / self.problem.n

    def best(self, with_them):
        """The largest F of a set with each unit, or without it."""
        of = self.chosen if with_them else ~self.chosen
        return np.array([np.max(self.values[mask], initial=-np.inf) for mask in of.T])

    def solve(self, solver="exact", tol=0.0, **limits):
        trace = Trace(max_iter=1000, **limits)
        (found,) = solve(solver, self.problem, [self.domain], self.gamma, tol=tol, trace=trace)
        return found
