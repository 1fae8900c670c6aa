"""The report in a real browser: nothing fails, nothing is fetched, names stay text, files come out right."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from fisherset._files import safe_cell
from support.command_line import invoke

# one group, so that one process makes the pages and opens the browser
pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGES = ("few", "many", "noise", "numbers", "others", "compare", "demo", "odd")
EVIL = "<script>document.title = 'taken'</script>"
LONG = "a_very_long_name_" * 12


def odd_wine():
    """A table with names that break pages."""
    table = load_wine(as_frame=True).frame
    table = table.rename(
        columns={
            "flavanoids": EVIL,
            "proline": LONG,
            "hue": "größe 🍷",
            "ash": '"><img src=x>',
            "alcohol": "=1+2",
            "color_intensity": "a\u2028b --> </body>",
            "total_phenols": "@a,\"b'",
        }
    )
    table["target"] = np.array([EVIL, "b & c", "c"])[table["target"]]
    return table


def tumours():
    found = load_breast_cancer(as_frame=True)
    return found.data.assign(diagnosis=found.target_names[found.target])


def cells():
    """100 of 120 genes of 16 types of cells: counts, mostly zeros."""
    rng, y = np.random.default_rng(0), np.arange(480) % 16
    rates = rng.gamma(0.4, size=(16, 120))
    table = pd.DataFrame(np.log1p(rng.poisson(rates[y]))).add_prefix("gene_")
    table["kind"] = [f"a kind of cell with a long name, {code}" for code in y]
    return table


def noise():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 200))).add_prefix("m")
    return table.assign(kind=rng.integers(2, size=60))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The seven pages of the issue, and one with odd names: its file by name."""
    folder = tmp_path_factory.mktemp("pages")
    tables = {"wine": odd_wine(), "tumours": tumours(), "cells": cells(), "noise": noise()}
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    (folder / "groups.json").write_text(json.dumps({EVIL[::-1]: [EVIL, "=1+2"], LONG[1:]: [LONG]}))
    numbers = ("-t", "magnesium", "--task", "regression", "-k", 4, "--groups", "groups.json")
    commands = {
        "few": ("select", "tumours.csv", "-t", "diagnosis", "-k", 5),
        "many": ("select", "cells.csv", "-t", "kind", "-k", 100),
        "noise": ("select", "noise.csv", "-t", "kind", "-k", 4),
        "numbers": ("select", "wine.csv", *numbers, "--keep", "target", "--exclude", '"><img src=x>'),
        "others": ("alternatives", "wine.csv", "-t", "target", "-k", 5, "--within", 0.1, "--keep", EVIL),
        "compare": ("compare", "tumours.csv", "-t", "diagnosis", "-k", "2,5", "--repeats", 2),
        "demo": ("demo",),
        "odd": ("select", "wine.csv", "-t", "target", "-k", 8, "--out", "selection.json"),
    }
    for name, command in commands.items():
        done = invoke(*command, "--quiet", "--report", f"{name}.html", cwd=folder)
        assert done.returncode == 0, done.stderr
    return {name: folder / f"{name}.html" for name in commands}


@pytest.fixture
def open_page(open_file, pages):
    """Open a page by its name, to be changed at will."""
    opened = []

    def open_it(name, *width, **more):
        opened.append(open_file(pages[name], *width, **more))
        return opened[-1]

    yield open_it
    for page in opened:
        page.close()


@pytest.fixture(scope="module")
def look_at(open_file, pages):
    """A page at 1280 px that tests share: they only look."""
    opened = {}

    def look(name):
        if name not in opened:
            opened[name] = open_file(pages[name])
        return opened[name]

    return look


def in_themes():
    """Every page in the light theme, and one in the dark; `make test-long` opens all in both."""
    cases = [(name, scheme) for name in PAGES for scheme in ("light", "dark")]
    marks = {True: (), False: pytest.mark.long}
    params = [pytest.param(*case, marks=marks[case[1] == "light" or case[0] == "many"]) for case in cases]
    return pytest.mark.parametrize(("name", "scheme"), params)


# The title, and what the first screen says of proof, signal and use.
FIRST = {
    "few": ("5 features of tumours.csv", ["Proven optimal", "5 of 5 better than chance", "9"]),
    "many": ("100 features of cells.csv", ["", " of 100 better than chance", " % ± "]),
    "noise": ("4 features of noise.csv: no better than chance", ["", "No better than chance", ""]),
    "numbers": ("4 groups of wine.csv", ["", "", "0."]),
    "others": ("Sets of 5 features of wine.csv", [" sets within 10 % of the best", "", ""]),
    "compare": ("7 methods compared on tumours.csv", ["No clear winner", "Proven optimal", "", ""]),
    "demo": ("7 methods compared on handwritten digits", ["No clear winner", "Within ", "", "88."]),
    "odd": ("8 features of wine.csv", ["Proven optimal", "", "9"]),
}


BOXES = """parts => parts.map(part => {
  const box = part.getBoundingClientRect();
  return [part.innerText, box.bottom, box.right];
})"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_the_first_screen_has_the_answer(open_page, look_at, name, width):
    """Names, tiles and warnings are above the fold; nothing fails, sticks out or is fetched."""
    page = look_at(name) if width == 1280 else open_page(name, width)
    title, values = FIRST[name]
    assert page.title() == page.locator("h1").inner_text() == title
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = page.locator(".tile .value").all_inner_texts()
    assert len(shown) == len(values)
    assert all(part in text for part, text in zip(values, shown, strict=True))
    assert page.locator("#chips li:visible").count() >= (4 if name != "odd" else 3)
    height = page.viewport_size["height"]
    parts = page.locator("h1, .line, .alert, #chips li:visible, .tile .value")
    for text, foot, right in parts.evaluate_all(BOXES):
        assert foot <= height, text
        assert right <= width, text
    assert page.locator(".alert").count() == (name == "noise")
    assert page.complaints == []


def test_warnings_come_first(open_page):
    page = open_page("noise", 390)
    alert, names = page.locator(".alert"), page.locator("#chips")
    assert "chance" in alert.inner_text()
    assert alert.bounding_box()["y"] < names.bounding_box()["y"]


PICTURES = "images => Promise.all(images.map(async one => [(await one.decode(), one.naturalWidth), one.alt]))"


@in_themes()
def test_pages_open_clean_to_their_end(open_page, look_at, name, scheme):
    page = look_at(name) if scheme == "light" else open_page(name, 390, scheme=scheme)
    assert len(page.screenshot()) > 20_000
    assert page.complaints == []
    pictures = page.locator("figure img:visible").evaluate_all(PICTURES)
    assert len(pictures) + page.locator(".dots svg").count() >= 1
    assert all(width > 0 and len(text) > 30 for width, text in pictures)
    assert page.locator("#glossary").count() == 1
    said = page.locator("#command").inner_text()
    assert said.startswith(("fisherset ", "pytest")) or len(said) > 5
    assert page.get_by_text("SHA-256 of the file").count() == (name != "demo")


def test_wide_content_shows_that_it_scrolls(open_page):
    page = open_page("odd", 390)
    part = page.get_by_role("group", name="Selected features", exact=True)
    hint = part.locator("xpath=preceding-sibling::p[1]")
    assert hint.is_visible()
    assert "more" in part.get_attribute("class")
    part.evaluate("part => { part.scrollLeft = part.scrollWidth; }")
    page.wait_for_function("part => !part.classList.contains('more')", arg=part.element_handle())
    wide = open_page("few").get_by_role("group", name="Selected features", exact=True)
    assert not wide.locator("xpath=preceding-sibling::p[1]").is_visible()


def test_a_wide_page_uses_its_right_half(look_at):
    """At 1280 px there is something beside the curves, the picture of rows and the command."""
    page = look_at("few")
    for first, second in ((".chart >> nth=0", ".chart >> nth=1"), ("#figure1", "#redundancy")):
        one, other = (page.locator(part).bounding_box() for part in (first, second))
        assert abs(one["y"] - other["y"]) < 2
        assert other["x"] > 640


@pytest.mark.parametrize("name", ["few", "many", "noise", "compare", "demo"])
def test_nothing_scrolls_on_a_wide_page(look_at, name):
    page = look_at(name)
    wide = "some => some.filter(one => one.scrollWidth > one.clientWidth + 2).map(one => one.ariaLabel)"
    assert page.locator(".scroll:visible, pre").evaluate_all(wide) == []
    assert page.locator(".hint:visible").count() == 0


def test_many_names_are_folded_and_shown_when_asked_for(open_page):
    for width, first in ((1280, 30), (390, 20)):
        page = open_page("many", width)
        assert page.locator("#chips li:visible").count() == pytest.approx(first, abs=4 if width == 390 else 0)
        rest = page.get_by_role("button", name=" more")
        assert rest.inner_text() == f"+{100 - page.locator('#chips li:visible').count()} more"
        rest.click()
        assert page.locator("#chips li:visible").count() == 100
        page.get_by_role("button", name="Show fewer").click()
        assert page.locator("#chips li:visible").count() < 40


def test_the_table_has_fifteen_rows_until_all_are_asked_for(open_page):
    page = open_page("many")
    rows = page.locator("#features tbody tr:visible")
    assert rows.count() == 15
    heads = page.locator("#features thead th")
    assert all(head.get_attribute("title") for head in heads.all()[1:])  # tooltips
    arrow = "head => getComputedStyle(head.querySelector('button'), '::after').content.trim().slice(-2, -1)"
    arrows = [head.evaluate(arrow) for head in heads.all()]
    assert arrows[:2] == ["↕", "↑"]
    heads.nth(1).locator("button").click()  # ranks, falling
    assert column(page, 2)[0] == "100"
    assert rows.count() == 15
    page.get_by_role("button", name="Show all 100").first.click()
    assert rows.count() == 100
    page.get_by_role("button", name="Show 15").click()
    page.locator("input[data-table=features]").fill("gene_1")
    assert rows.count() > 15  # all that are found
    page.locator("input[data-table=features]").fill("")
    assert rows.count() == 15
    page.emulate_media(media="print")
    assert rows.count() == 100


def test_dots_of_many_classes_can_be_read(look_at):
    page = look_at("many")
    assert page.locator(".dots circle").count() >= 100 * 16
    assert page.locator("#figure1").count() == 0  # no plane of 16 colours
    sizes = page.locator(".dots text").evaluate_all(
        "texts => texts.map(text => Math.max(...[text.getBoundingClientRect()].map(box => box.height)))"
    )
    assert min(sizes) >= 10
    names = page.locator(".dots svg .end")
    assert names.count() == 100
    outside = "texts => texts.filter(text => text.getBBox().x < 0).map(text => text.textContent)"
    assert names.evaluate_all(outside) == []
    assert page.locator("#redundancy").count() == 1
    assert page.get_by_alt_text("Correlations among").count() == 0  # too many for a heat map
    assert page.locator("#pairs tbody tr").count() == 10


def test_names_stay_text(look_at):
    page = look_at("odd")
    assert EVIL in page.locator("#features").inner_text()
    assert page.locator("#features img").count() == 0
    assert page.locator("main script").count() == 0


def test_other_sets_and_their_names(open_page):
    page = open_page("others")
    assert EVIL in page.locator("#alternative-features").inner_text()
    assert page.locator("main script").count() == 0
    page.locator("#alternative-features th").nth(1).locator("button").click()
    assert page.locator("#alternative-features tbody tr").first.locator("td").first.inner_text() == "100.0"
    page.locator("input[type=search]").fill("größe")
    assert 1 <= page.locator("#alternative-features tbody tr:visible").count() < 13
    assert EVIL in page.locator("#chips").inner_text()


def column(page, place):
    cells = page.locator(f"#features tbody tr:visible > *:nth-child({place})")
    return cells.all_inner_texts()


def test_tables_sort_and_filter(open_page):
    page = open_page("odd")
    heads = page.locator("#features thead th")
    place = heads.all_inner_texts().index("Weight")
    heads.nth(place).locator("button").click()
    falling = [float(text) for text in column(page, place + 1)]
    assert falling == sorted(falling, reverse=True)
    assert heads.nth(place).get_attribute("aria-sort") == "descending"
    heads.nth(place).locator("button").click()
    rising = [float(text) for text in column(page, place + 1)]
    assert rising == sorted(rising)
    page.locator("#features th").nth(0).locator("button").press("Enter")  # by keyboard, texts
    names = column(page, 1)
    sort = "names => [...names].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }))"
    assert names == page.evaluate(sort, names)
    assert heads.nth(place).get_attribute("aria-sort") is None
    page.locator("input[data-table=features]").fill("größe")
    assert len(column(page, 1)) >= 1
    assert all("größe" in text for text in page.locator("#features tbody tr:visible").all_inner_texts())
    assert "found" in page.locator("#features-count").inner_text()
    page.locator("input[data-table=features]").fill("")
    assert len(column(page, 1)) == 8


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_theme_switches(open_page):
    for scheme in ("light", "dark"):
        page = open_page("odd", scheme=scheme)
        before = background(page)
        shown = page.locator("figure img:visible").first.get_attribute("class")
        assert shown == scheme
        page.locator("button.theme").click()
        assert background(page) != before
        assert page.locator("figure img:visible").first.get_attribute("class") != shown
        page.locator("button.theme").click()
        assert background(page) == before


def chosen_in(pages):
    """The names that were chosen, best first, as the file of the selection has them."""
    content = json.loads((pages["odd"].parent / "selection.json").read_text(encoding="utf-8"))
    return [feature["name"] for feature in content["features"]]


def download(page, label):
    with page.expect_download() as coming:
        page.get_by_role("button", name=label, exact=True).click()
    return coming.value.suggested_filename, coming.value.path().read_bytes().decode("utf-8")


def test_files_hold_the_chosen_features(open_page, pages):
    page, names = open_page("odd"), chosen_in(pages)
    assert {EVIL, LONG, "=1+2"} <= set(names)
    file, text = download(page, "Download names (.txt)")
    assert (file, text.split("\n")[:-1]) == ("features.txt", [" ".join(name.splitlines()) for name in names])
    file, text = download(page, "CSV")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert (file, [row["name"] for row in rows]) == ("features.csv", [safe_cell(name) for name in names])
    assert [int(row["rank"]) for row in rows] == list(range(1, 9))
    file, text = download(page, "JSON")
    content = json.loads(text)
    assert (file, [row["name"] for row in content["features"]]) == ("features.json", names)
    assert content["gap"] == pytest.approx(0.0, abs=1e-6)
    assert page.complaints == []


def test_groups_come_with_their_members(open_page):
    content = json.loads(download(open_page("numbers"), "JSON")[1])
    assert sorted(content["groups"]["target"]) == [f"target={label}" for label in (EVIL, "b & c", "c")]


@pytest.mark.parametrize("allowed", [True, False])
def test_names_are_copied(open_page, pages, allowed):
    """By the clipboard's own functions, or where a page may not use them as pages always did."""
    page = open_page("odd", permissions=["clipboard-read", "clipboard-write"] if allowed else [])
    if not allowed:
        page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    page.evaluate("document.addEventListener('copy', event => { window.copied = event.target.value; })")
    page.get_by_role("button", name="Copy names").click()
    page.get_by_text("Copied.").wait_for()
    text = page.evaluate("navigator.clipboard.readText()" if allowed else "window.copied")
    assert text.split("\n")[:-1] == [" ".join(name.splitlines()) for name in chosen_in(pages)]
    assert page.locator("textarea").count() == 0
    page.get_by_role("button", name="Copy: command").click()
    page.get_by_text("Copied.").nth(1).wait_for()
    assert page.complaints == []


def test_all_features_are_shown_when_asked_for(open_page):
    page = open_page("many")
    assert page.locator(".panel:visible").count() == 6
    page.locator("#all-panels summary").click()
    assert page.locator(".panel:visible").count() == 100
    labels = page.locator(".panel").first.locator(".end text").all_text_contents()
    assert len(set(labels)) == 16
    assert page.locator("#panels").inner_text() == "Each selected feature in each class"
    assert page.locator("#classes tbody tr").count() == 16


def test_a_comparison_opens_with_it(open_page):
    page = open_page("demo")
    order = [part.get_attribute("aria-labelledby") for part in page.locator("section").all()]
    assert order[:3] == ["names", "comparison", "sets"]
    assert page.locator("#accuracies tbody tr").count() == 7
    matrix = page.locator("details[open] .overlap")
    assert matrix.count() == 1
    cells = [row.split("\t")[1:] for row in matrix.locator("tbody").inner_text().splitlines()]
    assert np.shape(cells) == (7, 7)
    shares = np.array(cells, dtype=float)
    np.testing.assert_array_equal(shares, shares.T)
    assert shares.min() >= 0
    assert shares.max() <= 100
    page.get_by_text("With 20 features", exact=True).click()
    assert page.locator("details[open] .overlap").count() == 2


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_in_print(open_page, name):
    """On a sheet nothing scrolls; headers are repeated only where they hold text and no buttons."""
    page = open_page(name, width=700)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    cut = "parts => parts.filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.outerHTML)"
    assert page.locator("main, .scroll, pre, details[open]").evaluate_all(cut) == []
    hidden = "parts => parts.filter(part => getComputedStyle(part).overflow !== 'visible').length"
    assert page.locator(".scroll, pre, .name").evaluate_all(hidden) == 0
    heads = page.locator("thead:visible")
    assert heads.count() > 0
    for head in heads.all():
        assert head.evaluate("head => getComputedStyle(head).display") == "table-header-group"
        assert head.locator("button").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("table.sortable thead button").count() > 0


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(open_page, serious, name):
    """All rules in the light theme; the dark one differs in its colours."""
    page = open_page(name, bypass_csp=True)  # the page lets in no script, not even this
    page.locator("details").evaluate_all("parts => parts.forEach(part => { part.open = true; })")
    assert serious(page, "light") == []
    assert serious(page, "dark", runOnly=["color-contrast"]) == []


def test_page_prints_in_black_on_white(open_page, tmp_path):
    page = open_page("odd", scheme="dark")
    page.emulate_media(media="print")
    assert background(page) == "rgb(255, 255, 255)"
    assert page.locator("button.theme:visible").count() == 0
    assert len(page.pdf(path=tmp_path / "report.pdf")) > 10_000


def test_a_screen_reader_finds_its_way(look_at):
    page = look_at("demo")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1
    assert page.locator("main").count() == 1
    assert page.locator("section").count() > 1
    for section in page.locator("section").all():
        assert page.locator(f"#{section.get_attribute('aria-labelledby')}").count() == 1
    assert page.get_by_role("img", name="F against the number of features").count() == 1
    assert page.locator("thead th").count() > 1
    for head in page.locator("thead th").all():
        assert head.get_attribute("scope") == "col"
