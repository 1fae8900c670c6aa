"""The picture of near-best sets shows which feature is in which."""

import numpy as np
import pandas as pd

from fisherset import GeneralizedFisherScore, NearBest, explain, near_best
from fisherset.plots import AlternativesDisplay
from fisherset.plots.style import as_svg, styled
from fisherset.report import (
    alternative_features,
    alternative_sets,
    alternatives_page,
    build_alternatives,
    build_report,
    report_page,
)
from fisherset.solver import Status


def listed(sets, names, **more):
    values = 2.0 - 0.01 * np.arange(len(sets))
    return NearBest(sets, values, True, 0.1, 2.0, 5.0, Status.CONVERGED, names, **more)


FOUND = listed([[0, 1, 3], [0, 2, 3], [0, 1, 4]], ["a", "b", "c", "$d", "e", "unused"])


def test_rows_and_columns():
    with styled():
        display = AlternativesDisplay(FOUND).plot()
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == ["a", "b", "c", r"\$d", "e"]  # the core, then what stands in for each other
    assert display.matrix_.tolist() == [[2, 2, 2], [1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert [text.get_text() for text in display.ax_.texts] == ["100 %", "67 %", "33 %", "67 %", "33 %"]
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["1\n100 %", "2\n99.5 %", "3\n99 %"]
    assert display.text_.startswith("3 sets of 3 features: 1 feature in all of them; b in 67 %, c in 33 %")
    assert "<svg" in as_svg(display.figure_)


def test_a_large_core_and_many_that_take_turns():
    core = list(range(30))
    found = listed([[*core, other] for other in range(30, 90)], [f"f{j}" for j in range(90)])
    display = AlternativesDisplay(found).plot()
    assert display.matrix_.shape == (1 + 40, 60)
    assert display.ax_.get_yticklabels()[0].get_text() == "30 features in all sets"
    assert display.text_.endswith("20 more in some sets are not shown.")


def test_one_set_alone():
    display = AlternativesDisplay(listed([[1, 2]], ["a", "b", "c"])).plot()
    assert display.matrix_.tolist() == [[2], [2]]
    assert display.text_ == "1 set of 2 features: 2 features in all of them."


def test_from_data():
    rng = np.random.default_rng(0)
    y = np.arange(50) % 2
    good = y + 0.3 * rng.standard_normal(50)
    X = pd.DataFrame({"one": good, "copy": good, "noise": rng.standard_normal(50)})
    display = AlternativesDisplay.from_data(X, y, 1, within=0.1)
    assert display.matrix_.tolist() == [[1, 0], [0, 1]]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["one", "copy"]


def test_what_the_tables_say():
    rows = {row.name: row for row in alternative_features(FOUND)}
    assert list(rows) == ["a", "b", "$d", "c", "e"]  # the most frequent first
    assert rows["a"].without is None
    assert rows["b"].without == 1.99 / 2
    assert rows["b"].stand_ins == ["c"]
    assert rows["$d"].stand_ins == ["e"]
    assert [one.others for one in alternative_sets(FOUND)] == [["b", "$d"], ["c", "$d"], ["b", "e"]]
    assert [one.rank for one in alternative_sets(FOUND, 2)] == [1, 2]
    page = alternatives_page(build_alternatives(FOUND), title="<b>")
    assert "<b>" not in page
    assert "below 90" in page  # no set without a comes near
    kept = listed(FOUND.sets, FOUND.names, kept=[0])
    assert alternative_features(kept)[0].kept
    assert "below 90" not in alternatives_page(build_alternatives(kept), title="t")


def test_a_part_of_a_report():
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    X, names = rng.standard_normal((40, 4)) + y[:, None], ["a", "b", "c", "d" * 999]
    selector = GeneralizedFisherScore(2).fit(X, y)
    about = explain(X, y, selector.support_, gamma=selector.gamma_)
    near = near_best(pd.DataFrame(X, columns=names), y, 2, within=0.5)
    plain = report_page(build_report(X, y, names, selector, about, title="t"))
    whole = report_page(build_report(X, y, names, selector, about, title="t", alternatives=near))
    assert "Near-best sets" not in plain
    assert "Near-best sets" in whole
    assert near.sentences[0] in whole
    seen, _ = whole.split('<script type="application/json"')  # whose files have names whole
    assert "d" * 201 not in seen  # names are cut to what a page can show
