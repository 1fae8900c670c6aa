"""The joint solver with a tight proof: its answer, and the first node of an exact search if it is loose.

That node moves a diagonal from G into the ridge (`diagonal`), which tightens the bound where gamma is small
and there are more samples than columns. The nodes that would follow close less, and which they are depends
on the last digits of the arithmetic: the same table would have another bound on another processor. The work
is limited by counting, not by the clock, so that the same input has the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fisherset.solver.domain import Domain
from fisherset.solver.exact.exact import UNIQUE_BAND, choose_candidates, search_among
from fisherset.solver.joint import joint_path
from fisherset.solver.problem import Problem, largest_system
from fisherset.solver.solution import Solution, Task
from fisherset.solver.trace import Status, Trace

# Gap above which a bound is worth a search: below, more digits change no decision.
LOOSE = 0.02
# Share of the gap that a search must be able to close: the sets that it leaves out keep their bound.
WORTHWHILE = 0.5
# Columns up to which the fit itself has formed all of G, as that costs less than its passes over the rows.
FORMED = 800
# Multiplications that a search may then always take, a tenth of a second or two, as no one waits for that;
# the share of those of the fit that it may take, too; and those of a pass for each number of a wider table.
ALWAYS, SHARE, PASS = 2e9, 0.25, 60
# Those of a diagonal, for each column cubed: as measured, in the time of a multiplication of a large product.
OF_DIAGONAL = 8
# Columns searched, as a share of the samples: with more of them, others explain what a diagonal could have.
TALL = 0.8
SHARE_OF_TIME = 0.5  # of a time limit, of what the joint solver has left


def certified_path(task: Task) -> Iterator[Solution]:
    """The joint solver's answer for each domain, and its gap closed as far as that takes little time."""
    for domain, root in zip(task.domains, joint_path(task), strict=True):
        if task.certified:
            root = close_gap(task.problem, domain, task.gamma, root, task.trace)
        yield root


def close_gap(problem: Problem, domain: Domain, gamma: float, root: Solution, trace: Trace) -> Solution:
    """The solution with tighter bounds, and a better set if one is met, by a search of limited work."""
    if not root.gap > LOOSE or trace.out_of_time() or not _usable(problem, domain, gamma):
        return root
    n, allowed = _samples(problem), _allowed(problem)
    width = min(int((allowed / OF_DIAGONAL) ** (1 / 3)), int(TALL * n), largest_system(problem))
    chosen = choose_candidates(domain, root, (1 - UNIQUE_BAND) * root.objective, width)
    n_columns = int(domain.units.sizes[chosen.members].sum())
    needed = root.upper_bound - WORTHWHILE * (root.upper_bound - root.objective)
    if n_columns > width or chosen.members.size < domain.m or not chosen.left_out <= needed:
        return root
    with trace.extra(SHARE_OF_TIME, 1):
        found, _ = search_among(problem, domain, gamma, root, chosen, LOOSE / 2, trace, lifting=False)
    if trace.status is Status.INTERRUPTED:  # only a search that was asked for answers with what it has
        raise KeyboardInterrupt
    return replace(found, status=trace.status)


def _samples(problem: Problem) -> float:
    """Number of samples, or their weight if they are not in memory."""
    return problem.n if problem.samples is None else problem.samples.size


def _allowed(problem: Problem) -> float:
    """Multiplications that a search may take."""
    width, numbers = len(problem.C), _samples(problem) * len(problem.C)
    return ALWAYS + SHARE * numbers * width / 2 if width <= FORMED else SHARE * numbers * PASS


def _usable(problem: Problem, domain: Domain, gamma: float) -> bool:
    """Whether gamma exceeds the rounding of G so far that values of sets say something about the others."""
    return problem.rounding.of(domain.columns).margin_of_sets(domain.most_columns, gamma).usable
