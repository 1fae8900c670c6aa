"""Solutions along a path of sizes and gammas, and the warning that a search did not converge."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from sklearn.exceptions import ConvergenceWarning

from fisherset.solver import Domain, Solution, Status, Trace, solve
from fisherset.statistics import TableProblem


def solutions_along(
    problem: TableProblem,
    domains: Sequence[Domain],
    gammas: Sequence[float],
    *,
    solver: str,
    tol: float | None,
    max_iter: int,
    certified: bool = True,
    loose_tol: float = 0.0,
) -> Iterator[list[Solution]]:
    """For each gamma in turn the solutions of domains of rising size, each starting from the one before."""
    start = None
    for gamma in gammas:
        trace = Trace(max_iter=max_iter, loose_tol=loose_tol)
        found = list(
            solve(solver, problem, domains, gamma, tol=tol, certified=certified, trace=trace, start=start)
        )
        start = found[0].q if domains[0].m else None
        yield found
        warn_status(trace.status)


def warn_status(status: Status) -> None:
    """Say how a search ended, unless it ended as it should."""
    if status is not Status.CONVERGED:
        warnings.warn(f"{status.value}.", ConvergenceWarning, stacklevel=3)
