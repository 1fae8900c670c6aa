"""Checks of X: arrays, sequences of rows, sparse matrices, data frames, and tables that are out of core.

Nothing else is ever handed to numpy: whatever else has a length and can be indexed it would read entry by
entry, for minutes.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

import numpy as np
from scipy import sparse

from fisherset.data import DaskRows, is_anndata, is_dask
from fisherset.validation.numbers import as_numbers, is_array, is_frame, labels_of_columns, reject_masked
from fisherset.validation.parameters import is_number, shown


def check_table(
    estimator: Any, X: Any, *, out_of_core: bool = False, reset: bool = True, least_rows: int = 2
) -> Any:
    """X as a numeric array or CSR/CSC matrix, its names and width noted on the estimator.

    NaN and infinity pass here: the class sums find them without another pass. Tables `out_of_core` are
    taken as they are by those who can read them. Without `reset` the columns must be those that were noted
    before.
    """
    table, names = check_bare_table(X, out_of_core=out_of_core, least_rows=least_rows, distinct=True)
    width = table.n_columns if is_out_of_core(table) else table.shape[1]
    if not reset:
        check_width(estimator, width)
    else:
        from sklearn.utils.validation import validate_data

        validate_data(estimator, np.empty((1, width)), skip_check_array=True)
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    return table


def check_bare_table(
    X: Any, *, out_of_core: bool = False, least_rows: int = 2, distinct: bool = False
) -> tuple[Any, list[str] | None]:
    """The same for functions, which have no estimator to note names on; these may have to be `distinct`."""
    X = dask_as_rows(X) if out_of_core else X
    if out_of_core and is_out_of_core(X):
        if distinct:
            _check_distinct(X.names)
        return X, X.names
    X = as_container(X)
    names = _distinct_names(X) if distinct else column_names(X)
    return _as_table(X, least_rows), names


def check_same_columns(estimator: Any, X: Any) -> None:
    """Refuse a table with other columns than those that the estimator was fitted on."""
    rows, known = dask_as_rows(X), getattr(estimator, "feature_names_in_", None)
    if is_out_of_core(rows):
        width, names = rows.n_columns, rows.names
    else:
        shape: Any = getattr(rows, "shape", ())
        width, names = (shape[1] if len(shape) == 2 else None), column_names(rows)
    if names is not None and known is not None:
        _check_same_names(list(names), list(known), framed=not is_out_of_core(rows))
    elif width is not None:
        check_width(estimator, width)


def _check_same_names(names: list[str], known: list[str], framed: bool) -> None:
    """Refuse other names of columns than those that were known, or another order."""
    if names == known:
        return
    lacking, new = (
        [one for one in some if one not in set(others)] for some, others in ((known, names), (names, known))
    )
    fix = "Pass X[selector.feature_names_in_]." if framed and not lacking else "Pass the table of the fit."
    what = (
        f"{shown(lacking[0])} is missing"
        if lacking
        else f"{shown(new[0])} is new"
        if new
        else "their order differs"
    )
    raise ValueError(  # the last words are scikit-learn's
        f"X must have the columns of the fit, in that order; {what}. {fix} (The feature names should match "
        f"those that were passed during fit.)"
    )


def check_width(estimator: Any, width: int) -> None:
    """Refuse another number of columns than the estimator knows."""
    if width != estimator.n_features_in_:  # the words are scikit-learn's
        raise ValueError(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def column_names(X: Any) -> list[str] | None:
    """Names of the columns of a data frame, None where there are none or not all are strings."""
    names = labels_of_columns(X) if is_frame(X) else []
    return names if names and all(isinstance(name, str) for name in names) else None


def check_container(X: Any) -> Any:
    """X for `transform`, of which scikit-learn checks the rest."""
    X = as_container(X)
    reject_masked(X)
    return X


def _distinct_names(X: Any) -> list[str] | None:
    """The names a selector keeps: all of them strings, and each of them once."""
    labels = labels_of_columns(X) if is_frame(X) else []
    n_strings = sum(isinstance(label, str) for label in labels)
    if 0 < n_strings < len(labels):
        raise TypeError(
            f"X must have column names that are all strings, or none that is; got {n_strings} strings among "
            f"{len(labels)}. Rename them, as by X.columns = X.columns.astype(str)."
        )
    names = column_names(X)
    _check_distinct(names)
    return names


def _check_distinct(names: list[str] | None) -> None:
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ValueError(
            f"X must not have two columns of the same name; got {shown(name)} {times} times. Rename them."
        )


def _as_table(X: Any, least_rows: int) -> Any:
    table = as_numbers(X)
    n_rows, n_columns = table.shape
    for count, least, what in ((n_rows, least_rows, "sample(s)"), (n_columns, 1, "feature(s)")):
        if count < least:  # the words are scikit-learn's
            raise ValueError(
                f"Found array with {count} {what} (shape={table.shape}) while a minimum of {least} is "
                f"required."
            )
    return table


def as_container(X: Any) -> Any:
    """X as an array, a sequence, a sparse matrix or a data frame: loaded and unwrapped where need be."""
    if is_remote(X):
        X = _loaded(X)
    elif hasattr(type(X), "to_native"):  # what narwhals wraps
        X = X.to_native()
    if isinstance(X, np.matrix):
        raise TypeError("X must not be a np.matrix, which is not supported. Pass np.asarray(X).")
    if not (sparse.issparse(X) or is_frame(X) or is_array(X)):
        raise TypeError(f"X must be a table of numbers in memory; got {_described(X)}. {_fix(X)}")
    return X


def is_out_of_core(X: Any) -> bool:
    """Whether X offers `Rows`, or replaces rows: a summary, a measured table."""
    kind = type(X)
    return hasattr(kind, "_replaces_rows") or all(
        hasattr(kind, name) for name in ("reduce", "head", "labels")
    )


def dask_as_rows(X: Any) -> Any:
    """An array or data frame of Dask as rows; anything else as it is."""
    own = type(X).__module__.split(".")[0] in ("dask", "dask_expr")
    return DaskRows(X) if own and is_dask(X) else X


def is_remote(X: Any) -> bool:
    """Whether the numbers have yet to be computed or read: dask, xarray on top of it, h5py, zarr."""
    kind = type(X)
    if hasattr(kind, "__dask_graph__"):
        return X.__dask_graph__() is not None
    return hasattr(kind, "read_direct") or (hasattr(kind, "chunks") and hasattr(kind, "__array__"))


def _loaded(X: Any) -> Any:
    """All of it in memory, with a warning: data out of core may be too large for that."""
    known = np.isfinite(_n_bytes(X))
    if known:  # before it takes its time
        _warn_loaded(X, X)
    loaded = X.compute() if hasattr(X, "compute") else np.asarray(X)
    if not known:
        _warn_loaded(X, loaded)
    return loaded


def _n_bytes(X: Any) -> float:
    """Its size, NaN where that is not known before it is loaded."""
    try:
        n_bytes = X.memory_usage(deep=False).sum() if hasattr(X, "memory_usage") else X.nbytes
    except (AttributeError, NotImplementedError):
        n_bytes = None
    return float(n_bytes) if is_number(n_bytes) else np.nan


def _warn_loaded(X: Any, sized: Any) -> None:
    warn(
        f"X, of type {type(X).__module__.split('.')[0]} {type(X).__name__}, is loaded whole: "
        f"{sized.shape[0]} x {sized.shape[-1]}, {_n_bytes(sized) / 1e6:.3g} MB."
    )


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the caller of this package, however deep the reason was found."""
    level, package = 1, __name__.split(".")[0]
    while sys._getframe(level).f_globals.get("__name__", "").split(".")[0] == package:
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def _described(X: Any) -> str:
    if X is None or isinstance(X, str | bytes | os.PathLike | bool | int | float):
        return shown(X)
    return f"the class {X.__name__}" if isinstance(X, type) else f"an object of type {type(X).__name__}"


def _fix(X: Any) -> str:
    return next(fix for applies, fix in _FIXES if applies(X))


def _offers(*names: str) -> Callable[[Any], bool]:
    return lambda X: all(hasattr(type(X), name) for name in names)


_SCAN = "pass fisherset.scan(X, target=...), without y."
_FIXES: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (is_out_of_core, "This needs the rows together; GeneralizedFisherScore and FisherScore do not."),
    (
        lambda X: isinstance(X, str | bytes | os.PathLike),
        f"Read the file first, as by pandas.read_csv, or {_SCAN}",
    ),
    (_offers("mod", "obs"), "Pass one modality as a table, as by X.mod[name].to_df()."),
    (is_anndata, "For AnnData pass fisherset.scan(X, target=...) without y, or X.to_df()."),
    (_offers("to_memory"), "Call its to_memory() first."),
    (_offers("collect_schema"), f"Call its collect() first, or {_SCAN}"),
    (_offers("to_arrow_table"), f"Call its df() first, or {_SCAN}"),  # DuckDB
    (_offers("get_fragments"), f"Call its to_table() first, or {_SCAN}"),  # pyarrow.dataset
    (lambda X: isinstance(X, Mapping), "Pass pandas.DataFrame(X)."),
    (lambda X: isinstance(X, Iterator), "Pass list(X)."),
    (lambda X: isinstance(X, Set), "Pass a list, as a set has no order."),
    (_offers("__dataframe__"), "Pass the data frame itself."),
    (_offers("__arrow_c_stream__"), "Pass pyarrow.table(X)."),
    (_offers("__cuda_array_interface__"), "Copy it to a numpy array first, as by X.get()."),
    (lambda X: True, "Pass a numpy array, a sparse matrix or a data frame."),
)
