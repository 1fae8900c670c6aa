"""Texts in columns that hold numbers otherwise: what they are, where, and what can be done about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fisherset._format import shown
from fisherset.tables.columns.types import DROP, RefusedColumnError, is_number
from fisherset.tables.text.recognition import COMMA, GROUPED, MANY_NUMBERS, MOSTLY

TEXTS_PER_NUMBER = 0.2  # at most, of different ones, in a column that is of numbers nevertheless
ODD = "odd"  # reasons of which the sentence says more than the names of columns
COMMAS = "commas"


class Finding(NamedTuple):
    """Where a value is, as parts of a sentence: " of t.csv" and " in line 17", and whether that is a text."""

    table: str = ""
    place: str = ""
    in_text: bool = False


Where = Callable[[str, str], Finding]  # of a column and a value in it


def nowhere(column: str, value: str) -> Finding:
    """Where a value is, when nobody knows."""
    return Finding()


def check_mixture(texts: Counter[str]) -> None:
    """Refuse a column of texts most of which are numbers, with a point or, if there are many, a comma."""
    plain = {text for text in texts if is_number(text)}
    commas = {text for text in texts if COMMA.fullmatch(text.strip()) or GROUPED.fullmatch(text.strip())}
    commas = commas if len(commas) > MANY_NUMBERS else set()
    numbers = plain | commas
    others = Counter({text: times for text, times in texts.items() if text not in numbers})
    share = sum(texts[text] for text in numbers) / texts.total()
    if share == 1.0 and not commas:
        raise RefusedColumnError(f"Columns {{}} hold numbers stored as text. {DROP}")
    if share == 1.0:
        raise RefusedColumnError(COMMAS, min(commas, key=lambda text: (-texts[text], text)))
    if share > MOSTLY or len(numbers) > max(MANY_NUMBERS, len(others) / TEXTS_PER_NUMBER):
        value, times = min(others.items(), key=lambda item: (-item[1], item[0]))
        raise RefusedColumnError(ODD, value, times if len(others) == 1 else 0)


def sentence_of(refused: RefusedColumnError, names: Sequence[str], where: Where, flags: bool = True) -> str:
    """What is wrong with columns that are refused for the same reason, and the same value."""
    if refused.value is None:
        reason = refused.reason if flags else refused.reason.replace("--", "")
        return reason.format(shown(list(names)))
    value, several = repr(refused.value[:40]), len(names) > 1
    table, place, in_text = where(names[0], refused.value)
    if place and (several or refused.times != 1):
        place = f", first{place}"
    columns = f"Columns {shown(list(names))}{table} hold" if several else f"Column {names[0]!r}{table} holds"
    drop = "use --drop" if flags else "leave it out with drop"
    if refused.reason == COMMAS:
        decimal = "--decimal ," if flags else "Layout(decimal=',')"
        said = f", or say {decimal} if decimals come after it" if in_text else ""
        return f"{columns} {value}{place}, a number with a comma in it: convert it{said}, or {drop}."
    others = "" if refused.times else " and other texts"
    missing = f"--na {value}" if flags else f"Layout(missing=({value},))"
    remedy = f"name what stands for a missing value with {missing}" if in_text else "convert it"
    numbers = "numbers" if several else "a number"
    return f"{columns} {value}{others}{place}, {numbers} everywhere else: {remedy}, or {drop}."
