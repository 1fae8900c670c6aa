"""Columns without a name: the first may name the rows, any other is a feature with a name made up."""

import numpy as np
import pandas as pd
import pytest

from fisherset.tables import read_table, scan
from support.command_line import invoke

N = 24
RNG = np.random.default_rng(0)
DECIMALS = RNG.standard_normal(N).round(3).tolist()
FEATURES = {  # place of the column, its cells, and the name it gets
    "decimals in the middle": (2, DECIMALS, "column3"),
    "decimals first": (0, DECIMALS, "column1"),
    "whole numbers in the middle": (1, list(range(N)), "column2"),
    "repeated whole numbers first": (0, [3, 5, 4] * (N // 3), "column1"),
    "strings in the middle": (1, ["u", "v", "w"] * (N // 3), "column2"),
}
NAMES = {
    "row numbers": list(range(N)),
    "row numbers from 1": list(range(1, N + 1)),
    "row numbers of a sample": RNG.permutation(1000)[:N].tolist(),
    "row numbers of two tables": [*range(N // 2), *range(N // 2)],
    "row numbers with decimals": [float(i) for i in range(N)],
    "names": [f"s{i}" for i in range(N)],
}


def write(folder, place, cells, rows="t.csv"):
    table = pd.DataFrame(RNG.standard_normal((N, 3)).round(3), columns=list("abc"))
    table = table.assign(kind=["u", "v"] * (N // 2))
    table.insert(place, "", cells)
    (folder / rows).parent.mkdir(exist_ok=True)
    table.to_csv(folder / rows, index=False)
    return folder / rows


@pytest.mark.parametrize("case", FEATURES)
def test_other_columns_without_a_name_are_features(case, tmp_path):
    place, cells, name = FEATURES[case]
    path = write(tmp_path, place, cells)
    for read in (read_table, scan):
        with pytest.warns(UserWarning, match=f"The column without a name is called '{name}'"):
            table = read(path, "kind")
        columns = list(dict.fromkeys(feature.column for feature in table.features))
        expected = ["a", "b", "c"]
        expected.insert(place, name)
        assert columns == expected
        assert table.identifiers() is None


@pytest.mark.parametrize("case", NAMES)
def test_a_first_column_without_a_name_names_the_rows(case, tmp_path):
    path = write(tmp_path, 0, NAMES[case])
    found = []
    for read in (read_table, scan):
        with pytest.warns(UserWarning, match="without a name in t.csv is taken for row numbers, or names"):
            table = read(path, "kind")
        assert table.names == ["a", "b", "c"]
        found.append(table.identifiers())
    assert found[0] == found[1]
    assert (found[0] is None) == (case in ("row numbers", "row numbers from 1", "row numbers with decimals"))


def test_several_columns_without_a_name(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,,,kind,\n" + "".join(f"{i},{i}.5,{i % 3},{'uv'[i % 2]},\n" for i in range(9))
    )
    for read in (read_table, scan):
        with pytest.warns(UserWarning, match="Columns without a name are called 'column2', 'column3'"):
            assert read(tmp_path / "t.csv", "kind").names == ["a", "column2", "column3"]


def test_made_up_names_are_there_in_new_rows(tmp_path):
    write(tmp_path, 2, DECIMALS)
    write(tmp_path, 2, DECIMALS, "rows/t.csv")
    for path in ("t.csv", "rows"):
        asked = ("-t", "kind", "-k", 1, "--keep", "column3", "--out", "s.json", "--force")
        done = invoke("select", path, *asked, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "note: " in done.stderr
        assert invoke("apply", "s.json", "t.csv", "--out", "r.csv", "--force", cwd=tmp_path).returncode == 0
        assert pd.read_csv(tmp_path / "r.csv")["column3"].tolist() == DECIMALS


def test_both_ways_of_reading_refuse_the_same_identifier(tmp_path):
    path = write(tmp_path, 0, NAMES["names"])
    write(tmp_path, 0, NAMES["names"], "rows/t.csv")
    for read in (str(path), "rows"):
        for name, said in (("kind", "'kind' cannot name the rows"), ("knd", "has no column 'knd'")):
            done = invoke("select", read, "-t", "kind", "-k", 1, "--id", name, cwd=tmp_path)
            assert done.returncode == 2
            assert said in done.stderr
