"""Checks of y: classes, sets of labels, or numbers, of a whole table or of a block of its rows."""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import EPS, Floats, Indices
from fisherset.data import Coded, Matrix
from fisherset.validation.numbers import is_array, is_frame, is_masked, is_null
from fisherset.validation.parameters import as_float, reason, shown
from fisherset.validation.table import warn

# Contents of y: classes or sets of labels, numbers, or one class for each sample and nothing else.
CLASSIFICATION, REGRESSION, ONE_CLASS_EACH = "classification", "regression", "one class each"
TASKS = (CLASSIFICATION, REGRESSION)
MISSING = ("error", "mean")

_FOR_NUMBERS = (
    'For a numeric target use JointRegressionScore or JointRegressionScoreCV, in functions task="regression".'
)
_FOR_CLASSES = "For classes use GeneralizedFisherScore or GeneralizedFisherScoreCV."
COMPLEX_LABELS = "y must hold class labels; got complex numbers. Use integers or strings."
MANY_CLASSES, FEW_SAMPLES = 20, 10  # above and below which numbers are hardly names of classes
# Kinds of labels that have an order of their own: any others are ordered by how they read.
_ORDERED = ((numbers.Real, Decimal), (str,), (bytes,), (datetime.date,), (datetime.timedelta,))


def read_targets(y: Any, n_samples: int, task: str) -> Coded | Matrix:
    """Targets of a table or a block: labels as `Coded`, numbers or an indicator of label sets as n x p."""
    if isinstance(y, Coded) and task == REGRESSION:  # numbers that untyped strings spell, or objects
        y = np.array([_spelled_number(label, y.untyped) for label in y.labels])[y.codes]
    if task == REGRESSION:
        return check_targets(y, n_samples)
    if isinstance(y, Coded):
        if any(is_null(label) for label in y.labels):
            raise ValueError("y must not contain missing labels. Drop those samples, or give them a class.")
        return y
    sets = label_sets(y, n_samples) if task == CLASSIFICATION else None
    return Coded(*encode_labels(y, n_samples)) if sets is None else sets


def _spelled_number(label: Any, untyped: bool) -> float:
    """The number that an untyped string spells, which must not be rounded where it is whole."""
    text = str(label).strip()
    try:
        number = float(label)
        # Python reads underscores in numbers; a string that has a type is a string
        understood = "_" not in text and (untyped or not isinstance(label, str | bytes))
    except (TypeError, ValueError):
        understood = False
    if not understood:
        raise ValueError(f"y must hold numbers; got the string {shown(label)}. {_FOR_CLASSES}")
    # a whole number of 16 digits and more may be one that float64 rounds
    long = re.fullmatch(r"[-+]?\d{16,}(\.0*)?", text)
    if long and np.isfinite(number) and int(text.partition(".")[0]) != number:
        raise ValueError(ROUNDED_TARGETS)
    return number


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
    if n_samples is not None:
        _check_length(y.shape[0], n_samples, " labels")
    if y.dtype.kind == "c":
        raise ValueError(COMPLEX_LABELS)
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise ValueError(
                f"y must not contain NaN or infinity; {np.sum(~np.isfinite(y))} of its labels do. "
                f"Drop those samples or give them a class of their own."
            )
        if (y != np.floor(y)).any():
            raise ValueError(f"y must hold class labels; got continuous values. {_FOR_NUMBERS}")
    return _encode(y)


def _check_length(length: int, n_samples: int, what: str = "") -> None:
    if length != n_samples:  # the words in brackets are scikit-learn's
        raise ValueError(
            f"X and y must have the same number of samples; got {n_samples} rows in X and "
            f"{length}{what} in y (inconsistent numbers of samples)."
        )


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
            f"classes, as an identifier has. {_FOR_NUMBERS}"
        )
    if classes.size > MANY_CLASSES and n_samples < FEW_SAMPLES * classes.size and _has_gaps(classes):
        warn(
            f"y holds {classes.size} distinct integers in {n_samples} samples, read as classes. "
            f"{_FOR_NUMBERS}"
        )


def _has_gaps(classes: NDArray[Any]) -> bool:
    """Whether classes are numbers that do not simply count, as those of a measurement."""
    return classes.dtype.kind in "iuf" and float(classes[-1]) - float(classes[0]) >= classes.size


def _as_labels(y: Any) -> NDArray[Any]:
    """The labels in one dimension, none of them changed on the way."""
    if y is None:
        raise ValueError("This call requires y to be passed, but the target y is None.")
    if not is_array(y):
        fix = " Pass scan(X, target=y) to name a column of X." if isinstance(y, str) else ""
        raise TypeError(f"y must be an array or a list of labels; got {shown(y)}.{fix}")
    if is_masked(y):
        raise ValueError(
            f"y must not have masked labels; {np.ma.getmaskarray(y).sum()} of them are. "
            f"Drop those samples or give them a class of their own."
        )
    if isinstance(y, Sequence):
        return _from_list(list(y))
    try:
        array = np.asarray(y)
    except Exception as error:  # of any kind: each library has its own
        raise TypeError(
            f"y must be an array or a list of labels; got {type(y).__name__}: {reason(error)}."
        ) from error
    if array.ndim != 1:
        array = _one_column(array)
    if array.dtype == object and all(isinstance(label, numbers.Real) for label in array.tolist()):
        return exact_labels(array.tolist())
    return array


def _one_column(array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim != 2 or array.shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array of one label for each sample; got an array of shape {array.shape}. "
            f"Pass one column of it, zeros and ones for sets of labels to GeneralizedFisherScore, or numbers "
            f"to JointRegressionScore."
        )
    from sklearn.utils.validation import column_or_1d

    return column_or_1d(array, warn=True)  # as scikit-learn warns


def _from_list(labels: list[Any]) -> NDArray[Any]:
    """Labels in a list; a list of rows is a table, which must have one column."""
    if any(hasattr(kind, "as_py") for kind in set(map(type, labels))):  # scalars of pyarrow
        labels = [label.as_py() if hasattr(label, "as_py") else label for label in labels]
    if labels and all(isinstance(label, list | tuple | np.ndarray) and np.ndim(label) for label in labels):
        width = len(labels[0])
        if any(len(row) != width for row in labels):
            raise ValueError(
                "y should be a 1d array of one label for each sample; got rows of different lengths."
            )
        _one_column(np.empty((len(labels), width)))
        labels = [row[0] for row in labels]
    return exact_labels(labels)


def exact_labels(labels: list[Any]) -> NDArray[Any]:
    """Labels as numpy reads them where it leaves each as it is, else an array of objects.

    numpy makes strings of numbers among strings, cuts null characters at their end, and rounds large
    integers among floats. All of this shows when the labels are compared with what became of them.
    """
    try:
        array = np.array(labels)
        if array.shape == (len(labels),) and array.dtype.kind in "biufcUS" and array.tolist() == labels:
            return array
    except (TypeError, ValueError, OverflowError):  # whatever numpy thinks of labels of several kinds
        pass
    return as_objects(labels)


def as_objects(labels: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Labels as an array of objects, each as it is: a tuple is one label."""
    array = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):
        array[place] = label
    return array


def python_labels(labels: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """Labels as objects of Python; those of numpy where Python has none, as for times in nanoseconds."""
    if not isinstance(labels, np.ndarray):
        return list(labels)
    plain: list[Any] = labels.tolist()
    lossy = labels.dtype.kind in "mM" and any(isinstance(label, int) for label in plain)
    return list(labels) if lossy else plain


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
    return as_objects(distinct), np.array([number[label] for label in labels], dtype=np.intp)


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
            raise ValueError(COMPLEX_LABELS)
        if not np.isfinite(as_float(label)):
            raise ValueError(
                f"y must not contain NaN or infinity; got {shown(label)}. "
                f"Drop those samples or give them a class of their own."
            )
        if not _is_whole(label):
            raise ValueError(f"y must hold class labels; got continuous values. {_FOR_NUMBERS}")


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


ROUNDED_TARGETS = (
    "y must hold numbers that float64 can tell apart; got integers beyond 2**53. Subtract an offset."
)


def check_targets(y: Any, n_samples: int) -> Floats:
    """One or several numbers for each sample, n x p."""
    if y is None:
        raise ValueError("This call requires y to be passed, but the target y is None.")
    if not is_array(y):
        fix = " Pass scan(X, target=y) to name a column of X." if isinstance(y, str) else ""
        raise TypeError(f"y must be an array of numbers; got {shown(y)}.{fix}")
    if is_masked(y):
        raise ValueError("y must not have masked entries. Drop those samples.")
    try:
        array = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if array.dtype == object and not any(isinstance(entry, str | bytes) for entry in array.flat):
            array = array.astype(np.float64)
    except Exception as error:  # of any kind: each library has its own
        raise TypeError(f"y must be an array of numbers; got {shown(y)}: {reason(error)}.") from error
    if array.dtype.kind not in "biuf":
        raise TypeError(f"y must hold numbers; got {_unlike_numbers(array)}. {_FOR_CLASSES}")
    targets = array.astype(np.float64)
    if array.dtype.kind in "iu" and np.any(targets.astype(array.dtype) != array):
        raise ValueError(ROUNDED_TARGETS)
    targets = targets[:, None] if targets.ndim == 1 else targets
    if targets.ndim != 2 or not targets.shape[1]:
        raise ValueError(
            f"y must be a number, or a row of numbers, for each sample; got shape {array.shape}."
        )
    _check_length(targets.shape[0], n_samples)
    if not np.isfinite(targets).all():
        raise ValueError(
            f"y must not contain NaN or infinity; {np.sum(~np.isfinite(targets))} of its values do. "
            f"Drop those samples."
        )
    return targets


def _unlike_numbers(array: NDArray[Any]) -> str:
    """The first entry that is a string, or the type of all."""
    found = next((entry for entry in array.flat if isinstance(entry, str | bytes)), None)
    return str(array.dtype) if found is None else f"the string {shown(found)}"


def check_vary(targets: Floats, weights: Floats | None) -> None:
    """Refuse targets that are the same for all samples that count."""
    counting = targets if weights is None else targets[weights > 0]
    least, most = counting.min(axis=0), counting.max(axis=0)
    with np.errstate(over="ignore"):
        constant = np.flatnonzero(most - least <= 8 * EPS * np.maximum(np.abs(least), np.abs(most)))
    if constant.size:
        which = "it is" if targets.shape[1] == 1 else f"column {constant[0]} is"
        raise ValueError(f"y must vary; {which} constant. There is nothing to explain.")


def label_sets(y: Any, n_samples: int) -> Matrix | None:
    """Indicator of the labels of each sample, n x p; None where y is no table of zeros and ones."""
    if sparse.issparse(y):
        indicator = sparse.csr_array(y, dtype=np.float64, copy=True)
        indicator.sum_duplicates()
        values = indicator.data
    else:
        if getattr(y, "ndim", None) != 2 and not (is_frame(y) or _is_table(y)):
            return None
        try:
            indicator = np.asarray(y)
        except Exception:  # of any kind: lists of several lengths, or what each library has of its own
            return None
        if indicator.ndim != 2 or indicator.dtype.kind not in "biuf":
            return None
        values = indicator = indicator.astype(np.float64)
    if indicator.shape[1] < 2 or not np.isin(values, (0.0, 1.0)).all():
        return None
    _check_length(indicator.shape[0], n_samples)
    return indicator


def check_label_sets(indicator: Matrix, labels: NDArray[Any], weights: Floats | None) -> None:
    """Refuse labels that all samples that count have, or none."""
    counting = np.ones(indicator.shape[0]) if weights is None else (weights > 0).astype(np.float64)
    counts = np.asarray(indicator.T @ counting).ravel()
    constant = np.flatnonzero((counts == 0) | (counts == counting.sum()))
    if constant.size:
        j = constant[0]
        what = "no sample has it" if counts[j] == 0 else "all samples have it"
        raise ValueError(f"y must hold labels that vary; of {shown(labels[j])} {what}. Drop its column.")


def _is_table(y: Any) -> bool:
    """Whether a list has lists in it."""
    return isinstance(y, list) and bool(y) and all(isinstance(row, list | tuple) for row in y)
