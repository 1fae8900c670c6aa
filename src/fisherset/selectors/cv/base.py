"""The base of selectors that choose gamma and the number of features by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping

from fisherset._docs import documented
from fisherset._types import Floats, Indices
from fisherset.data import MemoryRows
from fisherset.selection.constraints import Constraints, PosedProblem
from fisherset.selection.gamma import resolve_gamma, unit_of
from fisherset.selection.request import SearchOptions
from fisherset.selectors.cv.choice import best_neighbourhood, best_size, largest_of_best, scale_unless_clear
from fisherset.selectors.cv.folds import FoldScorer, GridSearch, OwnModel, check_estimator, scorer_of
from fisherset.selectors.cv.models import Discriminant, LabelFit, LinearFit
from fisherset.selectors.cv.neighbours import NearestNeighbour
from fisherset.selectors.cv.results import CVResults
from fisherset.selectors.joint import JointSelector
from fisherset.statistics import FoldedTable
from fisherset.statistics.measured import FitArguments, MeasuredTable
from fisherset.validation import parameters as parameter
from fisherset.validation.numbers import check_magnitude
from fisherset.validation.table import check_table
from fisherset.validation.targets import CLASSIFICATION, REGRESSION
from fisherset.validation.weights import check_weights

# Where no gammas are given, these multiples of the number of samples, for numbers "scale" too: from gammas
# that find columns which tell something only together, to those of a one-by-one ranking.
MULTIPLES = {
    CLASSIFICATION: (0.01, 0.1, 0.25, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0),
    REGRESSION: (0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0),
}
# Sizes tried by "auto", as far as there are features: each about 1.6 times the one before.
AUTO_SIZES = (1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 126, 200)


class CrossValidatedSelector(JointSelector):
    """A selector that chooses gamma and size by their scores on held-out folds."""

    gammas: Sequence[float | str] | None
    cv: Any
    scoring: Any
    estimator: Any
    n_jobs: int | None
    # groups of samples are for the splitter, which says itself whether it wants them
    __metadata_request__fit: ClassVar = {"groups": UNUSED}

    def get_metadata_routing(self) -> Any:
        """Routing of metadata to the splitter, for scikit-learn.

        Returns
        -------
        router : MetadataRouter
            For `fit`, and for the splitter.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        splits = MethodMapping().add(caller="fit", callee="split").add(caller="fit_transform", callee="split")
        return router.add(splitter=check_cv(self.cv), method_mapping=splits)

    @documented
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, confounders: Any = None, groups: Any = None
    ) -> Self:
        """Choose gamma and the number of features, then select on all samples.

        Samples have their weights in the selections and in the scores. With confounders models are fitted
        and scored on features, and targets that are numbers, that are adjusted for them.

        Parameters
        ----------
        %(X.rows, y, sample_weight, confounders)
        groups : array-like of shape (n_samples,), default=None
            Groups of samples for a splitter that keeps them together, such as `GroupKFold`; not to
            be confused with the groups of features.

        Returns
        -------
        self : object
            The fitted selector.
        """
        options = self._check_parameters()
        request = self._request(check_table(self, X), FitArguments(sample_weight, confounders=confounders))
        constraints, ks = request.constraints, self._sizes(request.constraints)
        table = request.measure(y, ks[-1])
        memory = getattr(table.rows, "rows", None)
        assert isinstance(memory, MemoryRows)
        # which rows are selected from, fold by fold
        rows = request.X.tocsr() if sparse.issparse(request.X) else request.X
        targets = _targets(table, memory, y)
        scorer = self._fold_scorer(table, memory, rows, targets, sample_weight)
        splits = self._splits(request.X, targets, table, memory.weight, groups)
        source = MemoryRows(rows, memory.y, memory.weight, memory.confounders)
        folded = FoldedTable(source, table.coding, table.scatter.moments, standardize=self.standardize)
        problem = folded.whole()
        check_magnitude(problem.diagonal)
        # no certificates in the search, and nothing to save on them
        search = GridSearch(folded, ks, constraints, self._gammas, options._replace(loose_tol=0.0), scorer)
        scores = search.scores(splits, self.n_jobs)
        posed = [constraints.pose(problem, k) for k in ks]
        gammas = np.array(self._gammas(posed[-1]))
        at_gamma, at_k = self._choose(scores, gammas, posed)
        self.cv_results_ = CVResults.of(scores, gammas, ks)
        self.best_score_ = float(scores[:, at_gamma, at_k].mean())
        self.n_features_ = ks[at_k]
        self._solve(table, posed[at_k], float(gammas[at_gamma]), options)
        self.n_passes_ += folded.source.n_passes
        return self

    def _check_parameters(self) -> SearchOptions:
        options = super()._check_parameters()
        parameter.check_jobs(self.n_jobs)
        check_estimator(self.estimator, self._task)
        if self.gammas is not None:
            parameter.check_gammas(self.gammas)
        return options

    def _fold_scorer(
        self, table: MeasuredTable, memory: MemoryRows, rows: Any, targets: Any, sample_weight: Any
    ) -> FoldScorer:
        check_estimator(self.estimator, self._task, memory.weight is not None)
        own_model: OwnModel = LabelFit if table.classes.size else LinearFit
        if table.one_class_each:
            own_model = partial(Discriminant, classes=table.classes)
        weights, neighbour = check_weights(sample_weight, len(targets)), None
        if table.one_class_each and self.scoring is None and self.estimator is None:
            neighbour = NearestNeighbour(table.codes, memory.weight, weights)
        given = (rows, targets, memory.confounders, own_model, self.estimator)
        scorer = scorer_of(self.scoring, table.one_class_each)
        return FoldScorer(*given, scorer, memory.weight, weights, neighbour)

    def _sizes(self, constraints: Constraints) -> list[int]:
        """Numbers of features, or groups, to try, rising."""
        wanted = self.n_features_to_select
        if isinstance(wanted, str):
            if wanted != "auto":
                raise ValueError(
                    f'n_features_to_select must be an int, a share, "auto" or a sequence of them; '
                    f"got {wanted!r}."
                )
            least, most = max(constraints.required.size, 1), constraints.n_allowed
            return sorted({min(max(size, least), most) for size in AUTO_SIZES})
        if isinstance(wanted, Iterator):
            raise TypeError(
                f"n_features_to_select must be a list, as a {type(wanted).__name__} can be read only once. "
                f"Pass list(...) of it."
            )
        return constraints.counts(wanted) if np.iterable(wanted) else [constraints.count(wanted)]

    def _splits(
        self, X: Any, targets: Any, table: MeasuredTable, weight: Floats | None, groups: Any
    ) -> list[tuple[Indices, Indices]]:
        """Row numbers to train and to test on, of each fold."""
        rows, classes = np.arange(len(targets)), table.codes.size > 0
        # labels that scikit-learn may not know how to stratify are passed on as class numbers
        known = table.codes if classes and targets.dtype.kind not in "biufU" else targets
        try:
            splitter = check_cv(self.cv, known, classifier=self._task != REGRESSION)
            pairs = splitter.split(X, known, groups)
            splits = [(rows[train], rows[test]) for train, test in pairs]  # masks too
        except (TypeError, ValueError, IndexError) as error:
            raise ValueError(
                f"cv must be a number of folds, a splitter, or pairs of row numbers to train and to test on; "
                f"got {parameter.shown(self.cv)}: {parameter.reason(error)}."
            ) from error
        if not splits:
            raise ValueError(
                "cv must give at least one split; got none. A generator can be read only once: pass list(cv)."
            )
        counts = np.ones(rows.size, dtype=bool) if weight is None else weight > 0
        kinds, what = (table.codes, "classes") if classes else (rows, "samples")
        for train, test in splits:
            if train.ndim != 1 or test.ndim != 1:
                raise ValueError("cv must give row numbers in one dimension, for training and for testing.")
            if not np.any(counts[test]) or np.unique(kinds[train[counts[train]]]).size < 2:
                raise ValueError(
                    f"cv must leave two {what} or more for training and a sample or more for testing, with "
                    f"weight, in each split. Use fewer folds, or stratified ones."
                )
        return splits

    def _gammas(self, posed: PosedProblem) -> list[float]:
        """The gammas to try on a table."""
        if self.gammas is not None:
            return [resolve_gamma(gamma, posed) for gamma in self.gammas]
        fixed = [multiple * unit_of(posed.problem) for multiple in MULTIPLES[self._task]]
        return [resolve_gamma("scale", posed), *fixed] if self._task == REGRESSION else fixed

    def _choose(self, scores: Floats, gammas: Floats, posed: Sequence[PosedProblem]) -> tuple[int, int]:
        """Places of the chosen gamma and size."""
        at_k = best_size(scores, within_error=isinstance(self.n_features_to_select, str))
        of_size = scores[:, :, at_k]
        if self.gammas is not None:
            return largest_of_best(of_size, gammas), at_k
        if self._task == REGRESSION:
            return scale_unless_clear(of_size, gammas), at_k
        return best_neighbourhood(of_size, gammas, resolve_gamma("scale", posed[at_k])), at_k


def _targets(table: MeasuredTable, memory: MemoryRows, y: Any) -> Any:
    """Targets that models learn: labels, an indicator of sets of them, or numbers, flat where y was."""
    if table.codes.size:
        return table.classes[table.codes]
    targets: Any = memory.y
    if sparse.issparse(targets):
        targets = targets.toarray()
    if table.classes.size:
        return targets.astype(np.intp)
    return targets[:, 0] if np.asarray(y).ndim == 1 else targets
