"""Pages: one self-contained HTML file each, which opens offline and loads nothing."""

from fisherset.pages.figure import Figure, figure_of
from fisherset.pages.page import render

__all__ = ["Figure", "figure_of", "render"]
