"""Agreement of selections: the stability index, and clusters of interchangeable features.

Reference: S. Nogueira, K. Sechidis and G. Brown, On the stability of feature selection algorithms, Journal of
Machine Learning Research 18 (2018), 1-54.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import norm
from sklearn.utils import _safe_indexing

from fisherset._types import Floats, Indices

# |correlation| from which features are interchangeable: either says at least 81 % of the other.
INTERCHANGEABLE = 0.9
# Share of the halves that select a feature from which it is clustered: rarer ones are noise.
CLUSTERED_SHARE = 0.02
MOST_CLUSTERED = 4000  # features, the most frequent ones: their correlations take 128 MB


def stability_index(supports: NDArray[np.bool_]) -> float:
    """Phi of the paper's Definition 4, for selections as rows; NaN where all or no features are selected."""
    n = len(supports)
    frequencies = supports.mean(axis=0)
    share = frequencies.mean()
    if not 0 < share < 1:
        return float("nan")
    variances = frequencies * (1 - frequencies) * n / (n - 1)
    return float(1 - variances.mean() / (share * (1 - share)))


def index_interval(supports: NDArray[np.bool_], level: float) -> tuple[float, float]:
    """The asymptotic confidence interval of Phi: the paper's Theorem 7 and Corollary 8."""
    index, (n, d) = stability_index(supports), supports.shape
    frequencies, sizes = supports.mean(axis=0), supports.sum(axis=1) / d
    share = frequencies.mean()
    if not np.isfinite(index):
        return index, index
    phi = supports @ frequencies / d - sizes * share
    phi = phi + index / 2 * (2 * sizes * share - sizes - share + 1)
    phi = phi / (share * (1 - share))
    deviation = np.sqrt(4 / n**2 * np.sum((phi - phi.mean()) ** 2))
    width = float(norm.ppf((1 + level) / 2) * deviation)
    return index - width, index + width


def cluster_features(X: Any, frequencies: Floats, groups: Indices | None = None) -> Indices:
    """Cluster of each feature, numbered in the order of their first features.

    All pairs in a cluster have an absolute correlation of `INTERCHANGEABLE` or more (complete linkage), or
    are of one group.
    """
    often = np.flatnonzero((frequencies >= CLUSTERED_SHARE) & (frequencies > 0))
    often = np.sort(often[np.argsort(-frequencies[often], kind="stable")[:MOST_CLUSTERED]])
    representative = np.arange(frequencies.size)
    values = _numbers(X, often)
    if values is not None and often.size > 1:
        distances = np.maximum(1 - np.abs(_correlations(values)), 0.0)
        if groups is not None:
            distances[groups[often][:, None] == groups[often]] = 0.0
        condensed = distances[np.triu_indices(often.size, 1)]
        labels = fcluster(linkage(condensed, "complete"), 1 - INTERCHANGEABLE, "distance")
        _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        representative[often] = often[first[inverse]]
    clusters: Indices = np.unique(representative, return_inverse=True)[1].astype(np.intp)
    return clusters


def _numbers(X: Any, columns: Indices) -> Floats | None:
    """Some columns as numbers, missing ones the mean; None where they are not numbers."""
    some = _safe_indexing(X, columns.tolist(), axis=1) if not sparse.issparse(X) else X.tocsc()[:, columns]
    try:
        values = np.array(some.toarray() if sparse.issparse(some) else some, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    missing = ~np.isfinite(values)
    if missing.any():
        known = np.where(missing, 0.0, values).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
        values = np.where(missing, known, values)
    return values


def _correlations(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    size = np.abs(centred).max(axis=0)
    centred /= np.where(size > 0, size, 1.0)  # whose squares are safe
    lengths = np.sqrt(np.sum(centred**2, axis=0))
    centred /= np.where(lengths > 0, lengths, 1.0)
    correlations: Floats = centred.T @ centred
    return correlations


def cluster_supports(supports: NDArray[np.bool_], clusters: Indices) -> NDArray[np.bool_]:
    """Whether any member of each cluster is selected, for selections as rows."""
    found = np.zeros((len(supports), int(clusters.max()) + 1), dtype=bool)
    rows, columns = np.nonzero(supports)
    found[rows, clusters[columns]] = True
    return found
