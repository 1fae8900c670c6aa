"""Problems that ask more of float64 than it has: random ones, each from its seed, and named ones.

A random problem belongs to a family, which forces one trait on it; the other traits come by
chance, so that each meets each. What may be asked besides (groups, confounders, ...) has families
of its own, and so has what is not a plain table in memory: see `hard_storage_problems.py`.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse

from support import hard_storage_problems as storage_cases
from support.hard_storage_problems import STORAGE_FAMILIES, drawn_family, storage_problem
from support.problems import CERTIFY, CUTS, DASK, FOLD, JOINT, PARQUET, PARTS, SEARCH, Problem

STRUCTURES = ("independent", "low rank", "near copies", "exact copies")
# Share of the plain tables each family has, to their sum; a quarter of all problems are plain.
PLAIN = {
    "independent": 0.05,
    "low rank": 0.13,
    "near copies": 0.15,
    "exact copies": 0.07,
    "offset": 0.18,
    "weights": 0.10,
    "sparse": 0.10,
    "decades": 0.07,
    "wide": 0.05,
    "large": 0.03,
    "fold": 0.07,
    "groups": 0.05,
    "kept": 0.05,
    "class weights": 0.05,
    "confounders": 0.05,
    "numbers": 0.05,
    "label sets": 0.05,
    "missing": 0.05,
}
FAMILIES = {**PLAIN, **STORAGE_FAMILIES}
ASKED = ("groups", "kept", "class weights", "confounders", "numbers", "label sets", "missing")
LEVELS = (1.0, 10.0, 80.0, 95.0, *10.0 ** np.arange(2, 10))  # mean / spread
NEGLIGIBLE = 1e-18  # weight of a row that is as good as absent


def random_problem(seed):
    """The problem of a seed."""
    family = drawn_family(seed)
    return plain_problem(seed) if family is None else family_problem(family, seed)


def plain_problem(seed):
    """The problem of a seed among plain tables in memory."""
    return _plain(np.random.default_rng(seed), str(seed))


def family_problem(family, seed):
    """The problem of a seed in one of the families of `hard_storage_problems.py`."""
    return storage_problem(seed, family, _plain)


def _plain(rng, name=""):
    shares = np.array(list(PLAIN.values()))
    family = str(rng.choice(list(PLAIN), p=shares / shares.sum()))

    def has(trait, chance):
        """Draws whether it is needed or not, so that a family changes nothing but its trait."""
        return bool(rng.random() < chance) or family == trait

    n, d, c = _shape(rng, family)
    y = _labels(rng, n, c)
    decades = has("decades", 0.0)
    X = _table(rng, y, d, family if family in STRUCTURES else None, exact=decades)
    if has("outlier", 0.05):
        X[rng.integers(n)] *= 10.0 ** rng.integers(1, 8)
    if has("offset", 0.3):
        X = X + _offsets(rng, X)
    weights = _weights(rng, y) if has("weights", 0.15) and family != "fold" else None
    if has("sparse", 0.1):
        X, weights = _sparse(rng, X, weights, y, family)
    if has("float32", 0.08):
        X = X.astype(np.float32)
    standardize = not (decades or has("unscaled", 0.1))
    if not standardize:
        X = _rescaled(rng, X, 133 if decades else 10)  # 2^133 = 1e40
    problem = _asked(rng, name, family, X, y, weights, standardize)
    return _asked_more(rng, problem) if family in ASKED else problem


def _shape(rng, family):
    """Rows, columns and classes: few, so that all subsets can be tried."""
    n, d, c = int(rng.integers(12, 80)), int(rng.integers(2, 13)), int(rng.integers(2, 6))
    if family == "wide":
        return int(rng.integers(5, 9)), int(rng.integers(9, 13)), min(c, 3)
    if family == "large":
        return int(10 ** rng.uniform(2.5, 5)), d, c
    return n, d, c


def _labels(rng, n, c):
    """Every class twice where there is room, the others at random."""
    first = np.concatenate([np.arange(c), np.arange(min(c, n - c))])
    return rng.permutation(np.concatenate([first, rng.integers(0, c, n - first.size)]))


def _table(rng, y, d, structure, *, exact):
    """Columns that tell the classes apart more or less, and depend on each other in one of four ways.

    Where gamma can be 1e-80 of a column, 32 digits only do if what depends does so exactly or to
    nine digits at the most: then whole numbers, which later steps keep exact.
    """
    structure = structure or str(rng.choice(STRUCTURES))
    signal = 10.0 ** rng.uniform(-3, 0.5)
    X = rng.standard_normal((y.size, d)) + signal * rng.standard_normal((y.max() + 1, d))[y]
    if structure == "low rank":
        rank, noise = int(rng.integers(1, max(2, d // 2 + 1))), float(rng.choice([0.0, 1e-9]))
        factors, mixing = X[:, :rank], rng.standard_normal((rank, d))
        if exact and not noise:
            factors, mixing = np.round(100 * factors), np.round(10 * mixing)
        return factors @ mixing + noise * rng.standard_normal(X.shape)
    for _ in range(int(rng.integers(1, d // 2 + 1)) if structure.endswith("copies") else 0):
        i, j = rng.choice(d, 2, replace=False)
        difference = rng.standard_normal(y.size) * rng.choice([0.5, 1.0])
        if rng.random() < 0.5:  # the difference is what tells the classes apart
            difference += y - y.mean()
        distance = 10.0 ** -rng.uniform(4, 7 if exact else 14) if structure == "near copies" else 0.0
        X[:, j] = X[:, i] + distance * difference
    return X


def _offsets(rng, X):
    """Means that are up to 1e9 times the spreads, of all columns alike or of each its own."""
    levels = rng.choice(LEVELS, X.shape[1])
    if rng.random() < 0.5:
        levels[:] = levels[0]
    offsets = levels * X.std(axis=0) * rng.choice([-1.0, 1.0])
    return np.round(offsets) if (np.round(X) == X).all() else offsets


def _weights(rng, y):
    """Weights over twelve decades, some nought, but for two rows of different classes."""
    weights = 10.0 ** rng.uniform(-12, 0, y.size)
    weights[rng.random(y.size) < rng.choice([0.0, 0.2])] = 0.0
    two = [int(np.flatnonzero(y == k)[0]) for k in (0, 1)]
    weights[two] = np.maximum(weights[two], 0.1)
    return weights * (y.size / weights.sum()) if rng.random() < 0.5 else weights


def _sparse(rng, X, weights, y, family):
    """Sparse storage, with noughts here and there, or in rows that as good as do not count."""
    X = X.copy()
    if family != "fold" and rng.random() < 0.5:
        weights = np.ones(y.size) if weights is None else weights.copy()
        absent = rng.choice(np.flatnonzero(weights < weights.max()), 1) if np.ptp(weights) else [0]
        weights[absent] = NEGLIGIBLE * weights.mean()
        X[absent] *= rng.random(X.shape[1]) < 0.3
    else:
        X *= rng.random(X.shape) < rng.uniform(0.1, 0.95)
    return (sparse.csr_array if rng.random() < 0.5 else sparse.csc_array)(X), weights


def _rescaled(rng, X, bits):
    """Columns in units of their own, powers of two: what depends exactly still does."""
    units = np.ldexp(1.0, rng.integers(-bits, bits + 1, X.shape[1]))
    return (X @ sparse.diags_array(units)).asformat(X.format) if sparse.issparse(X) else X * units


def _asked(rng, name, family, X, y, weights, standardize):
    """The question: gamma, how many columns, and which way."""
    d, total = X.shape[1], y.size if weights is None else weights.sum()
    gamma, k = total * 10.0 ** rng.uniform(-14, 4), int(rng.integers(1, d + 1))
    if not standardize:
        gamma *= _variance(X, rng.integers(d)) or 1.0
    ways = [JOINT, SEARCH, CUTS, CERTIFY]
    way = FOLD if family == "fold" else str(rng.choice(ways, p=[0.4, 0.15, 0.2, 0.25]))
    if family in ASKED and way == CERTIFY:
        way = JOINT
    asked = {}
    if way == CERTIFY:
        asked["subset"] = np.sort(rng.choice(d, k, replace=False))
    if way == FOLD:
        asked["fold"] = _fold(rng, X, y)
    return Problem(name, family, X, y, gamma, k, way, weights, standardize, **asked)


def _asked_more(rng, problem):
    """The problem with what its family is about."""
    (n, d), y, family = problem.X.shape, problem.y, problem.family
    if family == "groups":
        groups = np.unique(rng.integers(0, int(rng.integers(1, d + 1)), d), return_inverse=True)[1]
        return _constrained(rng, replace(problem, groups=groups), groups.max() + 1)
    if family == "kept":
        return _constrained(rng, problem, d)
    if family == "class weights":
        mapping = {int(label): float(2.0 ** rng.integers(-20, 20)) for label in np.unique(y)}
        chosen = ("balanced", "sqrt", mapping)[rng.integers(3)]
        return replace(problem, class_weight=chosen, weights=None)
    if family == "confounders":
        Z = rng.standard_normal((n, int(rng.integers(1, 4)))) + y[:, None] * rng.choice([0.0, 1.0])
        return replace(problem, confounders=Z + rng.choice([0.0, 1e3]))
    if family == "numbers":
        Y = y[:, None] * rng.standard_normal(int(rng.integers(1, 4))) + rng.standard_normal((n, 1))
        Y = (Y + rng.choice([0.0, 1.0, 1e6])) * 10.0 ** rng.integers(-30, 30)
        return replace(problem, y=Y[:, 0] if Y.shape[1] == 1 else Y)
    if family == "label sets":
        labels = (y[:, None] == np.arange(2)) | (rng.random((n, 2)) < 0.2)
        labels[:2] = np.eye(2)  # each is there, and is lacking
        return replace(problem, y=labels.astype(int), weights=None)
    X = problem.X.astype(np.float64)
    if sparse.issparse(X):
        X.data[rng.random(X.nnz) < 0.1] = np.nan
    else:
        X[rng.random(X.shape) < 0.1] = np.nan
    return replace(problem, X=X)


def _constrained(rng, problem, units):
    """Some units kept, some barred, and a number between."""
    order, free = rng.permutation(units), int(rng.integers(1, units + 1))
    kept = int(rng.integers(0, units - free + 1))
    keep, exclude = (tuple(int(unit) for unit in some) for some in (order[:kept], order[kept + free :]))
    return replace(problem, keep=keep, exclude=exclude, k=kept + int(rng.integers(kept == 0, free + 1)))


def _variance(X, j):
    column = X[:, [j]].toarray() if sparse.issparse(X) else X[:, j]
    return float(np.var(column.astype(np.float64)))


def _fold(rng, X, y):
    """A fifth of the rows, at random or those with the largest numbers; two classes stay."""
    size = np.abs(X.toarray() if sparse.issparse(X) else X).max(axis=1)
    order = rng.permutation(y.size) if rng.random() < 0.5 else np.argsort(-size)
    stay = [int(np.flatnonzero(y == k)[0]) for k in (0, 1)]
    return np.sort(order[~np.isin(order, stay)][: max(1, y.size // 5)])


def low_rank_case(name, seed, level, gamma):
    """50,000 rows, twelve columns of rank three with noise of 1e-9; one factor tells the classes apart."""
    rng = np.random.default_rng(seed)
    n, d = 50_000, 12
    y = rng.integers(0, 3, n)
    factors = rng.standard_normal((n, 3))
    factors[:, 0] += 0.3 * y
    X = factors @ rng.standard_normal((3, d)) + 1e-9 * rng.standard_normal((n, d))
    return Problem(name, name, X + level * X.std(axis=0), y, gamma, k=6)


def near_copy_case(name):
    """Two columns 3e-4 apart whose difference tells the classes apart: F of all five is 0.2895974."""
    rng = np.random.default_rng(8)
    n = 100
    y = rng.integers(0, 2, n)
    x = rng.standard_normal(n)
    copy = x + 3e-4 * ((y - 0.5) + 0.5 * rng.standard_normal(n))
    X = np.column_stack([x, copy, rng.standard_normal((n, 3))]) + 95
    return Problem(name, name, X, y, gamma=1e-6, k=5, way=CERTIFY, subset=np.arange(5))


def unstored_case(name, seed):
    """Columns far from nought, stored sparse, but for a nought in a row that as good as does not count."""
    rng = np.random.default_rng(seed)
    n, d = 60, 5
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((3, d))[y] + 1e6
    X[0] = 0.0
    weights = np.ones(n)
    weights[0] = NEGLIGIBLE
    return Problem(name, name, sparse.csr_array(X), y, gamma=1.0, k=2, weights=weights)


def decades_case(name, seed):
    """Columns 80 decades apart, taken as they are; a copy of the largest differs from it by the classes."""
    rng = np.random.default_rng(seed)
    n, d = 60, 6
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((3, d))[y]
    X[:, -1] = X[:, -2] + 1e-6 * (y + rng.standard_normal(n))
    X *= 10.0 ** np.array([-40, -20, 0, 20, 40, 40])
    return Problem(name, name, X, y, gamma=1.0, k=3, standardize=False)


# What was seen to go wrong: each case a list of functions that make its problems.
SEEN = {
    "rank 3, offset 80": [partial(low_rank_case, seed=seed, level=80.0, gamma=1e-6) for seed in range(8)],
    "rank 3, gamma 1e-10": [partial(low_rank_case, seed=seed, level=0.0, gamma=1e-10) for seed in range(8)],
    "near copy at 95": [near_copy_case],
    "unstored nought": [partial(unstored_case, seed=seed) for seed in range(8)],
    "80 decades": [partial(decades_case, seed=seed) for seed in range(8)],
    "outlier subtracted": [storage_cases.outlier_case],
    "target subtracted": [partial(storage_cases.target_outlier_case, size=size) for size in (3e6, 1e7, 1e8)],
    "clocks": [
        partial(storage_cases.clocks_case, seed=seed, half_second=half, storage=storage)
        for seed, half in ((0, False), (1, True))
        for storage in (PARQUET, DASK, PARTS)
    ],
    "2e-7 from confounder": [partial(storage_cases.close_case, seed=seed) for seed in (2, 3, 5, 7)],
}


def seen_problems(case, most=None):
    """The problems of a case, or the first of them."""
    return [make(case) for make in SEEN[case][:most]]
