"""The built site: no warning, no broken link, nothing fetched from elsewhere, and it works in a browser."""

import functools
import http.server
import os
import re
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from support.site import Page, build, lacking

# one group, so that one process builds the site and opens the browser
pytestmark = [
    pytest.mark.long,
    pytest.mark.once,
    pytest.mark.xdist_group("browser"),
    pytest.mark.timeout(3600),
]
LOOKED_AT = ("index.html", "api.html", "gallery/index.html", "gallery/basics/plot_digits.html")
LOOKED_AT += (
    "guide/certificates.html",
    "mathematics.html",
    "generated/fisherset.GeneralizedFisherScore.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built without a warning; or one built before, that FISHERSET_SITE names."""
    if "FISHERSET_SITE" in os.environ:
        return Path(os.environ["FISHERSET_SITE"]).resolve()
    if lacking():
        pytest.skip(f"NOT INSTALLED: {', '.join(lacking())}; the site is NOT tested: pip install '.[docs]'")
    done, folder = build(tmp_path_factory.mktemp("site"))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def parsed(site):
    return {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}


def target(page, address):
    """The file that an address leads to, relative to the site, and the anchor."""
    parts = urlsplit(address)
    place = "/".join([*page.split("/")[:-1], unquote(parts.path)]) if parts.path else page
    folders = []
    for part in place.split("/"):
        if part == "..":
            folders.pop()
        elif part not in (".", ""):
            folders.append(part)
    return "/".join(folders), unquote(parts.fragment)


def test_links_and_anchors_lead_somewhere(site, parsed):
    broken = []
    for page, found in parsed.items():
        for address in [*found.links, *found.fetched]:
            if urlsplit(address).scheme or address == "#":
                continue
            path, anchor = target(page, address)
            there = (site / path).is_file() and (
                not anchor or path not in parsed or anchor in parsed[path].ids
            )
            broken += [] if there else [f"{page}: {address}"]
    assert not broken, "\n".join(broken)


def test_nothing_is_fetched_from_elsewhere(site, parsed):
    for page, found in parsed.items():
        assert [address for address in found.fetched if urlsplit(address).scheme not in ("", "data")] == [], (
            page
        )
    for sheet in site.rglob("*.css"):
        text = sheet.read_text("utf-8")
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", text), sheet


def test_every_example_has_its_page_and_its_picture(site, parsed):
    pages = [page for page in parsed if "/plot_" in page]
    assert len(pages) >= 14
    for page in pages:
        assert any("_images/sphx_glr_plot_" in address for address in parsed[page].fetched), page


@pytest.fixture(scope="module")
def address(site):
    """Where a server on this machine has the site."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=site)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def open_page(browser, address):
    """Open a page of the site; in the end nothing was complained of, and nothing fetched from elsewhere."""
    contexts, complaints = [], []

    def outside(request):
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(request.url)

    def open_it(path, width, scheme):
        size = {"width": width, "height": 844 if width < 500 else 800}
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", outside)
        page.goto(f"{address}/{path}", wait_until="networkidle")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_in_both_themes(open_page, width, scheme):
    for path in LOOKED_AT:
        page = open_page(path, width, scheme)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, path
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        bright = sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128
        assert bright == (scheme == "light"), path


def test_formulas_are_typeset(open_page):
    page = open_page("mathematics.html", 1280, "light")
    page.wait_for_selector("mjx-container")
    assert page.locator("mjx-container").count() > 10
    assert page.locator("mjx-merror").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_search_finds(open_page, width):
    page = open_page("search.html?q=certificate", width, "light")
    page.wait_for_selector("#search-results li a")
    found = page.locator("#search-results li a").all_inner_texts()
    assert "The certificate" in found
