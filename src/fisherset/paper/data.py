"""The data sets as the experiments see them."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.datasets import DatasetNotFoundError, load
from fisherset.paper.protocol import Study


class Data(NamedTuple):
    """A data set with the name of the file it came as."""

    X: Floats
    y: NDArray[np.int32]
    file: str


def obtain(study: Study, data_dir: str | os.PathLike[str] | None, *, download: bool = True) -> Data:
    """The first of the files of a study that is to be had."""
    first: DatasetNotFoundError | None = None
    for name in study.files:
        try:
            found = load(name, data_dir=data_dir, download=download)
        except DatasetNotFoundError as error:
            first = first or error
        else:
            return Data(np.asarray(found.X, dtype=np.float64), found.y, name)
    assert first is not None
    raise first


def standardised(X: Any, rows: Indices | slice) -> Floats:
    """X with the mean and standard deviation of the given rows taken out; missing values become nought.

    Nought is the mean there: a missing value says neither more nor less of a feature. A
    feature that is constant in these rows is only centred.
    """
    mean, scale = np.nanmean(X[rows], axis=0), np.nanstd(X[rows], axis=0)
    Z: Floats = np.nan_to_num((X - mean) / np.where(scale > 0, scale, 1.0), nan=0.0)
    return Z
