"""Interpretation of a target whose task is not given: its values are classes, or numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.data import Coded
from fisherset.tables.columns.units import AmbiguousError, unit_of

CLASSES, NUMBERS = TASK_NAMES = ("classification", "regression")
# Whole numbers are classes where they have few values: digits, grades and stages do, and amounts, ages, years
# and counts hardly ever. In a small table these have few values, too, but most of them in one row.
FEW_VALUES, LEAST_VALUES = 20, 10
# More values are classes where they are numbered from 0 or 1 without a gap, as encoders of labels do, and
# most of them have enough rows to be told apart. A count has a long tail of values in a row or two.
ROWS_PER_CLASS = 10
MOST_VALUES = 100_000  # distinct ones that are counted: by then they are no classes
SPELLED = re.compile(r"\s*[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?\s*")
LONG_INTEGER = re.compile(r"\s*[-+]?\d{16,}(?:\.0*)?\s*")  # which float64 may round


class TargetValues:
    """Counts of the values of a target, added up batch by batch as long as they leave its task open.

    Of files of text, values are strings without a type, with a decimal point or comma.
    """

    def __init__(self, untyped: bool = False, decimal: str = ".") -> None:
        self._untyped, self._decimal = untyped, decimal
        self._counts: Counter[Any] = Counter()
        self._task: str | None = None
        self._quantity: str | None = None  # a number with a unit
        self._doubt = ""  # why strings that are numbers cannot be read as such

    def add(self, values: Coded | NDArray[Any]) -> bool:
        """Count more values, none of them missing; return whether others could still decide the task."""
        if isinstance(values, Coded):
            self._untyped = values.untyped
            times = np.bincount(values.codes, minlength=len(values.labels))
            counts = dict(zip(values.labels, times.tolist(), strict=True))
        elif values.dtype == object:
            counts = dict(Counter(values.tolist()))
        else:
            found, times = np.unique(values, return_counts=True)
            counts = dict(zip(found.tolist(), times.tolist(), strict=True))
        if self._task is None:
            self._task = self._decided(counts)
            if self._task == CLASSES and len(counts) > FEW_VALUES:
                self._check_units([str(label) for label in counts])
            self._counts.update(counts)
        return self._task is None and len(self._counts) <= MOST_VALUES

    def _check_units(self, texts: Collection[str]) -> None:
        """Note strings that are numbers with a unit, as prices are, of too many values to be classes."""
        try:
            unit = unit_of(texts, self._decimal)
        except AmbiguousError as error:
            unit, self._doubt = None, str(error)
        self._quantity = None if unit is None else min(texts)

    def _decided(self, labels: Iterable[Any]) -> str | None:
        """Return the task that some values alone decide: strings are classes, decimals are numbers."""
        decimals = False
        for label in labels:
            number = self._number(label)
            if number is None:
                return CLASSES
            decimals = decimals or (abs(number) != np.inf and number != int(number))
        return NUMBERS if decimals else None

    def _number(self, label: Any) -> Any:
        """Return the number that a value is, or that a string without a type spells; None if it is none."""
        if isinstance(label, str):
            return spelled_number(label, self._decimal) if self._untyped else None
        return None if isinstance(label, bool) else label

    @property
    def are_quantities(self) -> bool:
        """Whether the values are numbers with a unit, too many to be classes."""
        return self._quantity is not None

    def task(self, target: str) -> str:
        """Return the task; whole numbers that may be classes or not are refused."""
        if self._doubt:
            raise ValueError(
                f"The target {target!r} cannot be read as numbers: {self._doubt}. Convert it, or add --task "
                f"classification to treat each value as a class."
            )
        if self._quantity is not None:
            raise ValueError(
                f"The target {target!r} holds numbers with a unit, such as {self._quantity!r}. Write them "
                f"without it, or add --task classification to treat each as a class."
            )
        if self._task is not None:
            return self._task
        n_rows, n_values = self._counts.total(), len(self._counts)
        if n_values <= min(FEW_VALUES, max(LEAST_VALUES, n_rows // 2)) and (n_values < n_rows or n_rows < 3):
            return CLASSES
        if self._are_codes() and float(np.median(list(self._counts.values()))) >= ROWS_PER_CLASS:
            return CLASSES
        if n_values == n_rows:
            raise ValueError(
                f"The target {target!r} has a different integer in each of the {n_rows} rows. Add --task "
                f"regression, or name another --target if it is an identifier."
            )
        more = "more than " if n_values > MOST_VALUES else ""
        raise ValueError(
            f"The target {target!r} has {more}{min(n_values, MOST_VALUES)} distinct integers"
            f"{'' if more else f' in {n_rows} rows'}. Add --task regression, or --task classification to "
            f"treat each as a class."
        )

    def _are_codes(self) -> bool:
        """Whether the values are 0, 1, 2, ... or 1, 2, 3, ..., in any order."""
        values = sorted(map(self._number, self._counts))
        return values[0] in (0, 1) and values[-1] - values[0] == len(values) - 1


def spelled_number(text: str, decimal: str = ".") -> float | None:
    """Return the number that a string spells; None if it is none."""
    if not SPELLED.fullmatch(text) or (decimal != "," and "," in text):
        return None
    return float(text.replace(",", "."))


def spelled_numbers(texts: Iterable[str | None], decimal: str = ".") -> Floats | None:
    """Return the numbers that strings without a type spell, missing ones as NaN; None if one is no number."""
    found = [np.nan if text is None else spelled_number(text, decimal) for text in texts]
    return None if None in found else np.array(found, dtype=np.float64)


def are_rounded(texts: Iterable[str | None]) -> bool:
    """Whether strings spell whole numbers that float64 would round."""
    long = (text for text in texts if text is not None and LONG_INTEGER.fullmatch(text))
    return any(int(text.partition(".")[0]) != float(text) for text in long)


def target_range(y: NDArray[Any], task: str) -> str:
    """Return what a target holds: "3 classes", "numbers from 25 to 346"."""
    if task == CLASSES:
        return class_count(len(set(y.tolist())))
    least, most = (float(f"{value:.4g}") for value in (np.min(y), np.max(y)))
    return f"numbers from {least:.9g} to {most:.9g}"


def class_count(n_classes: int) -> str:
    """Return a number of classes: "1 class", "3 classes"."""
    return "1 class" if n_classes == 1 else f"{n_classes} classes"
