"""A page with figures between marks: tables in Markdown, put where they belong, and which code made them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fisherset._files import write_whole
from support.figure_pages import STAMP, code_version


def table(lines):
    """A Markdown table of dictionaries with the same keys, all but the first column to the right."""
    rule = ["---"] + ["---:"] * (len(lines[0]) - 1)
    rows = [list(lines[0]), rule, *(line.values() for line in lines)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows) + "\n"


def show(texts):
    """Print the parts of a page."""
    for name, text in texts.items():
        print(f"\n## {name}\n\n{text}\n", flush=True)


def write(page, texts, note="", code=None):
    """Put the figures between their marks, below a note, and which code made them into the head."""
    stamp = f"Made by code {code or code_version()}"
    text = STAMP.sub(stamp, page.read_text(encoding="utf-8"), count=1)
    for name, part in texts.items():
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        head, rest = text.split(begin)
        text = f"{head}{begin}\n\n{note}{part.strip()}\n\n{end}{rest.split(end)[1]}"
    write_whole(page, text)
