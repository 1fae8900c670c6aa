"""All sets nearly as good as the best one: which features can be replaced, by which, and which cannot."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fisherset._docs import documented
from fisherset._format import certificate_figures, certificate_sentence, counted, listed, qualified
from fisherset._memory import format_bytes
from fisherset._records import Printed, Records, Tabular, name_of
from fisherset._types import Floats, Indices
from fisherset.analysis.fitted import accepts_selector
from fisherset.selection.constraints import PosedProblem, SetArguments
from fisherset.selection.outcome import warn_status
from fisherset.selection.request import check_request, check_search, memory_for
from fisherset.solver import NearBestSets, Status, mask_of, near_best_sets
from fisherset.statistics.measured import FitArguments, MeasuredTable
from fisherset.validation.features import warn_constant
from fisherset.validation.parameters import check_integer, check_share
from fisherset.validation.targets import CLASSIFICATION


@documented
@dataclass(frozen=True)
class NearBest(Tabular):
    """Sets of k features nearly as good as the best one, best first.

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
    %(gamma.used, status)
    names : list
        Names of the features, or labels of the groups, or else their numbers.
    kept : list of int
        Features in all sets by request: those of `keep`, and constant features that fill them up.
    n_constant, n_filled : int
        How many features that may be selected are constant, and how many of them fill up every set as
        too few vary: which ones makes no difference, so that the first are listed.
    %(task.used, what, limited, adjusted)
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
        return times / len(self.sets)

    @cached_property
    def stand_ins(self) -> dict[int, list[int]]:
        """Substitutes for each feature that is in some of the sets but not in all.

        One feature replaces another where a set with the other becomes a set of the list by this swap
        alone; those in the best sets are first.
        """
        # A set without one of its members is identified by the sum of random 128-bit codes of the others:
        # comparing members would cost k^2 for each set.
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
        """Groups of interchangeable features, directly or by way of others, in column order."""
        groups: list[set[int]] = []
        for unit, others in self.stand_ins.items():
            if others:
                linked = {unit, *others}
                whole = linked.union(*(group for group in groups if group & linked))
                groups = [*(group for group in groups if not group & linked), whole]
        return sorted(sorted(group) for group in groups)

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

    def named(self, some: Iterable[int], most: int = 10) -> str:
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
        return listed([name_of(self.names[unit], self.what) for unit in some], most)

    def table(self) -> Records:
        """The sets with the names of their features, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each set: F and the names of its features, or labels of its groups.
        """
        return self._rows(self.sets)

    def _rows(self, sets: list[list[int]]) -> Records:
        names = {unit: name_of(self.names[unit], self.what) for one in sets for unit in one}
        found = zip(self.objectives.tolist(), sets, strict=True)
        return [{"F": value, self.what: [names[unit] for unit in units]} for value, units in found]

    @property
    def sentences(self) -> list[str]:
        """The list in words: how many sets, the core, what replaces what, what is constant."""
        return list(self._sentences())

    def __repr__(self) -> str:
        n, k = counted(len(self.sets), "sets"), counted(len(self.sets[0]), self.what)
        known = "all" if self.complete else "not all"
        figures = certificate_figures(self.objective, self.upper_bound, self.gamma)
        return f"NearBest({n} of {k} within {100 * self.within:.6g} % of the best, {known} found, {figures})"

    def _printed(self) -> Printed:
        told = " ".join(self.sentences)
        if len(self.sets) == 1:
            return Printed([told], [], {})
        core = set(self.core)
        rest = self._rows([[unit for unit in one if unit not in core] for one in self.sets])
        heading = f"other {self.what}" if core else self.what
        rows = [{"F": row["F"], heading: row[self.what]} for row in rest]
        return Printed([told], rows, {"F": "#.6g"})

    def _sentences(self) -> Iterator[str]:
        if self.objective == 0 == self.upper_bound:
            known: dict[str, Any] = {"limited": self.limited, "adjusted": self.adjusted}
            yield certificate_sentence(1, 0.0, 0.0, figures="F = 0", task=self.task, **known)
        else:
            yield self._number()
            if self.status is not Status.CONVERGED:
                yield f"{self.status.value}."
            if len(self.sets) == 1:
                yield f"It is {self.named(self.sets[0])}."
            elif own := [unit for unit in self.core if unit not in self.kept]:
                yield f"In all of them{', besides the required' if self.kept else ''}: {self.named(own)}."
            else:
                other = "other " if self.kept else ""
                yield f"No {other}{self.what.removesuffix('s')} is in all of them."
            if self.exchangeable:
                yield f"Interchangeable: {'; '.join(map(self._interchangeable, self.exchangeable))}."
        if self.n_constant:
            are = "is" if self.n_constant == 1 else "are"
            filled = f"; {self.n_filled} of them fill up every set, because too few vary"
            constant = f"{counted(self.n_constant, self.what)} {are} constant"
            yield f"{constant}{filled if self.n_filled else ' and in none of the sets'}."

    def _interchangeable(self, group: list[int]) -> str:
        least, most = self.chosen_of(group)
        many = f"{least}" if least == most else f"{least} to {most}"
        return f"{self.named(group)} ({many} of {len(group)} in each set)"

    def _number(self) -> str:
        n, k = len(self.sets), len(self.sets[0])
        among = qualified(self.limited, self.adjusted)
        figures = certificate_figures(self.objective, self.upper_bound, self.gamma)
        sets, reach = f"{counted(n, 'sets')} of {counted(k, self.what)}", "reaches" if n == 1 else "reach"
        reached = f"at least {100 * (1 - self.within):.6g} % of the best F" if self.within else "the best F"
        if not self.complete:
            found = f"Found {sets}{among} that {reach} {reached} found"
            return f"{found}; more or better sets may exist ({figures})."
        return f"Proven{among}: exactly {sets} {reach} {reached} ({figures})."


@accepts_selector
@documented
def near_best(
    X: Any,
    y: Any,
    k: int | float | None,
    *,
    gamma: float | str = "scale",
    within: float = 0.01,
    max_sets: int = 1000,
    time_limit: float | None = None,
    standardize: bool = True,
    sample_weight: Any = None,
    groups: Any = None,
    keep: Any = None,
    exclude: Any = None,
    class_weight: Any = None,
    adjust_for: Any = None,
    confounders: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
) -> NearBest:
    """All sets of k features that are nearly as good as the best one.

    For whoever must do without a feature, such as a gene without a good probe or a sensor that is
    too dear: which features are in every good set, and which others can replace the rest.

    Parameters
    ----------
    %(X, y)
    k : int or float
        Number of features of the sets; a float in (0, 1) is a share of them, None half.
    %(gamma)
    within : float, default=0.01
        The sets reach at least `1 - within` times the F of the best one; 0 for those as good as it.
    max_sets : int, default=1000
        Most sets that are listed. Where there are more, the best of those found are, and
        `complete` is False.
    %(time_limit, standardize, sample_weight, groups, keep, exclude, class_weight, adjust_for, confounders)
    %(missing, task, max_memory)

    Returns
    -------
    found : NearBest
        With `sets`, `objectives`, `complete`, `core`, `frequencies` and `stand_ins`; printed, it
        is a few sentences.

    See Also
    --------
    GeneralizedFisherScore : Look for the best set alone.
    explain : What each feature of one set contributes.

    Notes
    -----
    A constant feature is in a set only where `keep` names it or there are too few that vary, as in
    the selectors; which constant ones fill up the sets then makes no difference, and the first are
    listed, with a warning. Values that differ by rounding alone count as equal.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import near_best
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = near_best(X, y, 5, gamma=len(y), within=0.03)
    >>> found
    NearBest(4 sets of 5 features within 3 % of the best, all found, F = 1.06584, upper bound 1.06584,
    gamma = 178)
    >>> X.columns[found.core].tolist()
    ['alcohol', 'proline']
    >>> [X.columns[j] for j in found.stand_ins[10]]  # of the hue
    ['flavanoids', 'color_intensity', 'od280/od315_of_diluted_wines']
    """
    within = check_share("within", within)
    max_sets = check_integer("max_sets", max_sets, least=1)
    options = check_search(time_limit=time_limit, grading=True)
    arguments = FitArguments(sample_weight, class_weight, confounders, missing=missing)
    sets = SetArguments(groups, keep, exclude, adjust_for)
    request = check_request(X, sets, arguments, gamma, standardize, task, max_memory)
    count = request.constraints.count(k, "k")
    table = request.measure(y, count)
    (posed,), number = request.pose(table, [count])
    searched = posed.problem, posed.domain, number
    found = near_best_sets(*searched, within=within, max_sets=max_sets, trace=options.trace())
    if found.status is Status.MEMORY:
        warnings.warn(_out_of_memory(table, found.n_columns), ConvergenceWarning, stacklevel=2)
    else:
        warn_status(found.status)
    return _in_table(posed, found, within=within, gamma=number, task=task)


def _in_table(posed: PosedProblem, found: NearBestSets, **known: Any) -> NearBest:
    """The sets in units of the table, filled up with constant ones where too few vary."""
    constraints, filled = posed.constraints, _filling(posed)
    constant, unforced = posed.constant, np.setdiff1d(filled, constraints.required)
    masks = [mask_of(len(constraints.labels), some) for some in (constant, unforced)]
    warn_constant(masks[0], masks[1], constraints.what, "k")
    return NearBest(
        sets=[np.union1d(posed.units[units], filled).tolist() for units in found.sets],
        objectives=found.values,
        complete=found.complete,
        upper_bound=found.upper_bound,
        status=found.status,
        names=list(constraints.labels),
        kept=np.union1d(constraints.required, filled).tolist(),
        n_constant=int(np.setdiff1d(constant, constraints.excluded).size),
        n_filled=unforced.size,
        what=constraints.what,
        limited=constraints.limited,
        adjusted=posed.adjusted,
        **known,
    )


def _filling(posed: PosedProblem) -> Indices:
    """Constant units in every set: the required ones, and the first others where too few vary."""
    constant = np.setdiff1d(posed.constant, posed.constraints.excluded)
    required = np.intersect1d(constant, posed.constraints.required)
    others = np.setdiff1d(constant, required)
    return np.union1d(required, others[: posed.k - posed.domain.m - required.size])


def _out_of_memory(table: MeasuredTable, n_columns: int) -> str:
    """Memory that a search among so many columns needs, and how to allow it."""
    needed = memory_for(table, n_columns)
    if needed is None:
        return (
            f"near-best sets may hold any of {n_columns} columns, too many to search without rows in memory: "
            "only the best set found is listed. Lower within, raise gamma, or exclude columns."
        )
    return (
        f"near-best sets may hold any of {n_columns} columns, among which exact search needs "
        f"{format_bytes(needed)}: only the best set found is listed. Pass max_memory={needed}, lower within, "
        "or exclude columns."
    )
