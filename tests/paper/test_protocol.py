"""The protocol and the printed figures."""

import pytest

from fisherset.paper.protocol import (
    ACCURACY,
    GAMMAS,
    METHODS,
    PARTS,
    SHAPES,
    STUDIES,
    Protocol,
    parts_from,
    studies_of,
)


def test_half_of_the_features_or_a_hundred():
    for key in ("ionosphere", "sonar", "protein", "soybean"):
        assert STUDIES[key].ks == (SHAPES[key][1] // 2,)
    assert STUDIES["orl"].ks[-1] == STUDIES["usps"].ks[-1] == 100
    assert GAMMAS == (50, 100, 200, 300, 400, 500)


def test_every_printed_column_has_every_printed_method():
    printed = {method.key for method in METHODS if method.printed}
    assert set(ACCURACY) == set(SHAPES) == set(STUDIES)
    for column in ACCURACY.values():
        assert set(column) == printed
        # what the paper claims: GFS is the best of each column
        assert max(column, key=lambda method: column[method][0]) == "gfs"


def test_parts_come_in_the_papers_order():
    assert parts_from(None) == tuple(PARTS)
    assert parts_from("figure3, Table2") == ("table2", "figure3")
    assert parts_from(["table1"]) == ("table1",)
    assert [study.key for study in studies_of(("table1",))] == []
    assert [study.key for study in studies_of(("table3", "figure2"))] == ["orl"]


@pytest.mark.parametrize("only", ["table9", "", " , ", ["figure1", "x"]])
def test_unknown_parts_are_refused(only):
    with pytest.raises(ValueError, match="only must name parts among table1, table2"):
        parts_from(only)


@pytest.mark.parametrize("bad", [{"standardize": "test"}, {"seed": -1}, {"seed": 1.5}, {"seed": True}])
def test_protocol_is_checked(bad):
    with pytest.raises(ValueError, match="must be"):
        Protocol(**bad)
