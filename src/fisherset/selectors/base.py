"""The base of all selectors: ranking by scores, and the interface of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from fisherset._format import counted
from fisherset._html import Table, as_html
from fisherset._records import cut, name_of
from fisherset._types import Floats
from fisherset.data import DaskRows, lazy_columns
from fisherset.selection.leakage import warn_leakage
from fisherset.solver import TIE
from fisherset.statistics.leakage import leaking_columns
from fisherset.statistics.measured import MeasuredTable
from fisherset.validation import parameters as parameter
from fisherset.validation.features import warn_constant
from fisherset.validation.table import (
    check_container,
    check_same_columns,
    check_table,
    dask_as_rows,
    is_out_of_core,
)


class BaseSelector(SelectorMixin, BaseEstimator):
    """A selector that is fitted once it has a `support_`."""

    n_features_to_select: Any

    def _store_parameters(self, given: dict[str, Any]) -> None:
        """Keep the arguments of `__init__` as they are, an attribute each, as scikit-learn expects."""
        self.__dict__.update({name: value for name, value in given.items() if name != "self"})

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
        """Keep the scores, rank by them and select the k best; warn of constant ones among these.

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
        warn_constant(constant, self.support_)

    def _check_table(self, X: Any, *, out_of_core: bool = False) -> tuple[Any, int]:
        """X as a checked table, and the number of features to select."""
        X = check_table(self, X, out_of_core=out_of_core)
        return X, parameter.check_count(self.n_features_to_select, self.n_features_in_)

    def _note_leakage(self, table: MeasuredTable, known: NDArray[np.bool_] | None = None) -> None:
        """Keep which columns only number the rows or determine the target; warn of those not `known` to."""
        numbers = table.row_numbers
        self.row_numbers_ = numbers
        self.leaking_ = np.setdiff1d(leaking_columns(table), numbers)
        new = np.ones(table.n_columns, dtype=bool) if known is None else ~known
        suspicious = [columns[new[columns]] for columns in (numbers, self.leaking_)]
        warn_leakage(suspicious[0], suspicious[1], self._names, fix=known is not None)

    def _keep_optional(self, name: str, value: Any) -> None:
        """Set a fitted attribute that not every fit has, or drop that of an earlier fit."""
        if value is not None:
            setattr(self, name, value)
        elif hasattr(self, name):
            delattr(self, name)

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
        if isinstance(dask_as_rows(X), DaskRows):
            support = self._get_support_mask()
            check_same_columns(self, X)
            return lazy_columns(X, support)
        if is_out_of_core(X):
            raise TypeError(
                f"X must be rows in memory, or on Dask; got an object of type {type(X).__name__}. Name the "
                f"selected columns when it is made, as by scan(..., columns=get_feature_names_out())."
            )
        return super().transform(check_container(X))

    def _verdicts(self) -> list[str]:
        """Return what is known of a fitted selection, in sentences."""
        return []

    def _card(self) -> str:
        """Return the selected features, best first, and what is known of them, in HTML."""
        if not hasattr(self, "support_"):
            return ""
        scored = self.scores_.size == self.support_.size  # else groups are scored and ranked
        order = np.argsort(self.ranking_, kind="stable") if scored else np.arange(self.support_.size)
        selected = order[self.support_[order]]
        names = [name_of(j if self._names is None else self._names[j]) for j in selected.tolist()]
        scores = [[f"{self.scores_[j]:.4g}"] if scored else [] for j in selected.tolist()]
        rows = [[cut(name), *score] for name, score in zip(names, scores, strict=True)]
        heading = f"{counted(selected.size, 'features')} of {self.support_.size} selected"
        keys = ["feature", *(["score"] if scored else [])]
        return as_html([f"{heading}.", *self._verdicts()], Table(keys, rows, frozenset({"score"})))

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._card()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """Return the diagram of scikit-learn, and the selection of a fitted selector, for a notebook."""
        shown: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in shown:
            shown["text/html"] += self._card()
        return shown

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_


def ranking_from(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rank of each feature, 1 for the best, from the features in order."""
    ranking = np.empty(order.size, dtype=np.intp)
    ranking[order] = np.arange(1, order.size + 1)
    return ranking
