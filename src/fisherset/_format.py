"""Numbers in sentences."""

from __future__ import annotations

import math


def proven_share(gap: float) -> str:
    """What a selection is known to reach of the best, rounded down to a tenth of a per cent: "93.1 %".

    A ten-millionth, the margin that the rounding of the arithmetic needs, is not held against it.
    """
    return f"{math.floor(1000 * (1.0 - gap) + 1e-4) / 10:.1f} %"


def certificate_figures(objective: float, upper_bound: float, gamma: float) -> str:
    """The numbers behind a certificate."""
    return f"F = {objective:.6g}, upper bound {upper_bound:.6g}, gamma = {gamma:g}"


def certificate_sentence(
    k: int, gap: float, upper_bound: float, *, whose: str = "These", figures: str = ""
) -> str:
    """The certificate of a set of k features in a sentence, with figures in brackets where they are given."""
    if upper_bound == 0:
        known = " (F = 0 for every subset)" if figures else ""
        return f"No column of this table tells the classes apart{known}."
    own = whose if k > 1 else whose.replace("These", "This")
    these = f"{own} {k} features reach" if k > 1 else f"{own} 1 feature reaches"
    best = f"the best Fisher criterion any {k} {'columns' if k > 1 else 'column'} of this table could reach"
    return f"{these} at least {proven_share(gap)} of {best}{f' ({figures})' if figures else ''}."
