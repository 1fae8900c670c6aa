"""What is proven of single features: which are in every set as good as the chosen one, and which in none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import NEGLIGIBLE, proven_sentence
from fisherset._rounding import WRONG
from fisherset._types import Floats
from fisherset.selection.constraints import Choice, Posed
from fisherset.solver import Solution, Status, without


class Proven(NamedTuple):
    """What is proven of each feature, or group of features, by the bounds on the sets with and without it.

    Attributes
    ----------
    in_every : ndarray of shape (n_features,) or (n_groups,)
        Whether it is in every set that is as good as the chosen one, or better: without it no set is.
    in_none : ndarray of shape (n_features,) or (n_groups,)
        Whether it is in none: with it no set is as good.
    given : ndarray of shape (n_features,) or (n_groups,)
        Whether there was no choice: it was kept or excluded, or all there is had to be chosen.
    what : {"features", "groups"}
        What the entries are.
    """

    in_every: NDArray[np.bool_]
    in_none: NDArray[np.bool_]
    given: NDArray[np.bool_]
    what: str = "features"

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many of those there was a choice about are in every set as good, in none, and open."""
        n, every, none = (
            int(np.count_nonzero(some & ~self.given)) for some in (~self.given, self.in_every, self.in_none)
        )
        return every, none, n - every - none

    def sentence(self, noun: str) -> str:
        """How many are in every set as good, in none, and open."""
        return proven_sentence(*self.counts, noun=noun, limited=bool(self.given.any()))

    def __str__(self) -> str:
        return self.sentence(self.what)


def prove_units(
    with_each: Floats, without_each: Floats, objective: float, status: Status, what: str = "features"
) -> Proven:
    """What follows for a set that reaches `objective`.

    As good is what reaches it up to the error it may have; where that is larger, nothing follows.
    """
    as_good = -np.inf if status is Status.INEXACT else objective * (1 - WRONG) - NEGLIGIBLE
    given = np.isneginf(with_each) | np.isneginf(without_each)
    in_every, in_none = (np.isneginf(some) | (some < as_good) for some in (without_each, with_each))
    return Proven(in_every, in_none, given, what)


def table_bounds(choice: Choice, posed: Posed, solution: Solution, k: int) -> tuple[Floats, Floats]:
    """The bounds of a solution for all units of the table, of which the constant ones are in no problem."""
    domain, bound = posed.domain, solution.upper_bound
    constant = without(len(choice.labels), posed.units)
    with_each, without_each = (np.full(len(choice.labels), bound) for _ in range(2))
    with_each[posed.units], without_each[posed.units] = solution.with_each, solution.without_each
    replaceable = k < len(choice.labels) - choice.excluded.size
    without_each[constant] = bound if replaceable else -np.inf
    if domain.remaining == domain.units.size - domain.fixed.size:  # a constant one may take the place of any
        without_each[posed.units[domain.free]] = without_each[constant].max(initial=-np.inf)
    if choice.required.size == k:
        with_each[constant] = -np.inf
    elif k - (choice.required.size - domain.required.size) == domain.m:  # else some have to be constant
        with_each[constant] = _with_one_less(posed, solution, without_each)
    with_each[choice.required], without_each[choice.required] = bound, -np.inf
    with_each[choice.excluded], without_each[choice.excluded] = -np.inf, bound
    return with_each, without_each


def _with_one_less(posed: Posed, solution: Solution, without_each: Floats) -> float:
    """The most that sets reach in which a constant unit takes the place of another.

    Adding units never makes F smaller. Of any `spare` free units one is outside of such a set, which
    reaches no more than sets with that one do; and of the m that were found one is.
    """
    domain = posed.domain
    least = float(np.sort(solution.with_each[domain.free])[domain.remaining - 1])
    if solution.units.size < domain.m:
        return least
    return min(least, float(without_each[posed.units[solution.units]].max()))
