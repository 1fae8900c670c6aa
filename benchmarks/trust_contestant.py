"""One method of trust_contest.py on one table, in a process of its own: scores of the features, and its time.

    python benchmarks/trust_contestant.py METHOD TABLE OUT CAP

TABLE is a file with X and y, OUT one for the scores, larger for a better feature, and the features that the
method itself selects for one expected false positive (knockoffs: a false discovery rate of 10 %). It is ended
after CAP seconds of processor time, and may take 8 GB of memory. `trust_contest.py` calls it, in the
environment of the package.
"""

import resource
import signal
import sys
import time
import warnings

import numpy as np

WANTED = 1.0  # expected false positives
MEMORY = 8_000_000_000  # bytes of address space that a method may take


def ours(selector, k, **options):
    import fisherset

    make = getattr(fisherset, selector)

    def score(X, y):
        found = fisherset.stability(make(k, **options), X, y, n_pairs=50, random_state=0)
        return found.frequencies, found.stable(found.threshold_for(WANTED))

    return score


def along(ks, share):
    """Frequencies averaged over sizes; the wanted false selections are divided among these."""
    import fisherset

    def score(X, y):
        found = [
            fisherset.stability(
                fisherset.GeneralizedFisherScore(k, gamma=share * len(y)), X, y, n_pairs=50, random_state=0
            )
            for k in ks
        ]
        often = [one.stable(one.threshold_for(WANTED / len(ks))) for one in found]
        return np.mean([one.frequencies for one in found], axis=0), np.any(often, axis=0)

    return score


def joint(k, share=None):
    """The joint selector; `share` is gamma in samples, with "CV" that of cross-validation on all rows."""
    from fisherset import GeneralizedFisherScoreCV

    def score(X, y):
        options = {}
        if share is not None:
            chosen = share == "CV"
            gamma = GeneralizedFisherScoreCV(k, tol=None).fit(X, y).gamma_ if chosen else share * len(y)
            options = {"gamma": gamma}
        return ours("GeneralizedFisherScore", k, **options)(X, y)

    return score


def ipss(selector, one_by_one=False):
    """Expected false positives of features; `one_by_one`, the least over runs of a class against the rest."""
    from ipss import ipss

    def score(X, y):
        np.random.seed(0)  # noqa: NPY002  ipss draws from this
        targets = [(y == c).astype(int) for c in np.unique(y)] if one_by_one else [y]
        runs = [ipss(X, target, selector=selector)["efp_scores"] for target in targets]
        expected = np.array([[run[j] for j in range(X.shape[1])] for run in runs])
        # with several runs, the false positives of all of them are to be no more
        return -expected.min(axis=0), (expected <= WANTED / len(runs)).any(axis=0)

    return score


def knockoffs(X, y):
    from hidimstat import ModelXKnockoff

    model = ModelXKnockoff(random_state=0)
    score = model.fit_importance(X, as_numbers(y))
    return np.ravel(score), np.ravel(model.fdr_selection(0.1)) > 0


def crt(share):
    """The distilled conditional randomisation test of the features that a lasso keeps, as a percentage."""
    from hidimstat import D0CRT
    from sklearn.linear_model import LassoCV

    def score(X, y):
        model = D0CRT(LassoCV(alphas=10, random_state=0), screening_threshold=share, random_state=0)
        model.fit_importance(X, as_numbers(y))
        return by_pvalue(model.pvalues_)

    return score


def desparsified(X, y):
    from hidimstat import DesparsifiedLasso
    from sklearn.linear_model import MultiTaskLassoCV

    classes = np.unique(y)
    several = classes.size > 2
    target = (y[:, None] == classes).astype(float) if several else as_numbers(y)
    model = DesparsifiedLasso(MultiTaskLassoCV(fit_intercept=False) if several else None, random_state=0)
    model.fit_importance(X, target)
    return by_pvalue(model.pvalues_)


def by_pvalue(p):
    p = np.ravel(p)
    return -p, p <= WANTED / p.size


def as_numbers(y):
    return y.astype(float)


METHODS = {
    "FisherScore, k = 20": lambda: ours("FisherScore", 20),
    "joint, k = 20": lambda: joint(20),
    "joint, k = 50": lambda: joint(50),
    "joint, gamma of CV, k = 20": lambda: joint(20, "CV"),
    "joint, gamma = n/20, k = 20": lambda: joint(20, 0.05),
    "joint, gamma = n/20, k = 50": lambda: joint(50, 0.05),
    "joint, gamma = n/200, k = 20": lambda: joint(20, 0.005),
    "joint, gamma = n/20, k = 5 to 40": lambda: along((5, 10, 20, 40), 0.05),
    "ipss l1": lambda: ipss("l1"),
    "ipss gb": lambda: ipss("gb"),
    "ipss rf": lambda: ipss("rf"),
    "ipss l1, class by class": lambda: ipss("l1", one_by_one=True),
    "hidimstat desparsified lasso": lambda: desparsified,
    "hidimstat knockoffs": lambda: knockoffs,
    "hidimstat dCRT": lambda: crt(10),
    "hidimstat dCRT of 1 %": lambda: crt(1),
}


def main():
    method, table, out, cap = sys.argv[1:]
    warnings.simplefilter("ignore")
    given = np.load(table)
    X, y = given["X"], given["y"]
    score = METHODS[method]()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, float(cap))
    scores, chosen = score(X, y)
    seconds = time.process_time() - start
    np.savez(out, scores=scores, chosen=chosen, seconds=seconds)


if __name__ == "__main__":
    main()
