"""A plot of dots, a row for each feature and a column for each class, drawn by the page itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.evaluation import class_means, cluster_order, correlation_matrix
from fisherset.plots.style import distinct
from fisherset.report.panels import CHARACTER_WIDTH, Tick, characters

CELL, ROW, HALF = 20, 17, 8.0  # units of a cell across and down, and the largest radius of a dot
PAGE_WIDTH, SPACE = 1180, 26  # of a wide page, and between two blocks
LEAST_ROWS = 24  # of a block: fewer features are not split
LEVELS = 10  # of colour
NAME, LABEL = 16, 18  # characters of names and classes


class Dot(NamedTuple):
    """A dot: its place, radius and level of colour."""

    x: float
    y: float
    radius: float
    level: int


class DotRow(NamedTuple):
    """A feature: its place, label and full name in words, and its dots."""

    place: float
    label: str
    text: str
    dots: list[Dot]


class DotBlock(NamedTuple):
    """Some of the features, in a picture of their own."""

    rows: list[DotRow]
    height: float


class Dots(NamedTuple):
    """Features by class.

    Attributes
    ----------
    title, note : str
        Title and caption.
    text : str
        The picture in words.
    blocks : list of DotBlock
        The pictures, side by side.
    classes : list of Tick
        The classes: place across, and name.
    left, head, width : float
        Beginning of the dots, height of the names of classes, and width, in units.
    """

    title: str
    note: str
    text: str
    blocks: list[DotBlock]
    classes: list[Tick]
    left: float
    head: float
    width: float


def build_dots(X: Floats, y: NDArray[Any], names: Sequence[str], note: str = "") -> Dots:
    """Draw features in each of the 30 largest classes.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        The class labels.
    names : sequence of str
        Names of the features.
    note : str, default=""
        Sentences to add to the caption.

    Returns
    -------
    dots : Dots
        The features are ordered by the class in which their mean is highest, similar classes side by side.
    """
    found = class_means(X, y)
    low, high = found.means.min(axis=0), found.means.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(high > low, (found.means - low) / (high - low), 0.0)
    order = cluster_order(correlation_matrix(level.T)) if len(level) > 2 else np.arange(len(level))
    level, size, means = level[order], found.sizes[order], found.means[order]
    classes = distinct([found.classes[at] for at in order], LABEL)
    top = level.argmax(axis=0)
    rows = np.lexsort([-found.spread_between, top])
    labels = distinct([names[j] for j in rows], NAME)
    left = 12 + 1.15 * CHARACTER_WIDTH * max(map(characters, labels))
    width = round(left + CELL * len(classes) + 24)
    drawn = []
    for j, label in zip(rows.tolist(), labels, strict=True):
        text = f"{names[j]}: highest in class {found.classes[order[top[j]]]}, mean {means[top[j], j]:.3g}"
        drawn.append((label, text, level[:, j], size[:, j]))
    per_block = max(LEAST_ROWS, -(-len(drawn) // max(1, int((PAGE_WIDTH + SPACE) // (width + SPACE)))))
    blocks = [_block(drawn[at : at + per_block], left) for at in range(0, len(drawn), per_block)]
    ticks = [Tick(left + CELL * (at + 0.5), label) for at, label in enumerate(classes)]
    head = 14 + 0.85 * CHARACTER_WIDTH * max(map(characters, classes))
    size_of = "share of values that are not zero" if found.counts else "standard deviation within the class"
    caption = f"Colour: mean in the class, from the lowest to the highest of each feature. Size: {size_of}."
    best = f"{len(drawn)} features in {found.whole}: {'; '.join(text for _, text, _, _ in drawn[:5])}"
    title = f"Selected features in {found.whole}"
    return Dots(title, f"{caption}{note}", f"{best}.", blocks, ticks, round(left, 1), round(head, 1), width)


def _block(rows: Sequence[tuple[str, str, Floats, Floats]], left: float) -> DotBlock:
    drawn = []
    for place, (label, text, levels, sizes) in enumerate(rows):
        y = ROW * (place + 0.5)
        dots = [
            Dot(
                round(left + CELL * (at + 0.5), 1),
                y,
                round(1.2 + (HALF - 1.2) * float(np.sqrt(size)), 1),
                int(min(level * LEVELS, LEVELS - 1)),
            )
            for at, (level, size) in enumerate(zip(levels.tolist(), sizes.tolist(), strict=True))
        ]
        drawn.append(DotRow(y, label, text, dots))
    return DotBlock(drawn, float(ROW * len(rows)))
