"""The origin of an answer, for its page: the file, the command, and the same request in Python."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fisherset import report
from fisherset.cli.request import Request


def provenance(request: Request, python: str = "", n_drawn: int | None = None) -> report.Provenance:
    """Return how a page was made; its pictures are of `n_drawn` rows, or of all."""
    table, source = request.table, request.source
    filled = {feature.column: None for feature in table.features if feature.fill is not None}
    return report.Provenance(
        command=["fisherset", *sys.argv[1:]],
        python=python,
        made=datetime.now().astimezone(),
        n_rows=None if n_drawn in (None, table.n_rows) else table.n_rows,
        dropped=list(table.dropped),
        imputed=filled,
        how="" if source is None else source.impute or "",
        **report.mark_of(table.path, table.sha256),
    )


def python_lines(request: Request, function: str, k: int, given: Mapping[str, Any]) -> str:
    """Return Python lines of the same request; none where the rows came through a pipe."""
    table, source = request.table, request.source
    if source is None or source.piped or request.confounders:
        return ""
    named = {"keep": request.keep, "exclude": request.exclude, "adjust_for": request.adjust_for}
    return report.python_lines(
        str(table.path),
        table.target,
        k,
        function=function,
        reader="read_table" if table.in_memory else "open_table",
        read={**source.read_options(request.restrictions), "drop": list(table.dropped) or None},
        given={**given, "class_weight": request.class_weight},
        named={name: request.names(groups) for name, groups in named.items()},
        groups=request.restrictions.groups,
        together=request.grouping.of_features is not None,
    )
