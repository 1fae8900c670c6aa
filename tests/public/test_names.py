"""Public names, parameters, attributes and command-line options, one a line, as `names.txt` lists them.

`python tests/public/test_names.py > tests/public/names.txt` writes the list anew where one is to change.
"""

import inspect
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from numpydoc.docscrape import ClassDoc

import fisherset

LISTED = Path(__file__).with_name("names.txt")
MODULES = ("datasets", "evaluation", "paper", "plots", "report")


def signature_lines(address, thing):
    """The parameters of a callable with their defaults, and the members of a class."""
    yield address
    if not callable(thing):
        return
    for parameter in inspect.signature(thing).parameters.values():
        default = "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
        yield f"{address}({parameter.name}{default})"
    if not inspect.isclass(thing):
        return
    for entry in ClassDoc(thing, config={"show_class_members": False})["Attributes"]:
        yield from (f"{address}.{name.strip()}" for name in entry.name.split(","))
    for name, value in inspect.getmembers(thing, inspect.isroutine):
        if not name.startswith("_") and (getattr(value, "__module__", None) or "").startswith("fisherset"):
            yield from (f"{address}.{name}({parameter})" for parameter in inspect.signature(value).parameters)


def public_lines():
    """Everything in `fisherset.__all__` with its parameters; of the modules beside it the names."""
    for name in fisherset.__all__:
        if name != "__version__":
            yield from signature_lines(f"fisherset.{name}", getattr(fisherset, name))
    for module in MODULES:
        yield from (f"fisherset.{module}.{name}" for name in import_module(f"fisherset.{module}").__all__)


def option_lines():
    """Options and arguments of each command, by all their spellings."""
    from fisherset.cli.app import app

    for name, command in sorted(typer.main.get_command(app).commands.items()):
        for parameter in command.params:
            yield f"fisherset {name} {'/'.join([*parameter.opts, *parameter.secondary_opts])}"


def lines():
    return sorted({*public_lines(), *option_lines()})


@pytest.mark.once
def test_public_names_are_those_listed():
    assert lines() == LISTED.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in lines()))
