"""The pictures of a report: the rows, each feature, and the redundancy among the features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._format import counted
from fisherset._threads import one_thread
from fisherset._types import Indices
from fisherset.evaluation import (
    class_quantiles,
    close_pairs,
    cluster_order,
    correlation_matrix,
    discriminant_plane,
    evenly,
    fitted_values,
    looks_like_images,
    target_quantiles,
)
from fisherset.evaluation.description import CORRELATED, in_unit_length
from fisherset.plots import CorrelationDisplay, FitDisplay, PixelDisplay, PlaneDisplay
from fisherset.plots.samples import DRAWN_POINTS
from fisherset.report.pages import Figure, figure_of
from fisherset.report.panels import Panels, build_panels

# Bounds of a page, so that it opens at once whatever the table: pictures of single features (in all, and
# at first), features of the heat map, pairs that are named, and what pictures are made of.
MOST_PANELS, FIRST_PANELS, MOST_MAPPED, NAMED_PAIRS = 500, 6, 200, 8
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


@one_thread()  # small products of a few rows
def figures_of(sample: Sample) -> list[Figure]:
    """Draw the pictures besides those of single features, in the order of the page."""
    pixels = [_pixels(sample)] if looks_like_images(sample.whole) else []
    return [*pixels, *_rows(sample), *_correlations(sample)]


def panels_of(sample: Sample) -> Panels:
    """Draw the selected features in each class, or from low to high target; of a group its best feature."""
    ends = np.cumsum([0, *(some.size for some in sample.members)])
    places = [np.arange(start, end) for start, end in pairwise(ends)][:MOST_PANELS]
    columns = [_best_alone(sample, some) for some in places]
    names = [sample.selected_names[at] for at in columns]
    note = "Lines from 5 to 95 % of the rows{}, bars for the middle half, a mark for the median."
    if any(some.size > 1 for some in places):
        note += " Of features that are chosen together, the one that by itself tells most is shown."
    if sample.task == "regression":
        spread = target_quantiles(sample.table, sample.y, columns)
        title, where = "The chosen features from low to high target", "with a target of"
        note = "A row for each fifth of the rows by their target. " + note.format(" of a fifth")
    else:
        spread = class_quantiles(sample.table, sample.y, columns)
        title, where = f"The chosen features in {spread.whole}", "in class"
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
    return figure_of("The chosen pixels", lambda: PixelDisplay(mean, sample.columns).plot(), "", "Pixels")


def _rows(sample: Sample) -> list[Figure]:
    """Draw the rows by the selected features together."""
    if sample.columns.size > MOST_DIRECTED:
        return []
    n = sample.n_rows
    note = "These are the rows the features were chosen on: rows not in this table will lie less apart."
    if n > DRAWN_POINTS:
        note += f" Of {n} rows {DRAWN_POINTS} are drawn, evenly spaced."
    if sample.task == "regression":
        fitted = fitted_values(sample.table, sample.y, gamma=sample.gamma)
        target = np.asarray(sample.y, dtype=np.float64)
        note = f"A ridge regression on the chosen features together, as F has it. {note}"
        title, fit = "The target as the chosen features explain it", FitDisplay(target, fitted)
        return [figure_of(title, fit.plot, note + sample.caveat, "Rows")]
    plane = discriminant_plane(sample.table, sample.y, gamma=sample.gamma)
    if sample.columns.size < 2 or not plane.objective > 0:
        return []
    words = "The two directions that tell the classes apart best"
    if not plane.discriminates:
        words = "Across, the direction that tells the classes apart best; up, the widest of what that leaves"
    weighted = " All rows count alike here." if sample.weighted else ""
    note = f"{words}, with the chosen features together.{weighted} {note}"
    title = "The rows in the plane of the discriminant"
    return [figure_of(title, PlaneDisplay(plane).plot, note + sample.caveat, "Rows")]


def _correlations(sample: Sample) -> list[Figure]:
    """Draw the redundancy among the selected features: a heat map, and a sentence on pairs."""
    names = sample.selected_names
    if len(names) < 2:
        return []
    every = correlation_matrix(sample.table[:, :MOST_PAIRED])
    some = every[:MOST_MAPPED, :MOST_MAPPED]
    order = cluster_order(some)
    display = CorrelationDisplay(some[np.ix_(order, order)], [names[j] for j in order])
    sentences = [
        pairs_sentence(every, names),
        "Features that go together are side by side, whatever the sign.",
    ]
    if len(names) > MOST_MAPPED:
        sentences.append(f"The first {MOST_MAPPED} of {counted(len(names), 'features')} are here.")
    if display.every > 1:
        ending = {2: "nd", 3: "rd"}.get(display.every, "th")
        sentences.append(f"Every {display.every}{ending} name is written.")
    note = " ".join(sentences) + sample.caveat
    return [figure_of("Redundancy among the chosen features", display.plot, note, "Redundancy")]


def pairs_sentence(correlations: Any, names: Sequence[str]) -> str:
    """Name the pairs of features that are strongly correlated, or say that there are none."""
    pairs, among = close_pairs(correlations), ""
    if len(names) > len(correlations):
        among = f" among the first {len(correlations)}"
    if not pairs:
        return f"No two of the chosen features{among} are correlated above {CORRELATED} in absolute value."
    listed = [
        f"{names[pair.first]} and {names[pair.second]} ({pair.correlation:.3f})"
        for pair in pairs[:NAMED_PAIRS]
    ]
    more = f"; and {len(pairs) - NAMED_PAIRS} more" if len(pairs) > NAMED_PAIRS else ""
    are = "pair of chosen features is" if len(pairs) == 1 else "pairs of chosen features are"
    found = f"{len(pairs)} {are} correlated above {CORRELATED} in absolute value{among}"
    return f"{found}: {'; '.join(listed)}{more}."
