"""docs/reproduction.md says what the committed results say."""

from pathlib import Path

import numpy as np
import pytest

from fisherset.paper.findings import findings_for
from fisherset.paper.protocol import PARTS, STUDIES
from fisherset.paper.results import read_results
from fisherset.paper.tables import tables_for

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "reproduction.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["all", "train"])
def results(request):
    return read_results(DOCS / "reproduction" / f"results-{request.param}.json")


def test_twenty_repeats_of_every_data_set(results):
    assert results.done() == {(key, repeat) for key in STUDIES for repeat in range(20)}


def test_every_table_of_the_page_is_that_of_the_results(results):
    for table in tables_for(results, tuple(PARTS)):
        if results.protocol.standardize == "all" or table.key in ("table2", "table3", "table4"):
            lines = table.markdown().splitlines()[2:]
            assert "\n".join(line for line in lines if line.startswith("|")) in TEXT


def test_findings_are_those_of_the_results(results):
    if results.protocol.standardize == "all":
        for sentence in findings_for(results, tuple(PARTS)):
            assert sentence in TEXT


def test_conclusion_stands_without_the_leak():
    """GFS less Fisher score: the same sign and about the same size, wherever it is clear."""
    both = [read_results(DOCS / "reproduction" / f"results-{kind}.json") for kind in ("all", "train")]
    for key in ("soybean", "orl", "usps"):
        gains = [np.mean(found.accuracy(key, "gfs-joint") - found.accuracy(key, "fisher")) for found in both]
        assert min(gains) > 0
        assert abs(gains[0] - gains[1]) < 2
