"""The checks on what a user hands in: one sentence each, with the rule, the value and the fix."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, column_or_1d, validate_data

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

NAMED = 5  # columns or labels a message lists at the most


# ---------------------------------------------------------------- parameters
def check_count(value: Any, n_features: int) -> int:
    """Number of features from `n_features_to_select`: a count, a share, or None for half."""
    name = "n_features_to_select"
    if value is None:
        return max(1, n_features // 2)
    if _is_integer(value):
        if value < 1:
            raise ValueError(f"{name} must be at least 1; got {value}.")
        if value > n_features:
            raise ValueError(
                f"{name} must be at most the number of features, {n_features}; got {value}. "
                f"Ask for fewer features, or for a share such as 0.5."
            )
        return int(value)
    if _is_number(value):
        if not 0 < value < 1:
            raise ValueError(
                f"{name} as a share must lie strictly between 0 and 1; got {value!r}. "
                f"Pass an int for a count of features."
            )
        return max(1, int(value * n_features))
    raise TypeError(
        f"{name} must be an int (a count), a float in (0, 1) (a share) or None (half of the "
        f"features); got {value!r}."
    )


def check_number(name: str, value: Any, *, above: float, optional: bool = False) -> None:
    """A finite real parameter that must exceed a bound."""
    if value is None and optional:
        return
    if not _is_number(value):
        suffix = " or None" if optional else ""
        raise TypeError(f"{name} must be a number greater than {above:g}{suffix}; got {value!r}.")
    if not value > above or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number greater than {above:g}; got {value!r}.")


def check_gamma(value: Any) -> None:
    """`gamma`: the string "scale" or a positive number."""
    if isinstance(value, str):
        if value != "scale":
            raise ValueError(f'gamma must be a positive number or "scale"; got {value!r}.')
        return
    check_number("gamma", value, above=0.0)


def check_integer(name: str, value: Any, *, least: int) -> None:
    """An integer parameter with a least value."""
    if not _is_integer(value):
        raise TypeError(f"{name} must be an int of at least {least}; got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}; got {value}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """A string parameter out of a few."""
    if value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {listed}; got {value!r}.")


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


# ---------------------------------------------------------------------- data
def check_table(estimator: Any, X: Any) -> Any:
    """X as a numeric array or CSR/CSC matrix, dtype kept, its names noted on the estimator.

    NaN and infinity pass here: the class sums find them without another pass.
    """
    _reject_text(X)
    _reject_complex(X)
    return validate_data(estimator, X, **_TABLE)


def column_names(X: Any) -> list[str] | None:
    """Names of the columns of a data frame, None where there are none or not all are strings."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def check_bare_table(X: Any) -> Any:
    """The same for functions, which have no estimator to note names on."""
    _reject_text(X)
    _reject_complex(X)
    return check_array(X, **_TABLE)


_TABLE: dict[str, Any] = {
    "accept_sparse": ("csr", "csc"),
    "dtype": "numeric",
    "ensure_all_finite": False,
    "ensure_min_samples": 2,
}


def _reject_text(X: Any) -> None:
    """Say which columns hold text, where plain conversion would only say what text."""
    if sparse.issparse(X) or isinstance(X, list | tuple):
        return
    dtypes = getattr(X, "dtypes", None)
    if dtypes is not None and hasattr(X, "columns"):
        text = [name for name, dtype in zip(X.columns, dtypes, strict=True) if _is_text(X[name], dtype)]
    elif getattr(X, "ndim", 0) == 2 and X.dtype.kind in "OUS":
        text = [j for j in range(X.shape[1]) if not _convertible(X[:, j])]
    else:
        return
    if text:
        raise ValueError(
            f"X must hold numbers only; {_columns(text)} text. Encode them, for example with "
            f"sklearn.preprocessing.OneHotEncoder, or drop them."
        )


def _reject_complex(X: Any) -> None:
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", "") == "c":
        raise ValueError(
            f"X must hold real numbers; got {dtype} (Complex data not supported). "
            f"Pass real and imaginary parts as columns of their own."
        )


def _is_text(column: Any, dtype: Any) -> bool:
    if str(dtype).lower() in {"str", "string", "categorical", "category", "object", "enum"}:
        return not _convertible(np.asarray(column))
    return False


def _convertible(column: NDArray[Any]) -> bool:
    if column.dtype.kind in "US":
        return False
    try:
        return not any(isinstance(value, str | bytes) for value in column.ravel()[:10_000])
    except TypeError:
        return True


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
            f"y must hold at least two classes; got one class, {_shown(classes[0])}, only. "
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
    if y.dtype == object:
        missing = sum(_is_missing(label) for label in y.tolist())
        if missing:
            raise ValueError(
                f"y must not contain missing labels (None or NaN); {missing} of them are. "
                f"Drop those samples or give them a class of their own."
            )
        kinds = {type(label) for label in y.tolist()}
        if len(kinds) > 1 or not kinds <= {str, bytes, int, float, bool}:
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
            f"y must hold hashable labels such as strings, numbers or tuples; got {_shown(labels[0])}."
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
    if _is_number(sample_weight):
        sample_weight = np.full(n_samples, float(sample_weight))
    weights: Floats = np.asarray(sample_weight, dtype=np.float64)
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
    classes_left = np.count_nonzero(np.bincount(codes, weights, minlength=n_classes))
    if classes_left < 2:
        raise ValueError(
            f"sample_weight must leave at least two classes with weight; got {classes_left}: all "
            f"samples of the other classes weigh zero."
        )
    return None if (weights == 1.0).all() else weights


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
    array = np.asarray(features)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(
            f"features must be a non-empty list of column numbers or names, or a boolean mask; "
            f"got {features!r}."
        )
    if array.dtype == bool:
        if array.size != n_features:
            raise ValueError(
                f"features as a boolean mask must have one entry for each of the {n_features} "
                f"features; got {array.size}."
            )
        chosen = np.flatnonzero(array)
    elif array.dtype.kind in "iu":
        outside = array[(array < 0) | (array >= n_features)]
        if outside.size:
            raise ValueError(f"features must be column numbers from 0 to {n_features - 1}; got {outside[0]}.")
        chosen = array.astype(np.intp)
    elif array.dtype.kind in "UOT":
        if names is None:
            raise ValueError(
                "features were given by name, but X has no column names. Pass a DataFrame, or column numbers."
            )
        position = {name: j for j, name in enumerate(names)}
        unknown = [name for name in array.tolist() if name not in position]
        if unknown:
            raise ValueError(f"features must be columns of X; {_shown(unknown[0])} is not one of them.")
        chosen = np.array([position[name] for name in array.tolist()], dtype=np.intp)
    else:
        raise TypeError(
            f"features must be column numbers, names or a boolean mask; got values of type {array.dtype}."
        )
    if chosen.size == 0:
        raise ValueError("features must contain at least one column; got an empty mask.")
    if np.unique(chosen).size != chosen.size:
        raise ValueError("features must not name a column twice. Drop the repeated ones.")
    return np.sort(chosen)


def _columns(items: list[Any]) -> str:
    """`column 'a' holds` / `columns 'a', 'b' and 3 more hold`."""
    listed = ", ".join(_shown(item) for item in items[:NAMED])
    more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return f"column {listed} holds" if len(items) == 1 else f"columns {listed}{more} hold"


def _shown(item: Any) -> str:
    text = repr(item.item() if isinstance(item, np.generic) else item)
    return text if len(text) <= 80 else text[:77] + "..."


def warn_constant(constant: NDArray[np.bool_], chosen: Indices) -> None:
    """Warn when so many features were asked for that constant ones had to be chosen."""
    n_chosen = int(np.count_nonzero(constant[chosen]))
    if n_chosen:
        warnings.warn(
            f"n_features_to_select is larger than the number of features that vary, "
            f"{np.count_nonzero(~constant)}: {n_chosen} constant ones are among the selected.",
            UserWarning,
            stacklevel=3,
        )
