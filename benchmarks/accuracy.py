"""How well selected features serve classifiers: fisherset's defaults against other selectors.

For every data set, 5 random halves and k = 10, 20, 50: the accuracy of 1-nearest-neighbour and
logistic regression on the other half, from k features selected on the first. Results are kept
in a JSON file as they come, so that a stopped run goes on; the tables are printed from it.

    python benchmarks/accuracy.py --out accuracy.json [--methods f_classif,joint] [--sets sonar]

Data sets are looked for in FISHERSET_DATA. Needs the extra `bench`.
"""

import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from contest import Contest, by_score, dense, fastcan, lasso, scaled, support
from fisherset import FisherScore, GeneralizedFisherScore, GeneralizedFisherScoreCV
from fisherset.datasets import load
from fisherset.evaluation import halves

KS = (10, 20, 50)
SPLITS = 5
REAL = (
    "BASEHOCK", "Brain_Tumor1", "Prostate_GE", "RELATHE", "SRBCT", "USPS", "Yale", "colon", "colon_raw",
    "dorothea", "ionosphere", "leukemia", "lymphoma", "madelon", "nakayama", "nci9", "orl", "orlraws10P",
    "pbmc68k_reduced", "pollen", "protein", "sonar", "soybean", "usps2007", "usps2007_smoothed", "warpAR10P",
)  # fmt: skip
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
    X, y, *_ = load(name)
    X = X.astype(np.float64)
    train, test = halves(y, split)
    if not sparse.issparse(X) and np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmean(X[train], axis=0), X)
    return X, y, train, test


def one_hot(y):
    return np.eye(int(y.max()) + 1)[y]


def mrmr(X, y, ks):
    import pandas as pd
    from mrmr import mrmr_classif

    frame = pd.DataFrame(scaled(X))
    order = mrmr_classif(frame, pd.Series(y), K=max(ks), show_progress=False, n_jobs=1)
    return {k: np.array(order[:k]) for k in ks}


METHODS = {
    "f_classif": lambda X, y, ks: by_score(f_classif(X, y)[0], ks),
    "FisherScore": support(FisherScore),
    "joint": support(GeneralizedFisherScore),
    "joint CV": support(GeneralizedFisherScoreCV),
    "fastcan": lambda X, y, ks: fastcan(X, one_hot(y)[:, 1:], ks),
    "lasso": lambda X, y, ks: lasso(X, one_hot(y), ks),
    "mutual_info": lambda X, y, ks: by_score(mutual_info_classif(X, y, random_state=0), ks),
    "mrmr": mrmr,
}
SLOW = ("mutual_info", "mrmr")  # not done with every set in the time
DENSE_ONLY = ("fastcan", "lasso", "mrmr")  # given a dense copy, where it is not too large
LARGEST = 60_000_000  # numbers in that copy


def accuracies(X, y, train, test, columns):
    A, B = (dense(X[rows][:, np.sort(columns)]) for rows in (train, test))
    scaler = StandardScaler().fit(A)
    A, B = scaler.transform(A), scaler.transform(B)
    models = KNeighborsClassifier(1), LogisticRegression(max_iter=300)
    return [round(float(model.fit(A, y[train]).score(B, y[test])), 5) for model in models]


def measure(name, split, method):
    """Accuracies {k: [1-NN, logistic]} and seconds, or the reason why there are none."""
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    X, y, train, test = table(name, split)
    if method in DENSE_ONLY and sparse.issparse(X) and X.shape[0] * X.shape[1] > LARGEST:
        return {"reason": "dense only"}
    ks = [k for k in KS if k < X.shape[1]]
    begin = time.perf_counter()
    found = METHODS[method](X[train], y[train], ks)
    seconds = time.perf_counter() - begin
    scores = {str(k): accuracies(X, y, train, test, columns) for k, columns in found.items()}
    return {"seconds": round(seconds, 3), "scores": scores}


CONTEST = Contest(measure, list(METHODS), [*REAL, *MADE], KS, SPLITS, "accuracy", slow=SLOW)

if __name__ == "__main__":
    CONTEST.run(__doc__, Path("accuracy.json"))
