"""The report in a real browser: nothing fails, nothing is fetched, names stay text, tables sort."""

import json
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_wine

from command import run
from conftest import browser_path

pytestmark = pytest.mark.once
EVIL = "<script>document.title = 'taken'</script>"
LONG = "a_very_long_name_" * 12


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report of a hostile table, of numbers and groups of hostile names, and the one of the demo."""
    folder = tmp_path_factory.mktemp("pages")
    table = load_wine(as_frame=True).frame
    table = table.rename(
        columns={"flavanoids": EVIL, "proline": LONG, "hue": "größe 🍷", "ash": '"><img src=x>'}
    )
    table["target"] = np.array([EVIL, "b & c", "c"])[table["target"]]
    table.to_csv(folder / "wine.csv", index=False)
    done = run("select", "wine.csv", "-t", "target", "-k", 8, "--report", "report.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "groups.json").write_text(json.dumps({EVIL[::-1]: [EVIL, "alcohol"], LONG[1:]: [LONG]}))
    done = run(
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
    done = run("alternatives", "wine.csv", "-t", "target", *asked, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert run("demo", "--quiet", cwd=folder).returncode == 0
    names = {"report": "report.html", "groups": "groups.html", "demo": "fisherset-demo.html"}
    names["others"] = "others.html"
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

    def open_it(name, width=1200, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
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
    return not address.startswith(("file:", "data:"))


def test_pages_open_clean_at_every_width(open_page, pages, tmp_path):
    for name, (width, scheme) in product(pages, ((1200, "light"), (390, "dark"))):
        page = open_page(name, width, scheme)
        assert page.complaints == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name  # nothing sticks out
        shot = page.screenshot(path=tmp_path / f"{name}-{width}.png", full_page=True)
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
    page.locator("input[type=search]").fill("größe")
    assert len(column(page, 1)) >= 1
    assert all("größe" in text for text in page.locator("#features tbody tr:visible").all_inner_texts())
    assert "shown" in page.locator("#features-count").inner_text()
    page.locator("input[type=search]").fill("")
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
