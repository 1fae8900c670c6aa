"""The what-if panel of a page about a request, and the commands that it offers to copy."""

from __future__ import annotations

from typing import Any

from fisherset import criterion_terms, report
from fisherset.cli.options import as_arguments
from fisherset.cli.request import Request
from fisherset.report.comparisons import Sizes


def what_if(request: Request, selector: Any, sizes: Sizes | None = None) -> report.WhatIf:
    """Return the panel for the set of a fitted selector, from the statistics that were measured."""
    terms = criterion_terms(
        request.measured,
        None,
        selector.support_,
        gamma=selector.gamma_,
        task=request.task,
        keep=request.kept,
        weights=selector.scores_,
        **request.parameters,
    )
    return report.build_what_if(
        terms,
        request.grouping.labels,
        selector,
        noun=request.grouping.noun,
        required=request.names(request.keep),
        limited=request.words["limited"],
        upper_bounds={row.k: row.upper_bound for row in sizes.rows} if sizes is not None else {},
        commands=_commands(request, float(selector.gamma_)),
    )


def _commands(request: Request, gamma: float) -> report.Commands:
    """Return commands for the same table and criterion; none for a table that is not in a file."""
    source = request.source
    if source is None or source.piped:
        return report.Commands()
    file = str(source.file)
    given = [
        file if not file.startswith("-") else f"./{file}",
        *as_arguments(source),
        *as_arguments(request.restrictions, "keep", "exclude"),
        f"--gamma={gamma!r}",
    ]
    return report.Commands(given, request.names(request.exclude))
