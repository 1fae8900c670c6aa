"""Tables fit the terminal: five columns at 80, whole headings, names of any length or script."""

import re

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len

from fisherset.cli.grid import Column, fitted_grid, folded
from support.command_line import invoke

HEADINGS = ("feature", "best", "substitute", "F", "if", "swapped", "removed")
NAMES = {
    "short": "abcdef",
    "long": [f"ENSG000000{j}_a_very_long.name-of_a/gene=with{j}:everything, in it {j}" for j in range(6)],
    "unbroken": ["x" * (90 + j) for j in range(6)],
    "CJK": [f"細胞の遺伝子発現量測定値番号{j}" * 3 for j in range(6)],
}


@pytest.fixture(scope="module", params=NAMES)
def table(request, tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    columns = {name: rng.normal(size=60) + y * (3 - j) for j, name in enumerate(NAMES[request.param])}
    path = tmp_path_factory.mktemp("wide") / "t.csv"
    pd.DataFrame({**columns, "y": [f"c{label}" for label in y]}).to_csv(path, index=False)
    return path


def grids(text):
    return [line for line in text.splitlines() if line[:1] in "┏┃┡│├└"]


@pytest.mark.parametrize("width", [32, 40, 80, 200])
def test_the_table_fits(table, width):
    said = invoke("select", table, "-t", "y", "-k", 3, COLUMNS=str(width)).stdout
    assert all(cell_len(line) <= width for line in grids(said))
    head = [line for line in said.splitlines() if line.startswith("┃")]
    cells = list(zip(*(line.strip("┃").split("┃") for line in head), strict=True))
    words = [" ".join(" ".join(cell).split()) for cell in cells]
    whole = ["feature", "best substitute", "F if swapped", "F if removed", "separates"]
    assert words == (whole if width >= 80 else [word for word in whole if word in words])
    assert "F if removed" in words
    assert "separates" not in words or "best substitute" in words  # the first to be left out
    assert all(cell_len(line) <= width for line in said.splitlines())


def test_all_columns(table):
    said = invoke("select", table, "-t", "y", "-k", 3, "--wide", COLUMNS="40").stdout
    head = next(line for line in said.splitlines() if line.startswith("┃"))
    assert all(heading in head for heading in ("best substitute", "most correlated", "Fisher score"))
    names = re.findall(r"^│ (.*?)(?: \*)? +│", said, re.M)
    header = table.read_text(encoding="utf-8")
    assert all(name in header for name in names)  # in full
    assert len(names) == 3


def test_names_are_folded_after_separators():
    assert folded("worst concave points", 9) == "worst\nconcave\npoints"
    assert folded("mean_of_everything", 8) == "mean_of_\neverythi\nng"
    assert folded("ab", 8) == "ab"
    long = folded("a" * 50 + "b" * 50, 8)
    assert long.startswith("aaaaaaaa\n")
    assert long.endswith("b")
    assert "…" in long
    assert all(cell_len(line) <= 7 for line in folded("細胞の遺伝子発現量" * 5, 7).split("\n"))


def test_columns_of_a_high_rank_are_left_out_first():
    columns = [Column("name", ["a"], names=True), Column("one", ["1"], rank=1), Column("two", ["2"], rank=2)]
    shown = [[str(column.header) for column in fitted_grid(columns, width).columns] for width in (20, 19, 13)]
    assert shown == [["name", "one", "two"], ["name", "one"], ["name"]]


def test_required_features_are_never_starred(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    frame = pd.DataFrame({f"g{j}": rng.normal(size=80) + y * (j < 2) * 3 for j in range(6)})
    frame.assign(kind=[f"c{label}" for label in y]).to_csv(tmp_path / "t.csv", index=False)
    said = invoke("select", "t.csv", "-t", "kind", "-k", 2, "--keep", "g5", cwd=tmp_path).stdout
    assert "│ g5 (required)" in said
    starred = len(re.findall(r"^│ \S+ \*", said, re.M))
    (essential,) = re.findall(r"of the other 5 features, (\d) (?:is|are) essential", " ".join(said.split()))
    assert starred == int(essential)
    assert "g5 *" not in said
