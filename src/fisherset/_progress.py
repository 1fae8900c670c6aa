"""Progress of long work, as records on a logger of its own."""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("fisherset.progress")


def is_enabled() -> bool:
    """Whether a handler wants the records."""
    return LOGGER.isEnabledFor(logging.INFO)


def report_progress(what: str, done: int, total: int | None) -> None:
    """Log how much of a total is done; without a handler it costs next to nothing."""
    if is_enabled():
        LOGGER.info("%s: %d of %s", what, done, total, extra={"what": what, "done": done, "total": total})
