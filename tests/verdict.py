"""Is a certificate true? What fisherset answers to a problem, held against 32 digits."""

import signal
import time
import warnings
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fisherset import GeneralizedFisherScore, JointRegressionScore, certify
from fisherset.selectors.certificate import warn_status
from fisherset.solver import Domain, Trace, Units, enumeration, solve
from fisherset.sources import MemorySource
from fisherset.statistics import Classes, FoldedTable, measure
from hostile import CERTIFY, CUTS, EXACT, FOLD, JOINT
from truth import Truth

BOUND = (1e-9, 1e-14)  # relative and absolute: what a bound may lie below the best subset
OBJECTIVE, FLOOR = 1e-6, 1e-6  # share of the truth that an objective may be off; of this where it is less
CEILING, BELOW = 1e-9, 1e-3  # a bound at the ceiling is given up where one this share below it was to be had


LIMIT = 1.0  # seconds a fit may take; the relaxation gets half of them
INTERRUPT = 3.0  # seconds of the processor, for what has no time_limit
SLOW, FEW = 0.4, 1000  # seconds of the processor no table with so few rows should take


class Answer(NamedTuple):
    """What fisherset says of a problem."""

    objective: float
    upper_bound: float
    members: np.ndarray
    q: np.ndarray | None = None
    with_each: np.ndarray | None = None  # bounds on the sets with each column, and without it
    without_each: np.ndarray | None = None
    optimal: bool = False  # whether it is said to be the best


class Verdict(NamedTuple):
    """What it was worth."""

    name: str
    family: str
    false_bound: bool = False  # a subset is better than the bound
    silent: bool = False  # the objective is off, or the set is not the best, and nothing said so
    warned: bool = False  # it is off, and a warning said so
    given_up: bool = False  # the bound is the ceiling without need
    raised: str = ""  # an exception, or a warning of numpy's
    slow: bool = False  # it took longer than a table of this size should
    undecided: bool = False  # 32 digits do not tell
    error: float = 0.0  # of the objective, relative
    detail: str = ""

    @property
    def lie(self):
        return self.false_bound or self.silent


def judge(problem):
    """Ask, and compare."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with interrupted(INTERRUPT):
                answer = ASK[problem.way](problem)
        except TimeoutError:
            return Verdict(problem.name, problem.family, slow=True)
        except Exception as error:  # whatever it is, it is a finding
            return Verdict(problem.name, problem.family, raised=f"{type(error).__name__}: {error}")
    slow = time.process_time() - start > SLOW and len(problem.y) < FEW
    numeric = [f"RuntimeWarning: {w.message}" for w in caught if issubclass(w.category, RuntimeWarning)]
    return _compare(problem, answer, admits(caught))._replace(slow=slow, raised="; ".join(set(numeric)))


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


def _compare(problem, answer, admitted):
    rows, weights = problem.rest, _weights(problem)
    weights = None if weights is None else weights[rows]
    truth = Truth(
        problem.X[rows],
        problem.y[rows],
        weights,
        standardize=problem.standardize,
        numbers=problem.family in ("numbers", "label sets"),
        confounders=problem.confounders,
    )
    sets = list(problem.sets())
    if tuple(np.sort(answer.members)) not in sets:
        return Verdict(problem.name, problem.family, raised=f"{answer.members} may not be chosen")
    values = truth.values(sets, problem.gamma)
    best = float(np.max(values))
    true = float(truth.criterion([answer.members], problem.gamma)[0])
    if truth.doubtful or np.isnan(best):
        return Verdict(problem.name, problem.family, undecided=True)
    error = abs(answer.objective - true) / (true + FLOOR)
    off = not error <= OBJECTIVE  # NaN too
    return Verdict(
        problem.name,
        problem.family,
        false_bound=_exceeds(best, answer.upper_bound) or _exceeds_singles(answer, sets, values),
        silent=(off or (answer.optimal and best > true * (1 + 2 * OBJECTIVE) + BOUND[1])) and not admitted,
        warned=off and admitted,
        given_up=_given_up(problem, answer, truth),
        error=error,
        detail=f"objective {answer.objective:.9g} (true {true:.9g}), "
        f"bound {answer.upper_bound:.9g} (best {best:.9g})",
    )


def _exceeds(best, bound):
    return not best <= bound * (1 + BOUND[0]) + BOUND[1]


def _exceeds_singles(answer, sets, values):
    """Whether a set is better than the bound on sets with one of its columns, or without another."""
    if answer.with_each is None:
        return False
    columns = range(answer.with_each.size)
    has = np.array([[j in some for j in columns] for some in map(set, sets)])
    return any(
        _exceeds(np.max(values[there], initial=-np.inf), bound)
        for bounds, where in ((answer.with_each, has), (answer.without_each, ~has))
        for bound, there in zip(bounds, where.T, strict=True)
    )


def _given_up(problem, answer, truth):
    """Whether the bound is the ceiling though the q of the answer proves a better one."""
    if not problem.plain or problem.way != JOINT or answer.upper_bound < truth.ceiling * (1 - CEILING):
        return False
    m = min(problem.k, int(np.count_nonzero(~truth.constant)))
    return m > 0 and truth.tangent_bound(answer.q, m, problem.gamma) < truth.ceiling * (1 - BELOW)


def ask_fit(problem):
    """A fit by any solver, for classes, sets of labels or numbers."""
    numbers = problem.y.dtype.kind == "f"
    kind = (
        JointRegressionScore
        if numbers
        else partial(GeneralizedFisherScore, class_weight=problem.class_weight)
    )
    selector = kind(
        problem.k,
        gamma=problem.gamma,
        solver=problem.way,
        standardize=problem.standardize,
        time_limit=LIMIT,
        groups=problem.groups,
        keep=list(problem.keep) or None,
        exclude=list(problem.exclude) or None,
        missing="mean" if problem.family == "missing" else "error",
    ).fit(problem.X, problem.y, problem.weights, problem.confounders)
    members = np.flatnonzero(selector.support_)
    labels = np.arange(problem.X.shape[1]) if problem.groups is None else problem.groups
    order = list(dict.fromkeys(labels.tolist()))
    codes = [order.index(label) for label in labels]
    singles = selector.upper_bound_with_[codes], selector.upper_bound_without_[codes]
    stated = selector.objective_, selector.upper_bound_, members, selector.scores_
    return Answer(*stated, *singles, optimal=selector.optimal_)


def ask_search(problem):
    """A fit by exact search, of which nothing is spared by trying all sets."""
    with mock.patch.object(enumeration, "WORK", 0):
        return ask_fit(problem)


def ask_certify(problem):
    """A certificate for the subset of the problem."""
    found = certify(
        problem.X,
        problem.y,
        problem.subset,
        gamma=problem.gamma,
        standardize=problem.standardize,
        sample_weight=problem.weights,
        exact=problem.k % 2 == 0,
        time_limit=LIMIT,
    )
    return Answer(found.objective, found.upper_bound, problem.subset, optimal=found.optimal)


def ask_fold(problem):
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
    return Answer(found.objective, found.upper_bound, np.r_[table.columns[found.units], others])


ASK: dict[str, Any] = {
    JOINT: ask_fit,
    CUTS: ask_fit,
    EXACT: ask_search,
    CERTIFY: ask_certify,
    FOLD: ask_fold,
}
