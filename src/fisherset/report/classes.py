"""Which classes a feature separates, and what each class loses without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fisherset import Explanation
from fisherset._format import separation
from fisherset.report.pages import short

if TYPE_CHECKING:
    from fisherset.report.features import ChosenFeature

MOST_CLASSES = 8  # columns of losses that fit on a page without scrolling, and on a sheet


class ClassLoss(NamedTuple):
    """Loss of a class without a feature.

    Attributes
    ----------
    loss, share : float
        Loss of the part of F of the class, and its share of that part.
    difference : float
        Mean of the feature in the class less that in the rest, in standard deviations of the feature; NaN
        of a group of several features.
    """

    loss: float
    share: float
    difference: float


def separation_of(found: Explanation, some: Sequence[tuple[Any, int]], at: int, value: str | None) -> str:
    """Say which classes a feature separates from the rest."""
    known = bool(np.isfinite(found.class_differences[at]).any())
    words = ("higher", "lower") if value is None else (f"more {value}", f"less {value}")
    named = [(str(label), sign) for label, sign in some]
    return separation(named, two=found.classes.size == 2, words=words if known else None)


def losses_by_class(found: Explanation, at: int) -> dict[str, ClassLoss]:
    """Return what each class loses without a feature."""
    losses, parts = found.class_drops[at], found.class_objectives
    shares = np.divide(losses, parts, out=np.zeros_like(losses), where=parts > 0)
    figures = zip(found.classes.tolist(), losses, shares, found.class_differences[at], strict=True)
    return {str(label): ClassLoss(*map(float, numbers)) for label, *numbers in figures}


class LossTable(NamedTuple):
    """Losses of the classes without each feature: a table of a page.

    Attributes
    ----------
    classes : list of str
        Names of the classes.
    parts : list of float
        Part of F of each class.
    rows : list of (str, list of ClassLoss)
        The features, and the losses of the classes.
    """

    classes: list[str]
    parts: list[float]
    rows: list[tuple[str, list[ClassLoss]]]

    @property
    def most(self) -> float:
        """The largest share that a class loses."""
        return max(own.share for _, cells in self.rows for own in cells)


def loss_table(found: Explanation, rows: Sequence[ChosenFeature]) -> LossTable | None:
    """Return the losses of the classes by feature; None of two, which lose the same share, or of many.

    Parameters
    ----------
    found : Explanation
        Of the features.
    rows : sequence of ChosenFeature
        The features, best first.

    Returns
    -------
    table : LossTable or None
        Names are shortened.
    """
    classes = [short(str(label)) for label in found.classes.tolist()]
    if not 2 < len(classes) <= MOST_CLASSES:
        return None
    losses = [(short(row.shown), list(row.by_class.values())) for row in rows]
    return LossTable(classes, found.class_objectives.tolist(), losses)
