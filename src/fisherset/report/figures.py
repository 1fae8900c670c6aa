"""The pictures of a report: the rows, each feature, and what the features say twice."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset import FisherScore, JointRegressionScore
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
from fisherset.evaluation.description import CORRELATED
from fisherset.plots import CorrelationDisplay, FitDisplay, PixelDisplay, PlaneDisplay
from fisherset.plots.samples import DRAWN_POINTS
from fisherset.report.pages import Figure, figure_of
from fisherset.report.panels import Panels, build_panels

FIRST = 6  # features that are shown at once
MOST_PANELS = 500  # features that are shown at all
MOST_MAPPED = 200  # features in the heat map
MOST_PAIRED = 2000  # features among which pairs are looked for
MOST_DIRECTED = 1000  # features of which a discriminant is computed for a picture
MOST_VALUES = 2_000_000  # values of the chosen features that pictures are made of
LEAST_ROWS = 1000  # that pictures are made of, however many features there are
NAMED_PAIRS = 8  # pairs of a sentence


class Shown:
    """What the pictures are of: rows of the table, and which of its columns were chosen.

    Parameters
    ----------
    X, y : array-like
        The rows.
    names : sequence of str
        Names of the columns.
    codes : ndarray
        The group of each column.
    order : ndarray
        The chosen groups, best first.
    task : str
        What the target holds.
    gamma : float
        The regulariser, for these rows.
    selector : object
        What was fitted: whether it adjusted or weighed what the pictures show as it is.
    """

    def __init__(
        self,
        X: Any,
        y: NDArray[Any],
        names: Sequence[str],
        codes: Indices,
        order: Indices,
        task: str,
        gamma: float,
        selector: Any,
    ) -> None:
        self.names, self.codes, self.order, self.task, self.whole = names, codes, order, task, X
        places: dict[int, list[int]] = {int(group): [] for group in order}
        for column, group in enumerate(codes.tolist()):
            if group in places:
                places[group].append(column)
        self.members = [np.array(places[int(group)], dtype=np.intp) for group in order]
        self.columns = np.concatenate(self.members)
        self.rows = evenly(_numbered(y, task), max(LEAST_ROWS, MOST_VALUES // self.columns.size))
        self.n_rows, self.y = X.shape[0], y[self.rows]
        self.gamma = gamma * len(self.y) / X.shape[0]
        self.adjusted = getattr(selector, "adjust_for", None) is not None
        self.weighed = getattr(selector, "class_weight", None) is not None

    @cached_property
    def table(self) -> Any:
        """The chosen columns, best first, as numbers."""
        if hasattr(self.whole, "toarray"):
            chosen = self.whole[self.rows][:, self.columns].toarray()
        else:
            chosen = self.whole[np.ix_(self.rows, self.columns)]
        return np.asarray(chosen, dtype=np.float64)

    @property
    def chosen_names(self) -> list[str]:
        """Names of the chosen columns."""
        return [self.names[j] for j in self.columns]

    @property
    def caveat(self) -> str:
        """What to say of a picture of the table where the selector saw something else."""
        said = " All as they stand in the table, not adjusted." if self.adjusted else ""
        few = len(self.rows) < self.n_rows
        return said + (f" From {len(self.rows)} of the {self.n_rows} rows, evenly spaced." if few else "")


def _numbered(y: NDArray[Any], task: str) -> Indices:
    """The class of each row by a number; of a target of numbers all the same."""
    if task == "regression":
        return np.zeros(len(y), dtype=np.intp)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in np.asarray(y).tolist()])


@one_thread()  # small products of a few rows
def figures_of(shown: Shown) -> list[Figure]:
    """The pictures besides those of single features.

    Parameters
    ----------
    shown : Shown
        What they are of.

    Returns
    -------
    figures : list of Figure
        In the order of the page.
    """
    pixels = [_pixels(shown)] if looks_like_images(shown.whole) else []
    return [*pixels, *_rows(shown), *_correlations(shown)]


def panels_of(shown: Shown) -> Panels:
    """The chosen features in each class, or from low to high target; of a group the one that tells most.

    Parameters
    ----------
    shown : Shown
        What they are of.

    Returns
    -------
    panels : Panels
        A picture for each feature.
    """
    ends = np.cumsum([0, *(some.size for some in shown.members)])
    places = [np.arange(start, end) for start, end in pairwise(ends)][:MOST_PANELS]
    columns = [_foremost(shown, some) for some in places]
    names = [shown.chosen_names[at] for at in columns]
    note = "Lines from 5 to 95 % of the rows{}, bars for the middle half, a mark for the median."
    if any(some.size > 1 for some in places):
        note += " Of features that are chosen together, the one that by itself tells most is shown."
    if shown.task == "regression":
        spread = target_quantiles(shown.table, shown.y, columns)
        title, where = "The chosen features from low to high target", "with a target of"
        note = "A row for each fifth of the rows by their target. " + note.format(" of a fifth")
    else:
        spread = class_quantiles(shown.table, shown.y, columns)
        title, where = f"The chosen features in {spread.whole}", "in class"
        note = note.format(" of a class")
    if any(spread.shares):
        note += " Of noughts and ones, a bar for the share of ones."
    if len(shown.members) > MOST_PANELS:
        note += f" The first {MOST_PANELS} of {len(shown.members)} are here."
    return build_panels(title, note + shown.caveat, spread, names, where=where, first=FIRST)


def _foremost(shown: Shown, places: Indices) -> int:
    """The column of a group that is best alone."""
    if places.size == 1:
        return int(places[0])
    one: Any = FisherScore(1) if shown.task == "classification" else JointRegressionScore(1, tol=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some are constant is no concern here
        return int(places[one.fit(shown.table[:, places], shown.y).ranking_.argmin()])


def _pixels(shown: Shown) -> Figure:
    mean = np.asarray(shown.whole.mean(axis=0)).ravel()
    return figure_of("The chosen pixels", lambda: PixelDisplay(mean, shown.columns).plot(), "", "Pixels")


def _rows(shown: Shown) -> list[Figure]:
    """The rows as the chosen features see them."""
    if shown.columns.size > MOST_DIRECTED:
        return []
    n = shown.n_rows
    note = "These are the rows the features were chosen on: rows not in this table will lie less apart."
    if n > DRAWN_POINTS:
        note += f" Of {n} rows {DRAWN_POINTS} are drawn, evenly spaced."
    if shown.task == "regression":
        fitted = fitted_values(shown.table, shown.y, gamma=shown.gamma)
        target = np.asarray(shown.y, dtype=np.float64)
        note = f"A ridge regression on the chosen features together, as F has it. {note}"
        title, fit = "The target as the chosen features explain it", FitDisplay(target, fitted)
        return [figure_of(title, fit.plot, note + shown.caveat, "Rows")]
    plane = discriminant_plane(shown.table, shown.y, gamma=shown.gamma)
    if shown.columns.size < 2 or not plane.objective > 0:
        return []
    words = "The two directions that tell the classes apart best"
    if not plane.discriminates:
        words = "Across, the direction that tells the classes apart best; up, the widest of what that leaves"
    weighed = " All rows count alike here." if shown.weighed else ""
    note = f"{words}, with the chosen features together.{weighed} {note}"
    title = "The rows in the plane of the discriminant"
    return [figure_of(title, PlaneDisplay(plane).plot, note + shown.caveat, "Rows")]


def _correlations(shown: Shown) -> list[Figure]:
    """What the chosen features say twice: a heat map of neighbours, and a sentence of pairs."""
    names = shown.chosen_names
    if len(names) < 2:
        return []
    every = correlation_matrix(shown.table[:, :MOST_PAIRED])
    some = every[:MOST_MAPPED, :MOST_MAPPED]
    order = cluster_order(some)
    display = CorrelationDisplay(some[np.ix_(order, order)], [names[j] for j in order])
    said = [pairs_sentence(every, names), "Features that go together are side by side, whatever the sign."]
    if len(names) > MOST_MAPPED:
        said.append(f"The first {MOST_MAPPED} of {counted(len(names), 'features')} are here.")
    if display.every > 1:
        said.append(f"Every {ordinal(display.every)} name is written.")
    note = " ".join(said) + shown.caveat
    return [figure_of("What the chosen features say twice", display.plot, note, "Redundancy")]


def pairs_sentence(correlations: Any, names: Sequence[str]) -> str:
    """The pairs of features that go together nearly always, or that there are none."""
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


def ordinal(number: int) -> str:
    """2 as "2nd"."""
    return f"{number}{'nd' if number == 2 else 'rd' if number == 3 else 'th'}"
