"""Making a summary: one pass over a table, in memory, files or Dask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fisherset._memory import format_bytes, free_memory
from fisherset.data import CountedRows, Rows, names_of_several
from fisherset.statistics.gathering import gathering_bytes, locate_in
from fisherset.statistics.measured import BesideNames, FitArguments
from fisherset.statistics.reader import Reader, classified, roles_of, rows_of
from fisherset.statistics.summary.origin import DigestedRows, Origin, target_name
from fisherset.statistics.summary.summary import Summary
from fisherset.statistics.sums.cross_products import ColumnRoles, sum_cross_products
from fisherset.validation import parameters as parameter
from fisherset.validation.numbers import reject_nonfinite
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import CLASSIFICATION, TASKS
from fisherset.validation.weights import check_total_weight, check_weight_left


def summarize(
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    confounders: Any = None,
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
) -> Summary:
    """The statistics of a table, in place of its rows.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame, scan, Dask array or data frame}
        The samples.
    y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
        Their class labels, sets of labels, or numbers; a scan brings its own. A single class will do,
        as others may be added.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    confounders : array-like of shape (n_samples, n_confounders), default=None
        Numbers that features and targets are adjusted for when something is selected.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
    max_memory : int or str, default=None
        Bytes that may be held, such as "2GB"; a summary takes 24 for each pair of columns while it is
        made. None for what is free.

    Returns
    -------
    summary : Summary
        Which can be added to others, saved, and selected from.

    See Also
    --------
    Summary : What can be done with it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fisherset import summarize
    >>> summarize(*load_iris(return_X_y=True))
    Summary(150 samples, 4 columns, 3 classes)
    """
    return summarize_table(
        X, y, task=task, max_memory=max_memory, sample_weight=sample_weight, confounders=confounders
    )


def summarize_table(
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    confounders: Any = None,
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
    names: Sequence[str] | None = None,
    target: str | None = None,
    digested: bool = True,
) -> Summary:
    """The same of a table whose columns and target have names that X and y do not bring themselves.

    Rows that are added one by one need not be `digested`: they may come twice.
    """
    parameter.check_choice("task", task, TASKS)
    limit = parameter.check_memory(max_memory)
    X, own = check_bare_table(X, out_of_core=True, least_rows=1, distinct=True)
    names = own if names is None else list(names)
    rows = rows_of(X, y, FitArguments(sample_weight, confounders=confounders), names, task)
    roles, read = roles_of(rows.head(), task), Reader(task)
    check_room(roles, limit)
    counted = DigestedRows(rows, read, roles, names) if digested else CountedRows(rows)
    labels = classified(sum_cross_products(counted, read), rows.labels)
    check_total_weight(labels.gathered.moments.n)
    if not labels.gathered.moments.n:
        check_weight_left(np.zeros(1), "samples" if roles.targets.size else "classes")
    finite = labels.gathered.moments.finite[: roles.n_features]
    reject_nonfinite(finite, names, locate_in(counted))
    called = BesideNames(rows.targets, names_of_several(confounders) or counted.confounder_names)
    origin = _origin(counted, target_name(X, y) if target is None else target)
    gathered = labels.gathered.about_means()
    return Summary(gathered, roles, names=names, task=task, beside=called, origin=origin)


def _origin(rows: Rows, target: str | None) -> Origin:
    if not isinstance(rows, DigestedRows):
        return Origin(target)
    return Origin(target, (rows.digest,), True)


def check_room(roles: ColumnRoles, limit: int | None) -> None:
    """Refuse a summary that is larger than memory, or than what may be held."""
    needed = gathering_bytes(roles)
    if limit is not None and needed > limit:
        raise ValueError(
            f"max_memory must be at least {format_bytes(needed)} for a summary of {roles.n_features} "
            f"columns; got {format_bytes(limit)}. Raise it, or leave columns out."
        )
    free = free_memory()
    if needed > free:
        raise ValueError(
            f"A summary of {roles.n_features} columns would take {format_bytes(needed)} of memory; "
            f"{format_bytes(free)} are free. Leave columns out first."
        )
