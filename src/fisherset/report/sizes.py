"""Several sizes beside each other: sets, F and bound at one gamma, held-out scores, and the choice."""

from __future__ import annotations

from typing import Any, NamedTuple

from fisherset._format import proven_share


class Size(NamedTuple):
    """The set of one size.

    Attributes
    ----------
    k : int
        How many features, or groups.
    names : list of str
        Which.
    objective, upper_bound, gap : float
        Its certificate, at the gamma of all sizes.
    score, error : float or None
        On held-out folds, the mean and its standard error; None where nothing was held out.
    """

    k: int
    names: list[str]
    objective: float
    upper_bound: float
    gap: float
    score: float | None = None
    error: float | None = None

    @property
    def proven(self) -> str:
        """What it reaches of the best, at least."""
        return proven_share(self.gap)


class Sizes(NamedTuple):
    """Sets of several sizes.

    Attributes
    ----------
    rows : list of Size
        One for each size, rising.
    gamma : float
        The regulariser, one for all: F of different gammas cannot be compared.
    chosen : int
        The size that was chosen.
    why : str
        In a sentence.
    measured : str
        What the scores are.
    """

    rows: list[Size]
    gamma: float
    chosen: int
    why: str
    measured: str

    @property
    def scored(self) -> bool:
        """Whether rows were held out."""
        return self.rows[0].score is not None

    @property
    def records(self) -> list[dict[str, Any]]:
        """For machines."""
        return [{**row._asdict(), "chosen": row.k == self.chosen} for row in self.rows]
