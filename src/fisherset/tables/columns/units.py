"""Quantities: strings that are numbers with a unit, "60 kg", "$5.50", "12%", or with thousands, "1,234.5"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

CURRENCY = r"(?:(?:US|A|C|NZ|HK)?\$|[€£¥₹₩₽₺₪฿]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)"
UNIT = rf"(?:{CURRENCY}|[%‰°µμΩℓ]|°?[A-Za-zµμΩ][A-Za-z0-9µμΩ°²³%/·^*.-]*)"  # kg, mg/dL, °C, m², km/h
MINUS = "\N{MINUS SIGN}"
QUANTITY = re.compile(
    rf"\s*(?P<sign>[-+{MINUS}]?)\s*(?P<before>{CURRENCY}?)\s*(?P<sign2>[-+{MINUS}]?)"
    rf"(?P<number>\d[\d.,]*|[.,]\d+)(?P<power>[eE][-+]?\d+)?\s*(?P<after>{UNIT}?)\s*"
)


OWED = re.compile(r"\s*\(([^()]*)\)\s*")  # ($5.50) is -5.50 to accountants
FEW = 10  # strings of several units up to which they are codes


# Dates that a file of text does not show as such: 5/13/2020, 13.5.2020 10:30, 13-May-2020, May 13, 2020,
# 20200513T000000
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DATE = re.compile(
    r"\s*(?:\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2}(?<=/..))|\d{4}([-/.])\d{1,2}\2\d{1,2}"
    rf"|\d{{1,2}}[- ]{MONTH}[- ,]+(?:\d{{4}}|\d{{2}})|{MONTH} \d{{1,2}},? \d{{4}}|\d{{8}}(?=T))"
    r"(?:[T ,]+\d{1,2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[-+]\d\d:?\d\d)?)?\s*",
    re.IGNORECASE,
)


def are_dates(strings: Collection[str]) -> bool:
    """Whether all strings are dates."""
    return bool(strings) and all(DATE.fullmatch(text) for text in strings)


class Unit(NamedTuple):
    """How the numbers of a column of strings are written.

    Attributes
    ----------
    before, after : str
        The unit, before or after each number.
    thousands, decimal : str
        The characters between groups of three digits, and before decimals.
    """

    before: str
    after: str
    thousands: str = ""
    decimal: str = "."

    def number(self, text: str) -> float | None:
        """Return the number in a string; None if it is not written in this way."""
        parts = _parts(text)
        if parts is None or parts.unit != (self.before, self.after):
            return None
        return parts.number(self.thousands, self.decimal)

    @property
    def code(self) -> str:
        """The unit as one string, for files: "$#,.#" has thousands, "#.#kg" has none."""
        return f"{self.before}#{self.thousands}{self.decimal}#{self.after}"


class AmbiguousError(ValueError):
    """Strings that are numbers, which can be read in several ways; the reason is a part of a sentence."""


POINTS = (".", ",", ",.", ".,")  # thousands and decimals in a code


def is_unit(code: str) -> bool:
    """Whether a string is the code of a unit."""
    return code.count("#") == 2 and code.split("#")[1] in POINTS


def unit_from(code: str) -> Unit:
    """Return the unit of a code."""
    before, points, after = code.split("#")
    return Unit(before, after, points[:-1], points[-1])


def unit_of(strings: Collection[str], decimal: str = ".") -> Unit | None:
    """Return the one unit of all strings; None where they are no quantities, or plain numbers.

    Strings of several units, or with a comma that may come before thousands or decimals, raise
    :class:`AmbiguousError`.
    """
    found = [_parts(text) for text in strings]
    parts = [one for one in found if one is not None]
    if len(parts) < len(found) or not parts or are_dates(strings):
        return None
    units = list(dict.fromkeys(one.unit for one in parts))
    if len(units) > 1 and (len(parts) <= FEW or 2 * len(units) > len(parts)):  # codes, such as 1A and 2B
        return None
    if len(units) > 1:
        named = ", ".join("".join(unit) or "none" for unit in sorted(units)[:3])
        raise AmbiguousError(f"its numbers have several units ({named})")
    other = "," if decimal == "." else "."
    if all(one.number("", decimal) is not None for one in parts):
        plain = units == [("", "")] and not any(OWED.fullmatch(text) for text in strings)
        return None if plain else Unit(*units[0], "", decimal)
    readings = ((other, decimal), ("", other), (decimal, other))
    fitting = [way for way in readings if all(one.number(*way) is not None for one in parts)]
    if not fitting:
        return None
    if len({tuple(one.number(*way) for one in parts) for way in fitting}) > 1:
        odd = next(text for text in strings if other in text)
        raise AmbiguousError(f"the {other!r} of {odd!r} may come before thousands or decimals")
    return Unit(*units[0], *fitting[0])


class _Parts(NamedTuple):
    """A string as sign, digits, power of ten and unit."""

    sign: str
    digits: str
    power: str
    unit: tuple[str, str]

    def number(self, thousands: str, decimal: str) -> float | None:
        """Return the number, if its digits are written in this way."""
        mark = re.escape(thousands)
        whole = rf"(?:\d{{1,3}}(?:{mark}\d{{3}})+|\d+)" if thousands else r"\d+"
        if not re.fullmatch(rf"{whole}(?:{re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+", self.digits):
            return None
        if thousands and re.match(rf"0\d*{mark}", self.digits):  # 0,123 is no thousand
            return None
        digits = self.digits.replace(thousands, "") if thousands else self.digits
        return float(f"{self.sign}{digits.replace(decimal, '.')}{self.power}")


def _parts(text: str) -> _Parts | None:
    owed = OWED.fullmatch(text)
    match = QUANTITY.fullmatch(owed[1] if owed else text)
    if match is None or (match["sign"] and match["sign2"]) or (owed and (match["sign"] or match["sign2"])):
        return None
    sign = "-" if owed else (match["sign"] or match["sign2"]).replace(MINUS, "-").replace("+", "")
    return _Parts(sign, match["number"], match["power"] or "", (match["before"], match["after"]))


def of_commonest_unit(strings: Collection[str]) -> set[str]:
    """Return the strings that have the unit which most have, if more than a few do."""
    units = {text: parts.unit for text in strings if (parts := _parts(text)) is not None}
    counts = Counter(unit for unit in units.values() if any(unit))
    most, times = counts.most_common(1)[0] if counts else (("", ""), 0)
    return {text for text, unit in units.items() if unit == most} if times > FEW else set()
