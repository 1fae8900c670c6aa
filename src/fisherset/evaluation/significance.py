"""Paired tests: whether one method is better than another on the same splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from fisherset._types import Floats

EQUAL = 1e-12  # share of an accuracy by which equal differences of accuracies may differ


class Difference(NamedTuple):
    """Mean difference of two methods, and two-sided p-values of the hypothesis that it is nought.

    Attributes
    ----------
    mean : float
        The first method less the second.
    p : float
        Of the paired t-test, which takes the splits for independent. They are not: they share
        samples, and the test finds too much.
    p_corrected : float
        Of Nadeau and Bengio (2003), whose variance counts the overlap. Both are NaN where nothing can
        be tested.
    """

    mean: float
    p: float
    p_corrected: float


def paired_difference(first: Floats, second: Floats, *, test_share: float = 1.0) -> Difference:
    """Compare two methods over random splits.

    Parameters
    ----------
    first, second : ndarray of shape (n_splits,)
        Accuracies on the same splits.
    test_share : float, default=1.0
        Number of test samples over number of training samples; 1 for halves.

    Returns
    -------
    difference : Difference
        Of the first less the second; its p-values are 1 where both are equal throughout,
        and NaN for a single split, or where all differences are the same: without a spread
        there is nothing to hold the mean against.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise ValueError(
            f"first and second must be lists of accuracies on the same splits, one or more; got the shapes "
            f"{first.shape} and {second.shape}."
        )
    if not 0 <= test_share < np.inf:
        raise ValueError(f"test_share must be a finite number, 0 or larger; got {test_share}.")
    difference = first - second
    size, mean = difference.size, float(difference.mean())
    if size < 2:
        return Difference(mean, np.nan, np.nan)
    variance = float(difference.var(ddof=1))
    rounding = EQUAL * float(np.max(np.abs([first, second])))
    if np.sqrt(variance) <= rounding:
        p = 1.0 if abs(mean) <= rounding else np.nan
        return Difference(mean, p, p)
    p, p_corrected = (
        float(2 * stats.t.sf(abs(mean) / np.sqrt(variance * factor), size - 1))
        for factor in (1 / size, 1 / size + test_share)
    )
    return Difference(mean, p, p_corrected)
