"""Data frames in place of files: the same table and the same answer as of a Parquet file."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fisherset import GeneralizedFisherScore, JointRegressionScore, Layout, explain, scan

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(5)
N = 120
TABLE = pandas.DataFrame(RNG.normal(size=(N, 4)), columns=list("pqrs")).assign(
    site=RNG.choice(["a", "b", "c"], N),
    flag=RNG.choice([True, False], N),
    stage=pandas.Categorical(RNG.choice(["early", "late"], N)),
    age=RNG.integers(20, 80, N),
    weight=RNG.uniform(0.5, 2, N),
    kind=RNG.choice(["x", "y", "z"], N),
)
TABLE["p"] += TABLE["kind"] == "x"
TABLE["q"] += TABLE["age"] / 50
ARGUMENTS = {"target": "kind", "sample_weight": "weight", "confounders": ["age"]}


def polars_of(table):
    return pytest.importorskip("polars").from_pandas(table)


def dask_of(table, n=4):
    return pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=n)


FRAMES = {
    "pandas": lambda table: table,
    "pandas with row names": lambda table: table.set_index(pandas.Index([f"r{i}" for i in range(N)])),
    "arrow": lambda table: pytest.importorskip("pyarrow").Table.from_pandas(table),
    "polars": polars_of,
    "lazy polars": lambda table: polars_of(table).lazy(),
    "dask": dask_of,
    "dask objects": lambda table: dask_of(table.astype({"site": object, "kind": object}), 3),
    "dask categories": lambda table: dask_of(table.astype({"site": "category", "kind": "category"}), 3),
    "dask with an empty partition": lambda table: dask_of(table).query("p > -99 and index >= 40"),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_scanned_as_files(kind, tmp_path):
    used = TABLE[40:] if "empty" in kind else TABLE
    used.to_parquet(tmp_path / "rows.parquet", index=False)
    frame = FRAMES[kind](TABLE)
    rows, file = scan(frame, **ARGUMENTS), scan(tmp_path / "rows.parquet", **ARGUMENTS)
    assert (rows.names, rows.groups) == (file.names, file.groups)
    fitted, expected = GeneralizedFisherScore(4).fit(rows), GeneralizedFisherScore(4).fit(file)
    assert_array_equal(fitted.support_, expected.support_)
    assert_array_equal(fitted.classes_, expected.classes_)
    assert fitted.objective_ == pytest.approx(expected.objective_, rel=1e-12)
    assert str(explain(fitted, rows)) == str(explain(expected, file))
    numbers = JointRegressionScore(2).fit(scan(frame, "age", drop=["weight", "kind"]))
    same = JointRegressionScore(2).fit(scan(tmp_path / "rows.parquet", "age", drop=["weight", "kind"]))
    assert numbers.objective_ == pytest.approx(same.objective_, rel=1e-12)


def test_what_dask_cannot_say_before():
    mixed = dask_of(pandas.DataFrame({"a": [1, "x", 2.5] * 5, "k": list("abc") * 5}), 2)
    with pytest.raises(ValueError, match="'a' of the Dask data frame"):
        scan(mixed, "k")
    with pytest.raises(ValueError, match=r"The Dask data frame has no column 'kid'"):
        scan(dask_of(TABLE), "kid")
    with pytest.raises(TypeError, match="paths must be a path"):
        scan(dask_of(TABLE)["p"], "p")


def small(**columns):
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(12, 3))
    return pd.DataFrame(X, columns=list("abc")).assign(kind=list("uv") * 6, **columns)


def test_names_in_any_container():
    frame = small()
    found = scan(frame, "kind", columns=frame.columns[:2], drop=None, confounders=None)
    assert found.names == ["a", "b"]
    assert scan(frame, "kind", drop=np.array(["a"]), confounders=frame.columns[1:2]).names == ["c"]


def test_labels_of_columns_of_any_type():
    frame = small()
    frame.columns = [0, ("b", 1), "c", "kind"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scan(frame, "kind").names == ["0", "('b', 1)", "c"]
    frame.columns = ["a", "a", "c", "kind"]
    with pytest.raises(ValueError, match=r"^The table has columns of the same name: 'a'\. Rename them\."):
        scan(frame, "kind")


def test_refusals_are_short_and_in_the_words_of_python():
    frame = small()
    for wrong in (frame["kind"], frame["kind"].to_numpy(), 3, ("a", 1), None):
        with pytest.raises(TypeError, match="target must name a column, or several in a list; got ") as said:
            scan(frame, wrong)
        assert len(str(said.value)) < 130
        assert "\n" not in str(said.value)
    with pytest.raises(TypeError, match=r"sample_weight must name a column of the table; got array\("):
        scan(frame, "kind", sample_weight=np.ones(12))
    with pytest.raises(TypeError, match=r"got Series\. Rows in memory need no scan"):
        scan(frame["kind"], "kind")
    frame.loc[3, "kind"] = None
    with pytest.raises(
        ValueError, match=r"Pass layout=Layout\(drop_unlabelled=True\) to leave such rows out"
    ):
        GeneralizedFisherScore(2).fit(scan(frame, "kind"))
    with pytest.warns(UserWarning, match="1 row without a label was left out"):
        GeneralizedFisherScore(2).fit(scan(frame, "kind", layout=Layout(drop_unlabelled=True)))
    with pytest.raises(ValueError, match='Pass impute="median" or "indicator", or use drop'):
        scan(small(text=["x", None] * 6), "kind")
