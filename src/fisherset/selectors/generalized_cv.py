"""The Generalized Fisher Score with gamma and the number of features chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.model_selection import check_cv

from fisherset._types import Floats, Indices
from fisherset.selectors import _parameters as parameter
from fisherset.selectors import _validation as check
from fisherset.selectors.base import Beside, measure_table
from fisherset.selectors.choice import Choice, check_choice
from fisherset.selectors.gamma import resolve_gamma, unit_of
from fisherset.selectors.generalized import JointSelector
from fisherset.selectors.scoring import check_estimator, scorer_of
from fisherset.selectors.search import Search
from fisherset.solver import SOLVERS, Domain
from fisherset.sources import MemorySource
from fisherset.statistics import FoldedTable, TableProblem

# Where no gammas are given: "scale", and these multiples of the number of samples.
MULTIPLES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 200.0)
# Sizes tried by "auto", as far as there are features.
AUTO_SIZES = (1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 126, 200)
PLACE_OF_SCALE = 0  # place of "scale" among the gammas where none are given


class GeneralizedFisherScoreCV(JointSelector):
    """Select features jointly, with gamma and their number chosen by cross-validation.

    On each training part the features are selected for all gammas and sizes, and scored on
    the part left out. The statistics of a training part are those of the table less those
    of the fold, and Gram columns are shared between gammas and sizes.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or sequence, default=None
        How many features to select; a float in (0, 1) is a share of them, None half. Of a
        sequence the best is chosen, of equals the smallest. "auto" takes the smallest of
        1, 2, 3, 5, 8, ..., 200 that is within one standard error of the best.
    gammas : sequence of float or "scale", default=None
        The regularisers to choose from; of equals the largest is taken. None for "scale" and
        nine multiples of `n_samples` between 0.5 and 200; "scale" then stays unless another
        is better by more than one standard error of the difference.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds, a splitter, or pairs of rows.
    scoring : str or callable, default=None
        A scorer of scikit-learn; None for the accuracy.
    estimator : estimator, default=None
        Is fitted on the selected features of each training part. None for a regularised
        linear discriminant, which needs the statistics only.
    n_jobs : int, default=None
        Folds in parallel threads.
    solver, standardize, tol, max_iter, groups, keep, exclude, class_weight
        As in :class:`GeneralizedFisherScore`; the search itself goes without certificates.

    Attributes
    ----------
    gamma_ : float
        The chosen regulariser.
    n_features_ : int
        The chosen number of features.
    cv_results_ : dict of ndarray
        `param_gamma`, `param_n_features_to_select`, `mean_test_score`, `std_test_score`,
        `rank_test_score` and a `split*_test_score` for each fold; one entry for each pair.
        The gammas are those of the whole table.
    best_score_ : float
        Mean score of the choice.
    n_passes_ : int
        How many times the whole table was read, for the search and the final fit.
    support_, ranking_, scores_, objective_, upper_bound_, gap_, status_, noise_, trace_, n_iter_, classes_, \
groups_, n_features_in_, feature_names_in_
        Of the fit on all samples, as in :class:`GeneralizedFisherScore`.

    See Also
    --------
    GeneralizedFisherScore : With gamma and the number of features given.
    selection_path : Selections for a range of sizes.

    Notes
    -----
    The discriminant scores a set by what it tells linearly. Where another classifier is
    going to be used, name it: the choice of gamma can differ.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScoreCV
    >>> X, y = load_digits(return_X_y=True)
    >>> selector = GeneralizedFisherScoreCV("auto").fit(X, y)
    >>> print(f"{selector.n_features_} features, accuracy {selector.best_score_:.1%}")
    50 features, accuracy 91.4%
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | Sequence[int] | None = None,
        *,
        gammas: Sequence[float | str] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        estimator: Any = None,
        n_jobs: int | None = None,
        solver: str = "joint",
        standardize: bool = True,
        tol: float | None = 1e-3,
        max_iter: int = 1000,
        groups: Any = None,
        keep: Any = None,
        exclude: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.solver = solver
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.groups = groups
        self.keep = keep
        self.exclude = exclude
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose gamma and the number of features, then select on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their class labels, of any hashable kind.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in the selections and in the scores.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples for a splitter that keeps them together, such as `GroupKFold`; not to
            be confused with the groups of features.

        Returns
        -------
        self : GeneralizedFisherScoreCV
            The fitted selector.
        """
        self._check_parameters()
        scorer = scorer_of(self.scoring)
        X = check.check_table(self, X)
        choice = check_choice(self.groups, self.keep, self.exclude, self.n_features_in_, self._names)
        ks = self._sizes(choice)
        table = measure_table(X, y, self._names, Beside(sample_weight, self.class_weight))
        memory = table.source.source
        assert isinstance(memory, MemorySource)
        check_estimator(self.estimator, memory.weight is not None)
        labels = table.classes[table.codes]
        # labels that scikit-learn may not know how to stratify stand for themselves as numbers
        splits = self._splits(X, labels if labels.dtype.kind in "biufU" else table.codes, groups)
        rows = X.tocsr() if hasattr(X, "tocsr") else X  # rows are taken out of it
        source = MemorySource(rows, table.codes, memory.weight)
        folded = FoldedTable(source, table.coding, table.scatter.moments, standardize=self.standardize)
        problem = folded.whole()
        check.check_magnitude(problem.diagonal)
        search = Search(
            folded,
            rows,
            labels,
            table.classes,
            ks,
            choice,
            self._gammas,
            self.solver,
            parameter.check_tol(self.tol),
            int(self.max_iter),
            self.estimator,
            scorer,
            memory.weight,
            check.check_weights(sample_weight, table.codes, table.classes.size),
        )
        scores = search.scores(splits, self.n_jobs)
        gammas = np.array(self._gammas(problem, choice.posed(problem, ks[-1]).domain))
        at_gamma, at_k = self._choose(scores, gammas)
        self.cv_results_ = _as_results(scores, gammas, ks)
        self.best_score_ = float(scores[:, at_gamma, at_k].mean())
        self.n_features_ = ks[at_k]
        posed = choice.posed(problem, ks[at_k])
        self._solve(table, problem, choice, posed, ks[at_k], float(gammas[at_gamma]))
        self.n_passes_ += folded.source.n_passes
        return self

    def _check_parameters(self) -> None:
        parameter.check_choice("solver", self.solver, tuple(SOLVERS))
        parameter.check_tol(self.tol)
        parameter.check_integer("max_iter", self.max_iter, least=1)
        parameter.check_flag("standardize", self.standardize)
        parameter.check_jobs(self.n_jobs)
        check_estimator(self.estimator)
        if self.gammas is not None:
            parameter.check_gammas(self.gammas)

    def _sizes(self, choice: Choice) -> list[int]:
        """The numbers of features, or groups, to try, rising."""
        sizes = self._wanted(len(choice.labels) - choice.barred.size, max(choice.kept.size, 1))
        for size in (sizes[0], sizes[-1]):
            choice.check(size)
        return sizes

    def _wanted(self, n_features: int, least: int) -> list[int]:
        wanted = self.n_features_to_select
        if isinstance(wanted, str):
            if wanted != "auto":
                raise ValueError(
                    f'n_features_to_select must be an int, a share, "auto" or a sequence of them; '
                    f"got {wanted!r}."
                )
            return sorted({min(max(size, least), n_features) for size in AUTO_SIZES})
        if isinstance(wanted, Iterator):
            raise TypeError(
                f"n_features_to_select must be a list, as a {type(wanted).__name__} can be read only once. "
                f"Pass list(...) of it."
            )
        if np.iterable(wanted):
            return parameter.check_sizes(wanted, n_features, "n_features_to_select")
        return [parameter.check_count(wanted, n_features)]

    def _splits(self, X: Any, labels: Any, groups: Any) -> list[tuple[Indices, Indices]]:
        rows = np.arange(labels.size)
        try:
            splitter = check_cv(self.cv, labels, classifier=True)
            pairs = splitter.split(X, labels, groups)
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
        for train, test in splits:
            if train.ndim != 1 or test.ndim != 1:
                raise ValueError("cv must give row numbers in one dimension, for training and for testing.")
            if test.size == 0 or np.unique(labels[train]).size < 2:
                raise ValueError(
                    "cv must leave two classes or more for training and a sample or more for testing "
                    "in each split. Use fewer folds, or stratified ones."
                )
        return splits

    def _gammas(self, problem: TableProblem, domain: Domain) -> list[float]:
        """The gammas to try on a table."""
        if self.gammas is not None:
            return [resolve_gamma(gamma, problem, domain) for gamma in self.gammas]
        fixed = [multiple * unit_of(problem) for multiple in MULTIPLES]
        return [resolve_gamma("scale", problem, domain), *fixed]

    def _choose(self, scores: Floats, gammas: Floats) -> tuple[int, int]:
        """Places of the chosen gamma and size."""
        mean = np.round(scores.mean(axis=0), 12)  # splits, gammas, sizes -> gammas, sizes
        best_of_size = mean.max(axis=0)
        at_k = int(np.argmax(best_of_size))  # of equals the smallest
        if isinstance(self.n_features_to_select, str):
            at_best = int(np.argmax(mean[:, at_k]))
            error = (
                scores[:, at_best, at_k].std(ddof=1) / np.sqrt(scores.shape[0]) if len(scores) > 1 else 0.0
            )
            at_k = int(np.argmax(best_of_size >= best_of_size[at_k] - error))
        ties = np.flatnonzero(mean[:, at_k] == mean[:, at_k].max())
        at_gamma = int(ties[np.argmax(gammas[ties])])
        if self.gammas is None:
            difference = scores[:, at_gamma, at_k] - scores[:, PLACE_OF_SCALE, at_k]
            if difference.mean() <= _error(difference):
                at_gamma = PLACE_OF_SCALE
        return at_gamma, at_k


def _error(scores: Floats) -> float:
    """Standard error of a mean over the folds; 0 for a single one."""
    return float(scores.std(ddof=1) / np.sqrt(scores.size)) if scores.size > 1 else 0.0


def _as_results(scores: Floats, gammas: Floats, ks: Sequence[int]) -> dict[str, Any]:
    """The scores as scikit-learn's searches have them, an entry for each gamma and size."""
    flat = scores.reshape(len(scores), -1)
    mean = flat.mean(axis=0)
    order = np.unique(-np.round(mean, 12), return_inverse=True)[1].reshape(-1)
    return {
        "param_gamma": np.repeat(gammas, len(ks)),
        "param_n_features_to_select": np.tile(np.array(ks), len(gammas)),
        "mean_test_score": mean,
        "std_test_score": flat.std(axis=0),
        "rank_test_score": 1 + np.array([np.sum(order < place) for place in order], dtype=np.int32),
        **{f"split{number}_test_score": split for number, split in enumerate(flat)},
    }
