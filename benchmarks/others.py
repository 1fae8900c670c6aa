"""Accuracy and time: fisherset next to SelectKBest, RFE, mRMR, Boruta, fastcan and abess.

    python benchmarks/others.py   # with FISHERSET_DATA, and fastcan, abess, mrmr-selection and boruta

Each method selects 20 features on one half of the rows, twice a set; 1-nearest-neighbour, logistic
regression and a random forest are trained on them and tested on the other half, as accuracy.py does. Printed
are the mean of the accuracies, the mean rank, and the seconds of the processor as a multiple of those of
SelectKBest(f_classif): the median over the sets, first calls left out. No parameter is set but the number of
features. Boruta looks for all relevant features: the 20 with the best ranks are taken.
"""

import sys
import time
import warnings

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from accuracy import accuracies, loaded, mrmr, one_hot, table
from contest import fastcan, scaled
from fisherset import GeneralizedFisherScore, GeneralizedFisherScoreCV

K, SPLITS = 20, 2
SETS = ("sonar", "colon", "lymphoma", "Isolet", "mice (by animal)")


def boruta(X, y):
    from boruta import BorutaPy

    forest = RandomForestClassifier(max_depth=5, random_state=0)
    ranks = BorutaPy(forest, n_estimators="auto", max_iter=30, random_state=0).fit(X, y).ranking_
    return np.argsort(ranks, kind="stable")[:K]


def abess(X, y):
    from abess import MultiTaskRegression

    model = MultiTaskRegression(support_size=K).fit(scaled(X), one_hot(y))
    return np.flatnonzero(np.any(model.coef_ != 0, axis=1))


def rfe(X, y):
    return np.flatnonzero(
        RFE(LogisticRegression(max_iter=300), n_features_to_select=K, step=0.1).fit(scaled(X), y).support_
    )


METHODS = {
    "SelectKBest(f_classif)": lambda X, y: np.flatnonzero(
        SelectKBest(f_classif, k=K).fit(X, y).get_support()
    ),
    "RFE(LogisticRegression)": rfe,
    "mRMR (mrmr-selection)": lambda X, y: mrmr(X, y, [K])[K],
    "Boruta": boruta,
    "fastcan": lambda X, y: fastcan(X, one_hot(y)[:, 1:], [K])[K],
    "abess": abess,
    "GeneralizedFisherScore": lambda X, y: np.flatnonzero(GeneralizedFisherScore(K).fit(X, y).support_),
    "GeneralizedFisherScoreCV": lambda X, y: np.flatnonzero(GeneralizedFisherScoreCV(K).fit(X, y).support_),
}


def rows_of(name, split):
    """X, y, and the rows of two halves; only columns that vary in the first."""
    X, y, train, test = table(name, split)
    y = np.unique(y, return_inverse=True)[1]
    X = np.asarray(X, dtype=np.float64)
    return X[:, X[train].std(axis=0) > 0], y, train, test


def main():
    warnings.filterwarnings("ignore")
    scores, seconds = np.full((2, len(METHODS), len(SETS)), np.nan)
    with threadpool_limits(1):
        for at, name in enumerate(SETS):
            loaded(name)
            found = np.zeros((2, len(METHODS), SPLITS))
            for split in range(SPLITS):
                X, y, train, test = rows_of(name, split)
                for place, (method, select) in enumerate(METHODS.items()):
                    if at == 0 and split == 0:
                        select(X[train], y[train])  # imports and compilation
                    start = time.process_time()
                    columns = select(X[train], y[train])
                    found[1, place, split] = time.process_time() - start
                    found[0, place, split] = np.mean(accuracies(X, y, train, test, columns))
                    print(f"{name} {split} {method}: {len(columns)} features", file=sys.stderr)
            scores[:, at], seconds[:, at] = found[0].mean(axis=1), found[1].mean(axis=1)
    ranks, ratios = rankdata(-scores, axis=0).mean(axis=1), np.median(seconds / seconds[0], axis=1)
    print(f"{len(SETS)} sets, {K} features, {SPLITS} halves each: {', '.join(SETS)}\n")
    print("| | accuracy on other rows | mean rank | time, of SelectKBest |\n| --- | ---: | ---: | ---: |")
    for place, method in enumerate(METHODS):
        print(f"| {method} | {100 * scores[place].mean():.1f} % | {ranks[place]:.1f} | {ratios[place]:.3g} |")


if __name__ == "__main__":
    main()
