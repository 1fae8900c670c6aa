"""The record of a run: its iterations, its limits, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import NamedTuple

DEFAULT_TOL = 1e-3  # gap of the relaxation if no tol is given: the three digits that a report shows
# The same for a bound that is loose anyway, as a share of what it leaves open: a bound that leaves 20 % open
# need not be computed to better than 0.6 %.
DEFAULT_LOOSE_TOL = 0.03


class Iteration(NamedTuple):
    """One iteration as the trace keeps it and `verbose` shows it."""

    phase: str
    objective: float
    upper_bound: float
    n_active: int  # units with a relaxed weight or selected units; open nodes of an exact search
    n_nodes: int = 0  # nodes explored

    def __repr__(self) -> str:
        nodes = f", {self.n_nodes} nodes" if self.n_nodes else ""
        figures = f"F = {self.objective:.6g}, upper bound {self.upper_bound:.6g}"
        return f"Iteration({self.phase}: {figures}, {self.n_active} active{nodes})"


class Status(StrEnum):
    """How a run ended, and what to do about it. The upper bound holds in every case; its tightness differs.

    A value is one or two sentences without the last full stop, in which limits have the names of
    parameters; `name` is stable, for whoever has other words for them.
    """

    CONVERGED = "converged"
    MAX_ITER = "Stopped at max_iter; a better set may exist. Raise max_iter, or tol"
    PRECISION = "The upper bound is not as tight as tol asks (float64 rounding). Raise gamma, or tol"
    INEXACT = (
        "F has fewer than six correct digits (float64 rounding): its true value is at least the one stated. "
        "Raise gamma, exclude near-duplicate features and features close to a confounder, or fit the rows"
    )
    UNKNOWN = (
        "Some features are indistinguishable from constant ones once confounders or subtracted rows are "
        "removed, so the upper bound is loose for sets with them. Exclude them, or fit the remaining rows"
    )
    TIME_LIMIT = "Stopped at time_limit; a better set may exist. Raise it to search longer"
    MAX_NODES = "Stopped at max_nodes; a better set may exist. Raise it to search longer"
    INTERRUPTED = "Interrupted; a better set may exist. This is the best set found so far"
    MEMORY = "Exact search ran out of memory; a better set may exist. Raise max_memory, or exclude columns"
    MAX_SETS = "Stopped at max_sets; there are more sets. Raise max_sets, or lower within"


# Statuses that put numbers in doubt outrank those that say why a search ended.
DOUBT = {Status.UNKNOWN: 1, Status.INEXACT: 2}


class Trace:
    """Collects iterations, calls `report` on each, and watches the time.

    A loose bound need not be as sharp as `tol` says, but to the share `loose_tol` of what it leaves open.
    """

    def __init__(
        self,
        *,
        max_iter: int,
        time_limit: float | None = None,
        max_nodes: int | None = None,
        loose_tol: float = 0.0,
        report: Callable[[Iteration], None] | None = None,
    ) -> None:
        self.max_iter, self.max_nodes, self.loose_tol = max_iter, max_nodes, loose_tol
        self.iterations: list[Iteration] = []
        self.status = Status.CONVERGED
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._report = report

    def record(
        self, phase: str, objective: float, upper_bound: float, n_active: int, n_nodes: int = 0
    ) -> None:
        iteration = Iteration(phase, float(objective), float(upper_bound), int(n_active), n_nodes)
        self.iterations.append(iteration)
        if self._report is not None:
            self._report(iteration)

    def stopped(self, status: Status) -> None:
        """Note why the run ends early; the first reason stays, unless the numbers themselves are in doubt."""
        if DOUBT.get(status, 0) > DOUBT.get(self.status, 0) or self.status is Status.CONVERGED:
            self.status = status

    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Limit the time of the block to a share of the remaining time."""
        deadline = self._deadline
        if deadline is not None:
            now = time.monotonic()
            self._deadline = now + share * max(deadline - now, 0.0)
        try:
            yield
        finally:
            self._deadline = deadline

    @contextmanager
    def extra(self, share: float, max_nodes: int) -> Iterator[None]:
        """Limit the block to a share of the remaining time, and to so many nodes more than none.

        It is an extra: running out of either is not how the run ended.
        """
        before, status = self.max_nodes, self.status
        self.max_nodes = max_nodes if before is None else min(before, max_nodes)
        try:
            with self.part(share):
                yield
        finally:
            self.max_nodes = before
            if self.status in (Status.TIME_LIMIT, Status.MAX_NODES):
                self.status = status

    def out_of_time(self) -> bool:
        late = self._deadline is not None and time.monotonic() >= self._deadline
        if late:
            self.stopped(Status.TIME_LIMIT)
        return late

    def out_of_nodes(self, n_nodes: int) -> bool:
        enough = self.max_nodes is not None and n_nodes >= self.max_nodes
        if enough:
            self.stopped(Status.MAX_NODES)
        return enough
