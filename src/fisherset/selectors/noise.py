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
from fisherset.statistics import TableProblem

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
    """

    n_features: int
    n_unrelated: int
    luckiest: float
    n_chosen: int
    n_above: int
    chance: bool

    def __str__(self) -> str:
        if not self.n_unrelated:
            return "No column looks unrelated to the classes."
        seen = (
            f"{self.n_unrelated} of {self.n_features} columns look unrelated to the classes; by chance alone "
            f"the luckiest of them would explain {self.luckiest:.1%}, and {self.n_above} of the "
            f"{self.n_chosen} chosen exceed that"
        )
        return f"{seen}: one by one they are no better than chance would give." if self.chance else f"{seen}."


def measure_noise(problem: TableProblem, chosen: Indices, barred: Indices | None = None) -> Noise:
    """What there is to say of chance, about columns chosen in the problem from all but the barred."""
    shares, n, rank = between_shares(problem), free_samples(problem), problem.rank
    of_chosen = shares[chosen]
    shares = shares if barred is None else np.delete(shares, barred)
    unrelated = _count_unrelated(shares, n, rank)
    luckiest = luckiest_share(shares, n, rank)
    above = int(np.count_nonzero(of_chosen > luckiest))
    best = float(of_chosen.max(initial=0.0))
    as_lucky = unrelated * float(betaincc(*_null_parameters(n, rank), min(best, 1.0))) if unrelated else 0.0
    chance = unrelated > 1 and above <= BY_CHANCE and as_lucky > LEVEL
    return Noise(shares.size, min(unrelated, shares.size), luckiest, chosen.size, above, chance)


def between_shares(problem: TableProblem) -> Floats:
    """R_j^2, the share of a feature's scatter that lies between the classes."""
    directions = problem.C / np.sqrt(problem.n * problem.diagonal)[:, None]
    shares: Floats = np.einsum("jr,jr->j", directions, directions)
    return shares


def free_samples(problem: TableProblem) -> float:
    """What the rows are worth as evidence, less one for each confounder that was taken out."""
    return problem.scatter.n_samples - (len(problem.beta) - 1)


def _null_parameters(n: float, rank: int) -> tuple[float, float]:
    """Of the Beta distribution of the share of a feature unrelated to the classes."""
    return rank / 2, max(n - rank - 1, 1.0) / 2


def _count_unrelated(shares: Floats, n: float, rank: int) -> int:
    """Twice the number of features with a p-value above 1/2."""
    return 2 * int(np.sum(shares < betainccinv(*_null_parameters(n, rank), 0.5)))


def luckiest_share(shares: Floats, n: float, rank: int) -> float:
    """R_0^2, the largest share to expect among the features unrelated to the classes; 0 without any."""
    unrelated = _count_unrelated(shares, n, rank)
    return float(betainccinv(*_null_parameters(n, rank), 1 / unrelated)) if unrelated > 1 else 0.0
