"""One selector on one table, in a process of its own: time, peak memory and the columns it selects.

    python benchmarks/contestant.py METHOD TABLE K

TABLE is a folder with y.npy and X.npy, or data.npy, indices.npy, indptr.npy and shape.npy of a CSR
matrix. Prints JSON, with gamma, F, bound and gap of fisherset's. `speed.py` calls it, in another
environment where a package needs one.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

LONG = 30.0  # seconds after which a second run is not waited for
DENSE = 500e6  # bytes that a dense copy of a sparse table may take


def load(folder):
    y = np.load(folder / "y.npy")
    if (folder / "X.npy").exists():
        return np.load(folder / "X.npy"), y
    from scipy import sparse

    data, indices, indptr, shape = (
        np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr", "shape")
    )
    return sparse.csr_matrix((data, indices, indptr), shape=tuple(shape)), y


def fits_dense(X):
    return 8 * X.shape[0] * X.shape[1] <= DENSE


def standardized(X):
    """Dense, centred and scaled; of a sparse table that is too large for that, scaled alone."""
    if hasattr(X, "toarray") and not fits_dense(X):
        from scipy import sparse

        square, mean = (np.asarray(A.mean(axis=0)).ravel() for A in (X.multiply(X), X))
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        return sparse.csr_matrix(X @ sparse.diags(1 / np.where(deviation > 0, deviation, 1.0)))
    X = X.toarray() if hasattr(X, "toarray") else X
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def varying_columns(X):
    low, high = (extreme(axis=0) for extreme in (X.min, X.max))
    low, high = (np.ravel(A.toarray() if hasattr(A, "toarray") else A) for A in (low, high))
    return np.flatnonzero(low < high)


def class_targets(y):
    """The paper's H, Eq. (9): what a least-squares selector has to fit to maximise the criterion."""
    counts = np.bincount(y)
    return (np.eye(counts.size)[y] - counts / y.size) * np.sqrt(y.size / counts)


def fisherset(share=None, **options):
    """The selector itself; `share` is gamma in samples: 0.1 is n / 10."""
    from fisherset import GeneralizedFisherScore

    def select(X, y, k):
        gamma = "scale" if share is None else share * y.size
        return GeneralizedFisherScore(k, gamma=gamma, **options).fit(X, y)

    return select


def cross_validated():
    from fisherset import GeneralizedFisherScoreCV

    return lambda X, y, k: GeneralizedFisherScoreCV(k, cv=5).fit(X, y)  # its gammas are nine


def univariate(name):
    from sklearn import feature_selection

    def select(X, y, k):
        score = getattr(feature_selection, name)
        return feature_selection.SelectKBest(score, k=k).fit(X, y).get_support(indices=True)

    return select


def fastcan():
    from fastcan import FastCan

    return lambda X, y, k: FastCan(k, verbose=0).fit(standardized(X), np.eye(y.max() + 1)[y][:, 1:]).indices_


def abess():
    from abess.linear import MultiTaskRegression

    def select(X, y, k):
        varying = varying_columns(X)  # it refuses others
        model = MultiTaskRegression(support_size=k).fit(standardized(X[:, varying]), class_targets(y))
        return varying[np.flatnonzero(np.abs(model.coef_).sum(axis=1))]

    return select


def down_a_path(k, active):
    """Bisect the penalty, as a share of the least that selects nothing, until k columns are active.

    `active(share)` gives their strengths; of more than k the strongest are taken.
    """
    low, high, best = 0.0, 1.0, None
    for _ in range(12):
        share = (low + high) / 2 if best is not None else high / 2
        strength = active(share)
        if np.count_nonzero(strength) >= k:
            low, best = share, strength
        else:
            high = share
            if best is None:
                low = 0.0
        if best is not None and np.count_nonzero(best) <= 1.1 * k:
            break
    return np.argsort(-(strength if best is None else best))[:k]


def multitask_lasso():
    from sklearn.linear_model import MultiTaskLasso

    def select(X, y, k):
        Z, H = np.asfortranarray(standardized(X)), np.asfortranarray(class_targets(y))
        largest = np.sqrt(np.sum((Z.T @ H) ** 2, axis=1)).max() / y.size
        model = MultiTaskLasso(fit_intercept=False, warm_start=True, max_iter=500, tol=1e-3)

        def active(share):
            model.set_params(alpha=share * largest).fit(Z, H)
            return np.sum(model.coef_**2, axis=0)

        return down_a_path(k, active)

    return select


def adelie():
    import adelie as ad

    def select(X, y, k):
        Z, H = np.asfortranarray(standardized(X)), class_targets(y)
        path = ad.grpnet(
            X=Z, glm=ad.glm.multigaussian(y=H, dtype=np.float64), intercept=False, progress_bar=False,
            min_ratio=0.02, lmda_path_size=50, n_threads=os.cpu_count(), early_exit=False,
            exit_cond=lambda state: state.active_set_size >= k + 5,
        )  # fmt: skip
        weights = np.asarray(path.betas.toarray())
        groups = np.sqrt(np.sum(weights.reshape(len(weights), Z.shape[1], -1) ** 2, axis=2))
        sizes = np.count_nonzero(groups, axis=1)
        at = int(np.argmax(sizes >= k)) if np.any(sizes >= k) else len(sizes) - 1
        return np.argsort(-groups[at])[:k]

    return select


def mrmr():
    import pandas as pd
    from mrmr import mrmr_classif

    def select(X, y, k):
        table = pd.DataFrame(X.toarray() if hasattr(X, "toarray") else X)
        return np.array(mrmr_classif(table, pd.Series(y), K=k, show_progress=False, n_jobs=1))

    return select


METHODS = {
    "f_classif": lambda: univariate("f_classif"),
    "joint": lambda: fisherset(),
    "joint, no certificate": lambda: fisherset(tol=None),
    "cutting-plane": lambda: fisherset(solver="cutting-plane"),
    "gamma = n/10": lambda: fisherset(share=1e-1),
    "gamma = n/100": lambda: fisherset(share=1e-2),
    "gamma = n/1000": lambda: fisherset(share=1e-3),
    "10 gammas x 5 folds": cross_validated,
    "fastcan": fastcan,
    "abess": abess,
    "adelie": adelie,
    "MultiTaskLasso": multitask_lasso,
    "mrmr": mrmr,
    "mutual_info": lambda: univariate("mutual_info_classif"),
}


def peak_above(work):
    """What `work` returns, and by how many bytes the resident memory rose above what it was."""
    status = Path("/proc/self/status")
    if not status.exists():  # not Linux
        return work(), None

    def field(name):
        return 1024 * int(next(line for line in status.read_text().splitlines() if name in line).split()[1])

    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    before = field("VmRSS")
    found = work()
    return found, max(field("VmHWM") - before, 0)


def main():
    method, folder, k = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    select = METHODS[method]()
    X, y = load(folder)
    rng = np.random.default_rng(0)
    select(rng.random((60, 20)), np.arange(60) % 3, 2)  # imports, buffers of BLAS, compilation

    def timed():
        start = time.perf_counter()
        chosen = select(X, y, k)
        return chosen, time.perf_counter() - start

    (chosen, seconds), peak = peak_above(timed)
    if seconds < LONG:
        seconds = min(seconds, timed()[1])
    found = {"seconds": seconds, "peak": peak}
    if hasattr(chosen, "upper_bound_"):
        found.update(
            gamma=float(chosen.gamma_),
            objective=float(chosen.objective_),
            bound=float(chosen.upper_bound_),
            gap=float(chosen.gap_),
        )
        chosen = chosen.get_support(indices=True)
    print(json.dumps(found | {"columns": sorted(int(j) for j in chosen)}))


if __name__ == "__main__":
    main()
