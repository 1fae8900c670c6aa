"""What X may come in: told by what it offers, refused at once where it is no table in memory.

Nothing but arrays, sequences of rows, sparse matrices and data frames is ever handed to numpy: whatever
else has a length and can be indexed it would read entry by entry, for minutes.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from scipy import sparse

from fisherset.data import DaskRows, is_dask
from fisherset.validation.parameters import is_number, shown

MEGABYTE = 1e6


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


def is_rows(X: Any) -> bool:
    """Whether X is a table that stays where it is: what `Rows` asks for."""
    return all(hasattr(type(X), name) for name in ("reduce", "head", "labels"))


def is_elsewhere(X: Any) -> bool:
    """Whether X is a table that stays where it is, or a summary of one."""
    return is_rows(X) or hasattr(type(X), "gathered")


def left_there(X: Any) -> Any:
    """An array or data frame of Dask as rows that stay where they are; anything else as it is."""
    own = type(X).__module__.split(".")[0] in ("dask", "dask_expr")
    return DaskRows(X) if own and is_dask(X) else X


def is_frame(X: Any) -> bool:
    """A data frame of pandas, polars or pyarrow, or one that looks like it."""
    kind = type(X)
    of_arrow = hasattr(kind, "column_names") and hasattr(kind, "column")
    return of_arrow or (hasattr(kind, "columns") and (hasattr(kind, "iloc") or hasattr(kind, "get_columns")))


def labels_of_columns(X: Any) -> list[Any]:
    """What a data frame calls its columns."""
    return list(X.column_names if hasattr(type(X), "column_names") else X.columns)


def column_of(X: Any, j: int) -> Any:
    """A column of a data frame by its number."""
    if hasattr(type(X), "iloc"):
        return X.iloc[:, j]
    return X.column(j) if hasattr(type(X), "column_names") else X.to_series(j)


def dtypes_of(X: Any) -> list[Any]:
    """What the columns of a data frame hold."""
    return list(X.schema.types if hasattr(type(X), "column_names") else X.dtypes)


def is_remote(X: Any) -> bool:
    """Whether the numbers have yet to be computed or read: dask, xarray on top of it, h5py, zarr."""
    kind = type(X)
    if hasattr(kind, "__dask_graph__"):
        return X.__dask_graph__() is not None
    return hasattr(kind, "read_direct") or (hasattr(kind, "chunks") and hasattr(kind, "__array__"))


def _loaded(X: Any) -> Any:
    """All of it in memory, which is said: whoever keeps data elsewhere may have a reason."""
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
        f"{sized.shape[0]} x {sized.shape[-1]}, {_n_bytes(sized) / MEGABYTE:.3g} MB."
    )


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the caller of this package, however deep the reason was found."""
    level, package = 1, __name__.split(".")[0]
    while sys._getframe(level).f_globals.get("__name__", "").split(".")[0] == package:
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def is_masked(values: Any) -> bool:
    """Whether entries are masked; only of numpy's own, as pandas keeps its nulls in masks, too."""
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any())


def is_array(X: Any) -> bool:
    """What numpy can make an array of in one go, or row by row where it is a sequence of rows."""
    if isinstance(X, str | bytes | bytearray | np.generic | type):
        return False
    return isinstance(X, Sequence | memoryview) or any(
        hasattr(type(X), name) for name in ("__array__", "__array_interface__", "__array_struct__")
    )


def _described(X: Any) -> str:
    if X is None or isinstance(X, str | bytes | os.PathLike | bool | int | float):
        return shown(X)
    return f"the class {X.__name__}" if isinstance(X, type) else f"an object of type {type(X).__name__}"


def _fix(X: Any) -> str:
    return next(fix for applies, fix in _FIXES if applies(X))


def _offers(*names: str) -> Callable[[Any], bool]:
    return lambda X: all(hasattr(type(X), name) for name in names)


_SCAN = "pass fisherset.scan(X, target=...) to what reads tables where they are."
_FIXES: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (is_elsewhere, "This needs the rows together; GeneralizedFisherScore and FisherScore do not."),
    (
        lambda X: isinstance(X, str | bytes | os.PathLike),
        f"Read the file first, as by pandas.read_csv, or {_SCAN}",
    ),
    (_offers("mod", "obs"), "Pass one modality as a table, as by X.mod[name].to_df()."),
    (_offers("var_names", "obs_names", "X"), "Pass X.to_df() to keep the names of the columns, or X.X."),
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
