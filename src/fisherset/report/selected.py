"""The chosen features: what each is by itself, and what F is without it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fisherset import Explanation
from fisherset._format import counted, kept_share, most_share
from fisherset.report.pages import short

# What a feature by itself is measured by; of a group it is the sum over its features.
OWN_SCORES = {"classification": "Fisher score", "regression": "r² alone"}


class Shares(NamedTuple):
    """What is left of F without a feature, in per cent, as it is shown; empty where nothing is to be said."""

    exchanged: str  # with the best exchange in its place
    left_out: str  # with nothing there
    at_most: str  # of any set without it, as it is proven


class ChosenFeature(NamedTuple):
    """A chosen feature or group: its place, weight, what it is by itself, and what F is without it.

    Attributes
    ----------
    rank : int
        1 for the best.
    name : str
        The feature, or the group.
    weight : float
        How much of it the best mixture of sets holds, in the convex relaxation, 0 to 1; by itself it
        proves nothing.
    fisher_score : float
        Of it alone; with a target of numbers the square of its correlation with that. Of a group the
        sum over its features.
    drop : float
        What F loses when it is left out and nothing takes its place.
    stand_in : str or None
        The one outside that is most correlated with it, which need not serve F best.
    correlation : float
        Their correlation.
    n_features : int
        How many features are chosen with it.
    in_every : bool
        Whether it is proven to be in every set as good.
    exchange : str or None
        The one outside with which in its place F is largest.
    exchanged : float
        F with that one in its place; NaN without any.
    bound_without : float
        No set without it has a larger F; NaN where that bound says nothing, being no smaller than F.
    """

    rank: int
    name: str
    weight: float
    fisher_score: float
    drop: float
    stand_in: str | None
    correlation: float
    n_features: int = 1
    in_every: bool = False
    exchange: str | None = None
    exchanged: float = math.nan
    bound_without: float = math.nan

    @property
    def shown(self) -> str:
        """Its name, with its size where it is a group: "region (4 features)"."""
        return self.name if self.n_features == 1 else f"{self.name} ({counted(self.n_features, 'features')})"

    def shortened(self) -> ChosenFeature:
        """Return the row with names that a page can show.

        Returns
        -------
        row : ChosenFeature
            The same with long names shortened.
        """
        stand_in, exchange = (
            None if name is None else short(name) for name in (self.stand_in, self.exchange)
        )
        return self._replace(name=short(self.name), stand_in=stand_in, exchange=exchange)

    def shares(self, objective: float) -> Shares:
        """What is left of F without it, in per cent: text to show.

        Parameters
        ----------
        objective : float
            F of the set.

        Returns
        -------
        shares : Shares
            With the best exchange in its place, with nothing there, and at most with any set.
        """
        return Shares(
            kept_share(self.exchanged, objective),
            kept_share(max(objective - self.drop, 0.0), objective),
            most_share(self.bound_without, objective),
        )


def chosen_features(
    selector: Any, found: Explanation, names: Sequence[str], sizes: Sequence[int] | None = None
) -> list[ChosenFeature]:
    """The features, or groups, a selector chose, best first.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.
    found : Explanation
        Of its features.
    names : sequence of str
        The names of all columns, or of all groups.
    sizes : sequence of int, default=None
        How many features each group has.

    Returns
    -------
    rows : list of ChosenFeature
        One for each feature or group.
    """
    rows = []
    for at in np.argsort(selector.ranking_[found.features]):
        j, nearest, best = (int(some[at]) for some in (found.features, found.stand_ins, found.exchanges))
        in_every, bound = bool(selector.proven_.in_every[j]), float(selector.upper_bound_without_[j])
        rows.append(
            ChosenFeature(
                int(selector.ranking_[j]),
                names[j],
                float(selector.scores_[j]),
                float(found.fisher_scores[at]),
                float(found.drops[at]),
                names[nearest] if nearest >= 0 else None,
                float(found.correlations[at]),
                1 if sizes is None else sizes[j],
                in_every,
                names[best] if best >= 0 else None,
                float(found.exchanged[at]),
                bound if in_every and math.isfinite(bound) else math.nan,
            )
        )
    return rows
