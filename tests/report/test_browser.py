"""The report in a real browser: nothing fails, nothing is fetched, names stay text, files come out right."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from conftest import browser_path
from fisherset._files import safe_cell
from support.command_line import invoke

# one group, so that one process makes the pages and opens the browser
pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGES = ("report", "groups", "demo", "others", "many")
EVIL = "<script>document.title = 'taken'</script>"
LONG = "a_very_long_name_" * 12


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report of a table with odd names, of numbers and groups with odd names, and the one of the demo."""
    folder = tmp_path_factory.mktemp("pages")
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
    table.to_csv(folder / "wine.csv", index=False)
    kept = ("--report", "report.html", "--out", "selection.json")
    done = invoke("select", "wine.csv", "-t", "target", "-k", 8, *kept, cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "groups.json").write_text(json.dumps({EVIL[::-1]: [EVIL, "=1+2"], LONG[1:]: [LONG]}))
    done = invoke(
        *(
            "select",
            "wine.csv",
            "-t",
            "magnesium",
            "--task",
            "regression",
            "-k",
            4,
            "--groups",
            "groups.json",
        ),
        *("--keep", "target", "--exclude", '"><img src=x>', "--report", "groups.html"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    asked = ("-k", 5, "--within", 0.1, "--keep", EVIL, "--report", "others.html")
    done = invoke("alternatives", "wine.csv", "-t", "target", *asked, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert invoke("demo", "--quiet", cwd=folder).returncode == 0
    rng, y = np.random.default_rng(0), np.arange(260) % 26
    many = pd.DataFrame(rng.normal(size=(26, 80))[y] + rng.normal(size=(260, 80))).add_prefix("gene_")
    many["kind"] = [f"a class with a rather long name, number {code} of 26" for code in y]
    many.to_csv(folder / "many.csv", index=False)
    done = invoke("select", "many.csv", "-t", "kind", "-k", 70, "--report", "many.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    names = {"report": "report.html", "groups": "groups.html", "demo": "fisherset-demo.html"}
    names |= {"others": "others.html", "many": "many.html"}
    return {name: folder / file for name, file in names.items()}


@pytest.fixture(scope="module")
def browser():
    path = browser_path()
    if path is None:
        pytest.skip("NO BROWSER FOUND: the report page is NOT tested; install chromium")
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, pages):
    opened = []

    def open_it(name, width=1200, scheme="light", **more):
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, **more)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on(
            "request", lambda request: page.complaints.append(request.url) if outside(request.url) else None
        )
        page.goto(pages[name].as_uri())
        opened.append(context)
        return page

    yield open_it
    for context in opened:
        context.close()


def outside(address):
    return not address.startswith(("file:", "data:", "blob:"))


def in_themes():
    """Every page in the light theme, and one in the dark; `make test-long` opens all in both."""
    cases = [(name, scheme) for name in PAGES for scheme in ("light", "dark")]
    marks = {True: (), False: pytest.mark.long}
    params = [pytest.param(*case, marks=marks[case[1] == "light" or case[0] == "report"]) for case in cases]
    return pytest.mark.parametrize(("name", "scheme"), params)


@in_themes()
def test_pages_open_clean_at_every_width(open_page, name, scheme, tmp_path):
    width = {"light": 1200, "dark": 390}[scheme]
    page = open_page(name, width, scheme)
    assert page.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out
    shot = page.screenshot(path=tmp_path / "page.png", full_page=True)
    assert len(shot) > 20_000
    pictures = page.locator("figure img:visible")
    assert pictures.count() >= (1 if name == "others" else 2)
    for place in range(pictures.count()):
        assert pictures.nth(place).evaluate("image => image.complete && image.naturalWidth > 0")
        assert len(pictures.nth(place).get_attribute("alt")) > 30


def test_names_stay_text(open_page):
    page = open_page("report")
    assert page.title() == "8 features of wine.csv"
    assert EVIL in page.locator("#features").inner_text()
    assert page.locator("#features img").count() == 0
    assert page.locator("main script").count() == 0


def test_other_sets_and_their_names(open_page):
    page = open_page("others")
    assert page.title() == "Sets of 5 features of wine.csv"
    assert EVIL in page.locator("#alternative-features").inner_text()
    assert page.locator("main script").count() == 0
    page.locator("#alternative-features th").nth(1).locator("button").click()
    assert page.locator("#alternative-features tbody tr").first.locator("td").first.inner_text() == "100.0"
    page.locator("input[type=search]").fill("größe")
    assert 1 <= page.locator("#alternative-features tbody tr:visible").count() < 13


def column(page, place):
    cells = page.locator(f"#features tbody tr:visible > *:nth-child({place})")
    return cells.all_inner_texts()


def test_tables_sort_and_filter(open_page):
    page = open_page("report")
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
    assert "shown" in page.locator("#features-count").inner_text()
    page.locator("input[data-table=features]").fill("")
    assert len(column(page, 1)) == 8


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_theme_switches(open_page):
    for scheme in ("light", "dark"):
        page = open_page("report", scheme=scheme)
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
    content = json.loads((pages["report"].parent / "selection.json").read_text(encoding="utf-8"))
    return [feature["name"] for feature in content["features"]]


def download(page, label):
    with page.expect_download() as coming:
        page.get_by_role("button", name=label, exact=True).click()
    return coming.value.suggested_filename, coming.value.path().read_bytes().decode("utf-8")


def test_files_hold_the_chosen_features(open_page, pages):
    page, names = open_page("report"), chosen_in(pages)
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
    content = json.loads(download(open_page("groups"), "JSON")[1])
    assert sorted(content["groups"]["target"]) == [f"target={label}" for label in (EVIL, "b & c", "c")]


@pytest.mark.parametrize("allowed", [True, False])
def test_names_are_copied(open_page, pages, allowed):
    """By the clipboard's own functions, or where a page may not use them as pages always did."""
    page = open_page("report", permissions=["clipboard-read", "clipboard-write"] if allowed else [])
    if not allowed:
        page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    page.evaluate("document.addEventListener('copy', event => { window.copied = event.target.value; })")
    page.get_by_role("button", name="Copy names").click()
    page.get_by_text("Copied.").wait_for()
    text = page.evaluate("navigator.clipboard.readText()" if allowed else "window.copied")
    assert text.split("\n")[:-1] == [" ".join(name.splitlines()) for name in chosen_in(pages)]
    assert page.locator("textarea").count() == 0
    page.get_by_role("button", name="Copy: the command").click()
    assert page.locator("#command").inner_text().startswith("fisherset select wine.csv -t target -k 8")
    assert page.complaints == []


def test_all_features_are_shown_when_asked_for(open_page):
    page = open_page("many")
    assert page.locator(".panel:visible").count() == 6
    page.get_by_text("Show all 70").click()
    assert page.locator(".panel:visible").count() == 70
    labels = page.locator(".panel").first.locator(".end text").all_text_contents()
    assert len(set(labels)) == 26
    assert page.locator("#panels").inner_text() == "The chosen features in each class"
    assert page.locator("#classes tbody tr").count() == 26


def test_a_comparison_opens_with_it(open_page):
    page = open_page("demo")
    order = [part.get_attribute("aria-labelledby") for part in page.locator("section").all()]
    assert order[:3] == ["comparison", "sets", "certificate"]
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


@in_themes()
def test_axe_finds_nothing_serious(open_page, name, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.base", reason="AXE-CORE NOT FOUND: install axe-playwright-python"
    )
    page = open_page(name, scheme=scheme, bypass_csp=True)  # the page lets in no script, not even this
    page.evaluate(
        "parts = document.querySelectorAll('details'); parts.forEach(part => { part.open = true; })"
    )
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate("axe.run()")["violations"]
    bad = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
    assert bad == []


def test_page_prints_in_black_on_white(open_page, tmp_path):
    page = open_page("report", scheme="dark")
    page.emulate_media(media="print")
    assert background(page) == "rgb(255, 255, 255)"
    assert page.locator("button.theme:visible").count() == 0
    assert len(page.pdf(path=tmp_path / "report.pdf")) > 10_000


def test_a_screen_reader_finds_its_way(open_page):
    page = open_page("demo")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1
    assert page.locator("main").count() == 1
    assert page.locator("section").count() > 1
    for section in page.locator("section").all():
        assert page.locator(f"#{section.get_attribute('aria-labelledby')}").count() == 1
    assert "% of the best" in page.locator(".bar").get_attribute("aria-label")
    assert page.locator("thead th").count() > 1
    for head in page.locator("thead th").all():
        assert head.get_attribute("scope") == "col"
