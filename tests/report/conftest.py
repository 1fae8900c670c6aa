"""One browser for all tests of pages, with contexts that pages of one kind share."""

import pytest

from conftest import HANGS


@pytest.fixture(scope="session")
def open_file(browser):
    """Open a file in a page that notes what it complains of and what it fetches."""
    contexts = {}

    def open_it(path, width=1280, scheme="light", **more):
        kind = (width, scheme, repr(more))
        if kind not in contexts:
            size = {"width": width, "height": 844 if width < 500 else 800}
            contexts[kind] = browser.new_context(viewport=size, color_scheme=scheme, **more)
            contexts[kind].set_default_timeout(HANGS)
        page = contexts[kind].new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on(
            "request", lambda request: page.complaints.append(request.url) if outside(request.url) else None
        )
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts.values():
        context.close()


def outside(address):
    return not address.startswith(("file:", "data:", "blob:"))


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core."""
    reason = "AXE-CORE NOT FOUND: install axe-playwright-python"
    return pytest.importorskip("axe_playwright_python.base", reason=reason).AXE_SCRIPT


# Parts of which one is as good as hundreds.
REPEATED = [".dots circle", ".dots g + g + g", "#all-panels .panel + .panel", "tbody tr:nth-child(n+4)"]
REPEATED += [".wi-list li:nth-child(n+4)", ".chips li:nth-child(n+6)", ".panels .panel:nth-child(n+3)"]


@pytest.fixture
def serious(axe):
    """What axe finds that is serious in a page, or a part of it, in a theme."""

    def found(page, scheme, part="html", **options):
        if not page.evaluate("typeof axe === 'object'"):
            page.evaluate(axe)
        page.emulate_media(color_scheme=scheme)
        context = {"include": [[part]], "exclude": [[repeated] for repeated in REPEATED]}
        options = {"resultTypes": ["violations"], "preload": False, **options}
        found = page.evaluate("([context, options]) => axe.run(context, options)", [context, options])
        bad = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        return [(one["id"], one["nodes"][0]["html"]) for one in bad]

    return found
