"""Tables whose rows are features, against the same ones written the ordinary way round."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

from fisherset.tables import Identifiers, Layout, read_table
from fisherset.tables.columns.labels import labels_in
from fisherset.tables.columns.table import read_content, reduce_content
from fisherset.tables.layout import PLAIN
from support.anndata_files import write_cells

N = 6
SAMPLES = [f"GSM{i}" for i in (3, 1, 2, 6, 5, 4)]
TURNED = Layout(transpose=True)


def numbers():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(N, 4)).round(3), columns=["a", "b", "007", "d,e"], index=SAMPLES)


def frame():
    kinds = {"colour": ["red", "green", "blue"] * 2, "flag": [True, False] * 3, "whole": np.arange(N)}
    return numbers().assign(**kinds, kind=["u", "v", "w"] * 2)


def both_ways(table, folder, *, corner="gene", sep=",", **options):
    """The table written both ways round."""
    table.to_csv(folder / "plain.csv", index=False)
    cells = table.astype(object).where(table.notna()).T
    cells.to_csv(folder / f"t.{'csv' if sep == ',' else 'tsv'}", index_label=corner, sep=sep, **options)
    return folder / "plain.csv", folder / f"t.{'csv' if sep == ',' else 'tsv'}"


def assert_same(found, expected):
    assert found.names == expected.names
    assert found.features == expected.features
    np.testing.assert_array_equal(found.X, expected.X)
    assert found.y.tolist() == expected.y.tolist()
    assert found.y.dtype == expected.y.dtype


@pytest.mark.parametrize("corner", ["gene", "", "ID_REF"])
@pytest.mark.parametrize("sep", [",", "\t"])
def test_texts_among_the_rows_are_what_they_would_be_as_columns(sep, corner, tmp_path):
    plain, turned = both_ways(frame(), tmp_path, sep=sep, corner=corner)
    found = read_table(turned, "kind", layout=TURNED)
    assert_same(found, read_table(plain, "kind"))
    assert found.ids == Identifiers("id", SAMPLES)


CHANGES = {
    "numbers alone": lambda t: t.drop(columns=["colour", "flag"]).assign(kind=[0, 1] * 3),
    "labels with noughts": lambda t: t.assign(kind=["01", "1"] * 3),
    "labels of decimals": lambda t: t.assign(kind=[0.5, 1.0] * 3),
    "one feature": lambda t: t[["a", "kind"]],
    "whole numbers": lambda t: t[["whole", "kind"]].assign(other=np.arange(N) * 1000),
    "quotes": lambda t: t.assign(colour=['a "b"', "c, d", "e\nf"] * 2),
    "spaces": lambda t: t.assign(colour=[" a", "a ", "a"] * 2),
    "yes and no alone": lambda t: t[["flag", "kind"]],
}


@pytest.mark.parametrize("case", CHANGES)
def test_kinds_of_rows(case, tmp_path):
    plain, turned = both_ways(CHANGES[case](frame()), tmp_path)
    assert_same(read_table(turned, "kind", layout=TURNED), read_table(plain, "kind"))


@pytest.mark.parametrize("impute", ["median", "indicator"])
def test_gaps(impute, tmp_path):
    table = frame()
    table.loc[SAMPLES[2], "a"] = np.nan
    table.loc[SAMPLES[0], "colour"] = None
    plain, turned = both_ways(table, tmp_path)
    found = read_table(turned, "kind", impute=impute, layout=TURNED)
    assert_same(found, read_table(plain, "kind", impute=impute))
    with pytest.raises(ValueError, match="'a', 'colour' have missing values"):
        read_table(turned, "kind", layout=TURNED)


def test_numbers_to_be_explained(tmp_path):
    plain, turned = both_ways(frame().drop(columns="kind"), tmp_path)
    found = read_table(turned, "whole", task="regression", layout=TURNED)
    assert_same(found, read_table(plain, "whole", task="regression"))


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather"])
def test_labels_in_a_second_file(name, tmp_path):
    table = numbers()
    table.assign(kind=frame()["kind"]).to_csv(tmp_path / "plain.csv", index=False)
    cells = table.T
    if name == "t.csv":
        cells.to_csv(tmp_path / name, index_label="gene")
    elif name == "t.parquet":
        cells.to_parquet(tmp_path / name)
    else:
        feather.write_feather(cells.rename_axis("gene").reset_index(), tmp_path / name)
    labels = pd.DataFrame({"sample": SAMPLES, "kind": frame()["kind"]}).iloc[::-1]
    labels.to_csv(tmp_path / "m.csv", index=False)
    found = read_table(
        tmp_path / name, "kind", layout=Layout(transpose=True, labels=tmp_path / "m.csv", on="sample")
    )
    assert_same(found, read_table(tmp_path / "plain.csv", "kind"))
    assert found.ids == Identifiers("id", SAMPLES)


@pytest.mark.parametrize("texts", [False, True])
def test_parquet(texts, tmp_path):
    table = frame() if texts else numbers().assign(kind=[0, 1] * 3)
    cells = table.astype(str).T if texts else table.T
    cells.to_parquet(tmp_path / "t.parquet")
    table.to_csv(tmp_path / "plain.csv", index=False)
    found = read_table(tmp_path / "t.parquet", "kind", layout=TURNED)
    assert_same(found, read_table(tmp_path / "plain.csv", "kind"))


def test_a_column_that_is_said_to_name_the_features(tmp_path):
    plain, _ = both_ways(frame(), tmp_path)
    cells = frame().astype(object).T.rename_axis("gene").reset_index()
    cells[[*SAMPLES, "gene"]].to_csv(tmp_path / "t.csv", index=False)
    layout = Layout(transpose=True, identifier="gene")
    found = read_table(tmp_path / "t.csv", "kind", layout=layout)
    assert_same(found, read_table(plain, "kind"))
    with pytest.raises(ValueError, match=r"has no column 'gnee' to name its rows by\. Did you mean 'gene'"):
        read_table(tmp_path / "t.csv", "kind", layout=Layout(transpose=True, identifier="gnee"))


def test_row_numbers_before_the_names_are_passed_over(tmp_path):
    plain, _ = both_ways(frame(), tmp_path)
    frame().astype(object).T.rename_axis("gene").reset_index().to_csv(tmp_path / "t.csv")
    assert_same(read_table(tmp_path / "t.csv", "kind", layout=TURNED), read_table(plain, "kind"))


def test_features_and_samples_that_are_numbered(tmp_path):
    table = pd.DataFrame(numbers().to_numpy()).assign(kind=[0, 1] * 3)
    plain, turned = both_ways(table, tmp_path, corner="")
    found = read_table(turned, "kind", layout=TURNED)
    assert_same(found, read_table(plain, "kind"))
    assert found.names == ["0", "1", "2", "3"]
    assert found.ids == Identifiers("id", list(range(N)))


@pytest.mark.parametrize("case", ["with texts", "numbers alone"])
def test_only_the_rows_that_are_wanted_become_columns(case, tmp_path):
    plain, turned = both_ways(frame() if case == "with texts" else numbers(), tmp_path)
    whole = read_table(plain, "kind") if case == "with texts" else None
    texts = ["kind"] if whole else []
    found = read_content(turned, strings=texts, columns=["007", "b", "none"], layout=TURNED)
    assert found.names == ["b", "007", *texts]
    np.testing.assert_array_equal(reduce_content(found, _features("007", "b")), numbers()[["007", "b"]])
    if whole:
        assert labels_in(found, "kind").tolist() == whole.y.tolist()
    with pytest.raises(ValueError, match=r"lacks 1 of the selected columns: 'none'"):
        reduce_content(found, _features("none"))


def _features(*names):
    from fisherset.tables import Feature

    return [Feature(name, name) for name in names]


def text(content):
    return lambda path: path.write_text(content, encoding="utf-8")


REFUSED = {
    "two features of one name": (
        "t.csv",
        text("gene,s1,s2\nTP53,1,2\nEGFR,3,4\nTP53,5,6\nkind,u,v\n"),
        r"t\.csv has rows of the same name: 'TP53'\. Rename them",
    ),
    "two samples of one name": (
        "t.csv",
        text("gene,s,s\na,1,2\nkind,u,v\n"),
        "columns of the same name: 's'",
    ),
    "a feature without a name": (
        "t.csv",
        text("gene,s1,s2\na,1,2\n,3,4\nkind,u,v\n"),
        r"every row of t\.csv must have a feature name; row 2 has none",
    ),
    "no samples": ("t.csv", text("gene\na\nkind\n"), "no samples, only the column 'gene'"),
    "no such target": (
        "t.csv",
        text("gene,s1,s2\na,1,2\nkind,u,v\n"),
        "has no column 'knid'. Did you mean 'kind'",
    ),
    "numbers and texts in a row": (
        "t.csv",
        text("gene,s1,s2,s3\na,1,2,n.d.\nknid,u,v,u\n"),
        "Column 'a' of t.csv holds 'n.d.' for 's3', a number everywhere else",
    ),
    "dates": (
        "t.csv",
        text("gene,s1,s2\nday,2020-01-01,2020-01-02\na,1,2\nknid,u,v\n"),
        "Column 'day' holds dates or times",
    ),
    "long numbers": (
        "t.csv",
        text("gene,s1,s2\na,12345678901234567,1\nb,1,2\nknid,u,v\n"),
        "Column 'a' holds integers beyond 2.53",
    ),
    "lists": (
        "t.parquet",
        lambda path: pd.DataFrame({"gene": ["a", "knid"], "s1": [[1], [2]]}).to_parquet(path),
        r"'s1' of t\.parquet holds list",
    ),
    "a matrix": ("t.npz", lambda path: np.savez(path, X=np.eye(2), y=[0, 1]), "--transpose does not apply"),
    "cells": (
        "t.h5ad",
        lambda path: write_cells(path, np.eye(2), {"knid": np.array([0, 1])}),
        r"--transpose does not apply to t\.h5ad",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_turned_over_is_refused(case, tmp_path):
    name, write, said = REFUSED[case]
    write(tmp_path / name)
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / name, "knid", layout=TURNED)


CELLS = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["", "NA", "red", "a, b", 'c"d', "True", "1e5", " 7", "2020-01-01"]),
)


@st.composite
def tables(draw):
    """Cells as texts, those of a column of one kind or of any, and labels."""
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    kinds = st.one_of(
        st.just(CELLS), st.just(st.floats(-9, 9).map(repr)), st.just(st.integers(0, 9).map(str))
    )
    columns = {f"c{j}": draw(st.lists(draw(kinds), min_size=n, max_size=n)) for j in range(d)}
    return pd.DataFrame({**columns, "kind": draw(st.lists(st.sampled_from("uv"), min_size=n, max_size=n))})


def read(path, layout=PLAIN):
    """The table of a file, or the message that refuses it."""
    try:
        found = read_table(path, "kind", impute="indicator", layout=layout)
    except ValueError as error:
        return re.sub(r" (?:in line|for) .*", "", str(error))  # which is another the other way round
    return found.features, np.asarray(found.X.toarray() if hasattr(found.X, "toarray") else found.X).tolist()


@given(table=tables())
def test_any_table_is_the_same_both_ways(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("turned")
    table.to_csv(folder / "t.csv", index=False)
    plain = read(folder / "t.csv")
    turned = table.T
    turned.columns = [f"s{i}" for i in range(len(table))]
    turned.to_csv(folder / "t.csv", index_label="gene")
    assert read(folder / "t.csv", TURNED) == plain
