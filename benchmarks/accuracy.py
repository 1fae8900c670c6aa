"""How well selected features serve classifiers: fisherset's defaults against other selectors.

For every data set, 5 random halves and k = 10, 20, 50: the accuracy of 1-nearest-neighbour,
logistic regression and a random forest on the other half, from k features selected on the first;
2 halves for methods that take minutes. Results are kept in a JSON file as they come, so that a
stopped run goes on; the tables are printed from it, and put into a page with `--write docs/accuracy.md`.

    python benchmarks/accuracy.py --out accuracy.json [--methods f_classif,joint] [--sets sonar]

Data sets are looked for in FISHERSET_DATA. Needs the extra `bench`.
"""

import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from contest import DENSE_ONLY, Contest, by_score, dense, fastcan, judged, lasso, scaled, support
from fisherset import FisherScore, GeneralizedFisherScore, GeneralizedFisherScoreCV
from fisherset.datasets import load
from fisherset.evaluation import halves

KS = (10, 20, 50)
SPLITS = 5
CELLS, MICE = "bladder16 (log)", "mice (by animal)"  # the two that are not taken as they are in the file
REAL = (
    "BASEHOCK", "Brain_Tumor1", "COIL20", "Isolet", "Prostate_GE", "RELATHE", "SRBCT", "USPS", "Yale", CELLS,
    "colon", "colon_raw", "dorothea", "ionosphere", "leukemia", "lymphoma", "madelon", MICE, "mnist10k",
    "nakayama", "nci9", "orl", "orlraws10P", "pbmc68k_reduced", "pollen", "protein", "sonar", "soybean",
    "usps2007", "usps2007_smoothed", "warpAR10P",
)  # fmt: skip
ROWS_OF_AN_ANIMAL = 15  # of mice, one after the other
# n_samples, n_features, n_informative, n_redundant, n_classes, samples to select on
MADE = {"noise": (2200, 10000, 30, 30, 4, 200), "large": (4000, 2000, 30, 30, 5, 2000)}


def table(name, split):
    """X, y, the rows to select on and the rows to test on."""
    if name in MADE:
        n, d, informative, redundant, classes, train = MADE[name]
        X, y = make_classification(
            n,
            d,
            n_informative=informative,
            n_redundant=redundant,
            n_classes=classes,
            n_clusters_per_class=1,
            random_state=split,
        )
        return X, y, np.arange(train), np.arange(train, n)
    X, y = loaded(name)
    train, test = halves_of_animals(y, split) if name == MICE else halves(y, split)
    if not sparse.issparse(X) and np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X[train], axis=0), X)
    return X, y, train, test


@lru_cache(maxsize=1)
def loaded(name):
    """X and y; counts of cells that were read differently often as logarithms of counts per 10,000."""
    X, y, *_ = load(name.split()[0])
    X = X.astype(np.float64)
    if name == CELLS:
        X = sparse.csr_array(sparse.diags_array(1e4 / np.asarray(X.sum(axis=1)).ravel()) @ X).log1p()
    return X, y


def halves_of_animals(y, split):
    """Halves that share no animal: the rows of one are so alike that other halves would tell nothing."""
    parts = halves(y[::ROWS_OF_AN_ANIMAL], split)
    return [(ROWS_OF_AN_ANIMAL * part[:, None] + np.arange(ROWS_OF_AN_ANIMAL)).ravel() for part in parts]


def one_hot(y):
    return np.eye(int(y.max()) + 1)[y]


def mrmr(X, y, ks):
    import pandas as pd
    from mrmr import mrmr_classif

    frame = pd.DataFrame(scaled(X))
    order = mrmr_classif(frame, pd.Series(y), K=max(ks), show_progress=False, n_jobs=1)
    return {k: np.array(order[:k]) for k in ks}


def extra_trees(X, y, ks):
    return by_score(ExtraTreesClassifier(100, random_state=0).fit(X, y).feature_importances_, ks)


METHODS = {
    "f_classif": lambda X, y, ks: by_score(f_classif(X, y)[0], ks),
    "FisherScore": support(FisherScore),
    "joint": support(GeneralizedFisherScore),
    "joint CV": support(GeneralizedFisherScoreCV),
    "fastcan": lambda X, y, ks: fastcan(X, one_hot(y)[:, 1:], ks),
    "lasso": lambda X, y, ks: lasso(X, one_hot(y), ks),
    "ExtraTrees": extra_trees,
    "mutual_info": lambda X, y, ks: by_score(mutual_info_classif(X, y, random_state=0), ks),
    "mrmr": mrmr,
}
SLOW = ("mutual_info", "mrmr")  # not done with every set in the time
NEEDS_DENSE = ("fastcan", "lasso", "mrmr")  # given a dense copy, where it is not too large
LARGEST = 60_000_000  # numbers in that copy


def accuracies(X, y, train, test, columns):
    A, B = (dense(X[rows][:, np.sort(columns)]) for rows in (train, test))
    scaler = StandardScaler().fit(A)
    A, B = scaler.transform(A), scaler.transform(B)
    models = (
        KNeighborsClassifier(1),
        LogisticRegression(max_iter=300),
        RandomForestClassifier(50, random_state=0),
    )
    return [round(float(model.fit(A, y[train]).score(B, y[test])), 5) for model in models]


def measure(name, split, method, known, cap):
    """Accuracies {k: [1-NN, logistic, forest]} and seconds, or the reason why there are none."""
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    X, y, train, test = table(name, split)
    if method in NEEDS_DENSE and sparse.issparse(X) and X.shape[0] * X.shape[1] > LARGEST:
        return {"reason": DENSE_ONLY}
    ks = [k for k in KS if k < X.shape[1]]
    return judged(
        lambda: METHODS[method](X[train], y[train], ks),
        lambda columns: accuracies(X, y, train, test, columns),
        known,
        cap,
    )


PARTS = ("made", "all", "most", "losses", "undone", "sets")  # of the page, in its order
CONTEST = Contest(measure, list(METHODS), [*REAL, *MADE], KS, SPLITS, "accuracy", slow=SLOW)

if __name__ == "__main__":
    CONTEST.run(__doc__, Path("accuracy.json"))
