"""The linear model of all columns where rows are fewer: a system of the order of the rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics import r2_score

from fisherset._types import Floats, Indices
from fisherset.selectors.cv.folds import FoldScorer
from fisherset.selectors.cv.models import standardized
from fisherset.statistics import Classes, TableProblem

BLOCK = 2**22  # values of the table that are standardised at a time: 32 MB


def sample_space_score(
    scorer: FoldScorer, problem: TableProblem, train: Indices, test: Indices, members: Indices
) -> float:
    """Accuracy, or R^2, on the test rows of the model on all members, whose system has the order of the rows.

    With W the rows less the means of their classes, M these means and r the ridge, the coefficients are
    n (W'W + r I)^-1 M = n/r (M - W' (W W' + r I)^-1 W M): only products of rows are needed. For numbers the
    model is ridge regression, with the rows themselves for W.
    """
    n, ridge = train.size, float(problem.diagonal[members].sum()) / problem.n
    labelled = isinstance(problem.coding, Classes)
    y, y_test = scorer.targets(problem, train), scorer.targets(problem, test)
    codes, known = np.unique(y, return_inverse=True) if labelled else (y[:0], train)
    counts = np.bincount(known)
    shares = np.eye(codes.size)[known] / counts if labelled else None
    width = max(1, codes.size)
    kernel, across = np.zeros((n, n)), np.zeros((test.size, n))
    to_means, test_to_means, squares = np.zeros((n, width)), np.zeros((test.size, width)), np.zeros(width)
    step = max(1, BLOCK // (n + test.size))
    values = scorer.values(train), scorer.values(test)
    for start in range(0, members.size, step):
        some = members[start : start + step]
        Z, T = (standardized(problem, some, of_rows(problem, some)) for of_rows in values)
        if shares is not None:
            means = shares.T @ Z
            Z = Z - means[known]
            to_means += Z @ means.T
            test_to_means += T @ means.T
            squares += np.einsum("kj,kj->k", means, means)
        kernel += Z @ Z.T
        across += T @ Z.T
    kernel[np.diag_indices_from(kernel)] += ridge
    if not labelled:
        found = across @ cho_solve(cho_factor(kernel), y - y.mean(axis=0)) + y.mean(axis=0)
        return float(r2_score(y_test, found))
    solved = cho_solve(cho_factor(kernel), to_means)
    half: Floats = (squares - np.einsum("ik,ik->k", to_means, solved)) * n / ridge / 2
    scores = (test_to_means - across @ solved) * n / ridge + np.log(counts / n) - half
    return float(np.mean(codes[scores.argmax(axis=1)] == y_test))
