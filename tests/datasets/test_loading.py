"""Data sets by name: files first, then the fetchers, then a sentence."""

import numpy as np
import pytest
from scipy import sparse

from fisherset.datasets import DatasetNotFoundError, load
from fisherset.datasets.sources import FETCHED
from fisherset.paper.protocol import SHAPES


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    np.savez(tmp_path / "dense.npz", X=np.arange(6.0).reshape(3, 2), y=[0, 1, 1], classes=["a", "b"])
    X = sparse.csr_matrix(np.eye(3, 4))
    np.savez(
        tmp_path / "thin.npz",
        X_data=X.data,
        X_indices=X.indices,
        X_indptr=X.indptr,
        X_shape=X.shape,
        y=np.array([0, 1, 0], dtype=np.int32),
        classes=[10, 20],
        feature_names=["p", "q", "r", "s"],
    )
    return tmp_path


def test_dense_file(folder):
    X, y, classes, names = load("dense", data_dir=folder)
    assert X.shape == (3, 2)
    assert classes[y].tolist() == ["a", "b", "b"]
    assert names is None


def test_sparse_file_stays_sparse(folder):
    dataset = load("thin", data_dir=str(folder))
    assert sparse.issparse(dataset.X)
    np.testing.assert_array_equal(dataset.X.toarray(), np.eye(3, 4))
    assert dataset.feature_names.tolist() == ["p", "q", "r", "s"]


def test_environment_names_the_folder_and_data_dir_comes_first(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("FISHERSET_DATA", str(folder))
    assert load("dense").X.shape == (3, 2)
    other = tmp_path / "other"
    other.mkdir()
    np.savez(other / "dense.npz", X=np.ones((1, 7)), y=[0], classes=["a"])
    assert load("dense", data_dir=other).X.shape == (1, 7)


@pytest.mark.parametrize("name", ["../dense", "a/b", "", ".hidden", "dense\x00", 7])
def test_names_are_no_paths(folder, name):
    with pytest.raises(ValueError, match="name must be a plain name"):
        load(name, data_dir=folder)


def test_what_exists_only_as_a_file_says_so(folder):
    with pytest.raises(DatasetNotFoundError, match=r"needs the file protein\.npz.*exists only as a file"):
        load("protein", data_dir=folder)


def test_without_folder_the_message_names_the_variable(monkeypatch):
    monkeypatch.delenv("FISHERSET_DATA", raising=False)
    with pytest.raises(DatasetNotFoundError, match="FISHERSET_DATA"):
        load("protein")
    with pytest.raises(DatasetNotFoundError, match="Downloads were not allowed"):
        load("soybean", download=False)


def test_folder_that_is_none(folder):
    with pytest.raises(NotADirectoryError, match="data_dir must be a folder"):
        load("dense", data_dir=folder / "dense.npz")


GOOD = {"X": np.ones((3, 2)), "y": np.array([0, 1, 1]), "classes": np.array(["a", "b"])}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": None}, "lacks y"),
        ({"X": None}, "lacks X_data"),
        ({"y": np.array([0, 1])}, "one label a row"),
        ({"y": np.array([0j, 1j, 1j]), "classes": None}, "labels or numbers as y"),
        ({"y": np.array([0, 1, 2])}, "number its classes"),
        ({"y": np.array([0.0, 1.0, 1.0])}, "number its classes"),
        ({"X": np.ones(3)}, "one label a row"),
        ({"feature_names": np.array(["x"])}, "names 1 features"),
        ({"X": np.array([[{}, 1]] * 3, dtype=object)}, "pickled objects"),
    ],
)
def test_foreign_files_are_refused_with_a_reason(tmp_path, change, message):
    content = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    np.savez(tmp_path / "bad.npz", **content)
    with pytest.raises(ValueError, match=message):
        load("bad", data_dir=tmp_path)


def test_invalid_csr_is_refused(tmp_path):
    parts = {"X_data": [1.0], "X_indices": [9], "X_indptr": [0, 1], "X_shape": [1, 2]}
    np.savez(tmp_path / "bad.npz", y=[0], classes=["a"], **parts)
    with pytest.raises(ValueError, match="no valid CSR matrix"):
        load("bad", data_dir=tmp_path)


def test_bytes_changed_inside_are_found(tmp_path):
    table = {**GOOD, "X": np.random.default_rng(0).normal(size=(3, 333))}
    np.savez_compressed(tmp_path / "bad.npz", **table)
    content = bytearray((tmp_path / "bad.npz").read_bytes())
    for place in range(len(content) // 3, len(content) // 2):
        content[place] ^= 0xFF
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.npz cannot be read"):
        load("bad", data_dir=tmp_path)


def test_array_under_the_name_of_an_archive(tmp_path):
    with (tmp_path / "bad.npz").open("wb") as file:
        np.save(file, np.eye(3))
    with pytest.raises(ValueError, match=r"bad\.npz cannot be read"):
        load("bad", data_dir=tmp_path)


def test_variable_that_names_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("FISHERSET_DATA", str(tmp_path / "gone"))
    with pytest.raises(NotADirectoryError, match="FISHERSET_DATA must be a folder"):
        load("sonar")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"<html></html>"])
def test_damaged_files_are_refused(tmp_path, content):
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.npz cannot be read"):
        load("bad", data_dir=tmp_path)


def assert_the_papers(name, X, y):
    assert (*X.shape, np.unique(y).size) == SHAPES["usps" if name == "usps2007" else name]


@pytest.mark.parametrize("name", ["ionosphere", "sonar"])
def test_sets_to_be_had_everywhere_have_the_papers_sizes(real_data, name):
    assert_the_papers(name, *real_data(name))


def test_the_papers_sets_have_the_papers_sizes(real_data):
    for name in (*FETCHED.keys() - {"USPS"}, "protein"):
        assert_the_papers(name, *real_data(name))
