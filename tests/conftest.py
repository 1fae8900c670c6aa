"""Shared fixtures, and where real data is looked for."""

import os
import shutil
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


def browser_path():
    """A Chromium to open pages in; None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for path in map(shutil.which, names) if path), None)


def pytest_report_header():
    lines = ["real data: found", "browser: found"]
    if data_folder() is None:
        lines[0] = "real data: NOT FOUND. Tests on real data are SKIPPED; set FISHERSET_DATA to run them."
    if browser_path() is None:
        lines[1] = "browser: NOT FOUND. Tests of the report page are SKIPPED; install chromium to run them."
    return lines


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
