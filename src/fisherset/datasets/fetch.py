"""Data sets through scikit-learn's fetchers, in the form the .npz files have them."""

from __future__ import annotations

import http.client
import sys
import warnings
from contextlib import redirect_stdout
from typing import Any
from urllib.error import URLError

import numpy as np

from fisherset.tables.matrices.npz import Dataset


class Unreachable(Exception):  # noqa: N818 - caught and explained by `load`
    """A fetcher could not get at its data."""

    def __init__(self, place: str, error: Exception) -> None:
        self.place = place
        self.reason = (str(error) or type(error).__name__).splitlines()[0]
        super().__init__(f"{place}: {self.reason}")


def fetch_table(data_id: int, rows: slice = slice(None)) -> Dataset:
    """Some rows of an OpenML set. Nominal attributes become the numbers of their values, "?" becomes NaN."""
    from sklearn.datasets import fetch_openml

    bunch = _fetch("OpenML", fetch_openml, data_id=data_id, as_frame=False, parser="liac-arff")
    labels = np.asarray(bunch.target).astype(str)[rows]
    classes, y = np.unique(labels, return_inverse=True)
    X = np.asarray(bunch.data, dtype=np.float64)[rows]
    return Dataset(X, y.astype(np.int32), classes, np.array([str(name) for name in bunch.feature_names]))


def fetch_faces() -> Dataset:
    """The Olivetti faces at 32 x 32: means of 2 x 2 pixels as grey levels, columns of the image first."""
    from sklearn.datasets import fetch_olivetti_faces

    bunch = _fetch("scikit-learn's copy of the Olivetti faces", fetch_olivetti_faces)
    blocks = np.asarray(bunch.images, dtype=np.float64).reshape(-1, 32, 2, 32, 2).mean(axis=(2, 4))
    X = np.round(255 * blocks.transpose(0, 2, 1).reshape(-1, 1024)).astype(np.uint8)
    y = np.asarray(bunch.target).astype(np.int32)
    return Dataset(X, y, np.arange(1, 41), None)


def _fetch(place: str, fetcher: Any, **options: Any) -> Any:
    try:
        # the fetchers print; what a command prints may be read by a machine
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            warnings.filterwarnings("ignore", message=".*OpenML.*")  # retries, versions: the outcome says it
            return fetcher(**options)
    except (URLError, http.client.HTTPException, OSError, ValueError) as error:
        raise Unreachable(place, error) from error
