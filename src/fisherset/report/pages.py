"""Pages: one self-contained HTML file each, which opens offline and loads nothing."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, NamedTuple

from fisherset.plots.style import as_svg, darkened, styled

LONGEST = 200  # signs of a name


class Figure(NamedTuple):
    """A picture, for light and dark pages, and what it shows."""

    title: str
    text: str
    light: str  # data: addresses
    dark: str
    note: str = ""
    short: str = ""  # its title in a list


def render(package: str, template: str, **content: Any) -> str:
    """The page as HTML, from a template; whatever comes from data or the command line is escaped.

    Parameters
    ----------
    package : str
        The package that has the template.
    template : str
        Its name; it may extend "base.html.j2".
    **content
        What it speaks of.

    Returns
    -------
    html : str
        The page.
    """
    # here, not above: a command that writes no page needs no jinja2
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name, ".") for name in (package, "fisherset.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**content)


def figure_of(title: str, draw: Callable[[], Any], note: str = "", short: str = "") -> Figure:
    """Draw a display for light and dark pages; `draw` returns one that has been plotted."""
    with styled(page=True):
        display = draw()
        svg = as_svg(display.figure_)
    return Figure(title, display.text_, embedded(svg), embedded(darkened(svg)), note, short or title)


def short(name: str) -> str:
    """A name that a page can show: of a long one its beginning and its end."""
    half = (LONGEST - 1) // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[-half:]}"


def embedded(svg: str) -> str:
    """An SVG as the address of an image: an image cannot run scripts, whatever it holds.

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
