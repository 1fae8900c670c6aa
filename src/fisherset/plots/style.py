"""One style for all figures: colours that the colour-blind can tell apart, short labels, base of displays."""

from __future__ import annotations

import io
import re
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from fisherset._extras import need
from fisherset.validation.table import check_same_columns

# Okabe and Ito (2008): distinct under every common form of colour blindness. Markers and
# dashes repeat the difference for print in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", "--", "-.", "-")

LABEL, CUT = 24, "…"  # characters of a label, and the mark of those left out

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
    matplotlib = need("matplotlib", "A figure")
    with matplotlib.rc_context(PAGE_STYLE if page else STYLE):
        yield


def shown_figure(width: float, height: float) -> Any:
    """A figure of that many inches of pyplot's, which notebooks and `plt.show()` show."""
    need("matplotlib", "A figure")
    from matplotlib import pyplot  # slow to import

    return pyplot.figure(figsize=(width, height), layout="constrained")


def new_figure(width: float, height: float) -> Any:
    """A figure of that many inches, without a window."""
    need("matplotlib", "A figure")
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


def shortened(name: str, most: int = LABEL) -> str:
    """A name short enough for a label: its beginning and its end, where names mostly differ."""
    printable = "".join(character if character.isprintable() else "?" for character in name)
    if len(printable) <= most:
        return printable
    head = (most - 1) // 2
    return f"{printable[:head]}{CUT}{printable[len(printable) - (most - 1 - head) :]}"


def distinct(names: Sequence[str], most: int = LABEL) -> list[str]:
    """Labels of names: different ones for different names.

    Labels that would be the same show the part from which the names differ, or else are numbered.
    """
    different = list(dict.fromkeys(names))
    labels = {name: shortened(name, most) for name in different}
    for alike in _alike(labels):
        start = _shared(min(alike), max(alike))  # all names between these two share it, too
        labels |= {name: _from(name, start, most) for name in alike}
    taken = set(labels.values())
    for alike in _alike(labels):
        number = 0
        for name in alike:
            label = labels[name]
            while label in taken:
                number += 1
                label = _numbered(labels[name], number, most)
            labels[name] = label
            taken.add(label)
    return [labels[name] for name in names]


def drawn(names: Sequence[str], most: int = LABEL) -> list[str]:
    """Labels for matplotlib, with its mark of formulas escaped."""
    return [label.replace("$", r"\$") for label in distinct(names, most)]


def _alike(labels: dict[str, str]) -> list[list[str]]:
    """Names that share a label."""
    counts = Counter(labels.values())
    return [
        [name for name, own in labels.items() if own == label] for label, count in counts.items() if count > 1
    ]


def _shared(first: str, second: str) -> int:
    """Length of the common beginning of two names."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


def _from(name: str, start: int, most: int) -> str:
    """A little of the beginning, and the part from which names differ."""
    head = most // 3
    if start <= head + 1:
        return shortened(name, most)
    rest = shortened(name[start:], most - head - 1)
    return f"{shortened(name[:head], head)}{CUT}{rest}"


def _numbered(label: str, number: int, most: int) -> str:
    mark = f" ({number})"
    return label[: max(0, most - len(mark))] + mark


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
            Where to plot; a new figure of pyplot's when None.

        Returns
        -------
        display : Self
            The plot.
        """
        if ax is None:
            ax = shown_figure(*self.size).subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes."""

    @property
    @abstractmethod
    def text_(self) -> str:
        """The picture in words."""

    def __repr__(self) -> str:
        return repr_of(self)


def selected_by(selector: Any, X: Any) -> Any:
    """Mask of the columns of X that a fitted selector selected."""
    check_is_fitted(selector)
    check_same_columns(selector, X)
    return selector.get_support()


def repr_of(display: Any) -> str:
    """The name of a display, and its picture in words."""
    return f"{type(display).__name__}({display.text_})"
