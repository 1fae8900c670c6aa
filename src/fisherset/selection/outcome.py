"""Solutions along a path of sizes and gammas, how they ended, and what they prove of single features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from fisherset._format import NEGLIGIBLE, proven_sentence
from fisherset._records import Records, Tabular, joined, name_of
from fisherset._rounding import WRONG
from fisherset._types import Floats
from fisherset.selection.constraints import PosedProblem
from fisherset.selection.request import SearchOptions
from fisherset.solver import Solution, Status
from fisherset.validation.table import warn


def solutions_along(
    posed: Sequence[PosedProblem], gammas: Sequence[float], options: SearchOptions, *, certified: bool = True
) -> Iterator[list[Solution]]:
    """Solutions for each gamma in turn, of rising sizes of one problem, each starting from the one before."""
    start = None
    for gamma in gammas:
        trace = options.trace()
        found = options.solutions(posed, gamma, trace, certified=certified, start=start)
        # the relaxation changes little from one gamma to the next
        start = found[0].q if posed[0].domain.m else None
        yield found
        warn_status(trace.status)


def warn_status(status: Status) -> None:
    """Warn of a search that did not converge."""
    if status is not Status.CONVERGED:
        warn(f"{status.value}.", ConvergenceWarning)


class _Proofs(NamedTuple):
    """The masks of what is proven, which is a tuple of them."""

    in_every: NDArray[np.bool_]
    in_none: NDArray[np.bool_]
    given: NDArray[np.bool_]
    what: str = "features"


class Proven(Tabular, _Proofs):
    """Features, or groups, that are proven essential, ruled out, or undecided; printed, with their names.

    Attributes
    ----------
    in_every : ndarray of shape (n_features,) or (n_groups,)
        Whether it is in every set that is as good as the selected one, or better: it is essential.
    in_none : ndarray of shape (n_features,) or (n_groups,)
        Whether it is in none: it is ruled out.
    given : ndarray of shape (n_features,) or (n_groups,)
        Whether there was no choice: it was required or excluded, or all features had to be selected.
    what : {"features", "groups"}
        What the entries are.
    """

    _labels: Sequence[Any] = ()

    @property
    def essential(self) -> NDArray[np.bool_]:
        """Whether it is in every set that is as good as the selected one, though that was not required."""
        return self.in_every & ~self.given

    @property
    def ruled_out(self) -> NDArray[np.bool_]:
        """Whether it is in no such set, though it was not excluded."""
        return self.in_none & ~self.given

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Whether neither is proven, and there was a choice."""
        return ~(self.in_every | self.in_none | self.given)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of essential, ruled out and undecided ones among those there was a choice about."""
        every, none, rest = map(np.count_nonzero, (self.essential, self.ruled_out, self.undecided))
        return int(every), int(none), int(rest)

    def sentence(self, noun: str) -> str:
        """The numbers as a sentence, with a noun for the entries."""
        return proven_sentence(*self.counts, noun=noun, limited=bool(self.given.any()))

    def __repr__(self) -> str:
        every, none, rest = self.counts
        return f"Proven({every} essential, {none} ruled out, {rest} undecided {self.what})"

    def table(self) -> Records:
        """Conclusions about each feature or group, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each feature, or group: its name, and whether it is "essential", "ruled out" or
            "undecided"; "given" where there was no choice.
        """
        verdicts = np.select(
            [self.given, self.in_every, self.in_none], ["given", "essential", "ruled out"], "undecided"
        )
        units = zip(self._names(np.ones(len(self.given), dtype=bool)), verdicts.tolist(), strict=True)
        return [{self.what.removesuffix("s"): name, "proof": verdict} for name, verdict in units]

    def _names(self, some: NDArray[np.bool_]) -> list[str]:
        units = np.flatnonzero(some).tolist()
        return [name_of(self._labels[unit] if self._labels else unit, self.what) for unit in units]

    def __str__(self) -> str:
        listed = {"Essential": self._names(self.essential), "Undecided": self._names(self.undecided)}
        some = bool((self.essential | self.ruled_out).any())  # a list of all says nothing
        named = [f"{word}: {joined(names)}." for word, names in listed.items() if names and some]
        return "\n".join([self.sentence(self.what), *named]).strip()


def prove_units(
    with_each: Floats,
    without_each: Floats,
    objective: float,
    status: Status,
    what: str = "features",
    labels: Sequence[Any] = (),
) -> Proven:
    """Conclusions from the bounds for a set that reaches `objective`, of units with labels.

    As good is what reaches it up to the error it may have; where that is larger, nothing follows.
    """
    as_good = -np.inf if status is Status.INEXACT else objective * (1 - WRONG) - NEGLIGIBLE
    given = np.isneginf(with_each) | np.isneginf(without_each)
    in_every, in_none = (np.isneginf(some) | (some < as_good) for some in (without_each, with_each))
    proven = Proven(in_every, in_none, given, what)
    proven._labels = labels
    return proven


def table_bounds(posed: PosedProblem, solution: Solution) -> tuple[Floats, Floats]:
    """Upper bounds over the sets with and without each unit of the table, constant ones included."""
    constraints, domain, k = posed.constraints, posed.domain, posed.k
    required, excluded, constant = constraints.required, constraints.excluded, posed.constant
    bound = solution.upper_bound
    with_each, without_each = (np.full(len(constraints.labels), bound) for _ in range(2))
    with_each[posed.units], without_each[posed.units] = solution.with_each, solution.without_each
    # a set without a constant unit reaches the bound, unless all units that are allowed are needed
    without_each[constant] = bound if k < constraints.n_allowed else -np.inf
    if domain.remaining == domain.units.size - domain.fixed.size:  # a constant one may replace any
        without_each[posed.units[domain.free]] = without_each[constant].max(initial=-np.inf)
    if required.size == k:
        with_each[constant] = -np.inf
    elif k - (required.size - domain.required.size) == domain.m:  # else some have to be constant
        with_each[constant] = _with_one_less(posed, solution, without_each)
    with_each[required], without_each[required] = bound, -np.inf
    with_each[excluded], without_each[excluded] = -np.inf, bound
    return with_each, without_each


def _with_one_less(posed: PosedProblem, solution: Solution, without_each: Floats) -> float:
    """Upper bound over the sets in which a constant unit replaces another.

    Adding units never makes F smaller. Of any `spare` free units one is outside of such a set, which
    reaches no more than sets with that one do; and of the m that were found one is.
    """
    domain = posed.domain
    least = float(np.sort(solution.with_each[domain.free])[domain.remaining - 1])
    if solution.units.size < domain.m:
        return least
    return min(least, float(without_each[posed.units[solution.units]].max()))
