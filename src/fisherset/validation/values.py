"""What the numbers of a table may be: finite, and of sizes that can be computed with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.validation.parameters import shown

NAMED = 5  # columns a message lists at the most


def reject_nonfinite(
    finite: NDArray[np.bool_], names: Any, locate: Callable[[int], str] | None = None
) -> None:
    """Name the columns that hold NaN or infinity, and where the first of them does, if that can be told."""
    if not finite.all():
        bad = np.flatnonzero(~finite)
        listed = bad.tolist() if names is None else [names[j] for j in bad]
        place = "" if locate is None else locate(int(bad[0]))
        raise ValueError(
            f"X must not contain NaN or infinity; {listed_columns(listed)} some{place and ', '}{place}. "
            f"Impute them, for example with sklearn.impute.SimpleImputer, or drop the columns."
        )


def check_magnitude(diagonal: Floats) -> None:
    """Squared lengths of columns that float64 can hold, with room for their products."""
    if diagonal.size and not (diagonal.min() > 1e-150 and diagonal.max() < 1e150):
        worst = max(diagonal.min(), diagonal.max(), key=lambda value: abs(np.log(max(value, 1e-300))))
        raise ValueError(
            f"Without standardize, the sum of squares of a column must lie between 1e-150 and 1e150; "
            f"got {worst:g}. Rescale the table, or use standardize=True."
        )


def check_comparable(squares: Floats, varying: NDArray[np.bool_], names: Any) -> None:
    """Sums of squares that can be added up, relative to the largest: less than float64 holds is lost."""
    lost = np.flatnonzero(varying & (squares < 1e-280))
    if lost.size:
        listed = lost.tolist() if names is None else [names[j] for j in lost]
        raise ValueError(
            f"A ratio of sums needs columns within 140 decades of each other; {listed_columns(listed)} "
            "numbers too small beside the largest. Standardise the columns first, or drop these."
        )


def listed_columns(items: list[Any]) -> str:
    """`column 'a' holds` / `columns 'a', 'b' and 3 more hold`."""
    listed = ", ".join(shown(item) for item in items[:NAMED])
    more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
    return f"column {listed} holds" if len(items) == 1 else f"columns {listed}{more} hold"
