"""What class weights do for rare classes: worst recall and macro-F1 with each `class_weight`.

On three sets with classes below 2 %, 10 stratified random halves and k = 25, 50: the joint
selection on one half with class_weight None, "sqrt" and "balanced", then 5 nearest neighbours and
logistic regression, neither of them weighted, on the other. Prints the tables.

    python benchmarks/rare.py

Data sets are looked for in FISHERSET_DATA.
"""

import warnings

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, recall_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from contest import dense
from fisherset import GeneralizedFisherScore
from fisherset.datasets import load
from fisherset.evaluation import halves

KS = (25, 50)
SPLITS = 10
WEIGHTS = (None, "sqrt", "balanced")
SETS = ("bladder16", "pbmc68k_reduced", "soybean")
RARE = 0.02
FEWEST = 4  # of a smaller class a half may have one or none: it is left out


def table(name):
    """X and y, of classes that can be halved."""
    X, y, *_ = load(name)
    kept = np.bincount(y)[y] >= FEWEST
    X, y = X[kept].astype(np.float64), np.unique(y[kept], return_inverse=True)[1]
    if name == "bladder16":  # counts, of cells that were read differently often
        X = sparse.diags_array(1e4 / np.asarray(X.sum(axis=1)).ravel()) @ X
        X = sparse.csr_array(X).log1p()
    if name == "soybean":  # codes of categories, "unknown" being one
        X = OneHotEncoder(sparse_output=False).fit_transform(X)
    return X, y


def measures(y, found, rare):
    """Worst recall, mean recall of the rare classes, macro-F1 and accuracy, in per cent."""
    recalls = recall_score(y, found, average=None, zero_division=0.0)
    macro = f1_score(y, found, average="macro", zero_division=0.0)
    return 100 * np.array([recalls.min(), recalls[rare].mean(), macro, accuracy_score(y, found)])


def measure(X, y, rare, k, weight, split):
    """The measures on a half, the mean of both models."""
    train, test = halves(y, split)
    selector = GeneralizedFisherScore(k, class_weight=weight).fit(X[train], y[train])
    A, B = (dense(X[rows][:, selector.get_support(indices=True)]) for rows in (train, test))
    scaler = StandardScaler().fit(A)
    A, B = scaler.transform(A), scaler.transform(B)
    models = KNeighborsClassifier(5), LogisticRegression(max_iter=300)
    return np.mean([measures(y[test], m.fit(A, y[train]).predict(B), rare) for m in models], axis=0)


def row(found, plain):
    """Means, and what they are more than without weights, with the standard error of that."""
    gains = found - plain
    errors = gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    numbers = zip(found.mean(axis=0), gains.mean(axis=0), errors, strict=True)
    if found is plain:
        return [f"{mean:.1f}" for mean, *_ in numbers]
    return [f"{mean:.1f} ({gain:+.1f} ± {error:.1f})" for mean, gain, error in numbers]


def main():
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    print("| set | k | class_weight | worst recall | recall of the rare | macro-F1 | accuracy |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for name in SETS:
        X, y = table(name)
        rare = np.bincount(y) < RARE * y.size
        for k in KS:
            found = {w: np.array([measure(X, y, rare, k, w, s) for s in range(SPLITS)]) for w in WEIGHTS}
            for weight in WEIGHTS:
                cells = [name, str(k), str(weight), *row(found[weight], found[None])]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
