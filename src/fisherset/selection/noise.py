"""Noise columns: how many columns look unrelated to the target, and how far chance alone takes them.

R_j^2 = ||C_j||^2 / (n G_jj), the share of a column's scatter that lies between the classes, is
Beta((c - 1)/2, (n - c)/2) distributed for a column unrelated to them. How many are unrelated, d_0,
is twice the number whose p-value lies above 1/2 (Storey 2002): p-values of such columns are
uniform, others hardly come there. It is at most the number of columns that are not clearly related, by
Holm's test. The largest share among them, R_0^2, is about the one that is exceeded with probability 1/d_0;
where there is hardly one, with probability 1/20: weakly related columns are not called better than chance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincc, betainccinv

from fisherset._types import Floats, Indices
from fisherset.solver import Units
from fisherset.statistics import Classes, TableProblem

# One unrelated column is expected above R_0^2; more than this many are rare (Poisson, 2 %).
MOST_BY_CHANCE = 3
LEVEL = 0.05  # of Holm's test, of the best selected column, and of each one without noise columns


class Noise(NamedTuple):
    """Comparison of the selected columns, each by itself, with the best of the noise columns.

    A group of features, such as the values of a column of strings, counts as one column.

    Attributes
    ----------
    n_features : int
        Number of columns that vary.
    n_unrelated : int
        Number of them that look unrelated to the target: noise columns.
    luckiest : float
        Largest share of scatter between the classes expected among these by chance.
    n_chosen : int
        Number of selected columns.
    n_above : int
        Number of selected columns that are better than the best noise column.
    chance : bool
        Whether nothing shows that the selected are better than chance would give.
    target : str
        What they are unrelated to: the classes, or the target.
    """

    n_features: int
    n_unrelated: int
    luckiest: float
    n_chosen: int
    n_above: int
    chance: bool
    target: str = "classes"

    def __repr__(self) -> str:
        better = f"{self.n_above} of {self.n_chosen} selected better than chance"
        return f"Noise({better}, {self.n_unrelated} of {self.n_features} columns look unrelated)"

    def __str__(self) -> str:
        if not self.n_features:
            return "No column varies."
        if not self.n_unrelated and self.n_above == self.n_chosen:
            return f"No column looks unrelated to the {self.target}."
        k, above = self.n_chosen, self.n_above
        if self.chance and not above:
            selected = f"None of the {k} selected features is" if k > 1 else "The selected feature is not"
            return f"{selected} better than the best of {self.n_unrelated} noise columns would be by chance."
        verb = "beats" if above == 1 or k == 1 else "beat"
        who = f"{'Only ' if self.chance else ''}{above} of {k} selected features"
        if above in (0, k):
            every = "Both" if k == 2 else f"All {k}"
            several = f"{every if above else f'None of the {k}'} selected features"
            who = "The selected feature" if k == 1 else several
        verb = "does not beat" if above == 0 and k == 1 else "beats" if above == 0 else verb
        best = f"the best noise column ({_percent(self.luckiest)})"
        return f"{who} {verb} {best}{': chance gives as many.' if self.chance else '.'}"


def _percent(share: float) -> str:
    """A share, with one digit where it is small: "0.3 %", "12 %"."""
    return f"{100 * share:.{1 if share < 0.0995 else 0}f} %"


def measure_noise(
    problem: TableProblem, shares: Floats, units: Units, chosen: Indices, excluded: Indices
) -> Noise:
    """Compare the units (columns of the table) selected among all but the excluded with chance."""
    null = Null.of(problem)
    shares = null.of_single(units.most(shares), units.sizes)
    of_chosen, among = shares[chosen], np.delete(shares, excluded)
    unrelated = min(null.count_unrelated(among), among.size - _clearly_related(among, null))
    largest = null.quantile(1 / unrelated if unrelated > 1 else LEVEL)
    above = int(np.count_nonzero(of_chosen > largest))
    # how many unrelated columns are expected to be as good as the best of the selected
    expected = unrelated * float(null.exceeded(of_chosen.max(initial=0.0)))
    chance = unrelated > 1 and above <= MOST_BY_CHANCE and expected > LEVEL
    target = "classes" if isinstance(problem.coding, Classes) else "target"
    return Noise(among.size, unrelated, largest, chosen.size, above, chance, target)


def _clearly_related(shares: Floats, null: Null) -> int:
    """How many columns with these shares Holm's test rejects to be unrelated."""
    rising, rejected = np.sort(shares), 0
    while rejected < rising.size:
        # a share that is enough for the next is enough for all that come after it
        enough = null.quantile(LEVEL / (rising.size - rejected))
        found = rising.size - int(np.searchsorted(rising, enough))
        if found <= rejected:
            break
        rejected = found
    return rejected


def between_shares(problem: TableProblem) -> Floats:
    """R_j^2 of each column of a problem."""
    between, total = problem.scatter.between, problem.scatter.total
    between, total = between[problem.columns], total[problem.columns]
    return np.divide(between, total, out=np.zeros(total.size), where=total > 0)


class Null(NamedTuple):
    """Distribution of R_j^2 for a column unrelated to the target: a scale times Beta(a, b)."""

    scale: float
    a: float
    b: float

    @classmethod
    def of(cls, problem: TableProblem) -> Null:
        """Distribution for a problem, in which each confounder costs one degree of freedom."""
        n = problem.scatter.n_samples - (len(problem.scatter.B) - 1)
        scale, freedom = problem.coding.null(problem.scatter.moments)
        return cls(scale, freedom / 2, max(n - freedom - 1, 1.0) / 2)

    def exceeded(self, shares: Floats) -> Floats:
        """Probability of more than each of some shares."""
        if not self.scale > 0:  # targets that do not vary, of which no share is more than chance
            return np.ones_like(shares)
        found: Floats = betaincc(self.a, self.b, np.minimum(shares / self.scale, 1.0))
        return found

    def of_single(self, shares: Floats, sizes: Indices) -> Floats:
        """Shares that are as rare for one feature as these are for the best of some independent ones."""
        several = np.flatnonzero(sizes > 1)  # the others stay: a p-value for each takes longer than a fit
        if several.size:
            shares = shares.copy()
            with np.errstate(divide="ignore"):  # log 0, of a share of 0
                p = -np.expm1(sizes[several] * np.log1p(-self.exceeded(shares[several])))
            shares[several] = self.scale * betainccinv(self.a, self.b, p)
        return shares

    def count_unrelated(self, shares: Floats) -> int:
        """Twice the number of p-values above 1/2."""
        return 2 * int(np.count_nonzero(shares < self.quantile(0.5)))

    def quantile(self, exceeded: float) -> float:
        """The share that is exceeded with a probability."""
        return self.scale * float(betainccinv(self.a, self.b, exceeded))

    def largest_by_chance(self, shares: Floats) -> float:
        """R_0^2 for gamma: the largest share to expect among the unrelated features; 0 without any.

        Twice the number of p-values above 1/2, without Holm's test: gamma was chosen with this estimate, and
        a few noise features more or less hardly change it.
        """
        unrelated = self.count_unrelated(shares)
        return self.quantile(1 / unrelated) if unrelated > 1 else 0.0
