"""The regulariser: the paper's gamma as given, or "scale", worked out from the data.

gamma -> 0 is discriminant analysis on the subset: it trusts every correlation and, where
noise features abound, over-fits. gamma -> infinity is the one-by-one Fisher ranking: it keeps
every copy of a good feature. "scale" is the least gamma at which redundant features still
stay ahead of noise:

1. R_j^2 = ||C_j||^2 / (n G_jj), the share of a feature's scatter that lies between the classes,
   is Beta((c - 1)/2, (n - c)/2) distributed for a feature unrelated to them. Of d_0 such
   features the luckiest reaches about the value R_0^2 exceeded with probability 1/d_0.
2. How many features are unrelated, d_0, is twice the number whose p-value lies above 1/2
   (Storey 2002): p-values of null features are uniform, others hardly come there.
3. Once r copies of a feature have been chosen, another keeps the share (gamma / (r n + gamma))^2
   of its score: this is XV of Eq. (26) for equal columns. Among the k best features a feature
   has 1 + (k - 1) rho copies, itself counted, rho being the mean squared correlation; half of
   the others come before it on average: r = 1 + (k - 1) rho / 2.
4. The weakest of the k best features, R_k^2, then stays ahead of the luckiest noise as long as
   (gamma / (r n + gamma)) R_k >= R_0, that is gamma >= r n t / (1 - t) with t = R_0 / R_k.

Where no feature is noise this would be nought; a least multiple of n keeps gamma from vanishing. Where the k
best are themselves no better than noise, `SURE` keeps it finite; the answer is the Fisher
ranking then, but for copies.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Indices
from fisherset.selection.noise import Null, between_shares
from fisherset.solver import Domain, Units, ranked, without
from fisherset.statistics import Numbers, TableProblem

LEAST_MULTIPLE = 1.0  # multiples of n; accuracy hardly changes between 0.05 and 1 where noise is absent
# Numbers can be explained nearly wholly; what gamma leaves of them, a quarter at n, then hides the small.
LEAST_FOR_NUMBERS = 0.25
SURE = 0.98  # the largest t
DECADES = 1e150  # how many times smaller or larger than the columns' squares gamma may be
SAMPLED = 200  # features whose correlations are looked at


def resolve_gamma(gamma: float | str, problem: TableProblem, sets: int | Domain) -> float:
    """The number behind `gamma`; "scale" depends on the sets to choose from: their size, or domain."""
    if gamma != "scale":
        return _within_range(float(gamma), unit_of(problem))
    d = problem.columns.size
    domain = Domain(Units(None, d), min(sets, d)) if isinstance(sets, int) else sets
    return unit_of(problem) * _multiple(problem, domain)


def _within_range(gamma: float, unit: float) -> float:
    """Gamma, unless all columns vanish beside it, or it beside them, in whatever is computed of both."""
    least, most = unit / DECADES, unit * DECADES
    if not least <= gamma <= most:
        raise ValueError(
            f"gamma must lie between {least:.1e} and {most:.1e} for this table, {1 / DECADES:g} and "
            f"{DECADES:g} times the mean squared length of its columns; got {gamma:g}. Pass "
            f'gamma="scale", or gamma={unit:.6g} for one as large as that.'
        )
    return gamma


def unit_of(problem: TableProblem) -> float:
    """What gamma is a multiple of: the mean squared length of a feature, on standardised data n."""
    return float(problem.diagonal.mean()) if problem.diagonal.size else float(problem.n)


def _multiple(problem: TableProblem, domain: Domain) -> float:
    """Gamma over n."""
    least = LEAST_FOR_NUMBERS if type(problem.coding) is Numbers else LEAST_MULTIPLE
    if domain.m == 0:
        return least
    units, shares = domain.units, between_shares(problem)
    rivals = without(units.size, domain.fixed)  # what the chosen are to stay ahead of
    luckiest = Null.of(problem).luckiest(shares[units.columns(rivals)])
    if luckiest == 0.0:
        return least
    strongest = units.most(shares)  # a group is as good as its best feature
    chosen = domain.best(strongest)
    best = units.columns(chosen)
    best = best[ranked(shares[best])]
    free = np.setdiff1d(chosen, domain.required)  # what is kept is in the set however weak it is
    weakest = float(strongest[free].min(initial=1.0))
    t = min(SURE, float(np.sqrt(luckiest / max(weakest, luckiest))))
    r = 1 + (best.size - 1) * _mean_squared_correlation(problem, best) / 2
    return max(least, r * t / (1 - t))


def _mean_squared_correlation(problem: TableProblem, columns: Indices) -> float:
    """Of pairs of the columns; of an even sample where they are many."""
    if columns.size < 2:
        return 0.0
    places = np.unique(np.linspace(0, columns.size - 1, SAMPLED).astype(int))
    sample = np.sort(columns[places])
    G = problem.gram(sample, rows=sample)
    length = np.sqrt(problem.diagonal[sample])
    squares = (G / length / length[:, None]) ** 2
    pairs = sample.size * (sample.size - 1)
    return max(0.0, float(squares.sum() - np.trace(squares)) / pairs)
