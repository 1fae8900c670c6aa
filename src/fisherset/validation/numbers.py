"""The numbers of a table, or of a block of its rows: of any container, or a sentence why there are none."""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats
from fisherset.validation.parameters import reason, shown

EXACT = 2**53  # whole numbers that float64 can tell apart

_LONG = re.compile(r"u?int64(\[pyarrow\])?$")
_TIMES = ("date", "time", "duration", "period", "interval")


class Unfit(Enum):
    """Contents of a column that are no numbers, and the fix."""

    TEXT = (
        "text",
        "Encode them, as scan(table, target=...) or sklearn.preprocessing.OneHotEncoder does, or drop them.",
    )
    DATES = (
        "dates or times",
        "Turn them into numbers first, for example days since a fixed date, or drop them.",
    )
    COMPLEX = "complex numbers", "Pass real and imaginary parts as columns of their own."
    LARGE = "numbers beyond the range of float64", "Divide them by a large number first."
    ROUNDED = (
        "integers beyond 2**53 that float64 rounds",
        "Subtract an offset, drop identifiers, or use astype(float) where rounding does no harm.",
    )
    OBJECTS = (
        "objects (the argument must be a string or a real number)",  # words that scikit-learn looks for
        "Give each number in them a column of its own, or drop them.",
    )


def is_frame(X: Any) -> bool:
    """A data frame of pandas, polars or pyarrow, or one that looks like it."""
    kind = type(X)
    of_arrow = hasattr(kind, "column_names") and hasattr(kind, "column")
    return of_arrow or (hasattr(kind, "columns") and (hasattr(kind, "iloc") or hasattr(kind, "get_columns")))


def labels_of_columns(X: Any) -> list[Any]:
    """Names of the columns of a data frame, of any type."""
    return list(X.column_names if hasattr(type(X), "column_names") else X.columns)


def column_of(X: Any, j: int) -> Any:
    """A column of a data frame by its number."""
    if hasattr(type(X), "iloc"):
        return X.iloc[:, j]
    return X.column(j) if hasattr(type(X), "column_names") else X.to_series(j)


def dtypes_of(X: Any) -> list[Any]:
    """Types of the columns of a data frame."""
    return list(X.schema.types if hasattr(type(X), "column_names") else X.dtypes)


def is_masked(values: Any) -> bool:
    """Whether entries are masked; only of numpy's own, as pandas keeps its nulls in masks, too."""
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any())


def is_array(X: Any) -> bool:
    """Whether numpy can make an array of X in one go, or row by row where it is a sequence of rows."""
    if isinstance(X, str | bytes | bytearray | np.generic | type):
        return False
    return isinstance(X, Sequence | memoryview) or any(
        hasattr(type(X), name) for name in ("__array__", "__array_interface__", "__array_struct__")
    )


def as_numbers(X: Any) -> Any:
    """A table, or a block of it, as an array or a CSR/CSC matrix of numbers that float64 can tell apart."""
    reject_masked(X)
    if sparse.issparse(X):
        return _from_sparse(X)
    return _from_frame(X) if is_frame(X) else _from_array(X)


def reject_masked(X: Any) -> None:
    """Refuse masked entries, which numpy would read as if they were not."""
    if is_masked(X):
        _check_dimensions(X.ndim, X)
        where = np.flatnonzero(np.ma.getmaskarray(X).any(axis=0))
        raise ValueError(
            f"X must not have masked entries; {listed_columns(where.tolist())} some. Fill them, for example "
            f"with X.filled(value), or drop the columns."
        )


def _from_sparse(X: Any) -> Any:
    _check_dimensions(X.ndim, X)
    if X.dtype.kind == "c":
        _reject_complex(X.dtype)
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"X must hold numbers only; got a sparse matrix of {X.dtype}. Convert it to float64."
        )
    table = X if X.format in ("csr", "csc") else X.tocsr()
    if _too_large(table.data):
        by_column = table.tocsc()
        columns = np.split(by_column.data, by_column.indptr[1:-1])
        _reject(Unfit.ROUNDED, [j for j, column in enumerate(columns) if _is_rounded(column)])
    return _as_double(table)


def _read(X: Any, dtype: Any = None) -> NDArray[Any]:
    try:
        return np.asarray(X, dtype=dtype)
    except Exception as error:  # of any kind: each library has its own
        raise (TypeError if isinstance(error, TypeError) else ValueError)(
            f"X must be a table that numpy can read; got {type(X).__name__}: {reason(error)}."
        ) from error


def _from_array(X: Any) -> NDArray[Any]:
    table = _read(X)
    if isinstance(X, list | tuple) and _may_differ(table):
        table = _read(X, object)
    kind = table.dtype.kind
    if kind == "V":
        raise ValueError(
            f"X must hold numbers only; got {shown(table.dtype)}. Pass records as pandas.DataFrame(X), and "
            f"other kinds of numbers as float64."
        )
    _check_dimensions(table.ndim, X)
    if kind == "c":
        _reject_complex(table.dtype)
    if kind not in "biuf":
        return _assembled([_numbers(column) for column in table.T], list(range(table.shape[1])))
    return _checked(table, list(range(table.shape[1])))


def _checked(table: NDArray[Any], labels: list[Any]) -> NDArray[Any]:
    """A table of numbers, unless float64 would round its integers."""
    if _too_large(table):
        columns = zip(labels, table.T, strict=True)
        _reject(Unfit.ROUNDED, [label for label, column in columns if _is_rounded(column)])
    return _as_double(table)


def _as_double(values: Any) -> Any:
    """Numbers as they are, but for those of more than 64 bits."""
    with np.errstate(over="ignore"):  # what overflows is infinite, which is found
        return values if values.dtype.itemsize <= 8 else values.astype(np.float64)


def _may_differ(table: NDArray[Any]) -> bool:
    """Whether numpy may have changed the entries of a list: to text, or by rounding integers among floats."""
    if table.dtype.kind == "f":
        return bool(table.size) and not np.abs(table).max() < EXACT  # NaN too
    return table.dtype.kind in "US"


def _from_frame(X: Any) -> Any:
    """A frame of plain numbers is taken as it is, any other column by column."""
    labels, dtypes = labels_of_columns(X), dtypes_of(X)
    if dtypes and all(str(dtype).startswith("Sparse[") for dtype in dtypes):
        if all(dtype.fill_value == 0 for dtype in dtypes):
            return _from_sparse(X.sparse.to_coo())
    elif dtypes and all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        if len(set(dtypes)) > 1:  # integers among floats
            whole = [j for j, dtype in enumerate(dtypes) if dtype.kind in "iu" and dtype.itemsize == 8]
            _reject(Unfit.ROUNDED, [labels[j] for j in whole if _is_rounded(_read(column_of(X, j)))])
        return _checked(_read(X), labels)
    found = [_column_numbers(column_of(X, j), str(dtype).lower()) for j, dtype in enumerate(dtypes)]
    return _assembled(found, labels) if found else np.empty((X.shape[0], 0))


def _column_numbers(column: Any, dtype: str) -> NDArray[Any] | Unfit:
    """The numbers of a column, or what it holds instead."""
    if dtype.startswith(_TIMES):
        return Unfit.DATES
    values = _read(column)
    if "int128" in dtype or (values.dtype.kind == "f" and _LONG.match(dtype)):
        # numpy has no integers that long, and none with nulls among them: it would round
        entries = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        values = np.array(entries, dtype=object)
    return _numbers(values)


def _numbers(values: NDArray[Any]) -> NDArray[Any] | Unfit:
    """The same for an array of any dtype; nulls become NaN."""
    kind = values.dtype.kind
    if values.ndim != 1 or kind == "V":
        return Unfit.OBJECTS
    if kind in "biuf":
        return Unfit.ROUNDED if _is_rounded(values) else _as_double(values)
    if kind in "mM":
        return Unfit.DATES
    if kind == "c":
        return Unfit.COMPLEX
    if kind != "O":
        return Unfit.TEXT
    entries = values.tolist()
    types = set(map(type, entries))
    if any(issubclass(found, str | bytes) for found in types):
        return Unfit.TEXT
    if any(issubclass(found, list | tuple | np.ndarray) for found in types):
        return Unfit.OBJECTS  # numpy may take those of one entry for it
    try:
        floats = values.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError):
        kinds = [found for found in map(_object_kind, entries) if found]
        if kinds:
            return kinds[0]
        floats = np.array([np.nan if is_null(entry) else float(entry) for entry in entries])
    large = np.flatnonzero(~(np.abs(floats) < EXACT))
    return Unfit.ROUNDED if any(_differs(entries[i], floats[i]) for i in large) else floats


def _object_kind(entry: Any) -> Unfit | None:
    """Why an entry is no number that float64 holds; None where it is, or a null."""
    if isinstance(entry, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        return Unfit.DATES if entry == entry else None
    if isinstance(entry, numbers.Complex) and not isinstance(entry, numbers.Real):
        return Unfit.COMPLEX
    try:
        float(entry)
    except OverflowError:
        return Unfit.LARGE
    except (TypeError, ValueError):
        return None if is_null(entry) else Unfit.OBJECTS
    return None


def is_null(entry: Any) -> bool:
    """None, NaN, NaT, and what has no truth value when it is compared with itself: the NA of pandas."""
    try:
        return entry is None or bool(entry != entry)
    except (TypeError, ArithmeticError):
        return True
    except ValueError:  # an array
        return False


def _differs(entry: Any, number: float) -> bool:
    """Whether a whole number is not what float64 makes of it."""
    whole = isinstance(entry, numbers.Integral | Decimal) and np.isfinite(number)
    return bool(whole and entry == int(entry) and int(number) != int(entry))


def _assembled(found: list[NDArray[Any] | Unfit], labels: list[Any]) -> NDArray[Any]:
    """The columns side by side, unless some are no numbers."""
    for kind in Unfit:
        _reject(kind, [label for label, column in zip(labels, found, strict=True) if column is kind])
    return np.column_stack([column for column in found if not isinstance(column, Unfit)])


def _reject(kind: Unfit, bad: list[Any]) -> None:
    """Name the columns that hold something else than numbers."""
    if bad:
        rule = (
            "numbers that float64 can tell apart" if kind in (Unfit.LARGE, Unfit.ROUNDED) else "numbers only"
        )
        what, fix = kind.value
        raise (TypeError if kind == Unfit.OBJECTS else ValueError)(
            f"X must hold {rule}; {listed_columns(bad)} {what}. {fix}"
        )


def _too_large(values: NDArray[Any]) -> bool:
    """Whether there are integers that float64 may have to round."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    return bool(values.max() > EXACT) or bool(values.min() < -EXACT)


def _is_rounded(values: NDArray[Any]) -> bool:
    """Whether there are integers that float64 does round."""
    if not _too_large(values):
        return False
    with np.errstate(invalid="ignore"):  # beyond the largest integer, which is a difference
        return bool((values.astype(np.float64).astype(values.dtype) != values).any())


def _reject_complex(dtype: Any) -> None:
    raise ValueError(
        f"X must hold real numbers; got {dtype} (Complex data not supported). {Unfit.COMPLEX.value[1]}"
    )


def _check_dimensions(ndim: int, X: Any) -> None:
    if ndim == 1:
        raise ValueError(
            f"X must be a table (Expected 2D array, got 1D array instead); got {type(X).__name__}. "
            f"Pass a table of one column for a single feature, as by np.reshape(X, (-1, 1))."
        )
    if ndim != 2:
        raise ValueError(
            f"X must be a table with rows and columns; got {type(X).__name__} of dim {ndim}. Reshape it so "
            f"that each sample is a row."
        )


NONFINITE = {  # by the parameter `missing`: what must not be there, and the fix
    None: (
        "NaN or infinity",
        "Impute them, for example with sklearn.impute.SimpleImputer, or drop the columns.",
    ),
    "error": ("NaN or infinity", 'Pass missing="mean" to fill missing values, or drop the columns.'),
    "mean": ("infinity", "Replace it by NaN, or drop the columns."),
}


def reject_nonfinite(
    finite: NDArray[np.bool_],
    names: Any,
    locate: Callable[[int], str] | None = None,
    missing: str | None = None,
) -> None:
    """Name the columns that hold NaN or infinity, and where the first of them does, if that can be told.

    `missing` is the parameter of that name of the selector or function, None where it has none.
    """
    if not finite.all():
        bad = np.flatnonzero(~finite)
        listed = bad.tolist() if names is None else [names[j] for j in bad]
        place = "" if locate is None else locate(int(bad[0]))
        what, fix = NONFINITE[missing]
        raise ValueError(
            f"X must not contain {what}; {listed_columns(listed)} some{place and ', '}{place}. {fix}"
        )


def check_magnitude(diagonal: Floats) -> None:
    """Squared lengths of columns that float64 can hold, with room for their products."""
    if diagonal.size and not (diagonal.min() > 1e-150 and diagonal.max() < 1e150):
        worst = max(diagonal.min(), diagonal.max(), key=lambda value: abs(np.log(max(value, 1e-300))))
        raise ValueError(
            f"Without standardize, the sum of squares of a column must lie between 1e-150 and 1e150; "
            f"got {worst:g}. Rescale the table, or use standardize=True."
        )


def check_comparable(squares: Floats, varying: NDArray[np.bool_], names: Any) -> None:
    """Sums of squares that can be added up, relative to the largest: less than float64 holds is lost."""
    lost = np.flatnonzero(varying & (squares < 1e-280))
    if lost.size:
        listed = lost.tolist() if names is None else [names[j] for j in lost]
        raise ValueError(
            f"A ratio of sums needs columns within 140 decades of each other; {listed_columns(listed)} "
            "numbers too small compared with the largest. Standardise the columns first, or drop these."
        )


def listed_columns(items: list[Any]) -> str:
    """`column 'a' holds` / `columns 'a', 'b' and 3 more hold`."""
    listed = ", ".join(shown(item) for item in items[:5])
    more = f" and {len(items) - 5} more" if len(items) > 5 else ""
    return f"column {listed} holds" if len(items) == 1 else f"columns {listed}{more} hold"
