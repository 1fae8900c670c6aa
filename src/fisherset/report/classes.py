"""Which classes a feature separates, and what each class loses without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fisherset import Explanation
from fisherset.plots.style import distinct
from fisherset.report.pages import short

if TYPE_CHECKING:
    from fisherset.report.features import ChosenFeature

LONGEST = 20  # characters of the label of a class in a table
MOST_CLASSES = 16  # in a table of the losses of classes
FEW, BRIEF = 6, 5  # classes, and characters of their names, up to which these are written across


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


def words_for(found: Explanation, at: int, value: str | None) -> tuple[str, str] | None:
    """Return the words for a feature that is higher in a class, or for a value that is more frequent."""
    if not np.isfinite(found.class_differences[at]).any():
        return None
    return ("higher", "lower") if value is None else (f"more {value}", f"less {value}")


def class_labels(found: Explanation) -> dict[str, str]:
    """Return short labels of the classes, no two of them alike.

    Parameters
    ----------
    found : Explanation
        With the classes.

    Returns
    -------
    labels : dict of str to str
        By the classes.
    """
    classes = [str(label) for label in found.classes.tolist()]
    return dict(zip(classes, distinct(classes, LONGEST), strict=True))


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
    labels : list of str
        The same, shorter, and no two alike.
    parts : list of float
        Part of F of each class.
    rows : list of (str, list of ClassLoss)
        The features, and the losses of the classes.
    """

    classes: list[str]
    labels: list[str]
    parts: list[float]
    rows: list[tuple[str, list[ClassLoss]]]

    @property
    def upright(self) -> bool:
        """Whether the names of the classes are too many, and too long, to be written across."""
        return len(self.labels) > FEW and max(map(len, self.labels)) > BRIEF

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
    return LossTable(classes, list(class_labels(found).values()), found.class_objectives.tolist(), losses)
