"""The parts of a page: files to take away, how it was made, small pictures, what is said of pairs."""

import csv
import io
import json
import re
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fisherset import GeneralizedFisherScore, explain
from fisherset.evaluation import class_quantiles, compare
from fisherset.report import (
    Provenance,
    build_comparison,
    build_downloads,
    build_panels,
    build_report,
    class_sizes,
    mark_of,
    report_page,
)
from fisherset.report.figures import pairs_sentence
from fisherset.report.panels import ticks_between

NAMES = ["</script><script>alert(1)</script>", "=1+2", "@x", "-a", 'q"u,o', "line\nbreak", "\u2028", "<!--"]


def test_files_hold_names_as_they_are():
    rows = [{"rank": at + 1, "name": name, "drop": 0.5, "none": None} for at, name in enumerate(NAMES)]
    rows[0]["drop"] = np.float64(np.inf)
    files = build_downloads(rows, {"g": ["a", "b"]}, {"gap": 0.25})
    assert [row["name"] for row in json.loads(files.json)["features"]] == NAMES
    assert json.loads(files.json)["features"][0]["drop"] is None
    assert json.loads(files.json)["groups"] == {"g": ["a", "b"]}
    table = list(csv.reader(io.StringIO(files.csv, newline="")))
    assert table[0] == ["rank", "name", "drop", "none"]
    assert [row[1].removeprefix("'") for row in table[1:]] == NAMES
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in table for cell in row)
    assert len(files.names.splitlines()) == len(NAMES)


def made_page(names=None, **more):
    X, y = load_wine(return_X_y=True)
    selector = GeneralizedFisherScore(5).fit(X, y)
    about = explain(X, y, selector.support_, gamma=selector.gamma_)
    names = [f"n{j}" for j in range(13)] if names is None else names
    return report_page(build_report(X, y, names, selector, about, title="t", **more))


def test_a_page_says_how_it_was_made():
    zone = timezone(timedelta(hours=2))
    made = Provenance(
        command=["fisherset", "select", "a b.csv", "-t", "<b>"],
        python="print('<i>')\n",
        made=datetime(2026, 1, 31, 12, 30, 5, tzinfo=zone),
        file="a b.csv",
        size=1234567,
        sha256="ab" * 32,
        dropped=["id", "<u>"],
        imputed={"age": 3, "dose": 4},
        how="median",
    )
    page = made_page(provenance=made)
    for text in (
        "2026-01-31 12:30:05+02:00",
        "fisherset select &#39;a b.csv&#39; -t &#39;&lt;b&gt;&#39;",
        "print(&#39;&lt;i&gt;&#39;)",
        "a b.csv, 1,234,567 bytes",
        "ab" * 32,
        "2 columns: id, &lt;u&gt;",
        "7 values in 2 columns, by the median or the commonest value: age (3), dose (4)",
        "<td>71</td>",  # rows of a class
    ):
        assert text in page
    for raw in ("<b>", "<i>", "<u>"):
        assert raw not in page


def test_what_is_not_known_is_not_said():
    assert Provenance().said == []
    page = made_page()
    assert "SHA-256" not in page
    assert "The command" not in page
    unknown = Provenance(imputed={"age": None, "dose": 2})
    assert unknown.said == [("Filled in", "missing values in 2 columns: age, dose (2)")]
    many = Provenance(dropped=[f"c{j}" for j in range(30)]).said
    assert many[0][1].endswith("c19 and 10 more")


def test_the_mark_of_a_file(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of FIPS 180-4
    assert mark_of(tmp_path / "t.csv") == {"file": "t.csv", "size": 3, "sha256": digest}
    assert mark_of(tmp_path) == {"file": tmp_path.name}
    assert mark_of(tmp_path / "none*.csv") == {"file": "none*.csv"}


def test_a_name_cannot_end_the_data_of_a_page():
    page = made_page([f"{name}{j}" for j, name in enumerate((NAMES * 2)[:13])])
    _, data = page.split('<script type="application/json" id="files">')
    text = data.partition("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(text)
    assert len(json.loads(json.loads(text)["json"])["features"]) == 5


@pytest.mark.parametrize(("n_classes", "title"), [(26, "each class"), (40, "the 30 largest of 40 classes")])
def test_every_class_is_drawn_or_it_is_said(n_classes, title):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 3)
    X = rng.normal(size=(n_classes, 4))[y] + rng.normal(size=(y.size, 4))
    selector = GeneralizedFisherScore(2).fit(X, y)
    about = explain(X, y, selector.support_, gamma=selector.gamma_)
    report = build_report(X, y, list("abcd"), selector, about, title="t")
    assert report.panels.title == f"The chosen features in {title}"
    assert len({label.text for label in report.panels.labels}) == min(n_classes, 30)
    assert sum(report.classes.values()) == y.size
    assert len(report.classes) == n_classes


def test_panels_draw_the_quantiles():
    X, y = load_wine(return_X_y=True)
    spread = class_quantiles(X, y, [6, 12])
    panels = build_panels("t", "n", spread, ["a", "b"], first=1)
    assert (len(panels.first), len(panels.others), panels.n) == (1, 1, 2)
    cells = spread.values[0]
    places = [float(part.split(" ")[0]) for part in panels.first[0].middles.split("M")[1:]]
    low, high = cells.min(), cells.max()
    share = (cells[:, 2] - low) / (high - low)
    np.testing.assert_allclose(places, panels.left + 8 + (300 - panels.left - 16) * share, atol=0.051)
    assert panels.first[0].text.startswith("a: lowest median")


NUMBERS = [
    (0, 1),
    (0.5535, 1.37),
    (-4.1, 3.8),
    (1e-320, 3e-320),
    (-1.7e308, 1.7e308),
    (1e6, 1e6 + 3),
    (9.9, 10.1),
]


@pytest.mark.parametrize(("low", "high"), NUMBERS)
def test_ticks_are_round_and_within(low, high):
    ticks = ticks_between(low, high)
    assert 2 <= len(ticks) <= 6
    margin = 1e-9 * max(abs(low), abs(high))
    assert all(low - margin <= tick.place <= high + margin for tick in ticks)
    assert len({tick.text for tick in ticks}) == len(ticks)
    if low > 1e-300:
        assert all(len(tick.text) <= 8 for tick in ticks)


def test_one_number_is_a_tick():
    assert [tick.text for tick in ticks_between(0, 0)] == ["0"]
    assert [tick.text for tick in ticks_between(2.5, 2.5)] == ["2.5"]


def test_pairs_in_a_sentence():
    names = [f"n{j}" for j in range(12)]
    none = "No two of the chosen features are correlated above 0.95 in absolute value."
    assert pairs_sentence(np.eye(12), names) == none
    close = np.eye(12)
    close[0, 3] = close[3, 0] = -0.97
    one = "1 pair of chosen features is correlated above 0.95 in absolute value: n0 and n3 (-0.970)."
    assert pairs_sentence(close, names) == one
    assert pairs_sentence(np.ones((12, 12)), names).endswith("; and 58 more.")
    assert "among the first 12" in pairs_sentence(np.eye(12), [*names, "n12"])


def test_classes_of_any_kind_are_counted():
    assert class_sizes(np.array([3, 1, 3])) == {"1": 1, "3": 2}
    assert class_sizes(np.array(["b", 1, "b"], dtype=object)) == {"1": 1, "b": 2}


def test_a_large_table_is_drawn_from_some_rows(monkeypatch):
    monkeypatch.setattr("fisherset.report.figures.MOST_VALUES", 500)
    monkeypatch.setattr("fisherset.report.figures.LEAST_ROWS", 50)
    assert re.search(r"From 10[0-3] of the 178 rows, evenly spaced\.", made_page())


def test_methods_side_by_side():
    X, y = load_wine(return_X_y=True)
    found = compare(X, y, [2, 4], methods=["fisher", "joint"], repeats=3)
    compared = build_comparison(found, [f"n{j}" for j in range(13)], 4)
    assert [row.title for row in compared.rows] == ["Fisher score", "GFS (joint)"]
    assert all(any(row.best[at] for row in compared.rows) for at in range(2))
    assert compared.sets[1].overlap[0][1] == pytest.approx(found.overlap(4)[0, 1])
    assert compared.sets[1].chance == pytest.approx(4 / 13)
    assert sum(sum(row.times) for row in compared.sets[1].features) == 2 * 3 * 4
    assert compared.sentence == found.verdict()
    bare = build_comparison(found._replace(chosen={}, seconds={}), [], 4)
    assert bare.sets == []
    assert bare.rows[0].seconds is None
