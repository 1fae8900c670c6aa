"""Problems beyond plain tables in memory: confounders, subtraction, storages, groups and extreme gammas.

Each family forces its own trait; targets, weights, gamma, solver and storage come by chance. The tables are
small, so that all subsets can be tried in 120 digits (`exact_oracle.py`).
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from support.problems import (
    CERTIFY,
    CHAIN,
    CSV,
    CUTS,
    DASK,
    EXACT,
    JOINT,
    MEMORY,
    NEAR,
    PARQUET,
    PARTS,
    SAVED,
    SEARCH,
    SPARSE,
    SUMMARY,
    Problem,
    Rows,
)

# Share of the problems beyond plain tables that each family has, to their sum.
STORAGE_FAMILIES = {
    "collinear confounders": 0.10,
    "distant confounders": 0.08,
    "close to confounders": 0.10,
    "explained targets": 0.08,
    "categories, sparse": 0.07,
    "subtraction": 0.14,
    "chains": 0.08,
    "scans": 0.08,
    "Dask": 0.07,
    "summaries": 0.08,
    "groups, small gamma": 0.05,
    "extreme gamma": 0.07,
}
STORED = {"scans": (PARQUET, CSV), "Dask": (DASK,), "summaries": (SUMMARY, PARTS, SAVED)}
CONFOUNDED = ("collinear confounders", "distant confounders", "close to confounders", "explained targets")
GAMMAS = (1e-320, 1e-308, 1e-300, 1e-200, 1e-100, 1e-30, 1e30, 1e100, 1e200, 1e300, 1e308)
WAYS = {JOINT: 0.35, EXACT: 0.3, SEARCH: 0.1, CUTS: 0.08, CERTIFY: 0.1, NEAR: 0.07}
YEAR = 365.25 * 86400


def drawn_family(seed):
    """The family of a seed, None for one of the plain tables; its generator is another than the problem's."""
    rng = np.random.default_rng([seed, 27])
    if rng.random() < 0.25:
        return None
    return _pick(rng, STORAGE_FAMILIES)


def storage_problem(seed, family, plain):
    """The problem of a seed and family; `plain` draws a plain problem from a generator."""
    rng = np.random.default_rng([seed, 28])
    if family in STORED:
        return _stored(rng, str(seed), family, plain)
    if family == "close to confounders" and _chance(rng, 0.12):
        return searched_problem(str(seed), family, int(rng.integers(2**32)))
    if family in CONFOUNDED:
        return _in_storages(rng, _confounded(rng, str(seed), family))
    if family == "categories, sparse":
        return _categories(rng, str(seed), family)
    if family in ("subtraction", "chains"):
        return _subtracted(rng, str(seed), family)
    if family == "groups, small gamma":
        return _in_storages(rng, _grouped(rng, str(seed), family))
    return _in_storages(rng, _extreme(rng, str(seed), family))


def _pick(rng, shares):
    p = np.array(list(shares.values()))
    return str(rng.choice(list(shares), p=p / p.sum()))


def _chance(rng, share):
    return bool(rng.random() < share)


def _power(rng, low, high):
    return float(10.0 ** rng.uniform(low, high))


def _rows(rng):
    return 300 if _chance(rng, 0.04) else int(rng.integers(8 if _chance(rng, 0.05) else 14, 60))


def _features(rng, latent, d):
    """Columns with more or less of a latent variable, some nearly copies, some far from zero."""
    n = latent.size
    X = rng.standard_normal((n, d)) + _power(rng, -2, 0.5) * latent[:, None] * rng.standard_normal(d)
    if d > 2 and _chance(rng, 0.1):
        X = X[:, : d // 2] @ rng.standard_normal((d // 2, d))  # of low rank, but for rounding
    for _ in range(int(rng.integers(1, d)) if _chance(rng, 0.3) else 0):  # copies, or nearly
        i, j = rng.choice(d, 2, replace=False)
        X[:, j] = X[:, i] + rng.choice([0.0, _power(rng, -9, -2)], p=[0.2, 0.8]) * rng.standard_normal(n)
    if _chance(rng, 0.2):
        X = X + 10.0 ** rng.integers(0, 7, d)
    return X


def _by_latent(rng, latent):
    """Classes that follow a latent variable, or numbers that do."""
    noisy = latent + _power(rng, -1, 1) * rng.standard_normal(latent.size)
    if _chance(rng, 0.5):
        c = int(rng.integers(2, 5))
        return np.argsort(np.argsort(noisy)) * c // latent.size
    if _chance(rng, 0.7):
        return noisy
    return np.column_stack([noisy, rng.standard_normal(latent.size)])


def _weights(rng, n):
    return rng.uniform(0.1, 2.0, n) if _chance(rng, 0.5) else _spread_weights(rng, n)


def _spread_weights(rng, n):
    weights = 10.0 ** rng.uniform(-6, 0, n)
    weights[rng.integers(n, size=6)] = 1.0
    return weights


def _asked(rng, name, family, X, y, **more):
    """The question: gamma, how many columns, and which way."""
    d, n = X.shape[1], len(y)
    weights = more.get("weights")
    total = n if weights is None else float(weights.sum())
    gamma, k, way = total * _power(rng, -9, 2), int(rng.integers(1, d + 1)), _pick(rng, WAYS)
    problem = Problem(name, family, X, y, gamma, k, way, exactly=True, **more)
    if way == CERTIFY:
        problem = replace(problem, subset=np.sort(rng.choice(d, k, replace=False)))
    return problem


def _in_storages(rng, problem):
    """The problem in memory, and perhaps elsewhere besides; confounders beside the table or in it."""
    others = {None: 0.4, SPARSE: 0.06, PARQUET: 0.1, CSV: 0.06, DASK: 0.1, SUMMARY: 0.14, PARTS: 0.14}
    at = int(rng.choice(len(others), p=list(others.values())))
    other = list(others)[at]
    storages = (MEMORY,) if other is None else (MEMORY, other)
    return replace(problem, storages=storages, adjust=_chance(rng, 0.4))


def _stored(rng, name, family, plain):
    """A plain problem, confounded or not, asked of memory and of another storage."""
    if _chance(rng, 0.3):
        problem = _confounded(rng, name, str(rng.choice(CONFOUNDED)))
    else:
        problem = plain(rng)
        while not _fits(problem, family):
            problem = plain(rng)
    storages = (MEMORY, str(rng.choice(STORED[family])))
    return replace(
        problem, name=name, family=family, exactly=True, storages=storages, adjust=_chance(rng, 0.3)
    )


def _fits(problem, family):
    """Whether other storages can hold it, and 120 digits are quick enough with it."""
    small = len(problem.y) <= 100 and problem.X.shape[1] <= 10 and problem.fold is None
    return small and not (family == "summaries" and problem.missing)


def _confounded(rng, name, family):
    """Confounders that are nearly collinear, far from zero, or close to features or to targets."""
    n, d = _rows(rng), int(rng.integers(2, 10))
    latent = rng.standard_normal(n)
    if family == "collinear confounders":
        Z, hidden = _collinear(rng, n)
        X = _features(rng, latent, d) + hidden[:, None] * rng.choice([0.0, 1.0, 3.0], d)
        y = _by_latent(rng, latent + hidden * rng.choice([0.0, 0.5, 2.0]))
    elif family == "distant confounders":
        Z, hidden = _distant(rng, n)
        X = _features(rng, latent, d) + hidden[:, None] * rng.choice([0.0, 1.0, 3.0], d)
        y = _by_latent(rng, latent + hidden * rng.choice([0.0, 0.5, 2.0]))
    elif family == "close to confounders":
        Z = rng.standard_normal((n, int(rng.integers(1, 4)))) + rng.choice([0.0, 0.0, 10.0, 1e4])
        X, y = _close(rng, Z, latent, d), _by_latent(rng, latent + Z[:, 0] - Z[:, 0].mean())
    else:
        Z = rng.standard_normal((n, int(rng.integers(1, 3)))) + rng.choice([0.0, 0.0, 1e3, 1e6])
        X, y = _features(rng, latent, d) + Z[:, :1] * rng.choice([0.0, 1.0], d), _explained(rng, Z, latent)
    weights = _weights(rng, n) if _chance(rng, 0.2) else None
    return _asked(rng, name, family, X, y, confounders=Z, weights=weights)


def _collinear(rng, n):
    """Confounders of which one is nearly a sum of the others; and what tells it from that, of unit size."""
    kind = int(rng.integers(5))
    hidden = rng.standard_normal(n)
    if kind == 0:  # start and end of runs over a year, in seconds since 1970
        start = 1.7e9 + YEAR * rng.random(n)
        run = 60.0 + _power(rng, 0.5, 2) * np.clip(hidden, -3, 3)
        return np.column_stack([start, start + run]), hidden
    if kind == 1:  # two clocks half a second apart
        start = np.floor(1.7e9 + YEAR * rng.random(n))
        return np.column_stack([start, start + 0.5 + 0.25 * np.clip(hidden, -2, 2)]), hidden
    distance = _power(rng, -7.7, -1)
    if kind == 2:
        first = rng.standard_normal(n)
        return np.column_stack([first, first * rng.choice([-2.0, 1.0]) + distance * hidden]), hidden
    if kind == 3:
        two = rng.standard_normal((n, 2)) * [1.0, _power(rng, -3, 3)]
        return np.column_stack([two, two.sum(axis=1) + distance * hidden]), hidden
    whole = rng.integers(-50, 50, (n, 2)).astype(float)  # exactly dependent, and a copy
    return np.column_stack([whole, whole @ [1.0, 2.0], whole[:, 0]]), hidden * 0.0


def _distant(rng, n):
    """Confounders up to 1e11 times their spread away from zero, and the first of them as it varies."""
    Z = rng.standard_normal((n, int(rng.integers(1, 3))))
    return (Z + rng.choice([-1.0, 1.0]) * _power(rng, 0, 11)) * _power(rng, -4, 4), Z[:, 0]


def _close(rng, Z, latent, d):
    """Features that are copies of confounders, or nearly; what tells them apart may be what matters."""
    X = _features(rng, latent, d)
    for j in range(int(rng.integers(1, d + 1))):
        copied = Z @ rng.standard_normal(Z.shape[1]) if _chance(rng, 0.4) else Z[:, rng.integers(Z.shape[1])]
        distance = 0.0 if _chance(rng, 0.15) else _power(rng, -11.5, -0.5)
        difference = rng.standard_normal(latent.size) + latent * rng.choice([0.0, 1.0, 3.0])
        X[:, j] = copied + distance * difference
    return X


def _explained(rng, Z, latent):
    """Targets that the confounders explain but for a small rest, or classes but for a few rows."""
    centred = Z - Z.mean(axis=0)
    along = centred @ rng.standard_normal(Z.shape[1])
    rest = latent + _power(rng, -1, 1) * rng.standard_normal(latent.size)
    if _chance(rng, 0.6):
        y = along + _power(rng, -9 if _chance(rng, 0.2) else -3.8, -1) * rest
        return y if _chance(rng, 0.7) else np.column_stack([y, rest]) * _power(rng, -5, 5)
    y = (centred[:, 0] > np.median(centred[:, 0])).astype(int) + 2 * (rest > np.quantile(rest, 0.8))
    Z[:, 0] += _power(rng, 0, 9) * (y == 0)  # a class as good as its confounder
    return np.unique(y, return_inverse=True)[1]


def _categories(rng, name, family):
    """Sparse features beside labels such as batches, some of a single row, and perhaps a number."""
    n, d = _rows(rng), int(rng.integers(2, 10))
    wide = _chance(rng, 0.3)  # more columns than rows, and nearly all of them selected
    if wide:
        n, d = int(rng.integers(6, 12)), int(rng.integers(12, 17))
    latent = rng.standard_normal(n)
    alike = 1 if _chance(rng, 0.5) else d  # columns that are zero in the same rows stay copies
    X = _features(rng, latent, d) * (rng.random((n, alike)) < rng.choice([0.2, 0.5, 0.9]))
    labels = []
    for _ in range(int(rng.integers(1, 3))):
        codes = rng.integers(0, int(rng.choice([2, 4, 8, n // 2])), n)
        if _chance(rng, 0.3):
            codes[rng.integers(n)] = 99
        labels.append(np.array([f"batch {code}" for code in codes], dtype=object))
    Z = np.column_stack([codes[:, None] == np.array(list(dict.fromkeys(codes))) for codes in labels])
    X[:, -1] += _chance(rng, 0.3) * Z[:, 0]  # a feature that has much of a batch
    if d > 2 and _chance(rng, 0.3):
        X[:, 0] = Z[:, 0]  # and one that is a batch
    form = sparse.csr_array if _chance(rng, 0.6) else sparse.csc_array
    weights = _weights(rng, n) if _chance(rng, 0.3) else None
    y = _by_latent(rng, latent + Z[:, 0])
    if _chance(rng, 0.05):
        y = Z[:, 0].astype(int)  # classes that are a batch and the others
    more = {"confounders": Z.astype(float), "categories": tuple(labels), "weights": weights}
    problem = _asked(rng, name, family, form(X), y, **more)
    if wide:
        way = problem.way if problem.way not in (CERTIFY, NEAR) else JOINT
        problem = replace(problem, k=d - int(rng.integers(2)), way=way, subset=None)
    other = str(rng.choice([MEMORY, DASK, SUMMARY, PARTS, PARQUET], p=[0.5, 0.1, 0.15, 0.15, 0.1]))
    return replace(problem, storages=(MEMORY,) if other == MEMORY else (MEMORY, other))


def _subtracted(rng, name, family):
    """Rows with outliers in features, targets, confounders or weights, subtracted from a summary again."""
    n, d = _rows(rng), int(rng.integers(2, 9))
    latent = rng.standard_normal(n)
    count = int(rng.integers(1, 4)) if family == "subtraction" else int(rng.integers(2, 7))
    latent = np.r_[latent, rng.standard_normal(count)]
    X, y = _features(rng, latent, d), _by_latent(rng, latent)
    Z = rng.standard_normal((n + count, int(rng.integers(1, 3)))) if _chance(rng, 0.4) else None
    weights = rng.uniform(0.2, 2.0, n + count) if _chance(rng, 0.3) else None
    out, last = _power(rng, 3, 12), slice(n, n + count)
    where = [str(rng.choice(["features", "targets", "confounders", "weights"])) for _ in range(2)]
    if "features" in where or family == "chains":
        X[last] *= out * (rng.random((count, d)) < 0.6) + 1.0
    if "targets" in where and y.dtype.kind == "f":
        y[last] = y[last] * out + rng.choice([0.0, out])
    if "confounders" in where:
        Z = rng.standard_normal((n + count, 1)) if Z is None else Z
        Z[last] *= out
    if "weights" in where:
        weights = np.ones(n + count) if weights is None else weights
        weights[last] *= out
    if y.dtype.kind != "f":  # what is subtracted is of classes that stay
        y[last] = rng.choice(y[:n], count)
    everything = Rows(X, y, weights, Z)
    stays, goes = everything.some(slice(0, n)), everything.some(last)
    more = {"confounders": stays.confounders, "weights": stays.weights}
    problem = _asked(rng, name, family, stays.X, stays.y, **more)
    pieces = [goes] if family == "subtraction" else [goes.some(slice(i, i + 1)) for i in range(count)]
    storage = SUMMARY if family == "subtraction" else CHAIN
    return replace(problem, extra=tuple(pieces), storages=(MEMORY, storage), adjust=_chance(rng, 0.3))


def _grouped(rng, name, family):
    """Groups of columns at a gamma of about 1e-7 of the samples, some of them nearly the span of others."""
    n, units = _rows(rng), int(rng.integers(2, 7))
    groups = rng.permutation(np.repeat(np.arange(units), rng.integers(1, 5, units)))
    groups = np.unique(groups, return_inverse=True)[1]
    latent = rng.standard_normal(n)
    X, y = _features(rng, latent, groups.size), _by_latent(rng, latent)
    for _ in range(int(rng.integers(0, 3))):
        one, other = (groups == unit for unit in rng.choice(units, 2, replace=False))
        mixing = rng.standard_normal((one.sum(), other.sum()))
        X[:, other] = X[:, one] @ mixing + _power(rng, -10, -3) * rng.standard_normal((n, other.sum()))
    problem = _asked(rng, name, family, X, y)
    way = problem.way if problem.way not in (CERTIFY, NEAR) else EXACT
    keep = (int(rng.integers(units)),) if units > 2 and _chance(rng, 0.3) else ()
    k, gamma = int(rng.integers(1, units + 1)), n * _power(rng, -9, -5)
    return replace(problem, way=way, groups=groups, gamma=gamma, k=k, keep=keep, subset=None)


def _extreme(rng, name, family):
    """Gammas at either end of what a double can say."""
    n, d = _rows(rng), int(rng.integers(2, 10))
    latent = rng.standard_normal(n)
    X, y = _features(rng, latent, d), _by_latent(rng, latent)
    if _chance(rng, 0.3):  # exact dependence
        X = np.round(10 * X)
        X[:, -1] = X[:, 0] + (X[:, 1] if d > 2 else 0.0)
    Z = rng.standard_normal((n, 1)) if _chance(rng, 0.2) else None
    weights = _weights(rng, n) if _chance(rng, 0.2) else None
    problem = _asked(rng, name, family, X, y, confounders=Z, weights=weights)
    problem = replace(problem, gamma=float(rng.choice(GAMMAS)), standardize=_chance(rng, 0.8))
    if _chance(rng, 0.3) and problem.way not in (CERTIFY, NEAR):
        groups = np.unique(rng.integers(0, int(rng.integers(2, d + 1)), d), return_inverse=True)[1]
        problem = replace(problem, groups=groups, k=int(rng.integers(1, groups.max() + 2)))
    return problem


def outlier_case(name):
    """An outlier of 1e8 in the best column, taken out of a summary: F = 0.3108 of column 0."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.standard_normal((100, 3))
    X[:, 0] += 3 * y
    X[0, 0] = 1e8
    extra = (Rows(X[:1], y[:1]),)
    storages = MEMORY, SUMMARY
    return Problem(name, name, X[1:], y[1:], 100.0, 1, EXACT, extra=extra, storages=storages, exactly=True)


def target_outlier_case(name, size):
    """An outlier in a target of numbers, taken out of a summary."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((100, 5))
    y = X[:, 0] + 0.3 * rng.standard_normal(100)
    y[0] = size
    extra, storages = (Rows(X[:1], y[:1]),), (MEMORY, SUMMARY)
    return Problem(name, name, X[1:], y[1:], 1.0, 2, EXACT, extra=extra, storages=storages, exactly=True)


def clocks_case(name, seed, half_second, storage):
    """Start and end of runs over a year in seconds since 1970, or two clocks half a second apart."""
    rng = np.random.default_rng(seed)
    n = 60
    start, late = 1.7e9 + YEAR * rng.random(n), rng.random(n)
    end = start + (late if half_second else 40 + 40 * late)
    latent = rng.standard_normal(n)
    X = rng.standard_normal((n, 6)) + latent[:, None] * rng.standard_normal(6) + 2 * late[:, None]
    y, Z = (latent + 2 * late > 1).astype(int), np.column_stack([start, end])
    storages = MEMORY, storage
    more = {"confounders": Z, "storages": storages, "adjust": True, "exactly": True}
    return Problem(name, name, X, y, 1.0, 2, EXACT, **more)


def searched_problem(name, family, seed):
    """Six of a dozen columns, many of them 1e-7 to 1e-6 from a confounder: exact search has to bound them."""
    rng = np.random.default_rng(seed)
    n, close, others = int(rng.choice([30, 60])), int(rng.integers(3, 10)), int(rng.integers(3, 7))
    b, distance = rng.standard_normal((n, 1)), _power(rng, -6.8, -5.8)
    noise = rng.standard_normal((n, close))
    X = np.column_stack([b + distance * noise, rng.standard_normal((n, max(others, 12 - close)))])
    y = noise[:, :3].sum(axis=1) * rng.choice([0.0, 1.0, 1.0]) + X[:, -1] + rng.standard_normal(n)
    more = {"confounders": b, "adjust": True, "exactly": True}
    return Problem(name, family, X, y, n * _power(rng, -2, 1), 6, EXACT, **more)


def close_case(name, seed):
    """Features 2.2e-7 from a confounder, six of a dozen columns: exact search converged at a gap of 16 %."""
    rng = np.random.default_rng(seed)
    n, close = 30, 6
    b, noise = rng.standard_normal((n, 1)), rng.standard_normal((n, close))
    X = np.column_stack([b + 2.2e-7 * noise, rng.standard_normal((n, 13 - close))])
    y = noise[:, :3].sum(axis=1) + X[:, -1] + rng.standard_normal(n)
    more = {"confounders": b, "adjust": True, "exactly": True}
    return Problem(name, name, X, y, 3.0 * n, 6, EXACT, **more)
