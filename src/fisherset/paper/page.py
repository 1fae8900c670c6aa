"""One self-contained page with everything: it opens offline and loads nothing."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from fisherset.paper.figures import Picture
from fisherset.paper.findings import findings_for
from fisherset.paper.protocol import PARTS
from fisherset.paper.results import Results
from fisherset.paper.table import Table


def page(results: Results, tables: Sequence[Table], pictures: Sequence[Picture]) -> str:
    """The page as HTML. Whatever comes from data or the command line is escaped."""
    environment = Environment(
        loader=PackageLoader("fisherset.paper", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = [part for part in PARTS if any(table.key == part for table in tables)]
    repeats = 1 + max((run.repeat for run in results.runs), default=-1)
    return environment.get_template("page.html.j2").render(
        results=results,
        repeats=repeats,
        findings=findings_for(results, shown),
        tables=tables,
        pictures={picture.key: picture for picture in pictures},
        # an image cannot run scripts, whatever the SVG holds
        embedded=lambda picture: base64.b64encode(picture.svg.encode()).decode(),
    )
