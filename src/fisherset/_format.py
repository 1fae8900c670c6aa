"""Numbers and names in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

NEGLIGIBLE = 1e-13  # F up to which there is nothing but rounding


def proven_share(gap: float) -> str:
    """Share of the best that a selection is known to reach, rounded down to a tenth of a per cent: "93.1 %".

    A ten-millionth, the margin that the rounding of the arithmetic needs, is not held against it.
    """
    return f"{math.floor(1000 * (1.0 - gap) + 1e-4) / 10:.1f} %"


def kept_share(value: float, whole: float) -> str:
    """Share of F that is left, in per cent without the sign: "99.64"; empty where there is none."""
    return f"{100 * value / whole:.2f}" if whole > 0 and math.isfinite(value) else ""


def most_share(bound: float, whole: float) -> str:
    """The most that can be left of F, in per cent, rounded up: "97.31", or "99.9996" where that tells more.

    Nothing where the bound is not below the whole.
    """
    if not (whole > 0 and 0 <= bound < whole):
        return ""
    for digits in (2, 4):
        share = math.ceil(100 * bound / whole * 10**digits) / 10**digits
        if share < 100:
            return f"{share:.{digits}f}"
    return ""


def certificate_figures(objective: float, upper_bound: float, gamma: float, best: float | None = None) -> str:
    """The numbers behind a certificate; the best F takes the place of its bound where it is known."""
    most = f"upper bound {upper_bound:.6g}" if best is None else f"the best {best:.6g}"
    return f"F = {objective:.6g}, {most}, gamma = {gamma:g}"


def certificate_sentence(
    k: int,
    gap: float,
    upper_bound: float,
    *,
    whose: str = "These",
    figures: str = "",
    noun: str = "features",
    task: str = "classification",
    limited: bool = False,
    adjusted: bool = False,
    optimal: bool = False,
    exact: bool = False,
) -> str:
    """The certificate of a set of k features in a sentence, with figures in brackets where they are given.

    The noun says what k counts: features, columns or groups; `limited` that some had to be chosen or must
    not be, and `adjusted` that something was taken out: the certificate is then about what that leaves.
    `optimal` says that no set is better, and `exact` that the best one is known, whatever this one is.
    """
    what, nothing = CRITERIA[task]
    allowed = "that may be chosen" if limited else "of this table"
    beyond = " beyond what is adjusted for" if adjusted else ""
    if gap == 0 and upper_bound <= NEGLIGIBLE:
        known = " (F = 0 for every subset)" if figures else ""
        return f"No column {allowed} {nothing}{beyond}{known}."
    own = whose if k > 1 else whose.replace("These", "This")
    these, reach = f"{own} {counted(k, noun)}", "reach" if k > 1 else "reaches"
    others = counted(k, "groups of columns" if noun == "groups" else "columns")
    told = f" ({figures})" if figures else ""
    if optimal:
        best = f"{'are' if k > 1 else 'is'} the best {others.removeprefix('1 ')} {allowed}"
        return f"{these} {best}: no other{f' {k}' if k > 1 else ''} {reach} a larger {what}{beyond}{told}."
    best = f"the best {what} any {others} {allowed} {'can' if exact else 'could'} reach{beyond}"
    return f"{these} {reach} {'' if exact else 'at least '}{proven_share(gap)} of {best}{told}."


def proven_sentence(
    every: int, none: int, undecided: int, *, noun: str = "features", limited: bool = False
) -> str:
    """How many of the features there is a choice about are in every set as good as this one, and in none.

    `limited` says that about others there is none.
    """
    n = every + none + undecided
    if not n:
        return ""
    if n == undecided:
        return f"No {noun.removesuffix('s')} is proven to be in every set as good as this one, or in none."
    said = [f"{_are(none)} in no set as good as this one"] if none else []
    if every:
        said.append(f"{_are(every)} in every {'one' if none else 'set as good as this one'}")
    rest = f"{_are(undecided)} open" if undecided else "none is open"
    left = " left to choose from" if limited else ""
    return f"Proven of the {counted(n, noun)}{left}: {', '.join(said)}; {rest}."


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


# What F is, and what is said where it is nought.
CRITERIA = {
    "classification": ("Fisher criterion", "tells the classes apart"),
    "regression": ("share of variance explained", "explains anything of the target"),
}


def counted(count: int, noun: str) -> str:
    """A number of things: "1 column", "2 columns", "1 group of columns"."""
    first, *rest = noun.split(" ")
    return " ".join([str(count), first if count != 1 else first.removesuffix("s"), *rest])


def shown(names: list[str], most: int = 5) -> str:
    """Some names for a message."""
    listed = ", ".join(repr(name) for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def near(name: str, names: Iterable[str]) -> str:
    """The name that may have been meant, or some that there are, as a sentence after another."""
    known = list(names)
    return meant(name, known) or (f" It has {shown(known)}." if known else "")


def meant(name: str, names: Iterable[str]) -> str:
    """The name that may have been meant, the only one at any rate, as a sentence after another."""
    known = list(names)
    close = known if len(known) == 1 else get_close_matches(name, known, 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def json_value(value: Any) -> Any:
    """Return a value for JSON: None in place of infinity, the score of a feature that separates all."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
