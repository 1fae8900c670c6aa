"""Links in the documentation's sources lead somewhere, and every public name is in the API reference."""

import re
from importlib import import_module

import pytest

import fisherset
from support.site import DOCS, EXAMPLES, links, missing, pages

pytestmark = pytest.mark.once
MODULES = ("analysis", "datasets", "evaluation", "paper", "plots", "report", "tables", "trust")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert [link for link in links(page) if missing(page, link)] == []


def test_links_of_examples_lead_somewhere():
    for example in EXAMPLES.glob("*/plot_*.py"):
        text = example.read_text("utf-8")
        for topic, name in re.findall(
            r":ref:`(?:[^`<]*<)?sphx_glr_gallery_([a-z_]+)_(plot_\w+)\.py>?`", text
        ):
            assert (EXAMPLES / topic / f"{name}.py").exists(), example
        for page in re.findall(r":doc:`(?:[^`<]*<)?/([\w/]+)>?`", text):
            assert (DOCS / f"{page}.md").exists(), example


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for page in pages():
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            entries = re.findall(r"^[\w/]+$", block, re.M)
            listed |= {(page.parent / f"{entry}.md").resolve() for entry in entries}
    written = {page for page in pages() if page.is_relative_to(DOCS)}
    assert written - listed == {DOCS / "index.md"}


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "api.md").read_text("utf-8")
    addresses = re.findall(r"^   ~(fisherset[\w.]*)$", text, re.M)
    assert len(addresses) == len(set(addresses))
    documented = {}
    for address in addresses:
        module, _, name = address.rpartition(".")
        documented[address] = getattr(import_module(module), name)
        assert name in import_module(module).__all__, address
    things = {id(thing) for thing in documented.values()}
    for module in ("fisherset", *(f"fisherset.{name}" for name in MODULES)):
        for name in import_module(module).__all__:
            thing = getattr(import_module(module), name)
            assert name == "__version__" or id(thing) in things, f"{module}.{name}"


def test_modules_looked_at_are_all_there_are():
    assert set(fisherset._MODULES) <= set(MODULES)
