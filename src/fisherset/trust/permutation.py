"""Permutation test of a selection: F of the target against F of permuted targets."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fisherset._progress import report_progress
from fisherset._records import Printed, Records, Tabular
from fisherset._types import Floats
from fisherset.statistics.measured import FitArguments
from fisherset.trust.repetition import repeat
from fisherset.trust.schemes import check_groups, describe, draw_targets
from fisherset.validation.parameters import check_integer, check_share

LEVEL = 0.05  # of the increments of `largest_size_beyond_chance`, the level of the other tests for noise
LEAST_DONE = 19  # permutations from which p can be as small as 0.05
SAME = 1e-9  # share by which statistics of one set may differ by rounding: they are ties


@dataclass(frozen=True)
class PermutationTest(Tabular):
    """Outcome of a permutation test.

    Attributes
    ----------
    statistic : float
        F of the selection from the real targets.
    null : ndarray of shape (n_permutations,)
        F of the selections from permuted targets.
    scheme : str
        What was permuted, and why that is valid.
    sizes : tuple of int
        The sizes of `ks`, rising; none without.
    statistics : ndarray of shape (n_sizes,)
        F of the selection of each size from the real targets.
    nulls : ndarray of shape (n_permutations, n_sizes)
        The same from permuted targets, all at the gamma of the selection from the real ones.
    """

    statistic: float
    null: Floats
    scheme: str
    sizes: tuple[int, ...] = ()
    statistics: Floats = field(default_factory=lambda: np.empty(0))
    nulls: Floats = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def n_permutations(self) -> int:
        """Number of permutations that were completed."""
        return int(self.null.size)

    @property
    def pvalue(self) -> float:
        """Share of all targets, the real ones included, with an F as large as the real one's."""
        return float(_upper_shares(np.append(self.statistic, self.null)[:, None])[0, 0])

    @property
    def pvalues_corrected(self) -> Floats:
        """P-value of each size, corrected for the choice among the sizes.

        The smallest of the p-values of a run over all sizes, each by its rank among all runs, is compared
        between the runs (Westfall and Young 1993): all sizes count alike.
        """
        shares = _upper_shares(np.vstack([self.statistics, self.nulls]))
        least = shares.min(axis=1, initial=1.0)
        return np.array([np.mean(least <= share * (1 + SAME)) for share in shares[0]])

    @property
    def largest_size_beyond_chance(self) -> int:
        """Largest size up to which each step to a larger set gains more than chance gives; 0 for none.

        The gain over the size before, over the empty set for the first, is compared with the gains from
        permuted targets, size after size, up to the first that is not beyond their upper 5 %. As the sizes
        are tested in a fixed order, no correction is needed for the first. Real sets leave less to gain
        than permuted targets do, so that later sizes are judged cautiously.
        """
        runs = np.vstack([self.statistics, self.nulls])
        shares = _upper_shares(np.diff(runs, axis=1, prepend=0.0))[0]
        failed = np.flatnonzero(shares > LEVEL * (1 + SAME))
        passed = failed[0] if failed.size else len(self.sizes)
        return self.sizes[passed - 1] if passed else 0

    def null_band(self, level: float = 0.95) -> Floats:
        """Range of F from permuted targets, for each size.

        Parameters
        ----------
        level : float, default=0.95
            Share of the permutations in the range, as many below it as above.

        Returns
        -------
        band : ndarray of shape (2, n_sizes)
            Its lower and upper ends.
        """
        level = check_share("level", level)
        found: Floats = np.quantile(self.nulls, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return found

    def table(self) -> Records:
        """Rows of the printed table, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each size: F, the mean and upper 2.5 % of F from permuted targets, and the corrected
            p-value. Without sizes one for the selection, with its p-value.
        """
        if not self.sizes:
            mean, upper = float(self.null.mean()), float(np.quantile(self.null, 0.975))
            return [{"F": self.statistic, "by chance": mean, "upper 2.5 %": upper, "p": self.pvalue}]
        found = zip(self.sizes, self.statistics, self.nulls.T, self.pvalues_corrected, strict=True)
        return [
            {
                "k": k,
                "F": float(F),
                "by chance": float(null.mean()),
                "upper 2.5 %": float(np.quantile(null, 0.975)),
                "p": float(p),
            }
            for k, F, null, p in found
        ]

    def __repr__(self) -> str:
        figures = f"p = {self.pvalue:.3g}, F = {self.statistic:.6g}"
        return f"PermutationTest({figures}, {self.n_permutations} permutations)"

    def _printed(self) -> Printed:
        formats = {"k": "d", "F": "#.6g", "by chance": "#.6g", "upper 2.5 %": "#.6g", "p": ".3g"}
        sizes = [f"Largest size beyond chance: {self.largest_size_beyond_chance}."] if self.sizes else []
        return Printed(
            [], self.table(), formats, [*sizes, f"{self.n_permutations} permutations. {self.scheme}"]
        )


def _upper_shares(runs: Floats) -> Floats:
    """Share of the runs that reach the value of each one, itself included, column by column."""
    slack = SAME * np.abs(runs).max(axis=0, initial=0.0)
    shares = [
        (len(c) - np.searchsorted(np.sort(c), c - s)) / len(c) for c, s in zip(runs.T, slack, strict=True)
    ]
    return np.array(shares).reshape(runs.shape[1], len(runs)).T


def permutation_test(
    selector: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int = 200,
    groups: Any = None,
    random_state: Any = None,
    sample_weight: Any = None,
    confounders: Any = None,
    ks: Sequence[int | float] | None = None,
) -> PermutationTest:
    """Test whether a selection is better than chance, by repeating it on permuted targets.

    The whole procedure is repeated for each permutation, the choice of gamma included: its F, at the gamma
    that it chose, is a function of the table and the targets alone. Where the targets can be exchanged,
    p <= a therefore has probability a at most, whatever the selector.

    Parameters
    ----------
    selector : estimator
        The selector, fitted or not; it stays as it is.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples.
    y : array-like
        Their targets, as the selector takes them.
    n_permutations : int, default=200
        Number of permutations; p is at least 1 / (1 + n_permutations).
    groups : array-like of shape (n_samples,), default=None
        Groups of samples, such as batches or sites, within which targets are permuted.
    random_state : int, RandomState or None, default=None
        Seed of the permutations; the same seed gives the same answer.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples, which stay with the rows.
    confounders : array-like of shape (n_samples, n_confounders), default=None
        Numbers that features and targets are adjusted for.
    ks : sequence of int or float, default=None
        Sizes to test as well, all at the gamma of the selector's own size from the real targets: F of
        another gamma would have other gains. `statistic` and `null` are each at a gamma of their own.

    Returns
    -------
    test : PermutationTest
        With `pvalue`, `statistic`, `null` and `scheme`; with `ks` also `sizes`, `statistics`,
        `pvalues_corrected`, `null_band` and `largest_size_beyond_chance`.

    See Also
    --------
    GeneralizedFisherScore : Its `noise_` compares single features with chance, without permutations.

    Notes
    -----
    Of GeneralizedFisherScore and JointRegressionScore without `class_weight` and exact search only C = X'H
    is computed anew, for many permutations in one product, and nothing is proven. Sets of 250 features or
    fewer are searched for among the best features one by one, four for each selected one and at least 200,
    for the real targets as well: `statistic` is the `objective_` of a fit but where a swap with another
    feature would help, which is rare.

    Other selectors are refitted. Their statistic is `objective_`; where they have none, or choose gamma by
    cross-validation, F of their selection at gamma = n_samples: F at one gamma cannot be compared with F at
    another.

    With confounders, or `adjust_for`, targets must stay as tied to these as they are. Of numbers the
    residuals are permuted and added to what the confounders explain (Freedman and Lane 1983). Labels are
    permuted with the probability that a logistic model gives each order (conditional permutation, Berrett,
    Wang, Barber and Samworth 2020), and F is compared in units of its ceiling, which confounders lower. That
    is valid if the log-odds of the labels are linear in the confounders, and nearly so if the features
    depend on these linearly with the same spread everywhere. If neither holds, add powers of the
    confounders, or pass bins of them as `groups`.

    The p-value counts the real targets among the permutations, (1 + b) / (1 + n_permutations) (Phipson and
    Smyth 2010). Ctrl-C keeps the permutations that are done, once they are 19.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore, permutation_test
    >>> X, y = load_wine(return_X_y=True)
    >>> test = permutation_test(GeneralizedFisherScore(3), X, y, n_permutations=99, random_state=0)
    >>> test.pvalue
    0.01
    """
    count = check_integer("n_permutations", n_permutations, least=1)
    random = check_random_state(random_state)
    given = FitArguments(sample_weight, confounders=confounders)
    repetition = repeat(selector, X, y, given, ks)
    rows = repetition.rows._replace(groups=check_groups(groups, repetition.rows.y.shape[0]))
    with closing(repetition.of(chain([rows.y], draw_targets(rows, random, count)))) as statistics:
        runs = _run(statistics, count)
    real, nulls = runs[0], np.array(runs[1:]).reshape(len(runs) - 1, runs[0].size)
    return PermutationTest(
        float(real[0]), nulls[:, 0], describe(rows), repetition.sizes, real[1:], nulls[:, 1:]
    )


def _run(statistics: Iterator[Floats], count: int) -> list[Floats]:
    """Statistics of the real targets and the permutations; of those done, where Ctrl-C stops them late."""
    done = [next(statistics)]
    try:
        for found in statistics:
            done.append(found)
            report_progress("permutations", len(done) - 1, count)
    except KeyboardInterrupt:
        if len(done) <= LEAST_DONE:
            raise
        warnings.warn(
            f"Interrupted: {len(done) - 1} of {count} permutations are done.", UserWarning, stacklevel=3
        )
    return done
