"""Every selector of the package, for tests that cross them."""

import pytest
from sklearn.base import clone

from fisherset import FisherScore, GeneralizedFisherScore, HSICScore, LaplacianScore, TraceRatio

SELECTORS = [
    FisherScore(),
    GeneralizedFisherScore(),
    GeneralizedFisherScore(solver="cutting-plane"),
    GeneralizedFisherScore(solver="exact"),
    HSICScore(),
    HSICScore(label_kernel="linear"),
    HSICScore(data_kernel="rbf"),
    LaplacianScore(),
    LaplacianScore(supervised=True),
    TraceRatio(),
    TraceRatio(criterion="laplacian"),
]


def selecting(k, *, weighted=False, labelled=False):
    """Fresh copies of all selectors that select k features, or of those that use weights or labels."""
    return [
        pytest.param(clone(selector).set_params(n_features_to_select=k), id=repr(selector))
        for selector in SELECTORS
        if not (weighted and isinstance(selector, LaplacianScore | TraceRatio))
        if not (labelled and not selector.__sklearn_tags__().target_tags.required)
    ]
