"""Data frames in place of files: the same table and the same answer as of a Parquet file."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fisherset import GeneralizedFisherScore, JointRegressionScore, explain, scan

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
