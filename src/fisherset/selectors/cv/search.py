"""The search over gammas and sizes: one score for each fold, gamma and size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from fisherset._progress import report_progress
from fisherset._threads import one_thread
from fisherset._types import Floats, Indices
from fisherset.selection.constraints import Choice
from fisherset.selection.outcome import solutions_along
from fisherset.selectors.cv.scoring import Judge
from fisherset.solver import Domain, Solution
from fisherset.statistics import FoldedTable, TableProblem


class Search(NamedTuple):
    """A table, what is tried on every fold of it, and how it is judged."""

    folded: FoldedTable
    ks: Sequence[int]
    choice: Choice
    gammas: Callable[[TableProblem, Domain], list[float]]  # for a problem and the largest sets
    solver: str
    tol: float | None
    max_iter: int
    judge: Judge

    def scores(self, splits: Sequence[tuple[Indices, Indices]], n_jobs: int | None) -> Floats:
        """Scores of shape (splits, gammas, sizes)."""
        run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")  # the folds share products
        scores = []
        with one_thread():
            for of_fold in run(delayed(self._fold_scores)(*split) for split in splits):
                scores.append(of_fold)
                report_progress("cross-validating", len(scores), len(splits))
        return np.array(scores)

    def _fold_scores(self, train: Indices, test: Indices) -> Floats:
        columns = self.ks[-1] * len(self.choice.codes) // len(self.choice.labels)
        by_rows = train.size < 2 * columns  # the solver will want the sample space
        times = np.bincount(np.concatenate([train, test]), minlength=len(self.judge.y))
        complete = bool(np.all(times == 1))  # each row on one side, once
        problem = self.folded.without(test, train, by_rows=by_rows or not complete)
        domains = [self.choice.posed(problem, k).domain for k in self.ks]
        gammas = self.gammas(problem, domains[-1])
        falling = np.argsort(gammas)[::-1]  # large gammas are solved at once, and lead on to small ones
        score = self.judge.on(train, test)
        seen: dict[bytes, float] = {}  # gammas often agree on a set
        scores = np.empty((len(gammas), len(self.ks)))
        for at_gamma, path in zip(
            falling, self._paths(problem, domains, np.array(gammas)[falling]), strict=True
        ):
            for at_k, solution in enumerate(path):
                key = solution.units.tobytes()
                if key not in seen:
                    members = domains[at_k].units.columns(solution.units)
                    seen[key] = score(problem, members)
                scores[at_gamma, at_k] = seen[key]
        return scores

    def _paths(
        self, problem: TableProblem, domains: Sequence[Domain], gammas: Floats
    ) -> list[list[Solution]]:
        """The solutions for each gamma, without bounds or warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return list(
                solutions_along(
                    problem,
                    domains,
                    gammas.tolist(),
                    solver=self.solver,
                    tol=self.tol,
                    max_iter=self.max_iter,
                    certified=False,
                )
            )
