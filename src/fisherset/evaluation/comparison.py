"""Comparison of methods: the accuracy of a classifier on the features each selects, over random halves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import FisherScore, HSICScore, LaplacianScore, LeakageWarning, TraceRatio, selection_path
from fisherset._docs import documented
from fisherset._format import enumerated
from fisherset._types import Floats, Indices
from fisherset.evaluation.description import in_safe_units
from fisherset.evaluation.display import TITLES, PrintedComparison
from fisherset.evaluation.holdout import halves, holdout_accuracy, paired_difference
from fisherset.validation.parameters import check_integer, check_sizes, shown
from fisherset.validation.samples import check_samples
from fisherset.validation.table import column_names

LEVEL = 0.05  # of the one-sided test by which a method is better than another
ALGORITHM_1_COLUMNS = 300  # at most, where it is compared by default: its time grows fast


class _Scores(NamedTuple):
    """The numbers of a comparison, which is a tuple of them."""

    ks: list[int]
    accuracy: dict[str, Floats]
    chosen: Mapping[str, list[list[Indices]]] = MappingProxyType({})
    seconds: Mapping[str, Floats] = MappingProxyType({})
    n_features: int = 0


class Comparison(PrintedComparison, _Scores):
    """Methods side by side: their accuracies, selected columns and times; printed, a table.

    Attributes
    ----------
    ks : list of int
        The numbers of features.
    accuracy : dict of str to ndarray of shape (n_repeats, n_sizes)
        For each method.
    chosen : mapping of str to list of list of ndarray
        The columns each method selected, for each repeat and number of features; empty where they
        were not kept.
    seconds : mapping of str to ndarray of shape (n_repeats,)
        Time each method took to select, for all numbers of features together.
    n_features : int
        Number of columns to select from.
    """

    def mean(self, method: str) -> Floats:
        """Mean accuracy over the repeats.

        Parameters
        ----------
        method : str
            One of the methods compared.

        Returns
        -------
        mean : ndarray of shape (n_sizes,)
            For each k.
        """
        return self.accuracy[method].mean(axis=0)

    def error(self, method: str) -> Floats:
        """Standard deviation of the accuracy over the repeats.

        Parameters
        ----------
        method : str
            One of the methods compared.

        Returns
        -------
        error : ndarray of shape (n_sizes,)
            For each k; zero for a single repeat.
        """
        scores = self.accuracy[method]
        return scores.std(axis=0, ddof=1) if len(scores) > 1 else np.zeros(scores.shape[1])

    def leaders(self, k: int) -> list[str]:
        """Methods that are not clearly less accurate than the best, the best first.

        Two methods are compared over the same halves, by the paired t-test of Nadeau and Bengio (2003),
        which counts the rows that the halves share, at the level of 5 %.

        Parameters
        ----------
        k : int
            One of the numbers of features.

        Returns
        -------
        methods : list of str
            A single one is a winner; all of them where there is a single repeat, which has no error.
        """
        scores = {method: found[:, self.ks.index(k)] for method, found in self.accuracy.items()}
        ranked = sorted(scores, key=lambda method: -scores[method].mean())
        return [method for method in ranked if not _clearly_better(scores[ranked[0]], scores[method])]

    def verdict(self, titles: Mapping[str, str] = MappingProxyType(TITLES)) -> str:
        """The winner for each number of features, where there is one.

        Parameters
        ----------
        titles : mapping of str to str, default=TITLES
            Names of the methods.

        Returns
        -------
        verdict : str
            One or two sentences.
        """
        won: dict[str, list[int]] = {}
        for k in self.ks:
            leaders = self.leaders(k)
            won.setdefault(leaders[0] if len(leaders) == 1 else "", []).append(k)
        parts = [
            f"{titles.get(method, method)} is the most accurate with {enumerated(sizes)} features."
            for method, sizes in won.items()
            if method
        ]
        if "" in won:
            averages = self._best_on_average(won[""])
            best = [f"{titles.get(method, method)} with {enumerated(ks)}" for method, ks in averages.items()]
            shown = f"; best on average: {', '.join(best)}" if best else ""
            parts.append(f"No clear winner with {enumerated(won[''], 'or')} features{shown}.")
        return " ".join(parts) if len(self.accuracy) > 1 else ""

    def _best_on_average(self, ks: Sequence[int]) -> dict[str, list[int]]:
        """Sizes at which a method has the largest mean accuracy, alone to a tenth of a per cent."""
        best: dict[str, list[int]] = {}
        for k in ks:
            means = {method: round(self.mean(method)[self.ks.index(k)], 3) for method in self.accuracy}
            first = [method for method, mean in means.items() if mean == max(means.values())]
            if len(first) == 1:
                best.setdefault(first[0], []).append(k)
        return best

    def overlap(self, k: int) -> Floats:
        """Share of their k features that two methods have in common on the same half of the rows.

        Parameters
        ----------
        k : int
            One of the numbers of features.

        Returns
        -------
        overlap : ndarray of shape (n_methods, n_methods)
            Means over the repeats. On the diagonal the stability of each method, NaN for a single
            repeat.
        """
        members = self._members(k)  # methods x repeats x columns
        shared: Floats = np.einsum("mrj,lrj->ml", members, members) / (k * members.shape[1])
        np.fill_diagonal(shared, [self._stability(own, k) for own in members])
        return shared

    def stability(self, method: str) -> Floats:
        """Share of its features that the sets of a method on two different halves have in common, on average.

        Parameters
        ----------
        method : str
            One of the methods compared.

        Returns
        -------
        stability : ndarray of shape (n_sizes,)
            For each k, from 0 to 1; NaN for a single repeat.
        """
        place = list(self.chosen).index(method)
        return np.array([self._stability(self._members(k)[place], k) for k in self.ks])

    def times_chosen(self, k: int) -> tuple[Indices, Indices]:
        """Number of repeats in which each method selected each column, most often first.

        Parameters
        ----------
        k : int
            One of the numbers of features.

        Returns
        -------
        columns : ndarray of shape (n_chosen,)
            Columns that any method selected.
        times : ndarray of shape (n_methods, n_chosen)
            Number of repeats.
        """
        columns = self._columns(k)
        times = self._members(k).sum(axis=1).astype(np.intp)
        order = np.lexsort([columns, -times.sum(axis=0)])
        return columns[order], times[:, order]

    def _columns(self, k: int) -> Indices:
        """Columns that any method selected, rising."""
        at = self.ks.index(k)
        return np.unique(np.concatenate([sizes[at] for one in self.chosen.values() for sizes in one]))

    def _members(self, k: int) -> Floats:
        """1 where a method selected a column in a repeat: methods x repeats x columns that any selected."""
        at, columns = self.ks.index(k), self._columns(k)
        return np.array(
            [[np.isin(columns, sizes[at]) for sizes in one] for one in self.chosen.values()], dtype=np.float64
        )

    @staticmethod
    def _stability(own: Floats, k: int) -> float:
        """Mean over pairs of repeats; the sum over all pairs, less each repeat with itself."""
        repeats = len(own)
        if repeats < 2:
            return float("nan")
        return float((np.sum(own.sum(axis=0) ** 2) - own.sum()) / (k * repeats * (repeats - 1)))


def _clearly_better(first: Floats, second: Floats) -> bool:
    """Whether a method is more accurate than another, beyond the error of their difference."""
    found = paired_difference(first, second)
    certain = len(first) > 1 and np.isnan(found.p_corrected)  # the same difference on every half
    return found.mean > 0 and (certain or found.p_corrected / 2 < LEVEL)


def methods_for(n_features: int) -> list[str]:
    """All methods, without Algorithm 1 where it is slow.

    Parameters
    ----------
    n_features : int
        The number of columns.

    Returns
    -------
    methods : list of str
        Keys of `TITLES`.
    """
    return [method for method in TITLES if method != "cutting-plane" or n_features <= ALGORITHM_1_COLUMNS]


@documented
def compare(
    X: Any,
    y: Any,
    ks: Sequence[int],
    *,
    methods: Sequence[str] | None = None,
    repeats: int = 5,
    classifier: Any = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare the methods on random halves: features and classifier from one, accuracy on the other.

    The features are standardised by the mean and deviation of the half that selects.

    Parameters
    ----------
    %(X.rows, y.classes)
    ks : sequence of int or float
        Numbers of features.
    methods : sequence of str, default=None
        Of "hsic", "fisher", "laplacian", "trace-ratio-fs", "trace-ratio-ls", "cutting-plane"
        and "joint"; None for all, the paper's Algorithm 1 only for tables of up to 300 columns.
    repeats : int, default=5
        Number of random halves.
    classifier : estimator, default=None
        None for 1-nearest-neighbour on standardised features.
    seed : int, default=0
        Other seeds give other halves.
    progress : callable, default=None
        Called with the number of selections done, and of all.

    Returns
    -------
    comparison : Comparison
        Accuracies, selected columns and seconds of each method.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset.evaluation import compare
    >>> X, y = load_digits(return_X_y=True)
    >>> found = compare(X, y, [10], methods=["fisher", "joint"], repeats=2)
    >>> found
    Comparison(2 methods, k = 10, 2 repeats)
    >>> {method: f"{found.mean(method)[0]:.0%}" for method in found.accuracy}
    {'fisher': '87%', 'joint': '91%'}
    >>> found.table()[0]["features"][:3]
    ['x20', 'x21', 'x26']
    """
    check_integer("repeats", repeats, least=1)
    check_integer("seed", seed, least=0)
    if classifier is not None and not (hasattr(classifier, "fit") and hasattr(classifier, "predict")):
        raise TypeError(f"classifier must have fit and predict; got {shown(classifier)}.")
    table, _, codes = check_samples(X, y)
    wanted = methods_for(table.shape[1]) if methods is None else _known(methods)
    sizes = check_sizes(ks, table.shape[1])
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(1)) if classifier is None else classifier
    table = in_safe_units(table)
    table = table.tocsr() if sparse.issparse(table) else table
    accuracy = {method: np.empty((repeats, len(sizes))) for method in wanted}
    seconds = {method: np.empty(repeats) for method in wanted}
    kept: dict[str, list[list[Indices]]] = {method: [] for method in wanted}
    done, total = 0, repeats * len(wanted)
    for repeat, (train, test) in enumerate(_splits(codes, repeats, seed)):
        # one scale for all features, as in the paper: not all methods are invariant to it
        rows = StandardScaler(with_mean=not sparse.issparse(table)).fit_transform(table[train])
        for method in wanted:
            start = perf_counter()
            selected = features_for(method, rows, codes[train], sizes)
            seconds[method][repeat] = perf_counter() - start
            kept[method].append(selected)
            accuracy[method][repeat] = [
                holdout_accuracy(model, table, codes, features, train, test) for features in selected
            ]
            done += 1
            if progress is not None:
                progress(done, total)
    found = Comparison(sizes, accuracy, kept, seconds, table.shape[1])
    found._labels = column_names(X) or ()
    return found


def features_for(method: str, X: Any, y: Any, ks: Sequence[int]) -> list[Indices]:
    """The features that a method selects for each k, in column order; target leakage is not reported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakageWarning)  # X is a part of a table that has been looked at
        return _features_for(method, X, y, ks)


def _features_for(method: str, X: Any, y: Any, ks: Sequence[int]) -> list[Indices]:
    if method in ("joint", "cutting-plane"):
        path = selection_path(X, y, ks, solver=method, tol=None)
        found = {step.k: step.features for step in path}
        return [found[k] for k in ks]
    if method.startswith("trace-ratio"):  # its sets are not nested
        criterion = "fisher" if method.endswith("fs") else "laplacian"
        fitted = [TraceRatio(k, criterion=criterion).fit(X, y) for k in ks]
        return [np.flatnonzero(selector.support_) for selector in fitted]
    ranker = {
        # the class number as label: with one-hot labels HSIC would rank as the Fisher score
        "hsic": HSICScore(1, label_kernel="linear"),
        "fisher": FisherScore(1),
        "laplacian": LaplacianScore(1),
    }[method]
    order = np.argsort(ranker.fit(X, y).ranking_)
    return [np.sort(order[:k]) for k in ks]


def _known(methods: Sequence[str]) -> list[str]:
    """Names of methods, each once."""
    rule = f"methods must be a list of names among {', '.join(TITLES)}"
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise TypeError(f"{rule}; got {shown(methods)}.")
    wanted = list(dict.fromkeys(map(str, methods)))
    unknown = [method for method in wanted if method not in TITLES]
    if unknown or not wanted:
        raise ValueError(f"{rule}; got {', '.join(unknown) or 'none'}.")
    return wanted


def _splits(codes: Indices, repeats: int, seed: int) -> Iterator[tuple[Indices, Indices]]:
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        train, test = halves(codes, rng)
        if not 2 <= np.unique(codes[train]).size < train.size:
            raise ValueError(
                "Half of the rows must hold two classes, and two rows of one; there are too few rows."
            )
        yield train, test
