"""The checks on data: one sentence each, with the rule, the value and the fix."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from fisherset._types import Floats, Indices
from fisherset.selectors._parameters import is_integer, is_number, shown

NAMED = 5  # columns a message lists at the most


def check_table(estimator: Any, X: Any) -> Any:
    """X as a numeric array or CSR/CSC matrix, dtype kept, its names noted on the estimator.

    NaN and infinity pass here: the class sums find them without another pass.
    """
    _reject_unsuitable(X)
    return validate_data(estimator, X, **_TABLE)


def column_names(X: Any) -> list[str] | None:
    """Names of the columns of a data frame, None where there are none or not all are strings."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def check_bare_table(X: Any) -> Any:
    """The same for functions, which have no estimator to note names on."""
    _reject_unsuitable(X)
    return check_array(X, **_TABLE)


_TABLE: dict[str, Any] = {
    "accept_sparse": ("csr", "csc"),
    "dtype": "numeric",
    "ensure_all_finite": False,
    "ensure_min_samples": 2,
}


def _reject_unsuitable(X: Any) -> None:
    """Say which columns are no numbers, where plain conversion would only fail on some value."""
    dtype = getattr(X, "dtype", None)
    if hasattr(X, "collect_schema") and not hasattr(X, "to_numpy"):
        raise TypeError(f"X must be a table in memory; got {type(X).__name__}. Call its collect() first.")
    if getattr(dtype, "kind", "") == "c":
        raise ValueError(
            f"X must hold real numbers; got {dtype} (Complex data not supported). "
            f"Pass real and imaginary parts as columns of their own."
        )
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        kinds = [_column_kind(X, j, dtype) for j, dtype in enumerate(X.dtypes)]
        names = list(X.columns)
    elif getattr(X, "ndim", 0) == 2 and getattr(dtype, "kind", "") in "OUSmM" and not sparse.issparse(X):
        kinds = [_array_kind(X[:, j]) for j in range(X.shape[1])]
        names = list(range(X.shape[1]))
    else:
        return
    for kind, fix in _UNSUITABLE.items():
        bad = [name for name, found in zip(names, kinds, strict=True) if found == kind]
        if bad:
            raise ValueError(f"X must hold numbers only; {_columns(bad)} {kind}. {fix}")


_UNSUITABLE = {
    "text": "Encode them, for example with sklearn.preprocessing.OneHotEncoder, or drop them.",
    "dates or times": "Turn them into numbers first, for example days since a fixed date, or drop them.",
}
_TIMES = ("date", "time", "duration", "period", "interval")


def _column_kind(X: Any, j: int, dtype: Any) -> str:
    name = str(dtype).lower()
    if name.startswith(_TIMES):
        return "dates or times"
    if name.startswith(("str", "cat", "object", "enum")):
        return _array_kind(np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)))
    return "numbers"


def _array_kind(column: NDArray[Any]) -> str:
    if column.dtype.kind in "mM":
        return "dates or times"
    if column.dtype.kind in "US":
        return "text"
    if column.dtype == object and any(isinstance(value, str | bytes) for value in column.tolist()):
        return "text"
    return "numbers"


def check_labels(y: Any, n_samples: int) -> tuple[NDArray[Any], Indices]:
    """The classes and each sample's class number, from labels of any hashable kind."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    if y.shape[0] != n_samples:
        raise ValueError(
            f"X and y must have the same number of samples; got {n_samples} rows in X and "
            f"{y.shape[0]} labels in y (inconsistent numbers of samples)."
        )
    if y.dtype == object and all(isinstance(label, numbers.Real) for label in y.tolist()):
        y = np.array(y.tolist())
    if y.dtype.kind == "c":
        raise ValueError(f"y must hold class labels; got complex numbers. {_BINNING}")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise ValueError(
                f"y must not contain NaN or infinity; {np.sum(~np.isfinite(y))} of its labels do. "
                f"Drop those samples or give them a class of their own."
            )
        if (y != np.floor(y)).any():
            raise ValueError(f"y must hold class labels; got continuous values. {_BINNING}")
    classes, codes = _encode(y)
    if classes.size < 2:
        raise ValueError(
            f"y must hold at least two classes; got one class, {shown(classes[0])}, only. "
            f"There is nothing to tell apart."
        )
    if classes.size == n_samples:
        raise ValueError(
            f"y must have a class with two or more samples; got {n_samples} samples in as many "
            f"classes. Is y an identifier or a continuous target?"
        )
    return classes, codes


_BINNING = "Bin a continuous target first, for example with sklearn.preprocessing.KBinsDiscretizer."


def _encode(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    if y.dtype.kind in "OmM":
        missing = sum(_is_missing(label) for label in y.tolist())
        if missing:
            raise ValueError(
                f"y must not contain missing labels (None or NaN); {missing} of them are. "
                f"Drop those samples or give them a class of their own."
            )
        kinds = {type(label) for label in y.tolist()}
        if y.dtype == object and (len(kinds) > 1 or not kinds <= {str, bytes}):
            return _encode_objects(y.tolist())
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.intp)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # the NA of pandas has no truth value
        return True


def _encode_objects(labels: list[Any]) -> tuple[NDArray[Any], Indices]:
    """Classes of labels that may not compare with each other: any order will do that is always the same."""
    try:
        distinct = sorted(set(labels), key=lambda label: (type(label).__name__, repr(label)))
    except TypeError:
        raise TypeError(
            f"y must hold hashable labels such as strings, numbers or tuples; got {shown(labels[0])}."
        ) from None
    number = {label: code for code, label in enumerate(distinct)}
    classes = np.empty(len(distinct), dtype=object)
    for code, label in enumerate(distinct):
        classes[code] = label
    return classes, np.array([number[label] for label in labels], dtype=np.intp)


def check_weights(sample_weight: Any, codes: Indices, n_classes: int) -> Floats | None:
    """Weights as an array, None where they are all one; every class must keep some."""
    if sample_weight is None:
        return None
    n_samples = codes.size
    if is_number(sample_weight):
        sample_weight = np.full(n_samples, float(sample_weight))
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "biuf":
        try:
            weights = np.asarray(weights.tolist(), dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                f"sample_weight must be an array of numbers or None; got {shown(sample_weight)}."
            ) from None
    weights = weights.astype(np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} samples (1D array); "
            f"got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(
            f"sample_weight must be finite and not negative; got {bad:g}. "
            f"Use a weight of 0 to leave a sample out."
        )
    total = float(weights.sum())
    if total and not 1e-100 < total < 1e100:
        raise ValueError(
            f"sample_weight must sum to a number between 1e-100 and 1e100; got {total:g}. "
            f"Divide the weights by their mean."
        )
    classes_left = np.count_nonzero(np.bincount(codes, weights, minlength=n_classes))
    if classes_left < 2:
        raise ValueError(
            f"sample_weight must leave at least two classes with weight; got {classes_left}: all "
            f"samples of the other classes weigh zero."
        )
    return None if (weights == 1.0).all() else weights


def check_magnitude(diagonal: Floats) -> None:
    """Squared lengths of columns that float64 can hold, with room for their products."""
    if diagonal.size and not (diagonal.min() > 1e-150 and diagonal.max() < 1e150):
        worst = max(diagonal.min(), diagonal.max(), key=lambda value: abs(np.log(max(value, 1e-300))))
        raise ValueError(
            f"Without standardize, the sum of squares of a column must lie between 1e-150 and 1e150; "
            f"got {worst:g}. Rescale the table, or use standardize=True."
        )


def reject_nonfinite(finite: NDArray[np.bool_], names: Any) -> None:
    """Name the columns that hold NaN or infinity."""
    if not finite.all():
        bad = np.flatnonzero(~finite)
        listed = bad.tolist() if names is None else [names[j] for j in bad]
        raise ValueError(
            f"X must not contain NaN or infinity; {_columns(listed)} some. Impute them, for "
            f"example with sklearn.impute.SimpleImputer, or drop the columns."
        )


def check_features(features: Any, n_features: int, names: Any) -> Indices:
    """Column numbers, in column order, from numbers, a boolean mask or names."""
    items = features.tolist() if hasattr(features, "tolist") else _listed(features)
    if not items or any(isinstance(item, list) for item in items):
        raise ValueError(
            f"features must be a non-empty list of column numbers or names, or a boolean mask; "
            f"got {shown(features)}."
        )
    if all(isinstance(item, bool | np.bool_) for item in items):
        if len(items) != n_features:
            raise ValueError(
                f"features as a boolean mask must have one entry for each of the {n_features} "
                f"features; got {len(items)}."
            )
        chosen = np.flatnonzero(items)
    elif all(is_integer(item) for item in items):
        outside = [item for item in items if not 0 <= item < n_features]
        if outside:
            raise ValueError(f"features must be column numbers from 0 to {n_features - 1}; got {outside[0]}.")
        chosen = np.array(items, dtype=np.intp)
    elif all(isinstance(item, str) for item in items):
        chosen = _positions(items, names)
    else:
        raise TypeError(
            f"features must be all column numbers, all names, or a boolean mask; got {shown(features)}."
        )
    if chosen.size == 0:
        raise ValueError("features must contain at least one column; got an empty mask.")
    if np.unique(chosen).size != chosen.size:
        raise ValueError("features must not name a column twice. Drop the repeated ones.")
    return np.sort(chosen)


def _listed(features: Any) -> list[Any]:
    try:
        return [features] if isinstance(features, str) else list(features)
    except TypeError:
        return [features]


def _positions(items: list[str], names: list[str] | None) -> Indices:
    if names is None:
        raise ValueError(
            "features were given by name, but X has no column names. Pass a DataFrame, or column numbers."
        )
    position = {name: j for j, name in enumerate(names)}
    unknown = [name for name in items if name not in position]
    if unknown:
        raise ValueError(f"features must be columns of X; {shown(unknown[0])} is not one of them.")
    return np.array([position[name] for name in items], dtype=np.intp)


def _columns(items: list[Any]) -> str:
    """`column 'a' holds` / `columns 'a', 'b' and 3 more hold`."""
    listed = ", ".join(shown(item) for item in items[:NAMED])
    more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return f"column {listed} holds" if len(items) == 1 else f"columns {listed}{more} hold"


def warn_constant(constant: NDArray[np.bool_], support: NDArray[np.bool_]) -> None:
    """Warn when so many features were asked for that constant ones had to be chosen."""
    n_chosen = int(np.count_nonzero(constant & support))
    if n_chosen:
        warnings.warn(
            f"n_features_to_select is larger than the number of features that vary, "
            f"{np.count_nonzero(~constant)}: {n_chosen} constant ones are among the selected.",
            UserWarning,
            stacklevel=3,
        )
