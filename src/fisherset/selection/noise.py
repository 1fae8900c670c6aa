"""Noise features: how many columns look unrelated to the target, and how far chance alone takes them.

R_j^2 = ||C_j||^2 / (n G_jj), the share of a column's scatter that lies between the classes, is
Beta((c - 1)/2, (n - c)/2) distributed for a column unrelated to them. How many are unrelated, d_0,
is twice the number whose p-value lies above 1/2 (Storey 2002): p-values of such columns are
uniform, others hardly come there. The largest share among them, R_0^2, is about the one that is
exceeded with probability 1/d_0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincc, betainccinv

from fisherset._types import Floats, Indices
from fisherset.statistics import Classes, TableProblem

# One unrelated column is expected above R_0^2; more than this many are rare (Poisson, 2 %).
MOST_BY_CHANCE = 3
LEVEL = 0.05  # of the test that the best of the selected is no better than the best of d_0 by chance


class Noise(NamedTuple):
    """Comparison of the selected columns, each by itself, with chance.

    Attributes
    ----------
    n_features : int
        Number of columns that vary.
    n_unrelated : int
        Number of them that look unrelated to the classes.
    luckiest : float
        Largest share of scatter between the classes expected among these by chance.
    n_chosen : int
        Number of selected columns.
    n_above : int
        Number of selected columns above that share.
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

    def __str__(self) -> str:
        if not self.n_features:
            return "No column varies."
        if not self.n_unrelated:
            return f"No column looks unrelated to the {self.target}."
        seen = (
            f"{self.n_unrelated} of {self.n_features} columns look unrelated to the {self.target}; by "
            f"chance alone the luckiest of them would explain {self.luckiest:.1%}, and {self.n_above} of "
            f"the {self.n_chosen} chosen exceed that"
        )
        return f"{seen}: one by one that is no more than chance would give." if self.chance else f"{seen}."


def measure_noise(problem: TableProblem, shares: Floats, chosen: Indices, excluded: Indices) -> Noise:
    """Compare the columns selected among all but the excluded with chance, by their shares R_j^2."""
    null, of_chosen = Null.of(problem), shares[chosen]
    if excluded.size:
        shares = np.delete(shares, excluded)
    unrelated, largest = null.count_unrelated(shares), null.largest_by_chance(shares)
    above = int(np.count_nonzero(of_chosen > largest))
    # how many unrelated columns are expected to be as good as the best of the selected
    expected = unrelated * null.exceeded(float(of_chosen.max(initial=0.0))) if unrelated else 0.0
    chance = unrelated > 1 and above <= MOST_BY_CHANCE and expected > LEVEL
    target = "classes" if isinstance(problem.coding, Classes) else "target"
    return Noise(shares.size, min(unrelated, shares.size), largest, chosen.size, above, chance, target)


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

    def exceeded(self, share: float) -> float:
        """Probability of more than a share."""
        return float(betaincc(self.a, self.b, min(share / self.scale, 1.0)))

    def _quantile(self, exceeded: float) -> float:
        return self.scale * float(betainccinv(self.a, self.b, exceeded))

    def count_unrelated(self, shares: Floats) -> int:
        """d_0: twice the number of columns with a p-value above 1/2."""
        return 2 * int(np.sum(shares < self._quantile(0.5)))

    def largest_by_chance(self, shares: Floats) -> float:
        """R_0^2: the largest share to expect among the unrelated columns; 0 without any."""
        unrelated = self.count_unrelated(shares)
        return self._quantile(1 / unrelated) if unrelated > 1 else 0.0
