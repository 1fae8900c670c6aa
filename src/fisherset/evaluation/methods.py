"""The methods a comparison can have: from training rows to the features they select, for each k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fisherset import FisherScore, HSICScore, LaplacianScore, TraceRatio, selection_path
from fisherset._types import Indices

TITLES = {
    "hsic": "HSIC",
    "fisher": "Fisher score",
    "laplacian": "Laplacian score",
    "trace-ratio-fs": "Trace ratio (FS)",
    "trace-ratio-ls": "Trace ratio (LS)",
    "cutting-plane": "GFS (Algorithm 1)",
    "joint": "GFS (joint)",
}


def features_for(method: str, X: Any, y: Any, ks: Sequence[int]) -> list[Indices]:
    """The features that a method selects for each k, in column order."""
    if method in ("joint", "cutting-plane"):
        path = selection_path(X, y, ks, solver=method, tol=None)
        found = {step.k: step.features for step in path}
        return [found[k] for k in ks]
    if method.startswith("trace-ratio"):  # the set for k is no beginning of the set for k + 1
        criterion = "fisher" if method.endswith("fs") else "laplacian"
        fitted = [TraceRatio(k, criterion=criterion).fit(X, y) for k in ks]
        return [np.flatnonzero(selector.support_) for selector in fitted]
    ranker = {
        # the scalar class number as label: with one-hot labels HSIC would rank as the Fisher score
        "hsic": HSICScore(1, label_kernel="linear"),
        "fisher": FisherScore(1),
        "laplacian": LaplacianScore(1),
    }[method]
    order = np.argsort(ranker.fit(X, y).ranking_)
    return [np.sort(order[:k]) for k in ks]
