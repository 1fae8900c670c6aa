"""Every snippet of the documentation runs, and prints what its page shows."""

import re

import pytest

from support.pages import DOCS, run_page, run_pages, write_tables

pytestmark = pytest.mark.once
UNTESTED = {"dask.md"}  # its Python is for a table that only its reader has


@pytest.mark.parametrize("page", run_pages(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_runs_from_top_to_bottom(page, tmp_path):
    """In a folder of its own. `PYTHONPATH=tests python -m support.pages` writes what commands print now."""
    write_tables(tmp_path)
    wrong, _ = run_page(page, tmp_path)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", ["python", "console"])
def test_no_snippet_is_left_out(language):
    """Python is a doctest and commands start with a prompt: else they would not be run."""
    prompt = {"python": ">>> ", "console": "$ "}[language]
    for page in DOCS.rglob("*.md"):
        blocks = re.findall(rf"^ *```{language}\n *(.*)", page.read_text("utf-8"), re.M)
        if page.name not in UNTESTED:
            assert all(first.startswith(prompt) for first in blocks), page
