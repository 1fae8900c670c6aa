"""Names of rows, from any kind of file: never a feature, and written again."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fisherset.tables import (
    Identifiers,
    Layout,
    columns_in,
    drift_of,
    open_table,
    read_table,
    scan,
    split_names,
    write_table,
)
from fisherset.tables.columns.identifiers import are_row_numbers, identifiers_of
from fisherset.tables.columns.table import read_content, reduce_content
from fisherset.tables.read import pick
from fisherset.tables.write import table_content
from support.anndata_files import write_cells

N = 6
NAMES = [f"s{i}" for i in (3, 1, 2, 6, 5, 4)]


def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N, 3)).round(3), columns=["a", "b", "c"])
    return table.assign(kind=["u", "v", "w"] * 2)


def plain(folder):
    frame().to_csv(folder / "plain.csv", index=False)
    return read_table(folder / "plain.csv", "kind")


def csv(**options):
    return lambda path, index: frame().set_index(pd.Index(*index)).to_csv(path, **options)


def table_of(write):
    return lambda path, index: write(pa.Table.from_pandas(frame().set_index(pd.Index(*index))), path)


WRITERS = {
    "t.csv": csv(),
    "t.tsv": csv(sep="\t"),
    "t.parquet": table_of(parquet.write_table),
    "t.feather": table_of(feather.write_feather),
}
INDEX = {  # index, its name; identifiers, and what they are called
    "texts with a name": ((NAMES, None, False, "sample"), NAMES, "sample"),
    "texts without a name": ((NAMES,), NAMES, "id"),
    "numbers with a name": (([5, 3, 9, 7, 8, 1], None, False, "sample"), [5, 3, 9, 7, 8, 1], "sample"),
    "numbers without a name": (([5, 3, 9, 7, 8, 1],), [5, 3, 9, 7, 8, 1], "id"),
    "numbers beyond the rows": ((range(100, 106),), list(range(100, 106)), "id"),
    "the same twice": ((["s", "s", "t", "t", "u", "u"],), ["s", "s", "t", "t", "u", "u"], "id"),
    "one missing": ((["s", None, "t", "t", "u", "u"],), ["s", None, "t", "t", "u", "u"], "id"),
}


@pytest.mark.parametrize("case", INDEX)
@pytest.mark.parametrize("name", WRITERS)
def test_an_index_names_the_rows(name, case, tmp_path):
    index, values, called = INDEX[case]
    WRITERS[name](tmp_path / name, index)
    named_csv = name in ("t.csv", "t.tsv") and called == "sample"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = read_table(tmp_path / name, "kind", layout=Layout(identifier="sample" if named_csv else None))
    if case == "numbers beyond the rows" and name in ("t.parquet", "t.feather"):
        values = None  # pandas notes them without a column
    assert found.ids == (None if values is None else Identifiers(called, values))
    assert found.identifiers() == found.ids
    expected = plain(tmp_path)
    assert found.names == expected.names
    np.testing.assert_array_equal(found.X, expected.X)
    assert found.y.tolist() == expected.y.tolist()
    if "sv" in name and not named_csv:
        (note,) = said
        assert "is taken for row numbers, or names, and no feature" in str(note.message)
    else:
        assert not said


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", WRITERS)
def test_row_numbers_name_nothing(name, first, tmp_path):
    WRITERS[name](tmp_path / name, (np.arange(N) + first,))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*row numbers, or names")
        found = read_table(tmp_path / name, "kind")
    assert found.ids is None
    assert found.names == ["a", "b", "c"]


def test_several_columns_name_the_rows_together(tmp_path):
    index = pd.MultiIndex.from_arrays([list("ppqqrr"), [1, 2] * 3], names=["person", "visit"])
    frame().set_index(index).to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", "kind")
    assert found.ids == Identifiers("person/visit", ["p/1", "p/2", "q/1", "q/2", "r/1", "r/2"])
    assert found.names == ["a", "b", "c"]


def test_a_name_that_is_taken_is_not_taken_again(tmp_path):
    frame().rename(columns={"a": "id"}).set_index(pd.Index(NAMES)).to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", "kind")
    assert found.ids == Identifiers("row_id", NAMES)
    assert found.names == ["id", "b", "c"]


VALUES = {
    "texts": (NAMES, NAMES),
    "whole numbers": ([7, 3, 5, 1, 2, 9], [7, 3, 5, 1, 2, 9]),
    "leading noughts": (["007", "03", "5", "1", "2", "9"], ["007", "03", "5", "1", "2", "9"]),
    "long numbers": ([f"{10**22 + i}" for i in range(N)], [f"{10**22 + i}" for i in range(N)]),
    "dates": (["2020-01-01"] * N, ["2020-01-01"] * N),
    "yes and no": (["true", "false"] * 3, ["true", "false"] * 3),
    "formulas": (["=1+1"] * N, ["=1+1"] * N),
}


@pytest.mark.parametrize("case", VALUES)
def test_a_column_of_a_csv_names_the_rows_as_it_stands(case, tmp_path):
    given, values = VALUES[case]
    frame().assign(sample=given).to_csv(tmp_path / "t.csv", index=False)
    found = read_table(tmp_path / "t.csv", "kind", layout=Layout(identifier="sample"))
    assert found.ids == Identifiers("sample", values)
    assert found.names == ["a", "b", "c"]
    np.testing.assert_array_equal(found.X, plain(tmp_path).X)


@pytest.mark.parametrize("kind", ["dates", "numbers", "categories"])
def test_a_column_of_parquet_names_the_rows(kind, tmp_path):
    values = {
        "dates": pd.to_datetime(["2020-01-01"] * N),
        "numbers": [0.5, 1, 2, 3, 4, np.nan],
        "categories": pd.Categorical(NAMES),
    }[kind]
    frame().assign(sample=values).to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", "kind", layout=Layout(identifier="sample"))
    expected = {
        "dates": ["2020-01-01 00:00:00"] * N,
        "numbers": [0.5, 1.0, 2.0, 3.0, 4.0, None],
        "categories": NAMES,
    }
    assert found.ids.values == expected[kind]
    assert found.names == ["a", "b", "c"]


def test_the_names_of_cells(tmp_path):
    X, obs = np.arange(12.0).reshape(4, 3), {"kind": np.array(list("uvuv"), dtype=object)}
    obs["donor"] = np.array(["d1", "d2", "d3", "d4"], dtype=object)
    path = write_cells(tmp_path / "t.h5ad", X, obs)
    assert read_table(path, "kind").ids == Identifiers("id", ["cell0", "cell1", "cell2", "cell3"])
    found = read_table(path, "kind", layout=Layout(identifier="donor"))
    assert found.ids == Identifiers("donor", ["d1", "d2", "d3", "d4"])
    rows = scan(path, "kind")
    assert rows.identifiers() == Identifiers("id", ["cell0", "cell1", "cell2", "cell3"])
    assert scan(path, "kind", layout=Layout(identifier="donor")).identifiers() == found.ids


UNKNOWN = {
    "t.csv": lambda path: frame().to_csv(path, index=False),
    "t.parquet": lambda path: frame().to_parquet(path),
    "t.h5ad": lambda path: write_cells(path, np.eye(4), {"kind": np.array(list("uvuv"), dtype=object)}),
    "t.npz": lambda path: np.savez(path, X=np.eye(3), kind=[1], y=["u", "v", "u"]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_column_that_is_not_there_names_no_rows(name, tmp_path):
    UNKNOWN[name](tmp_path / name)
    meant = "y" if name == "t.npz" else "kind"
    with pytest.raises(ValueError, match=f"has no column 'kid' to name its rows by. Did you mean '{meant}'"):
        read_table(tmp_path / name, meant, layout=Layout(identifier="kid"))
    if name in ("t.csv", "t.parquet", "t.h5ad"):
        with pytest.raises(
            ValueError, match=r"has no column 'kid' to name its rows by\. Did you mean 'kind'"
        ):
            scan(tmp_path / name, "kind", layout=Layout(identifier="kid"))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "feather", "npz"])
@pytest.mark.parametrize("values", [["a", None, "=x"], [3, 1, 2]], ids=["texts", "numbers"])
def test_identifiers_are_written_first(suffix, values, tmp_path):
    path, y = tmp_path / f"o.{suffix}", np.array(["p", "q", "p"])
    write_table(path, np.ones((3, 1)), ["g"], target="y", y=y, ids=Identifiers("sample", values))
    if suffix == "npz":
        with np.load(path) as file:
            assert file["sample_names"].tolist() == ["" if value is None else str(value) for value in values]
        assert read_table(path, None).ids.values == ["" if value is None else value for value in values]
        return
    found = read_content(path, layout=Layout(identifier="sample"))
    assert found.names == ["g", "y"]
    assert found.ids.values == values
    assert read_content(path).names == ["sample", "g", "y"]


@pytest.mark.parametrize(
    ("called", "said"), [("g", "the name of a selected feature, 'g'"), ("y", "the name of the target, 'y'")]
)
def test_identifiers_called_like_a_column_are_not_written(called, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        write_table(
            tmp_path / "o.csv",
            np.ones((1, 1)),
            ["g"],
            target="y",
            y=np.array(["a"]),
            ids=Identifiers(called, [1]),
        )
    assert table_content(tmp_path / "o.csv", np.ones((1, 1)), ["g"], ids=Identifiers("y", [1]))


def test_the_column_that_names_rows_may_be_dropped(tmp_path):
    frame().set_index(pd.Index(NAMES, name="sample")).to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", "kind", drop=["sample"])
    assert (found.ids, found.names) == (None, ["a", "b", "c"])


DROPPED = {
    "one": (["a"], ["b", "c, d"]),
    "several with commas": (["a,b"], ["c, d"]),
    "several with spaces": ([" a , b"], ["c, d"]),
    "a name with a comma": (["c, d", "a"], ["b"]),
}


@pytest.mark.parametrize("batches", [False, True])
@pytest.mark.parametrize("case", DROPPED)
def test_columns_are_dropped_by_names_with_commas(case, batches, tmp_path):
    drop, left = DROPPED[case]
    path = tmp_path / "t.csv"
    frame().rename(columns={"c": "c, d"}).to_csv(path, index=False)
    assert columns_in(path) == ["a", "b", "c, d", "kind"]
    read = open_table if batches else read_table
    assert read(tmp_path / "*.csv" if batches else path, "kind", drop=drop).names == left
    known = {"a", "b", "c, d"}
    assert {name for text in drop for name in split_names(text, known)} == known - set(left)


def test_a_column_that_is_not_there_cannot_be_dropped(tmp_path):
    frame().rename(columns={"a": "height"}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"not in t\.csv: 'hieght'\. Did you mean 'height'"):
        read_table(tmp_path / "t.csv", "kind", drop=["b,hieght"])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_read_by_batches_keeps_its_names_readable(suffix, tmp_path):
    for part in range(2):
        table = frame().assign(sample=[f"0{part}{i}" for i in range(N)])
        write = table.to_csv if suffix == "csv" else table.to_parquet
        write(tmp_path / f"part{part}.{suffix}", index=False)
    found = open_table(tmp_path / f"*.{suffix}", "kind", layout=Layout(identifier="sample"))
    assert found.names == ["a", "b", "c"]
    assert found.ids is None
    assert found.identifiers() == Identifiers("sample", [f"0{p}{i}" for p in range(2) for i in range(N)])
    X, y = pick(found.X)
    np.testing.assert_array_equal(X, np.vstack([frame()[["a", "b", "c"]]] * 2))
    assert y.tolist() == ["u", "v", "w"] * 4


@pytest.mark.parametrize("name", WRITERS)
def test_an_index_is_readable_by_batches(name, tmp_path):
    WRITERS[name](tmp_path / name, (NAMES,))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The column without a name .* is taken for row numbers, or names")
        rows = scan(tmp_path / name, "kind")
    assert rows.names == ["a", "b", "c"]
    assert rows.identifiers() == Identifiers("id", NAMES)


def test_an_index_that_files_do_not_share_names_nothing(tmp_path):
    frame().set_index(pd.Index(NAMES)).to_parquet(tmp_path / "a.parquet")
    frame().to_parquet(tmp_path / "b.parquet", index=False)
    rows = scan([tmp_path / "a.parquet", tmp_path / "b.parquet"], "kind")
    assert rows.names == ["a", "b", "c"]
    assert rows.identifiers() is None


BY_BATCHES = {
    "labels": (Layout(labels="meta.csv"), "Write the labels of meta.csv into the table, or use fewer rows"),
    "transpose": (Layout(transpose=True), "Write it the other way round, or use fewer rows"),
}


@pytest.mark.parametrize("case", BY_BATCHES)
def test_what_takes_a_whole_table_is_refused_by_batches(case, tmp_path):
    layout, said = BY_BATCHES[case]
    if layout.labels:
        layout = Layout(labels=tmp_path / layout.labels)
    frame().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=said):
        open_table(tmp_path / "*.csv", "kind", layout=layout)


@pytest.mark.parametrize("asked", [{"columns": ["a", "sample"]}, {"sample_weight": "sample"}])
def test_identifiers_in_the_midst_of_columns_cannot_be_features(asked, tmp_path):
    frame().assign(sample=NAMES).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="'sample' cannot name the rows and be the target, a weight or"):
        scan(tmp_path / "t.csv", "kind", **asked, layout=Layout(identifier="sample"))


def test_the_target_names_no_rows(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="'kind' cannot name the rows and be the target"):
        read_table(tmp_path / "t.csv", "kind", layout=Layout(identifier="kind"))


@pytest.mark.parametrize(
    ("values", "numbers"),
    [([0, 1, 2], True), (["1", "2"], True), ([1, 0], False), (["a"], False), ([0, None], False), ([], True)],
)
def test_row_numbers(values, numbers):
    assert are_row_numbers(values) == numbers


def test_identifiers_are_of_one_kind():
    assert identifiers_of("x", ["1", "b", np.nan]).values == ["1", "b", None]
    assert identifiers_of("x", [True, False]).values == ["True", "False"]
    assert identifiers_of("x", [1, 2.5]).values == [1, 2.5]


def test_drift_is_told_of_the_columns_read(tmp_path):
    from fisherset.tables import Feature, Selection

    frame().to_csv(tmp_path / "t.csv", index=False)
    features = [Feature("b", "b"), Feature("kind=u", "kind", "value", "u")]
    numbers = dict.fromkeys(("gamma", "objective", "upper_bound", "gap"), 1.0)
    about = {"target": "c", "classes": [], "file": "", "n_rows": 1, "n_features_in": 2, "solver": "joint"}
    selection = Selection(features, **about, **numbers, categories={"kind": ["u", "v"]})
    found = read_content(tmp_path / "t.csv", strings=["kind"], columns=["b", "kind"])
    X = reduce_content(found, features)
    np.testing.assert_array_equal(X, np.column_stack([frame()["b"], frame()["kind"] == "u"]))
    assert "1 value of 'kind' that the selection never saw" in drift_of(found, selection, X)[0]
