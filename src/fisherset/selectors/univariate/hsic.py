"""HSIC: how far a feature and the classes are from independent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fisherset._docs import documented
from fisherset._types import EPS, Floats
from fisherset.selectors.univariate.fisher import ClassScoreSelector
from fisherset.statistics import RowProducts, rbf_dependence
from fisherset.statistics.measured import MeasuredTable
from fisherset.validation import parameters as parameter

CLASSES = 256  # classes whose indicators are held at a time: c x 256 numbers


@documented
class HSICScore(ClassScoreSelector):
    """Select the features with the largest Hilbert-Schmidt dependence on the classes.

    Song, Smola, Gretton, Borgwardt and Bedo (2007): with K the kernel matrix of one
    feature, L that of the labels and H the centring matrix, the biased estimate is
    tr(KHLH) / (n - 1)^2, larger for a feature that tells more of the labels.

    Parameters
    ----------
    %(n_features_to_select)
    data_kernel : {"linear", "rbf"}, default="linear"
        "linear" needs no n x n matrix: one pass. "rbf" is exp(-(x - x')^2 / (2 s^2)),
        feature by feature in bounded memory; its cost grows with the square of the
        number of different values of a feature.
    label_kernel : {"delta", "linear"}, default="delta"
        "delta" is 1 for two samples of one class and 0 otherwise. "linear" is the
        product of the class *numbers*, 0, 1, 2, ... in the order of `classes_`, which
        makes sense for ordered classes.
    bandwidth : float or "scale", default="scale"
        The s of "rbf"; "scale" is the standard deviation of each feature.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The estimates, larger is better.
    %(ranking_.single, support_, row_numbers_.single, leaking_, classes_.labels, n_passes_)
    %(n_features_in_, feature_names_in_)

    See Also
    --------
    FisherScore : Ranks alike for "linear" data, "delta" labels, balanced classes and
        standardised features.

    Notes
    -----
    With the linear kernel a feature of twice the scale has four times the score:
    standardise the features first where their units differ.

    References
    ----------
    L. Song, A. Smola, A. Gretton, K. Borgwardt, J. Bedo: Supervised Feature Selection
    via Dependence Estimation. ICML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fisherset import HSICScore
    >>> X, y = load_iris(return_X_y=True)
    >>> HSICScore(2).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        data_kernel: str = "linear",
        label_kernel: str = "delta",
        bandwidth: float | str = "scale",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.data_kernel = data_kernel
        self.label_kernel = label_kernel
        self.bandwidth = bandwidth

    def _check_parameters(self) -> bool:
        parameter.check_choice("data_kernel", self.data_kernel, ("linear", "rbf"))
        parameter.check_choice("label_kernel", self.label_kernel, ("delta", "linear"))
        parameter.check_bandwidth(self.bandwidth, "scale")
        return self.data_kernel == "linear"

    def _scores(self, table: MeasuredTable) -> tuple[Floats, Floats]:
        n = table.scatter.n
        if n - 1.0 < 1e-6:
            raise ValueError(
                f"sample_weight must sum to more than 1, as weights count as repeats of a sample; got {n:g}. "
                f"Divide the weights by their mean."
            )
        scores, unit = self._linear(table) if self.data_kernel == "linear" else self._rbf(table)
        return np.where(table.scatter.constant, 0.0, scores) / (n - 1.0) ** 2, unit

    def _labels(self, n_classes: int) -> Iterator[Floats]:
        """Features of the classes, c x p, whose products are the label kernel, some indicators at a time."""
        if self.label_kernel == "linear":
            yield np.arange(float(n_classes))[:, None]
        else:
            for start in range(0, n_classes, CLASSES):
                yield np.eye(n_classes, min(CLASSES, n_classes - start), -start)

    def _linear(self, table: MeasuredTable) -> tuple[Floats, Floats]:
        """||sum over the samples of (centred x) (features of the label)||^2, from the class sums."""
        scatter = table.scatter
        sums = scatter.sums_of(slice(None)).T  # of the centred columns, d x c
        total = np.zeros(len(sums))
        for labels in self._labels(table.classes.size):
            projected = sums @ labels
            # sums that cancel leave nothing but rounding
            projected[np.abs(projected) <= 16 * EPS * (np.abs(sums) @ labels)] = 0.0
            total += np.einsum("jp,jp->j", projected, projected)
        return total, scatter.guard.unit

    def _rbf(self, table: MeasuredTable) -> tuple[Floats, Floats]:
        scatter = table.scatter
        spread = np.sqrt(scatter.total / scatter.n)
        if not isinstance(self.bandwidth, str):
            with np.errstate(over="ignore"):
                spread = np.clip(float(self.bandwidth) / scatter.guard.unit, 1e-300, 1e300)
        total = np.zeros(spread.size)
        for labels in self._labels(table.classes.size):
            centred = labels - scatter.moments.NT[0] @ labels / scatter.n  # H L H = Y Y'
            assert isinstance(table.products, RowProducts)  # the rows are in memory
            total += rbf_dependence(table.products, spread, centred, ~scatter.constant)
        return total, np.ones(spread.size)
