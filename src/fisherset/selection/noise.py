"""Columns that have nothing to do with the classes: how many there seem to be, and how far luck takes them.

R_j^2 = ||C_j||^2 / (n G_jj), the share of a column's scatter that lies between the classes, is
Beta((c - 1)/2, (n - c)/2) distributed for a column unrelated to them. How many are unrelated
is twice the number whose p-value lies above 1/2 (Storey 2002): p-values of such columns are
uniform, others hardly come there. The luckiest of them reaches about the share that is
exceeded with a probability of one over their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincc, betainccinv

from fisherset._types import Floats, Indices
from fisherset.statistics import Classes, TableProblem

# Of unrelated columns one is expected above the luckiest share; more than this many hardly ever are.
BY_CHANCE = 3
LEVEL = 0.05


class Noise(NamedTuple):
    """What the columns, each by itself, say of chance.

    Attributes
    ----------
    n_features : int
        How many columns vary.
    n_unrelated : int
        How many of them look unrelated to the classes.
    luckiest : float
        The share of its scatter between the classes that the luckiest of these would reach.
    n_chosen : int
        How many columns were chosen.
    n_above : int
        How many of the chosen exceed the luckiest.
    chance : bool
        Whether nothing shows that the chosen are better than chance would give.
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


def measure_noise(problem: TableProblem, chosen: Indices, barred: Indices | None = None) -> Noise:
    """What there is to say of chance, about columns chosen in the problem from all but the barred."""
    shares, null = between_shares(problem), Null.of(problem)
    of_chosen = shares[chosen]
    if barred is not None and barred.size:
        shares = np.delete(shares, barred)
    unrelated, luckiest = null.count_unrelated(shares), null.luckiest(shares)
    above = int(np.count_nonzero(of_chosen > luckiest))
    best = float(of_chosen.max(initial=0.0))
    as_lucky = unrelated * null.exceeded(best) if unrelated else 0.0
    chance = unrelated > 1 and above <= BY_CHANCE and as_lucky > LEVEL
    target = "classes" if isinstance(problem.coding, Classes) else "target"
    return Noise(shares.size, min(unrelated, shares.size), luckiest, chosen.size, above, chance, target)


def between_shares(problem: TableProblem) -> Floats:
    """R_j^2, the share of a feature's scatter that lies between the classes."""
    between, total = problem.scatter.between, problem.scatter.total
    between, total = between[problem.columns], total[problem.columns]
    shares: Floats = np.divide(between, total, out=np.zeros(total.size), where=total > 0)
    return shares


class Null(NamedTuple):
    """Distribution of R_j^2 for a column unrelated to the target: a scale times Beta(a, b)."""

    scale: float
    a: float
    b: float

    @classmethod
    def of(cls, problem: TableProblem) -> Null:
        """Of a problem, in which each confounder that was taken out costs a sample."""
        n = problem.scatter.n_samples - (len(problem.scatter.B) - 1)
        scale, freedom = problem.coding.null(problem.scatter.moments)
        return cls(scale, freedom / 2, max(n - freedom - 1, 1.0) / 2)

    def exceeded(self, share: float) -> float:
        """The probability of more than a share."""
        return float(betaincc(self.a, self.b, min(share / self.scale, 1.0)))

    def _quantile(self, exceeded: float) -> float:
        return self.scale * float(betainccinv(self.a, self.b, exceeded))

    def count_unrelated(self, shares: Floats) -> int:
        """Twice the number of features with a p-value above 1/2."""
        return 2 * int(np.sum(shares < self._quantile(0.5)))

    def luckiest(self, shares: Floats) -> float:
        """R_0^2, the largest share to expect among the features unrelated to the target; 0 without any."""
        unrelated = self.count_unrelated(shares)
        return self._quantile(1 / unrelated) if unrelated > 1 else 0.0
