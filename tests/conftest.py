"""Shared fixtures, and where real data is looked for."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from fisherset import datasets

settings.register_profile("fisherset", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("fisherset")


def data_folder():
    """Folder of the real data sets: FISHERSET_DATA, or beside the checkout; None when there is none."""
    named = os.environ.get("FISHERSET_DATA")
    candidates = [Path(named)] if named else []
    candidates.append(Path(__file__).resolve().parents[2] / "shared" / "data")
    return next((folder for folder in candidates if (folder / "sonar.npz").exists()), None)


def pytest_report_header():
    folder = data_folder()
    if folder is None:
        return "real data: NOT FOUND. Tests on real data are SKIPPED; set FISHERSET_DATA to run them."
    return "real data: found"


@pytest.fixture
def real_data():
    """Loader of real data sets by name: (X, y)."""
    folder = data_folder()
    if folder is None:
        pytest.skip("REAL DATA NOT FOUND: set FISHERSET_DATA to the folder of the data sets")

    def load(name):
        found = datasets.load(name, data_dir=folder)
        return found.X, found.y

    return load
