"""The search over gammas and sizes: one score for each fold, gamma and size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from fisherset._types import Floats, Indices
from fisherset.selectors.discriminant import Discriminant
from fisherset.selectors.path import as_step, solutions_along
from fisherset.solver import Solution
from fisherset.statistics import FoldedTable, TableProblem

# What the joint solver's relaxation is solved to: the exchange mends what this leaves.
LOOSE = 0.01


class Search(NamedTuple):
    """What is tried on every fold, and how it is judged."""

    ks: Sequence[int]
    gammas: Callable[[TableProblem, int], list[float]]  # for a problem and the largest k
    solver: str
    tol: float
    max_iter: int
    estimator: Any  # None for the discriminant the statistics give
    scorer: Callable[[Any, Any, Any], float]

    def scores(
        self,
        folded: FoldedTable,
        X: Any,
        y: NDArray[Any],
        classes: NDArray[Any],
        splits: Sequence[tuple[Indices, Indices]],
        n_jobs: int | None,
    ) -> Floats:
        """Scores of shape (splits, gammas, sizes)."""
        run = Parallel(n_jobs=n_jobs, prefer="threads")
        found = run(delayed(self._fold_scores)(folded, X, y, classes, *split) for split in splits)
        return np.array(found)

    def _fold_scores(
        self,
        folded: FoldedTable,
        X: Any,
        y: NDArray[Any],
        classes: NDArray[Any],
        train: Indices,
        test: Indices,
    ) -> Floats:
        n_rows = X.shape[0]
        by_rows = train.size < 2 * self.ks[-1]  # the solver will want the sample space
        complete = train.size + test.size == n_rows and np.intersect1d(train, test).size == 0
        problem = folded.without(test, train, by_rows=by_rows or not complete)
        gammas = self.gammas(problem, self.ks[-1])
        held_out = X[test]
        falling = np.argsort(gammas)[::-1]  # large gammas are solved at once, and lead on to small ones
        with warnings.catch_warnings():
            # the search needs good sets, not tight bounds; the final fit is warned about
            warnings.simplefilter("ignore", ConvergenceWarning)
            paths = list(
                solutions_along(
                    problem,
                    self.ks,
                    [gammas[place] for place in falling],
                    solver=self.solver,
                    tol=max(self.tol, LOOSE) if self.solver == "joint" else self.tol,
                    max_iter=self.max_iter,
                    certified=False,
                )
            )
        seen: dict[bytes, float] = {}  # gammas often agree on a set
        scores = np.empty((len(gammas), len(self.ks)))
        for at_gamma, path in zip(falling, paths, strict=True):
            for at_k, solution in enumerate(path):
                key = solution.units.tobytes()
                if key not in seen:
                    seen[key] = self._score(problem, solution, X, y, classes, train, held_out, y[test])
                scores[at_gamma, at_k] = seen[key]
        return scores

    def _score(
        self,
        problem: TableProblem,
        solution: Solution,
        X: Any,
        y: NDArray[Any],
        classes: NDArray[Any],
        train: Indices,
        held_out: Any,
        labels: NDArray[Any],
    ) -> float:
        if self.estimator is None:
            model = Discriminant(problem, solution.units, classes)
            columns = problem.columns[solution.units]
            return float(self.scorer(model, held_out[:, columns], labels))
        columns = as_step(problem, solution.units.size, solution).features
        rows = X[train][:, columns] if sparse.issparse(X) else X[np.ix_(train, columns)]
        model = clone(self.estimator).fit(rows, y[train])
        return float(self.scorer(model, held_out[:, columns], labels))
