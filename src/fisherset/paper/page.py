"""One self-contained page with everything: it opens offline and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence

from fisherset.pages import render
from fisherset.pages.figure import embedded
from fisherset.paper.figures import Picture
from fisherset.paper.findings import findings_for
from fisherset.paper.protocol import PARTS
from fisherset.paper.results import Results
from fisherset.paper.table import Table


def page(results: Results, tables: Sequence[Table], pictures: Sequence[Picture]) -> str:
    """The page as HTML. Whatever comes from data or the command line is escaped."""
    shown = [part for part in PARTS if any(table.key == part for table in tables)]
    repeats = 1 + max((run.repeat for run in results.runs), default=-1)
    return render(
        "fisherset.paper",
        "page.html.j2",
        results=results,
        repeats=repeats,
        findings=findings_for(results, shown),
        tables=tables,
        pictures={picture.key: picture for picture in pictures},
        embedded=lambda picture: embedded(picture.svg),
    )
