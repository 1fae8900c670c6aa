"""The documentation as it is written, and the site that Sphinx makes of it."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
MADE = {"_build", "gallery", "generated"}  # folders in docs that Sphinx writes
NEEDED = (
    "sphinx",
    "pydata_sphinx_theme",
    "sphinx_gallery",
    "myst_parser",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx-mathjax-offline",
)
FENCE = re.compile(r"^( *)(`{3,}|:{3,})[^\n]*\n.*?^\1\2 *$", re.M | re.S)
LINK = re.compile(r"(?<!\\)\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")
ATTRIBUTES = {"a": "href", "link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src"}


def pages():
    """All Markdown that is part of the documentation."""
    written = [page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in MADE]
    return [*written, *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG"))]


def links(page):
    """Addresses of links and images within the repository; spans of code may be the text of a link."""
    text = FENCE.sub("", page.read_text("utf-8"))
    return [found for found in LINK.findall(text) if not urlsplit(found).scheme]


def anchors(page):
    """Names of the headings, as MyST and the hosts of repositories make them, and of explicit targets."""
    text, found = FENCE.sub("", page.read_text("utf-8")), []
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        copies = sum(one == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", one) is not None for one in found)
        found.append(f"{slug}-{copies}" if copies else slug)
    return {*found, *re.findall(r"^\(([\w-]+)\)=$", text, re.M)}


def missing(page, link):
    """Whether a link of a page leads nowhere. The gallery's pages exist where its examples do."""
    place, _, anchor = unquote(link).partition("#")
    target = (page.parent / place).resolve() if place else page
    if target.is_relative_to(DOCS / "gallery"):
        example = EXAMPLES / target.relative_to(DOCS / "gallery")
        known = {"index.rst", "index.md"}
        return not (example.name in known or example.with_suffix(".py").exists())
    if target.is_relative_to(DOCS / "generated"):
        return False  # only the built site knows them
    return not target.exists() or bool(anchor and target.suffix == ".md" and anchor not in anchors(target))


def lacking():
    """Packages that building the site needs and that are not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def build(folder):
    """Build the site, warnings being errors, from a copy of its sources: its log, and where the pages are."""
    source = folder / "source"
    source.mkdir()
    for path in ROOT.iterdir():
        if path.name in ("docs", "examples"):
            shutil.copytree(path, source / path.name, ignore=shutil.ignore_patterns(*MADE, "__pycache__"))
        elif path.is_file():  # pages that include others look for links next to them
            shutil.copy(path, source)
        elif not path.name.startswith("."):
            (source / path.name).symlink_to(path)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", folder / "html"]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
    done = subprocess.run(command, cwd=source, env=settings, capture_output=True, text=True)
    return done, folder / "html"


class Page(HTMLParser):
    """Links, fetched files and anchors of a built page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.ids = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        address = found.get(ATTRIBUTES.get(tag, ""))
        if address:
            (self.links if tag == "a" else self.fetched).append(address)
        self.fetched += [part.split()[0] for part in (found.get("srcset") or "").split(",") if part.strip()]
