"""Tables in files, in ways the command line's own tests do not reach."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fisherset import GeneralizedFisherScore
from fisherset._files import safe_cell
from fisherset.tables import Feature, read_table, write_table
from fisherset.tables.columns import encoding
from fisherset.tables.columns.table import read_content, reduce_content
from fisherset.tables.streams.readers import TypedReader
from fisherset.tables.text.reader import TextReader


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_texts_stay_texts_when_another_file_looks_like_numbers(tmp_path):
    train = written(tmp_path / "train.csv", "flag,code,y\nTrue,01,a\nUnknown,x2,b\nFalse,01,a\nTrue,x2,b\n")
    table = read_table(train, "y")
    new = written(tmp_path / "new.csv", "flag,code\nTrue,01\nFalse,01\n")
    frame = read_content(new, strings={feature.column for feature in table.features})
    found = dict(zip(table.names, reduce_content(frame, table.features).T.tolist(), strict=True))
    assert found["flag=True"] == [1.0, 0.0]
    assert found["code=01"] == [1.0, 1.0]


def test_a_text_column_that_became_numbers_is_refused(tmp_path):
    pd.DataFrame({"c": [1, 2]}).to_parquet(tmp_path / "new.parquet")
    feature = Feature("c=red", "c", "value", "red")
    with pytest.raises(ValueError, match="'c' holds no strings"):
        reduce_content(read_content(tmp_path / "new.parquet"), [feature])
    pd.DataFrame({"d": ["a"]}).to_parquet(tmp_path / "new.parquet")
    with pytest.raises(ValueError, match="'d' holds no numbers"):
        reduce_content(read_content(tmp_path / "new.parquet"), [Feature("d", "d")])


def test_no_value_is_not_the_empty_value(tmp_path):
    table = pd.DataFrame({"c": ["", None, "z", "z"], "y": [0, 1, 0, 1]})
    table.to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", "y", impute="indicator")
    assert dict(zip(found.names, found.X.T.tolist(), strict=True)) == {
        "c=": [1.0, 0.0, 0.0, 0.0],
        "c=z": [0.0, 0.0, 1.0, 1.0],
        "c=missing": [0.0, 1.0, 0.0, 0.0],
    }


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.csv"])
def test_row_numbers_are_no_feature(name, tmp_path):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": [0, 1, 0]}, index=[5, 3, 9])
    if name == "t.csv":
        table.to_csv(tmp_path / name)
        with pytest.warns(UserWarning, match="taken for row numbers"):
            found = read_table(tmp_path / name, "y")
    else:
        write = table.to_parquet if name == "t.parquet" else table.reset_index().to_feather
        write(tmp_path / name)
        found = read_table(tmp_path / name, "y", drop=["index"] if name == "t.feather" else [])
    assert found.names == ["a"]


def test_svmlight_columns_keep_their_numbers(tmp_path):
    train = written(tmp_path / "a.svm", "0 0:1.5 3:2\n1 1:1 3:1\n")
    table = read_table(train, None)
    new = written(tmp_path / "b.svm", "1 1:1.25\n0 1:7\n")
    reduced = reduce_content(read_content(new), table.features)
    assert table.names == ["x0", "x1", "x2", "x3"]
    assert reduced.tolist() == [[0, 1.25, 0, 0], [0, 7, 0, 0]]


LABELS = {
    "texts": ("a\nb\na", ["a", "b", "a"]),
    "whole numbers": ("1\n2\n1", [1, 2, 1]),
    "numbers": ("1.5\n2\n1.5", [1.5, 2.0, 1.5]),
    "leading noughts": ("01\n1\n01", ["01", "1", "01"]),
    "more digits than float64 has": (
        "12345678901234567890123\n12345678901234567890124\n1",
        ["12345678901234567890123", "12345678901234567890124", "1"],
    ),
    "texts like gaps": ("none\nx\nnone", ["none", "x", "none"]),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_of_a_text_file_are_what_stands_there(case, tmp_path):
    lines, expected = LABELS[case]
    rows = "\n".join(f"{label},{i}" for i, label in enumerate(lines.split("\n")))
    table = read_table(written(tmp_path / "t.csv", f"y,g\n{rows}\n"), "y", task="classification")
    assert table.y.tolist() == expected


def test_quotes_inside_a_field_are_no_damage(tmp_path):
    table = read_table(written(tmp_path / "t.tsv", 'a\tsize\ty\n1\t5"\t0\n2\t6"\t1\n3\t5"\t0\n'), "y")
    assert 'size=5"' in table.names


def test_a_matrix_may_have_a_column_called_like_its_labels(tmp_path):
    X = np.arange(8.0).reshape(4, 2)
    np.savez(tmp_path / "t.npz", X=X, y=[0, 1, 0, 1], classes=["a", "b"], feature_names=["y", "z"])
    table = read_table(tmp_path / "t.npz", None)
    assert table.names == ["y", "z"]
    with pytest.raises(ValueError, match="name of the target"):
        write_table(tmp_path / "out.csv", X, table.names, target="y", y=table.y)


@pytest.mark.parametrize("impute", ["median", "indicator"])
def test_gaps_of_a_matrix(impute, tmp_path):
    X = np.array([[1.0, np.nan], [2.0, 4.0], [3.0, 8.0]])
    np.savez(tmp_path / "t.npz", X=X, y=[0, 1, 0], classes=["a", "b"])
    table = read_table(tmp_path / "t.npz", None, impute=impute)
    assert table.X[:, 1].tolist() == [6.0, 4.0, 8.0]
    assert table.names == ["x0", "x1"] + (["x1=missing"] if impute == "indicator" else [])
    again = reduce_content(read_content(tmp_path / "t.npz"), table.features)
    np.testing.assert_array_equal(again, table.X)


def test_sparse_tables_stay_sparse(tmp_path):
    X = sparse.random(20, 30, 0.2, "csr", random_state=0)
    parts = {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr, "X_shape": X.shape}
    np.savez(tmp_path / "t.npz", y=np.arange(20) % 2, classes=["a", "b"], **parts)
    table = read_table(tmp_path / "t.npz", None, drop=["x3"])
    assert sparse.issparse(table.X)
    assert table.X.shape == (20, 29)
    assert "x3" not in table.names
    with pytest.raises(ValueError, match="holds only numbers"):
        reduce_content(read_content(tmp_path / "t.npz"), [Feature("x1=red", "x1", "value", "red")])


def test_the_indicators_of_many_texts_stay_sparse(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(1500), rng.integers(0, 1500, 4500)])
    table = pd.DataFrame({"a": rng.normal(size=6000), "code": [f"c{j:04}" for j in codes], "b": codes % 7})
    table.loc[5, "code"] = None
    table.assign(y=codes % 2).to_parquet(tmp_path / "t.parquet")
    tracemalloc.start()
    found = read_table(tmp_path / "t.parquet", "y", impute="indicator")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sparse.issparse(found.X)
    assert found.X.format == "csr"
    assert peak < found.X.shape[0] * found.X.shape[1]  # bytes: an eighth of the dense table
    expected = {"a": table["a"], "code=c0007": table["code"] == "c0007", "b": table["b"]}
    expected |= {"code=missing": table["code"].isna()}
    for name, values in expected.items():
        np.testing.assert_array_equal(found.X[:, [found.names.index(name)]].toarray().ravel(), values)
    some = [found.features[j] for j in (1501, 8, 0, 3)]  # in any order, from the table or another
    frame = read_content(tmp_path / "t.parquet")
    np.testing.assert_array_equal(reduce_content(frame, some), found.X[:, [1501, 8, 0, 3]].toarray())


def test_sparse_and_dense_indicators_give_the_same_choice(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, 400)
    table = pd.DataFrame({"a": rng.normal(size=400), "code": [f"c{j}" for j in codes], "y": codes % 3 == 0})
    table.loc[::50, "code"] = None
    table.to_csv(tmp_path / "t.csv", index=False)
    fits = []
    for share in (0.0, 1.0):
        monkeypatch.setattr(encoding, "SPARSE", share)
        found = read_table(tmp_path / "t.csv", "y", impute="median")
        assert sparse.issparse(found.X) == bool(share)
        fits.append(GeneralizedFisherScore(8).fit(found.X, found.y))
    np.testing.assert_array_equal(fits[0].support_, fits[1].support_)
    assert fits[0].objective_ == pytest.approx(fits[1].objective_)


def test_infinite_numbers_are_refused_in_a_sparse_table_too(tmp_path):
    table = pd.DataFrame({"code": [f"c{j % 60}" for j in range(120)], "a": 1.0, "y": np.arange(120) % 2})
    table.loc[3, "a"] = -np.inf
    table.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="infinite values: 'a'"):
        read_table(tmp_path / "t.parquet", "y")


def test_labels_with_gaps_are_kept_as_gaps(tmp_path):
    y = np.array(["a", None, "=b"], dtype=object)
    for name, read in (("o.parquet", pd.read_parquet), ("o.csv", pd.read_csv)):
        write_table(tmp_path / name, np.ones((3, 1)), ["g"], target="y", y=y)
        labels = read(tmp_path / name)["y"]
        assert labels.isna().tolist() == [False, True, False]
    write_table(tmp_path / "o.npz", np.ones((3, 1)), ["g"], target="y", y=y)
    with np.load(tmp_path / "o.npz") as file:
        assert file["classes"][file["y"]].tolist() == ["a", "", "=b"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_spreadsheet_runs_a_name(text):
    assert safe_cell(text) == f"'{text}"
    assert safe_cell(f"a{text}") == f"a{text}"


def test_nothing_is_said_of_plain_tables(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(written(tmp_path / "t.csv", "a,y\n1,x\n2,z\n"), "y")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.feather"])
@pytest.mark.parametrize(
    ("target", "reason"),
    [("knid", "has no column 'knid'. Did you mean 'kind'"), (None, "--target is missing")],
)
def test_a_wrong_target_is_refused_before_the_rows_are_read(name, target, reason, tmp_path, monkeypatch):
    table = pd.DataFrame({"a, b": [1.5, 2.5], "kind": ["x", "z"]})
    kind = name.split(".")[1]
    getattr(table, f"to_{kind}")(tmp_path / name, **({"index": True} if kind == "csv" else {}))
    for reader in (TypedReader, TextReader):
        monkeypatch.setattr(reader, "table", lambda *given: pytest.fail("the rows were read"))
    with pytest.raises(ValueError, match=reason):
        read_table(tmp_path / name, target)


def test_a_wrong_target_comes_with_the_remark_on_the_dialect(tmp_path):
    path = written(tmp_path / "t.csv", "a;kind\n1,5;x\n2,5;z\n")
    with pytest.warns(UserWarning, match="read with ';'"), pytest.raises(ValueError, match="'kind'"):
        read_table(path, "knid")
