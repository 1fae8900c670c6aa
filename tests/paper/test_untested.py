"""Where there is nothing to test, no table gives a star and no sentence a verdict."""

import pytest

from fisherset.paper.experiment import Results, Run
from fisherset.paper.protocol import METHODS, STUDIES, Protocol
from fisherset.paper.tables import findings_for, tables_for


def results_with(accuracies, repeats):
    """Protein alone: the same accuracies in each repeat, 0.7 where none is given."""
    ks = list(STUDIES["protein"].ks)
    runs = [
        Run("protein", repeat, method.key, ks, [accuracies.get(method.key, 0.7)], None, [0], 0.9, 1.0)
        for repeat in range(repeats)
        for method in METHODS
    ]
    return Results(Protocol(), runs, files={"protein": "protein"}, digests={"protein": "a"})


@pytest.mark.parametrize("best", ["gfs", "fisher"])
@pytest.mark.parametrize("repeats", [1, 2])
def test_equal_differences_get_no_star(repeats, best):
    results = results_with({best: 0.8}, repeats)
    tables = [table for table in tables_for(results, ("table2",)) if table.key.startswith("differences")]
    cells = [cell for table in tables for row in table.rows for cell in row[1:]]
    assert not any(cell.strong or "*" in cell.text for cell in cells)
    assert any("(-, -)" in cell.text for cell in cells)
    assert all("too few repeats" in table.note for table in tables)
    (said, *_) = findings_for(results, ("table2",))
    assert "few repeats" in said
    assert "nan" not in said
    assert "without a significant" not in said


def test_a_table_in_which_all_is_tested_has_no_such_note():
    results = results_with({}, 3)  # all methods equal: p = 1
    assert not any("Dash" in table.note for table in tables_for(results, ("table2",)))
