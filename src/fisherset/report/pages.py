"""Pages: self-contained HTML files, which open offline and load nothing, and the files they offer."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fisherset import __version__
from fisherset._extras import need
from fisherset._files import rows_as_text, safe_cell
from fisherset._format import json_value
from fisherset.plots.style import Display, as_svg, darkened, new_figure, styled


class Figure(NamedTuple):
    """A picture, for light and dark pages, and its description."""

    title: str
    text: str  # the picture in words
    light: str  # data: addresses
    dark: str
    note: str = ""
    short: str = ""  # its title in a list


def render(package: str, template: str, **content: Any) -> str:
    """Return a page as HTML, from a template; all that comes from data or the command line is escaped.

    Parameters
    ----------
    package : str
        The package that has the template.
    template : str
        Its name; it may extend "base.html.j2".
    **content
        Its variables.

    Returns
    -------
    html : str
        The page.
    """
    need("jinja2", "A page")  # here, as a command that writes no page does not
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader(name, ".") for name in (package, "fisherset.report")])
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(template).render(**content)


def figure_of(title: str, display: Display, note: str = "", short: str = "") -> Figure:
    """Draw a display for light and dark pages."""
    need("jinja2", "A page")  # with what it installs, figures can be drawn
    with styled(page=True):
        display.plot(ax=new_figure(*display.size).subplots())
        svg = as_svg(display.figure_)
    return Figure(title, display.text_, embedded(svg), embedded(darkened(svg)), note, short or title)


def short(name: str, most: int = 200) -> str:
    """Return a name that a page can show: of a long one its beginning and its end."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


def embedded(svg: str) -> str:
    """Return an SVG as the address of an image, which cannot run scripts.

    Parameters
    ----------
    svg : str
        The picture.

    Returns
    -------
    address : str
        It begins with "data:".
    """
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


class Downloads(NamedTuple):
    """Contents of the files that a page offers.

    Attributes
    ----------
    names : str
        A name a line, best first, for `certify --features`. Line breaks in names are blanks.
    csv : str
        The table of the page, unrounded, without losses of classes; no cell is a formula to a spreadsheet.
    json : str
        The same with the certificate, for programs.
    """

    names: str
    csv: str
    json: str


def build_downloads(
    rows: Sequence[Mapping[str, Any]],
    members: Mapping[str, Sequence[str]],
    certificate: Mapping[str, Any],
) -> Downloads:
    """Put the selected features into files.

    Parameters
    ----------
    rows : sequence of mapping
        A record of each feature or group, with its "name"; best first.
    members : mapping of str to sequence of str
        The features of groups that have more than one.
    certificate : mapping
        The numbers of the certificate.

    Returns
    -------
    downloads : Downloads
        The contents.
    """
    plain = [{key: json_value(value) for key, value in row.items()} for row in rows]
    content = {
        "format": "fisherset features",
        "fisherset": __version__,
        **{key: json_value(value) for key, value in certificate.items()},
        "features": plain,
        **({"groups": {name: list(some) for name, some in members.items()}} if members else {}),
    }
    cells = [{key: own for key, own in row.items() if not isinstance(own, Mapping)} for row in plain]
    names = "".join(f"{' '.join(str(row['name']).splitlines())}\n" for row in rows)
    return Downloads(
        names,
        rows_as_text(cells, ",", "\r\n", safe_cell),  # opened in a spreadsheet; the other two are exact
        json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False),
    )
