"""How far something long has come: a record on a logger of its own, for whoever listens."""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("fisherset.progress")


def is_enabled() -> bool:
    """Whether anybody listens."""
    return LOGGER.isEnabledFor(logging.INFO)


def report_progress(what: str, done: int, total: int | None) -> None:
    """Say how much of how many is done; where nobody listens it costs next to nothing."""
    if is_enabled():
        LOGGER.info("%s: %d of %s", what, done, total, extra={"what": what, "done": done, "total": total})
