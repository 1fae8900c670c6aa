"""Options that belong together, said once: a command takes a bundle of them in place of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def bundled(command: Callable[..., None]) -> Callable[..., None]:
    """A command in which every parameter that is a dataclass has become its fields, for typer to see."""
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in bundles:
            parameters += _parameters(bundles[name])
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    seen = Signature(parameters)

    @wraps(command)
    def called(**given: Any) -> None:
        bound = seen.bind(**given)
        bound.apply_defaults()
        values = bound.arguments
        for name, kind in bundles.items():
            values[name] = kind(**{own.name: values.pop(own.name) for own in fields(kind)})
        command(**values)

    called.__signature__ = seen  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _parameters(bundle: Any) -> list[Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    first = signature(bundle).parameters  # which know the defaults
    return [
        Parameter(
            own.name, Parameter.KEYWORD_ONLY, default=first[own.name].default, annotation=hints[own.name]
        )
        for own in fields(bundle)
    ]
