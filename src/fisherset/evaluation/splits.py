"""Random halves of a labelled table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices


def halves(y: NDArray[np.integer], seed: int | np.random.Generator) -> tuple[Indices, Indices]:
    """Two halves of the samples with each class halved; who is odd, even in a class of one, falls by lot.

    Unlike scikit-learn's stratified splitters this takes classes of any size, so that a
    class of one sample is in either half at random.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class numbers.
    seed : int or Generator
        Where the randomness comes from.

    Returns
    -------
    first, second : ndarray
        Sample numbers, rising; the second half is the larger one where the number is odd.
    """
    y = np.asarray(y)
    if y.ndim != 1 or y.dtype.kind not in "iu":
        raise ValueError(f"y must be a list of class numbers; got {y.dtype} of the shape {y.shape}.")
    rng = np.random.default_rng(seed)
    first: list[int] = []
    odd: list[int] = []
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        half = members.size // 2
        first.extend(members[:half])
        odd.extend(members[2 * half :])
    lots = rng.permutation(np.array(odd, dtype=np.intp))
    first.extend(lots[: y.size // 2 - len(first)])
    chosen = np.zeros(y.size, dtype=bool)
    chosen[first] = True
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)
