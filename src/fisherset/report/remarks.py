"""What must be said beside a certificate: how the search ended, what chance would do, what is too good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fisherset._format import NEGLIGIBLE


class Remark(NamedTuple):
    """A sentence beside a certificate.

    Attributes
    ----------
    text : str
        The sentence.
    warns : bool
        Whether it is a warning.
    """

    text: str
    warns: bool = True


def remarks_on(selector: Any) -> list[Remark]:
    """How the search of a fitted selector ended, unless as it should, and how it compares with chance.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.

    Returns
    -------
    remarks : list of Remark
        What to say.
    """
    return [*status_remarks(selector.status_), *noise_remarks(getattr(selector, "noise_", None))]


def proven_of(selector: Any, noun: str = "features") -> str:
    """How many features are proven to be in every set as good as that of a fitted selector, and in none.

    Parameters
    ----------
    selector : GeneralizedFisherScore
        Fitted.
    noun : {"features", "columns", "groups"}, default="features"
        What was chosen.

    Returns
    -------
    sentence : str
        A sentence; nothing where there was no choice, or nothing to tell sets apart by.
    """
    return str(selector.proven_.sentence(noun)) if selector.upper_bound_ > NEGLIGIBLE else ""


def noise_remarks(noise: Any) -> list[Remark]:
    """How a set compares with chance.

    Parameters
    ----------
    noise : Noise or None
        What is known of it.

    Returns
    -------
    remarks : list of Remark
        What to say; nothing where nothing is known.
    """
    return [] if noise is None else [Remark(str(noise), bool(noise.chance))]


def status_remarks(status: Any) -> list[Remark]:
    """What a status says, where it is not the good one.

    Parameters
    ----------
    status : Status
        How a search ended.

    Returns
    -------
    remarks : list of Remark
        What to say.
    """
    if status.name == "CONVERGED":
        return []
    return [Remark(f"{status.value[0].upper()}{status.value[1:]}.")]


def giveaway_remarks(columns: Sequence[str], target: str) -> list[Remark]:
    """What to say of columns that tell the class of every row.

    Parameters
    ----------
    columns : sequence of str
        Their names.
    target : str
        The name of the target.

    Returns
    -------
    remarks : list of Remark
        What to say; nothing where there are none.
    """
    if not columns:
        return []
    listed = ", ".join(map(repr, columns[:5])) + (f" and {len(columns) - 5} more" if columns[5:] else "")
    return [
        Remark(
            f"The target {target!r} is given away by {listed}: copies of it, or made from it? What follows "
            f"is worth nothing then; leave out with --drop what will not be known before the target is."
        )
    ]
