"""Arrays as people save them, against the same ones under our own names."""

import numpy as np
import pytest
from scipy import sparse

from fisherset.datasets import read_npz
from fisherset.tables import Identifiers, read_table, write_table
from fisherset.tables.columns.table import read_content

X = np.arange(12.0).reshape(4, 3)
Y = ["u", "v", "u", "w"]
NAMES = ["a", "b", "c"]

FILES = {  # what is saved; the names of features, target, identifiers
    "X and y": ({"X": X, "y": Y}, None, "y", None),
    "numbered classes": ({"X": X, "y": [0, 1, 0, 2], "classes": ["u", "v", "w"]}, None, "y", None),
    "data and target": ({"data": X, "target": Y}, None, "target", None),
    "x and labels": ({"x": X, "labels": Y}, None, "labels", None),
    "X and Y": ({"X": X, "Y": Y}, None, "Y", None),
    "without names": ({"arr_0": X, "arr_1": Y}, None, "arr_1", None),
    "a column of labels": ({"X": X, "y": np.array(Y)[:, None]}, None, "y", None),
    "feature_names": ({"X": X, "y": Y, "feature_names": NAMES}, NAMES, "y", None),
    "names": ({"X": X, "y": Y, "names": NAMES}, NAMES, "y", None),
    "columns": ({"X": X, "y": Y, "columns": NAMES}, NAMES, "y", None),
    "sample_names": ({"X": X, "y": Y, "sample_names": list("pqrs")}, None, "y", list("pqrs")),
    "ids": ({"X": X, "y": Y, "ids": [7, 5, 6, 4]}, None, "y", [7, 5, 6, 4]),
    "ours besides others": ({"X": X, "y": Y, "data": X[:2], "labels": [1]}, None, "y", None),
    "more besides": ({"X": X, "y": Y, "splits": [0, 1]}, None, "y", None),
}


@pytest.mark.parametrize("case", FILES)
def test_arrays_by_their_usual_names(case, tmp_path):
    arrays, names, target, ids = FILES[case]
    np.savez(tmp_path / "t.npz", **{key: np.asarray(values) for key, values in arrays.items()})
    for asked in (None, target):
        found = read_table(tmp_path / "t.npz", asked)
        np.testing.assert_array_equal(found.X, X)
        assert found.y.tolist() == Y
        assert found.names == (names or ["x0", "x1", "x2"])
        assert found.target == target
        assert found.ids == (None if ids is None else Identifiers("id", ids))
    dataset = read_npz(tmp_path / "t.npz")
    assert dataset.classes[dataset.y].tolist() == Y


def test_positions_are_names(tmp_path):
    np.savez(tmp_path / "t.npz", X, np.array(Y))
    assert read_table(tmp_path / "t.npz", None).y.tolist() == Y


@pytest.mark.parametrize(
    "values", [[0, 1, 0, 1], [True, False] * 2, [0.5, 1.5, 2.5, 3.5], ["1E1", "10", "-0", "0"]]
)
def test_numbers_as_labels(values, tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=values)
    assert read_table(tmp_path / "t.npz", "y").y.tolist() == values


def objects(values):
    return np.array(values, dtype=object)


REFUSED = {
    "no labels": ({"X": X, "a": [1]}, None, "t.npz lacks y; it holds 'X', 'a'. It must hold X"),
    "no matrix": ({"y": Y, "table": X}, None, "t.npz lacks X_data, .*; it holds 'y', 'table'"),
    "neither": ({"a": [1]}, None, "t.npz lacks X_data, .*; it holds 'a'. It must hold X"),
    "two that may be it": (
        {"x": X, "data": X, "y": Y},
        None,
        "t.npz lacks X_data, .*; it holds 'x', 'data', 'y'",
    ),
    "labels of two names": (
        {"X": X, "labels": Y, "target": Y},
        None,
        "lacks y; it holds 'X', 'labels', 'target'",
    ),
    "another target": ({"X": X, "y": Y}, "kind", "no target 'kind'; it has 'y'. Did you mean 'y'?"),
    "objects as labels": (
        {"X": X, "y": objects(Y)},
        None,
        "holds pickled objects as y; save strings as y.astype",
    ),
    "objects as names": ({"X": X, "y": Y, "names": objects(NAMES)}, None, "pickled objects as names"),
    "other names": ({"X": X, "y": Y, "names": ["a"]}, None, "names 1 features; X has 3"),
    "other samples": ({"X": X, "y": Y, "ids": ["a"]}, None, "names 1 samples; X has 4"),
    "other labels": (
        {"X": X, "y": Y[:2]},
        None,
        r"one label a row; X has the shape \(4, 3\) and y the shape \(2,\)",
    ),
    "sets of labels": ({"X": X, "y": np.eye(4)}, None, r"one label a row; .* y the shape \(4, 4\)"),
    "no table": ({"X": X[0], "y": Y}, None, r"one label a row; X has the shape \(3,\)"),
    "no table and no labels": ({"X": X[0]}, None, r"must hold a table as X; it has the shape \(3,\)"),
    "half a sparse matrix": ({"X_data": [1.0], "X_shape": [4, 3], "y": Y}, None, "lacks X_indices, X_indptr"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_lacking_or_odd_is_refused(case, tmp_path):
    arrays, target, said = REFUSED[case]
    np.savez(tmp_path / "t.npz", **{key: np.asarray(values) for key, values in arrays.items()})
    with pytest.raises(ValueError, match=said.replace(".npz", r"\.npz").replace("?", r"\?")):
        read_table(tmp_path / "t.npz", target)


def test_a_matrix_of_scipy_alone_is_none_of_ours(tmp_path):
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(X))
    with pytest.raises(ValueError, match=r"t\.npz lacks X_data, .*; it holds"):
        read_content(tmp_path / "t.npz")


def test_a_table_without_labels_can_be_reduced(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, names=NAMES)
    found = read_content(tmp_path / "t.npz")
    assert (found.names, found.annotations, found.n_rows) == (NAMES, {}, 4)
    assert found.values("y") is None


def test_what_we_write_is_read_again(tmp_path):
    write_table(tmp_path / "t.npz", X, NAMES, y=np.array(Y), ids=Identifiers("cell", list("pqrs")))
    found = read_table(tmp_path / "t.npz", None)
    np.testing.assert_array_equal(found.X, X)
    assert (found.names, found.y.tolist(), found.ids.values) == (NAMES, Y, list("pqrs"))
