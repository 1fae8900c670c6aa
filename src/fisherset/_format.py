"""Sentences: numbers and names in them, and those that certificates consist of."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

NEGLIGIBLE = 1e-13  # F up to which it is rounding error: that of sums whose shares are 1


def proven_share(gap: float) -> str:
    """Return the share of the best F that a set reaches at least, rounded down: "93.1 %".

    A gap of a ten-millionth, the margin for rounding errors, still is 100 %.
    """
    return f"{math.floor(1000 * (1.0 - gap) + 1e-4) / 10:.1f} %"


def kept_share(value: float, whole: float) -> str:
    """Return what is left of F, in per cent without the sign: "99.64"; empty where it is unknown."""
    return f"{100 * value / whole:.2f}" if whole > 0 and math.isfinite(value) else ""


def most_share(bound: float, whole: float) -> str:
    """Return an upper bound on what is left of F, in per cent, rounded up: "97.31", or "99.9996".

    Empty where the bound is not below the whole.
    """
    if not (whole > 0 and 0 <= bound < whole):
        return ""
    for digits in (2, 4):
        share = math.ceil(100 * bound / whole * 10**digits) / 10**digits
        if share < 100:
            return f"{share:.{digits}f}"
    return ""


def certificate_figures(objective: float, upper_bound: float, gamma: float, best: float | None = None) -> str:
    """Return the numbers of a certificate; the best F replaces its bound where it is known."""
    most = f"upper bound {upper_bound:.6g}" if best is None else f"best {best:.6g}"
    return f"F = {objective:.6g}, {most}, gamma = {gamma:g}"


def certificate_sentence(
    k: int,
    gap: float,
    upper_bound: float,
    *,
    figures: str = "",
    noun: str = "features",
    task: str = "classification",
    limited: bool = False,
    adjusted: bool = False,
    optimal: bool = False,
    exact: bool = False,
) -> str:
    """Return the certificate of a set of k features as a sentence, with figures in brackets if given.

    k counts the noun: features, columns or groups; `limited` where some were required or excluded, and
    `adjusted` where all were adjusted for some: the certificate is then about what these leave. `optimal`
    where no set is better, and `exact` where the best one is known, whether this one is it or not.
    """
    told, columns = f" ({figures})" if figures else "", sets_of(k, noun)
    if gap == 0 and upper_bound <= NEGLIGIBLE:
        allowed, beyond = " allowed" if limited else "", " after adjustment" if adjusted else ""
        known = " (F = 0 for every set)" if figures else ""
        return f"No{allowed} column {CRITERIA[task][1]}{beyond}{known}."
    among = qualified(limited, adjusted)
    if optimal:
        score = "scores" if k == 1 else "score"
        return f"Proven optimal{among}: no other {columns} {score} higher{told}."
    share = proven_share(gap)
    if exact and gap > 1e-7:
        return f"Not optimal{among}: {share} of what the best {columns} {_reach(k)}{told}."
    return f"{_nearness(share)}{among}: at least {share} of what any {columns} can reach{told}."


def qualified(limited: bool, adjusted: bool) -> str:
    """Return which sets a certificate is about, unless all: " among the allowed sets"."""
    return (" among the allowed sets" if limited else "") + (" after adjustment" if adjusted else "")


def sets_of(k: int, noun: str) -> str:
    """Return what a set of k consists of, for "any ..." and "no other ...": "5 columns", "column"."""
    return counted(k, "groups" if noun == "groups" else "columns").removeprefix("1 ")


def _reach(k: int) -> str:
    return "reaches" if k == 1 else "reach"


def _nearness(share: str) -> str:
    """Return how near the best a set is that reaches a share of it at least."""
    reached = float(share.removesuffix(" %"))
    if reached < 50:
        return "Not proven near the best"
    return f"Within {100 - reached:.1f} % of the best" if reached < 100 else "Optimal up to rounding"


def proven_sentence(
    every: int, none: int, undecided: int, *, noun: str = "features", limited: bool = False
) -> str:
    """Count the candidates that are proven to be in every set as good as this one, or in none.

    `limited` where others were required or excluded.
    """
    n = every + none + undecided
    if not n:
        return ""
    if n == undecided:
        other = "other " if limited else ""
        return f"No {other}{noun.removesuffix('s')} is proven essential or ruled out: {n} undecided."
    first = f"of the other {counted(n, noun)}, {every}" if limited else counted(every, noun)
    rest = f"{none} {_are(none)} ruled out, {undecided} undecided"
    return f"Proof: {first} {_are(every)} essential, {rest}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def leakage_sentence(columns: str, count: int, fix: str) -> str:
    """Warn of columns that determine the target, with what leaves them out."""
    one = count == 1
    return (
        f"{'Column' if one else 'Columns'} {columns} {'determines' if one else 'determine'} the target "
        f"(leakage). If {'it is' if one else 'they are'} not known before the target, leave "
        f"{'it' if one else 'them'} out: {fix}."
    )


def row_number_sentence(columns: str, count: int, fix: str) -> str:
    """Warn of columns that only number the rows, with what leaves them out."""
    one = count == 1
    return (
        f"{'Column' if one else 'Columns'} {columns} only {'numbers' if one else 'number'} the rows. Leave "
        f"{'it' if one else 'them'} out: {fix}."
    )


# Names of F, and what a column does not do where F is zero.
CRITERIA = {
    "classification": ("Fisher criterion", "tells the classes apart"),
    "regression": ("share of variance explained", "explains anything of the target"),
}


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: "1 column", "2 columns", "1 group of columns"."""
    first, *rest = noun.split(" ")
    return " ".join([str(count), first if count != 1 else first.removesuffix("s"), *rest])


def enumerated(items: Iterable[Any], word: str = "and") -> str:
    """Join all items: "5, 10 and 20"."""
    *first, last = map(str, items)
    return f"{', '.join(first)} {word} {last}" if first else last


def printable(text: str) -> str:
    """Replace the control characters of a text from a file, which a terminal would obey."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def listed(names: Sequence[str], most: int) -> str:
    """Join names by commas, the first of them: "a, b and 3 more"."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def shown(names: Sequence[str], most: int = 5) -> str:
    """Join names for a message, in quotes."""
    return listed([repr(name) for name in names], most)


def repeated_option(option: str, names: Iterable[str]) -> str:
    """Return an option for each of some names, as it can be pasted into a shell: "--drop 'a b' --drop c"."""
    parts = ([f"{option}={name}"] if name.startswith("-") else [option, name] for name in names)
    return " ".join(shlex.join(part) for part in parts)


def near(name: str, names: Iterable[str]) -> str:
    """Return a sentence with the name that may have been meant, or with some that there are."""
    known = list(names)
    return meant(name, known) or (f" It has {shown(known)}." if known else "")


def meant(name: str, names: Iterable[str]) -> str:
    """Return a sentence with the name that may have been meant; the only one in any case."""
    known = list(names)
    folded = {other.casefold(): other for other in reversed(known)}  # of two that differ in case the first
    close = [folded[other] for other in get_close_matches(name.casefold(), folded, 1)]
    close = known if len(known) == 1 else close
    return f" Did you mean {close[0]!r}?" if close else ""


def json_value(value: Any) -> Any:
    """Return a value for JSON: None in place of infinity, the score of a feature that separates all."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def separation(
    found: Sequence[tuple[str, int]], *, two: bool, words: tuple[str, str] | None = ("higher", "lower")
) -> str:
    """Say which classes a feature separates from the rest: "ALL higher, AML jointly"; of two "higher in ALL".

    Of each class 1, -1, or 0 where the feature by itself does not tell; without `words` no direction is said.
    """
    if two:
        if words is None or not found:
            return ""
        higher = [name for name, sign in found if sign > 0]
        return f"{words[0]} in {higher[0]}" if higher else "jointly"
    if words is None:
        return ", ".join(name for name, _ in found)
    if not any(sign for _, sign in found):
        return f"{', '.join(name for name, _ in found)} jointly" if found else ""
    ending = {1: words[0], -1: words[1], 0: "jointly"}
    return ", ".join(f"{name} {ending[sign]}" for name, sign in found)
