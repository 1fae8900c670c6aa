"""One style for all figures, with colours that the colour-blind can tell apart, and the base of displays."""

from __future__ import annotations

import io
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

# Okabe and Ito (2008): distinct under every common form of colour blindness. Markers and
# dashes repeat the difference for print in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", "--", "-.", "-")

STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10.0,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100.0,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "svg.fonttype": "path",  # the same on a machine without our font
    "svg.hashsalt": "fisherset",  # the same file for the same figure
}


# Colours of a figure in the light style of a page, and their counterparts in the dark one. The ink is not
# quite black: matplotlib writes no colour into the SVG for what is black.
PAPER, PENCIL = "#ffffff", "#1a1a1a"
DARK = {PENCIL: "#d8d8d8", PAPER: "#16181b", "#b0b0b0": "#707070", "#0072b2": "#2f95d6"}
PAGE_STYLE: Any = {
    **STYLE,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), PENCIL
    ),
}


@contextmanager
def styled(*, page: bool = False) -> Iterator[None]:
    """The style for the figures made inside; on a page one that :func:`darkened` can make dark."""
    import matplotlib

    with matplotlib.rc_context(PAGE_STYLE if page else STYLE):
        yield


def new_figure(width: float, height: float) -> Any:
    """A figure of that many inches, without a window."""
    from matplotlib.figure import Figure  # slow to import

    return Figure(figsize=(width, height), layout="constrained")


def ink() -> str:
    """The colour of text in the current style."""
    import matplotlib

    return str(matplotlib.rcParams["text.color"])


def colour_of(place: int) -> str:
    """Colours in turn; the last, black, is the ink of the current style."""
    colour = COLOURS[place % len(COLOURS)]
    return ink() if colour == COLOURS[-1] else colour


def line_style(place: int) -> dict[str, Any]:
    """Colour, marker and dashes of the curve with this place among several."""
    return {
        "color": colour_of(place),
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": DASHES[place % len(DASHES)],
    }


def as_svg(figure: Any) -> str:
    """A figure as SVG text, without the date and the machine it was made on."""
    buffer = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # of names in scripts the font lacks
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def darkened(svg: str) -> str:
    """The SVG of a figure in the style of a page with dark colours: faster than drawing it again."""
    return re.sub("|".join(DARK), lambda found: DARK[found[0]], svg)


class Display(ABC):
    """Figure of given numbers.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    """

    size = (7.0, 4.2)  # inches, of a figure of its own

    def plot(self, *, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : Self
            The plot.
        """
        if ax is None:
            ax = new_figure(*self.size).subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes."""
