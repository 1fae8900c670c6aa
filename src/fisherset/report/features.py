"""The selected features, and the warnings and notes that are shown with their certificate."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fisherset import Explanation
from fisherset._format import (
    NEGLIGIBLE,
    counted,
    json_value,
    kept_share,
    leakage_sentence,
    most_share,
    repeated_option,
    separation,
    shown,
)
from fisherset.report.classes import ClassLoss, losses_by_class, words_for
from fisherset.report.pages import short

# The score of a feature by itself; of a group it is the sum over its features.
OWN_SCORES = {"classification": "Fisher score", "regression": "r² alone"}


class Shares(NamedTuple):
    """Shares of F that are left without a feature, in per cent, as printed; empty where unknown."""

    exchanged: str  # with the best swap in its place
    left_out: str  # with nothing there
    at_most: str  # of any set without it, as it is proven


class ChosenFeature(NamedTuple):
    """A selected feature or group.

    Attributes
    ----------
    rank, name : int, str
        1 for the best; the feature, or the group.
    weight : float
        Its share in the best mixture of sets, in the convex relaxation, 0 to 1; by itself it proves
        nothing.
    fisher_score : float
        Of it alone; with a target of numbers the square of its correlation with that. Of a group the
        sum over its features.
    drop : float
        The loss of F when it is left out and nothing takes its place.
    stand_in, correlation : str or None, float
        The one outside that is most correlated with it, which need not serve F best; their correlation.
    n_features : int
        Number of its features.
    in_every : bool
        Whether it is proven to be in every set as good: never of what had to be selected.
    exchange, exchanged : str or None, float
        The best swap: the one outside with which in its place F is largest; F then, NaN without any.
    bound_without : float
        Upper bound on F over all sets without it; NaN where it is no smaller than F.
    required : bool
        Whether it had to be selected, by request.
    separated : sequence of (str, int)
        The classes that it mainly separates from the rest, with 1 where it is higher in them, -1 where it is
        lower, and 0 where that is not clear by itself; none for a target of numbers.
    words : (str, str) or None
        The words for 1 and -1; None where neither is known, as of a group of several features.
    by_class : mapping of str to ClassLoss
        What each class loses without it.
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
    required: bool = False
    separated: Sequence[tuple[str, int]] = ()
    words: tuple[str, str] | None = None
    by_class: Mapping[str, ClassLoss] = {}

    def record(self) -> dict[str, Any]:
        """Return it for JSON.

        Returns
        -------
        record : dict
            Strings, numbers, and of the classes a dictionary; None for what is not a finite number.
        """
        of_classes = {
            name: {key: json_value(value) for key, value in own._asdict().items()}
            for name, own in self.by_class.items()
        }
        return {**{key: json_value(value) for key, value in self.cells().items()}, "by_class": of_classes}

    def cells(self) -> dict[str, Any]:
        """Return it as a row of a file.

        Returns
        -------
        cells : dict
            Strings and numbers.
        """
        left_out = ("separated", "words", "by_class")
        cells = {key: value for key, value in self._asdict().items() if key not in left_out}
        return {**cells, "separates": self.separates}

    @property
    def separates(self) -> str:
        """The classes that it separates from the rest: "ALL higher, AML lower", of two "higher in ALL"."""
        return self.separation({})

    def separation(self, labels: Mapping[str, str]) -> str:
        """Return `separates` with labels in place of classes.

        Parameters
        ----------
        labels : mapping of str to str
            Of some classes.

        Returns
        -------
        words : str
            Empty for a target of numbers.
        """
        named = [(labels.get(name, name), sign) for name, sign in self.separated]
        return separation(named, two=len(self.by_class) == 2, words=self.words)

    @property
    def shown(self) -> str:
        """Its name, with its size where it is a group: "region (4 features)"."""
        return self.name if self.n_features == 1 else f"{self.name} ({counted(self.n_features, 'features')})"

    def shares(self, objective: float) -> Shares:
        """Return what is left of F without it, in per cent.

        Parameters
        ----------
        objective : float
            F of the set.

        Returns
        -------
        shares : Shares
            With the best swap in its place, with nothing there, and at most with any set.
        """
        return Shares(
            kept_share(self.exchanged, objective),
            kept_share(max(objective - self.drop, 0.0), objective),
            most_share(self.bound_without, objective),
        )


def chosen_features(
    selector: Any,
    found: Explanation,
    names: Sequence[str],
    sizes: Sequence[int] | None = None,
    values: Mapping[int, str] | None = None,
) -> list[ChosenFeature]:
    """Return the features, or groups, of a fitted selector, best first.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.
    found : Explanation
        Of its features.
    names : sequence of str
        The names of all columns, or of all groups.
    sizes : sequence of int, default=None
        Number of features of each group.
    values : mapping of int to str, default=None
        Of groups whose one feature stands for one value of a column of strings, that value: "more male in
        ill" is said then, not "higher".

    Returns
    -------
    rows : list of ChosenFeature
        One for each feature or group.
    """
    rows, separated = [], found.separated
    for at in np.argsort(selector.ranking_[found.features]):
        j, nearest, best = (int(some[at]) for some in (found.features, found.stand_ins, found.exchanges))
        proven, bound = selector.proven_, float(selector.upper_bound_without_[j])
        in_every = bool(proven.in_every[j] and not proven.given[j])
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
                separated=[(str(label), sign) for label, sign in separated[at]],
                words=words_for(found, int(at), (values or {}).get(j)),
                by_class=losses_by_class(found, int(at)),
            )
        )
    return rows


def shortened(row: ChosenFeature) -> ChosenFeature:
    """Return a row with names that a page can show."""
    stand_in, exchange = (name and short(name) for name in (row.stand_in, row.exchange))
    return row._replace(name=short(row.name), stand_in=stand_in, exchange=exchange)


class Remark(NamedTuple):
    """A sentence that is shown with a certificate.

    Attributes
    ----------
    text : str
        The sentence.
    warns : bool
        Whether it is a warning, or a note.
    """

    text: str
    warns: bool = True


def remarks_on(selector: Any) -> list[Remark]:
    """Say how the search of a fitted selector ended, unless as it should, and compare its set with chance.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.

    Returns
    -------
    remarks : list of Remark
        Warnings and notes.
    """
    return [*status_remarks(selector.status_), *noise_remarks(getattr(selector, "noise_", None))]


def proven_of(selector: Any, noun: str = "features") -> str:
    """Count the features that are proven to be in every set as good as that of a selector, or in none.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.
    noun : {"features", "columns", "groups"}, default="features"
        What was selected.

    Returns
    -------
    sentence : str
        A sentence; empty where there was no choice, or F is 0 for every set.
    """
    return str(selector.proven_.sentence(noun)) if selector.upper_bound_ > NEGLIGIBLE else ""


def noise_remarks(noise: Any) -> list[Remark]:
    """Compare a set with chance.

    Parameters
    ----------
    noise : Noise or None
        The comparison with sets of noise features, if there was one.

    Returns
    -------
    remarks : list of Remark
        A warning or note; none without a comparison.
    """
    return [] if noise is None else [Remark(str(noise), bool(noise.chance))]


def status_remarks(status: Any) -> list[Remark]:
    """Warn where a search ended before its goal.

    Parameters
    ----------
    status : Status
        How the search ended.

    Returns
    -------
    remarks : list of Remark
        A warning, or none.
    """
    if status.name == "CONVERGED":
        return []
    return [Remark(f"{status.value}.")]


def giveaway_remarks(columns: Sequence[str], option: str = "--exclude") -> list[Remark]:
    """Warn of target leakage: columns that determine the target.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    option : str, default="--exclude"
        The option of the command that leaves them out.

    Returns
    -------
    remarks : list of Remark
        A warning; none without such columns.
    """
    if not columns:
        return []
    return [Remark(leakage_sentence(shown(columns), len(columns), repeated_option(option, columns)))]


def row_number_remarks(columns: Sequence[str], dropped: Collection[str] = ()) -> list[Remark]:
    """Warn of columns that only number the rows.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    dropped : collection of str, default=()
        Columns that are left out; of others among `columns` nothing is said, as they were named.

    Returns
    -------
    remarks : list of Remark
        A warning; none without such columns.
    """
    out = [name for name in columns if name in dropped]
    if not out:
        return []
    fix = f"left out. Add {repeated_option('--keep', out)} to use"
    if len(out) == 1:
        return [Remark(f"Column {shown(out)} only numbers the rows and is {fix} it.")]
    return [Remark(f"Columns {shown(out)} only number the rows and are {fix} them.")]
