"""The choice between the dense and the sparse block kernel: the only place that makes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from fisherset.sources import Matrix
from fisherset.statistics import dense, sparse


def kernel_of(X: Matrix) -> Any:
    """The module that computes on blocks of this kind; `dense` and `sparse` have the same functions."""
    return dense if isinstance(X, np.ndarray) else sparse
