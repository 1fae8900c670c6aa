"""Ask fisherset: the answer to a problem from one storage, with all that was said besides."""

import signal
import time
import warnings
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import dask
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fisherset import GeneralizedFisherScore, JointRegressionScore, certify, near_best
from fisherset.data import MemoryRows
from fisherset.selection.outcome import warn_status
from fisherset.solver import Domain, Status, Trace, Units, closing, solve
from fisherset.solver.exact import enumeration
from fisherset.statistics import Classes, FoldedTable, sum_moments
from support.problems import CERTIFY, CUTS, EXACT, FOLD, JOINT, NEAR, SEARCH, WITHIN
from support.stored_rows import store

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


class Heard(NamedTuple):
    """An answer with the circumstances: what it took, and what was said besides."""

    answer: Answer | None = None
    admitted: bool = False  # a warning says that float64 was not enough
    quiet: bool = True  # no ConvergenceWarning at all
    refused: str = ""
    raised: str = ""
    slow: bool = False


def ask(problem, storage, folder):
    """The answer of one storage."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught, dask.config.set(scheduler="synchronous"):
        warnings.simplefilter("always")
        try:
            with interrupted(INTERRUPT):
                answer = ASK[problem.way](problem, store(problem, storage, weights_of(problem), folder))
        except TimeoutError:
            return Heard(slow=True)
        except Exception as error:  # whatever it is, it is a finding
            said = f"{type(error).__name__}: {error}"
            refused = _clear(error) and (problem.exactly or "gamma must lie" in said)
            return Heard(refused=said) if refused else Heard(raised=said)
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
    return any(text.startswith(Status.INEXACT.value) for text in texts)


def weights_of(problem):
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


def ask_fit(problem, stored):
    """A fit by any solver, for classes, sets of labels or numbers."""
    numbers = problem.y.dtype.kind == "f"
    kind = (
        JointRegressionScore if numbers else partial(GeneralizedFisherScore, class_weight=stored.class_weight)
    )
    selector = kind(
        problem.k,
        gamma=problem.gamma,
        solver=EXACT if problem.way == SEARCH else problem.way,
        standardize=problem.standardize,
        time_limit=LIMIT,
        groups=stored.groups,
        keep=list(problem.keep) or None,
        exclude=list(problem.exclude) or None,
        adjust_for=stored.adjust_for,
        missing="mean" if problem.missing else "error",
    ).fit(**stored.data)
    members = np.flatnonzero(selector.support_)
    labels = np.arange(stored.n_columns) if problem.groups is None else problem.groups
    order = list(dict.fromkeys(labels.tolist()))
    codes = [order.index(label) for label in labels]
    singles = selector.upper_bound_with_[codes], selector.upper_bound_without_[codes]
    stated = selector.objective_, selector.upper_bound_, members, selector.scores_
    return Answer(*stated, *singles, optimal=selector.optimal_, status=selector.status_)


def ask_joint(problem, stored):
    """A fit by the joint solver; of tables with an odd number of rows, closed by the diagonal of one node.

    Nothing is spared by trying all sets then.
    """
    if problem.y.shape[0] % 2 == 0:
        return ask_fit(problem, stored)
    changed = (enumeration, "MOST_NUMBERS", 0), (enumeration, "MOST_COMPLETIONS", 0)
    changed = (*changed, (closing, "LOOSE", 0.0), (closing, "WORTHWHILE", 0.0))
    with ExitStack() as stack:
        for change in changed:
            stack.enter_context(mock.patch.object(*change))
        return ask_fit(problem, stored)


def ask_search(problem, stored):
    """A fit by exact search, of which nothing is spared by trying all sets."""
    with mock.patch.object(enumeration, "MOST_NUMBERS", 0):
        return ask_fit(problem, stored)


def _asked_of_functions(problem, stored):
    return {
        "gamma": problem.gamma,
        "standardize": problem.standardize,
        "sample_weight": stored.sample_weight,
        "confounders": stored.confounders,
        "adjust_for": stored.adjust_for,
        "time_limit": LIMIT,
        "missing": "mean" if problem.missing else "error",
        "task": "regression" if problem.y.dtype.kind == "f" else "classification",
    }


def ask_certify(problem, stored):
    """A certificate for the subset of the problem."""
    exact = problem.k % 2 == 0
    asked = _asked_of_functions(problem, stored)
    found = certify(stored.X, stored.y, problem.subset, exact=exact, **asked)
    stated = found.objective, found.upper_bound, problem.subset
    return Answer(*stated, optimal=found.optimal, status=found.status, best=found.best if exact else None)


def ask_near(problem, stored):
    """All sets within a range of the best; the answer is the best of them."""
    asked = _asked_of_functions(problem, stored)
    found = near_best(stored.X, stored.y, problem.k, within=WITHIN, **asked)
    if not found.sets:
        raise LookupError("no set is listed")
    near = {tuple(sorted(some)): float(v) for some, v in zip(found.sets, found.objectives, strict=True)}
    members = np.array(max(near, key=near.get))
    more = {"status": found.status, "near": near, "complete": found.complete}
    return Answer(near[tuple(members)], found.upper_bound, members, **more)


def ask_fold(problem, stored):
    """A training part of a cross-validation, by subtraction where that is how it is done there."""
    X = problem.X.tocsr() if hasattr(problem.X, "tocsr") else problem.X
    source, coding = MemoryRows(X, problem.y), Classes(int(problem.y.max()) + 1)
    folded = FoldedTable(source, coding, sum_moments(source, coding), standardize=problem.standardize)
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
    JOINT: ask_joint,
    CUTS: ask_fit,
    EXACT: ask_fit,
    SEARCH: ask_search,
    CERTIFY: ask_certify,
    NEAR: ask_near,
    FOLD: ask_fold,
}
