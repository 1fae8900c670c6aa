"""Labels in a second file, against the same table with its labels in it."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fisherset.tables import Identifiers, Layout, read_table
from fisherset.tables.columns.labels import labels_in
from fisherset.tables.columns.table import join_labels, read_content
from support.anndata_files import write_cells
from support.table_files import write_h5ad

N = 8
SAMPLES = [f"s{i}" for i in (3, 1, 2, 6, 5, 4, 8, 7)]


def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N, 3)).round(3), columns=["a", "b", "c"])
    return table.assign(colour=["red", "green"] * 4)


LABELS = pd.DataFrame({"sample": SAMPLES, "kind": list("uvwuvwuv"), "dose": np.arange(N) / 2})
SHUFFLED = LABELS.sample(frac=1, random_state=3)


def plain(folder, **options):
    """The table with its labels in it."""
    frame().assign(kind=LABELS["kind"], dose=LABELS["dose"]).to_csv(folder / "plain.csv", index=False)
    target = "dose" if options.get("task") == "regression" else "kind"
    return read_table(folder / "plain.csv", target, drop=["kind" if target == "dose" else "dose"], **options)


def assert_same(found, expected):
    assert found.names == expected.names
    np.testing.assert_array_equal(found.X, expected.X)
    assert found.y.tolist() == expected.y.tolist()
    assert found.y.dtype == expected.y.dtype


def bare(table, path):
    (table.to_parquet if path.suffix == ".parquet" else table.to_csv)(path, index=False)


def indexed(table, path):
    """With an index in place of the column `sample`, without a name in a CSV."""
    index = pd.Index(table["sample"].to_numpy(), name="sample" if path.suffix == ".parquet" else None)
    table = table.drop(columns="sample").set_index(index)
    (table.to_parquet if path.suffix == ".parquet" else table.to_csv)(path)


@pytest.mark.parametrize("labels", ["m.csv", "m.tsv", "m.parquet", "m.feather", "m.h5ad"])
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_labels_are_found_by_a_column_of_both(name, labels, task, tmp_path):
    bare(frame().assign(sample=SAMPLES), tmp_path / name)
    write = {
        "m.csv": lambda path: SHUFFLED.to_csv(path, index=False),
        "m.tsv": lambda path: SHUFFLED.to_csv(path, index=False, sep="\t"),
        "m.parquet": lambda path: SHUFFLED.to_parquet(path, index=False),
        "m.feather": lambda path: SHUFFLED.reset_index(drop=True).to_feather(path),
        "m.h5ad": lambda path: write_cells(
            path,
            np.eye(N),
            {
                key: values.to_numpy(copy=True)
                for key, values in SHUFFLED.astype({"sample": object, "kind": object}).items()
            },
        ),
    }
    write[labels](tmp_path / labels)
    target = "kind" if task == "classification" else "dose"
    layout = Layout(labels=tmp_path / labels, on="sample")
    found = read_table(tmp_path / name, target, task=task, layout=layout)
    assert_same(found, plain(tmp_path, task=task))
    assert found.target == target
    assert found.ids == Identifiers("sample", SAMPLES)


@pytest.mark.parametrize("on", [None, "sample"])
@pytest.mark.parametrize("labels", ["m.csv", "m.parquet"])
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("other", [bare, indexed])
def test_labels_are_found_by_what_rows_are_called(name, labels, other, on, tmp_path):
    indexed(frame().assign(sample=SAMPLES), tmp_path / name)
    other(SHUFFLED, tmp_path / labels)
    layout = Layout(labels=tmp_path / labels, on=on)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The column without a name")
        if on and labels == "m.csv" and other is indexed:
            with pytest.raises(ValueError, match=r"m\.csv has no column 'sample' to match rows by"):
                read_table(tmp_path / name, "kind", layout=layout)
            return
        found = read_table(tmp_path / name, "kind", layout=layout)
    assert_same(found, plain(tmp_path))
    assert found.ids.values == SAMPLES


def test_a_matrix_takes_its_labels_from_elsewhere(tmp_path):
    X, names = np.arange(2.0 * N).reshape(N, 2), np.array(SAMPLES)
    np.savez(tmp_path / "t.npz", X=X, sample_names=names)
    write_cells(tmp_path / "t.h5ad", X, {"sample": names.astype(object)})
    bare(SHUFFLED, tmp_path / "m.csv")
    for name, on in (("t.npz", None), ("t.npz", "sample"), ("t.h5ad", "sample")):
        found = read_table(tmp_path / name, "kind", layout=Layout(labels=tmp_path / "m.csv", on=on))
        np.testing.assert_array_equal(found.X, X)
        assert found.y.tolist() == LABELS["kind"].tolist()
        assert found.ids.values == (SAMPLES if name == "t.npz" else [f"cell{i}" for i in range(N)])


KEYS = {
    "leading noughts": (["007", "08", "1", "2"], ["2", "1", "08", "007"]),
    "whole numbers": ([7, 8, 1, 2], [2, 1, 8, 7]),
    "numbers and texts": ([7, 8, 1, 2], ["2", "1", "8", "7"]),
    "numbers with a point": ([7.0, 8.0, 1.0, 2.0], ["2", "1", "8", "7"]),
    "dates": (
        ["2020-01-01", "2020-01-02", "2020-01-03", "x"],
        ["x", "2020-01-03", "2020-01-02", "2020-01-01"],
    ),
    "formulas": (["=1", "+2", "a,b", 'c"d'], ['c"d', "a,b", "+2", "=1"]),
}


@pytest.mark.parametrize("suffixes", [("csv", "csv"), ("parquet", "csv"), ("csv", "parquet")])
@pytest.mark.parametrize("case", KEYS)
def test_what_rows_are_called_is_compared_as_texts(case, suffixes, tmp_path):
    own, other = KEYS[case]
    if case == "numbers with a point" and suffixes[0] == "csv":
        pytest.skip("7.0 in a text is another than 7")
    table, labels = (tmp_path / f"{name}.{suffix}" for name, suffix in zip("tm", suffixes, strict=True))
    bare(pd.DataFrame({"sample": own, "a": [1.0, 2.0, 3.0, 4.0]}), table)
    bare(pd.DataFrame({"sample": other, "y": ["d", "c", "b", "a"]}), labels)
    found = read_table(table, "y", layout=Layout(labels=labels, on="sample"))
    assert found.y.tolist() == ["a", "b", "c", "d"]
    assert found.names == ["a"]


def test_labels_stand_as_in_any_other_file(tmp_path):
    bare(pd.DataFrame({"sample": ["p", "q", "r"], "a": [1.0, 2.0, 3.0]}), tmp_path / "t.csv")
    for given_, expected in ((["01", "1", "01"], ["01", "1", "01"]), (["1", "2", "1"], [1, 2, 1])):
        bare(pd.DataFrame({"sample": ["r", "q", "p"], "y": given_}), tmp_path / "m.csv")
        found = read_table(tmp_path / "t.csv", "y", layout=Layout(labels=tmp_path / "m.csv", on="sample"))
        assert found.y.tolist() == expected


def test_labels_with_a_type_are_strings(tmp_path):
    bare(pd.DataFrame({"sample": ["p", "q", "r"], "a": [1.0, 2.0, 3.0]}), tmp_path / "t.csv")
    bare(pd.DataFrame({"sample": ["r", "q", "p"], "y": ["10", "1E1", "1"]}), tmp_path / "m.parquet")
    found = read_table(tmp_path / "t.csv", "y", layout=Layout(labels=tmp_path / "m.parquet", on="sample"))
    assert found.y.tolist() == ["1", "1E1", "10"]


def test_the_only_column_beside_the_names_is_the_target(tmp_path):
    bare(frame().assign(sample=SAMPLES), tmp_path / "t.csv")
    bare(LABELS[["sample", "kind"]], tmp_path / "m.csv")
    layout = Layout(identifier="sample", labels=tmp_path / "m.csv")
    found = read_table(tmp_path / "t.csv", None, layout=layout)
    assert found.target == "kind"
    bare(LABELS, tmp_path / "m.csv")
    with pytest.raises(ValueError, match="--target is missing"):
        read_table(tmp_path / "t.csv", None, layout=layout)


def test_rows_that_the_table_lacks_are_told(tmp_path):
    bare(frame().assign(sample=SAMPLES).iloc[:5], tmp_path / "t.csv")
    bare(SHUFFLED, tmp_path / "m.csv")
    with pytest.warns(UserWarning, match=r"m\.csv has 3 rows that are not in t\.csv; they are ignored"):
        found = read_table(tmp_path / "t.csv", "kind", layout=Layout(labels=tmp_path / "m.csv", on="sample"))
    assert found.y.tolist() == LABELS["kind"].tolist()[:5]


def rows(**changes):
    """A change of the table or its labels."""
    return lambda table: table.assign(**changes)


def renamed(old, new):
    return lambda table: table.assign(sample=table["sample"].replace(old, new))


def same(table):
    return table


REFUSED = {  # what is done to the table, to the labels; target, layout; what is said
    "no label": (
        same,
        lambda labels: labels[~labels["sample"].isin(["s1", "s8"])],
        {},
        "2 of 8 rows of t.csv have no label in .*: 's1', 's8'",
    ),
    "many without": (
        lambda table: table.assign(sample=[f"x{i}" for i in range(N)]),
        same,
        {},
        "No row of t.csv has a label in m.csv, .*: 'x0', 'x1' are not among .*add --transpose",
    ),
    "spaces in the table": (
        renamed("s1", " s1"),
        same,
        {},
        "1 of 8 rows of t.csv have no label in .*: ' s1'. Without the spaces around them 1 would be found",
    ),
    "spaces in the labels": (
        same,
        renamed(["s1", "s2"], ["s1 ", "s2 "]),
        {},
        "2 of 8 rows of t.csv have no label in .*: 's1', 's2'. Without the spaces around them 2 would",
    ),
    "twice in the table": (
        renamed("s1", "s3"),
        same,
        {},
        "'sample' must be unique in t.csv to match rows; rows 1 and 2 are both 's3'",
    ),
    "twice in the labels": (
        same,
        lambda labels: pd.concat([labels, labels.iloc[[2]]]),
        {},
        "'sample' must be unique in m.csv to match rows; rows 3 and 9 are both 's2'",
    ),
    "none in the table": (
        renamed("s1", None),
        same,
        {},
        "'sample' is missing in 1 of 8 rows of t.csv .first: row 2.; m.csv is matched by it",
    ),
    "target elsewhere": (same, same, {"target": "knd"}, "m.csv has no column 'knd'. Did you mean 'kind'"),
    "target in both": (rows(kind="u"), same, {}, "t.csv and m.csv both have a column 'kind'"),
    "target missing": (
        same,
        lambda labels: labels.assign(kind=labels["kind"].where(labels["sample"] != "s4")),
        {},
        "The target 'kind' of m.csv is missing in 1 of the rows 1 to 8 of t.csv, the first of them row 6",
    ),
    "no such column in the table": (
        lambda table: table.rename(columns={"sample": "smple"}),
        same,
        {},
        "t.csv has no column 'sample' to match rows by. Did you mean 'smple'",
    ),
    "no such column in the labels": (
        same,
        lambda labels: labels.rename(columns={"sample": "smple"}),
        {},
        "m.csv has no column 'sample' to match rows by. Did you mean 'smple'",
    ),
    "rows without names": (
        lambda table: table.drop(columns="sample"),
        same,
        {"on": None},
        "t.csv has no sample names to match with m.csv. Name a column of both with --on, or",
    ),
    "labels alone": (
        same,
        lambda labels: labels[["kind"]],
        {"on": None, "identifier": "sample"},
        "m.csv has only the labels, and no column to match rows by",
    ),
    "texts as numbers": (
        same,
        same,
        {"task": "regression"},
        "the target 'kind' of m.csv holds",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_labels_that_cannot_be_found_are_refused(case, tmp_path):
    of_table, of_labels, asked, said = REFUSED[case]
    bare(of_table(frame().assign(sample=SAMPLES)), tmp_path / "t.csv")
    bare(of_labels(LABELS), tmp_path / "m.csv")
    layout = Layout(
        labels=tmp_path / "m.csv", on=asked.get("on", "sample"), identifier=asked.get("identifier")
    )
    task = asked.get("task", "classification")
    with pytest.raises(ValueError, match=said.replace(".csv", r"\.csv")):
        read_table(tmp_path / "t.csv", asked.get("target", "kind"), task=task, layout=layout)


def test_a_file_of_labels_that_is_not_there(tmp_path):
    bare(frame().assign(sample=SAMPLES), tmp_path / "t.csv")
    with pytest.raises(FileNotFoundError, match=r"File not found: '.*m\.csv'"):
        read_table(tmp_path / "t.csv", "kind", layout=Layout(labels=tmp_path / "m.csv", on="sample"))


def test_a_column_to_find_labels_by_needs_labels(tmp_path):
    bare(frame().assign(sample=SAMPLES), tmp_path / "t.csv")
    with pytest.raises(ValueError, match="--on needs --labels"):
        read_table(tmp_path / "t.csv", "colour", layout=Layout(on="sample"))


def test_labels_are_joined_to_a_frame_that_is_read_in_part(tmp_path):
    bare(frame().assign(sample=SAMPLES), tmp_path / "t.csv")
    bare(SHUFFLED, tmp_path / "m.csv")
    layout = Layout(labels=tmp_path / "m.csv", on="sample")
    found = read_content(tmp_path / "t.csv", columns=["b"], layout=layout)
    joined, labels, target = join_labels(found, "kind", layout, strings=["kind"])
    assert (joined.names, target) == (["b"], "kind")
    assert joined.ids == Identifiers("sample", SAMPLES)
    assert labels_in(labels, "kind").tolist() == LABELS["kind"].tolist()
    alone = join_labels(found, "kind", Layout())
    assert alone.labels is alone.table is found


def test_a_file_with_labels_of_its_own_may_be_given_others(tmp_path):
    table = pd.DataFrame(np.eye(6), columns=[f"g{j}" for j in range(6)]).assign(
        colour="red", flag=True, kind=list("xyxyxy")
    )
    write_h5ad(tmp_path / "t.h5ad", table)
    bare(
        pd.DataFrame({"cell": [f"cell{i}" for i in range(6)][::-1], "kind": list("fedcba")}),
        tmp_path / "m.csv",
    )
    found = read_table(tmp_path / "t.h5ad", "kind", layout=Layout(labels=tmp_path / "m.csv"))
    assert found.y.tolist() == list("abcdef")


CALLED = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=6).filter(
        lambda text: (
            text == text.strip() and text not in ("NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "-nan")
        )
    ),
    min_size=2,
    max_size=8,
    unique=True,
)


@given(called=CALLED, order=st.randoms(use_true_random=False), more=st.integers(0, 3))
def test_whatever_the_order_each_row_gets_its_label(called, order, more, tmp_path_factory):
    folder = tmp_path_factory.mktemp("join")
    keys = [f"k{key}" for key in called]  # no number, no missing value
    labels = [(key, f"label of {json.dumps(key)}") for key in keys] + [(f"x{i}", "y") for i in range(more)]
    order.shuffle(labels)
    bare(pd.DataFrame({"sample": keys, "a": np.arange(len(keys)) * 1.5}), folder / "t.csv")
    bare(pd.DataFrame(labels, columns=["sample", "y"]), folder / "m.csv")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*they are ignored")
        found = read_table(folder / "t.csv", "y", layout=Layout(labels=folder / "m.csv", on="sample"))
    assert found.y.tolist() == [f"label of {json.dumps(key)}" for key in keys]
    assert found.ids.values == keys
