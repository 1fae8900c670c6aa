"""Near-best sets on a page, or a part of one: each feature with its stand-ins, the sets, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fisherset import NearBest, __version__
from fisherset.plots import AlternativesDisplay
from fisherset.report.pages import Figure, figure_of, render, short
from fisherset.report.remarks import Remark

SETS_SHOWN = 100  # on a page


class AlternativeFeature(NamedTuple):
    """A feature, or group, of some near-best set.

    Attributes
    ----------
    name : str
        What it is called.
    share : float
        Of the sets it is in.
    without : float or None
        Share of the best F that the best of the sets without it reaches; None where it is in all of them.
    kept : bool
        Whether it had to be in all of them.
    stand_ins : list of str
        What takes its place in sets that are otherwise equal, best first.
    """

    name: str
    share: float
    without: float | None
    kept: bool
    stand_ins: list[str]


class AlternativeSet(NamedTuple):
    """A near-best set.

    Attributes
    ----------
    rank : int
        1 for the best.
    objective : float
        Its F.
    share : float
        Of the best F.
    others : list of str
        Its features besides those that all sets have.
    """

    rank: int
    objective: float
    share: float
    others: list[str]


class Alternatives(NamedTuple):
    """What a page says of near-best sets.

    Attributes
    ----------
    found : NearBest
        The sets.
    core : list of str
        Features in all of them.
    features : list of AlternativeFeature
        Features in any of them, the most frequent first.
    sets : list of AlternativeSet
        The first of them.
    figure : Figure
        The picture.
    """

    found: NearBest
    core: list[str]
    features: list[AlternativeFeature]
    sets: list[AlternativeSet]
    figure: Figure


def alternative_features(found: NearBest) -> list[AlternativeFeature]:
    """The features, or groups, of near-best sets, the most frequent first.

    Parameters
    ----------
    found : NearBest
        The sets.

    Returns
    -------
    rows : list of AlternativeFeature
        One for each that is in any of them.
    """
    often, best = found.frequencies, found.objective or 1.0
    names = [str(name) for name in found.names]
    order = sorted(np.flatnonzero(often).tolist(), key=lambda j: (-often[j], j))
    sets = [set(one) for one in found.sets]
    rows = []
    for j in order:
        place = next((at for at, one in enumerate(sets) if j not in one), None)
        without = None if place is None else float(found.objectives[place] / best)
        others = [names[other] for other in found.stand_ins.get(j, [])]
        rows.append(AlternativeFeature(names[j], float(often[j]), without, j in found.kept, others))
    return rows


def alternative_sets(found: NearBest, most: int = SETS_SHOWN) -> list[AlternativeSet]:
    """The first near-best sets, by what is not in all of them.

    Parameters
    ----------
    found : NearBest
        The sets.
    most : int, default=100
        How many at most.

    Returns
    -------
    rows : list of AlternativeSet
        One for each, best first.
    """
    core, best = set(found.core), found.objective or 1.0
    return [
        AlternativeSet(
            place + 1,
            float(value),
            float(value / best),
            [str(found.names[j]) for j in members if j not in core],
        )
        for place, (members, value) in enumerate(
            zip(found.sets[:most], found.objectives.tolist(), strict=False)
        )
    ]


def build_alternatives(found: NearBest) -> Alternatives:
    """Put together what there is to say about near-best sets.

    Parameters
    ----------
    found : NearBest
        From :func:`fisherset.near_best`.

    Returns
    -------
    alternatives : Alternatives
        For :func:`alternatives_page`, or a report.
    """
    found = replace(found, names=[short(str(name)) for name in found.names])
    figure = figure_of(
        f"Which {found.what} are in which set",
        lambda: AlternativesDisplay(found).plot(),
        f"A column for each set. In blue {found.what} in all of them; below, what takes turns. To the right "
        f"the share of the sets.",
    )
    core = [str(found.names[j]) for j in found.core]
    return Alternatives(found, core, alternative_features(found), alternative_sets(found), figure)


def alternatives_page(
    alternatives: Alternatives,
    *,
    title: str,
    asked: Sequence[tuple[str, str]] = (),
    remarks: Sequence[Remark] = (),
) -> str:
    """The page as HTML: self-contained, with every name escaped.

    Parameters
    ----------
    alternatives : Alternatives
        What it shows.
    title : str
        Title of the page.
    asked : sequence of (str, str)
        What was asked: headings and values.
    remarks : sequence of Remark
        What to say beside it.

    Returns
    -------
    html : str
        The page.
    """
    content = {"title": title, "asked": asked, "remarks": remarks, "version": __version__}
    return render("fisherset.report", "alternatives.html.j2", alternatives=alternatives, **content)
