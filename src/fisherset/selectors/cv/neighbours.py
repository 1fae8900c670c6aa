"""Accuracy of the nearest neighbour on some columns, which sees what a linear model cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.selectors.cv.models import standardized
from fisherset.statistics import TableProblem

# Values of some rows in columns of a problem.
Values: TypeAlias = Callable[[TableProblem, Indices], Any]
# Distances of a fold, those of all rows up to 1300: a few milliseconds for each set.
MOST_DISTANCES = 2**18
# Share of the squared length of the rows within which distances are equal: rounding of their products.
EQUAL = 1e-9


class NearestNeighbour(NamedTuple):
    """The share of held-out rows whose nearest training row has their class, of equally near ones a share.

    Rows are standardised as the selection has them. Of many rows an even sample of each class is taken.
    """

    codes: Indices  # class numbers of the rows
    weights: Floats | None  # of the rows, in training
    score_weights: Floats | None  # and in the score

    def on(
        self, train: Indices, test: Indices, values: Callable[[Indices], Values]
    ) -> Callable[[TableProblem, Indices], float]:
        """The accuracy on columns of a problem, from the values of rows in some columns."""
        if self.weights is not None:
            train = train[self.weights[train] > 0]
        step = int(np.ceil(np.sqrt(train.size * test.size / MOST_DISTANCES)))
        train, test = (rows[np.argsort(self.codes[rows], kind="stable")][::step] for rows in (train, test))
        same = self.codes[test][:, None] == self.codes[train]
        of_neighbours = None if self.weights is None else self.weights[train]
        of_scores = None if self.score_weights is None else self.score_weights[test]
        if of_scores is not None and not np.any(of_scores):
            of_scores = None
        known, held_out = values(train), values(test)

        def accuracy(problem: TableProblem, members: Indices) -> float:
            rows = [standardized(problem, members, part(problem, members)) for part in (held_out, known)]
            nearest = _nearest(*rows)
            weighed = nearest if of_neighbours is None else nearest * of_neighbours
            hits = np.einsum("ij,ij->i", weighed, same) / weighed.sum(axis=1)
            return float(np.average(hits, weights=of_scores))

        return accuracy


def _nearest(rows: Floats, known: Floats) -> Floats:
    """1 where a known row is nearest to a row, or as near as the nearest, else 0: rows x known."""
    lengths = np.einsum("ij,ij->i", known, known)
    distances = rows @ known.T
    distances *= -2
    distances += lengths  # less the squared length of the row, which is that of all distances to it
    limit = distances.min(axis=1) + EQUAL * (lengths.max() + np.einsum("ij,ij->i", rows, rows))
    nearest: Floats = (distances <= limit[:, None]).astype(np.float64)
    return nearest
