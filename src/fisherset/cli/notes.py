"""Notes: what a person should know though nothing failed, once each, on the standard error stream."""

from __future__ import annotations

import sys

_seen: set[str] = set()
_told = {"hushed": False, "table": ""}


def begin() -> None:
    """Forget what an earlier command said."""
    _seen.clear()
    _told.update(hushed=False, table="")


def hush(wanted: bool) -> bool:
    """Say nothing from now on, if that is wanted."""
    _told["hushed"] = bool(_told["hushed"] or wanted)
    return wanted


def about(table: str) -> None:
    """The name of the table that notes are about from now on."""
    _told["table"] = table


def show(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as a person reads it: one line, once, with the table it is about."""
    text, table = str(message), str(_told["table"])
    named = text if not table or table in text else f"{table}: {text}"
    line = printable(f"fisherset: note: {named}")
    if line not in _seen and not _told["hushed"]:
        _seen.add(line)
        print(line, file=sys.stderr)


def printable(name: str) -> str:
    """A name from a file as a terminal may show it: no control characters."""
    return "".join(sign if sign.isprintable() else "�" for sign in name)
