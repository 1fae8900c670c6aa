"""Between-class and total scatter of each column, Eq. (3), from the moments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.statistics.moments import Moments

EPS = float(np.finfo(np.float64).eps)


class Scatter:
    """Means, spreads and class contrasts, in the units of the guard.

    A column counts as constant when its spread is within rounding of its values.
    """

    def __init__(self, moments: Moments) -> None:
        self.guard, self.n, self.class_weights = moments.guard, moments.n, moments.class_weights
        self.mean: Floats = moments.sums.sum(axis=0) / self.n
        total = np.maximum(moments.squares - self.n * self.mean**2, 0.0)
        with np.errstate(over="ignore"):
            level = np.abs(self.mean + self.guard.offset / self.guard.unit)
            noise = np.maximum(64 * EPS * moments.squares, self.n * (8 * EPS * level) ** 2)
        self.constant: NDArray[np.bool_] = total <= noise
        self.total: Floats = np.where(self.constant, 0.0, total)  # n times the variance
        weights = self.class_weights[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            # sqrt(n_k) (mean of class k - mean), d x c: C of design but for sqrt(n) and the scale
            contrast = (moments.sums - weights * self.mean) / np.sqrt(weights)
        contrast = np.where((weights > 0) & ~self.constant, contrast, 0.0).T
        # what is only the rounding of the class sums is no contrast
        between = np.einsum("jk,jk->j", contrast, contrast)
        self.contrast: Floats = np.where(
            (between > (16 * EPS) ** 2 * moments.squares)[:, None], contrast, 0.0
        )

    @property
    def between(self) -> Floats:
        """Sum of n_k (mean of class k - mean)^2 of each column, never above the total."""
        between: Floats = np.einsum("jk,jk->j", self.contrast, self.contrast)
        return np.minimum(between, self.total)

    @property
    def within(self) -> Floats:
        """Sum of n_k sigma_k^2 of each column; what is only rounding is nought."""
        within = self.total - self.between
        return np.where(within > 16 * EPS * self.total, within, 0.0)
