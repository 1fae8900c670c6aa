"""The data sets as the experiments see them."""

from __future__ import annotations

import hashlib
import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.datasets import Dataset, DatasetNotFoundError, load
from fisherset.paper.printed import SIZES
from fisherset.paper.protocol import Study


class Data(NamedTuple):
    """A data set, the name of the file it came as and a fingerprint of its content."""

    X: Floats
    y: NDArray[np.int32]
    file: str
    digest: str


def obtain(study: Study, data_dir: str | os.PathLike[str] | None) -> Data:
    """The first of the files of a study that is to be had, checked to be what the paper describes."""
    first: DatasetNotFoundError | None = None
    for name in study.files:
        try:
            found = load(name, data_dir=data_dir)
        except DatasetNotFoundError as error:
            first = first or error
        else:
            return _checked(study, name, found)
    assert first is not None
    raise first


def _checked(study: Study, name: str, found: Dataset) -> Data:
    """Refuse a file that is not the set the paper describes, before anything is computed."""
    size = (*found.X.shape, int(np.unique(found.y).size))
    if size != SIZES[study.key]:
        raise ValueError(
            f"{name} must have the paper's {_described(*SIZES[study.key])}; this one has {_described(*size)}."
        )
    if sparse.issparse(found.X) or found.X.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be a dense table of real numbers; got {found.X.dtype}.")
    X = np.ascontiguousarray(found.X, dtype=np.float64)
    if np.isinf(X).any() or np.isnan(X).all(axis=0).any():
        raise ValueError(f"{name} must hold finite numbers, with no column missing altogether.")
    digest = hashlib.sha256(X.tobytes() + found.y.tobytes()).hexdigest()
    return Data(X, found.y, name, digest)


def _described(samples: int, features: int, classes: int) -> str:
    return f"{samples} samples, {features} features and {classes} classes"


def standardised(X: Any, rows: Indices | slice) -> Floats:
    """X with the mean and standard deviation of the given rows taken out; missing values become nought.

    Nought is the mean there: a missing value says neither more nor less of a feature. A
    feature that is constant in these rows is only centred.
    """
    mean, scale = np.nanmean(X[rows], axis=0), np.nanstd(X[rows], axis=0)
    Z: Floats = np.nan_to_num((X - mean) / np.where(scale > 0, scale, 1.0), nan=0.0)
    return Z
