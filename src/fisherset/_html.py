"""Results in HTML for notebooks: sentences and a small table, with names escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from fisherset._format import printable

MOST_ROWS = 20  # of a table: a cell of a notebook should not have to be scrolled
# Inherits colours and fonts of the notebook, so that it is readable in a light and in a dark one.
STYLE = (
    "<style>.fisherset{font-size:0.95em}.fisherset p{margin:0.3em 0}"
    ".fisherset table{border-collapse:collapse;margin:0.4em 0}"
    ".fisherset th,.fisherset td{padding:0.15em 0.7em;border:0;text-align:left;background:none;color:inherit;"
    "border-bottom:1px solid rgba(128,128,128,0.35)}"
    ".fisherset .n{text-align:right;font-variant-numeric:tabular-nums}</style>"
)


class Table(NamedTuple):
    """Cells of a table as text, with the keys of its columns, and those that hold numbers."""

    keys: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[str] = frozenset()
    n_more: int = 0


def as_html(before: Sequence[str], table: Table | None = None, after: Sequence[str] = ()) -> str:
    """Return sentences, a table and more sentences as HTML."""
    parts = [*map(_paragraph, before)]
    if table is not None and table.rows:
        parts.append(_table(table))
    parts += map(_paragraph, after)
    return f'{STYLE}<div class="fisherset">{"".join(parts)}</div>'


def figures_html(sentences: Sequence[str], figures: Mapping[str, str]) -> str:
    """Return sentences and named figures, a row each, as HTML."""
    rows = [[name, value] for name, value in figures.items()]
    return as_html(sentences, Table(["", "value"], rows, frozenset({"value"})))


def _paragraph(text: str) -> str:
    return f"<p>{_shown(text)}</p>"


def _table(table: Table) -> str:
    kinds = [' class="n"' if key in table.numbers else "" for key in table.keys]
    head = "".join(
        f'<th scope="col"{kind}>{_shown(key)}</th>' for key, kind in zip(table.keys, kinds, strict=True)
    )
    lines = [
        "".join(f"<td{kind}>{_shown(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        for row in table.rows[:MOST_ROWS]
    ]
    left_out = len(table.rows) - len(lines) + table.n_more
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = _paragraph(f"... and {left_out} more") if left_out else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shown(text: Any) -> str:
    return escape(printable(str(text)))
