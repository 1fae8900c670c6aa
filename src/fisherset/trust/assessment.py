"""A selection assessed as a whole: useful on new rows, stable, better than chance; and advice from that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._html import as_html
from fisherset.selectors import GeneralizedFisherScore, JointRegressionScore
from fisherset.trust.held_out import HeldOut, held_out
from fisherset.trust.permutation import LEAST_DONE, PermutationTest, permutation_test
from fisherset.trust.resampling import LEAST_PAIRS
from fisherset.trust.stability import THRESHOLD, Stability, stability
from fisherset.validation.parameters import check_integer, check_jobs

LEVEL = 0.05  # of the permutation test
# Agreement beyond chance is poor below 0.4 and excellent above 0.75 (Fleiss 1981), as Nogueira, Sechidis and
# Brown read their index.
POOR, EXCELLENT = 0.4, 0.75
STANDARD_ERRORS = 2  # by which a score differs clearly
# Sizes that are tested besides the selected one, as shares of it: few, as each costs a search a permutation.
SHARES = (0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Assessment:
    """Verdicts on a selection: whether it is useful on new rows, stable, and better than chance.

    Attributes
    ----------
    held_out : HeldOut or None
        Score on rows that the selection was not made on.
    stability : Stability or None
        Selections on halves of the rows.
    permutation : PermutationTest or None
        F against F of permuted targets.
    reasons : dict of str to str
        Why a verdict is missing: sentences by the names above.
    support : ndarray of shape (n_features,) or None
        Mask of the selected features, where it was given.
    """

    held_out: HeldOut | None = None
    stability: Stability | None = None
    permutation: PermutationTest | None = None
    reasons: dict[str, str] = field(default_factory=dict)
    support: NDArray[np.bool_] | None = None

    @property
    def real(self) -> bool | None:
        """Whether F is beyond chance at the level of 5 %; None if that was not tested."""
        return None if self.permutation is None else self.permutation.pvalue <= LEVEL

    @property
    def useful(self) -> bool | None:
        """Whether new rows are told apart better than by the most frequent class; None if not known."""
        found = self.held_out
        return None if found is None else found.useful

    @property
    def advice(self) -> str:
        """Sentence on how to use the selection, and why."""
        for rule in (_unreal, _useless, _too_many, _too_few, _unstable):
            found = rule(self)
            if found:
                return found
        known = [name for name in ("held_out", "stability", "permutation") if getattr(self, name) is not None]
        if len(known) < 3:
            return "No advice without all three: accuracy on held-out rows, stability and permutations."
        return "The selection can be used and interpreted: it is better than chance, stable and useful."

    def __str__(self) -> str:
        parts = (self.held_out, self.stability, self.permutation)
        told = [str(part) for part in parts if part is not None]
        return "\n\n".join([*told, *self.reasons.values(), self.advice])

    def _repr_html_(self) -> str:
        """Return the verdicts, and the advice first, for a notebook."""
        parts = (self.held_out, self.stability, self.permutation)
        told = [part._repr_html_() for part in parts if part is not None]
        return "".join([as_html([self.advice, *self.reasons.values()]), *told])


def _unreal(found: Assessment) -> str:
    if found.real is not False or found.permutation is None:
        return ""
    return (
        f"Do not use this selection: permuted targets give sets with as large an F "
        f"(p = {found.permutation.pvalue:.2g})."
    )


def _useless(found: Assessment) -> str:
    scored = found.held_out
    if scored is None or found.useful is not False:
        return ""
    baseline = "the most frequent class" if scored.metric == "accuracy" else "the mean of the target"
    real = "F is beyond chance, but a" if found.real else "A"
    return (
        f"Do not use this selection to predict: {real} linear model on it is no better on new rows "
        f"than {baseline} ({scored.shown(scored.score)} against {scored.shown(scored.majority)})."
    )


def _too_many(found: Assessment) -> str:
    tested = found.permutation
    if tested is None or not tested.sizes:
        return ""
    last = tested.largest_size_beyond_chance
    if not 0 < last < tested.sizes[-1]:
        return ""
    return (
        f"Consider {last} features instead of {tested.sizes[-1]}: larger sets gain no more from the target "
        f"than from permuted ones."
    )


def _too_few(found: Assessment) -> str:
    scored = found.held_out
    if scored is None or scored.all_columns_scores is None:
        return ""
    lost = scored.all_columns_scores - scored.scores
    error = lost.std(ddof=1) / len(lost) ** 0.5 if len(lost) > 1 else float("inf")
    if not lost.mean() > STANDARD_ERRORS * error + 0.01:
        return ""
    return (
        f"Select more features if you can: all columns reach "
        f"{scored.shown(float(scored.all_columns_scores.mean()))} on new rows, the selection "
        f"{scored.shown(scored.score)}."
    )


def _unstable(found: Assessment) -> str:
    stable = found.stability
    if stable is None:
        return ""
    if np.isnan(stable.index):
        return "There is nothing to interpret: all features are selected, or none."
    often = stable.stable()
    inside = often if found.support is None else often & found.support
    n, of = int(inside.sum()), round(stable.n_selected if found.support is None else found.support.sum())
    if not stable.index < EXCELLENT:
        # halves can agree on other features, as where they choose a smaller size
        if found.support is None or 2 * _of_stable_clusters(stable, found.support) >= of:
            return ""
        return (
            f"Interpret only the features that most halves of the rows select, {n} of {of}: they agree on "
            f"{stable.n_selected:.2g} features, not on these."
        )
    if stable.index_of_clusters >= EXCELLENT:
        return (
            f"Interpret clusters of interchangeable features, not single ones: halves of the rows agree on "
            f"the clusters (index {stable.index_of_clusters:.2f}), less on features ({stable.index:.2f})."
        )
    if stable.index_of_clusters < POOR:
        return (
            f"Use the selection to predict, but do not interpret single features: halves of the rows select "
            f"different ones (index {stable.index:.2f})."
        )
    if n >= of:
        return (
            f"Interpret the selection with care: halves of the rows select other features besides "
            f"(index {stable.index:.2f})."
        )
    return (
        f"Interpret only the features that most halves of the rows select, {n} of {of}: the others depend "
        f"on the sample (index {stable.index:.2f})."
    )


def _of_stable_clusters(stable: Stability, support: NDArray[np.bool_]) -> int:
    """Number of the selected features that, or the like of which, most halves select."""
    known = stable.cluster_frequencies[stable.clusters] >= THRESHOLD
    return int((known & support).sum())


def assess(
    selector: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    n_pairs: int = 50,
    n_permutations: int = 200,
    groups: Any = None,
    confounders: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    all_columns: bool = True,
    support: Any = None,
) -> Assessment:
    """Assess a selection: useful on new rows, stable under resampling, better than chance.

    Runs :func:`fisherset.evaluation.held_out`, :func:`fisherset.stability` and
    :func:`fisherset.permutation_test`, the last for some smaller sizes as well where the selector allows
    that. Each repeats the whole selection.

    Parameters
    ----------
    selector : selector
        Of fisherset or scikit-learn, fitted or not; it is not changed.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples, in memory.
    y : array-like
        Their targets, as the selector takes them.
    cv : int, splitter or iterable, default=5
        Folds of the held-out score.
    n_pairs : int, default=50
        Number of pairs of half-samples, two or more; 0 leaves stability out.
    n_permutations : int, default=200
        Number of permutations, 19 or more; 0 leaves the test out.
    groups : array-like of shape (n_samples,), default=None
        Groups of samples within which targets are permuted.
    confounders : array-like of shape (n_samples, n_confounders), default=None
        Numbers that features and targets are adjusted for.
    random_state : int or None, default=None
        Seed of the halves and permutations.
    n_jobs : int or None, default=None
        Number of threads for the half-samples.
    all_columns : bool, default=True
        Whether to score a model of all columns on held-out rows, too.
    support : array-like of shape (n_features,), default=None
        Mask of the features that were selected on all rows, for the advice to be about them.

    Returns
    -------
    assessment : Assessment
        The three results, and `advice`. A part that this table does not allow is None, with the reason in
        `reasons`; after Ctrl-C there is what was finished.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.trust import assess
    >>> X, y = load_wine(return_X_y=True)
    >>> found = assess(GeneralizedFisherScore(3), X, y, n_permutations=99, random_state=0)
    >>> found.permutation.pvalue, found.useful
    (0.01, True)
    >>> print(found.advice)
    Select more features if you can: all columns reach 98.9 % on new rows, the selection 94.4 %.
    """
    check_integer("n_pairs", n_pairs, least=0 if n_pairs == 0 else LEAST_PAIRS)
    check_integer("n_permutations", n_permutations, least=0 if n_permutations == 0 else LEAST_DONE)
    check_jobs(n_jobs)
    more = {} if confounders is None else {"confounders": confounders}
    halves = {"n_pairs": n_pairs, "random_state": random_state, "n_jobs": n_jobs}
    tested: dict[str, Any] = {
        "n_permutations": n_permutations,
        "groups": groups,
        "random_state": random_state,
        "ks": sizes_around(selector, X),
    }
    folds = {"cv": cv, "all_columns": all_columns}
    steps: dict[str, Callable[[], Any]] = {"held_out": lambda: held_out(selector, X, y, **folds, **more)}
    if n_pairs:
        steps["stability"] = lambda: stability(selector, X, y, **halves, **more)
    if n_permutations:
        steps["permutation"] = lambda: permutation_test(selector, X, y, **tested, **more)
    mask = None if support is None else np.asarray(support, dtype=bool)
    return replace(_run(steps), support=mask)


def _run(steps: dict[str, Callable[[], Any]]) -> Assessment:
    """Take the steps; data that one of them refuses are a reason, unless all do."""
    found: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    error: Exception | None = None
    try:
        for name, step in steps.items():
            try:
                found[name] = step()
                if not getattr(found[name], "complete", True):  # stopped by Ctrl-C, which is for all
                    raise KeyboardInterrupt
            except (ValueError, TypeError) as refused:
                error = error or refused
                reasons[name] = str(refused)
    except KeyboardInterrupt:
        if not found:
            raise
        reasons |= {name: "Interrupted." for name in steps if name not in {*found, *reasons}}
    if not found and error is not None:
        raise error
    return Assessment(**found, reasons=reasons)


def sizes_around(selector: Any, X: Any) -> Sequence[int] | None:
    """Sizes for the permutation test: some smaller ones and that of the selector; None of others."""
    k = getattr(selector, "n_features_to_select", None)
    fixed = type(selector) in (GeneralizedFisherScore, JointRegressionScore) and selector.solver == "joint"
    if not fixed or not isinstance(k, int) or isinstance(k, bool) or selector.groups is not None:
        return None
    least = 1 if selector.keep is None else k  # required ones must fit
    return sorted({max(least, round(share * k)) for share in (*SHARES, 1.0)})
