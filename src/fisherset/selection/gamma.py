"""The regulariser: the paper's gamma as given, or "scale", derived from the data.

gamma -> 0 is discriminant analysis on the subset: it trusts every correlation and, where
noise features abound, over-fits. gamma -> infinity is the one-by-one Fisher ranking: it keeps
every copy of a good feature. "scale" is the least gamma at which redundant features still
stay ahead of noise:

1. Of the d_0 features unrelated to the target the best reaches about R_0^2 by chance: see `noise`.
2. Once r copies of a feature have been selected, another keeps the share (gamma / (r n + gamma))^2
   of its score: this is XV of Eq. (26) for equal columns. Among the k best features a feature
   has 1 + (k - 1) rho copies, itself counted, rho being the mean squared correlation within the classes,
   less what chance gives; half of the others come before it on average: r = 1 + (k - 1) rho / 2.
   Features that tell the same classes apart are correlated for that reason alone: they are not copies.
3. The weakest of the k best features, R_k^2, then stays ahead of the noise as long as
   (gamma / (r n + gamma)) R_k >= R_0, that is gamma >= r n t / (1 - t) with t = R_0 / R_k.

Where no feature is noise this would be zero; a least multiple of n keeps gamma from vanishing. Where the
k best are themselves no better than noise, `LARGEST_T` keeps it finite; the answer is nearly the Fisher
ranking then, but for copies.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Indices
from fisherset.selection.constraints import PosedProblem
from fisherset.selection.noise import Null
from fisherset.solver import ranked, without
from fisherset.statistics import TableProblem

# Of n: without noise accuracy falls above it and stays the same below, where proofs loosen (docs/gamma.md).
LEAST_MULTIPLE = 0.1
LARGEST_T = 0.98  # gamma is then 49 r n; from 0.95 to 0.98 accuracy is the same (docs/gamma.md)
# Share of a column's scatter below which nothing is left within the classes but rounding.
NOTHING_LEFT = 1e-9
DECADES = 1e150  # times smaller or larger than the columns' squares: products of both stay within float64
SAMPLED = 200  # features whose correlations give rho


def resolve_gamma(gamma: float | str, posed: PosedProblem) -> float:
    """The number behind `gamma`; "scale" depends on the sets to choose from."""
    unit = unit_of(posed.problem)
    return unit * _multiple(posed) if gamma == "scale" else _within_range(float(gamma), unit)


def _within_range(gamma: float, unit: float) -> float:
    """Gamma, refused where the columns vanish next to it in float64, or it next to them."""
    least, most = unit / DECADES, unit * DECADES
    if not least <= gamma <= most:
        raise ValueError(
            f"gamma must lie between {least:.1e} and {most:.1e} for this table, {1 / DECADES:g} and "
            f"{DECADES:g} times the mean squared length of its columns; got {gamma:g}. Pass "
            f'gamma="scale", or gamma={unit:.6g} for one as large as that.'
        )
    return gamma


def unit_of(problem: TableProblem) -> float:
    """Unit of gamma: the mean squared length of a column, which is n on standardised data."""
    return float(problem.diagonal.mean()) if problem.diagonal.size else float(problem.n)


def _multiple(posed: PosedProblem) -> float:
    """Gamma over n."""
    problem, domain, shares = posed.problem, posed.domain, posed.shares
    if domain.m == 0:
        return LEAST_MULTIPLE
    units, null = domain.units, Null.of(problem)
    candidates = without(units.size, domain.fixed)  # which the selected are to stay ahead of
    noise = null.largest_by_chance(shares[units.columns(candidates)])
    if noise == 0.0:
        return LEAST_MULTIPLE
    strongest = units.most(shares)  # a group is as good as its best feature
    chosen = domain.best(strongest)
    best = units.columns(chosen)
    best = best[ranked(shares[best])]
    free = np.setdiff1d(chosen, domain.required)  # a required unit is in the set however weak it is
    weakest = float(strongest[free].min(initial=1.0))
    t = min(LARGEST_T, float(np.sqrt(noise / max(weakest, noise))))
    r = 1 + (best.size - 1) * _mean_squared_correlation(problem, best, null) / 2
    return max(LEAST_MULTIPLE, r * t / (1 - t))


def _mean_squared_correlation(problem: TableProblem, columns: Indices, null: Null) -> float:
    """rho: over pairs of the columns, or of an even sample where they are many.

    Of what the targets leave of the columns, which is their scatter within the classes, and less what
    unrelated columns have by chance.
    """
    if columns.size < 2:
        return 0.0
    sample = np.sort(columns[np.unique(np.linspace(0, columns.size - 1, SAMPLED).astype(int))])
    C, total = problem.C[sample], problem.diagonal[sample]
    # H'H is n times the identity for classes, and on average n times the scale for correlated targets
    within = problem.gram(sample, rows=sample) - C @ C.T / (problem.n * null.scale)
    left = within.diagonal()
    length = np.sqrt(np.where(left > NOTHING_LEFT * total, left, np.inf))
    squares = (within / length / length[:, None]) ** 2
    pairs = sample.size * (sample.size - 1)
    return max(0.0, float(squares.sum() - np.trace(squares)) / pairs - 1 / (2 * null.b))
