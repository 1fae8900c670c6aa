"""Numbers in sentences."""

from __future__ import annotations

import math


def proven_share(gap: float) -> str:
    """What a selection is known to reach of the best, rounded down to a tenth of a per cent: "93.1 %".

    A ten-millionth, the margin that the rounding of the arithmetic needs, is not held against it.
    """
    return f"{math.floor(1000 * (1.0 - gap) + 1e-4) / 10:.1f} %"


def certificate_sentence(k: int, gap: float, upper_bound: float, whose: str = "These") -> str:
    """The certificate of a set of k features in a sentence."""
    if upper_bound == 0:
        return "No column of this table tells the classes apart."
    own = whose if k > 1 else whose.replace("These", "This")
    these = f"{own} {k} features reach" if k > 1 else f"{own} 1 feature reaches"
    columns = "columns" if k > 1 else "column"
    best = f"the best Fisher score any {k} {columns} of this table could reach"
    return f"{these} at least {proven_share(gap)} of {best}."
