"""Where a picture is drawn: on the caller's axes, or a figure of its own that no window shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").subplots()


def columns_of(
    X: Any, features: Sequence[int] | Indices, names: Sequence[str] | None
) -> tuple[Floats, list[str]]:
    """The values of some columns, and their names."""
    columns = list(features)
    some = X[:, columns]
    values = np.asarray(some.toarray() if sparse.issparse(some) else some, dtype=np.float64)
    return values, [f"x{j}" if names is None else str(names[j]) for j in columns]


def shortened(name: str, most: int = 24) -> str:
    """A name short enough for a label; matplotlib's signs for formulas are taken literally."""
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    printable = "".join(sign if sign.isprintable() else "?" for sign in short)
    return printable.replace("$", r"\$")
