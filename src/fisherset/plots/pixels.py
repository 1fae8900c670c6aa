"""Chosen pixels on the mean image, for data whose columns are the pixels of a square image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.plots.canvas import axes_for
from fisherset.plots.style import COLOURS

SAMPLE, ALIKE = 500, 0.25  # rows looked at, and least mean correlation of neighbours
LEAST = 8  # pixels a side; a table of 4 or 9 columns is hardly an image


def side_of_image(n_features: int) -> int | None:
    """The side of the square image that many columns may be, or None."""
    side = round(n_features**0.5)
    return side if side >= LEAST and side * side == n_features else None


def looks_like_images(X: Any) -> bool:
    """Whether columns may be the pixels of square images: neighbours, across and down, are alike.

    In a spectrum, which has neighbours too, half a row away is nearer than a row away.
    """
    side = side_of_image(X.shape[1])
    if side is None:
        return False
    rows = X[:SAMPLE]
    Z = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
    Z = Z - Z.mean(axis=0)
    length = np.sqrt(np.sum(Z**2, axis=0))
    Z = (Z / np.where(length > 0, length, 1.0)).T.reshape(side, side, -1)
    across, down = np.sum(Z[:, 1:] * Z[:, :-1], axis=2), np.sum(Z[1:] * Z[:-1], axis=2)
    half, flat = side // 2, Z.reshape(side * side, -1)
    half_a_row_away = np.sum(flat[half:] * flat[:-half], axis=1)
    return bool(min(across.mean(), down.mean()) > max(ALIKE, half_a_row_away.mean()))


class PixelDisplay:
    """Plot the mean image with the chosen pixels marked.

    Parameters
    ----------
    mean : ndarray of shape (n_features,)
        Mean of each pixel, row by row.
    features : sequence of int
        The chosen pixels.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    text_ : str
        What the picture shows, in words.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.plots import PixelDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> chosen = GeneralizedFisherScore(10).fit(X, y).get_support(indices=True)
    >>> PixelDisplay(X.mean(axis=0), chosen).plot().text_
    'The 10 chosen pixels on the mean of 8 x 8 images: 6 in the upper half, 4 in the lower.'
    """

    def __init__(self, mean: Floats, features: Sequence[int] | Indices) -> None:
        side = side_of_image(np.size(mean))
        if side is None:
            raise ValueError(f"mean must hold a square image of 8 x 8 pixels or more; got {np.size(mean)}.")
        self.image = np.reshape(np.asarray(mean, dtype=np.float64), (side, side))
        self.features = np.asarray(features, dtype=np.intp)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, on `ax` or a new figure."""
        ax = axes_for(ax, (3.6, 3.6))
        self.ax_, self.figure_ = ax, ax.figure
        rows, columns = np.divmod(self.features, len(self.image))
        ax.imshow(self.image, cmap="gray", interpolation="nearest")
        size = min(160.0, 36000.0 / self.image.size)
        ax.scatter(
            columns, rows, s=size, marker="s", facecolors="none", edgecolors=COLOURS[5], linewidths=1.8
        )
        ax.set_xticks([])
        ax.set_yticks([])
        ax.grid(visible=False)
        return self

    @property
    def text_(self) -> str:
        """The picture in words."""
        side = len(self.image)
        upper = int(np.sum(self.features // side < side / 2))
        return (
            f"The {self.features.size} chosen pixels on the mean of {side} x {side} images: {upper} in the "
            f"upper half, {self.features.size - upper} in the lower."
        )
