"""Numbers in sentences."""

from __future__ import annotations

import math


def proven_share(gap: float) -> str:
    """What a selection is known to reach of the best, rounded down to a tenth of a per cent: "93.1 %"."""
    return f"{math.floor(1000 * (1.0 - gap) + 1e-9) / 10:.1f} %"
