"""A page from a template. Whatever comes from data or the command line is escaped."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, PrefixLoader, StrictUndefined


def render(package: str, template: str, **content: Any) -> str:
    """The page as HTML; the template of the package may extend "pages/base.html.j2"."""
    environment = Environment(
        loader=PrefixLoader(
            {"pages": PackageLoader("fisherset.pages", "."), "own": PackageLoader(package, ".")}
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(f"own/{template}").render(**content)
