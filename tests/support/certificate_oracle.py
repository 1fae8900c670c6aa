"""Check certificates: the answers of fisherset to a problem, compared with 32 or 120 digits."""

import tempfile
from typing import Any, NamedTuple

import numpy as np

from fisherset.solver import Status
from support.exact_oracle import ExactTruth
from support.precise_oracle import Truth
from support.problems import EXACT, JOINT, MEMORY, SEARCH, WITHIN
from support.storage_answers import ask, weights_of

BOUND = (1e-9, 1e-14)  # relative and absolute: what a bound may lie below the best subset
OBJECTIVE, FLOOR = 1e-6, 1e-6  # share of the truth that an objective may be off; of this where it is less
PROMISED = 1e-9  # share by which an INEXACT objective may exceed F of its set, which it must not
CEILING, BELOW = 1e-9, 1e-3  # a bound at the ceiling is given up where one this share below it was to be had
# Share by which bounds of two storages may differ after exact search. Other solvers try all sets only where
# products are precise enough, so that their bounds may be tighter from rows; each is compared with the truth.
SAME_BOUND = 2e-3
SETTLED = ("false_bound", "silent", "false_status")  # what another reading of a definition may excuse


class Finding(NamedTuple):
    """The worth of an answer, or of several to one problem."""

    name: str
    family: str
    false_bound: bool = False  # a subset is better than the bound
    silent: bool = False  # the objective is off, and nothing said so
    false_status: bool = False  # the status or `optimal_` claims what does not hold
    warned: bool = False  # it is off, and a warning said so
    differs: bool = False  # another storage gives another answer, and neither says why
    inexact: bool = False  # the status says INEXACT, or the bound is the ceiling without need
    given_up: bool = False  # the bound is the ceiling without need
    refused: str = ""  # a ValueError that says what is wrong with the problem
    raised: str = ""  # another exception, or a warning of numpy's
    slow: bool = False  # it took longer than a table of this size should
    undecided: bool = False  # the digits, or the definitions, do not tell
    error: float = 0.0  # of the objective, relative
    detail: str = ""

    @property
    def lie(self):
        return self.false_bound or self.silent or self.false_status


def check_certificates(problem):
    """Ask each storage, and compare with the truth and with each other."""
    heard = {}
    for storage in problem.storages:
        with tempfile.TemporaryDirectory() as folder:
            heard[storage] = ask(problem, storage, folder)
    whole = Finding(problem.name, problem.family)
    answers = {storage: one for storage, one in heard.items() if one.answer is not None}
    for storage, one in heard.items():
        where = "" if problem.storages == (MEMORY,) else f"{storage}: "
        whole = whole._replace(
            refused="; ".join(filter(None, [whole.refused, one.refused and where + one.refused])),
            raised="; ".join(filter(None, [whole.raised, one.raised and where + one.raised])),
            slow=whole.slow or one.slow,
        )
    if not answers:
        return whole
    return _compare(problem, answers, whole)


def _truth(problem):
    rows, weights = problem.rest, weights_of(problem)
    kind = ExactTruth if problem.exactly else Truth
    return kind(
        problem.X[rows],
        problem.y[rows],
        None if weights is None else weights[rows],
        standardize=problem.standardize,
        numbers=problem.numbers,
        confounders=problem.confounders,
    )


class Known(NamedTuple):
    """The truth about the sets that may be chosen."""

    truth: Any
    sets: list[tuple[int, ...]]
    values: np.ndarray  # F of each
    scale: float  # about how large F can be, as a share of the ceiling: a large gamma makes it small

    @property
    def best(self):
        return float(np.max(self.values))

    def value(self, members):
        return float(self.values[self.sets.index(tuple(int(j) for j in np.sort(members)))])


def _compare(problem, answers, whole):
    truth, sets = _truth(problem), [tuple(int(j) for j in some) for some in problem.sets()]
    weights = weights_of(problem)
    n = len(problem.y) if weights is None else weights.sum()
    # the floors of plain tables are as they have been
    scale = max(1 / (1 + problem.gamma / n), 1e-294) if problem.exactly and problem.standardize else 1.0
    for one in answers.values():
        strange = set(_named_sets(one.answer)) - set(sets)
        if strange:
            return whole._replace(raised=f"{strange} may not be chosen")
    known = Known(truth, sets, truth.values(sets, problem.gamma), scale)
    if truth.doubtful or np.isnan(known.values).any():
        return whole._replace(undecided=True)
    found = {storage: _settle(problem, one, known) for storage, one in answers.items()}
    differs = _differs(problem, answers, known)
    said = [f"{storage}: {v.detail}" for storage, v in found.items() if v.lie or v.given_up or v.undecided]
    return whole._replace(
        **{field: any(getattr(v, field) for v in found.values()) for field in COUNTED},
        differs=bool(differs),
        error=max((v.error for v in found.values() if not (v.warned or v.undecided)), default=0.0),
        detail="; ".join([*said, *differs]) or next(iter(found.values())).detail,
    )


COUNTED = ("false_bound", "silent", "false_status", "warned", "inexact", "given_up", "undecided")


def _named_sets(answer):
    """All sets that the answer names, each sorted."""
    named = [answer.members] if answer.near is None else [*answer.near, answer.members]
    return [tuple(int(j) for j in np.sort(some)) for some in named]


def _settle(problem, heard, known):
    """The finding on one answer; undecided where another reading of a definition excuses what is wrong."""
    finding = _weigh(problem, heard, known)
    if not finding.lie or not problem.exactly:
        return finding
    readings = known.truth.readings()
    next(readings)
    for other in readings:
        values = other.values(known.sets, problem.gamma)
        if np.isnan(values).any():
            continue
        if not _weigh(problem, heard, known._replace(truth=other, values=values)).lie:
            return finding._replace(undecided=True, **dict.fromkeys(SETTLED, False))
    return finding


def _weigh(problem, heard, known):
    """One answer against one truth."""
    answer, best, true = heard.answer, known.best, known.value(heard.answer.members)
    error = abs(answer.objective - true) / (true + FLOOR * known.scale)
    off = not error <= OBJECTIVE  # NaN too
    given_up = _given_up(problem, answer, known)
    false = _false_status(problem, heard, known, given_up)
    status = bool(false)
    single = _exceeds_singles(answer, known)
    false += ["a false bound with or without a column"] * single
    return Finding(
        problem.name,
        problem.family,
        false_bound=_exceeds(best, answer.upper_bound, known.scale) or single,
        silent=off and not heard.admitted,
        false_status=status,
        warned=off and heard.admitted,
        inexact=answer.status is Status.INEXACT or given_up,
        given_up=given_up,
        error=error,
        detail=f"objective {answer.objective:.9g} (true {true:.9g}), "
        f"bound {answer.upper_bound:.9g} (best {best:.9g}), {answer.status.name}"
        + "".join(f", {words}" for words in false),
    )


def _exceeds(best, bound, scale=1.0):
    return not best <= bound * (1 + BOUND[0]) + BOUND[1] * scale


def _false_status(problem, heard, known, given_up):
    """All claims of the answer, besides its two numbers, that do not hold; each in a few words."""
    answer, true = heard.answer, known.value(heard.answer.members)
    converged, floor = answer.status is Status.CONVERGED, BOUND[1] * known.scale
    better = known.best > true * (1 + 2 * OBJECTIVE) + floor
    found = []
    if answer.optimal and better:
        found.append("said to be optimal")
    if problem.way in (EXACT, SEARCH) and converged and not answer.optimal and better:
        found.append("exact search said to have converged")
    if answer.best is not None and converged and known.best > answer.best * (1 + 2 * OBJECTIVE) + floor:
        found.append(f"the best said to be {answer.best:.9g}")
    if answer.near is not None:
        found += _false_range(problem, heard, known)
    if answer.status is Status.INEXACT and answer.objective > true * (1 + PROMISED) + floor:
        found.append("F does not reach the INEXACT objective")
    if converged and heard.quiet and given_up and known.best > floor:  # else there is nothing to bound
        found.append("a trivial bound without a word")
    if heard.quiet != converged:
        found.append("a status without a warning" if heard.quiet else "a warning without a status")
    return found


def _false_range(problem, heard, known):
    """Errors in a list of near-best sets: wrong values, and missing sets where it is said to be complete.

    Constant columns are in a set only where too few vary; which of them makes no difference.
    """
    answer, truth = heard.answer, known.truth
    off = [
        some
        for some, value in answer.near.items()
        if not abs(value - known.value(some)) <= OBJECTIVE * (known.value(some) + FLOOR * known.scale)
    ]
    found = [] if heard.admitted or not off else [f"F of {off[0]} is not as listed"]
    if answer.complete and np.count_nonzero(~truth.constant) >= problem.k:
        least = (1 - WITHIN) * known.best * (1 + 2 * OBJECTIVE) + FLOOR * OBJECTIVE * known.scale
        for some, value in zip(known.sets, known.values, strict=True):
            if value > least and some not in answer.near and not truth.constant[list(some)].any():
                return [*found, f"complete without {some}, F = {value:.9g}"]
    return found


def _differs(problem, answers, known):
    """Differences between the answers of two storages, where neither says why; none or one sentence."""
    if len(answers) < 2:
        return []
    (one, here), (other, there) = answers.items()
    if not (here.quiet and there.quiet):
        return []
    a, b = here.answer, there.answer
    floor, found = FLOOR * known.scale, []
    first, second = (known.value(answer.members) for answer in (a, b))
    if abs(first - second) > 2 * OBJECTIVE * (max(first, second) + floor):
        found.append(f"sets {a.members.tolist()} and {b.members.tolist()}, F {first:.9g} and {second:.9g}")
    elif abs(a.objective - b.objective) > 2 * OBJECTIVE * (max(first, second) + floor):
        found.append(f"objectives {a.objective:.9g} and {b.objective:.9g}")
    most = SAME_BOUND * (max(a.upper_bound, b.upper_bound) + floor)
    if problem.way in (EXACT, SEARCH) and abs(a.upper_bound - b.upper_bound) > most:
        found.append(f"bounds {a.upper_bound:.9g} and {b.upper_bound:.9g}")
    if a.status is not b.status:
        found.append(f"{a.status.name} and {b.status.name}")
    return [f"{one} and {other} differ: {', '.join(found)}"] if found else []


def _exceeds_singles(answer, known):
    """Whether a set is better than the bound on sets with one of its columns, or without another."""
    if answer.with_each is None:
        return False
    columns = range(answer.with_each.size)
    has = np.array([[j in some for j in columns] for some in map(set, known.sets)])
    return any(
        _exceeds(np.max(known.values[there], initial=-np.inf), bound, known.scale)
        for bounds, where in ((answer.with_each, has), (answer.without_each, ~has))
        for bound, there in zip(bounds, where.T, strict=True)
    )


def _given_up(problem, answer, known):
    """Whether the bound is the ceiling though the q of the answer, or exact search, proves a better one."""
    truth = known.truth
    if not (problem.plain or problem.exactly) or answer.upper_bound < truth.ceiling * (1 - CEILING):
        return False
    if problem.exactly and problem.way in (EXACT, SEARCH):
        return known.best < truth.ceiling * (1 - BELOW)
    if problem.way != JOINT or problem.groups is not None or problem.keep or problem.exclude:
        return False
    m = min(problem.k, int(np.count_nonzero(~truth.constant)))
    return m > 0 and truth.tangent_bound(answer.q, m, problem.gamma) < truth.ceiling * (1 - BELOW)
