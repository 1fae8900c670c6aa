"""Complementary pairs of half-samples, and the selections that a selector makes on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, has_fit_parameter

from fisherset._progress import report_progress
from fisherset._threads import one_thread
from fisherset._types import Indices
from fisherset.data import MemoryRows
from fisherset.selection.constraints import Constraints, SetArguments, check_constraints
from fisherset.selection.gamma import resolve_gamma
from fisherset.selection.request import SearchOptions
from fisherset.selectors import GeneralizedFisherScore, JointRegressionScore
from fisherset.solver import Status
from fisherset.statistics import FoldedTable, TableProblem
from fisherset.statistics.measured import FitArguments
from fisherset.statistics.sums.coding import Labels
from fisherset.validation.numbers import check_magnitude
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_container, check_table, dask_as_rows, is_out_of_core
from fisherset.validation.targets import encode_labels

LEAST_PAIRS = 2  # without which nothing varies
Mask: TypeAlias = NDArray[np.bool_]


class Halves(NamedTuple):
    """Rows to be halved: within each class, where they have classes."""

    n_rows: int
    codes: Indices | None = None
    weighty: Indices | None = None  # the rows that count; None for all

    def pair(self, random: np.random.RandomState) -> tuple[Indices, Indices]:
        """Row numbers of two halves without a row in common, rising.

        Of a class, or a table, with an odd number of rows one drawn at random is in neither.
        """
        codes = np.zeros(self.n_rows, dtype=np.intp) if self.codes is None else self.codes
        order = random.permutation(self.n_rows if self.weighty is None else self.weighty)
        order = order[np.argsort(codes[order], kind="stable")]
        counts = np.bincount(codes[order])
        place = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)  # within its class
        half = np.repeat(counts // 2, counts)
        return np.sort(order[place < half]), np.sort(order[(half <= place) & (place < 2 * half)])


class Resampled(NamedTuple):
    """A selector on a table, ready for its halves."""

    halves: Halves
    fit: Callable[[Indices, Indices, int], tuple[Mask, Mask]]  # selections on two halves, with a seed
    names: NDArray[Any] | None
    X: Any  # all rows, in memory
    groups: Indices | None = None  # of the columns that are selected together

    def supports(self, n_pairs: int, seeds: Indices, n_jobs: int | None) -> Mask:
        """Selections as rows, two for each pair; those of the finished pairs after Ctrl-C."""
        found: list[Mask] = []
        run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        try:
            # warnings of a fit on all rows have been shown; those of a hundred halves would repeat them
            with one_thread(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for pair in run(delayed(self._pair)(seed) for seed in seeds.tolist()):
                    found.extend(pair)
                    report_progress("half-samples", len(found) // 2, n_pairs)
        except KeyboardInterrupt:
            if len(found) < 2 * LEAST_PAIRS:
                raise
        return np.array(found)

    def _pair(self, seed: int) -> tuple[Mask, Mask]:
        random = np.random.RandomState(seed)
        return self.fit(*self.halves.pair(random), seed)


def check_selector(selector: Any) -> None:
    """Refuse what is not a selector that can be cloned."""
    known = all(hasattr(selector, name) for name in ("fit", "get_params"))
    last = steps_of(selector)[-1] if known and not isinstance(selector, type) else None
    if last is None or not hasattr(last, "get_support"):
        raise TypeError(
            f"selector must be a feature selector with fit and get_support, such as "
            f"GeneralizedFisherScore(10) or SelectKBest(k=10), or a pipeline that ends in one; "
            f"got {shown(selector)}."
        )


def steps_of(selector: Any) -> list[Any]:
    """The steps of a pipeline that do something, or the selector alone."""
    steps = getattr(selector, "steps", None)
    if not isinstance(steps, list) or not steps:
        return [selector]
    return [step for _, step in steps if step is not None and step != "passthrough"] or [selector]


def support_of(fitted: Any, n_features: int) -> Mask:
    """Columns of X that a fitted selector, or all those of a pipeline one after another, select."""
    columns = np.arange(n_features)
    for step in steps_of(fitted):
        if hasattr(step, "get_support"):
            mask = np.asarray(step.get_support())
            if mask.size != columns.size:
                raise ValueError(
                    f"selector must select among the columns of X; {type(step).__name__} selects among "
                    f"{mask.size} of {columns.size}. Leave out the steps before it that make new columns."
                )
            columns = columns[mask]
    support = np.zeros(n_features, dtype=bool)
    support[columns] = True
    return support


def resample(selector: Any, X: Any, y: Any, sample_weight: Any = None, confounders: Any = None) -> Resampled:
    """Check the table, and choose how the selector is fitted on its halves."""
    if is_out_of_core(X) or is_out_of_core(dask_as_rows(X)):
        raise TypeError(
            f"X must be rows in memory, which are halved; got an object of type {type(X).__name__}. "
            f"Read a part of the rows into an array or a data frame."
        )
    X, given = check_container(X), FitArguments(sample_weight, confounders=confounders)
    ours = type(selector) in (GeneralizedFisherScore, JointRegressionScore) and selector.solver == "joint"
    plain = ours and all(getattr(selector, name) is None for name in ("class_weight", "adjust_for"))
    if plain and selector.missing == "error" and selector.max_memory is None:
        found = _by_statistics(clone(selector), X, y, given)
        if found is not None:
            return found
    return _by_refitting(selector, X, y, _data_of_fit(selector, given))


def _data_of_fit(selector: Any, given: FitArguments) -> dict[str, Any]:
    """Weights and confounders as arguments of `fit`, refused where it does not take them."""
    data = {name: getattr(given, name) for name in given.repeated}
    for name in data:
        if not has_fit_parameter(selector, name):
            fix = "Adjust the columns of X before" if name == "confounders" else "Leave them out"
            raise TypeError(
                f"{name} must be None for {type(selector).__name__}, as its fit takes none; got "
                f"{shown(data[name])}. {fix}, or use GeneralizedFisherScore."
            )
    return data


def _by_statistics(selector: Any, X: Any, y: Any, given: FitArguments) -> Resampled | None:
    """Our joint selectors: the table is measured once; None for sets of labels."""
    options = selector._check_parameters()._replace(tol=None, loose_tol=0.0)
    request = selector._request(check_table(selector, X), given)
    constraints = request.constraints
    k = constraints.count(selector.n_features_to_select)
    table = request.measure(y, k)
    if isinstance(table.coding, Labels):
        return None
    memory: Any = getattr(table.rows, "rows", None)
    rows = request.X.tocsr() if sparse.issparse(request.X) else request.X
    source = MemoryRows(rows, memory.y, memory.weight, memory.confounders)
    moments = table.scatter.moments
    folded = FoldedTable(source, table.coding, moments, standardize=selector.standardize)
    weighty = None if memory.weight is None else np.flatnonzero(memory.weight > 0)
    halves = Halves(source.n_rows, table.codes if table.codes.size else None, weighty)
    _check_halves(halves, table.classes)
    if selector.gamma != "scale":  # must suit all rows, too, as in a fit
        resolve_gamma(selector.gamma, constraints.pose(folded.whole(), k))
    names = None if request.names is None else np.array(request.names, dtype=object)
    fits = JointFits(folded, constraints, k, selector.gamma, options)
    return Resampled(halves, fits.pair, names, rows, constraints.codes if constraints.grouped else None)


class JointFits(NamedTuple):
    """A joint selection on halves of a table that was measured, without certificates."""

    folded: FoldedTable
    constraints: Constraints
    k: int
    gamma: float | str
    options: SearchOptions

    def pair(self, first: Indices, second: Indices, seed: int) -> tuple[Mask, Mask]:
        """Selections on two halves."""
        one, other = map(self.support, self.folded.halves(first, second))
        return one, other

    def support(self, problem: TableProblem) -> Mask:
        """The columns selected of a problem."""
        check_magnitude(problem.diagonal)
        posed = self.constraints.pose(problem, self.k)
        gamma = resolve_gamma(self.gamma, posed)
        (solution,) = self.options.solutions([posed], gamma, self.options.trace(), certified=False)
        return posed.support_of(solution)


def _by_refitting(selector: Any, X: Any, y: Any, data: dict[str, Any]) -> Resampled:
    """Any selector: a fit on all rows shows what is wrong with the table, or with a parameter."""
    whole = _fitted(selector, X, y, 0, data)
    weight = data.get("sample_weight")
    weighty = None if weight is None else np.flatnonzero(np.asarray(weight) > 0)
    halves = Halves(_num_samples(X), _classes_of(selector, y), weighty)
    n_features = int(getattr(whole, "n_features_in_", None) or np.shape(X)[1])
    support_of(whole, n_features)
    names = getattr(whole, "feature_names_in_", None)
    X = X.tocsr() if sparse.issparse(X) else X
    classes = np.empty(0) if halves.codes is None else np.unique(np.asarray(y))
    _check_halves(halves, classes)
    fits = Refits(selector, X, y, n_features, data)
    groups = None
    if hasattr(whole, "groups_"):  # of ours
        groups = check_constraints(SetArguments(selector.groups), n_features, names).codes
    return Resampled(halves, fits.pair, None if names is None else np.array(names), X, groups)


class Refits(NamedTuple):
    """A selector fitted on the rows of each half."""

    selector: Any
    X: Any
    y: Any
    n_features: int
    data: dict[str, Any]  # weights and confounders

    def pair(self, first: Indices, second: Indices, seed: int) -> tuple[Mask, Mask]:
        """Selections on two halves."""
        one, other = (self.support(rows, seed) for rows in (first, second))
        return one, other

    def support(self, rows: Indices, seed: int) -> Mask:
        """The columns selected on some rows."""
        X, y = (None if part is None else _safe_indexing(part, rows) for part in (self.X, self.y))
        data = {name: _safe_indexing(values, rows) for name, values in self.data.items()}
        return support_of(_fitted(self.selector, X, y, seed, data), self.n_features)


def _fitted(selector: Any, X: Any, y: Any, seed: int, data: dict[str, Any]) -> Any:
    """A clone that is fitted, all that is random in it drawn from the seed."""
    selector = clone(selector)
    given = selector.get_params()
    random = [name for name in given if name.split("__")[-1] == "random_state" and given[name] is None]
    fitted = selector.set_params(**dict.fromkeys(random, seed)).fit(X, y, **data)
    if getattr(fitted, "status_", None) is Status.INTERRUPTED:  # exact search answers Ctrl-C with a set
        raise KeyboardInterrupt
    return fitted


def _classes_of(selector: Any, y: Any) -> Indices | None:
    """Class of each row; None without targets, for several, and for numbers.

    Numbers of which some occur once are no classes to a selector that does not say so.
    """
    if y is None or np.ndim(y) != 1 or isinstance(selector, JointRegressionScore):
        return None
    values = np.asarray(y)
    if values.dtype.kind in "iuf" and type_of_target(values) not in ("binary", "multiclass"):
        return None
    codes: Indices = encode_labels(values)[1]
    once = bool(np.any(np.bincount(codes) < 2))
    return None if once and values.dtype.kind in "iuf" else codes


def _check_halves(halves: Halves, classes: NDArray[Any]) -> None:
    """Each class must be in each half, and each half must have more rows than classes."""
    rows = np.arange(halves.n_rows) if halves.weighty is None else halves.weighty
    if halves.codes is None:
        if rows.size < 4:
            raise ValueError(
                f"X must have four rows or more, two for each half; got {rows.size}"
                f"{'' if halves.weighty is None else ' with a weight'}. Add rows."
            )
        return
    counts = np.bincount(halves.codes[rows])
    present = np.flatnonzero(counts)
    if counts[present].min() < 2:
        rare = shown(classes[present[np.argmin(counts[present])]])
        raise ValueError(
            f"y must have two samples or more of each class, one for each half; got 1 of class {rare}. "
            f"Leave the class out, or join it to another."
        )
    if counts.max() < 4:
        raise ValueError(
            f"y must have a class of four samples or more, two for each half; the largest has "
            f"{counts.max()}. Add samples."
        )


def seeds_of(random: np.random.RandomState, n_pairs: int) -> Indices:
    """A seed for each pair, the same whatever pairs are fitted at the same time."""
    seeds: Indices = random.randint(0, 2**31 - 1, size=n_pairs).astype(np.intp)
    return seeds
