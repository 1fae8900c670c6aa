"""The choice of gamma and size by scores on held-out folds, which are uncertain.

Scores of neighbouring gammas differ by chance more than in truth: with fifty samples, by several points. So
for classes each is replaced by the mean over neighbouring gammas before the best is taken.
`docs/gamma.md` compares this with other rules.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats

# Width of the normal weights of neighbours, in places of the grid: 0, 0.7, 1 and 1.5 were compared.
WIDTH = 1.0


def best_size(scores: Floats, *, within_error: bool) -> int:
    """Place of the size with the best score at any gamma; or the first within one standard error of it."""
    mean = _mean(scores)  # splits, gammas, sizes -> gammas, sizes
    best = mean.max(axis=0)
    place = int(np.argmax(best))  # of equals the smallest
    if within_error:
        error = _standard_error(scores[:, int(np.argmax(mean[:, place])), place])
        place = int(np.argmax(best >= best[place] - error))
    return place


def largest_of_best(scores: Floats, gammas: Floats) -> int:
    """Place of the gamma with the best mean score, of equals the largest."""
    mean = _mean(scores)
    ties = np.flatnonzero(mean == mean.max())
    return int(ties[np.argmax(gammas[ties])])


def scale_unless_clear(scores: Floats, gammas: Floats) -> int:
    """Place of the best gamma if it is more than one standard error better than the first; else the first."""
    place = largest_of_best(scores, gammas)
    gain = scores[:, place] - scores[:, 0]
    return place if gain.mean() > _standard_error(gain) else 0


def best_neighbourhood(scores: Floats, gammas: Floats, scale: float) -> int:
    """Place of the gamma with the best scores around it, of equals the nearest to "scale"; gammas rise."""
    places = np.arange(gammas.size)
    weights = np.exp(-(((places[:, None] - places) / WIDTH) ** 2) / 2)
    mean = _mean(scores @ weights / weights.sum(axis=0))
    ties = np.flatnonzero(mean == mean.max())
    return int(ties[np.argmin(np.abs(np.log(gammas[ties] / scale)))])


def _mean(scores: Floats) -> Floats:
    """Mean over the folds, rounded: equal scores differ in their last digits."""
    mean: Floats = np.round(scores.mean(axis=0), 12)
    return mean


def _standard_error(scores: Floats) -> Floats:
    """Standard error of a mean over the folds; 0 for a single one."""
    error: Floats = scores.std(axis=0, ddof=min(1, len(scores) - 1)) / np.sqrt(len(scores))
    return error
