"""Target leakage: columns that determine the target, read off the sums that were measured anyway."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.statistics.measured import MeasuredTable
from fisherset.statistics.sums.scatter import SLICE

LEAK_SCORE = 1e4  # scatter that the target explains over the rest, from which a column is a function of it
SAME = 1e-3  # share of the range of class means up to which two of them are the same
LEAST_ROWS = 5  # of a value, from which it is no accident that they are of one class


def leaking_columns(table: MeasuredTable, strings: Sequence[str | None] | None = None) -> Indices:
    """Columns that are a function of the class, or of which the class is one, rising.

    With numbers as targets, columns that are a linear function of one of them. For each indicator of a value
    of a string column `strings` has the name of that, for other columns None: where each value is found in
    one class only, all indicators leak. Confounders are left aside.
    """
    n_rows, leaking = table.scatter.moments.n_rows, np.zeros(table.n_columns, dtype=bool)
    likely = _likely(table)
    if table.one_class_each:
        if n_rows < 2 * np.count_nonzero(table.scatter.moments.NT[0]):  # any column is constant in one row
            return likely[:0]
        step = max(1, SLICE // len(table.scatter.moments.TX))
        for some in (likely[start : start + step] for start in range(0, likely.size, step)):
            leaking[some] = _are_functions(table, some)
        for members in _columns_by_name(strings):
            if leaking[members].any() or _determine_class(table, members):
                leaking[members] = True
    elif n_rows >= LEAST_ROWS:  # fewer rows are on a line by chance
        leaking[likely] = _are_multiples(table, likely)
    return np.flatnonzero(leaking)


def _likely(table: MeasuredTable) -> Indices:
    """Columns worth a look: all that vary where the sums are those of residuals, otherwise hardly any."""
    scatter = table.scatter
    if len(scatter.moments.NX) > 1:
        return np.flatnonzero(~scatter.constant)
    return np.flatnonzero((scatter.total > 0) & (scatter.between * (1 + 1 / LEAK_SCORE) >= scatter.total))


def _are_functions(table: MeasuredTable, columns: Indices) -> NDArray[np.bool_]:
    """Whether columns hardly vary within the classes, and enough rows are of classes that differ.

    That the few rows of a small class share a value may be chance.
    """
    moments = table.scatter.moments
    means, sizes = _class_means(table, columns)
    between = sizes @ means**2 - moments.NX[0, columns] ** 2 / moments.n
    total = moments.squares[columns] - moments.NX[0, columns] ** 2 / moments.n
    few = min(LEAST_ROWS, moments.n_rows / 4)
    found = between * (1 + 1 / LEAK_SCORE) >= total
    for at in np.flatnonzero(found):
        mean = means[:, at]
        alike = np.abs(mean[:, None] - mean) <= SAME * np.ptp(mean)
        others = moments.n_rows * (1 - (alike @ sizes).max() / sizes.sum())
        found[at] = others >= few * (1 - 1e-9)
    return found


def _are_multiples(table: MeasuredTable, columns: Indices) -> NDArray[np.bool_]:
    """Whether columns are linear functions of a target: r^2 / (1 - r^2) is above the limit."""
    moments = table.scatter.moments
    sums, of_targets = moments.NX[0, columns], moments.NT[0]
    cross = moments.TX[:, columns] - np.outer(of_targets, sums) / moments.n
    squares = moments.squares[columns] - sums**2 / moments.n
    of_targets = moments.TT - of_targets**2 / moments.n
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = np.where(of_targets[:, None] > 0, cross**2 / of_targets[:, None] / squares, 0.0)
    return np.asarray(r2.max(axis=0, initial=0.0) * (1 + 1 / LEAK_SCORE) >= 1)


def _columns_by_name(strings: Sequence[str | None] | None) -> list[list[int]]:
    """Indicators of each string column."""
    groups: dict[str, list[int]] = defaultdict(list)
    for j, name in enumerate(strings or ()):
        if name is not None:
            groups[name].append(j)
    return list(groups.values())


def _determine_class(table: MeasuredTable, indicators: list[int]) -> bool:
    """Whether each value is found in one class only, and often enough for that to mean something."""
    if len(indicators) < 2 or table.scatter.moments.n_rows < LEAST_ROWS * len(indicators):
        return False
    columns, guard = np.array(indicators), table.scatter.moments.guard.of(np.array(indicators))
    shares: Any = _class_means(table, columns)[0] * guard.unit + guard.offset
    return bool(np.all(np.count_nonzero(np.abs(shares) > 1e-12, axis=0) == 1))


def _class_means(table: MeasuredTable, columns: Indices) -> tuple[Floats, Floats]:
    """Means of columns in each class with weight, through the guard, and the weights."""
    moments = table.scatter.moments
    sizes = moments.NT[0]
    present = sizes > 0
    return moments.TX[present][:, columns] / sizes[present, None], sizes[present]
