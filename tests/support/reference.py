"""The paper written literally: dense matrices, n x n, one function an equation. Slow and plain.

Samples are rows here, so that the paper's X is `Z.T`. Nothing of fisherset is imported.
"""

from itertools import combinations

import numpy as np

from fisherset._rounding import Rounding


def standardize(X):
    """Zero mean and unit standard deviation for each column (section 4.1)."""
    X = np.asarray(X, dtype=float)
    return (X - X.mean(axis=0)) / X.std(axis=0)


def indicator(y):
    """H of Eq. (9)."""
    _, codes = np.unique(y, return_inverse=True)
    n, n_k = len(codes), np.bincount(codes)
    H = np.tile(-np.sqrt(n_k / n), (n, 1))
    for i, k in enumerate(codes):
        H[i, k] = np.sqrt(n / n_k[k]) - np.sqrt(n_k[k] / n)
    return H


def scatter(Z, y):
    """S_b and S_t of Eq. (3)."""
    mu = Z.mean(axis=0)
    S_b, S_t = np.zeros((Z.shape[1],) * 2), np.zeros((Z.shape[1],) * 2)
    for k in np.unique(y):
        rows = Z[y == k]
        S_b += len(rows) * np.outer(rows.mean(axis=0) - mu, rows.mean(axis=0) - mu)
    for row in Z:
        S_t += np.outer(row - mu, row - mu)
    return S_b, S_t


def criterion(Z, y, features, gamma):
    """F of Eq. (2)."""
    S_b, S_t = scatter(Z[:, features], y)
    return np.trace(S_b @ np.linalg.inv(S_t + gamma * np.eye(len(features))))


def ridge_objective(Z, H, features, gamma):
    """Minimum over W of Eq. (8)."""
    X = Z[:, features]
    W = np.linalg.solve(X.T @ X + gamma * np.eye(len(features)), X.T @ H)
    return 0.5 * np.sum((X @ W - H) ** 2) + gamma / 2 * np.sum(W**2)


def kernels(Z):
    """K_j = x_j x_j' of Eq. (16)."""
    return [np.outer(z, z) for z in Z.T]


def dual_objective(V, p, Z, H, gamma):
    """f(V, p) of Eq. (16)."""
    K = sum(p_j * K_j for p_j, K_j in zip(p, kernels(Z), strict=True))
    return np.trace(V.T @ H) - 0.5 * np.trace(V.T @ (K / gamma + np.eye(len(Z))) @ V)


def dual_solution(q, Z, H, gamma):
    """V of Eq. (25), with q = sum of lambda_t p^t."""
    K = sum(q_j * K_j for q_j, K_j in zip(q, kernels(Z), strict=True))
    return np.linalg.solve(K / gamma + np.eye(len(Z)), H)


def scores(V, Z):
    """s_j = x^j V V' x^j' of Eq. (26)."""
    return np.array([z @ V @ V.T @ z for z in Z.T])


def lambda_gradient(V, cuts, Z, gamma):
    """Gradient of Eq. (23)."""
    K = kernels(Z)
    mixed = [sum(p_j * K_j for p_j, K_j in zip(p, K, strict=True)) for p in cuts]
    return np.array([-np.trace(V.T @ K_t @ V) / (2 * gamma) for K_t in mixed])


def fisher_score(X, y):
    """Eq. (4) feature by feature."""
    values = []
    for x in np.asarray(X, dtype=float).T:
        groups = [x[y == k] for k in np.unique(y)]
        between = sum(len(g) * (g.mean() - x.mean()) ** 2 for g in groups)
        values.append(between / sum(len(g) * g.var() for g in groups))
    return np.array(values)


def neighbour_graph(X, k, kernel, t=None, y=None):
    """Symmetric graph of the k nearest neighbours, inside the classes where y is given."""
    n = len(X)
    squared = np.array([[np.sum((a - b) ** 2) for b in X] for a in X])
    edge = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in range(n) if j != i and (y is None or y[i] == y[j])]
        edge[i, sorted(others, key=lambda j: squared[i, j])[:k]] = True
    if kernel == "heat":
        t = np.median(squared[edge]) if t is None else t
        weights = np.exp(-squared / t)
    else:
        weights = np.ones((n, n))
    return np.where(edge | edge.T, weights, 0.0)


def laplacian_forms(X, S):
    """F'Lf and f'Df of every feature, centred as by He, Cai and Niyogi (2005), section 2."""
    D, one = np.diag(S.sum(axis=1)), np.ones(len(X))
    L = D - S
    edges, nodes = [], []
    for f in np.asarray(X, dtype=float).T:
        f = f - (f @ D @ one) / (one @ D @ one) * one
        edges.append(f @ L @ f)
        nodes.append(f @ D @ f)
    return np.array(edges), np.array(nodes)


def hsic(K, L):
    """Biased estimate of Song et al. (2007): tr(KHLH) / (n - 1)^2."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return np.trace(K @ H @ L @ H) / (n - 1) ** 2


def scatters(X, y):
    """Between-class and within-class scatter of each feature."""
    S_b, S_t = scatter(np.asarray(X, dtype=float), y)
    return np.diag(S_b), np.diag(S_t) - np.diag(S_b)


def best_ratio(a, b, m):
    """The largest ratio of sums over all m-subsets."""
    return max((a[list(A)].sum() / b[list(A)].sum(), A) for A in combinations(range(len(a)), m))


def best_subset(Z, y, m, gamma):
    """The best m-subset by trying all of them: its value and features."""
    H = indicator(y)
    C, G = Z.T @ H, Z.T @ Z
    best = (-np.inf, ())
    for A in combinations(range(Z.shape[1]), m):
        A = list(A)
        value = np.sum(C[A] * np.linalg.solve(G[np.ix_(A, A)] + gamma * np.eye(m), C[A])) / len(Z)
        best = max(best, (value, tuple(A)))
    return best


def rounding_of(problem, unit=1e-14):
    """The errors of a problem whose columns were standardised without cancellation."""
    lengths, targets = np.sqrt(problem.diagonal), 2 * np.sqrt(problem.n)
    none = np.zeros(lengths.size, dtype=bool)
    scale = np.full(lengths.size, unit)
    return Rounding(unit, lengths, unit * lengths * targets, targets, scale, unit, none)


class ArrayProblem:
    """The solver's `Problem` from plain arrays, with everything formed whole."""

    def __init__(self, Z, H, groups=None, samples=True, room=2**26):
        self.Z, self.H, self.groups, self.room = Z, H, groups, room
        self.n, self.C, self.G = float(len(Z)), Z.T @ H, Z.T @ Z
        self.diagonal = np.diag(self.G).copy()
        self.ceiling = float(np.sum(H**2) / len(Z))
        self.size = len(Z)
        self.samples = self if samples else None
        self.rounding = rounding_of(self)

    def gram(self, columns, rows=None):
        return self.G[:, columns] if rows is None else self.G[np.ix_(rows, columns)]

    def blocks(self, columns):
        return self.G[columns[:, :, None], columns[:, None, :]]

    def product(self, columns, W, rows=None):
        return self.G[:, columns][slice(None) if rows is None else rows] @ W

    def kernel(self, columns, weights):
        return (self.Z[:, columns] * weights) @ self.Z[:, columns].T

    def values(self, columns):
        return self.Z[:, columns]

    def in_single(self):
        return self.Z.astype(np.float32)


def random_problem(seed, n=None, d=None, c=None):
    """Labelled data with redundant and with interacting columns: (X, y)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60)) if n is None else n
    d = int(rng.integers(4, 13)) if d is None else d
    c = int(rng.integers(2, 5)) if c is None else c
    y = np.concatenate([np.arange(c), np.arange(c), rng.integers(0, c, n - 2 * c)])
    X = rng.standard_normal((n, d)) + rng.standard_normal((c, d))[y] * rng.uniform(0, 1.5, d)
    for _ in range(d // 3):
        i, j = rng.choice(d, 2, replace=False)
        X[:, i] = X[:, j] + rng.uniform(0.05, 1) * X[:, i]
    return X, y
