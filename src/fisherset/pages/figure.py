"""A picture on a page: for light and dark, with its words."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, NamedTuple

from fisherset.plots.style import as_svg, styled


class Figure(NamedTuple):
    """A picture and what it shows."""

    title: str
    text: str
    light: str  # data: addresses
    dark: str
    note: str = ""


def figure_of(title: str, draw: Callable[[], Any], note: str = "") -> Figure:
    """Draw a display in both styles; `draw` returns one that has been plotted."""
    with styled():
        display = draw()
        light = embedded(as_svg(display.figure_))
    with styled(dark=True):
        dark = embedded(as_svg(draw().figure_))
    return Figure(title, display.text_, light, dark, note)


def embedded(svg: str) -> str:
    """An SVG as the address of an image: an image cannot run scripts, whatever it holds."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
