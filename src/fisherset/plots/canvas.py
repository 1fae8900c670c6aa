"""Where a picture is drawn: on the caller's axes, or a figure of its own that no window shows."""

from __future__ import annotations

from typing import Any


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").subplots()


def shortened(name: str, most: int = 24) -> str:
    """A name short enough for a label; matplotlib's signs for formulas are taken literally."""
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    printable = "".join(sign if sign.isprintable() else "?" for sign in short)
    return printable.replace("$", r"\$")
