"""What all selectors share: the way from (X, y) to statistics, and the scikit-learn selector face."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from fisherset._types import Floats
from fisherset.selectors import _validation as check
from fisherset.selectors._containers import is_elsewhere, left_there
from fisherset.selectors.any_rows import check_alone
from fisherset.selectors.measured import ALONE, ONE_CLASS_EACH, Beside, Measured
from fisherset.selectors.memory import measure_in_memory
from fisherset.selectors.rows import measure_rows
from fisherset.selectors.summary import Summary, measure_summary
from fisherset.solver import TIE
from fisherset.sources import DaskRows, lazy_columns
from fisherset.statistics import SourceProducts, TableProblem, check_least_memory, least_memory
from fisherset.statistics.budget import LARGEST_ARRAY
from fisherset.statistics.products import StoredProducts


def measure_table(X: Any, y: Any, names: Any, beside: Beside = ALONE, task: str = ONE_CLASS_EACH) -> Measured:
    """Check the targets and weights, read the table, refuse what is not finite.

    X has been checked already, so that parameters that depend on its width could be.
    """
    if not is_elsewhere(X):
        measured = measure_in_memory(X, y, names, beside, task)
    elif isinstance(X, DaskRows):
        rows = X.with_targets(y, beside.sample_weight, beside.confounders)
        measured = measure_rows(rows, beside, task, measure_in_memory)
    else:
        check_alone(y, beside)
        measured = (
            measure_summary(X, beside, task)
            if isinstance(X, Summary)
            else measure_rows(X, beside, task, measure_in_memory)
        )
    return measured._replace(max_memory=beside.max_memory)


def check_room(max_memory: int | None, n_columns: int, n_chosen: int, table: Measured | None = None) -> None:
    """Refuse a search that takes more memory than may be held, before the table is read and after."""
    least = least_memory(n_columns, 2, n_chosen, n_rows=2)
    if table is not None:
        least = _least_memory(table, n_columns, n_chosen, table.products.n_rows)
    check_least_memory(max_memory, least, f"{n_chosen} features of {n_columns} columns")


def memory_for(table: Measured, n_in_play: int) -> int | None:
    """The `max_memory` with which exact search can be among so many columns, None where none is enough."""
    if n_in_play**2 > LARGEST_ARRAY:
        return None
    order = -(-n_in_play // 3) if _by_passes(table) else n_in_play  # `least_memory` counts thrice
    needed = _least_memory(table, table.scatter.constant.size, order, None)
    if isinstance(table.products, StoredProducts):
        needed += table.products.XX.nbytes
    unit = int(10 ** max(len(str(needed)) - 2, 0))
    return (needed // unit + 1) * unit  # two digits of it


def _least_memory(table: Measured, n_columns: int, n_chosen: int, n_rows: int | None) -> int:
    n_targets = len(table.scatter.moments.TX)
    return least_memory(n_columns, n_targets, n_chosen, n_rows=n_rows, by_passes=_by_passes(table))


def _by_passes(table: Measured) -> bool:
    """Whether the rows are beyond memory, so that every question is a pass over them."""
    return table.products.n_rows is None and isinstance(table.products, SourceProducts)


def pose_problem(table: Measured, standardize: bool, n_chosen: int = 0) -> TableProblem:
    """The problem the solver is given, refused where its numbers would leave the range of float64.

    So it is where a search for sets of `n_chosen` columns would not find room.
    """
    check_room(table.max_memory, table.scatter.constant.size, n_chosen, table)
    given = table.products, table.scatter, table.coding
    problem = TableProblem(*given, standardize=standardize, budget=table.max_memory)
    check.check_magnitude(problem.diagonal)
    return problem


class BaseSelector(SelectorMixin, BaseEstimator):
    """A selector that is fitted once it has a `support_`."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    @property
    def _names(self) -> Any:
        """Names of the columns for messages, None where X had none."""
        return getattr(self, "feature_names_in_", None)

    def _select(
        self,
        scores: Floats,
        constant: NDArray[np.bool_],
        k: int,
        *,
        unit: Floats | float = 1.0,
        chosen: NDArray[np.bool_] | None = None,
    ) -> None:
        """Keep the scores, rank by them and select the k best.

        Scores within a share `TIE` of each other rank in column order, constant features
        last. A `unit` stands for a factor unit^2 that might overflow the scores; features
        already `chosen` come first.
        """
        first = np.zeros(scores.size, dtype=bool) if chosen is None else chosen
        with np.errstate(divide="ignore"):
            level = np.round((np.log(np.abs(scores)) + 2 * np.log(unit)) / TIE)
        sign = np.sign(scores)
        order = np.lexsort([-sign * np.where(sign == 0, 0.0, level), -sign, ~first, constant])
        with np.errstate(over="ignore"):
            self.scores_ = scores * unit * unit
        self.ranking_ = ranking_from(order)
        self.support_ = self.ranking_ <= k

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_r : array of shape (n_samples, n_selected_features)
            The samples with only the selected features; of Dask's arrays and data frames not yet
            computed.
        """
        if isinstance(left_there(X), DaskRows):
            support = self._get_support_mask()
            check.check_same_columns(self, X)
            return lazy_columns(X, support)
        if is_elsewhere(X):
            raise TypeError(
                f"X must be rows at hand, or on Dask; got an object of type {type(X).__name__}. Name the "
                f"selected columns when it is made, as by scan(..., columns=get_feature_names_out())."
            )
        return super().transform(check.check_container(X))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        support: NDArray[np.bool_] = self.support_
        return support


def ranking_from(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rank of each feature, 1 for the best, from the features in order."""
    ranking = np.empty(order.size, dtype=np.intp)
    ranking[order] = np.arange(1, order.size + 1)
    return ranking
