"""Chosen pixels on the mean image, for data whose columns are the pixels of a square image."""

from __future__ import annotations

from typing import Any

import numpy as np

from fisherset.evaluation.description import side_of_image
from fisherset.plots.display import Display
from fisherset.plots.style import COLOURS
from fisherset.validation.features import check_features


class PixelDisplay(Display):
    """Plot the mean image with the chosen pixels marked.

    Parameters
    ----------
    mean : ndarray of shape (n_features,)
        Mean of each pixel, row by row; names of pixels are those of a pandas Series.
    features : array-like
        The chosen pixels: their numbers, their names, or a boolean mask.

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

    size = (3.6, 3.6)

    def __init__(self, mean: Any, features: Any) -> None:
        side = side_of_image(np.size(mean))
        if side is None:
            raise ValueError(f"mean must hold a square image of 8 x 8 pixels or more; got {np.size(mean)}.")
        self.image = np.reshape(np.asarray(mean, dtype=np.float64), (side, side))
        names = list(map(str, mean.keys())) if hasattr(mean, "keys") else None
        self.features = check_features(features, self.image.size, names, rising=False)

    def _draw(self, ax: Any) -> None:
        rows, columns = np.divmod(self.features, len(self.image))
        ax.imshow(self.image, cmap="gray", interpolation="nearest")
        size = min(160.0, 36000.0 / self.image.size)
        ax.scatter(
            columns, rows, s=size, marker="s", facecolors="none", edgecolors=COLOURS[5], linewidths=1.8
        )
        ax.set_xticks([])
        ax.set_yticks([])
        ax.grid(visible=False)

    @property
    def text_(self) -> str:
        """The picture in words."""
        side = len(self.image)
        upper = int(np.sum(self.features // side < side / 2))
        return (
            f"The {self.features.size} chosen pixels on the mean of {side} x {side} images: {upper} in the "
            f"upper half, {self.features.size - upper} in the lower."
        )
