"""Benchmarks that write pages: their tables are what they say, and figures find their places."""

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from fisherset import GeneralizedFisherScore, scan
from support.figure_pages import code_version

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "scale.md"

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def benchmark():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import scale
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return scale


@pytest.mark.parametrize(
    ("page", "script"),
    [("benchmarks", "speed"), ("scale", "scale"), ("exact", "exact"), ("terminal", "terminal")],
)
def test_every_part_has_its_place_on_the_page(page, script, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    benchmark = import_module(script)
    text = PAGE.with_stem(page).read_text(encoding="utf-8")
    assert re.findall(r"<!-- begin: (\w+) -->", text) == list(benchmark.PARTS)
    assert re.findall(r"<!-- end: (\w+) -->", text) == list(benchmark.PARTS)


def test_figures_replace_those_that_were_there(benchmark, tmp_path):
    page = Path(shutil.copy(PAGE, tmp_path))
    for times in ("once", "twice"):
        benchmark.write(page, {name: f"{name} {times}" for name in benchmark.PARTS}, benchmark.trial(1.0))
    text = page.read_text(encoding="utf-8")
    assert "once" not in re.findall(r"\w+ (\w+)\n\n<!-- end", text)
    assert text.count(" twice\n\n<!-- end") == len(benchmark.PARTS)
    assert code_version() in text
    assert "For trying" not in text
    benchmark.write(page, dict.fromkeys(benchmark.PARTS, ""), benchmark.trial(0.1))
    assert page.read_text(encoding="utf-8").count("For trying only, with 0.1 of the rows") == len(
        benchmark.PARTS
    )


def test_a_table_has_as_many_cells_in_every_line(benchmark):
    lines = benchmark.table([{"": "a", "x": 1, "y": ""}, {"": "b", "x": 2, "y": 3}]).splitlines()
    assert lines[:2] == ["|  | x | y |", "| --- | ---: | ---: |"]
    assert {line.count("|") for line in lines} == {4}


def test_rows_and_cells_can_be_scanned(benchmark, tmp_path):
    pytest.importorskip("pyarrow")
    files = benchmark.write_rows(tmp_path, 600, 70, 3)
    rows = scan([str(path) for path in files], "label")
    assert (rows.n_rows, rows.n_columns, len(files)) == (600, 70, 3)
    chosen = GeneralizedFisherScore(10).fit(rows).get_support(indices=True)
    assert np.count_nonzero(chosen < 60) >= 8  # the others are noise
    pytest.importorskip("h5py")
    n_entries = benchmark.write_cells(tmp_path / "cells.h5ad", 300, 400)
    cells = scan(tmp_path / "cells.h5ad", "label")
    (block,) = cells.blocks()
    assert block.X.shape == (300, 400)
    assert block.X.nnz == n_entries
    assert 0.03 < n_entries / 300 / 400 < 0.07
