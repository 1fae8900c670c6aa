"""Options that belong together, said once: a command takes a bundle of them in place of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_type_hints

from fisherset.cli import options
from fisherset.cli.options import PREFIX, Task


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


@dataclass(frozen=True)
class Restrictions:
    """What must be chosen, must not be, or is chosen together, and what the sets are judged by."""

    task: options.Asked = Task.classification
    keep: options.Keep = None
    exclude: options.Exclude = None
    adjust_for: options.AdjustFor = None
    groups: options.Groups = None
    split_texts: options.SplitTexts = False
    class_weight: options.Weighed = None
    max_memory: options.MaxMemory = None

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which must not be written: that of the groups, if there is one."""
        return [] if self.groups in (None, PREFIX) else [Path(str(self.groups))]
