"""Judge certificates: the answers of fisherset to a problem, held against 32 or 120 digits."""

import signal
import tempfile
import time
import warnings
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import dask
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from exact_truth import ExactTruth
from fisherset import GeneralizedFisherScore, JointRegressionScore, certify, near_best
from fisherset.selectors.certificate import warn_status
from fisherset.solver import Domain, Status, Trace, Units, enumeration, solve
from fisherset.sources import MemorySource
from fisherset.statistics import Classes, FoldedTable, measure
from held import hold
from problems import CERTIFY, CUTS, EXACT, FOLD, JOINT, MEMORY, NEAR, SEARCH, WITHIN
from truth import Truth

BOUND = (1e-9, 1e-14)  # relative and absolute: what a bound may lie below the best subset
OBJECTIVE, FLOOR = 1e-6, 1e-6  # share of the truth that an objective may be off; of this where it is less
PROMISED = 1e-9  # share by which an INEXACT objective may exceed F of its set, which it must not
CEILING, BELOW = 1e-9, 1e-3  # a bound at the ceiling is given up where one this share below it was to be had
SAME_BOUND = 2e-3  # share by which bounds of two storages may differ: twice the tol of the relaxation
SETTLED = ("false_bound", "silent", "false_status")  # what another reading of a definition may excuse


LIMIT = 1.0  # seconds a fit may take; the relaxation gets half of them
INTERRUPT = 3.0  # seconds of the processor, for what has no time_limit
SLOW, FEW = 0.4, 1000  # seconds of the processor no table with so few rows should take


class Answer(NamedTuple):
    """The answer of fisherset to a problem."""

    objective: float
    upper_bound: float
    members: np.ndarray
    q: np.ndarray | None = None
    with_each: np.ndarray | None = None  # bounds on the sets with each column, and without it
    without_each: np.ndarray | None = None
    optimal: bool = False  # whether it is said to be the best
    status: Status = Status.CONVERGED
    best: float | None = None  # F of the best set that was found beside a given one, where that was asked
    near: dict[tuple[int, ...], float] | None = None  # sets said to be all within the range, with their F
    complete: bool = False


class Verdict(NamedTuple):
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


class Heard(NamedTuple):
    """An answer with the circumstances: what it took, and what was said besides."""

    answer: Answer | None = None
    admitted: bool = False  # a warning says that float64 was not enough
    quiet: bool = True  # no ConvergenceWarning at all
    refused: str = ""
    raised: str = ""
    slow: bool = False


def judge(problem):
    """Ask each storage, and compare with the truth and with each other."""
    heard = {}
    for storage in problem.storages:
        with tempfile.TemporaryDirectory() as folder:
            heard[storage] = _ask(problem, storage, folder)
    whole = Verdict(problem.name, problem.family)
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


def _ask(problem, storage, folder):
    """The answer of one storage."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught, dask.config.set(scheduler="synchronous"):
        warnings.simplefilter("always")
        try:
            with interrupted(INTERRUPT):
                answer = ASK[problem.way](problem, hold(problem, storage, _weights(problem), folder))
        except TimeoutError:
            return Heard(slow=True)
        except Exception as error:  # whatever it is, it is a finding
            said = f"{type(error).__name__}: {error}"
            return Heard(refused=said) if problem.exactly and _clear(error) else Heard(raised=said)
    slow = time.process_time() - start > SLOW and len(problem.y) < FEW
    numeric = {f"RuntimeWarning: {w.message}" for w in caught if issubclass(w.category, RuntimeWarning)}
    quiet = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
    return Heard(answer, admits(caught), quiet, raised="; ".join(sorted(numeric)), slow=slow)


def _clear(error):
    """Whether a refusal says in a sentence what is wrong: of numpy's, that a matrix is singular does not."""
    return type(error) is ValueError and len(str(error).split()) > 5


@contextmanager
def interrupted(seconds):
    """Raise TimeoutError after so many seconds of the processor, on systems that can.

    It may strike inside numpy.linalg, between the entry of its errstate and what would undo it.
    Every later invalid operation would then raise "Singular matrix": hence an errstate around it.
    It may also strike where Python can only report an exception and go on, as in the end of an object:
    hence it strikes again.
    """

    def stop(*_):
        raise TimeoutError

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        with np.errstate(call=None):
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def admits(caught):
    """Whether a warning says that float64 was not enough for the value itself.

    That the *relaxation* was not solved to `tol` is another matter, and makes no value wrong.
    """
    texts = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    return any("float64" in text and "solve the relaxation" not in text for text in texts)


def _weights(problem):
    """Of the rows, times those of their classes."""
    w, given = problem.weights, problem.class_weight
    if given is None:
        return w
    w = np.ones(len(problem.y)) if w is None else w
    sizes = np.bincount(problem.y, w)
    if isinstance(given, dict):
        return w * np.array([given[int(label)] for label in problem.y])
    share = np.ones_like(sizes) if given == "balanced" else np.sqrt(sizes)  # of each class in the whole
    return w * (share / share.sum() * sizes.sum() / sizes)[problem.y]


def _truth(problem):
    rows, weights = problem.rest, _weights(problem)
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
    weights = _weights(problem)
    n = len(problem.y) if weights is None else weights.sum()
    # the floors of plain tables are as they have been
    scale = max(1 / (1 + problem.gamma / n), 1e-294) if problem.exactly and problem.standardize else 1.0
    for one in answers.values():
        strange = set(sorted_sets(one.answer)) - set(sets)
        if strange:
            return whole._replace(raised=f"{strange} may not be chosen")
    known = Known(truth, sets, truth.values(sets, problem.gamma), scale)
    if truth.doubtful or np.isnan(known.values).any():
        return whole._replace(undecided=True)
    found = {storage: _settle(problem, one, known) for storage, one in answers.items()}
    differs = _differs(answers, known)
    said = [f"{storage}: {v.detail}" for storage, v in found.items() if v.lie or v.given_up or v.undecided]
    return whole._replace(
        **{field: any(getattr(v, field) for v in found.values()) for field in COUNTED},
        differs=bool(differs),
        error=max((v.error for v in found.values() if not (v.warned or v.undecided)), default=0.0),
        detail="; ".join([*said, *differs]) or next(iter(found.values())).detail,
    )


COUNTED = ("false_bound", "silent", "false_status", "warned", "inexact", "given_up", "undecided")


def sorted_sets(answer):
    """All sets that the answer names, each sorted."""
    named = [answer.members] if answer.near is None else [*answer.near, answer.members]
    return [tuple(int(j) for j in np.sort(some)) for some in named]


def _settle(problem, heard, known):
    """The verdict on one answer; undecided where another reading of a definition excuses what is wrong."""
    verdict = _weigh(problem, heard, known)
    if not verdict.lie or not problem.exactly:
        return verdict
    readings = known.truth.readings()
    next(readings)
    for other in readings:
        values = other.values(known.sets, problem.gamma)
        if np.isnan(values).any():
            continue
        if not _weigh(problem, heard, known._replace(truth=other, values=values)).lie:
            return verdict._replace(undecided=True, **dict.fromkeys(SETTLED, False))
    return verdict


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
    return Verdict(
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
    if converged and heard.quiet and given_up:
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


def _differs(answers, known):
    """What tells the answers of two storages apart, where neither says why."""
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
    if abs(a.upper_bound - b.upper_bound) > SAME_BOUND * (max(a.upper_bound, b.upper_bound) + floor):
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


def ask_fit(problem, held):
    """A fit by any solver, for classes, sets of labels or numbers."""
    numbers = problem.y.dtype.kind == "f"
    kind = (
        JointRegressionScore if numbers else partial(GeneralizedFisherScore, class_weight=held.class_weight)
    )
    selector = kind(
        problem.k,
        gamma=problem.gamma,
        solver=EXACT if problem.way == SEARCH else problem.way,
        standardize=problem.standardize,
        time_limit=LIMIT,
        groups=held.groups,
        keep=list(problem.keep) or None,
        exclude=list(problem.exclude) or None,
        adjust_for=held.adjust_for,
        missing="mean" if problem.missing else "error",
    ).fit(**held.data)
    members = np.flatnonzero(selector.support_)
    labels = np.arange(held.n_columns) if problem.groups is None else problem.groups
    order = list(dict.fromkeys(labels.tolist()))
    codes = [order.index(label) for label in labels]
    singles = selector.upper_bound_with_[codes], selector.upper_bound_without_[codes]
    stated = selector.objective_, selector.upper_bound_, members, selector.scores_
    return Answer(*stated, *singles, optimal=selector.optimal_, status=selector.status_)


def ask_search(problem, held):
    """A fit by exact search, of which nothing is spared by trying all sets."""
    with mock.patch.object(enumeration, "WORK", 0):
        return ask_fit(problem, held)


def _asked_of_functions(problem, held):
    return {
        "gamma": problem.gamma,
        "standardize": problem.standardize,
        "sample_weight": held.sample_weight,
        "confounders": held.confounders,
        "adjust_for": held.adjust_for,
        "time_limit": LIMIT,
        "missing": "mean" if problem.missing else "error",
        "task": "regression" if problem.y.dtype.kind == "f" else "classification",
    }


def ask_certify(problem, held):
    """A certificate for the subset of the problem."""
    exact = problem.k % 2 == 0
    asked = _asked_of_functions(problem, held)
    found = certify(held.X, held.y, problem.subset, exact=exact, **asked)
    stated = found.objective, found.upper_bound, problem.subset
    return Answer(*stated, optimal=found.optimal, status=found.status, best=found.best if exact else None)


def ask_near(problem, held):
    """All sets within a range of the best; the answer is the best of them."""
    asked = _asked_of_functions(problem, held)
    found = near_best(held.X, held.y, problem.k, within=WITHIN, **asked)
    if not found.sets:
        raise LookupError("no set is listed")
    near = {tuple(sorted(some)): float(v) for some, v in zip(found.sets, found.objectives, strict=True)}
    members = np.array(max(near, key=near.get))
    more = {"status": found.status, "near": near, "complete": found.complete}
    return Answer(near[tuple(members)], found.upper_bound, members, **more)


def ask_fold(problem, held):
    """A training part of a cross-validation, by subtraction where that is how it is done there."""
    X = problem.X.tocsr() if hasattr(problem.X, "tocsr") else problem.X
    source, coding = MemorySource(X, problem.y), Classes(int(problem.y.max()) + 1)
    folded = FoldedTable(source, coding, measure(source, coding), standardize=problem.standardize)
    rest = problem.rest
    table = folded.without(problem.fold, rest, by_rows=rest.size < 2 * problem.k)
    k = min(problem.k, table.columns.size)
    domain, trace = Domain(Units(None, table.columns.size), k), Trace(max_iter=1000, time_limit=LIMIT)
    (found,) = solve("joint", table, [domain], problem.gamma, tol=1e-3, trace=trace)
    warn_status(found.status)
    # what has been left out as constant adds nothing: any such columns make the subset up to k
    others = np.setdiff1d(np.arange(X.shape[1]), table.columns)[: problem.k - k]
    members = np.r_[table.columns[found.units], others]
    return Answer(found.objective, found.upper_bound, members, status=found.status)


ASK: dict[str, Any] = {
    JOINT: ask_fit,
    CUTS: ask_fit,
    EXACT: ask_fit,
    SEARCH: ask_search,
    CERTIFY: ask_certify,
    NEAR: ask_near,
    FOLD: ask_fold,
}
