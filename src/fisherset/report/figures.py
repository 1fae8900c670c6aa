"""The pictures of a report: the rows, the classes, each feature, and the redundancy among the features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import counted
from fisherset._threads import one_thread
from fisherset._types import Indices
from fisherset.evaluation import (
    Pair,
    class_quantiles,
    close_pairs,
    cluster_order,
    correlated_groups,
    correlation_matrix,
    discriminant_plane,
    evenly,
    fitted_values,
    looks_like_images,
    target_quantiles,
)
from fisherset.evaluation.description import in_unit_length
from fisherset.plots import CorrelationDisplay, FitDisplay, PixelDisplay, PlaneDisplay
from fisherset.plots.samples import DRAWN_POINTS
from fisherset.report.dots import Dots, build_dots
from fisherset.report.pages import Figure, figure_of
from fisherset.report.panels import Panels, build_panels

# Bounds of a page, so that it opens at once whatever the table: pictures of single features (in all, and
# at first), features of the heat map whose names can be read, rows of dots, pairs that are listed, and what
# pictures are made of.
MOST_PANELS, FIRST_PANELS, MOST_MAPPED, MOST_DOTTED, LISTED_PAIRS = 500, 6, 40, 200, 10
MANY_CLASSES = 7  # from which on colours in a plane can hardly be told apart
CORRELATED = 0.7  # in absolute value, from which features are listed as a group
MOST_VALUES = 2_000_000  # values of the selected features (16 MB), ...
LEAST_ROWS = 1000  # ... but so many rows, however many features there are
MOST_PAIRED = 2000  # features whose correlations are computed, a matrix of 32 MB
MOST_DIRECTED = 1000  # features of which a discriminant is computed, in cubic time


class Sample:
    """The rows of the table and the selected columns that pictures are made of."""

    def __init__(
        self,
        X: Any,
        y: NDArray[Any],
        names: Sequence[str],
        codes: Indices,  # the group of each column
        order: Indices,  # the selected groups, best first
        task: str,
        gamma: float,  # the regulariser for these rows
        selector: Any,
    ) -> None:
        self.names, self.task, self.whole = names, task, X
        places: dict[int, list[int]] = {int(group): [] for group in order}
        for column, group in enumerate(codes.tolist()):
            if group in places:
                places[group].append(column)
        self.members = [np.array(places[int(group)], dtype=np.intp) for group in order]
        self.columns = np.concatenate(self.members)
        self.rows = evenly(_class_numbers(y, task), max(LEAST_ROWS, MOST_VALUES // self.columns.size))
        self.n_rows, self.y = X.shape[0], y[self.rows]
        self.gamma = gamma * len(self.y) / X.shape[0]
        self.adjusted = getattr(selector, "adjust_for", None) is not None
        self.weighted = getattr(selector, "class_weight", None) is not None

    @cached_property
    def table(self) -> Any:
        """The selected columns, best first, as numbers."""
        if hasattr(self.whole, "toarray"):
            selected = self.whole[self.rows][:, self.columns].toarray()
        else:
            selected = self.whole[np.ix_(self.rows, self.columns)]
        return np.asarray(selected, dtype=np.float64)

    @property
    def selected_names(self) -> list[str]:
        """Names of the selected columns."""
        return [self.names[j] for j in self.columns]

    @property
    def caveat(self) -> str:
        """The differences between a picture of the table and the data of the selector."""
        adjusted = " All as they stand in the table, not adjusted." if self.adjusted else ""
        few = len(self.rows) < self.n_rows
        return adjusted + (f" From {len(self.rows)} of the {self.n_rows} rows, evenly spaced." if few else "")


def _class_numbers(y: NDArray[Any], task: str) -> Indices:
    """Return the class of each row as a number; of a target of numbers all the same."""
    if task == "regression":
        return np.zeros(len(y), dtype=np.intp)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in np.asarray(y).tolist()])


class Redundancy(NamedTuple):
    """Correlations among the selected features.

    Attributes
    ----------
    sentence : str
        The groups of correlated features, or that there are none.
    groups : list of list of str
        Names of each group.
    pairs : list of (str, str, float)
        The most correlated pairs and their correlation.
    figure : Figure or None
        The heat map, where its names can be read.
    """

    sentence: str
    groups: list[list[str]]
    pairs: list[tuple[str, str, float]]
    figure: Figure | None


class Pictures(NamedTuple):
    """The pictures of a report: of rows, of classes by features, and of redundancy, where there are any."""

    figures: list[Figure]
    dots: Dots | None
    redundancy: Redundancy | None


@one_thread()  # small products of a few rows
def pictures_of(sample: Sample) -> Pictures:
    """Draw the pictures besides those of single features; of many classes dots in place of the plane."""
    pixels = [_pixels(sample)] if looks_like_images(sample.whole) else []
    many = sample.task == "classification" and np.unique(_class_numbers(sample.y, sample.task)).size
    if many < MANY_CLASSES:
        return Pictures([*pixels, *_rows(sample)], None, redundancy_of(sample))
    few = f" The first {MOST_DOTTED} of {sample.columns.size} are here."
    note = (few if sample.columns.size > MOST_DOTTED else "") + sample.caveat
    dots = build_dots(sample.table[:, :MOST_DOTTED], sample.y, sample.selected_names[:MOST_DOTTED], note)
    return Pictures(pixels, dots, redundancy_of(sample))


def panels_of(sample: Sample) -> Panels:
    """Draw the selected features in each class, or from low to high target; of a group its best feature."""
    ends = np.cumsum([0, *(some.size for some in sample.members)])
    places = [np.arange(start, end) for start, end in pairwise(ends)][:MOST_PANELS]
    columns = [_best_alone(sample, some) for some in places]
    names = [sample.selected_names[at] for at in columns]
    note = "Lines from 5 to 95 % of the rows{}, bars for the middle half, a mark for the median."
    if any(some.size > 1 for some in places):
        note += " Of features that are selected together, the best one by itself is shown."
    if sample.task == "regression":
        spread = target_quantiles(sample.table, sample.y, columns)
        title, where = "Selected features from low to high target", "with a target of"
        note = "A row for each fifth of the rows by their target. " + note.format(" of a fifth")
    else:
        spread = class_quantiles(sample.table, sample.y, columns)
        title, where = f"Each selected feature in {spread.whole}", "in class"
        note = note.format(" of a class")
    if any(spread.shares):
        note += " Of zeros and ones, a bar for the share of ones."
    if len(sample.members) > MOST_PANELS:
        note += f" The first {MOST_PANELS} of {len(sample.members)} are here."
    return build_panels(title, note + sample.caveat, spread, names, where=where, first=FIRST_PANELS)


def _best_alone(sample: Sample, places: Indices) -> int:
    """Return the column of a group of whose variance the target explains the largest share."""
    if places.size == 1:
        return int(places[0])
    X = in_unit_length(sample.table[:, places])
    if sample.task == "regression":
        explained = (X.T @ in_unit_length(np.asarray(sample.y, dtype=np.float64)[:, None])).ravel() ** 2
    else:
        codes = _class_numbers(sample.y, sample.task)
        sums = np.stack([np.bincount(codes, weights=column) for column in X.T])
        explained = (sums**2 / np.bincount(codes)).sum(axis=1)
    return int(places[explained.argmax()])


def _pixels(sample: Sample) -> Figure:
    mean = np.asarray(sample.whole.mean(axis=0)).ravel()
    return figure_of("Selected pixels", PixelDisplay(mean, sample.columns), "", "Pixels")


def _rows(sample: Sample) -> list[Figure]:
    """Draw the rows by the selected features together."""
    if sample.columns.size > MOST_DIRECTED:
        return []
    n = sample.n_rows
    note = "These are the rows the features were selected on: new rows will be less clearly apart."
    if n > DRAWN_POINTS:
        note += f" Of {n} rows {DRAWN_POINTS} are drawn, evenly spaced."
    if sample.task == "regression":
        fitted = fitted_values(sample.table, sample.y, gamma=sample.gamma)
        target = np.asarray(sample.y, dtype=np.float64)
        note = f"A ridge regression on the selected features, as in F. {note}"
        title, fit = "Target and fitted values", FitDisplay(target, fitted)
        return [figure_of(title, fit, note + sample.caveat, "Rows")]
    plane = discriminant_plane(sample.table, sample.y, gamma=sample.gamma)
    if sample.columns.size < 2 or not plane.objective > 0:
        return []
    words = "The two directions that separate the classes best"
    if not plane.discriminates:
        words = "Across, the direction that separates the classes best; up, the first component of the rest"
    weighted = " Rows are not weighted here." if sample.weighted else ""
    note = f"{words}, of the selected features together.{weighted} {note}"
    title = "Rows in the discriminant plane"
    return [figure_of(title, PlaneDisplay(plane), note + sample.caveat, "Rows")]


def redundancy_of(sample: Sample) -> Redundancy | None:
    """Find groups and pairs of correlated features, and draw a heat map of a few; None of a single one."""
    names = sample.selected_names
    if len(names) < 2:
        return None
    every = correlation_matrix(sample.table[:, :MOST_PAIRED])
    groups = [[names[j] for j in group] for group in correlated_groups(every, CORRELATED)]
    found = sorted(close_pairs(every, 0.0), key=lambda pair: -abs(pair.correlation))[:LISTED_PAIRS]
    pairs = [(names[pair.first], names[pair.second], pair.correlation) for pair in found]
    sentence = groups_sentence(groups, found, len(every) if len(names) > len(every) else 0)
    return Redundancy(f"{sentence}{sample.caveat}", groups, pairs, _heat_map(every, names))


def groups_sentence(groups: Sequence[Sequence[str]], pairs: Sequence[Pair], first: int = 0) -> str:
    """Count the groups of correlated features, or say that there are none; among the first, if not all."""
    among = f" among the first {first}" if first else ""
    if not groups:
        above = f"correlated above {CORRELATED} in absolute value"
        if pairs and abs(pairs[0].correlation) > CORRELATED:
            return f"No group of selected features{among} is {above} on average."
        return f"No two selected features{among} are {above}."
    n = sum(map(len, groups))
    return (
        f"{n} selected features{among} are in {counted(len(groups), 'groups')} of features correlated above "
        f"{CORRELATED} in absolute value on average."
    )


def _heat_map(correlations: Any, names: Sequence[str]) -> Figure | None:
    if len(names) > MOST_MAPPED:
        return None
    order = cluster_order(correlations)
    display = CorrelationDisplay(correlations[np.ix_(order, order)], [names[j] for j in order])
    return figure_of("Correlations", display, "Correlated features are side by side, whatever the sign.")
