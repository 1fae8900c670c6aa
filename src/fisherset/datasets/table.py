"""`load`: a data set by name, from the nearest place that has it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from fisherset.datasets.catalogue import FETCHED
from fisherset.datasets.fetch import Unreachable
from fisherset.datasets.files import Dataset, read_npz

VARIABLE = "FISHERSET_DATA"


class DatasetNotFoundError(LookupError):
    """Neither a file nor the network has the data set; the message says what is needed."""


def load(name: str, *, data_dir: str | os.PathLike[str] | None = None, download: bool = True) -> Dataset:
    """Load a labelled table by name.

    Looked for in this order: the file ``name.npz`` in `data_dir`, or in the folder the
    environment variable ``FISHERSET_DATA`` names where `data_dir` is None; then, for the
    data sets scikit-learn can fetch, its cache and the network.

    Parameters
    ----------
    name : str
        Any set with a file in the folder. Without a file: "ionosphere", "sonar",
        "soybean", "usps2007" and "USPS" (OpenML), and "orl" (the Olivetti faces).
    data_dir : path-like, default=None
        The folder of .npz files.
    download : bool, default=True
        Whether scikit-learn's fetchers may be asked.

    Returns
    -------
    dataset : Dataset
        The tuple (X, y, classes, feature_names): `classes[y]` are the labels, and X is
        as its source has it, neither scaled nor imputed, dense or CSR.

    Raises
    ------
    DatasetNotFoundError
        Where there is neither a file nor a way to fetch the set.

    Notes
    -----
    A file holds `X` (or `X_data`, `X_indices`, `X_indptr` and `X_shape` of a CSR matrix),
    the class numbers `y`, the labels `classes` and, where there are any, `feature_names`.
    Pickled objects are refused.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from fisherset.datasets import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "tiny.npz", X=np.eye(4), y=[0, 0, 1, 1], classes=["a", "b"])
    ...     X, y, classes, feature_names = load("tiny", data_dir=folder)
    >>> X.shape, classes[y].tolist(), feature_names
    ((4, 4), ['a', 'a', 'b', 'b'], None)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
        raise ValueError(f"name must be a plain name such as 'sonar', without folders; got {name!r}.")
    folder = os.fspath(data_dir) if data_dir is not None else os.environ.get(VARIABLE)
    if folder and not Path(folder).is_dir():
        who = VARIABLE if data_dir is None else "data_dir"
        raise NotADirectoryError(f"{who} must be a folder of .npz files; got {folder!r}.")
    if folder:
        path = Path(folder) / f"{name}.npz"
        if path.is_file():
            return read_npz(path)
    fetched = FETCHED.get(name)
    if fetched is None:
        raise DatasetNotFoundError(f"{_file_needed(name, folder)} It exists only as a file.")
    if not download:
        raise DatasetNotFoundError(f"{_file_needed(name, folder)} Downloads were not allowed.")
    try:
        return fetched()
    except Unreachable as error:
        raise DatasetNotFoundError(
            f"{_file_needed(name, folder)} It could not be fetched from {error.place} either "
            f"({error.reason}): give the file, or a network."
        ) from error


def _file_needed(name: str, folder: str | None) -> str:
    if folder:
        return f"Data set {name!r} needs the file {name}.npz, which is not in {folder!r}."
    return f"Data set {name!r} needs the file {name}.npz in data_dir or in the folder {VARIABLE} names."
