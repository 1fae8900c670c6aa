"""The parts of a page: files to take away, how it was made, small pictures, what is said of pairs."""

import csv
import html
import io
import json
import re
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from fisherset import GeneralizedFisherScore, explain, stability
from fisherset.evaluation import Pair, class_quantiles, compare
from fisherset.report import (
    Provenance,
    build_comparison,
    build_downloads,
    build_panels,
    build_report,
    build_trust,
    class_sizes,
    mark_of,
    report_page,
    trust_record,
)
from fisherset.report.charts import Curve, build_chart
from fisherset.report.dots import build_dots
from fisherset.report.figures import groups_sentence
from fisherset.report.overview import Chip, HeldOut, Overview, proof_tile, signal_tile, tiny_classes
from fisherset.report.panels import ticks_between
from fisherset.report.trust import bound_sentence
from fisherset.trust import Assessment, assess
from support.command_line import invoke

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
    assert 'id="command"' not in page
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
    assert report.panels.title == f"Each selected feature in {title}"
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


def test_groups_in_a_sentence():
    none = "No two selected features are correlated above 0.7 in absolute value."
    assert groups_sentence([], [Pair(0, 1, 0.5)]) == none
    said = groups_sentence([["a", "b"], ["c", "d", "e"]], [Pair(0, 1, 0.9)], 12)
    assert said.startswith("5 selected features among the first 12 are in 2 groups of features correlated")


def test_redundancy_of_many_features_is_a_list():
    """The names of a heat map can be read up to 40; of more there are groups and pairs."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4
    X = rng.normal(size=(4, 60))[y] + rng.normal(size=(200, 60))
    X[:, 1] = -X[:, 0] + 0.1 * rng.normal(size=200)
    names = [f"n{j}" for j in range(60)]
    for k, drawn in ((60, False), (20, True)):
        selector = GeneralizedFisherScore(k, keep=[0, 1]).fit(X, y)
        about = explain(X, y, selector.support_, gamma=selector.gamma_)
        found = build_report(X, y, names, selector, about, title="t").pictures.redundancy
        assert (found.figure is not None) == drawn
        assert ["n0", "n1"] in [sorted(group) for group in found.groups]
        assert sorted(found.pairs[0][:2]) == ["n0", "n1"]
        assert found.pairs[0][2] < -0.95
        assert len(found.pairs) == 10


class Luck(NamedTuple):
    """Stands for `noise_`."""

    n_features: int
    n_chosen: int
    n_above: int
    chance: bool


def test_tiles_say_whether_a_set_is_proven_real_and_useful():
    optimal = "Proven optimal: no other 5 columns score higher."
    proven = "Proof: 5 features are essential, 25 are ruled out, 0 undecided."
    tile = proof_tile(optimal, proven, True, 0.0)
    assert (tile.value, tile.tone) == ("Proven optimal", "good")
    assert tile.details == ["No other 5 columns score higher.", proven.removeprefix("Proof: ")]
    assert proof_tile(optimal, "", True, 0.0, signal=False).tone == "plain"  # the best of noise
    near = proof_tile("Within 7.2 % of the best: at least 92.8 % of what any 5 can reach.", "", False, 0.072)
    assert (near.value, near.tone) == ("Within 7.2 % of the best", "plain")
    assert proof_tile("No column tells the classes apart.", "", True, 0.0).details == []
    assert signal_tile(None) is None
    assert signal_tile(Luck(30, 5, 5, False)).value == "5 of 5 better than chance"
    assert signal_tile(Luck(30, 5, 3, True))[1::2] == ("No better than chance", "doubt")
    useful = HeldOut("accuracy", 0.953, 0.01, 0.627, {"Fisher score": 0.9}).tile
    assert (useful.label, useful.value, useful.tone) == ("Held-out accuracy", "95.3 % ± 1.0", "good")
    assert useful.details == ["Fisher score: 90.0 %. Most frequent class: 62.7 %."]
    useless = HeldOut("R²", 0.02, 0.03, 0.0).tile
    assert (useless.label, useless.value, useless.tone) == ("Held-out R²", "0.020 ± 0.030", "doubt")


def test_tiny_classes_are_warned_of():
    assert tiny_classes({"a": 5, "b": 900}) == []
    (one,) = tiny_classes({"a": 4, "b": 900})
    assert (one.text, one.warns) == ("A class has fewer than 5 rows: a (4).", True)
    (many,) = tiny_classes({str(code): 1 for code in range(9)})
    assert many.text.startswith("9 classes have fewer than 5 rows: 0 (1), 1 (1)")
    assert many.text.endswith("and 4 more.")


@pytest.mark.parametrize(("length", "wide", "narrow"), [(6, 30, 23), (40, 20, 5), (1000, 20, 5)])
def test_the_first_screen_has_room_for_so_many_names(length, wide, narrow):
    screen = Overview("t", "l", [Chip("x" * length)] * 100, "c", [], [], [])
    assert (screen.first(), screen.narrow) == (wide, narrow)
    assert screen._replace(chips=screen.chips[:3]).first() == 3


def test_noise_is_no_headline():
    """The best of noise is not praised: neither in the title nor in green."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 200)), rng.integers(2, size=60)
    selector = GeneralizedFisherScore(4).fit(X, y)
    about = explain(X, y, selector.support_, gamma=selector.gamma_)
    first = build_report(X, y, [f"m{j}" for j in range(200)], selector, about, title="4 of noise").overview
    assert first.title == "4 of noise: no better than chance"
    assert first.caption == "Selected features, no better than chance"
    assert first.alerts == [str(selector.noise_)]
    assert [tile.tone for tile in first.tiles] == ["plain", "doubt"]


def test_charts_draw_the_numbers():
    curve = Curve(
        "F against k", "F", [1, 2, 5], [1.0, 2.0, 3.0], [1.5, 2.0, 4.0], [1.0, 2.0, 3.0], 2, band=True
    )
    chart = build_chart(curve)
    left, right, top, foot = chart.frame
    assert [mark.chosen for mark in chart.marks] == [False, True, False]
    assert [mark.text for mark in chart.marks] == ["1: 1, at most 1.5", "2: 2, at most 2", "5: 3, at most 4"]
    xs, ys = np.array([mark.x for mark in chart.marks]), np.array([mark.y for mark in chart.marks])
    np.testing.assert_allclose((xs - xs[0]) / (xs[-1] - xs[0]), [0, 0.25, 1], atol=0.01)
    np.testing.assert_allclose((foot - ys) / (foot - top) * 4.24, [1, 2, 3], atol=0.02)
    assert left < xs.min() <= xs.max() < right
    share = build_chart(curve._replace(percent=True, band=False, level=0.5, values=[0.9, 0.95, 0.95]))
    assert share.marks[0].text == "1: 90.0 % ± 60.0 %"
    assert top < share.level < foot
    one = build_chart(Curve("F", "F", [3], [0.0], [0.0], [0.0], 3, band=True))
    assert np.isfinite([one.marks[0].x, one.marks[0].y]).all()


def test_dots_put_features_to_the_classes_they_mark():
    rng = np.random.default_rng(0)
    y = np.arange(320) % 16
    counts = rng.poisson(0.1, size=(320, 48)) + 3 * (y[:, None] == np.arange(48) % 16)
    dots = build_dots(
        counts.astype(float), np.array([f"type {code}" for code in y]), [f"g{j}" for j in range(48)]
    )
    rows = [row for block in dots.blocks for row in block.rows]
    assert len(rows) == 48
    darkest = [int(np.argmax([dot.level for dot in row.dots])) for row in rows]
    assert darkest == sorted(darkest)  # a staircase
    for row, at in zip(rows, darkest, strict=True):
        name, code = row.label, dots.classes[at].text.removeprefix("type ")
        assert int(name[1:]) % 16 == int(code)
        assert f"highest in class type {code}, " in row.text
        assert row.dots[at].radius > max(dot.radius for place, dot in enumerate(row.dots) if place != at)
    assert "share of values that are not zero" in dots.note
    assert "standard deviation" in build_dots(rng.normal(size=(320, 3)), y, list("abc")).note
    assert dots.width * len(dots.blocks) < 1240


@pytest.mark.parametrize(("n_classes", "dotted"), [(6, False), (16, True)])
def test_many_classes_are_dots_and_few_a_plane(n_classes, dotted):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 6)
    X = rng.normal(size=(n_classes, 4))[y] + rng.normal(size=(y.size, 4))
    selector = GeneralizedFisherScore(3).fit(X, y)
    about = explain(X, y, selector.support_, gamma=selector.gamma_)
    pictures = build_report(X, y, list("abcd"), selector, about, title="t").pictures
    assert (pictures.dots is not None) == dotted
    assert ["Rows" in figure.short for figure in pictures.figures] == ([] if dotted else [True])


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


def test_warnings_are_in_the_box_at_the_top(tmp_path):
    """Row numbers, target leakage, tiny classes and a search that ended early."""
    X, y = load_wine(return_X_y=True)
    y = np.array(["a", "b", "c"], dtype=object)[y]
    y[:3] = "rare"
    table = pd.DataFrame(X).add_prefix("c").assign(kind=y, copy=y)
    table.insert(0, "Id", range(1, 1 + len(y)))
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("select", "t.csv", "-t", "kind", "-k", 3, "--solver", "exact", "--max-nodes", 1, "--gamma", 1)
    done = invoke(*asked, "--report", "r.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    box = page.partition('<div class="alert"')[2].partition("</div>")[0]
    assert page.index('<div class="alert"') < page.index('id="chips"')
    for text in ("Column &#39;Id&#39;", "Column &#39;copy&#39;", "A class has fewer than 5 rows: rare (3)."):
        assert text in box
    assert "Stopped at --max-nodes; a better set may exist." in box


def test_curves_are_computed_where_they_cost_little(tmp_path, monkeypatch):
    """Around a given size: F and its bound from the measured table, accuracies where rows are in memory."""
    X, y = load_wine(return_X_y=True)
    pd.DataFrame(X).add_prefix("c").assign(kind=np.array(["a", "b", "c"])[y]).to_csv(
        tmp_path / "t.csv", index=False
    )
    asked = ("select", "t.csv", "-t", "kind", "-k", 4, "--report", "r.html", "--no-check")
    shown = {}
    for cells in (1_000_000, 1):
        monkeypatch.setattr("fisherset.cli.sizes.PATH_CELLS", cells)
        assert invoke(*asked, cwd=tmp_path).returncode == 0
        shown[cells] = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert shown[1_000_000].count('<figure class="chart block">') == 2
    assert "Held-out accuracy" in shown[1_000_000]
    assert "4 (selected)" in shown[1_000_000]
    assert shown[1].count('<figure class="chart block">') == 0
    assert '<p class="label">Held-out accuracy</p>' not in shown[1]


EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def assessed():
    """Wine with odd names of features and classes: X, y, names, a fitted selector, and its assessment."""
    X, y = load_wine(return_X_y=True)
    labels = np.array([EVIL, "b & c", "c"])[y]
    names = [EVIL + str(j) if j % 2 else f"n{j}" for j in range(X.shape[1])]
    X = np.column_stack([X, X[:, 6] + 1e-3])  # a copy
    names.append("copy of <n6>")
    selector = GeneralizedFisherScore(4, exclude=[13]).fit(X, labels)
    options = {"n_pairs": 5, "n_permutations": 19, "random_state": 0, "support": selector.support_}
    found = assess(GeneralizedFisherScore(4), X, labels, **options)
    return X, labels, names, selector, found


def page_with_trust(assessed, **more):
    X, y, names, selector, found = assessed
    chosen = [names[j] for j in np.flatnonzero(selector.support_)]
    section = build_trust(found, names, np.arange(len(names)), chosen)
    explained = explain(X, y, selector.support_, gamma=selector.gamma_)
    report = build_report(X, y, names, selector, explained, title="t", trust=section, **more)
    return section, explained, report, report_page(report)


def test_trust_on_a_page(assessed):
    section, _, report, page = page_with_trust(assessed)
    found = assessed[-1]
    assert report.trust is section
    assert section.advice == found.advice
    assert html.escape(found.advice) in page
    assert [tile.value for tile in section.tiles] == ["p = 0.05", f"{found.stability.index:.2f}"]
    assert found.permutation.scheme in page
    names = assessed[2]
    for row in section.rows:
        assert row.frequency == found.stability.frequencies[names.index(row.name)]
    pair = [row for row in section.rows if row.others]
    assert {row.name for row in pair} <= {"n6", "copy of <n6>"}
    heights = {mark.text.partition(":")[0]: mark for mark in section.chart.marks}
    assert list(heights) == [str(k) for k in found.permutation.sizes]
    assert "by chance up to" in heights["4"].text
    assert EVIL not in page
    assert "copy of <n6>" not in page


def test_what_is_missing_of_trust_is_said(assessed):
    found = Assessment(reasons={"permutation": "Interrupted."})
    section = build_trust(found, ["a"], [0], ["a"])
    assert section.notes == ["Chance: not known. Interrupted."]
    assert section.chart is None
    assert section.tiles == []
    assert trust_record(found, []) == {
        "advice": found.advice,
        "real": None,
        "useful": None,
        "reasons": {"permutation": "Interrupted."},
    }


def test_a_bound_that_says_nothing_is_not_stated():
    X, y = load_wine(return_X_y=True)
    many = stability(GeneralizedFisherScore(12), X, y, n_pairs=3, random_state=0)
    assert many.expected_false_selections() > many.stable().sum()
    assert "the halves do not bound" in bound_sentence(many)
    every = stability(GeneralizedFisherScore(13), X, y, n_pairs=3, random_state=0)
    section = build_trust(Assessment(stability=every), [f"x{j}" for j in range(13)], np.arange(13), [])
    assert "nan" not in " ".join([section.advice, *section.notes, *section.tiles[0].details])
    assert section.tiles[0].value == "no choice"


def test_classes_of_features_on_a_page(assessed):
    _, explained, report, page = page_with_trust(assessed)
    assert report.losses.classes == [EVIL, "b & c", "c"]
    assert not report.losses.upright
    for at, row in enumerate(report.rows):
        place = [assessed[2][j] for j in explained.features].index(row.name)
        shares = explained.class_drops[place] / explained.class_objectives
        np.testing.assert_allclose([own.share for own in report.losses.rows[at][1]], shares)
        np.testing.assert_allclose([own.share for own in row.by_class.values()], shares)
        expected = explained.table()[place]["separates"]
        assert row.separates == expected
        assert html.escape(expected) in page
    offered = json.loads(report.downloads.json)["features"][0]
    assert set(offered["by_class"]) == {EVIL, "b & c", "c"}
    assert set(offered["by_class"]["c"]) == {"loss", "share", "difference"}
    header = report.downloads.csv.splitlines()[0].split(",")
    assert "separates" in header
    assert "by_class" not in header


def test_two_classes_need_no_table_of_losses():
    X, y = load_wine(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    selector = GeneralizedFisherScore(2).fit(X, y)
    names = [f"n{j}" for j in range(13)]
    report = build_report(X, y, names, selector, explain(selector, X, y), title="t")
    assert report.losses is None
    assert {row.separates for row in report.rows} <= {"higher in 0", "higher in 1", "jointly"}
    page = report_page(report)
    assert "What each class loses" not in page
    assert ">Separates</th>" in page
