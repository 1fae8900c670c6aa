"""Values of options: typer hands out strings, which are converted here and refused in our own words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from typer.core import TyperCommand, TyperGroup

from fisherset._format import enumerated, meant

NUMBERS = {int: "a whole number", float: "a number"}
METAVARS = {Path: "FILE", int: "NUMBER", float: "NUMBER", str: "TEXT"}  # as short as the values are plain


def split_kind(kind: Any) -> tuple[Any, bool]:
    """Return the type of a single value, and whether there may be several; None besides is left out."""
    if get_origin(kind) in (UnionType, Union):
        (kind,) = (one for one in get_args(kind) if one is not type(None))
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)


def plain_kind(kind: Any) -> Any:
    """Return the type that typer is told: strings, and flags."""
    single, several = split_kind(kind)
    plain = bool if single is bool else str
    return list[str] if several else plain


def described(info: Any, kind: Any) -> Any:
    """Return what typer knows of an option, with the values it takes for help and completion."""
    single, _ = split_kind(kind)
    choices = get_args(single) if get_origin(single) is Literal else ()
    if info.metavar is None and single is not bool:
        info.metavar = "CHOICE" if choices else METAVARS[single]
    if choices and info.autocompletion is None:
        info.autocompletion = _completion(choices)
    return info


def _completion(choices: tuple[str, ...]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete


def converted(value: Any, kind: Any, flag: str, least: int | None = None) -> Any:
    """Return the value of an option in its own type; numbers must not be below the `least`."""
    single, several = split_kind(kind)
    if several and value is not None:
        return [_converted(one, single, flag, least) for one in value]
    return _converted(value, single, flag, least)


def _converted(value: Any, kind: Any, flag: str, least: int | None) -> Any:
    if not isinstance(value, str) or kind in (str, bool):
        return value
    if kind is Path:
        return Path(value)
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        if value not in choices:
            raise ValueError(
                f"{flag} takes {enumerated(choices, 'or')}; got {value!r}.{meant(value, choices)}"
            )
        return value
    try:
        number = kind(value)
    except ValueError:
        raise ValueError(f"{flag} takes {NUMBERS[kind]}; got {value!r}.") from None
    if least is not None and number < least:
        raise ValueError(f"{flag} must be at least {least}; got {value}.")
    return number


def _no_type(ctx: Any) -> None:
    """Return the type that the help shows of an argument: none."""


class _Unchanged:
    """Coercion, as typer calls it, of values that are strings already."""

    @staticmethod
    def coerce(value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as it is."""
        return () if value is None and (param.multiple or param.nargs == -1) else value


class _Strings:
    """Part of a command, or a group of them, for which typer loads no validation library: 0.1 s.

    Values are strings to typer. Versions of typer that validate otherwise do not have the method.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, which take values as they are; the help says no types, which waste width."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if hasattr(parameter, "get_runtime_param"):
                parameter.get_runtime_param = _Unchanged
            if getattr(parameter, "is_flag", False) and parameter.metavar is None:
                parameter.metavar = ""
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = _no_type
        return parameters


class Command(_Strings, TyperCommand):
    """A command whose values are converted by :func:`converted`."""


class Group(_Strings, TyperGroup):
    """A group of such commands."""
