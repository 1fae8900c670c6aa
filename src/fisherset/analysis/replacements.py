"""What a list of near-best sets says: the core, how often each feature is in, and what stands in for what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from random import Random
from typing import Any

import numpy as np

from fisherset._format import CRITERIA, certificate_figures, counted
from fisherset._types import Floats
from fisherset.solver import Status
from fisherset.validation.targets import CLASSIFICATION

LISTED = 10  # names in a sentence


@dataclass(frozen=True)
class NearBest:
    """What `near_best` found: sets of k features nearly as good as the best one, best first.

    With groups the sets are of groups: numbers of groups, in the order of their first columns, stand
    in place of column numbers everywhere.

    Attributes
    ----------
    sets : list of list of int
        The sets, column numbers each, rising. Sets that are equally good are in lexicographic order.
    objectives : ndarray of shape (n_sets,)
        F of each set.
    complete : bool
        Whether it is proven that no other set reaches `1 - within` times the best F.
    within : float
        How far below the best F, as a share of it, the sets may be.
    upper_bound : float
        No set of k features has a larger F.
    gamma : float
        The regulariser used.
    status : Status
        How the search ended; `status.value` is a sentence with what to do, and anything but
        `CONVERGED` is warned of.
    names : list
        What the features, or groups, are called: their names or labels, or else their numbers.
    kept : list of int
        What had to be in all sets: what `keep` names, and constant features that fill them up.
    n_constant, n_filled : int
        How many features that may be chosen are constant, and how many of them fill up every set as
        too few vary: which ones makes no difference, so that the first are listed.
    task : {"classification", "regression"}
        What y held.
    what : {"features", "groups"}
        What the sets are of.
    limited, adjusted : bool
        Whether some features had to be in the sets or must not be, and whether something was taken
        out of all of them.
    """

    sets: list[list[int]]
    objectives: Floats
    complete: bool
    within: float
    upper_bound: float
    gamma: float
    status: Status
    names: list[Any]
    kept: list[int] = field(default_factory=list)
    n_constant: int = 0
    n_filled: int = 0
    task: str = CLASSIFICATION
    what: str = "features"
    limited: bool = False
    adjusted: bool = False

    @property
    def objective(self) -> float:
        """F of the best set."""
        return float(self.objectives[0])

    @cached_property
    def core(self) -> list[int]:
        """The features that are in all of the sets."""
        return sorted(set(self.sets[0]).intersection(*self.sets[1:]))

    @cached_property
    def frequencies(self) -> Floats:
        """Share of the sets that each feature, or group, of the table is in."""
        times = np.bincount(np.concatenate(self.sets).astype(np.intp), minlength=len(self.names))
        shares: Floats = times / len(self.sets)
        return shares

    @cached_property
    def stand_ins(self) -> dict[int, list[int]]:
        """What can take the place of each feature that is in some of the sets but not in all.

        One feature stands in for another where a set with the other becomes a set of the list by this
        exchange alone; those that come with the best sets are first.
        """
        # A set without one of its members is known by what it sums to, each feature standing for a long
        # number: by members it would take the square of k for each set.
        draw = Random(0)
        codes = {unit: draw.getrandbits(128) for unit in sorted({unit for one in self.sets for unit in one})}
        alike: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for place, members in enumerate(self.sets):
            total = sum(codes[unit] for unit in members)
            for unit in members:
                alike[total - codes[unit]].append((place, unit))
        first: dict[int, dict[int, int]] = {unit: {} for unit in codes if unit not in set(self.core)}
        for members_of in alike.values():
            for (_, out), (place, into) in permutations(members_of, 2):
                first[out][into] = min(place, first[out].get(into, place))
        return {out: sorted(known, key=lambda into: (known[into], into)) for out, known in first.items()}

    @cached_property
    def exchangeable(self) -> list[list[int]]:
        """Groups of features that stand in for each other, directly or by way of others, in column order."""
        groups: list[list[int]] = []
        left = {unit for unit, others in self.stand_ins.items() if others}
        while left:
            group: set[int] = set()
            new = [min(left)]
            while new:
                unit = new.pop()
                if unit not in group:
                    group.add(unit)
                    new += self.stand_ins[unit]
            left -= group
            groups.append(sorted(group))
        return groups

    def chosen_of(self, group: Iterable[int]) -> tuple[int, int]:
        """How many of some features a set of the list has, at least and at most.

        Parameters
        ----------
        group : iterable of int
            Their numbers.

        Returns
        -------
        least, most : int
            Over the sets.
        """
        members = set(group)
        counts = [len(members.intersection(one)) for one in self.sets]
        return min(counts), max(counts)

    def named(self, some: Iterable[int], most: int = LISTED) -> str:
        """Features by name, the first of many.

        Parameters
        ----------
        some : iterable of int
            Their numbers.
        most : int, default=10
            How many are named.

        Returns
        -------
        text : str
            As "a, b and 3 more".
        """
        listed = [str(self.names[unit]) for unit in some]
        more = f" and {len(listed) - most} more" if len(listed) > most else ""
        return ", ".join(listed[:most]) + more

    @property
    def sentences(self) -> list[str]:
        """What the list says: how many sets, the core, what stands in for what, what is constant."""
        if self.objective == 0 == self.upper_bound:
            return [self._nothing(), *self._constant()]
        return [self._number(), *self._end(), *self._core(), *self._exchanged(), *self._constant()]

    def __str__(self) -> str:
        return " ".join(self.sentences)

    @property
    def _allowed(self) -> str:
        return "that may be chosen" if self.limited else "of this table"

    @property
    def _beyond(self) -> str:
        return " beyond what is adjusted for" if self.adjusted else ""

    def _nothing(self) -> str:
        nothing = CRITERIA[self.task][1]
        return f"No column {self._allowed} {nothing}{self._beyond} (F = 0 for every subset)."

    def _number(self) -> str:
        n, k = len(self.sets), len(self.sets[0])
        reached = f"at least {100 * (1 - self.within):.6g} % of " if self.within else ""
        figures = certificate_figures(self.objective, self.upper_bound, self.gamma)
        sets, reach = f"{counted(n, 'sets')} of {counted(k, self.what)}", "reaches" if n == 1 else "reach"
        if not self.complete:
            found = f"{sets} {'was' if n == 1 else 'were'} found that {reach} {reached}the best F found"
            return f"{found}{self._beyond} ({figures}); there may be others, and better ones."
        columns = counted(k, "groups of columns" if self.what == "groups" else "columns")
        best = f"the best {CRITERIA[self.task][0]} any {columns} {self._allowed} could reach{self._beyond}"
        return f"{sets} {reach} {reached}{best}, and it is proven that no other does ({figures})."

    def _end(self) -> list[str]:
        value = self.status.value
        return [] if self.status is Status.CONVERGED else [f"{value[0].upper()}{value[1:]}."]

    def _core(self) -> list[str]:
        if len(self.sets) == 1:
            return [f"It is {self.named(self.sets[0])}."]
        if not self.core:
            return [f"No {self.what.removesuffix('s')} is in all of them."]
        return [f"In all of them: {self.named(self.core)}."]

    def _exchanged(self) -> list[str]:
        said = []
        for group in self.exchangeable:
            least, most = self.chosen_of(group)
            many = f"{least}" if least == most else f"{least} to {most}"
            said.append(f"{self.named(group)} ({many} of {len(group)} in each set)")
        return [f"Stand in for each other: {'; '.join(said)}."] if said else []

    def _constant(self) -> list[str]:
        if not self.n_constant:
            return []
        n = self.n_constant
        said = f"{counted(n, self.what)} {'is' if n == 1 else 'are'} constant and left out of account"
        if self.n_filled:
            said += f", but that {self.n_filled} of them fill up every set, no matter which"
        return [f"{said}."]
