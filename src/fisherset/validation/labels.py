"""The checks on y and on the weights: what counts as a class, and how much each sample counts."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from fisherset._types import Floats, Indices
from fisherset.validation.containers import is_array, is_masked
from fisherset.validation.parameters import as_float, is_number, reason, shown
from fisherset.validation.table import is_null

_BINNING = "Bin a continuous target first, for example with sklearn.preprocessing.KBinsDiscretizer."
# Kinds of labels that have an order of their own: any others are ordered by how they read.
_ORDERED = ((numbers.Real, Decimal), (str,), (bytes,), (datetime.date,), (datetime.timedelta,))


def check_labels(y: Any, n_samples: int) -> tuple[NDArray[Any], Indices]:
    """The classes and each sample's class number, from labels of any hashable kind.

    Two labels are of one class when they are equal: 1, 1.0 and True are, "1" is another.
    """
    classes, codes = encode_labels(y, n_samples)
    check_classes(classes, n_samples)
    return classes, codes


def encode_labels(y: Any, n_samples: int | None = None) -> tuple[NDArray[Any], Indices]:
    """The classes of some labels and the class number of each, however few there are."""
    y = _as_labels(y)
    if n_samples is not None and y.shape[0] != n_samples:
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
    return _encode(y)


def check_classes(classes: NDArray[Any], n_samples: int) -> None:
    """Two classes or more, and fewer than samples."""
    if classes.size < 2:
        raise ValueError(
            f"y must hold at least two classes; got one class, {shown(classes[0])}, only. "
            f"There is nothing to tell apart."
        )
    if classes.size == n_samples:
        raise ValueError(
            f"y must have a class with two or more samples; got {n_samples} samples in as many "
            f"classes, as an identifier has. {_BINNING}"
        )


def _as_labels(y: Any) -> NDArray[Any]:
    """The labels in one dimension, none of them changed on the way."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if not is_array(y):
        raise TypeError(f"y must be an array or a list of labels; got {shown(y)}.")
    if is_masked(y):
        raise ValueError(
            f"y must not have masked labels; {np.ma.getmaskarray(y).sum()} of them are. "
            f"Drop those samples or give them a class of their own."
        )
    if isinstance(y, Sequence):
        return _from_list(_plain(list(y)))
    try:
        array = np.asarray(y)
    except Exception as error:  # of any kind: each library has its own
        raise TypeError(
            f"y must be an array or a list of labels; got {type(y).__name__}: {reason(error)}."
        ) from error
    if array.ndim != 1:
        array = _one_column(array)
    if array.dtype == object and all(isinstance(label, numbers.Real) for label in array.tolist()):
        return as_they_are(array.tolist())
    return array


def _plain(labels: list[Any]) -> list[Any]:
    """Labels of pyarrow as those of Python."""
    if not any(hasattr(kind, "as_py") for kind in set(map(type, labels))):
        return labels
    return [label.as_py() if hasattr(label, "as_py") else label for label in labels]


def _one_column(array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim != 2 or array.shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array of one label for each sample; got an array of shape {array.shape}. "
            f"Pass one column of it."
        )
    column: NDArray[Any] = column_or_1d(array, warn=True)  # as scikit-learn warns
    return column


def _from_list(labels: list[Any]) -> NDArray[Any]:
    """Labels in a list; a list of rows is a table, which must have one column."""
    if labels and all(isinstance(label, list | tuple | np.ndarray) and np.ndim(label) for label in labels):
        width = len(labels[0])
        if any(len(row) != width for row in labels):
            raise ValueError(
                "y should be a 1d array of one label for each sample; got rows of different lengths."
            )
        _one_column(np.empty((len(labels), width)))
        labels = [row[0] for row in labels]
    return as_they_are(labels)


def as_they_are(labels: list[Any]) -> NDArray[Any]:
    """What numpy makes of the labels where it leaves each as it is, else an array of objects.

    numpy makes text of a number among texts, cuts noughts at the end of a text and rounds large
    integers among floats. All of this shows when the labels are compared with what became of them.
    """
    try:
        array = np.array(labels)
        if array.shape == (len(labels),) and array.dtype.kind in "biufcUS" and array.tolist() == labels:
            return array
    except (TypeError, ValueError, OverflowError):  # whatever numpy thinks of labels of several kinds
        pass
    array = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):  # a tuple is one label
        array[place] = label
    return array


def _encode(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    missing = 0
    if y.dtype == object:
        missing = sum(is_null(label) for label in y.tolist())
    elif y.dtype.kind in "mM":
        missing = int(np.isnat(y).sum())
    if missing:
        raise ValueError(
            f"y must not contain missing labels (None or NaN); {missing} of them are. "
            f"Drop those samples or give them a class of their own."
        )
    if y.dtype == object:
        return _encode_objects(y.tolist())
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.intp)


def _encode_objects(labels: list[Any]) -> tuple[NDArray[Any], Indices]:
    """Classes of labels that may not compare with each other: any order will do that is always the same."""
    try:
        distinct = _ordered(list(dict.fromkeys(labels)))
    except TypeError:
        unhashable = next(label for label in labels if not _is_hashable(label))
        raise TypeError(
            f"y must hold hashable labels such as strings, numbers or tuples; got {shown(unhashable)}."
        ) from None
    _reject_continuous(distinct)
    _reject_lookalikes(distinct)
    number = {label: code for code, label in enumerate(distinct)}
    classes = np.empty(len(distinct), dtype=object)
    for code, label in enumerate(distinct):
        classes[code] = label
    return classes, np.array([number[label] for label in labels], dtype=np.intp)


def _is_hashable(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _ordered(distinct: list[Any]) -> list[Any]:
    """By value where the labels are of one ordered kind, else by how they read."""
    for kinds in _ORDERED:
        if all(isinstance(label, kinds) for label in distinct):
            try:
                return sorted(distinct)
            except TypeError:  # dates with a time zone and without, say
                break
    return sorted(distinct, key=lambda label: (type(label).__name__, repr(label)))


def _reject_continuous(distinct: list[Any]) -> None:
    for label in distinct:
        if isinstance(label, numbers.Integral) or not isinstance(label, numbers.Complex | Decimal):
            continue
        if not isinstance(label, numbers.Real | Decimal):
            raise ValueError(f"y must hold class labels; got complex numbers. {_BINNING}")
        if not np.isfinite(as_float(label)):
            raise ValueError(
                f"y must not contain NaN or infinity; got {shown(label)}. "
                f"Drop those samples or give them a class of their own."
            )
        if not _is_whole(label):
            raise ValueError(f"y must hold class labels; got continuous values. {_BINNING}")


def _reject_lookalikes(distinct: list[Any]) -> None:
    """Two labels that read alike are most likely one that was read in two ways, as 1 and "1"."""
    read: dict[str, Any] = {}
    for label in distinct:
        text = _text(label)
        if text in read and type(read[text]) is not type(label):
            raise ValueError(
                f"y must not hold labels that differ in type alone; got {shown(read[text])} and "
                f"{shown(label)}. Make them all of one type, as by [str(label) for label in y]."
            )
        read[text] = label


def _text(label: Any) -> str:
    if isinstance(label, bytes):
        return label.decode("latin-1")
    number = isinstance(label, numbers.Real | Decimal) and not isinstance(label, bool)
    return str(int(label)) if number and _is_whole(label) else str(label)


def _is_whole(label: Any) -> bool:
    return bool(label == int(label))


def check_weights(sample_weight: Any, codes: Indices, n_classes: int, what: str = "classes") -> Floats | None:
    """Weights as an array, None where they are all one; two classes, or samples, must keep some."""
    if sample_weight is None:
        return None
    weights = weights_of_rows(sample_weight, codes.size)
    check_weight_left(np.bincount(codes, weights, minlength=n_classes).astype(np.float64), what)
    return None if (weights == 1.0).all() else weights


def weights_of_rows(sample_weight: Any, n_samples: int) -> Floats:
    """A weight for each row, finite and not negative."""
    weights = _as_weights(sample_weight, n_samples)
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(
            f"sample_weight must be finite and not negative; got {bad:g}. "
            f"Use a weight of 0 to leave a sample out."
        )
    return weights


def check_total_weight(total: float) -> None:
    """A total that can be computed with."""
    if total and not 1e-100 < total < 1e100:
        raise ValueError(
            f"sample_weight must sum to a number between 1e-100 and 1e100; got {total:g}. "
            f"Divide the weights by their mean."
        )


def check_weight_left(of_classes: Floats, what: str = "classes") -> None:
    """Two classes or more with weight, and a total that can be computed with."""
    with np.errstate(over="ignore"):
        check_total_weight(float(of_classes.sum()))
    classes_left = np.count_nonzero(of_classes)
    if classes_left < 2:
        raise ValueError(
            f"sample_weight must leave at least two {what} with weight; got {classes_left}: all samples "
            f"of the others weigh zero."
        )


def _as_weights(sample_weight: Any, n_samples: int) -> Floats:
    if is_number(sample_weight):
        return np.full(n_samples, as_float(sample_weight))
    if is_masked(sample_weight):
        raise ValueError(
            "sample_weight must not have masked entries. Use a weight of 0 to leave a sample out."
        )
    if not is_array(sample_weight):
        _reject_weights(sample_weight)
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype == object and not any(isinstance(entry, str | bytes) for entry in weights.tolist()):
            weights = weights.astype(np.float64)  # None, Decimal and the like
    except Exception:  # of any kind: each library has its own
        _reject_weights(sample_weight)
    if weights.dtype.kind not in "biuf":
        _reject_weights(sample_weight)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} samples (1D array); "
            f"got shape {weights.shape}."
        )
    with np.errstate(over="ignore"):
        return weights.astype(np.float64)


def _reject_weights(sample_weight: Any) -> NoReturn:
    raise TypeError(f"sample_weight must be an array of numbers or None; got {shown(sample_weight)}.")
