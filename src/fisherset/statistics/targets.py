"""The target side: class codes and sample weights, and the H of Eq. (9) they stand for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats


class Targets:
    """Class of each row (0..c-1) and its weight.

    H itself is n x c and never built for the statistics: its product with centred data
    needs only the class sums.
    """

    def __init__(self, codes: NDArray[np.intp], n_classes: int, weights: Floats | None = None) -> None:
        self.codes, self.n_classes, self.weights = codes, n_classes, weights
        self.class_weights: Floats = np.bincount(codes, weights, minlength=n_classes).astype(float)
        self.n = float(self.class_weights.sum())

    def indicator(self, rows: slice) -> sparse.csr_array:
        """Weighted class indicator of some rows, c x rows."""
        codes = self.codes[rows]
        weights = np.ones(codes.size) if self.weights is None else self.weights[rows]
        return sparse.csr_array((weights, (codes, np.arange(codes.size))), shape=(self.n_classes, codes.size))

    def rotation(self) -> Floats:
        """Orthonormal c x r basis of the complement of sqrt(n_k / n), the direction in which H vanishes.

        r = c - 1, less the classes without weight. A Householder reflection takes the
        null direction to a coordinate axis; the other columns are the basis.
        """
        null = np.sqrt(self.class_weights / self.n)
        present = np.flatnonzero(null > 0)
        pivot = present[np.argmax(null[present])]
        mirror = null.copy()
        mirror[pivot] += 1.0
        reflection = np.eye(self.n_classes) - np.outer(mirror, mirror) * (2 / (mirror @ mirror))
        return reflection[:, present[present != pivot]]

    def sample_H(self) -> Floats:
        """H in sample space, rotated, each row times the root of its weight: n x r."""
        with np.errstate(divide="ignore"):
            scale = np.where(self.class_weights > 0, np.sqrt(self.n / self.class_weights), 0.0)
        # the constant part -sqrt(n_k/n) of Eq. (9) vanishes in the rotation
        H: Floats = (scale[:, None] * self.rotation())[self.codes]
        return H if self.weights is None else H * np.sqrt(self.weights)[:, None]
