"""The closed-form linear model on all columns of a table that has fewer rows, solved in the sample space."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics import r2_score

from fisherset._types import Floats, Indices
from fisherset.selectors.cv.models import standardized
from fisherset.statistics import TableProblem

BLOCK = 2**22  # values of the table that are standardised at a time: 32 MB


class Rows(NamedTuple):
    """Rows to train and to test on, and the problem of the former."""

    problem: TableProblem
    X: Any  # an array or a CSR matrix
    train: Indices
    test: Indices

    def values(self, rows: Indices, members: Indices) -> Any:
        """Values of some rows in columns of the problem, missing ones filled in."""
        columns = self.problem.columns[members]
        some = self.X[rows][:, columns] if sparse.issparse(self.X) else self.X[np.ix_(rows, columns)]
        return self.problem.adjusted_values(some, None, members)


def all_columns_score(parts: Rows, members: Indices, targets: Any, labelled: bool) -> float:
    """Accuracy, or R^2, on the test rows of the model on all members, whose system has the order of the rows.

    With W the rows less the means of their classes, M these means and r the ridge, the coefficients are
    n (W'W + r I)^-1 M = n/r (M - W' (W W' + r I)^-1 W M): only products of rows are needed. For numbers the
    model is ridge regression, with the rows themselves for W.
    """
    problem, train, test = parts.problem, parts.train, parts.test
    n, ridge = train.size, float(problem.diagonal[members].sum()) / problem.n
    codes: Any = None
    known: Any = None
    if labelled:
        codes, known = np.unique(targets[train], return_inverse=True)
    shares = None if codes is None else np.eye(codes.size)[known] / np.bincount(known)
    width = 1 if codes is None else codes.size
    kernel, across = np.zeros((n, n)), np.zeros((test.size, n))
    to_means, test_to_means, squares = np.zeros((n, width)), np.zeros((test.size, width)), np.zeros(width)
    step = max(1, BLOCK // (n + test.size))
    for start in range(0, members.size, step):
        some = members[start : start + step]
        Z, T = (standardized(problem, some, parts.values(rows, some)) for rows in (train, test))
        if shares is not None:
            means = shares.T @ Z
            Z = Z - means[known]
            to_means += Z @ means.T
            test_to_means += T @ means.T
            squares += np.einsum("kj,kj->k", means, means)
        kernel += Z @ Z.T
        across += T @ Z.T
    kernel[np.diag_indices_from(kernel)] += ridge
    if codes is None:
        y = targets[train]
        found = across @ cho_solve(cho_factor(kernel), y - y.mean(axis=0)) + y.mean(axis=0)
        return float(r2_score(targets[test], found))
    solved = cho_solve(cho_factor(kernel), to_means)
    half: Floats = (squares - np.einsum("ik,ik->k", to_means, solved)) * n / ridge / 2
    scores = (test_to_means - across @ solved) * n / ridge + np.log(np.bincount(known) / n) - half
    return float(np.mean(codes[scores.argmax(axis=1)] == targets[test]))
