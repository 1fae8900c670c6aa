"""Remarks on an answer in the words of the terminal: how the search ended, and what puts it in doubt."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from fisherset._format import printable
from fisherset.report import Remark, noise_remarks

# How a search ended, by the name of its status, and the option that changes it.
ENDED = {
    "MAX_ITER": "Stopped after many iterations; a better set may exist. Raise --gamma.",
    "PRECISION": "The proof is looser than it could be (rounding). Raise --gamma.",
    "INEXACT": "F is uncertain (rounding): its true value is at least the one stated. Raise --gamma, or "
    "--exclude near-duplicate columns.",
    "UNKNOWN": "Some columns look constant once others are adjusted for, which loosens the proof. "
    "Use --exclude.",
    "TIME_LIMIT": "Stopped at --time-limit; a better set may exist.",
    "MAX_NODES": "Stopped at --max-nodes; a better set may exist.",
    "INTERRUPTED": "Interrupted; a better set may exist.",
    "MEMORY": "Exact search ran out of memory; a better set may exist. Raise --max-memory, or --exclude "
    "columns.",
    "MAX_SETS": "Stopped at --max-sets; there are more sets. Raise it, or lower --within.",
}


def status_remarks(status: Any) -> list[Remark]:
    """Warn where a search ended before its goal."""
    return [Remark(ENDED[status.name])] if status.name in ENDED else []


def remarks_on(selector: Any) -> list[Remark]:
    """Say how the search of a fitted selector ended, unless as it should, and compare its set with noise."""
    return [*status_remarks(selector.status_), *noise_remarks(getattr(selector, "noise_", None))]


def remark_texts(*some: Sequence[Remark]) -> list[str]:
    """Return the sentences of remarks, for JSON and files."""
    return [remark.text for remarks in some for remark in remarks]


def warn_beside(*some: Iterable[Remark], quiet: bool) -> None:
    """Print warnings on the standard error stream, beside an answer that another program reads."""
    for remark in (remark for remarks in some for remark in remarks if remark.warns and not quiet):
        print(f"fisherset: warning: {printable(remark.text)}", file=sys.stderr)
