"""The check of a selection on held-out rows, or why there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from fisherset.cli.answer import Answer
from fisherset.cli.request import Request
from fisherset.cli.sizes import SELECTORS
from fisherset.cli.terminal import ProgressBars, status_shown_later
from fisherset.cli.usage import in_options
from fisherset.trust import held_out

# Multiplications in a fold up to which all columns are modelled: more takes longer than all else.
ALL_COLUMNS_WORK = 2**27
# Folds; of tables with more values than that fewer, so that the check takes less than three selections.
FOLDS, FEWER_FOLDS, LARGE = 5, 3, 2**20


def checked(answer: Answer, *, silent: bool) -> Answer:
    """Return the answer with its score on held-out rows, or with the reason why there is none."""
    request = answer.request
    reason = _impossible(request)
    if reason:
        return replace(answer, checked=reason)
    try:
        with ProgressBars(silent), status_shown_later():
            found: Any = held_out(
                procedure_of(answer),
                request.measured,
                cv=FOLDS if request.table.n_rows * len(request.table.features) <= LARGE else FEWER_FOLDS,
                task=request.task,
                all_columns=weighs_all_columns(request),
            )
    except (ValueError, TypeError) as error:
        found = in_options(str(error))
    except KeyboardInterrupt:  # the selection is there
        found = "It was interrupted."
    return replace(answer, checked=found)


def _impossible(request: Request) -> str:
    """Say why no rows can be held out; an empty sentence where they can."""
    table = request.table
    if table.y is None:
        what = "is a summary" if table.summarized else "is read in batches"
        return f"It needs all rows in memory, and {table.path.name} {what}."
    if request.restrictions.max_memory is not None:
        return "It needs a copy of the rows, which --max-memory does not count. Leave that out."
    if table.task == "regression":
        return "It needs four rows or more." if len(table.y) < 4 else ""
    classes, counts = np.unique(table.y, return_counts=True)
    if counts.min() < 2:
        return f"It needs two rows of every class, and {str(classes[counts.argmin()])!r} has only one."
    return ""


def weighs_all_columns(request: Request) -> bool:
    """Whether all columns are modelled, too."""
    n, d = request.table.n_rows, len(request.table.features)
    return n * d * min(n, d) <= ALL_COLUMNS_WORK


def procedure_of(answer: Answer, *, repeated: bool = False) -> Any:
    """Return a selector that selects as the command did, the choice of gamma and size included.

    One that is `repeated` hundreds of times keeps no limits of memory and time, and does not prove its sets.
    """
    selector, gammas = answer.selector, getattr(answer.selector, "gammas", None)
    if repeated:
        free: dict[str, Any] = {"max_memory": None, "time_limit": None, "max_nodes": None}
        free |= {"solver": "joint"} if answer.solver == "exact" else {}
        selector = clone(selector)
        selector.set_params(**{name: free[name] for name in free if name in selector.get_params()})
    if not answer.gamma_chosen or gammas is None:
        return selector
    first: Any = SELECTORS[answer.request.task][1](
        **selector.get_params() | {"gammas": None, "scoring": None}
    )
    return TwoSteps(first, selector)


class TwoSteps(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A selector that chooses gamma first, then the size at that gamma, as -k auto with --gamma auto does."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second

    def fit(self, X: Any, y: Any, confounders: Any = None) -> TwoSteps:
        """Fit both, one after the other."""
        gamma = clone(self.first).fit(X, y, confounders=confounders).gamma_
        self.fitted_ = clone(self.second).set_params(gammas=[float(gamma)])
        self.fitted_.fit(X, y, confounders=confounders)
        return self

    def get_support(self) -> Any:
        """Mask of the selected columns."""
        return self.fitted_.get_support()
