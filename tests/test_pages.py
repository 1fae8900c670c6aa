"""Pages with figures name the command and the code that made them; the header of a run says which are old."""

import re

import pytest

from support import figure_pages as pages


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_a_page_says_what_made_it(page):
    text = page.read_text(encoding="utf-8")
    assert pages.STAMP.search(text)
    (command,) = re.findall(r"^    ((?:python|make) \S+.*)$", text, re.MULTILINE)[:1]
    script = re.search(r"benchmarks/\w+\.py", command)
    assert command.startswith("make bench") or (pages.ROOT / script[0]).exists()


def test_every_page_of_figures_is_known():
    figures = {path.name for path in (pages.ROOT / "docs").glob("*.md")}
    figures -= {"reproduction.md", "dask.md"}  # the first has tests of its own, the second no figures
    assert figures == {page.name for page in pages.PAGES}


def test_only_what_computes_counts(monkeypatch, tmp_path):
    """A comment or a docstring makes no page old; a number does."""
    (tmp_path / "src" / "fisherset" / "solver").mkdir(parents=True)
    module = tmp_path / "src" / "fisherset" / "solver" / "joint.py"
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    versions = []
    for code in ('"""Doc."""\nX = 1\n', "X = 1  # why\n", "X = 2\n"):
        module.write_text(code)
        versions.append(pages.code_version())
    assert versions[0] == versions[1] != versions[2]
